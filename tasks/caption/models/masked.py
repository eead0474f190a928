"""What a masked language model puts in a word's place (AHNPL Sec. 3.1: RoBERTa)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from counterfoil.tasks.caption.models.loading import load_model


class Filler:
    """RoBERTa or any other masked language model that transformers knows.

    Raises:
        ModelError: torch or transformers is missing, or the model cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        loaded = load_model("masker", name, "AutoTokenizer", "AutoModelForMaskedLM")
        self._torch, self._tokenizer, self._model = loaded.torch, loaded.reader, loaded.model

    def fill(self, texts: Sequence[tuple[str, str]], most: int) -> list[list[str]]:
        """For each pair of what stands before and after a gap the ``most`` likeliest words for it, likeliest first.

        Pieces of words, signs and numbers are left out.
        """
        if not texts:
            return []
        masked = [f"{before}{self._tokenizer.mask_token}{after}" for before, after in texts]
        batch = self._tokenizer(masked, return_tensors="pt", padding=True, truncation=True).to(self._model.device)
        with self._torch.inference_mode():
            logits = self._model(**batch).logits
        gaps = batch["input_ids"] == self._tokenizer.mask_token_id
        found = []
        for scores, gap in zip(logits, gaps, strict=True):
            # Truncation may have cut the gap off.
            likeliest = scores[gap][0].topk(min(4 * most, scores.shape[-1])).indices.tolist() if gap.any() else []
            words = (self._tokenizer.decode([token]).strip().lower() for token in likeliest)
            found.append([word for word in dict.fromkeys(words) if word.isalpha() and len(word) > 1][:most])
        return found


@lru_cache(maxsize=1)
def open_filler(name: str) -> Filler:
    """The filler, loaded once per process."""
    return Filler(name)
