"""What one figure may hold: bounds by which reading it takes a bounded time, whoever drew it."""

from __future__ import annotations

from counterfoil.renderers.results import Drawing, Panel

MOST = {"strokes": 2000, "points of strokes": 20_000, "dots": 400, "texts": 200, "filled regions": 100}
"""No figure that anybody could read has more."""
LONGEST_TEXT = 80
"""Characters of one text; a longer one is no label."""
FARTHEST = 20.0
"""Sides of a panel by which a shape may reach beyond it."""


def find_excess(drawing: Drawing) -> str | None:
    """What a drawing has too much of, in words; None where it can be read in a bounded time."""
    panels = drawing.panels
    counts = {
        "strokes": sum(len(panel.polylines) + len(panel.arcs) for panel in panels),
        "points of strokes": sum(len(line.points) for panel in panels for line in panel.polylines),
        "dots": sum(len(panel.dots) for panel in panels),
        "texts": sum(len(panel.labels) for panel in panels),
        "filled regions": len(drawing.faces),
    }
    for name, count in counts.items():
        if count > MOST[name]:
            return f"{count} {name} are drawn; a figure has {MOST[name]} at most"
    for panel in panels:
        for label in panel.labels:
            if len(label.text) > LONGEST_TEXT:
                return f"a text has {len(label.text)} characters, a label {LONGEST_TEXT} at most"
        if _reaches_far(panel):
            return "a shape reaches far beyond the picture"
    return None


def _reaches_far(panel: Panel) -> bool:
    (x0, x1), (y0, y1) = sorted(panel.xlim), sorted(panel.ylim)
    wide, high = FARTHEST * ((x1 - x0) or 1.0), FARTHEST * ((y1 - y0) or 1.0)
    return not all(
        x0 - wide <= x <= x1 + wide and y0 - high <= y <= y1 + high for line in panel.polylines for x, y in line.points
    )
