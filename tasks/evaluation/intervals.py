"""95 % intervals: Wilson's for each part's share, put together for figures over several parts and for gains.

Drawing items again knows no doubt where all of them were right: 45 of 45 would be 100.0 ± 0.0. So the interval of a
share is Wilson's, of as many independent items as its variance speaks for. Items of one picture rise and fall together:
they are one block, and the variance is that of blocks. A weighted sum of shares (a macro average; a gain, which is what
is gained less what is lost) has the interval that its terms' give together (MOVER: Zou and Donner, "Construction of
confidence limits about effect measures", 2008), correlated as their blocks are. What is no share, such as a mean rank,
is bounded by drawing blocks again.

The intervals say what other items of the same kind would have changed; what another seed of training would have, they
do not know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.audit.review.intervals import Z_95
from counterfoil.tasks.contract.context import generator

DRAWS = 1000
_BOUNDS = (2.5, 97.5)
_AT_ONCE = 50


@dataclass(frozen=True)
class Term:
    """The items of some parts, pooled, and the weight of their mean in a figure."""

    items: np.ndarray
    """``int64``: positions of the items."""
    weight: float


@dataclass(frozen=True)
class _Share:
    """The mean of values between 0 and 1 over some items, its interval, and how far each block bears on it."""

    weight: float
    mean: float
    low: float
    high: float
    bearing: np.ndarray
    """``float64``, one for each block of all items: their products' sums are the means' covariances."""


def bound(values: np.ndarray, blocks: np.ndarray, terms: Sequence[Term], *, gains: bool = False) -> tuple[float, float]:
    """The interval of the weighted sum of the terms' means.

    Args:
        values: ``float64`` of shape (items,).
        blocks: ``int64`` of shape (items,): items of one number are not independent.
        terms: what is averaged; a term without items has no place here.
        gains: the values are differences of two systems, of which 0 is no share.
    """
    chosen = values[np.concatenate([term.items for term in terms])]
    if not np.isfinite(chosen).all() or np.abs(chosen).max() > 1 or (not gains and chosen.min() < 0):
        low, high = np.nanpercentile(_draw_shares(values, blocks, terms), _BOUNDS)
        return float(low), float(high)
    shares = [_measure_share(values.clip(0, 1), blocks, term) for term in terms]
    if gains:
        shares += [_measure_share((-values).clip(0, 1), blocks, Term(term.items, -term.weight)) for term in terms]
    return _put_together(shares)


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's score interval (1927) of a share among ``count`` independent items, which need not be a whole number.

    >>> [round(bound, 4) for bound in wilson(1.0, 45)]
    [0.9213, 1.0]
    """
    squared = Z_95**2
    centre = share + squared / (2 * count)
    reach = Z_95 * math.sqrt(max(share * (1 - share), 0.0) / count + squared / (4 * count * count))
    scale = 1 + squared / count
    return (
        0.0 if share <= 0 else max(0.0, (centre - reach) / scale),
        1.0 if share >= 1 else min(1.0, (centre + reach) / scale),
    )


def _measure_share(values: np.ndarray, blocks: np.ndarray, term: Term) -> _Share:
    own, place = values[term.items], blocks[term.items]
    mean = float(own.mean())
    known = len(np.unique(place))
    bearing = np.bincount(place, weights=(own - mean) / len(own), minlength=int(blocks.max()) + 1)
    # As a sample's variance: of n independent right and wrong items it speaks for n.
    variance = float((bearing**2).sum())
    count = mean * (1 - mean) / variance if variance > 0 and 0 < mean < 1 else known
    return _Share(term.weight, mean, *wilson(mean, max(count, 1.0)), bearing)


def _put_together(shares: Sequence[_Share]) -> tuple[float, float]:
    value = sum(share.weight * share.mean for share in shares)
    signs = np.sign([share.weight for share in shares])
    lengths = np.array([math.sqrt(float((share.bearing**2).sum())) for share in shares])
    stacked = np.stack([share.bearing for share in shares])
    outer = np.outer(lengths, lengths)
    alike = np.divide(stacked @ stacked.T, outer, out=np.eye(len(shares)), where=outer > 0)
    np.fill_diagonal(alike, 1.0)
    down = np.array([s.weight * (s.mean - (s.low if s.weight > 0 else s.high)) for s in shares])
    up = np.array([s.weight * ((s.high if s.weight > 0 else s.low) - s.mean) for s in shares])
    # Distances are positive; that a term is taken away stands in its sign.
    mixed = alike * np.outer(signs, signs)
    low, high = (math.sqrt(max(float(far @ mixed @ far), 0.0)) for far in (down, up))
    most = sum(max(share.weight, 0.0) for share in shares)
    least = sum(min(share.weight, 0.0) for share in shares)
    return max(least, value - low), min(most, value + high)


def _draw_shares(values: np.ndarray, blocks: np.ndarray, terms: Sequence[Term]) -> np.ndarray:
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
