"""BERTScore (Zhang et al. 2020) of free texts, as SaCLIP Table 3 reports it, by the authors' own package."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.evaluation.answers.asking import Comparer
from tasks.evaluation.errors import EvaluationError

_NOTHING = (0.0, 0.0, 0.0)


def open_bertscore(model: str, layer: int | None = None, device: str = "cpu") -> Comparer:
    """Precision, recall and F1 of a text beside the nearest wording of the right answer, without rescaling.

    ``model`` is a hub id or folder of an encoder. ``layer`` is the one whose vectors are compared; left out, the one
    that the package recommends for a model that it knows, and the last for any other. An empty text scores 0.

    Raises:
        EvaluationError: the package is not installed, or the model cannot be loaded.
    """
    try:
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
        from transformers import AutoConfig
    except ImportError as error:
        raise EvaluationError("free texts are compared by BERTScore: pip install 'counterfoil[sft]'") from error
    try:
        chosen = layer or model2layers.get(model) or AutoConfig.from_pretrained(model).num_hidden_layers
        scorer = BERTScorer(model_type=model, num_layers=chosen, device=device, rescale_with_baseline=False)
    except (OSError, ValueError) as error:
        first = str(error).strip().partition("\n")[0]
        raise EvaluationError(f"BERTScore's model {model!r} cannot be loaded: {first}") from error

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
