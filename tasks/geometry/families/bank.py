"""The figures that ``geometry.template`` draws for each anchor, shared out among all anchors of a run.

A picture of another kind than the run's own is told at a glance, so figures of the run come first: each anchor is
offered the nearest figures of other anchors of its split. A figure is offered `MOST_USES` times at most, so that every
figure stands among the negatives about as often as among the anchors, and a judge that knows figures by heart knows
nothing. What is then missing comes from a bank of sampled figures.

The bank holds scenes, not pictures: a figure is drawn only where it is used. Scene ``i`` depends on (seed, i) alone,
the same bytes whoever makes it, and a larger bank starts with the smaller one's chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from counterfoil.storage.rows import Anchor, Fact, content_id
from counterfoil.storage.schemas import FACTS
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared
from counterfoil.tasks.geometry.families.likeness import (
    COUNTED,
    LENGTH,
    count_parts,
    extract_feature,
    measure_distances,
)
from counterfoil.tasks.geometry.figure.motions import turn_scene
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.sources.sampler import sample_marked
from counterfoil.tasks.geometry.styles import choose_style

CHUNK = 250
"""Figures of one chunk: a second or two of work."""
LEAST, MOST, PER_NEGATIVE = 1_000, 20_000, 2
"""Figures of a bank whose size the recipe leaves open: for each negative that is wanted, and in all."""
MOST_USES = 10
"""How often a figure is offered, over all anchors."""
_SPARE = 3
"""Figures offered per wanted negative: some fail their checks."""
_LOOKED_AT = 8
"""Nearest figures per offered one that are looked at, since others may have taken the nearest."""
_FAR = 1 << 40
"""More than any distance."""
_COMBINE = 3
"""Constructions that a figure of the bank combines at most."""
_HELD = 64
"""Chunks kept in memory."""
SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("split", pa.string()),
        ("group", pa.string()),
        ("facts", FACTS),
        ("feature", pa.binary(LENGTH)),
        ("counts", pa.list_(pa.int64(), len(COUNTED))),
    ]
)
"""A part's rows, figures by name: an anchor's id, or a number of the bank, which has no split and group."""
_OFFERS = pa.schema([("anchor_id", pa.string()), ("figures", pa.list_(pa.string()))])


@dataclass(frozen=True)
class Bank:
    """What is offered to each anchor, and the figures behind ``get``."""

    offers: Mapping[str, Sequence[str]]
    """Anchor id to the names of the figures that it may use, those of the run first, nearest first."""
    get: Callable[[str], Scene]
    """The figure of a name."""


@dataclass(frozen=True)
class _Figures:
    """Many figures, a row each."""

    names: list[str]
    splits: np.ndarray
    groups: np.ndarray
    features: np.ndarray
    """``float32`` of whole numbers, so that distances are one product of a matrix."""
    counts: np.ndarray


def is_sampled(name: str) -> bool:
    """Whether a figure of this name is of the bank, and not of the run."""
    return name.isdecimal() and len(name) < 10


def make_chunk(index: int, context: Context[GeometrySettings]) -> pa.Table:
    """One chunk of the bank's figures."""
    numbers = range(index * CHUNK, (index + 1) * CHUNK)
    return pa.Table.from_pylist([_describe_scene(str(i), _sample(i, context)) for i in numbers], SCHEMA)


def make_part(_index: int, anchors: Sequence[Anchor], _context: Context[GeometrySettings]) -> pa.Table:
    """The figures of a shard of anchors."""
    rows = []
    for anchor in anchors:
        try:
            scene = Scene.from_facts(anchor.facts)
        except SceneError:
            continue  # its maker tells of it
        if not scene.axes:
            rows.append(_describe_scene(anchor.anchor_id, scene, anchor.split, anchor.group))
    return pa.Table.from_pylist(rows, SCHEMA)


def share_out(parts: Sequence[Part], context: Context[GeometrySettings]) -> pa.Table:
    """The figures that each anchor is offered: in turns, the nearest that is still to be had."""
    chunks = sum(any(map(is_sampled, part.read(["name"])["name"].to_pylist()[:1])) for part in parts)
    bank = _read(parts[:chunks], context.settings.template_bank or chunks * CHUNK)
    run = _read(parts[chunks:], None)
    offered = _SPARE * context.settings.negatives
    order = sorted(range(len(run.names)), key=lambda i: content_id("template", context.seed, run.names[i]))
    nearest = {i: iter(_list_nearest(run, bank, i, offered * _LOOKED_AT)) for i in order}
    left = dict.fromkeys([*run.names, *bank.names], MOST_USES)
    offers: dict[int, list[str]] = {i: [] for i in order}
    for _ in range(offered):
        for i in order:
            # A figure that is used up stays so: what is passed over need not be looked at again.
            name = next((each for each in nearest[i] if left[each]), None)
            if name is not None:
                left[name] -= 1
                offers[i].append(name)
    rows = [{"anchor_id": run.names[i], "figures": offers[i]} for i in range(len(run.names))]
    return pa.Table.from_pylist(rows, _OFFERS)


def open_bank(prepared: Prepared, context: Context[GeometrySettings]) -> Bank:
    """The offers, and the parts behind them."""
    del context
    assert prepared.gathered is not None
    offers = dict(zip(*(prepared.gathered[name].to_pylist() for name in _OFFERS.names), strict=True))
    read = lru_cache(_HELD)(lambda part: prepared.parts[part].read(["facts"])["facts"].to_pylist())
    places = {
        name: (number, row)
        for number, part in enumerate(prepared.parts)
        for row, name in enumerate(part.read(["name"])["name"].to_pylist())
    }

    def get(name: str) -> Scene:
        part, row = places[name]
        return Scene.from_facts(Fact(f["predicate"], tuple(f["arguments"]), f["value"]) for f in read(part)[row])

    return Bank(offers, get)


def _sample(number: int, context: Context[GeometrySettings]) -> Scene:
    """A figure of the bank, turned as an anchor of the recipe's style would be."""
    scene = sample_marked(generator(context.seed, "geometry.template", number), _COMBINE)
    scene = turn_scene(scene, choose_style(context, "geometry.template", str(number)).turn)
    return scene if context.settings.markings else scene.drop_numbers()


def _describe_scene(name: str, scene: Scene, split: str | None = None, group: str | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "split": split,
        "group": group,
        "facts": [
            {"predicate": fact.predicate, "arguments": list(fact.arguments), "value": fact.value}
            for fact in scene.to_facts()
        ],
        "feature": extract_feature(scene).tobytes(),
        "counts": count_parts(scene).tolist(),
    }


def _read(parts: Sequence[Part], most: int | None) -> _Figures:
    """All but the scenes of the first ``most`` figures; of a run, all of them by name, however they are cut."""
    rows = [row for part in parts for row in part.read([n for n in SCHEMA.names if n != "facts"]).to_pylist()]
    rows = sorted(rows, key=lambda row: str(row["name"])) if most is None else rows[:most]
    features = [np.frombuffer(row["feature"], np.uint8) for row in rows]
    return _Figures(
        [row["name"] for row in rows],
        np.array([row["split"] or "" for row in rows], dtype=object),
        np.array([row["group"] or row["name"] for row in rows], dtype=object),
        np.array(features, np.float32).reshape(-1, LENGTH),
        np.array([row["counts"] for row in rows], np.int64).reshape(-1, len(COUNTED)),
    )


def _list_nearest(run: _Figures, bank: _Figures, i: int, most: int) -> list[str]:
    """Names of the nearest figures of the run, then of the bank, nearest first; ties by name or number.

    Of the run, other groups of the same split: nothing of a held-out split is to be seen in training. Of the bank,
    those with no more letters first; they may have more numbers, which can be left away.
    """
    query, wanted = run.features[i], run.counts[i]
    others = np.nonzero((run.splits == run.splits[i]) & (run.groups != run.groups[i]))[0]
    near = measure_distances(run.features, run.counts - wanted, query)[others]
    own = [run.names[others[place]] for place in np.argsort(near, kind="stable")[:most]]
    far = measure_distances(bank.features, bank.counts - wanted, query, thinned=True)
    far[bank.counts[:, 0] > wanted[0]] += _FAR
    return own + [bank.names[place] for place in np.argsort(far, kind="stable")[:most]]


def _count_chunks(settings: GeometrySettings, anchors: int) -> int:
    """As many as the recipe says; where it says nothing, as the run's anchors need."""
    needed = min(max(LEAST, PER_NEGATIVE * settings.negatives * anchors), MOST)
    return -(-(settings.template_bank or needed) // CHUNK)


BANK: Preparation[GeometrySettings, Bank] = Preparation(
    "geometry.template_bank",
    make=make_part,
    open=open_bank,
    count_parts=_count_chunks,
    make_counted=make_chunk,
    reads_anchors=True,
    gather=share_out,
    uses=("markings", "style"),
    gather_uses=("template_bank", "negatives"),
    version=14,
)
