"""Whether an edited chart still looks like a chart: hangs together."""

from __future__ import annotations

from counterfoil.storage.uniting import Sets
from counterfoil.tasks.flowchart.chart.sight import Sight


def count_parts(sight: Sight) -> int:
    """In how many parts a chart falls that no line joins."""
    parts: Sets[int] = Sets()
    for arrow in sight.arrows:
        parts.unite(arrow.head, arrow.tail)
    return len({parts.find(box) for box in range(len(sight.labels))})
