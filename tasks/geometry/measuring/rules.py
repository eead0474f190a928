"""The drawing rules of MMCLIP Fig. 6 on a recorded drawing: black only, no title, labels inside and legible."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from renderers.results import Drawing, Label, Panel
from tasks.geometry.drawing.labels import measure_cover
from tasks.geometry.measuring.ink import PageMap, sort_ink
from tasks.geometry.measuring.limits import find_excess
from tasks.geometry.measuring.strokes import Line, Round

Box = tuple[float, float, float, float]
COVERED = 9.0
"""Pixels of a line inside a text's box from which the line is seen to run through it."""
OVERLAP = 0.2
"""Share of the smaller of two texts' boxes from which they are seen to overlap."""
INK_SHARE = 0.72
"""A text's box is taller than its letters: the middle share of it holds the ink."""


def find_picture_problem(drawing: Drawing) -> str | None:
    """The first broken drawing rule, in words, or None."""
    excess = find_excess(drawing)
    if excess:
        return excess
    for panel in drawing.panels:
        problem = _find_style_problem(panel) or _find_label_problem(panel)
        if problem:
            return problem
    return None


def _find_style_problem(panel: Panel) -> str | None:
    if panel.title.strip():
        return f"it has the title {panel.title.strip()!r}"
    if panel.axis_on:
        return "the axes are shown"
    shapes = (panel.polylines, panel.arcs, panel.dots, panel.labels)
    for color in (shape.color for group in shapes for shape in group):
        if not is_black(color):
            return f"it is not black only ({color})"
    return None


def is_black(color: str) -> bool:
    """Whether ``#rrggbb`` is black or a grey too dark to be told from it."""
    digits = color.lstrip("#")[:6]
    try:
        return len(digits) == 6 and max(int(digits[i : i + 2], 16) for i in (0, 2, 4)) <= 0x33
    except ValueError:
        return False


def _find_label_problem(panel: Panel) -> str | None:
    page = PageMap.of(panel)
    boxes = [(label, _shrink(label, page)) for label in panel.labels]
    for label, _ in boxes:
        if not label.inside:
            return f"the text {label.text!r} is not wholly inside"
    for (first, a), (second, b) in combinations(boxes, 2):
        shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
        if shared > OVERLAP * min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1])):
            return f"the texts {first.text!r} and {second.text!r} overlap"
    ink = sort_ink(panel)
    crossed = _find_crossed([box for _, box in boxes], ink.lines, [*ink.rounds, *ink.angle_arcs])
    return None if crossed is None else f"a line runs through the text {boxes[crossed][0].text!r}"


def _shrink(label: Label, page: PageMap) -> Box:
    (xa, ya), (xb, yb) = page.to_pixels(label.box[:2]), page.to_pixels(label.box[2:])
    x0, x1, y0, y1 = min(xa, xb), max(xa, xb), min(ya, yb), max(ya, yb)
    spare = (y1 - y0) * (1 - INK_SHARE) / 2
    return (x0 + 1, y0 + spare, x1 - 1, y1 - spare)


def _find_crossed(boxes: list[Box], lines: list[Line], rounds: list[Round]) -> int | None:
    """The first of the boxes that a stroke runs through."""
    rows = [np.array([[*line.start, *line.end] for line in lines]).reshape(-1, 4)]
    for each in rounds:
        turns = np.radians(each.start + np.linspace(0, each.sweep, 49))
        points = np.array(each.centre) + each.radius * np.column_stack([np.cos(turns), np.sin(turns)])
        rows.append(np.hstack([points[:-1], points[1:]]))
    strokes = np.vstack(rows)
    low, high = np.minimum(strokes[:, :2], strokes[:, 2:]), np.maximum(strokes[:, :2], strokes[:, 2:])
    for i, box in enumerate(np.array(boxes).reshape(-1, 4)):
        near = ((low <= box[2:]) & (high >= box[:2])).all(axis=1)
        if measure_cover(box[None, :2], box[None, 2:], strokes[near]).sum() > COVERED:
            return i
    return None
