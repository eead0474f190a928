"""Texts as token ids: the chosen tower's own tokenizer, or a small byte-pair one trained on the data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from counterfoil.storage.plain import first_line
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.encoders.load import MINILM, find_minilm
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.merges import learn_merges

_KNOWN = 1 << 16
"""Texts whose ids are kept, at most: a text is met again in every epoch."""
BEGIN, END, SUFFIX = "<|startoftext|>", "<|endoftext|>", "</w>"


@dataclass(frozen=True)
class Tokens:
    """A tokenizer with the limit and the padding that its tower wants."""

    tokenizer: Any
    limit: int
    """Most tokens of a text, its special ones included; what is over is cut."""
    whole: bool = False
    """Whether texts are padded to the limit (SigLIP has no mask) and not to the longest of a batch."""
    _known: dict[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)

    def encode(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Ids and mask, [T, L] int64 each; L is 1 where there is no text.

        Raises:
            TrainingError: the tokenizer has no padding token.
        """
        if not texts:
            return torch.zeros(0, 1, dtype=torch.int64), torch.zeros(0, 1, dtype=torch.int64)
        rows = self._find_ids(texts)
        if self.tokenizer.pad_token_id is None:
            raise TrainingError("the tokenizer has no padding token, so that texts of different lengths make no batch")
        length = self.limit if self.whole else max(map(len, rows))
        ids = np.full((len(rows), length), self.tokenizer.pad_token_id, np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(rows):
            place = slice(length - len(own), None) if self.tokenizer.padding_side == "left" else slice(len(own))
            ids[row, place], mask[row, place] = own, 1
        if "attention_mask" not in self.tokenizer.model_input_names:
            mask[:] = 1
        return torch.from_numpy(ids), torch.from_numpy(mask)

    def _find_ids(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Each text's ids; one that was met before is not cut into tokens again."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if len(self._known) + len(new) > _KNOWN:
            self._known.clear()
            new = list(dict.fromkeys(texts))
        if new:
            done = self.tokenizer(new, truncation=True, max_length=self.limit)["input_ids"]
            self._known.update((text, np.array(ids, np.int32)) for text, ids in zip(new, done, strict=True))
        return [self._known[text] for text in texts]

    def list_ids(self, texts: Sequence[str]) -> list[tuple[tuple[int, ...], bool]]:
        """Each text's ids as the tower sees them, and whether it was over the limit."""
        if not texts:
            return []
        found = self.tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        cut = self.tokenizer(list(texts), truncation=True, max_length=self.limit)["input_ids"]
        return [(tuple(short), len(long) > self.limit) for long, short in zip(found, cut, strict=True)]

    @property
    def digest(self) -> str:
        """SHA-256 of what decides the ids: vocabulary, merges and limit."""
        state = json.loads(self.tokenizer.backend_tokenizer.to_str())
        # How it pads and cuts is of its last call.
        kept = [state[part] for part in ("normalizer", "pre_tokenizer", "post_processor", "model")]
        return fingerprint(kept, self.limit, self.whole)


def train_tokenizer(texts: Iterable[str], vocabulary: int, context: int) -> Tokens:
    """CLIP's kind of byte-pair tokenizer with at most ``vocabulary`` entries, trained on ``texts``.

    The same texts in the same order give the same tokenizer. Letters are lowered, as CLIP's are.
    """
    from tokenizers import pre_tokenizers
    from transformers import CLIPTokenizer

    backend = CLIPTokenizer().backend_tokenizer
    words: Counter[str] = Counter()
    for text in texts:
        said = backend.pre_tokenizer.pre_tokenize_str(backend.normalizer.normalize_str(text))
        words.update(word for word, _ in said)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    alphabet = [BEGIN, END, *letters, *(letter + SUFFIX for letter in letters)]
    merges = learn_merges(words, max(0, vocabulary - len(alphabet)), SUFFIX)
    entries = [*alphabet, *(one + other for one, other in merges)]
    vocab = {entry: number for number, entry in enumerate(dict.fromkeys(entries))}
    tokenizer = CLIPTokenizer(vocab=vocab, merges=merges, model_max_length=context)  # type: ignore[arg-type]
    return Tokens(tokenizer, context)


def load_tokens(folder: Path | str, limit: int | None = None) -> Tokens:
    """The tokenizer of a folder or hub id (or the encoder that a package has), with the limit that its tower's
    configuration says.

    Raises:
        TrainingError: there is none.
    """
    from transformers import AutoConfig, AutoTokenizer

    folder = find_minilm() if folder == MINILM else folder
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder))
    except (OSError, ValueError) as error:
        raise TrainingError(f"no tokenizer at {folder}: {first_line(error)}") from error
    if limit is not None:
        return Tokens(tokenizer, limit)
    try:
        config = AutoConfig.from_pretrained(str(folder))
    except (OSError, ValueError) as error:
        raise TrainingError(f"no model at {folder}: {first_line(error)}") from error
    text = getattr(config, "text_config", config)
    room = int(getattr(text, "max_position_embeddings", 512))
    if "roberta" in str(getattr(text, "model_type", "")) or config.model_type == "altclip":
        room -= 2  # RoBERTa's positions begin after the padding's
    known = int(tokenizer.model_max_length)
    return Tokens(tokenizer, min(room, known) if known < 10**6 else room, whole=config.model_type.startswith("siglip"))
