"""Which edits of each anchor are made, chosen over the whole corpus (`tasks.contract.choosing_offers`): known by what
the edited chart shows more or less of, by its graph, and by its form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from storage.rows import Anchor
from tasks.contract.choosing import measure_change
from tasks.contract.choosing_offers import Offer, Offers, Plan, prepare_plan
from tasks.contract.context import Context
from tasks.contract.prepare import Preparation
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.sight import Sight, outline
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits.pool import EditedChart
from tasks.flowchart.edits.profile import name_form
from tasks.flowchart.settings import FlowchartSettings

SAMPLED = 3
"""For training so many times as many edits of an anchor are chosen as its table has; each epoch draws among them. Where
kinds were drawn alike, n-grams and simple features told captions from their anchors in 62.6 % of pairs, now in 52.5."""
Choice = Preparation[FlowchartSettings, Plan]
ListEdits = Callable[[Anchor, Context[FlowchartSettings]], Sequence[EditedChart]]
"""All edits that an anchor is offered, always in one order."""


def prepare_choice(
    name: str,
    list_edits: ListEdits,
    profile: Callable[[Chart, Context[FlowchartSettings]], Mapping[str, int]],
    count: str,
    uses: tuple[str, ...],
    times: int = 1,
) -> Choice:
    """`prepare_plan` of one family. ``profile`` counts what shows of a chart."""

    def list_offers(anchor: Anchor, context: Context[FlowchartSettings]) -> Offers:
        if context.settings.edits == "published":
            return Offers(())
        chart = open_chart(anchor)
        before = profile(chart, context)
        offers = [
            Offer(
                measure_change(before, profile(each.edited, context)),
                _name_graph(each.sight, context),
                name_form(each.edited),
            )
            for each in list_edits(anchor, context)
        ]
        return Offers(offers, name_form(chart))

    return prepare_plan(name, list_offers, count, ("edits", *uses), times=times, version=11)


def _name_graph(sight: Sight, context: Context[FlowchartSettings]) -> Hashable:
    """Who is joined to whom; what arrows say counts where the captions tell it. Where they do not, no negative has its
    anchor's graph, and two that differ in an answer alone would leave the anchor the one of its kind."""
    if not context.settings.arrow_labels:
        sight = replace(sight, arrows=tuple(replace(arrow, label="") for arrow in sight.arrows))
    return frozenset(outline(sight)[1].items())


def pick_edits(
    choice: Choice, anchor: Anchor, edits: Sequence[EditedChart], context: Context[FlowchartSettings]
) -> list[EditedChart]:
    """The edits that were chosen for an anchor."""
    return [edits[place] for place in choice.of(context).list_places(anchor.anchor_id)]


def draw_chosen(
    choice: Choice,
    anchor: Anchor,
    edits: Sequence[EditedChart],
    count: int,
    rng: np.random.Generator,
    context: Context[FlowchartSettings],
) -> list[EditedChart]:
    """At most ``count`` of the edits that were chosen for an anchor, all alike likely."""
    chosen = pick_edits(choice, anchor, edits, context)
    return [chosen[int(place)] for place in rng.permutation(len(chosen))[:count]]
