"""Whether an edited chart still looks like a chart: hangs together, and has its answers at questions."""

from __future__ import annotations

from collections import Counter

from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.sight import Sight
from tasks.flowchart.edits.plans import Plan, place_nodes


def count_parts(sight: Sight) -> int:
    """In how many parts a chart falls that no line joins."""
    part = list(range(len(sight.labels)))

    def find(box: int) -> int:
        while part[box] != box:
            part[box] = part[part[box]]
            box = part[box]
        return box

    for arrow in sight.arrows:
        part[find(arrow.tail)] = find(arrow.head)
    return sum(find(box) == box for box in range(len(part)))


def strands_answer(chart: Chart, plan: Plan) -> bool:
    """Whether nodes move so that an arrow's label is left at a node of another shape, as where a question with an
    answer comes to where no arrow leaves."""
    return plan.moved is not None and _list_answers(chart) != _list_answers(place_nodes(chart, plan))


def _list_answers(chart: Chart) -> Counter[tuple[str, str | None]]:
    """The arrows' labels, each with the shape of the node that it leaves."""
    shapes = {node.id: node.shape for node in chart.nodes}
    return Counter((arrow.label, shapes.get(arrow.tail)) for arrow in chart.arrows if arrow.label)
