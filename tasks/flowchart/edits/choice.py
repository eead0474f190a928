"""Preparations: which edits of each anchor are made, chosen over the whole corpus so that none of them gives itself
away (`tasks.contract.choosing`).

A part measures what each edit of its anchors changes; the last step chooses among them, some thousand anchors at a
time, each thousand in balance by itself: memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from storage.rows import Anchor
from storage.spilling import SpilledRows
from tasks.contract.choosing import Bounds, Edits, Limit, choose, measure_change
from tasks.contract.context import Context
from tasks.contract.prepare import Part, Preparation, Prepared
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.sight import Sight, outline
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits.pool import Offer
from tasks.flowchart.edits.profile import name_form
from tasks.flowchart.settings import FlowchartSettings

_INTEGERS = pa.list_(pa.int64())
_PART = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("features", pa.list_(_INTEGERS)),
        ("amounts", pa.list_(_INTEGERS)),
        ("graphs", _INTEGERS),
        ("form", pa.string()),
        ("forms", pa.list_(pa.string())),
    ]
)
_CHOICE = pa.schema([("anchor_id", pa.string()), ("chosen", pa.list_(pa.int32()))])

BLOCK = 5000
"""Anchors that are brought into balance together: some 300 MB of edits."""
SAMPLED = 3
"""For training so many times as many edits of an anchor are chosen as its table has; each epoch draws among them. Where
kinds were drawn alike, n-grams and simple features told captions from their anchors in 62.6 % of pairs, now in 52.5."""
Choice = Mapping[str, Sequence[int]]
"""By the anchors' ids: the positions of their offers, in order."""
ListOffers = Callable[[Anchor, Context[FlowchartSettings]], Sequence[Offer]]
"""All that an anchor is offered, always in one order."""


def prepare_choice(
    name: str,
    list_offers: ListOffers,
    profile: Callable[[Chart, Context[FlowchartSettings]], Mapping[str, int]],
    count: str,
    uses: tuple[str, ...],
    times: int = 1,
) -> Preparation[FlowchartSettings, Choice]:
    """The preparation of one family. ``profile`` counts what shows of a chart; ``count`` is the key of the settings
    that says how many contrasts are made, and ``times`` as many are chosen; ``uses`` are the keys that decide what is
    offered."""

    def make(number: int, anchors: Sequence[Anchor], context: Context[FlowchartSettings]) -> pa.Table:
        del number
        rows = [_measure(anchor, context) for anchor in anchors] if context.settings.edits == "natural" else []
        return pa.Table.from_pylist(rows, _PART)

    def _measure(anchor: Anchor, context: Context[FlowchartSettings]) -> dict[str, object]:
        chart = open_chart(anchor)
        before = profile(chart, context)
        offers = list_offers(anchor, context)
        changes = [measure_change(before, profile(offer.edited, context)) for offer in offers]
        graphs: dict[Hashable, int] = {}
        return {
            "anchor_id": anchor.anchor_id,
            "features": [change.features for change in changes],
            "amounts": [change.amounts for change in changes],
            "graphs": [graphs.setdefault(_name_graph(offer.sight, context), len(graphs)) for offer in offers],
            "form": name_form(chart),
            "forms": [name_form(offer.edited) for offer in offers],
        }

    def gather(parts: Sequence[Part], context: Context[FlowchartSettings]) -> pa.Table:
        chosen = [_CHOICE.empty_table()]
        with SpilledRows(held_rows=BLOCK) as rows:
            for part in parts:
                rows.add(part.read())
            for block in _cut(rows):
                ids = block["anchor_id"].to_pylist()
                picked = choose(_read_edits(block), times * getattr(context.settings, count), bounds=Bounds())
                chosen.append(pa.table({"anchor_id": ids, "chosen": picked}, _CHOICE))
        return pa.concat_tables(chosen)

    return Preparation(
        name=name, make=make, open=_open, gather=gather, uses=("edits", *uses), gather_uses=(count,), version=11
    )


def _name_graph(sight: Sight, context: Context[FlowchartSettings]) -> Hashable:
    """Who is joined to whom; what arrows say counts where the captions tell it. Where they do not, no negative has its
    anchor's graph, and two that differ in an answer alone would leave the anchor the one of its kind."""
    if not context.settings.arrow_labels:
        sight = replace(sight, arrows=tuple(replace(arrow, label="") for arrow in sight.arrows))
    return frozenset(outline(sight)[1].items())


def _cut(rows: SpilledRows) -> Iterator[pa.Table]:
    """Blocks of anchors, each in the order of ids; which anchor is in which depends on the ids alone."""
    held: list[pa.Table] = []
    for part in rows.parts():
        held.append(part)
        if sum(each.num_rows for each in held) >= BLOCK:
            yield pa.concat_tables(held).sort_by("anchor_id").combine_chunks()
            held = []
    if held:
        yield pa.concat_tables(held).sort_by("anchor_id").combine_chunks()


def _read_edits(block: pa.Table) -> list[Edits]:
    """What the anchors' edits change, without a Python object for each number."""
    features, amounts = (block[name].combine_chunks() for name in ("features", "amounts"))
    anchors, edits = features.offsets.to_numpy(), features.values.offsets.to_numpy()
    numbers, by = (lists.values.values.to_numpy() for lists in (features, amounts))
    found = []
    for begin, end, limits in zip(anchors[:-1], anchors[1:], _limit(block), strict=True):
        ends = edits[begin : end + 1].astype(np.int64)
        of_anchor = slice(ends[0], ends[-1])
        found.append(Edits(numbers[of_anchor], by[of_anchor], ends - ends[0], limits))
    return found


def _limit(block: pa.Table) -> Iterator[tuple[Limit, Limit]]:
    """What no set may show oftener: a graph, whichever way up, than once, since its anchor's is there once; a form of
    graph, than the sets of anchors of that form can, since else the odd one out is the anchor."""
    own: dict[str, list[int]] = {}
    rows = block.select(["graphs", "form", "forms"]).to_pylist()
    for row in rows:
        alike = {graph for graph, form in zip(row["graphs"], row["forms"], strict=True) if form == row["form"]}
        own.setdefault(row["form"], []).append(1 + len(alike))
    usual = {form: round(sum(counts) / len(counts)) for form, counts in own.items()}
    for row in rows:
        names = sorted(set(row["forms"]))
        most = [max(usual.get(name, 1) - (name == row["form"]), 1) for name in names]
        yield (
            Limit(np.array(row["graphs"], np.int64), np.ones(len(row["graphs"]), np.int64)),
            Limit(np.array([names.index(form) for form in row["forms"]], np.int64), np.array(most, np.int64)),
        )


def _open(prepared: Prepared, context: Context[FlowchartSettings]) -> Choice:
    del context
    assert prepared.gathered is not None
    return {row["anchor_id"]: row["chosen"] for row in prepared.gathered.to_pylist()}


def pick_offers(
    choice: Preparation[FlowchartSettings, Choice],
    anchor: Anchor,
    offers: Sequence[Offer],
    context: Context[FlowchartSettings],
) -> list[Offer]:
    """The offers that were chosen for an anchor."""
    return [offers[place] for place in choice.of(context).get(anchor.anchor_id, ())]


def draw_chosen(
    choice: Preparation[FlowchartSettings, Choice],
    anchor: Anchor,
    offers: Sequence[Offer],
    count: int,
    rng: np.random.Generator,
    context: Context[FlowchartSettings],
) -> list[Offer]:
    """At most ``count`` of the offers that were chosen for an anchor, all alike likely."""
    chosen = pick_offers(choice, anchor, offers, context)
    return [chosen[int(place)] for place in rng.permutation(len(chosen))[:count]]
