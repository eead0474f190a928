"""Texts as token ids: the chosen tower's own tokenizer, or a small byte-pair one trained on the data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tasks.training.errors import TrainingError

BEGIN, END = "<|startoftext|>", "<|endoftext|>"


@dataclass(frozen=True)
class Tokens:
    """A tokenizer with the limit and the padding that its tower wants."""

    tokenizer: Any
    limit: int
    """Most tokens of a text, its special ones included; what is over is cut."""
    whole: bool = False
    """Whether texts are padded to the limit (SigLIP has no mask) and not to the longest of a batch."""

    def encode(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Ids and mask, [T, L] int64 each; L is 1 where there is no text."""
        if not texts:
            return torch.zeros(0, 1, dtype=torch.int64), torch.zeros(0, 1, dtype=torch.int64)
        done = self.tokenizer(
            list(texts),
            padding="max_length" if self.whole else True,
            truncation=True,
            max_length=self.limit,
            return_tensors="pt",
        )
        mask = done.get("attention_mask")
        return done["input_ids"], torch.ones_like(done["input_ids"]) if mask is None else mask

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
        state = self.tokenizer.backend_tokenizer.to_str(pretty=False)
        return hashlib.sha256(f"{state}\0{self.limit}\0{self.whole}".encode()).hexdigest()


def train_tokenizer(texts: Iterable[str], vocabulary: int, context: int) -> Tokens:
    """CLIP's kind of byte-pair tokenizer with at most ``vocabulary`` entries, trained on ``texts``.

    The same texts in the same order give the same tokenizer. Letters are lowered, as CLIP's are.
    """
    from tokenizers import pre_tokenizers, trainers
    from transformers import CLIPTokenizer

    blank = CLIPTokenizer()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BEGIN, END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    backend = blank.backend_tokenizer
    backend.train_from_iterator(texts, trainer)
    return Tokens(_rebuild(backend, context), context)


def _rebuild(backend: Any, context: int) -> Any:
    """A whole CLIP tokenizer of what was trained: its special tokens then have the trained ids."""
    import json

    from transformers import CLIPTokenizer

    model = json.loads(backend.to_str())["model"]
    merges = [tuple(each) if isinstance(each, list) else tuple(each.split(" ")) for each in model["merges"]]
    return CLIPTokenizer(vocab=model["vocab"], merges=merges, model_max_length=context)  # type: ignore[arg-type]


def load_tokens(folder: Path | str, limit: int | None = None) -> Tokens:
    """The tokenizer of a folder or hub id, with the limit that its tower's configuration says.

    Raises:
        TrainingError: there is none.
    """
    from transformers import AutoConfig, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder))
    except (OSError, ValueError) as error:
        raise TrainingError(f"no tokenizer at {folder}: {_first_line(error)}") from error
    if limit is not None:
        return Tokens(tokenizer, limit)
    try:
        config = AutoConfig.from_pretrained(str(folder))
    except (OSError, ValueError) as error:
        raise TrainingError(f"no model at {folder}: {_first_line(error)}") from error
    text = getattr(config, "text_config", config)
    room = int(getattr(text, "max_position_embeddings", 512))
    if "roberta" in str(getattr(text, "model_type", "")) or config.model_type == "altclip":
        room -= 2  # RoBERTa's positions begin after the padding's
    known = int(tokenizer.model_max_length)
    return Tokens(tokenizer, min(room, known) if known < 10**6 else room, whole=config.model_type.startswith("siglip"))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
