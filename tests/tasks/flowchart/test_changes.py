"""What a negative of a chart changes, measured on what is drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.tasks.flowchart.changes import measure_changes
from counterfoil.tasks.flowchart.chart.difference import list_changes, show_chart
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.rendering import parse
from tests.tasks.flowchart.conftest import make_anchors, make_contrasts

PATH = "A[wash] --> B[rinse]\nB --> C[dry]"


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("A[rinse] --> B[wash]\nB --> C[dry]", {"label"}),
        ("A[wash] --> B[iron]\nB --> C[dry]", {"label"}),
        ("A[wash] --> B[rinse]\nC[dry] --> B", {"direction"}),
        ("A[wash] --> B[rinse]\nA --> C[dry]", {"edge"}),
        ("A[wash] --> B[rinse]\nB --> C[dry]\nC --> A", {"edge", "count"}),
        ("A[wash] --> B[rinse]\nB --> D[spin]\nD --> C[dry]", {"node", "edge", "count"}),
        ("A[wash] --> C[dry]", {"node", "edge", "count"}),
        ("A[wash] --> B(rinse)\nB --> C[dry]", {"shape"}),
        ("A[wash] --> B[rinse]\nB -->|Yes| C[dry]", {"label"}),
    ],
)
def test_what_differs_is_told_of_the_graph_alone(code, kinds):
    own, other = (show_chart(parse(f"flowchart TD\n{each}")) for each in (PATH, code))
    assert set(list_changes(own, other)) - ({"edge", "direction"} if kinds == {"shape"} else set()) == kinds


def test_a_shape_that_stands_elsewhere_is_seen_without_reading():
    """A question second instead of first is no matter of words."""
    first, second = "A{wet} --> B[dry]\nB --> C[fold]", "B[dry] --> A{wet}\nA --> C[fold]"
    assert "edge" in list_changes(*(show_chart(parse(f"flowchart TD\n{each}")) for each in (first, second)))


def test_every_negative_changes_something_whatever_its_edits_are_called(context):
    (anchor,) = make_anchors("flowchart TD\n" + PATH, context)
    for name in ("flowchart.image", "flowchart.caption", "flowchart.codeswap"):
        rows = [row for row in make_contrasts(name, anchor, context) if hasattr(row, "contrast_id")]
        assert rows
        for row in rows:
            kinds = [*measure_changes(row, anchor, context)]
            assert kinds and len(kinds) == len(set(kinds))
            assert [*measure_changes(replace(row, edits=()), anchor, context)] == kinds
    assert DOMAIN.changes is measure_changes
