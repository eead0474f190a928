"""The judges: small models that see one side alone and learn to tell anchors from contrasts.

A judge learns from some anchors and scores others. It learns as a contrastive loss would: from the differences between
an anchor's items and its own contrasts, so that what sets anchors apart from one another is no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import scipy

from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.linear import Vocabulary, learn_weights
from counterfoil.tasks.tells.trees import Part, score_by_trees

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
    mine, theirs = items.list_pairs()
    weights = _weigh_pairs(items, mine, theirs, learn)
    kept = np.nonzero(weights)[0]
    return mine[kept], theirs[kept], weights[kept]


def _weigh_pairs(items: Items, mine: np.ndarray, theirs: np.ndarray, learn: np.ndarray) -> np.ndarray:
    """What each pair weighs, so that every anchor counts alike; 0 of those that are not among ``learn``."""
    inside = np.zeros(len(items.owner), dtype=bool)
    inside[learn] = True
    kept = np.nonzero(inside[mine] & inside[theirs])[0]
    kept = kept[:: -(-len(kept) // _MOST_PAIRS) or 1]
    sizes = np.bincount(items.owner[mine[kept]], minlength=items.anchors)
    weights = 1 / sizes[items.owner[mine[kept]]]
    found = np.zeros(len(mine))
    found[kept] = weights * len(weights) / max(weights.sum(), 1e-12)
    return found


class LinearJudge:
    """A linear model of n-grams, or of simple numbers."""

    def __init__(self, name: str, features: scipy.sparse.csr_array) -> None:
        """``features`` are of shape (items, features)."""
        self.name, self.features = name, features

    def score(self, items: Items, cuts: Sequence[Cut]) -> list[np.ndarray]:
        """How much each cut's judge may learn is tried on a fifth of what it learns from, held back."""
        mine, theirs = items.list_pairs()
        gaps = (self.features[mine] - self.features[theirs]).tocsr()
        whole, tried, held = [], [], []
        for learn, _ in cuts:
            back = _hold_back(items, learn)
            whole.append(_weigh_pairs(items, mine, theirs, learn))
            tried.append(_weigh_pairs(items, mine, theirs, learn[~back]))
            held.append(_weigh_pairs(items, mine, theirs, learn[back]))
        strengths = _choose_strengths(gaps, np.stack(tried, axis=1), np.stack(held, axis=1))
        learnt = learn_weights(gaps, np.stack(whole, axis=1), strengths)
        return [np.asarray(self.features[judged] @ learnt[:, place]) for place, (_, judged) in enumerate(cuts)]


def _choose_strengths(gaps: scipy.sparse.csr_array, tried: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The strength that wins most of the pairs ``held``, learnt from those ``tried``, of each column; the first where
    either has none."""
    chosen = np.full(tried.shape[1], _STRENGTHS[0])
    both = np.nonzero(tried.any(axis=0) & held.any(axis=0))[0]
    strengths = np.repeat(_STRENGTHS, len(both))
    apart = gaps @ learn_weights(gaps, np.tile(tried[:, both], len(_STRENGTHS)), strengths)
    won = (np.tile(held[:, both], len(_STRENGTHS)) * ((apart > 0) + 0.5 * (apart == 0))).sum(axis=0)
    best = won.round(9).reshape(len(_STRENGTHS), -1).argmax(axis=0) if len(both) else np.zeros(0, dtype=np.int64)
    chosen[both] = np.array(_STRENGTHS)[best]
    return chosen


def judge_ngrams(ngrams: Sequence[Sequence[str]]) -> LinearJudge:
    """A judge of the n-grams of each item (`counterfoil.tasks.tells.wording.list_ngrams`)."""
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


def _hold_back(items: Items, learn: np.ndarray) -> np.ndarray:
    """Which items of ``learn`` are held back: those of every fifth block."""
    anchors = np.unique(items.owner[learn])
    _, place = np.unique(items.blocks[anchors], return_inverse=True)
    return np.isin(items.owner[learn], anchors[place % 5 == 0])


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
