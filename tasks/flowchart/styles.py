"""How an anchor and its contrasts are drawn: one style for all of them, so that none tells them apart."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from counterfoil.renderers.mermaid import Look
from counterfoil.renderers.mermaid.protocol import Face, StyleName
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.flowchart.chart.graph import FLIPPED, Chart
from counterfoil.tasks.flowchart.settings import FlowchartSettings

_STYLES: tuple[StyleName, ...] = get_args(StyleName)
_FACES: tuple[Face, ...] = get_args(Face)
_DIRECTIONS = sorted(set(FLIPPED.values()))


def turn_granule(chart: Chart, key: str, context: Context[FlowchartSettings]) -> Chart:
    """A granule in a direction drawn from the seed and its key alone.

    Top-down alone as in the paper, anchors would be told from negatives by their arrows' heads: half of these are of
    the flipped chart. So plain granules run down or up; those with the published edits run down.
    """
    plain = context.settings.style == "plain"
    if plain and context.settings.edits == "published":
        return chart
    directions = (chart.direction, FLIPPED[chart.direction]) if plain else _DIRECTIONS
    rng = context.rng("flowchart.direction", key)
    return replace(chart, direction=directions[int(rng.integers(len(directions)))])


def choose_look(code: str | None, context: Context[FlowchartSettings]) -> Look:
    """The look of the anchor with this code and of its contrasts: plain, or drawn from the seed and the code alone."""
    if context.settings.style == "plain":
        return Look()
    rng = context.rng("flowchart.look", code or "")
    return Look(_STYLES[int(rng.integers(len(_STYLES)))], _FACES[int(rng.integers(len(_FACES)))])
