"""Ranks and what follows of them, on float32 scores, strict: a tie with what is wrong counts as lost.

A model that gives every candidate one score has found nothing, yet ``argmax`` calls it right wherever the right
candidate happens to stand first (so do widely used evaluators, with half-precision scores). Here the rank of the right
candidate is that behind all that score as high, and ties are counted; the optimistic rank is kept beside it, so that
one sees how much hangs on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ranks:
    """For each query the rank of its best relevant document, from 1, among those that are not relevant."""

    strict: np.ndarray
    """``int64``: behind every irrelevant document that scores as high."""
    optimistic: np.ndarray
    """``int64``: before them."""
    ndcg: np.ndarray
    """``float64``: nDCG@10 of each query, strict."""

    @property
    def tied(self) -> np.ndarray:
        """``bool``: an irrelevant document scores just as high as the best relevant one."""
        return self.strict != self.optimistic


def rank_relevant(
    scores: np.ndarray, relevant: Sequence[np.ndarray], grades: Sequence[np.ndarray] | None = None
) -> Ranks:
    """Rank the relevant documents of each query.

    Args:
        scores: ``float32`` of shape (queries, documents), higher is nearer; -inf leaves a document out.
        relevant: for each query the columns of its relevant documents, at least one.
        grades: for each query the gains of ``relevant``, in the same order; 1 each if left out.

    >>> scores = np.array([[.9, .9, .1], [.2, .8, .3], [.5, .6, .4]], dtype=np.float32)
    >>> ranks = rank_relevant(scores, [np.array([i]) for i in range(3)])
    >>> ranks.strict.tolist(), ranks.optimistic.tolist()
    ([2, 1, 3], [1, 1, 3])
    >>> [round(float(reciprocal(each).mean()), 3) for each in (ranks.strict, ranks.optimistic)]
    [0.611, 0.778]
    """
    if scores.dtype != np.float32:
        raise TypeError(f"scores are {scores.dtype}: ranks are taken on float32, so that ties are what they are")
    count = len(relevant)
    strict, optimistic = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    ndcg = np.empty(count)
    for query, columns in enumerate(relevant):
        mine = scores[query, columns]
        best = mine.max()
        as_high = scores[query] >= best
        strict[query] = 1 + int(as_high.sum()) - int((mine >= best).sum())
        optimistic[query] = 1 + int((scores[query] > best).sum())
        gains = np.ones(len(columns)) if grades is None else np.asarray(grades[query], dtype=np.float64)
        ndcg[query] = _discount(scores[query], mine, gains)
    return Ranks(strict, optimistic, ndcg)


def _discount(row: np.ndarray, mine: np.ndarray, gains: np.ndarray) -> float:
    """nDCG@10 of one query. Only relevant documents in or near the first ten places are looked for."""
    # Of relevant documents that score alike the one with the least gain comes first: that is the worst order of all.
    order = np.lexsort((gains, -mine))[:TOP]
    places: list[int] = []
    for own in order:
        behind = int((row >= mine[own]).sum()) - int((mine >= mine[own]).sum())
        if 1 + len(places) + behind > TOP:
            break  # nor is any that scores lower
        places.append(1 + len(places) + behind)
    return ndcg_at(np.array(places, dtype=np.int64), gains[order[: len(places)]], np.sort(gains)[::-1])


TOP = 10
"""The depth of nDCG."""


def ndcg_at(places: np.ndarray, gains: np.ndarray, ideal: np.ndarray, depth: int = TOP) -> float:
    """Normalised discounted cumulative gain: relevant documents at ``places`` (from 1) beyond ``depth`` give nothing.

    The gain is linear, as in trec_eval and MTEB. ``ideal`` are all gains of the query, highest first.

    >>> round(ndcg_at(np.array([2, 4]), np.ones(2), np.ones(2)), 10)
    0.6509209298
    >>> ndcg_at(np.array([11]), np.ones(1), np.ones(1))
    0.0
    """
    best = float((ideal[:depth] / np.log2(np.arange(len(ideal[:depth])) + 2)).sum())
    inside = places <= depth
    return float((gains[inside] / np.log2(places[inside] + 1)).sum()) / best if best > 0 else 0.0


def reciprocal(ranks: np.ndarray, within: int | None = None) -> np.ndarray:
    """1 / rank of each query, 0 beyond ``within``."""
    return np.where(ranks <= (within or np.inf), 1.0 / ranks, 0.0)
