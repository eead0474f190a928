"""From scores to figures: how well a judge tells anchors from contrasts, beside chance.

A score is higher the more an item looks like an anchor. An anchor may show itself in several items (its captions);
they share the anchor's one vote. Intervals are of 95 %, by drawing the blocks again with repetition: they hold what
other anchors would have changed, not what a judge trained on others would have said.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from counterfoil.tasks.contract.context import generator

_DRAWS = 400
_BOUNDS = (2.5, 97.5)
_AT_ONCE = 50
"""Draws that are counted together."""
_ERROR = 0.05


@dataclass(frozen=True)
class Share:
    """A share with its interval."""

    value: float
    low: float
    high: float

    def widen(self, tried: int) -> Share:
        """The interval that holds for all of so many together (Bonferroni, by normal quantiles).

        >>> Share(0.5, 0.4, 0.6).widen(1)
        Share(value=0.5, low=0.4, high=0.6)
        """
        normal = NormalDist()
        wider = normal.inv_cdf(1 - _ERROR / 2 / tried) / normal.inv_cdf(1 - _ERROR / 2)
        low, high = self.value - wider * (self.value - self.low), self.value + wider * (self.high - self.value)
        return Share(self.value, max(0.0, low), min(1.0, high))


@dataclass(frozen=True)
class Items:
    """What is compared: each anchor's own items, then its contrasts, in any order."""

    owner: np.ndarray
    """``int64``: the anchor of each item, from 0."""
    own: np.ndarray
    """``bool``: whether the item is the anchor itself."""
    blocks: np.ndarray
    """``int64``: the block of each anchor (`counterfoil.tasks.tells.blocks`)."""
    folds: np.ndarray
    """``int64``: the fold of each anchor."""

    @property
    def anchors(self) -> int:
        return len(self.blocks)

    def list_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of each anchor's items beside those of each of its contrasts: two arrays of one length."""
        mine: list[np.ndarray] = []
        theirs: list[np.ndarray] = []
        for own, other in self.divide():
            mine.append(np.repeat(own, len(other)))
            theirs.append(np.tile(other, len(own)))
        empty = np.zeros(0, dtype=np.int64)
        return np.concatenate([empty, *mine]), np.concatenate([empty, *theirs])

    def divide(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each anchor, the positions of its own items and of its contrasts."""
        order = np.argsort(self.owner, kind="stable")
        ends = np.cumsum(np.bincount(self.owner, minlength=self.anchors))
        parts = np.split(order, ends[:-1])
        return [(part[self.own[part]], part[~self.own[part]]) for part in parts]


@dataclass(frozen=True)
class Figures:
    """How well scores tell anchors from contrasts."""

    pairwise: Share
    """How often a contrast scores lower than its own anchor; a tie is half. Chance is a half."""
    auc: Share
    """How often any contrast scores lower than any anchor of the same fold. Chance is a half."""
    picked: Share
    """How often an anchor scores highest among itself and all its contrasts; ties are shared."""
    chance: float
    """How often it would be picked blindly."""


def measure_figures(items: Items, scores: np.ndarray, seed: int) -> Figures:
    """The figures of ``scores``, one for each item. Each contrast counts once, and each anchor once when picked."""
    pairs, wins, picks, chances = (np.zeros(items.anchors) for _ in range(4))
    for anchor, (own, other) in enumerate(items.divide()):
        mine, theirs = scores[own][:, None], scores[other][None, :]
        pairs[anchor] = len(other)
        wins[anchor] = ((mine > theirs) + 0.5 * (mine == theirs)).sum() / len(own)
        highest = theirs.max(axis=1, keepdims=True)
        shared = 1 / (1 + (theirs == mine).sum(axis=1, keepdims=True))
        picks[anchor] = np.where(mine >= highest, shared, 0.0).mean()
        chances[anchor] = 1 / (1 + len(other))
    draws = _draw_blocks(items.blocks, seed)
    return Figures(
        pairwise=_weigh(wins, pairs, draws),
        auc=_measure_auc(items, scores, draws),
        picked=_weigh(picks, np.ones(items.anchors), draws),
        chance=float(chances.mean()),
    )


def _draw_blocks(blocks: np.ndarray, seed: int) -> np.ndarray:
    """How often each anchor is drawn, ``int64`` of shape (draws, anchors)."""
    count = int(blocks.max()) + 1
    rng = generator(seed, "tells.interval")
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=_DRAWS)
    return np.asarray(drawn[:, blocks])


def _weigh(sums: np.ndarray, counts: np.ndarray, draws: np.ndarray) -> Share:
    return _bound(float(sums.sum() / counts.sum()), (draws @ sums) / np.maximum(draws @ counts, 1e-12))


def _bound(value: float, drawn: np.ndarray) -> Share:
    low, high = np.percentile(drawn, _BOUNDS)
    return Share(value, float(low), float(high))


def _measure_auc(items: Items, scores: np.ndarray, draws: np.ndarray) -> Share:
    """Over the folds, each by its anchors: scores of judges that learnt from different parts do not compare."""
    sizes = np.bincount(items.owner[items.own], minlength=items.anchors)
    weights = np.where(items.own, 1 / sizes[items.owner], 1.0)
    fold_of = items.folds[items.owner]
    values, drawn, total = 0.0, np.zeros(len(draws)), np.zeros(len(draws))
    for fold in np.unique(items.folds):
        chosen = np.nonzero(fold_of == fold)[0]
        part = float((items.folds == fold).sum())
        values += part * float(_count_wins(scores[chosen], items.own[chosen], weights[None, chosen])[0])
        times = weights[None, chosen] * draws[:, items.owner[chosen]]
        shares = draws[:, items.folds == fold].sum(axis=1)
        drawn += shares * np.nan_to_num(_count_wins(scores[chosen], items.own[chosen], times), nan=0.5)
        total += shares
    return _bound(values / items.anchors, drawn / np.maximum(total, 1))


def _count_wins(scores: np.ndarray, own: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted AUC for each row of ``weights`` (draws, items); NaN where one side has no weight."""
    order = np.argsort(scores, kind="stable")
    starts = np.nonzero(np.diff(scores[order], prepend=np.nan))[0]
    wins = np.full(len(weights), np.nan)
    for first in range(0, len(weights), _AT_ONCE):
        weight = weights[first : first + _AT_ONCE, order]
        mine, theirs = (np.add.reduceat(weight * side[order], starts, axis=1) for side in (own, ~own))
        both = mine.sum(axis=1) * theirs.sum(axis=1)
        won = (mine * (np.cumsum(theirs, axis=1) - 0.5 * theirs)).sum(axis=1)
        np.divide(won, both, out=wins[first : first + _AT_ONCE], where=both > 0)
    return wins
