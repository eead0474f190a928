"""Counts over a stream, in memory that does not grow with the rows."""

from __future__ import annotations

import bisect
import itertools
import math
from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width: bin ``i`` holds ``start + i * step`` up to, but without, the next bin's start."""

    start: float
    step: float
    counts: tuple[int, ...]
    total: int
    mean: float
    median: float
    least: float
    most: float

    @property
    def edges(self) -> tuple[float, ...]:
        return tuple(self.start + i * self.step for i in range(len(self.counts) + 1))


@dataclass
class Tally:
    """The distribution of a number, kept as counts of its multiples of ``quantum``."""

    quantum: float
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, value: float, times: int = 1) -> None:
        if math.isfinite(value):
            self.counts[round(value / self.quantum)] += times

    def add_all(self, other: Tally) -> None:
        """Add what another tally of the same quantum counted."""
        self.counts.update(other.counts)

    def find_tenths(self) -> tuple[float, float, float] | None:
        """A tenth, the median and nine tenths of what was counted; None of nothing.

        >>> tally = Tally(1)
        >>> for value in range(11): tally.add(value)
        >>> tally.find_tenths()
        (1, 5, 9)
        """
        if not self.counts:
            return None
        levels = sorted(self.counts)
        below = list(itertools.accumulate(self.counts[level] for level in levels))
        low, middle, high = (
            round(levels[bisect.bisect_left(below, share * below[-1])] * self.quantum, _DIGITS)
            for share in (0.1, 0.5, 0.9)
        )
        return low, middle, high

    def bin(self, most_bins: int = 24) -> Histogram | None:
        """The histogram in at most ``most_bins`` bins of a round width; None where nothing was counted."""
        if not self.counts:
            return None
        levels = np.array(sorted(self.counts), dtype=np.int64)
        weights = np.array([self.counts[int(level)] for level in levels], dtype=np.int64)
        low, high = int(levels[0]), int(levels[-1])
        step = _round_up((high - low + 1) / most_bins)
        first = low // step
        counts = np.zeros(high // step - first + 1, dtype=np.int64)
        np.add.at(counts, levels // step - first, weights)
        total = int(weights.sum())
        middle = levels[int(np.searchsorted(weights.cumsum(), total / 2))]
        return Histogram(
            start=first * step * self.quantum,
            step=step * self.quantum,
            counts=tuple(int(count) for count in counts),
            total=total,
            mean=float((levels * weights).sum() / total * self.quantum),
            median=float(middle * self.quantum),
            least=low * self.quantum,
            most=high * self.quantum,
        )


class PerAnchorCounter:
    """How many rows each anchor has, from a stream of anchor ids in any order.

    Rows of one anchor mostly stand together, so a run of them costs 16 bytes, not one entry per row.
    """

    def __init__(self) -> None:
        self._keys, self._counts = array("Q"), array("Q")
        self._last = ""

    def add(self, anchor_id: str) -> None:
        if anchor_id == self._last:
            self._counts[-1] += 1
            return
        self._last = anchor_id
        self._keys.append(key_of(anchor_id))
        self._counts.append(1)

    def extend(self, other: PerAnchorCounter) -> None:
        self._keys.extend(other._keys)
        self._counts.extend(other._counts)
        self._last = other._last

    def count_sizes(self, anchors: int) -> dict[int, int]:
        """How many of ``anchors`` anchors have 0, 1, 2, ... rows."""
        keys, places = np.unique(np.frombuffer(self._keys, dtype=np.uint64), return_inverse=True)
        sums = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sums, places, np.frombuffer(self._counts, dtype=np.uint64).astype(np.int64))
        sizes, numbers = np.unique(sums, return_counts=True)
        found = {int(size): int(number) for size, number in zip(sizes, numbers, strict=True)}
        return ({0: anchors - len(keys)} if anchors > len(keys) else {}) | found


def key_of(row_id: str) -> int:
    """64 bits of an id: enough to tell rows apart in a count."""
    try:
        return int(row_id[:16], 16)
    except ValueError:
        from counterfoil.storage.rows import content_id

        return int(content_id(row_id)[:16], 16)


def _round_up(width: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50, ... that is not below ``width``."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= width:
                return digit * power
        power *= 10
