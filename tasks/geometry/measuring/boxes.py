"""Boxes of texts and what lies between them and the strokes: nearest places, and whether a line is in the way."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from counterfoil.renderers.results import Label
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance
from counterfoil.tasks.geometry.letterforms import TAILS, TALL
from counterfoil.tasks.geometry.measuring.ink import PageMap
from counterfoil.tasks.geometry.measuring.strokes import Line, Round

Box = tuple[float, float, float, float]
_MATH = re.compile(r"[$\\^\n]")
GRAZE = 1.5
"""Pixels at both ends of a way within which a line that it touches is not in the way."""


def find_ink_box(label: Label, page: PageMap) -> Box:
    """The box (x0, y0, x1, y1) in pixels of a text's letters. The recorded one is as high as its line: an em, with the
    baseline at a quarter, whatever the letters are."""
    (xa, ya), (xb, yb) = page.to_pixels(label.box[:2]), page.to_pixels(label.box[2:])
    x0, x1, y0, y1 = min(xa, xb), max(xa, xb), min(ya, yb), max(ya, yb)
    height = y1 - y0
    if label.rotation % 360 or _MATH.search(label.text):
        return (x0 + 1, y0 + 0.08 * height, x1 - 1, y1 - 0.08 * height)
    bottom = 0.02 if TAILS.search(label.text) else 0.25
    top = 0.98 if TALL.search(label.text) else 0.78
    return (x0 + 1, y0 + bottom * height, x1 - 1, y0 + top * height)


def find_centre(box: Box) -> Point:
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def find_nearest_in_box(p: Point, box: Box) -> Point:
    """The point of ``box`` that is nearest to ``p``; ``p`` itself where it is inside."""
    x, y = p
    x0, y0, x1, y1 = box
    x = x0 if x < x0 else x
    y = y0 if y < y0 else y
    return (x1 if x > x1 else x, y1 if y > y1 else y)


def measure_gap_to_point(box: Box, p: Point) -> float:
    """Pixels from a box to a point, 0 inside."""
    return measure_distance(p, find_nearest_in_box(p, box))


def find_way_to_line(box: Box, start: Point, end: Point) -> tuple[float, Point, Point]:
    """The shortest way from a box to a segment: its length, where it leaves the box and where it ends."""
    corners = [(box[i], box[j]) for i in (0, 2) for j in (1, 3)]
    return find_way_to_points(box, [start, end, *(_find_foot(p, start, end) for p in (*corners, find_centre(box)))])


def _find_foot(p: Point, start: Point, end: Point) -> Point:
    dx, dy = end[0] - start[0], end[1] - start[1]
    share = ((p[0] - start[0]) * dx + (p[1] - start[1]) * dy) / ((dx * dx + dy * dy) or 1.0)
    share = min(max(share, 0.0), 1.0)
    return (start[0] + share * dx, start[1] + share * dy)


def find_way_to_points(box: Box, points: Iterable[Point]) -> tuple[float, Point, Point]:
    """The shortest way from a box to one of ``points``: its length, where it leaves the box and where it ends."""
    ways = ((find_nearest_in_box(p, box), p) for p in points)
    return min((measure_distance(p, near), near, p) for near, p in ways)


def is_in_the_way(lines: Sequence[Line], rounds: Sequence[Round], here: Point, there: Point) -> bool:
    """Whether a stroke crosses the straight way from ``here`` to ``there``, further than `GRAZE` from both."""
    length = measure_distance(here, there)
    if length <= 2 * GRAZE:
        return False
    ux, uy = (there[0] - here[0]) / length, (there[1] - here[1]) / length
    a = (here[0] + GRAZE * ux, here[1] + GRAZE * uy)
    b = (there[0] - GRAZE * ux, there[1] - GRAZE * uy)
    return any(_crosses(a, b, line.start, line.end) for line in lines) or any(
        _crosses_rim(a, b, each) for each in rounds
    )


def _crosses(a: Point, b: Point, p: Point, q: Point) -> bool:
    """Whether AB and PQ cross: the ends of each lie on two sides of the other."""
    (ax, ay), (bx, by), (px, py), (qx, qy) = a, b, p, q
    along, up = bx - ax, by - ay
    if (along * (py - ay) - up * (px - ax)) * (along * (qy - ay) - up * (qx - ax)) >= 0:
        return False
    along, up = qx - px, qy - py
    return (along * (ay - py) - up * (ax - px)) * (along * (by - py) - up * (bx - px)) < 0


def _crosses_rim(a: Point, b: Point, circle: Round) -> bool:
    """Whether the way from A to B meets the rim where it is drawn."""
    (x, y), radius = circle.centre, circle.radius
    dx, dy, fx, fy = b[0] - a[0], b[1] - a[1], a[0] - x, a[1] - y
    p, q, r = dx * dx + dy * dy, 2 * (fx * dx + fy * dy), fx * fx + fy * fy - radius * radius
    below = q * q - 4 * p * r
    if below <= 0 or p == 0:
        return False
    root = math.sqrt(below)
    for share in ((-q - root) / (2 * p), (-q + root) / (2 * p)):
        if 0 <= share <= 1:
            turn = math.degrees(math.atan2(fy + share * dy, fx + share * dx))
            if (turn - circle.start) % 360 <= circle.sweep:
                return True
    return False
