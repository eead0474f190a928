"""Encoders of texts: any model that sentence-transformers loads, by hub id or folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterfoil.tasks.encoders.base import (
    LOADING_ERRORS,
    EncoderError,
    Modality,
    choose_device,
    encode_in_batches,
    identify_model,
)
from counterfoil.tasks.packages import import_package

_STEP = 16
"""Texts are padded to the next multiple of so many tokens."""


class SentenceEncoder:
    """A model of sentence-transformers, on texts alone.

    Texts of a like length share a batch, and batches are filled up, so that a text's vector does not depend on the
    texts beside it.

    Raises:
        EncoderError: a library is missing, or the model cannot be loaded.
    """

    modalities: frozenset[Modality] = frozenset({"text"})
    joint = False

    def __init__(self, name: str, source: str, device: str | None = None) -> None:
        """``source`` is the hub id or folder behind ``name``."""
        self.name = name
        self._torch = import_package("torch", "an encoder", "mining")
        library = import_package("sentence_transformers", "an encoder", "mining")
        try:
            self._model = library.SentenceTransformer(source, device=choose_device(self._torch, device)).eval()
        except LOADING_ERRORS as error:
            raise EncoderError(
                f"encoder {name!r} cannot be loaded: name a hub id or a folder of sentence-transformers ({error})"
            ) from error
        self._tokenizer = self._model.tokenizer
        if not callable(self._tokenizer) or not hasattr(self._tokenizer, "pad"):
            raise EncoderError(f"encoder {name!r} has no tokenizer of transformers: choose a model that has one")
        self._prompt = self._model.prompts.get(self._model.default_prompt_name or "") or ""

    @cached_property
    def identity(self) -> str:
        tokens = sorted(self._tokenizer.get_vocab().items())
        return identify_model(self._model, repr(self._model), self._prompt, repr(tokens))

    @property
    def dimension(self) -> int:
        return int(self._model.get_embedding_dimension())

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        longest = self._model.max_seq_length or 512
        tokens = self._tokenizer(
            [self._prompt + text for text in texts], truncation=True, max_length=longest, padding=False
        )
        groups: dict[int, list[int]] = {}
        for row, ids in enumerate(tokens["input_ids"] if texts else ()):
            groups.setdefault(min(-(-len(ids) // _STEP) * _STEP, longest), []).append(row)
        order = [groups[width] for width in sorted(groups)]
        widths = {row: width for width, rows in groups.items() for row in rows}

        def encode(rows: Sequence[int]) -> np.ndarray:
            batch = self._tokenizer.pad(
                {key: [values[row] for row in rows] for key, values in tokens.items()},
                padding="max_length",
                max_length=widths[rows[0]],
                return_tensors="pt",
            )
            return self._forward(batch)

        return encode_in_batches(order, encode, (len(texts), self.dimension))

    def encode_images(self, images: Sequence[bytes]) -> np.ndarray:
        raise EncoderError(
            f"encoder {self.name!r} encodes texts alone, and {len(images)} pictures were given: name a CLIP-like "
            "model, or `hashed`"
        )

    def _forward(self, batch: Any) -> np.ndarray:
        features = {key: value.to(self._model.device) for key, value in batch.items()}
        with self._torch.inference_mode():
            found = self._model(features)["sentence_embedding"]
        return np.asarray(found.float().cpu().numpy())
