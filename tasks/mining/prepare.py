"""The index behind a domain's family ``retrieval``, as a preparation: vectors by shard, then neighbours over all.

A part holds the vectors of a shard of anchors with all that a contrast would show of them. The last step puts the
anchors in the order of their ids, so that nothing depends on how they were cut, searches each split by itself (nothing
of a held-out split is to be seen in training), leaves out what is of the anchor's own group, and chooses.

With ``retrieval_texts = "captions"`` whose text is taken is chosen as ever, by their `caption`, and each time that an
anchor serves, another of its captions is what it says: so negatives are as long and as full as all captions are.
"""

from __future__ import annotations

import logging
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from storage.rows import Anchor
from storage.schemas import IMAGE
from tasks.contract.context import Context, S
from tasks.contract.prepare import Part, Preparation, Prepared
from tasks.contract.settings import DomainSettings
from tasks.encoders import Encoder, EncoderError, Modality, load_encoder
from tasks.mining.choose import choose_places, find_positive, fit_a, limit_kin, spread_evenly, take_turns
from tasks.mining.index import score_pairs, search

_SPARE = 5
"""Candidates offered for each wanted negative: some are true of the anchor, or too near."""
_TWINS = 50
"""Neighbours looked at beyond the last rank: some are of the anchor's own group, or of one that is in already."""
_IN_MEMORY = 2_000_000_000
"""Bytes of vectors from which they go to a temporary file."""
_BLOCK = 1024
_HELD = 8
"""Parts that a process keeps in memory."""
_OF_ONE_ROW = 1 / 3
"""The share of an anchor's negatives that is of its own source row, by SimANS."""
_DIGITS = 6
_HAIR = 1e-9
"""Ten times a tenth is one."""
_SHOWN = (
    ("anchor_id", pa.string()),
    ("split", pa.string()),
    ("group", pa.string()),
    ("source", pa.string()),
    ("source_id", pa.string()),
    ("caption", pa.string()),
    ("captions", pa.list_(pa.string())),
    ("code", pa.string()),
    ("vector", pa.string()),
    ("image", IMAGE),
)
"""What a part tells of an anchor; code, SVG and picture only where pictures are found, its other captions only where
they are."""
_OFFERS = pa.schema(
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
    ]
)

log = logging.getLogger("counterfoil.mining")


@dataclass(frozen=True)
class Offer:
    """One candidate: whose row it is, how near it is by which rank, and what it is measured by."""

    modality: Modality
    part: int
    row: int
    rank: int
    """Among the anchor's neighbours, 0 the nearest."""
    score: float
    """Cosine with the anchor, to six decimals."""
    nearest: float
    """The greater of it and that of the candidate's `caption`: of a picture that is like the anchor's no caption is
    surely false."""
    said: int
    """Which of the candidate's captions: 0 its `caption`, n its n-th other one."""
    positive: float
    """The cosine of the anchor's furthest positive."""


@dataclass(frozen=True)
class Found:
    """What a candidate shows."""

    anchor_id: str
    caption: str | None
    code: str | None
    vector: str | None
    image: bytes | None


class Index:
    """What each anchor is offered, and what is behind the offers."""

    def __init__(self, parts: Sequence[Part], offers: pa.Table, identity: str) -> None:
        self.identity = identity
        """Of the encoder that made the vectors."""
        self._parts, self._offers = parts, offers
        self._places: dict[str, list[int]] = {}
        for place, anchor_id in enumerate(offers["anchor_id"].to_pylist()):
            self._places.setdefault(anchor_id, []).append(place)
        self._read: OrderedDict[int, list[dict[str, Any]]] = OrderedDict()

    def list_offers(self, anchor_id: str) -> list[Offer]:
        """The candidates of an anchor in order of preference; where texts and pictures are found, in turns."""
        kinds = []
        for place in self._places.get(anchor_id, ()):
            row = self._offers.slice(place, 1).to_pylist()[0]
            told = ("part", "row", "rank", "score", "nearest", "said")
            kinds.append(
                [
                    Offer(row["modality"], **{name: row[name][i] for name in told}, positive=row["furthest"])
                    for i in range(len(row["rank"]))
                ]
            )
        return [each for turn in zip_longest(*kinds) for each in turn if each is not None]

    def get(self, offer: Offer) -> Found:
        """What is offered."""
        if offer.part not in self._read:
            self._read[offer.part] = self._parts[offer.part].read([name for name, _ in _SHOWN]).to_pylist()
            if len(self._read) > _HELD:
                self._read.popitem(last=False)
        row = self._read[offer.part][offer.row]
        picture = row["image"]["bytes"] if row["image"] is not None else None
        caption = row["captions"][offer.said - 1] if offer.said else row["caption"]
        return Found(row["anchor_id"], caption, row["code"], row["vector"], picture)


def make_part(index: int, anchors: Sequence[Anchor], context: Context[S]) -> pa.Table:
    """The vectors of a shard of anchors.

    Raises:
        EncoderError: the encoder cannot be had, or does not encode what is asked for.
    """
    del index
    settings = context.settings
    encoder = open_encoder(settings)
    texts, pictures = _list_needed(settings)
    columns: dict[str, Any] = {
        name: pa.array([_show(a, name, settings) for a in anchors], kind) for name, kind in _SHOWN
    }
    captions = [_list_texts(anchor) for anchor in anchors] if texts else [()] * len(anchors)
    said = _encode(encoder, "text", [text for each in captions for text in each])
    starts = np.cumsum([0, *map(len, captions)])
    seen = _encode(encoder, "image", [a.image.bytes for a in anchors if a.image]) if pictures else None
    places = np.cumsum([a.image is not None for a in anchors]) - 1
    of_image = [seen[places[i]] if seen is not None and a.image else None for i, a in enumerate(anchors)]
    of_text = [said[starts[i]] if captions[i] else None for i in range(len(anchors))]
    positives = []
    for i in range(len(anchors)):
        own = of_text[i] if settings.retrieval_query == "same" else of_image[i]
        others = said[starts[i] + (settings.retrieval_query == "same") : starts[i + 1]]
        positives.append([] if own is None else (others.astype(np.float64) @ own.astype(np.float64)).round(_DIGITS))
    vectors = pa.list_(pa.float32(), encoder.dimension)
    columns |= {"text": pa.array(of_text, vectors), "picture": pa.array(of_image, vectors)}
    columns["positives"] = pa.array(positives, pa.list_(pa.float64()))
    columns["others"] = pa.array(
        [
            list(said[starts[i] + 1 : starts[i] + 1 + len(_list_others(anchor))]) if _find_others(settings) else None
            for i, anchor in enumerate(anchors)
        ],
        pa.list_(vectors),
    )
    return pa.table(columns).replace_schema_metadata({"encoder": encoder.identity})


def open_encoder(settings: DomainSettings) -> Encoder:
    """The encoder that the settings name, if it can do what they ask.

    Raises:
        EncoderError: it cannot be had, or cannot do that.
    """
    encoder = load_encoder(settings.retrieval_model)
    missing = {kind for kind, needed in zip(("text", "image"), _list_needed(settings), strict=True) if needed}
    missing -= encoder.modalities
    if missing:
        raise EncoderError(
            f"retrieval_model = {encoder.name!r} encodes no {missing.pop()}: name a CLIP-like model or `hashed`, "
            'or set retrieval_find = "text"'
        )
    if settings.retrieval_query == "across" and not encoder.joint:
        raise EncoderError(
            f'retrieval_query = "across" compares texts with pictures, which {encoder.name!r} cannot: name a CLIP-like '
            "model"
        )
    return encoder


def _list_needed(settings: DomainSettings) -> tuple[bool, bool]:
    """Whether texts and pictures are encoded."""
    across = settings.retrieval_query == "across"
    return across or settings.retrieval_find != "image", across or settings.retrieval_find != "text"


def _list_texts(anchor: Anchor) -> tuple[str, ...]:
    """The caption, then the anchor's other captions and views, each once."""
    if not anchor.caption:
        return ()
    return tuple(dict.fromkeys([anchor.caption, *anchor.captions, *(view.text for view in anchor.views)]))


def _list_others(anchor: Anchor) -> list[str]:
    """The anchor's captions without its `caption`, each once: in `_list_texts` they follow it."""
    return [text for text in dict.fromkeys(anchor.captions) if text != anchor.caption] if anchor.caption else []


def _find_others(settings: DomainSettings) -> bool:
    return settings.retrieval_texts == "captions" and settings.retrieval_find != "image"


def _show(anchor: Anchor, name: str, settings: DomainSettings) -> Any:
    if name == "captions":
        return _list_others(anchor) if _find_others(settings) else None
    if name == "image":
        kept = anchor.image is not None and settings.retrieval_find != "text"
        return {"bytes": anchor.image.bytes, "path": anchor.image.path} if kept and anchor.image else None
    if name in ("code", "vector") and settings.retrieval_find == "text":
        return None
    return getattr(anchor, name)


def _encode(encoder: Encoder, modality: Modality, content: list[Any]) -> np.ndarray:
    """Vectors of contents, each distinct one encoded once."""
    places = {each: place for place, each in enumerate(dict.fromkeys(content))}
    encode = encoder.encode_texts if modality == "text" else encoder.encode_images
    found = encode(list(places)) if places else np.zeros((0, encoder.dimension), np.float32)
    return found[[places[each] for each in content]]


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
        return score_pairs(query[None], self.vectors, np.zeros(len(rows), np.int64), rows).round(_DIGITS)


def find_offers(parts: Sequence[Part], context: Context[S]) -> pa.Table:
    """What each anchor is offered, of each kind that is found."""
    settings = context.settings
    anchors = _read_anchors(parts)
    kinds: tuple[Modality, ...] = ("text", "image") if settings.retrieval_find == "both" else (settings.retrieval_find,)
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        others = _read_others(parts, anchors.order, Path(folder) / "others") if _find_others(settings) else None
        for kind in kinds:
            asked: Modality = kind if settings.retrieval_query == "same" else "image" if kind == "text" else "text"
            rows = _read_vectors(parts, kind, anchors.order, Path(folder) / kind)
            queries = rows if asked == kind else _read_vectors(parts, asked, anchors.order, Path(folder) / f"of {kind}")
            for split in sorted(set(anchors.splits)):
                here = np.flatnonzero((anchors.splits == split) & _have(rows) & _have(queries))
                tables.append(_offer(kind, here, queries, rows, anchors, others, context))
    offers = pa.concat_tables([_OFFERS.empty_table(), *tables]).sort_by([("anchor_id", "ascending")])
    return offers.replace_schema_metadata({"encoder": open_encoder(settings).identity})


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
    same = queries is rows
    pools = _find_pools(here, queries, rows, anchors, context)
    a = settings.retrieval_a
    if a is None and settings.retrieval_choose == "simans":
        widest = max((len(scores) for _, scores, _ in pools), default=0)
        spread = np.full((len(pools), widest), np.nan)
        for place, (_, scores, _) in enumerate(pools):
            spread[place, : len(scores)] = scores
        a = fit_a(spread)
    positives = [anchors.positives[place] if kind == "text" or not same else [] for place in here]
    count = _SPARE * settings.retrieval_negatives
    orders = [
        choose_places(
            settings.retrieval_choose,
            scores,
            find_positive(own, scores),
            len(scores),
            context.rng(f"{kind}.retrieval", str(anchors.ids[place])),
            a=a or 0.0,
            b=settings.retrieval_b,
        )
        for place, own, (_, scores, _) in zip(here, positives, pools, strict=True)
    ]
    share = settings.retrieval_same_row
    if share is None:
        share = _OF_ONE_ROW if settings.retrieval_choose == "simans" else 1.0
    most = int(share * settings.retrieval_negatives + _HAIR) if share < 1 else len(here)
    kin = [anchors.sources[near] == anchors.sources[place] for place, (near, _, _) in zip(here, pools, strict=True)]
    limited = [limit_kin(order, own, most) for order, own in zip(orders, kin, strict=True)]
    orders = [order for order, _ in limited]
    if settings.retrieval_even:
        even = spread_evenly([near[order] for order, (near, _, _) in zip(orders, pools, strict=True)], count)
        orders = [order[np.array(places, dtype=np.int64)] for order, places in zip(orders, even, strict=True)]
    orders = [np.concatenate([order, left])[:count] for order, (_, left) in zip(orders, limited, strict=True)]
    said = [np.zeros(len(order), np.int64) for order in orders]
    if kind == "text" and others is not None:
        said = take_turns([near[order] for order, (near, _, _) in zip(orders, pools, strict=True)], others.count())
    offered = []
    for place, own, taken, turns, (near, scores, ranks) in zip(here, positives, orders, said, pools, strict=True):
        score = scores[taken]
        if others is not None and turns.any():
            score[turns > 0] = others.score(queries[place], near[taken][turns > 0], turns[turns > 0])
        offered.append(
            {
                "anchor_id": anchors.ids[place],
                "modality": kind,
                "part": anchors.part[near[taken]],
                "row": anchors.row[near[taken]],
                "rank": ranks[taken],
                "score": score,
                "nearest": np.maximum(score, scores[taken]),
                "said": turns,
                "furthest": min(own or [1.0]),
            }
        )
    return pa.Table.from_pylist(offered, _OFFERS)


_Pool = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Anchors (by place), their scores to six decimals and their ranks, nearest first."""


def _find_pools(
    here: np.ndarray, queries: np.ndarray, rows: np.ndarray, anchors: _Anchors, context: Context[S]
) -> list[_Pool]:
    """The neighbours that each anchor's negatives are chosen from: one of each other group."""
    settings = context.settings
    first, last = settings.retrieval_ranks
    mine, theirs = _take(queries, here), _take(rows, here)
    if settings.retrieval_choose == "random":
        return _draw_anyone(here, mine, theirs, anchors, context)
    found = search(mine, theirs, min(last + _TWINS, len(here)), itself=queries is rows, tell=log.info).neighbours
    pools: list[_Pool] = []
    for start in range(0, len(here), _BLOCK):
        near = found.rows[start : start + _BLOCK]
        query, place = np.nonzero(near >= 0)
        scores = np.full(near.shape, -np.inf)
        scores[query, place] = score_pairs(mine[start : start + _BLOCK], theirs, query, near[query, place]).round(
            _DIGITS
        )
        for i in range(len(near)):
            # In this order by scores that are the same on every machine, ties by id.
            order = np.lexsort((near[i], -scores[i]))
            order = order[np.isfinite(scores[i][order])]
            kept = _leave_out_twins(anchors.groups[here[near[i][order]]], anchors.groups[here[start + i]])
            order = order[kept][first:last]
            ranks = np.arange(first, first + len(order))
            pools.append((here[near[i][order]], scores[i][order], ranks))
    return pools


def _leave_out_twins(groups: np.ndarray, own: int) -> np.ndarray:
    """Places of the first of each group but the anchor's own, in order."""
    _, firsts = np.unique(groups, return_index=True)
    firsts.sort()
    return np.asarray(firsts[groups[firsts] != own])


def _draw_anyone(
    here: np.ndarray, mine: np.ndarray, theirs: np.ndarray, anchors: _Anchors, context: Context[S]
) -> list[_Pool]:
    """As a control: anchors drawn evenly of all others of the split."""
    wanted = min(_SPARE * context.settings.retrieval_negatives + _TWINS, len(here))
    pools: list[_Pool] = []
    for i in range(len(here)):
        rng = context.rng("anyone.retrieval", str(anchors.ids[here[i]]))
        near = rng.choice(len(here), size=wanted, replace=False)
        near = near[_leave_out_twins(anchors.groups[here[near]], anchors.groups[here[i]])]
        scores = score_pairs(mine[i : i + 1], theirs, np.zeros(len(near), np.int64), near).round(_DIGITS)
        pools.append((here[near], scores, np.arange(len(near))))
    return pools


def _take(vectors: np.ndarray, here: np.ndarray) -> np.ndarray:
    return vectors if len(here) == len(vectors) else vectors[here]


def _read_anchors(parts: Sequence[Part]) -> _Anchors:
    tables = [part.read(["anchor_id", "split", "group", "source", "source_id", "positives"]) for part in parts]
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


def open_index(prepared: Prepared, context: Context[S]) -> Index:
    """The offers, and the parts behind them."""
    del context
    assert prepared.gathered is not None
    identity = (prepared.gathered.schema.metadata or {}).get(b"encoder", b"").decode()
    return Index(prepared.parts, prepared.gathered, identity)


def make_preparation(domain: str) -> Preparation[Any, Index]:
    """The index of a domain's anchors."""
    return Preparation(
        f"{domain}.retrieval_index",
        make=make_part,
        open=open_index,
        gather=find_offers,
        uses=("retrieval_model", "retrieval_find", "retrieval_query", "retrieval_texts"),
        networks=("retrieval_model",),
        gather_uses=(
            "retrieval_negatives",
            "retrieval_choose",
            "retrieval_ranks",
            "retrieval_a",
            "retrieval_b",
            "retrieval_even",
            "retrieval_same_row",
        ),
        version=5,
    )
