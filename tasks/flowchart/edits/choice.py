"""Which edits of each anchor are made, chosen over the whole corpus (`tasks.contract.choosing_offers`): known by what
the edited chart shows more or less of, by its graph, and by its form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.choosing import measure_change
from counterfoil.tasks.contract.choosing_offers import Offer, Offers, Plan, prepare_plan
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.prepare import Preparation
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.sight import Sight, outline
from counterfoil.tasks.flowchart.drawing.rendering import open_chart
from counterfoil.tasks.flowchart.edits.plans import ChartEdit, pack_plan, unpack_plan
from counterfoil.tasks.flowchart.edits.pool import EditedChart, even_ways, list_steps, make_edit
from counterfoil.tasks.flowchart.edits.worlds import draw_worlds
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.truth import names_none

SAMPLED = 3
"""For training so many times as many edits of an anchor are chosen as its table has; each epoch draws among them. Where
kinds were drawn alike, n-grams and simple features told captions from their anchors in 62.6 % of pairs, now in 52.5."""
Choice = Preparation[FlowchartSettings, Plan]
ListEdits = Callable[[Anchor, Sequence[str], Context[FlowchartSettings]], Sequence[EditedChart]]
"""All edits that an anchor is offered beside the steps that its source has elsewhere, always in one order."""


def prepare_choice(
    name: str,
    list_edits: ListEdits,
    profile: Callable[[Chart, Context[FlowchartSettings]], Mapping[str, int]],
    count: str,
    uses: tuple[str, ...],
    times: int = 1,
    turned: Callable[[FlowchartSettings], bool] = lambda _: False,
) -> Choice:
    """`prepare_plan` of one family: of each anchor's worlds ``times`` are chosen. ``profile`` counts what shows of a
    chart; ``turned``: whether half of a set's charts run the other way."""

    def list_offers(anchor: Anchor, context: Context[FlowchartSettings]) -> Offers:
        if context.settings.edits == "published":
            return Offers(())
        chart = open_chart(anchor)
        steps = list_others(anchor, chart, context.prepared[name])
        edits = _leave_twins(list_edits(anchor, steps, context), context)
        rng = context.rng(f"{name}_worlds", anchor.anchor_id)
        worlds = draw_worlds(chart, edits, steps, getattr(context.settings, count), rng)
        before = Counter(profile(chart, context))
        after: dict[ChartEdit, Counter[str]] = {}
        offers = []
        for place, world in enumerate(worlds):
            members = even_ways(world.members, rng) if turned(context.settings) else world.members
            found = Counter(world.place)
            for member in members:
                if member.plan not in after:
                    after[member.plan] = Counter(profile(member.edited, context))
                    after[member.plan].subtract(before)
                found.update(after[member.plan])
            offers.append(Offer(measure_change({}, found), place, kept="\n".join(map(_keep, members))))
        return Offers(offers)

    return prepare_plan(name, list_offers, "", ("edits", count, *uses), times=times, version=12, survey=survey_steps)


def _keep(edit: EditedChart) -> str:
    return f"{edit.order} {pack_plan(edit.plan)}"


def _leave_twins(edits: Sequence[EditedChart], context: Context[FlowchartSettings]) -> list[EditedChart]:
    """One of those that join the same nodes alike."""
    return list({_name_graph(edit.sight, context): edit for edit in reversed(edits)}.values())[::-1]


Steps = Mapping[tuple[str, str], Sequence[str]]


def survey_steps(anchors: Sequence[Anchor]) -> Steps:
    """The labels of the steps of each source row, as often as its anchors have them."""
    found: dict[tuple[str, str], list[str]] = {}
    for anchor in anchors:
        steps = [node.label for node in list_steps(open_chart(anchor)) if read_label(node.label) == node.label]
        found.setdefault((anchor.source, anchor.source_id), []).extend(steps)
    return {row: sorted(steps) for row, steps in found.items()}


def list_others(anchor: Anchor, chart: Chart, steps: object) -> list[str]:
    """The steps of an anchor's source that it does not have, nor any that may be taken for one of its own."""
    own = tuple(read_label(node.label, node.markdown) for node in chart.nodes)
    known = cast(Steps, steps).get((anchor.source, anchor.source_id), ())
    return [step for step in known if names_none(step, own)]


def _name_graph(sight: Sight, context: Context[FlowchartSettings]) -> Hashable:
    """Who is joined to whom; what arrows say counts where the captions tell it. Where they do not, no negative has its
    anchor's graph, and two that differ in an answer alone would leave the anchor the one of its kind."""
    if not context.settings.arrow_labels:
        sight = replace(sight, arrows=tuple(replace(arrow, label="") for arrow in sight.arrows))
    return frozenset(outline(sight)[1].items())


def pick_edits(choice: Choice, anchor: Anchor, context: Context[FlowchartSettings]) -> list[EditedChart]:
    """The edits that were chosen for an anchor."""
    chart = open_chart(anchor)
    worlds = choice.of(context).list_kept(anchor.anchor_id)
    kept = dict.fromkeys(line for world in worlds for line in world.split("\n"))
    return [make_edit(chart, unpack_plan(plan), int(order)) for order, plan in (line.split(" ", 1) for line in kept)]


def draw_chosen(
    choice: Choice, anchor: Anchor, count: int, rng: np.random.Generator, context: Context[FlowchartSettings]
) -> list[EditedChart]:
    """At most ``count`` of the edits that were chosen for an anchor, all alike likely."""
    chosen = pick_edits(choice, anchor, context)
    return [chosen[int(place)] for place in rng.permutation(len(chosen))[:count]]
