"""The judges: small models that see one side alone and learn to tell anchors from contrasts.

A judge learns from some anchors and scores others. It learns as a contrastive loss would: from the differences between
an anchor's items and its own contrasts, so that what sets anchors apart from one another is no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import scipy

from tasks.tells.figures import Items
from tasks.tells.linear import Vocabulary, learn_weights
from tasks.tells.trees import Part, score_by_trees

RARE = 3
"""N-grams of fewer texts are not learnt."""
_STRENGTHS = (0.03, 0.3)
"""How much a linear judge may learn: it chooses on a part of what it learns from."""
_MOST_PAIRS = 60_000
"""Pairs that a judge learns from at most: every k-th of more."""
_FAR = 6
"""Features further from their mean, in spreads, are cut: one odd picture must not decide a linear score."""


Cut = tuple[np.ndarray, np.ndarray]
"""Positions of the items that a judge learns from, and of those that it scores."""


class Judge(Protocol):
    """Learns from some items and scores others."""

    name: str

    def score(self, items: Items, cuts: Sequence[Cut]) -> list[np.ndarray]:
        """Of each cut the scores of what is judged, learnt from the rest of it alone. Higher is more like an anchor."""
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


class LinearJudge:
    """A linear model of n-grams, or of simple numbers."""

    def __init__(self, name: str, features: scipy.sparse.csr_array) -> None:
        """``features`` are of shape (items, features)."""
        self.name, self.features = name, features

    def score(self, items: Items, cuts: Sequence[Cut]) -> list[np.ndarray]:
        return [np.asarray(self.features[judged] @ self._learn(items, learn)) for learn, judged in cuts]

    def _learn(self, items: Items, learn: np.ndarray) -> np.ndarray:
        """Weights of a score that sets anchors over contrasts; how much to learn is tried on a fifth held back."""
        anchors = np.unique(items.owner[learn])
        held = np.isin(items.owner[learn], anchors[_hold_back(items.blocks[anchors])])
        best, chosen = -1.0, _STRENGTHS[0]
        if held.any() and not held.all():
            gaps, weights = self._list_gaps(items, learn[held])
            for strength in _STRENGTHS:
                apart = gaps @ learn_weights(*self._list_gaps(items, learn[~held]), strength)
                won = float((weights * ((apart > 0) + 0.5 * (apart == 0))).sum())
                if won > best:
                    best, chosen = won, strength
        return learn_weights(*self._list_gaps(items, learn), chosen)

    def _list_gaps(self, items: Items, learn: np.ndarray) -> tuple[scipy.sparse.csr_array, np.ndarray]:
        mine, theirs, weights = list_pairs_of(items, learn)
        return (self.features[mine] - self.features[theirs]).tocsr(), weights


def judge_ngrams(ngrams: Sequence[Sequence[str]]) -> LinearJudge:
    """A judge of the n-grams of each item (`tasks.tells.wording.list_ngrams`)."""
    return LinearJudge("n-grams", Vocabulary(ngrams, RARE).count(ngrams))


def judge_numbers(numbers: np.ndarray) -> LinearJudge:
    """A judge of simple numbers, of shape (items, features), each brought to mean 0 and spread 1."""
    mean, spread = numbers.mean(axis=0), numbers.std(axis=0)
    scaled = (numbers - mean) / np.where(spread > 1e-9, spread, np.inf)
    return LinearJudge("features", scipy.sparse.csr_array(np.clip(scaled, -_FAR, _FAR)))


class TreeJudge:
    """Boosted trees over the simple numbers: what no straight line tells."""

    name = "trees"

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers = numbers

    def score(self, items: Items, cuts: Sequence[Cut]) -> list[np.ndarray]:
        parts = []
        for learn, judged in cuts:
            owner, own = items.owner[learn], items.own[learn]
            sizes = np.stack([np.bincount(owner[own == side], minlength=items.anchors) for side in (False, True)])
            parts.append(Part(learn, own, 1 / sizes[own.astype(int), owner], judged))
        return score_by_trees(self.numbers, parts)


def _hold_back(blocks: np.ndarray) -> np.ndarray:
    """Which of the anchors are held back: those of every fifth block."""
    _, place = np.unique(blocks, return_inverse=True)
    return np.asarray(place % 5 == 0)


def score_folds(items: Items, judge: Judge, kept: np.ndarray | None = None) -> np.ndarray:
    """A score for every item, each by a judge that saw nothing of its fold; where only some are kept, 0 for others."""
    fold_of = items.folds[items.owner]
    inside = np.ones(len(fold_of), dtype=bool) if kept is None else kept
    cuts = [
        (np.nonzero((fold_of != fold) & inside)[0], np.nonzero((fold_of == fold) & inside)[0])
        for fold in np.unique(fold_of)
    ]
    scores = np.zeros(len(fold_of))
    for (_, judged), found in zip(cuts, judge.score(items, cuts), strict=True):
        scores[judged] = found
    return scores
