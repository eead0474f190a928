"""The last step of the index: what each anchor is offered, decided over all of them.

The anchors are put in the order of their ids, so that nothing depends on how they were cut; each split is searched by
itself (nothing of a held-out split is to be seen in training), what is of the anchor's own group or over its limit is
left out, and of the rest is chosen.

With ``retrieval_texts = "captions"`` whose text is taken is chosen as ever, by their `caption`, and each time that an
anchor serves, another of its captions is what it says: so negatives are as long and as full as all captions are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.contract.prepare import Part
from counterfoil.tasks.encoders import Modality
from counterfoil.tasks.mining.choose import (
    choose_places,
    find_limits,
    find_positive,
    fit_a,
    limit_kin,
    spread_evenly,
    take_turns,
)
from counterfoil.tasks.mining.index import score_pairs
from counterfoil.tasks.mining.parts import finds_others, open_encoder
from counterfoil.tasks.mining.pools import DIGITS, SPARE, Asked, Pool, find_pools, log

_IN_MEMORY = 2_000_000_000
"""Bytes of vectors from which they go to a temporary file."""
_OF_ONE_ROW = 1 / 3
"""The share of an anchor's negatives that is of its own source row, by SimANS."""
_HAIR = 1e-9
"""Ten times a tenth is one."""
OFFERS = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("modality", pa.string()),
        ("part", pa.list_(pa.int32())),
        ("row", pa.list_(pa.int32())),
        ("rank", pa.list_(pa.int32())),
        ("score", pa.list_(pa.float64())),
        ("nearest", pa.list_(pa.float64())),
        ("said", pa.list_(pa.int32())),
        ("furthest", pa.float64()),
        ("flaw", pa.string()),
    ]
)


@dataclass(frozen=True)
class _Anchors:
    """All anchors in the order of their ids, a row each."""

    ids: np.ndarray
    splits: np.ndarray
    groups: np.ndarray
    """Whole numbers: equal where anchors are of one group."""
    sources: np.ndarray
    """Whole numbers: equal where anchors are of one source row."""
    part: np.ndarray
    row: np.ndarray
    positives: list[list[float]]
    judged: np.ndarray
    """Whether the domain can judge texts about each."""
    order: np.ndarray
    """Where each is, counted over the parts as they come."""


@dataclass(frozen=True)
class _Others:
    """The vectors of all captions but the anchors' `caption`, the anchors in the order of their ids."""

    vectors: np.ndarray
    starts: np.ndarray
    """Where those of each anchor begin; one more at the end."""

    def count(self) -> np.ndarray:
        """How many captions each anchor has, its `caption` among them."""
        return 1 + np.diff(self.starts)

    def score(self, query: np.ndarray, anchors: np.ndarray, said: np.ndarray) -> np.ndarray:
        """Cosines of a query with the ``said``-th (from 1) other caption of each anchor, to six decimals."""
        rows = self.starts[anchors] + said - 1
        return score_pairs(query[None], self.vectors, np.zeros(len(rows), np.int64), rows).round(DIGITS)


def find_offers(parts: Sequence[Part], context: Context[S]) -> pa.Table:
    """What each anchor is offered, of each kind that is found."""
    settings = context.settings
    anchors = _read_anchors(parts)
    kinds: tuple[Modality, ...] = ("text", "image") if settings.retrieval_find == "both" else (settings.retrieval_find,)
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        others = _read_others(parts, anchors.order, Path(folder) / "others") if finds_others(settings) else None
        for kind in kinds:
            asked: Modality = kind if settings.retrieval_query == "same" else "image" if kind == "text" else "text"
            rows = _read_vectors(parts, kind, anchors.order, Path(folder) / kind)
            queries = rows if asked == kind else _read_vectors(parts, asked, anchors.order, Path(folder) / f"of {kind}")
            for split in sorted(set(anchors.splits)):
                here = np.flatnonzero((anchors.splits == split) & _have(rows) & _have(queries))
                tables.append(_offer(kind, here, queries, rows, anchors, others, context))
    offers = pa.concat_tables([_list_flawed(parts), *tables]).sort_by([("anchor_id", "ascending")])
    return offers.replace_schema_metadata({"encoder": open_encoder(settings).identity})


def _list_flawed(parts: Sequence[Part]) -> pa.Table:
    """The anchors with a vector that cannot be compared, and why; they are offered nobody, and nobody them."""
    rows = [row for part in parts for row in part.read(["anchor_id", "flaw"]).to_pylist() if row["flaw"] is not None]
    if rows:
        log.warning(
            f"{len(rows):,} anchors left out of mining, whose vectors cannot be compared; the first, "
            f"{min(row['anchor_id'] for row in rows)}: {rows[0]['flaw']}"
        )
    return pa.Table.from_pylist(rows, OFFERS)


def _have(vectors: np.ndarray) -> np.ndarray:
    """Which anchors have a vector: the first number of those without is not a number."""
    return ~np.isnan(np.asarray(vectors[:, 0]))


def _offer(
    kind: Modality,
    here: np.ndarray,
    queries: np.ndarray,
    rows: np.ndarray,
    anchors: _Anchors,
    others: _Others | None,
    context: Context[S],
) -> pa.Table:
    """What the anchors ``here``, of one split, are offered."""
    settings = context.settings
    positives = [anchors.positives[place] if kind == "text" or queries is not rows else [] for place in here]
    furthest = [min(own or [1.0]) for own in positives]
    limits = np.array(
        [
            find_limits(settings, judged).find_limit(own)
            for judged, own in zip(anchors.judged[here], furthest, strict=True)
        ]
    )
    pools = find_pools(Asked(here, queries, rows, anchors.groups, limits), anchors.ids, context)
    a = settings.retrieval_a
    if a is None and settings.retrieval_choose == "simans":
        spread = np.full((len(pools), max((len(pool.scores) for pool in pools), default=0)), np.nan)
        for place, pool in enumerate(pools):
            spread[place, : len(pool.scores)] = pool.scores
        a = fit_a(spread)
    count = SPARE * settings.retrieval_negatives
    orders = [
        choose_places(
            settings.retrieval_choose,
            pool.scores,
            # What is over the limit is not there: were the middle there, the likeliest would all be at the limit.
            min(find_positive(own, pool.scores), limit),
            len(pool.scores),
            context.rng(f"{kind}.retrieval", str(anchors.ids[place])),
            a=a or 0.0,
            b=settings.retrieval_b,
        )
        for place, own, pool, limit in zip(here, positives, pools, limits.tolist(), strict=True)
    ]
    share = settings.retrieval_same_row
    if share is None:
        share = _OF_ONE_ROW if settings.retrieval_choose == "simans" else 1.0
    most = int(share * settings.retrieval_negatives + _HAIR) if share < 1 else len(here)
    kin = [anchors.sources[pool.near] == anchors.sources[place] for place, pool in zip(here, pools, strict=True)]
    limited = [limit_kin(order, own, most) for order, own in zip(orders, kin, strict=True)]
    orders = [order for order, _ in limited]
    if settings.retrieval_even:
        even = spread_evenly([pool.near[order] for order, pool in zip(orders, pools, strict=True)], count)
        orders = [order[np.array(places, dtype=np.int64)] for order, places in zip(orders, even, strict=True)]
    orders = [np.concatenate([order, left])[:count] for order, (_, left) in zip(orders, limited, strict=True)]
    _tell_hardness(kind, pools, orders, limits, settings.retrieval_negatives)
    said = [np.zeros(len(order), np.int64) for order in orders]
    if kind == "text" and others is not None:
        said = take_turns([pool.near[order] for order, pool in zip(orders, pools, strict=True)], others.count())
    offered = []
    for place, own, taken, turns, pool in zip(here, furthest, orders, said, pools, strict=True):
        score, near = pool.scores[taken], pool.near[taken]
        if others is not None and turns.any():
            score[turns > 0] = others.score(queries[place], near[turns > 0], turns[turns > 0])
        offered.append(
            {
                "anchor_id": anchors.ids[place],
                "modality": kind,
                "part": anchors.part[near],
                "row": anchors.row[near],
                "rank": pool.ranks[taken],
                "score": score,
                "nearest": np.maximum(score, pool.scores[taken]),
                "said": turns,
                "furthest": own,
            }
        )
    return pa.Table.from_pylist(offered, OFFERS)


def _tell_hardness(
    kind: Modality, pools: Sequence[Pool], orders: Sequence[np.ndarray], limits: np.ndarray, wanted: int
) -> None:
    """A line for the user: how many anchors have enough under their limit, and how near what they are offered is."""
    full = sum(len(order) >= wanted for order in orders)
    first = [order[:wanted] for order in orders]
    ranks = np.concatenate([np.zeros(0), *(pool.ranks[order] for pool, order in zip(pools, first, strict=True))])
    scores = np.concatenate([np.zeros(0), *(pool.scores[order] for pool, order in zip(pools, first, strict=True))])
    limited = limits[np.isfinite(limits)]
    told = f" under their limit of {_describe_spread(limited, 2)}" if len(limited) else ""
    log.info(
        f"{kind}: {full:,} of {len(pools):,} anchors have {wanted} candidates{told}; "
        f"offered first: rank {_describe_spread(ranks, 0)}, cosine {_describe_spread(scores, 2)}"
    )


def _describe_spread(values: np.ndarray, digits: int) -> str:
    """The median, and between what four fifths lie.

    >>> _describe_spread(np.arange(11.0), 0)
    '5 (1 to 9)'
    """
    if not len(values):
        return "none"
    low, middle, high = np.percentile(values, (10, 50, 90))
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _read_anchors(parts: Sequence[Part]) -> _Anchors:
    tables = [
        part.read(["anchor_id", "split", "group", "source", "source_id", "positives", "judged"]) for part in parts
    ]
    ids = np.array([each for table in tables for each in table["anchor_id"].to_pylist()], dtype=object)
    order = np.argsort(ids.astype(str), kind="stable")
    groups = [each for table in tables for each in table["group"].to_pylist()]
    named = np.array([group or f"of {own}" for group, own in zip(groups, ids, strict=True)], dtype=str)
    rows = [
        f"{a}\0{b}"
        for each in tables
        for a, b in zip(each["source"].to_pylist(), each["source_id"].to_pylist(), strict=True)
    ]
    sources = np.unique(np.array(rows, dtype=str), return_inverse=True)[1] if rows else np.zeros(0, np.int64)
    positives = [each or [] for table in tables for each in table["positives"].to_pylist()]
    part = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    row = np.concatenate([np.zeros(0, np.int64), *(np.arange(len(table)) for table in tables)])
    splits = np.array([each or "" for table in tables for each in table["split"].to_pylist()], dtype=object)
    return _Anchors(
        ids[order],
        splits[order],
        np.unique(named, return_inverse=True)[1][order] if len(named) else np.zeros(0, np.int64),
        sources[order],
        part[order],
        row[order],
        [positives[place] for place in order],
        np.array([each for table in tables for each in table["judged"].to_pylist()], dtype=bool)[order],
        order,
    )


def _read_vectors(parts: Sequence[Part], kind: Modality, order: np.ndarray, file: Path) -> np.ndarray:
    """The vectors of all anchors in the order of their ids; beyond some size, in a file."""
    name = {"text": "text", "image": "picture"}[kind]
    where = np.argsort(order)
    found: np.ndarray | None = None
    start = 0
    for part in parts:
        column = part.read([name])[name].combine_chunks()
        width = column.type.list_size
        found = _make_room(len(order), width, file) if found is None else found
        values = np.full((len(column), width), np.nan, np.float32)
        there = np.asarray(column.is_valid())
        values[there] = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
        found[where[start : start + len(column)]] = values
        start += len(column)
    return np.zeros((0, 1), np.float32) if found is None else found


def _read_others(parts: Sequence[Part], order: np.ndarray, file: Path) -> _Others:
    """The vectors of all anchors' other captions; beyond some size, in a file."""
    columns = [part.read(["others"])["others"].combine_chunks() for part in parts]
    counts = np.concatenate([np.zeros(0, np.int64), *(pc.list_value_length(each).fill_null(0) for each in columns)])
    starts = np.concatenate([[0], np.cumsum(counts[order])]).astype(np.int64)
    where = np.argsort(order)
    found: np.ndarray | None = None
    begin = 0
    for column in columns:
        width = column.type.value_type.list_size
        found = _make_room(int(starts[-1]), width, file) if found is None else found
        own = counts[begin : begin + len(column)].astype(np.int64)
        within = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
        places = np.repeat(starts[where[begin : begin + len(column)]], own) + within
        found[places] = column.flatten().flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
        begin += len(column)
    return _Others(np.zeros((0, 1), np.float32) if found is None else found, starts)


def _make_room(rows: int, width: int, file: Path) -> np.ndarray:
    if rows * width * 4 > _IN_MEMORY:
        return np.lib.format.open_memmap(file, "w+", np.float32, (rows, width))
    return np.empty((rows, width), np.float32)
