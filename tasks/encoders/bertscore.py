"""BERTScore (Zhang et al. 2020) by the authors' own package: of free answers as SaCLIP Table 3 reports it, and of the
texts of contrasts beside their anchors' (Concrete Jungle Table 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from counterfoil.storage.plain import first_line
from counterfoil.tasks.encoders.base import LOADING_ERRORS, EncoderError
from counterfoil.tasks.packages import explained

Comparer = Callable[[Sequence[str], Sequence[tuple[str, ...]]], list[tuple[float, float, float]]]
"""From texts and the wordings each is compared with to precision, recall and F1 of each."""
_NOTHING = (0.0, 0.0, 0.0)


@lru_cache(maxsize=1)
def open_bertscore(model: str, device: str | None = None) -> Comparer:
    """Precision, recall and F1 of a text beside the nearest of its wordings, without rescaling.

    ``model`` is a hub id or folder of an encoder, ``device`` the GPU where there is one. Vectors are those of the layer
    that the package recommends for a model that it knows, and of the last for any other. Special tokens are not matched
    themselves, but may be the nearest of another token. An empty text scores 0.

    Raises:
        EncoderError: the model cannot be loaded.
        MissingPackageError: BERTScore is not installed.
    """
    with explained("the comparison of texts by BERTScore", "sft"):
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
        from transformers import AutoConfig
    try:
        layer = model2layers.get(model) or model2layers.get(model.rpartition("/")[2])
        layer = layer or AutoConfig.from_pretrained(model).num_hidden_layers
        scorer = BERTScorer(model_type=model, num_layers=layer, device=device, rescale_with_baseline=False)
    except LOADING_ERRORS as error:
        raise EncoderError(
            f"BERTScore's model {model!r} cannot be loaded: name one such as roberta-large ({first_line(error)})"
        ) from error

    def compare(texts: Sequence[str], wordings: Sequence[tuple[str, ...]]) -> list[tuple[float, float, float]]:
        # The package cannot encode an empty text by the tokenizers of transformers 5.
        said = [i for i, text in enumerate(texts) if text.strip()]
        scores = [_NOTHING] * len(texts)
        if said:
            told = scorer.score([texts[i] for i in said], [list(wordings[i]) for i in said])
            for i, precision, recall, f1 in zip(said, *(each.tolist() for each in told), strict=True):
                scores[i] = (precision, recall, f1)
        return scores

    return compare
