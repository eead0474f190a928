"""Whether an edited chart still looks like a chart: hangs together."""

from __future__ import annotations

from tasks.flowchart.chart.sight import Sight


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
