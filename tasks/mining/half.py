"""Exact search on a processor with bf16 products: half as many of them, and float32 for what matters.

A product in bf16 costs less than half of one in float32, and where rows are compared with themselves the matrix is
symmetric, so that half of it suffices. Its errors do not matter: each query has a threshold, estimated on a sample of
the rows so that a little more than k rows should lie above it; what comes near the threshold in bf16 is computed again
in float32. A query that was left with fewer than k rows, since its estimate was too high, is searched again in float32.
So the result is that of the whole product in float32.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tasks.mining.neighbours import BLOCK, Gathering, Neighbours, pack, settle

_SAMPLE = 4096
"""Rows on which thresholds are estimated."""
_AT_ONCE = 256
"""Queries whose thresholds are estimated, or that are searched again, at once: with 2,048 memory would peak there."""
_LOOSE = 2.3
"""Standard deviations by which a threshold is set lower than where k rows are expected: 1 query in 50 falls short."""
_ROUNDING = 2.0**-8
"""Relative error of a product that is rounded to bf16 (8 bits)."""
_INPUTS = 1e-3
"""Error of a product by the rounding of its factors; of unit vectors, with room to spare."""
_ONE_IN = 16
"""Queries by which it is told how crowded it is near the thresholds."""
_CROWDED = 0.05
"""Share of the rows near the threshold from which float32 at once is no dearer."""


def can_search() -> bool:
    """Whether torch is there and this processor multiplies bf16 in hardware."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def find_nearest(queries: np.ndarray, rows: np.ndarray, k: int, itself: bool) -> Neighbours | None:
    """The ``k`` nearest ``rows`` of each query; with ``itself`` both are the same rows, and none is its own neighbour.

    Args:
        queries, rows: ``float32`` or ``float16`` of shape (N, D), of unit length; rows may be a memory map.

    Returns:
        None where so many rows are alike that this would be no gain.
    """
    import torch

    with torch.inference_mode(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse")  # "is in beta state", "checks are disabled"
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        thresholds, crowd = _estimate(queries, rows, k)
        if crowd > _CROWDED:
            return None
        return _Search(queries, rows, k, itself, thresholds).run()


def _estimate(queries: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, float]:
    """A score for each query above which a little more than ``k`` rows should lie, and the share of rows near it."""
    import torch

    size = min(_SAMPLE, len(rows))
    picked = np.unique(np.linspace(0, len(rows) - 1, size).astype(np.int64))
    sample = torch.from_numpy(_load(rows[picked])).bfloat16()
    expected = (k + 1) * len(picked) / len(rows)
    rank = min(math.ceil(expected + _LOOSE * math.sqrt(expected)) + 1, len(picked))
    thresholds, near, seen = np.empty(len(queries), np.float32), 0, 0
    for start in range(0, len(queries), _AT_ONCE):
        block = torch.from_numpy(_load(queries[start : start + _AT_ONCE])).bfloat16()
        product = block @ sample.T
        lowest = product.topk(rank, dim=1, sorted=False).values.amin(dim=1).float()
        thresholds[start : start + _AT_ONCE] = lowest.numpy()
        some = product[::_ONE_IN]
        near += int((some >= _lower(lowest[::_ONE_IN]).bfloat16()[:, None]).sum())
        seen += some.numel()
    return thresholds, near / seen


def _load(vectors: np.ndarray) -> np.ndarray:
    """A block of vectors in memory; float16 on a disk takes half of its time."""
    return np.ascontiguousarray(vectors, dtype=np.float32)


def _lower(thresholds: Any) -> Any:
    """What a product in bf16 may be where the true one reaches the threshold."""
    return thresholds - thresholds.abs() * _ROUNDING - _INPUTS


class _Search:
    """The blocks of one search."""

    def __init__(self, queries: np.ndarray, rows: np.ndarray, k: int, itself: bool, thresholds: np.ndarray) -> None:
        import torch

        self.queries, self.rows, self.itself = queries, rows, itself
        self.exact = thresholds
        # In bf16, as whole numbers: of positive numbers these are in the same order, and they are compared faster.
        lowered = _lower(torch.from_numpy(thresholds)).clamp(min=2.0**-60)
        self.coarse = lowered.bfloat16().view(torch.int16).numpy()
        self.found = Neighbours.unset(len(queries), k)
        self.gathered = [Gathering(min(BLOCK, len(queries) - first), k) for first in range(0, len(queries), BLOCK)]

    def run(self) -> Neighbours:
        for first, start in self._list_pairs():
            self._compare(first, start, _load(self.rows[start : start + BLOCK]))
            if start + BLOCK >= len(self.rows):
                settle(self.found, first, self.gathered[first // BLOCK].take())
        wanted = min(self.found.rows.shape[1], len(self.rows) - self.itself)
        # Under a threshold of zero whole numbers are in another order: those few queries are searched again too.
        self._search_again(np.flatnonzero((self.found.count() < wanted) | (self.exact <= 0)))
        return self.found

    def _list_pairs(self) -> Iterator[tuple[int, int]]:
        """First queries and rows of the blocks to compare; of a symmetric matrix, one half."""
        if self.itself:
            # All that concerns a block of queries is known once it was compared with the blocks after it.
            for first in range(0, len(self.queries), BLOCK):
                yield from ((first, start) for start in range(first, len(self.rows), BLOCK))
        else:
            # Rows may come from a disk: each is read once.
            for start in range(0, len(self.rows), BLOCK):
                yield from ((first, start) for first in range(0, len(self.queries), BLOCK))

    def _compare(self, first: int, start: int, block: np.ndarray) -> None:
        """Find the candidates among the queries from ``first`` on and the rows from ``start`` on."""
        import torch

        queries = _load(self.queries[first : first + BLOCK])
        # Rounded anew each time: that costs a four-thousandth of the product, and saves half of the vectors' memory.
        here, there = (torch.from_numpy(each).bfloat16() for each in (queries, block))
        product = torch.mm(here, there.T).view(torch.int16).numpy()
        near = product >= self.coarse[first : first + BLOCK, None]
        both = self.itself and first != start
        if both:
            near |= product >= self.coarse[None, start : start + BLOCK]
        query, row = _find_true(near)
        if not len(query):
            return
        scores = _multiply(queries, block, query, row)
        enough = scores >= self.exact[first + query]
        if self.itself and first == start:
            enough &= query != row
        self.gathered[first // BLOCK].add(pack(query[enough], row[enough] + start, scores[enough]))
        if both:
            enough = scores >= self.exact[start + row]
            self.gathered[start // BLOCK].add(pack(row[enough], query[enough] + first, scores[enough]))

    def _search_again(self, short: np.ndarray) -> None:
        """Search in float32 for the queries whose threshold was too high."""
        for first in range(0, len(short), _AT_ONCE):
            again = short[first : first + _AT_ONCE]
            own = again if self.itself else None
            found = find_plainly(self.queries[again], self.rows, self.found.rows.shape[1], own)
            self.found.rows[again], self.found.scores[again] = found.rows, found.scores


def _find_true(near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of what is true, in order; eight at once are passed over, since most are not."""
    if near.shape[1] % 8:
        query, row = np.nonzero(near)
        return query, row
    words = np.flatnonzero(near.view(np.uint64))
    inside = near.reshape(-1, 8)[words]
    word, bit = np.nonzero(inside)
    return np.divmod(words[word] * 8 + bit, near.shape[1])


def _multiply(queries: np.ndarray, block: np.ndarray, query: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Products in float32 of some pairs, which are in the queries' order, with no copy of the vectors."""
    import torch

    starts = torch.from_numpy(np.searchsorted(query, np.arange(len(queries) + 1)))
    wanted = torch.sparse_csr_tensor(
        starts,
        torch.from_numpy(np.ascontiguousarray(row)),
        torch.zeros(len(row)),
        size=(len(queries), len(block)),
        check_invariants=False,
    )
    found = torch.sparse.sampled_addmm(wanted, torch.from_numpy(queries), torch.from_numpy(block).T, beta=0.0)
    return np.asarray(found.values().numpy())


def find_plainly(queries: np.ndarray, rows: np.ndarray, k: int, own: np.ndarray | None = None) -> Neighbours:
    """The ``k`` nearest rows by whole products in float32, a block of each at a time; needs numpy alone.

    Args:
        own: for each query the row that it is itself, and that is left out.
    """
    found = Neighbours.unset(len(queries), k)
    for first in range(0, len(queries), BLOCK):
        some = _load(queries[first : first + BLOCK])
        lowest = np.full(len(some), -np.inf, np.float32)
        gathered = Gathering(len(some), k)
        for start in range(0, len(rows), BLOCK):
            scores = some @ _load(rows[start : start + BLOCK]).T
            if own is not None:
                here = own[first : first + BLOCK] - start
                inside = np.flatnonzero((here >= 0) & (here < scores.shape[1]))
                scores[inside, here[inside]] = -np.inf
            # The k-th of any block is no nearer than the k-th of all.
            if scores.shape[1] > k:
                best = np.partition(scores, scores.shape[1] - k, axis=1)[:, scores.shape[1] - k]
                lowest = np.maximum(lowest, best)
            query, row = np.nonzero((scores >= lowest[:, None]) & (scores > -np.inf))
            gathered.add(pack(query, row + start, scores[query, row]))
        settle(found, first, gathered.take())
    return found
