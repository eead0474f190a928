"""The nearest rows of each query: the result of every search, and how long lists of candidates become it.

A candidate is one whole number: the query's place in its block, then how far the score is from 1, then the row. Sorted
numbers are then the candidates of each query, nearest first, ties by row. So the result depends on the vectors alone,
and not on blocks, threads or the order in which candidates were found.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

BLOCK = 2048
"""Queries of one block. With 4,096, which is no faster, the products of two blocks and what is made of them take 0.1 GB
more."""
_SETTLED = 256
"""Queries whose candidates become results at once."""
_ROW_BITS, _SCORE_BITS = 28, 24
_QUERY_SHIFT = np.uint64(_ROW_BITS + _SCORE_BITS)
MOST_ROWS = 1 << _ROW_BITS
_STEPS = (1 << _SCORE_BITS) - 1
NOBODY = -1
"""Where a query has fewer neighbours than were asked for."""


@dataclass(frozen=True)
class Neighbours:
    """``rows`` (``int32``) and ``scores`` (``float32``, cosines) of shape (queries, k), nearest first.

    Scores are in steps of 1.2e-7, the resolution of ``float32`` near 1; where a query has fewer than k neighbours the
    row is `NOBODY` and the score -1.
    """

    rows: np.ndarray
    scores: np.ndarray

    @classmethod
    def empty(cls, queries: int, k: int) -> Neighbours:
        """Nobody for anyone."""
        return cls(np.full((queries, k), NOBODY, np.int32), np.full((queries, k), -1, np.float32))

    @classmethod
    def unset(cls, queries: int, k: int) -> Neighbours:
        """Room for results: `settle` writes it block by block, and what is not written yet takes no memory."""
        return cls(np.empty((queries, k), np.int32), np.empty((queries, k), np.float32))

    def count(self) -> np.ndarray:
        """How many neighbours each query has."""
        return np.asarray((self.rows >= 0).sum(axis=1))


def pack(queries: np.ndarray, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Candidates as ``uint64``; ``queries`` are places in a block of at most `BLOCK`, ``scores`` cosines."""
    far = np.clip((1.0 - scores.astype(np.float64)) * (_STEPS / 2), 0, _STEPS).round().astype(np.uint64)
    high = queries.astype(np.uint64) << np.uint64(_ROW_BITS + _SCORE_BITS)
    return high | far << np.uint64(_ROW_BITS) | rows.astype(np.uint64)


def trim(packed: Sequence[np.ndarray], k: int) -> np.ndarray:
    """The ``k`` nearest of the candidates of each query, sorted."""
    return np.concatenate([np.empty(0, np.uint64), *(keys for keys, _ in _list_nearest(packed, k))])


def _list_nearest(packed: Sequence[np.ndarray], k: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The ``k`` nearest of each query, sorted, with the place of each among its query's; some queries at a time, since
    copies of all candidates are what would cost memory here."""
    keys = np.concatenate([np.empty(0, np.uint64), *packed])
    keys.sort()
    for start in range(0, BLOCK, _SETTLED):
        bounds = np.searchsorted(keys, np.arange(start, start + _SETTLED + 1, dtype=np.uint64) << _QUERY_SHIFT)
        kept = np.minimum(np.diff(bounds), k)
        place = np.arange(kept.sum()) - np.repeat(np.cumsum(kept) - kept, kept)
        yield keys[np.repeat(bounds[:-1], kept) + place], place


class Gathering:
    """The candidates of one block of queries, never many more than are wanted.

    They lie in memory that is mapped for them alone and given back whole. As many small arrays they left the heap full
    of holes: 50 MB of 100,000 rows' search.
    """

    def __init__(self, queries: int, k: int) -> None:
        self._most, self._k = 8 * queries * k, k
        self._keys: np.ndarray | None = None
        self._held = 0

    def add(self, packed: np.ndarray) -> None:
        if self._keys is None:
            # What is not written takes no memory.
            room = mmap.mmap(-1, max(self._most, 1) * 8, access=mmap.ACCESS_COPY)
            self._keys = np.frombuffer(room, np.uint64)
        if self._held + len(packed) > self._most:
            packed = trim([self._keys[: self._held], packed], self._k)
            self._held = 0
        self._keys[self._held : self._held + len(packed)] = packed
        self._held += len(packed)

    def take(self) -> list[np.ndarray]:
        """What was found, given away."""
        found = [] if self._keys is None else [self._keys[: self._held]]
        self._keys, self._held = None, 0
        return found


def settle(found: Neighbours, start: int, packed: Sequence[np.ndarray]) -> None:
    """Write the nearest of the ``packed`` candidates of the block of queries from ``start`` on, and nobody else."""
    found.rows[start : start + BLOCK], found.scores[start : start + BLOCK] = NOBODY, -1
    for keys, place in _list_nearest(packed, found.rows.shape[1]):
        queries = (keys >> _QUERY_SHIFT).astype(np.int64) + start
        found.rows[queries, place] = (keys & np.uint64(MOST_ROWS - 1)).astype(np.int32)
        far = (keys >> np.uint64(_ROW_BITS)) & np.uint64(_STEPS)
        found.scores[queries, place] = 1.0 - far.astype(np.float64) * (2 / _STEPS)


def measure_recall(found: Neighbours, true: Neighbours) -> float:
    """Share of the ``true`` neighbours that were found.

    >>> one = Neighbours(np.array([[1, 2]]), np.zeros((1, 2)))
    >>> measure_recall(one, Neighbours(np.array([[2, 3]]), np.zeros((1, 2))))
    0.5
    """
    wanted = true.rows >= 0
    hits = sum(int(np.isin(t[w], f).sum()) for t, w, f in zip(true.rows, wanted, found.rows, strict=True))
    return hits / max(int(wanted.sum()), 1)
