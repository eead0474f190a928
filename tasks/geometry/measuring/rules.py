"""The rules that a recorded drawing must keep for its picture to be read as a figure.

MMCLIP Fig. 6 asks for black lines without axes and titles, and the prompts pass that on. What is refused is what a
reader would take for part of the figure, or could not read: colours and titles are neither.
"""

from __future__ import annotations

from counterfoil.renderers.results import Drawing
from counterfoil.tasks.geometry.measuring.limits import find_excess


def find_picture_problem(drawing: Drawing) -> str | None:
    """The first broken drawing rule, in words, or None."""
    excess = find_excess(drawing)
    if excess:
        return excess
    for panel in drawing.panels:
        if panel.axis_on:
            return "the axes are shown"
        for label in panel.labels:
            if not label.inside:
                return f"the text {label.text!r} is not wholly inside"
    return None


def find_other_look(drawing: Drawing, anchor: Drawing) -> str | None:
    """How a picture differs in its style from its anchor's, so that a glance at it would tell it from that, or None."""
    if drawing.paper != anchor.paper:
        return f"its paper is {drawing.paper}, the anchor's {anchor.paper}"
    foreign = sorted(_list_colors(drawing) - _list_colors(anchor))
    if foreign:
        return f"it is drawn in {', '.join(foreign)}, which the anchor does not use"
    titles = [any(panel.title.strip() for panel in each.panels) for each in (drawing, anchor)]
    if titles[0] != titles[1]:
        return "it has a title" if titles[0] else "it has no title, as the anchor has"
    return None


def _list_colors(drawing: Drawing) -> set[str]:
    """The colours of strokes, texts and dots; a grey too dark to be told from black is black."""
    shapes = (
        shape.color
        for panel in drawing.panels
        for group in (panel.polylines, panel.arcs, panel.dots, panel.labels)
        for shape in group
    )
    faces = (face.color for face in drawing.faces if face.alpha > 0 and face.color != drawing.paper)
    return {"black" if is_black(color) else color for color in (*shapes, *faces)}


def is_black(color: str) -> bool:
    """Whether ``#rrggbb`` is black or a grey too dark to be told from it."""
    return max(int(color[i : i + 2], 16) for i in (1, 3, 5)) <= 0x33
