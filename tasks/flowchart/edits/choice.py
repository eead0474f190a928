"""Preparations: which edits of each anchor are made, chosen over the whole corpus so that none of them gives itself
away (`tasks.contract.balance`).

A part measures what each edit of its anchors changes; the last step chooses among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from storage.rows import Anchor
from tasks.contract.balance import Change, choose_balanced, measure_change
from tasks.contract.context import Context
from tasks.contract.prepare import Part, Preparation, Prepared
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits.pool import Offer
from tasks.flowchart.settings import FlowchartSettings

_INTEGERS = pa.list_(pa.int64())
_PART = pa.schema([("anchor_id", pa.string()), ("features", pa.list_(_INTEGERS)), ("amounts", pa.list_(_INTEGERS))])
_CHOICE = pa.schema([("anchor_id", pa.string()), ("chosen", pa.list_(pa.int32()))])

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
) -> Preparation[FlowchartSettings, Choice]:
    """The preparation of one family. ``profile`` counts what shows of a chart; ``count`` is the key of the settings
    that says how many contrasts are made; ``uses`` are the keys that decide what is offered."""

    def make(number: int, anchors: Sequence[Anchor], context: Context[FlowchartSettings]) -> pa.Table:
        del number
        rows = [_measure(anchor, context) for anchor in anchors] if context.settings.edits == "natural" else []
        return pa.Table.from_pylist(rows, _PART)

    def _measure(anchor: Anchor, context: Context[FlowchartSettings]) -> dict[str, object]:
        before = profile(open_chart(anchor), context)
        changes = [measure_change(before, profile(offer.edited, context)) for offer in list_offers(anchor, context)]
        return {
            "anchor_id": anchor.anchor_id,
            "features": [change.features for change in changes],
            "amounts": [change.amounts for change in changes],
        }

    def gather(parts: Sequence[Part], context: Context[FlowchartSettings]) -> pa.Table:
        groups = {anchor_id: changes for part in parts for anchor_id, changes in _read(part.read())}
        ids = sorted(groups)
        chosen = choose_balanced([groups[each] for each in ids], getattr(context.settings, count))
        rows = [{"anchor_id": each, "chosen": own} for each, own in zip(ids, chosen, strict=True)]
        return pa.Table.from_pylist(rows, _CHOICE)

    return Preparation(
        name=name, make=make, open=_open, gather=gather, uses=("edits", *uses), gather_uses=(count,), version=1
    )


def _read(table: pa.Table) -> Iterator[tuple[str, list[Change]]]:
    for row in table.to_pylist():
        pairs = zip(row["features"], row["amounts"], strict=True)
        yield row["anchor_id"], [Change(np.array(f, np.int64), np.array(a, np.int64)) for f, a in pairs]


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
