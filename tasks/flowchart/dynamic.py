"""Edits per batch for training (SaCLIP Sec. 4.1: "applied dynamically to samples within each batch").

The same plans as the tables' families, drawn from a generator that the loader owns. `open_sample` parses once per
anchor; after that a caption, a code or a graph negative costs microseconds, and arrow edits of the picture a fraction
of a millisecond plus the paint. Every negative is checked not to be the anchor's chart before it is given out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from storage.rows import Anchor
from tasks.flowchart.captions import find_false_claims, write_caption
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Sight, see_chart
from tasks.flowchart.drawing.arrows import drop_arrow, turn_arrow
from tasks.flowchart.drawing.rendering import parse
from tasks.flowchart.edits import (
    CaptionEdit,
    Plan,
    apply_plan,
    edit_claims,
    is_edit,
    list_permutations,
    list_plans,
    match_arrows,
    swap_labels,
    visible_arrows,
)


@dataclass(frozen=True)
class Sample:
    """An anchor opened for editing."""

    chart: Chart
    sight: Sight
    vector: str
    places: dict[int, int]
    """Where the chart's arrows are in the SVG."""


def open_sample(anchor: Anchor) -> Sample:
    """Parse an anchor's code and find its arrows in its SVG; do this once and keep it."""
    if not (anchor.code and anchor.vector):
        raise ValueError(f"anchor {anchor.anchor_id} has no code or no vector: it is no flowchart")
    chart = parse(anchor.code)
    return Sample(chart, see_chart(chart), anchor.vector, match_arrows(chart, anchor.vector))


def sample_caption(sample: Sample, rng: np.random.Generator, arrow_labels: bool = False) -> str | None:
    """A caption with labels exchanged that is false of the chart, or None where there is none."""
    moves = list_permutations(len(sample.chart.nodes), rng, limit=8)
    count = len(sample.sight.arrows)
    for moved in moves:
        where = tuple(range(count)) if count == 1 or rng.random() < 0.7 else (int(rng.integers(count)),)
        claims = edit_claims(sample.sight, CaptionEdit(moved, where), arrow_labels)
        if find_false_claims(claims, sample.sight):
            return write_caption(claims)
    return None


def sample_code(sample: Sample, rng: np.random.Generator) -> str | None:
    """Code with labels exchanged that defines another chart, or None where there is none."""
    for moved in list_permutations(len(sample.chart.nodes), rng, limit=8):
        edited = swap_labels(sample.chart, moved)
        if is_edit(sample.chart, edited):
            return write_code(edited)
    return None


def sample_plan(sample: Sample, rng: np.random.Generator) -> Plan | None:
    """A plan for a negative picture, for `tasks.flowchart.edits.draw_plan`; None where there is none."""
    plans = []
    for plan in list_plans(sample.chart, rng):
        if is_edit(sample.chart, apply_plan(sample.chart, plan)):
            plans.append(plan)
        if len(plans) == 4:
            break
    return plans[int(rng.integers(len(plans)))] if plans else None


def sample_vector(sample: Sample, rng: np.random.Generator) -> str | None:
    """The SVG with an arrow turned or removed that shows another chart, without a new layout; None if there is none."""
    arrows = visible_arrows(sample.chart)
    order = [arrows[int(i)] for i in rng.permutation(len(arrows))]
    for index in order:
        arrow = sample.chart.arrows[index]
        turn = arrow.start != arrow.end and (len(arrows) == 1 or rng.random() < 0.5)
        if not turn and len(arrows) == 1:
            continue
        edited = sample.chart.turn(index) if turn else sample.chart.drop(index)
        if is_edit(sample.chart, edited):
            place = sample.places[index]
            return turn_arrow(sample.vector, place) if turn else drop_arrow(sample.vector, place)
    return None
