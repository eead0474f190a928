"""95 % intervals: Wilson's for shares of independent items, and by drawing blocks again for everything else.

Items of one picture rise and fall together: they are one block, and a block is drawn whole. The intervals say what
other items of the same kind would have changed; what another seed of training would have, they do not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tasks.audit.review.intervals import wilson_interval
from tasks.contract.context import generator

DRAWS = 1000
_BOUNDS = (2.5, 97.5)
_AT_ONCE = 50


@dataclass(frozen=True)
class Term:
    """The items of some parts, pooled, and the weight of their mean in a figure."""

    items: np.ndarray
    """``int64``: positions of the items."""
    weight: float


def bound(values: np.ndarray, blocks: np.ndarray, terms: Sequence[Term], *, gains: bool = False) -> tuple[float, float]:
    """The interval of the weighted sum of the terms' means.

    Args:
        values: ``float64`` of shape (items,).
        blocks: ``int64`` of shape (items,): items of one number are drawn together.
        terms: what is averaged; a term without items has no place here.
        gains: the values are differences of two systems, of which 0 is no share.
    """
    chosen = np.concatenate([term.items for term in terms])
    if not gains and len(terms) == 1 and _is_share(values[chosen]) and len(np.unique(blocks[chosen])) == len(chosen):
        low, high = wilson_interval(int(values[chosen].sum()), len(chosen))
        return terms[0].weight * low, terms[0].weight * high
    drawn = _draw(values, blocks, terms)
    low, high = np.nanpercentile(drawn, _BOUNDS)
    return float(low), float(high)


def _is_share(values: np.ndarray) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _draw(values: np.ndarray, blocks: np.ndarray, terms: Sequence[Term]) -> np.ndarray:
    """The figure over draws of the blocks; a draw that leaves a term without items is not a number."""
    known, place = np.unique(np.concatenate([blocks[term.items] for term in terms]), return_inverse=True)
    ends = np.cumsum([0, *(len(term.items) for term in terms)])
    sums, counts = np.zeros((len(known), len(terms))), np.zeros((len(known), len(terms)))
    for column, term in enumerate(terms):
        own = place[ends[column] : ends[column + 1]]
        sums[:, column] = np.bincount(own, weights=values[term.items], minlength=len(known))
        counts[:, column] = np.bincount(own, minlength=len(known))
    weights = np.array([term.weight for term in terms])
    rng = generator("evaluation.interval", len(known))
    figures = np.empty(DRAWS)
    even = np.full(len(known), 1 / len(known))
    for start in range(0, DRAWS, _AT_ONCE):
        times = rng.multinomial(len(known), even, size=min(_AT_ONCE, DRAWS - start))
        with np.errstate(invalid="ignore", divide="ignore"):
            figures[start : start + len(times)] = ((times @ sums) / (times @ counts)) @ weights
    return figures
