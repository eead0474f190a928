"""The neighbours that an anchor's negatives are chosen from: one of each other group, none nearer than its limit.

The limit comes before the choice, not after: of candidates that are drawn first and measured then, most of a
photograph's were too near, and two anchors in three had none left. Where fewer lie under the limit among the neighbours
that were looked at than are wanted, more are looked at, four times as many each time, until there are enough or nobody
is left.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.mining.index import score_pairs, search

TWINS = 50
"""Neighbours looked at beyond the last rank: some are of the anchor's own group, or of one that is in already."""
DIGITS = 6
"""Scores are rounded to so many decimals: equal on every machine."""
SPARE = 5
"""Candidates offered for each wanted negative: some are true of the anchor, or too near."""
_BLOCK = 1024
_MORE = 4

log = logging.getLogger("counterfoil.mining")


@dataclass(frozen=True)
class Pool:
    """What one anchor's negatives are chosen from, nearest first."""

    near: np.ndarray
    """Anchors, by their place."""
    scores: np.ndarray
    """Cosines, to six decimals."""
    ranks: np.ndarray
    """The place of each among all of the anchor's neighbours, one of each other group, 0 the nearest."""


@dataclass(frozen=True)
class Asked:
    """The anchors of one split, whose neighbours are sought among themselves."""

    here: np.ndarray
    """Their places among all anchors."""
    queries: np.ndarray
    rows: np.ndarray
    """Vectors of all anchors; the queries may be the very same."""
    groups: np.ndarray
    """Of all anchors, as whole numbers: equal where they are of one group."""
    limits: np.ndarray
    """The largest score that a negative of each of ``here`` may have."""


def find_pools(asked: Asked, names: np.ndarray, context: Context[S]) -> list[Pool]:
    """The pools of the anchors ``asked.here``; ``names`` are the ids of all anchors."""
    settings = context.settings
    if settings.retrieval_choose == "random":
        return _draw_anyone(asked, names, context)
    first, last = settings.retrieval_ranks
    count = len(asked.here)
    wanted = min(last, first + SPARE * settings.retrieval_negatives)
    k = min(last + TWINS, count)
    same = asked.queries is asked.rows
    mine, theirs = _take(asked.queries, asked.here), _take(asked.rows, asked.here)
    found = search(mine, theirs, k, itself=same, tell=log.info).neighbours
    pools: list[Pool] = []
    for start in range(0, count, _BLOCK):
        some = np.arange(start, min(start + _BLOCK, count))
        pools += _pool(asked, some, mine[some], theirs, found.rows[some])
    short = np.array([i for i, pool in enumerate(pools) if len(pool.near) < wanted], dtype=np.int64)
    while len(short) and k < count:
        k = min(_MORE * k, count)
        for start in range(0, len(short), _BLOCK):
            some = short[start : start + _BLOCK]
            wider = search(mine[some], theirs, k).neighbours
            for i, pool in zip(some, _pool(asked, some, mine[some], theirs, wider.rows), strict=True):
                pools[i] = pool
        short = np.array([i for i in short if len(pools[i].near) < wanted], dtype=np.int64)
    return [Pool(each.near[first:last], each.scores[first:last], each.ranks[first:last]) for each in pools]


def _pool(asked: Asked, some: np.ndarray, mine: np.ndarray, theirs: np.ndarray, near: np.ndarray) -> list[Pool]:
    """Of the neighbours ``near`` of ``some`` of the anchors, those under the limit."""
    query, place = np.nonzero(near >= 0)
    scores = np.full(near.shape, -np.inf)
    scores[query, place] = score_pairs(mine, theirs, query, near[query, place]).round(DIGITS)
    pools = []
    for i, own in enumerate(some):
        # In this order by scores that are the same on every machine, ties by id.
        order = np.lexsort((near[i], -scores[i]))
        order = order[near[i][order] >= 0]
        kept = _leave_out_twins(asked.groups[asked.here[near[i][order]]], asked.groups[asked.here[own]])
        order, ranks = order[kept], np.arange(len(kept))
        under = scores[i][order] <= asked.limits[own]
        pools.append(Pool(asked.here[near[i][order]][under], scores[i][order][under], ranks[under]))
    return pools


def _take(vectors: np.ndarray, here: np.ndarray) -> np.ndarray:
    return vectors if len(here) == len(vectors) else vectors[here]


def _leave_out_twins(groups: np.ndarray, own: int) -> np.ndarray:
    """Places of the first of each group but the anchor's own, in order."""
    _, firsts = np.unique(groups, return_index=True)
    firsts.sort()
    return np.asarray(firsts[groups[firsts] != own])


def _draw_anyone(asked: Asked, names: np.ndarray, context: Context[S]) -> list[Pool]:
    """As a control: anchors drawn evenly of all others of the split that are under the limit."""
    count = len(asked.here)
    wanted = SPARE * context.settings.retrieval_negatives + TWINS
    mine, theirs = _take(asked.queries, asked.here), _take(asked.rows, asked.here)
    pools: list[Pool] = []
    for i in range(count):
        order = context.rng("anyone.retrieval", str(names[asked.here[i]])).permutation(count)
        found: list[Pool] = []
        for start in range(0, count, _BLOCK):
            some = order[start : start + _BLOCK]
            scores = score_pairs(mine[i : i + 1], theirs, np.zeros(len(some), np.int64), some).round(DIGITS)
            under = scores <= asked.limits[i]
            found.append(Pool(some[under], scores[under], start + np.flatnonzero(under)))
            near = np.concatenate([each.near for each in found])
            kept = _leave_out_twins(asked.groups[asked.here[near]], asked.groups[asked.here[i]])
            if len(kept) >= wanted:
                break
        near, scores, ranks = (
            np.concatenate([getattr(each, name) for each in found])[kept][:wanted]
            for name in ("near", "scores", "ranks")
        )
        pools.append(Pool(asked.here[near], scores, ranks))
    return pools
