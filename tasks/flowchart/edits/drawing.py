"""The picture of a chart edited as published: labels and direction are changed in the code and arrows in the SVG, where
the layout stays put.
"""

from __future__ import annotations

from counterfoil.renderers.mermaid import Look
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import read_label, squeeze
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import Seen, Sight
from counterfoil.tasks.flowchart.drawing.arrows import drop_arrow, turn_arrow
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart
from counterfoil.tasks.flowchart.drawing.vector import read_vector
from counterfoil.tasks.flowchart.edits.plans import ChartEdit, place_nodes


def draw_published(chart: Chart, plan: ChartEdit, look: Look) -> str:
    """The SVG after a plan.

    Raises:
        counterfoil.renderers.mermaid.MermaidError: the chart cannot be drawn.
        VectorError: the drawn chart cannot be read back.
    """
    base = place_nodes(chart, plan)
    base = base.flip() if plan.flipped else base
    svg = draw_chart(write_code(base), look)
    places = match_arrows(base, svg)
    for index in plan.turned:
        svg = turn_arrow(svg, places[index])
    for index in sorted(plan.dropped, key=lambda i: places[i], reverse=True):
        svg = drop_arrow(svg, places[index])
    return svg


def match_arrows(chart: Chart, svg: str) -> dict[int, int]:
    """Which arrow of the SVG is the chart's i-th, by what they join; they may be drawn in another order."""
    drawn = read_vector(svg).sight
    free = list(range(len(drawn.arrows)))
    ids = {node.id: read_label(node.label, node.markdown) for node in chart.nodes}
    ids.update({s.id: read_label(s.title, s.markdown) for s in chart.subgraphs})
    places = {}
    for index, arrow in enumerate(chart.arrows):
        if arrow.stroke == "invisible":
            continue
        wanted = (ids[arrow.tail], ids[arrow.head], arrow.start, arrow.end, read_label(arrow.label, arrow.markdown))
        found = next((i for i in free if _describe_arrow(drawn.arrows[i], drawn) == tuple(map(squeeze, wanted))), None)
        if found is not None:
            free.remove(found)
            places[index] = found
    return places


def _describe_arrow(arrow: Seen, sight: Sight) -> tuple[str, ...]:
    parts = (sight.labels[arrow.tail], sight.labels[arrow.head], arrow.start, arrow.end, arrow.label)
    return tuple(map(squeeze, parts))
