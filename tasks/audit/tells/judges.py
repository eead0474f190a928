"""The judges: small models that see one side alone and learn to tell anchors from contrasts.

A judge learns from some anchors and scores others. It learns as a contrastive loss would: from the differences between
an anchor's items and its own contrasts, so that what sets anchors apart from one another is no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from tasks.audit.tells.errors import explain_missing
from tasks.audit.tells.figures import Items

_STRENGTHS = (0.03, 0.3)
"""Inverse strengths of the penalty that a linear judge chooses from, on a part of what it learns from."""
_RARE = 3
"""N-grams of fewer texts are not learnt."""
_MOST_PAIRS = 60_000
"""Pairs that a judge learns from at most: every k-th of more."""


class Judge(Protocol):
    """Learns from some items and scores others."""

    name: str

    def score(self, items: Items, learn: np.ndarray, judged: np.ndarray) -> np.ndarray:
        """Scores of the items at ``judged``, learnt from those at ``learn`` alone. Higher is more like an anchor."""
        ...


def list_pairs_of(items: Items, learn: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs of (anchor's item, contrast) among ``learn``, and weights by which every anchor counts alike."""
    inside = np.zeros(len(items.owner), dtype=bool)
    inside[learn] = True
    mine, theirs = items.list_pairs()
    kept = inside[mine] & inside[theirs]
    mine, theirs = mine[kept], theirs[kept]
    step = -(-len(mine) // _MOST_PAIRS) or 1
    mine, theirs = mine[::step], theirs[::step]
    sizes = np.bincount(items.owner[mine], minlength=items.anchors)
    weights = 1 / sizes[items.owner[mine]]
    return mine, theirs, weights * len(weights) / max(weights.sum(), 1e-12)


class WordJudge:
    """A linear model of n-grams."""

    name = "n-grams"

    def __init__(self, ngrams: Sequence[Sequence[str]]) -> None:
        """``ngrams`` are those of each item (`tasks.audit.tells.wording.list_ngrams`)."""
        self.ngrams = ngrams

    def score(self, items: Items, learn: np.ndarray, judged: np.ndarray) -> np.ndarray:
        vectorizer = make_vectorizer()
        known = _damp(vectorizer.fit_transform([self.ngrams[i] for i in learn]))
        other = _damp(vectorizer.transform([self.ngrams[i] for i in judged]))
        rows = np.full(len(self.ngrams), -1)
        rows[learn] = np.arange(len(learn))
        return np.asarray(other @ _learn_differences(known, rows, items, learn)).ravel()


class NumberJudge:
    """A linear model of simple numbers."""

    name = "features"

    def __init__(self, numbers: np.ndarray) -> None:
        """``numbers`` are of shape (items, features)."""
        self.numbers = numbers

    def score(self, items: Items, learn: np.ndarray, judged: np.ndarray) -> np.ndarray:
        known = self.numbers[learn]
        mean, spread = known.mean(axis=0), known.std(axis=0)
        scale = np.where(spread > 1e-9, spread, np.inf)
        rows = np.full(len(self.numbers), -1)
        rows[learn] = np.arange(len(learn))
        # Far outliers are cut: one odd picture must not decide a linear score.
        squeeze = lambda values: np.clip((values - mean) / scale, -6, 6)  # noqa: E731
        return np.asarray(squeeze(self.numbers[judged]) @ _learn_differences(squeeze(known), rows, items, learn))


class TreeJudge:
    """Boosted trees over the simple numbers: what no straight line tells."""

    name = "trees"

    def __init__(self, numbers: np.ndarray, seed: int) -> None:
        self.numbers, self.seed = numbers, seed

    def score(self, items: Items, learn: np.ndarray, judged: np.ndarray) -> np.ndarray:
        with explain_missing():
            from sklearn.ensemble import HistGradientBoostingClassifier
        owner, own = items.owner[learn], items.own[learn]
        sizes = np.stack([np.bincount(owner[own == side], minlength=items.anchors) for side in (False, True)])
        model = HistGradientBoostingClassifier(
            max_iter=120,
            learning_rate=0.08,
            max_leaf_nodes=15,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=self.seed % 2**32,
        )
        model.fit(self.numbers[learn], own, sample_weight=1 / sizes[own.astype(int), owner])
        return np.asarray(model.decision_function(self.numbers[judged]))


def make_vectorizer() -> Any:
    """Counts of n-grams, those of at least three texts."""
    with explain_missing():
        from sklearn.feature_extraction.text import CountVectorizer
    return CountVectorizer(analyzer=list, min_df=_RARE)


def _damp(counts: Any) -> Any:
    """Logarithms of counts, so that a long text does not shout."""
    damped = counts.astype(np.float64)
    damped.data = np.log1p(damped.data)
    return damped


def _learn_differences(known: Any, rows: np.ndarray, items: Items, learn: np.ndarray) -> np.ndarray:
    """Weights of a linear score that sets anchors over their contrasts; the penalty is chosen on a fifth held back."""
    anchors = np.unique(items.owner[learn])
    held = np.isin(items.owner[learn], anchors[_hold_back(items.blocks[anchors])])
    best, chosen = -1.0, _STRENGTHS[0]
    if held.any() and not held.all():
        mine, theirs, weights = list_pairs_of(items, learn[held])
        for strength in _STRENGTHS:
            found = _fit(known, rows, items, learn[~held], strength)
            gap = np.asarray((known[rows[mine]] - known[rows[theirs]]) @ found).ravel()
            won = float((weights * ((gap > 0) + 0.5 * (gap == 0))).sum())
            if won > best:
                best, chosen = won, strength
    return _fit(known, rows, items, learn, chosen)


def _hold_back(blocks: np.ndarray) -> np.ndarray:
    """Which of the anchors are held back: those of every fifth block."""
    _, place = np.unique(blocks, return_inverse=True)
    return np.asarray(place % 5 == 0)


def _fit(known: Any, rows: np.ndarray, items: Items, learn: np.ndarray, strength: float) -> np.ndarray:
    with explain_missing():
        from sklearn.linear_model import LogisticRegression
    mine, theirs, weights = list_pairs_of(items, learn)
    gaps = known[rows[mine]] - known[rows[theirs]]
    if not len(mine) or not gaps.shape[1]:
        return np.zeros(gaps.shape[1])
    # Each difference, and the same the other way round: without an intercept, one of each sign is enough.
    signs = np.where(np.arange(len(mine)) % 2 == 0, 1.0, -1.0)
    turned = sparse.diags(signs) @ gaps if sparse.issparse(gaps) else gaps * signs[:, None]
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=300, tol=1e-4)
    model.fit(turned, signs > 0, sample_weight=weights)
    return np.asarray(model.coef_).ravel()
