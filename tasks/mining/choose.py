"""Which of its neighbours an anchor gets as negatives: the nearest, by SimANS, of a window of ranks, or any at all.

SimANS (Zhou et al. 2022) draws a neighbour i with p_i proportional to exp(-a (s_i - s_pos - b)^2): those about as near
as the positive, moved by b, are likely; b < 0 favours what is further than the positive. We draw without replacement
by Gumbel top-k: log p_i plus Gumbel noise, the largest first. That is the same as drawing one after the other, each
time from what is left, and in log space nothing underflows. The released code computes exp first (all of it may be 0),
draws with replacement and removes what repeats, lets the rank bear on the draw, and turns the sign of b: we follow the
paper.

On cosines of neighbours, which differ by hundredths, the paper's a = 0.5 is flat. So ``a`` is in units of the scores
themselves, and left out it is 0.5 over their variance: a neighbour that is one standard deviation off the middle is
drawn e^-0.5 = 0.61 times as often as one in the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from counterfoil.tasks.contract.settings import DomainSettings

Choose = Literal["top", "simans", "window", "random"]
FLAT = 0.5
"""The paper's ``a``, per squared standard deviation."""


@dataclass(frozen=True)
class Limits:
    """How near a candidate may be that no verifier judges: it may be a positive that nobody marked.

    Each is left out by None. With several positives the furthest counts: what is nearer than that may be one more.
    """

    relative: float | None = None
    """TopK-PercPos (NV-Retriever): at most s_pos - relative |s_pos|; 0.05 keeps it under 95 % of the positive's."""
    absolute: float | None = None
    """At most s_pos - absolute."""
    most: float | None = None
    """At most this cosine."""

    def find_limit(self, positive: float) -> float:
        """The largest score that a negative may have beside a positive of this score.

        >>> Limits(relative=0.05).find_limit(0.8)
        0.76
        >>> Limits(relative=0.05).find_limit(-0.2)
        -0.21
        >>> Limits(absolute=0.1, most=0.5).find_limit(0.8)
        0.5
        """
        limits = [np.inf]
        if self.relative is not None:
            limits.append(positive - self.relative * abs(positive))
        if self.absolute is not None:
            limits.append(positive - self.absolute)
        if self.most is not None:
            limits.append(self.most)
        return round(float(min(limits)), 6)


UNPROVED = 0.05
"""TopK-PercPos where nothing else keeps positives out."""


def find_limits(settings: DomainSettings, judged: bool) -> Limits:
    """How near a candidate of an anchor may be, texts about which the domain can judge or not."""
    relative = settings.retrieval_relative
    if relative is None and not judged:
        relative = UNPROVED
    return Limits(relative, settings.retrieval_absolute, settings.retrieval_most)


def fit_a(scores: np.ndarray) -> float:
    """SimANS's ``a`` where none is given: 0.5 over the mean variance of the neighbours' scores.

    Args:
        scores: of shape (anchors, neighbours); NaN where an anchor has fewer.

    >>> fit_a(np.array([[0.5, 0.7], [0.6, 0.8]]))
    50.0
    """
    some = scores[np.isfinite(scores).sum(axis=1) > 1]
    spread = float(np.mean(np.nanvar(some, axis=1))) if len(some) else 0.0
    return round(FLAT / spread, 9) if spread > 0 else 0.0


def weigh(scores: np.ndarray, positive: float, a: float, b: float) -> np.ndarray:
    """SimANS's log p, up to a constant.

    >>> weigh(np.array([0.5, 0.75]), positive=1.0, a=8.0, b=-0.25).tolist()
    [-0.5, -0.0]
    """
    return np.asarray(-a * (np.asarray(scores, dtype=np.float64) - positive - b) ** 2)


def find_positive(own: Sequence[float], scores: np.ndarray) -> float:
    """SimANS's s_pos: the mean score of the positives; of no positives 1, the anchor's own.

    A positive that is further than half of the neighbours says how differently it is written, not how near a negative
    may be: a theorem in Lean has hardly an n-gram in common with the same in words, and beside it statements of
    something else would be the likeliest. Such positives are left out.

    >>> find_positive([0.75, 0.25, 0.1], np.array([0.8, 0.5, 0.2]))
    0.75
    >>> find_positive([0.1], np.array([0.8, 0.5, 0.2]))
    1.0
    """
    middle = float(np.median(scores)) if len(scores) else -1.0
    return float(np.mean([each for each in own if each >= middle] or [1.0]))


def draw_simans(
    scores: np.ndarray, positive: float, a: float, b: float, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Places of at most ``count`` neighbours, drawn one after the other without replacement, in that order."""
    keys = weigh(scores, positive, a, b) + rng.gumbel(size=len(scores))
    return np.asarray(np.argsort(-keys, kind="stable")[:count])


def choose_places(
    choose: Choose,
    scores: np.ndarray,
    positive: float,
    count: int,
    rng: np.random.Generator,
    *,
    a: float = 0.0,
    b: float = 0.0,
) -> np.ndarray:
    """Places of at most ``count`` of an anchor's neighbours, which are nearest first, in order of preference."""
    if choose == "top":
        return np.arange(min(count, len(scores)))
    if choose == "simans":
        return draw_simans(scores, positive, a, b, count, rng)
    return np.asarray(rng.permutation(len(scores))[:count])


def limit_kin(order: np.ndarray, kin: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The order without what is kin beyond the first ``most`` of it, and what that leaves out.

    >>> taken, left = limit_kin(np.array([3, 0, 2, 1]), np.array([True, False, True, True]), 1)
    >>> taken.tolist(), left.tolist()
    ([3, 1], [0, 2])
    """
    near = kin[order]
    within = ~near | (np.cumsum(near) <= most)
    return order[within], order[~within]


def spread_evenly(orders: Sequence[np.ndarray], count: int) -> list[list[int]]:
    """For each anchor the places in its order of at most ``count`` rows, so that all rows serve about as often.

    Some texts are near to everybody: of negatives taken by each anchor alone these would be many, and who knows them
    knows a negative. In turns each anchor takes the first of its order that served no oftener than there were turns
    before; where there is none, that which served least.

    Args:
        orders: the rows that each anchor may take, as whole numbers, those preferred first.

    >>> spread_evenly([np.array([7, 8]), np.array([7, 9]), np.array([7, 8])], 1)
    [[0], [1], [1]]
    """
    served: dict[int, int] = {}
    left = [list(enumerate(order.tolist())) for order in orders]
    taken: list[list[int]] = [[] for _ in orders]
    for turn in range(count):
        for own, given in zip(left, taken, strict=True):
            if not own:
                continue
            at = next((i for i, (_, row) in enumerate(own) if served.get(row, 0) <= turn), None)
            if at is None:
                at = min(range(len(own)), key=lambda i: served[own[i][1]])
            place, row = own.pop(at)
            served[row] = served.get(row, 0) + 1
            given.append(place)
    return taken


def take_turns(taken: Sequence[np.ndarray], counts: np.ndarray) -> list[np.ndarray]:
    """What each row says each time that it serves, where it has several things to say: one after the other, so that it
    says each about as often. Rows begin with different ones.

    Args:
        taken: for each anchor the rows that serve it, in order.
        counts: how many things each row has to say.

    >>> rows = [np.array([1]), np.array([1, 0]), np.array([1])]
    >>> [each.tolist() for each in take_turns(rows, np.array([1, 2]))]
    [[1], [0, 0], [1]]
    """
    said = [np.zeros(len(rows), np.int64) for rows in taken]
    served = np.zeros(len(counts), np.int64)
    for turn in range(max(map(len, taken), default=0)):
        for rows, mine in zip(taken, said, strict=True):
            if turn < len(rows):
                row = rows[turn]
                mine[turn] = (row + served[row]) % counts[row]
                served[row] += 1
    return said
