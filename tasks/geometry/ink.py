"""What kind of ink each recorded shape is: lines, circles, angle arcs, right-angle squares, ticks, arrowheads, dots.

Works in pixels of the page (y up), because that is what a viewer sees whatever the axes do, and on shapes alone: the
scripts of other authors draw circles as patches or as dense polylines, and squares as polygons or as two strokes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from renderers.results import Arc, Panel, Polyline
from tasks.geometry.residuals import Point, measure_distance, measure_gap, measure_turn

SMALL = 30.0
"""Pixels: squares, ticks and arrowheads have sides no longer than this."""
ANGLE_ARC = 75.0
"""Pixels: an arc of at most this radius around a vertex marks an angle."""
TICK_LENGTH = 20.0


@dataclass(frozen=True)
class Line:
    """A straight stroke."""

    start: Point
    end: Point

    @property
    def length(self) -> float:
        return measure_distance(self.start, self.end)


@dataclass(frozen=True)
class Round:
    """A circle or an arc of one: directions in degrees, counter-clockwise from ``start`` over ``sweep``."""

    centre: Point
    radius: float
    start: float = 0.0
    sweep: float = 360.0
    gid: str = ""

    @property
    def middle(self) -> Point:
        """The point halfway along."""
        turn = math.radians(self.start + self.sweep / 2)
        return (self.centre[0] + self.radius * math.cos(turn), self.centre[1] + self.radius * math.sin(turn))


@dataclass(frozen=True)
class Square:
    """A right-angle mark: its corner at the vertex, and the directions of its sides in degrees."""

    corner: Point
    start: float
    end: float
    gid: str = ""


@dataclass(frozen=True)
class Sign:
    """A tick or an arrowhead by the point at which it sits on its line; ``kind`` is ``ticks`` or ``parallel``."""

    kind: str
    place: Point
    gid: str = ""


@dataclass
class Ink:
    """All strokes of a panel, sorted by what they are."""

    lines: list[Line] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    angle_arcs: list[Round] = field(default_factory=list)
    squares: list[Square] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    dots: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class PageMap:
    """From a panel's data coordinates to pixels of the page, y up."""

    x0: float
    y0: float
    per_x: float
    per_y: float

    @classmethod
    def of(cls, panel: Panel) -> PageMap:
        """The map of ``panel``; negative factors where an axis is inverted."""
        left, top, right, bottom = panel.box
        per_x = (right - left) / ((panel.xlim[1] - panel.xlim[0]) or 1.0)
        per_y = (bottom - top) / ((panel.ylim[1] - panel.ylim[0]) or 1.0)
        return cls(panel.xlim[0], panel.ylim[0], per_x, per_y)

    def to_pixels(self, p: Point) -> Point:
        return ((p[0] - self.x0) * self.per_x, (p[1] - self.y0) * self.per_y)

    @property
    def is_true(self) -> bool:
        """Whether one unit is as long in both directions and neither axis is inverted."""
        return self.per_x > 0 and abs(self.per_y / self.per_x - 1) < 0.005


def sort_ink(panel: Panel) -> Ink:
    """Sort the panel's shapes. Curves that are neither straight nor round are left out."""
    page = PageMap.of(panel)
    ink = Ink(dots=[page.to_pixels(dot.position) for dot in panel.dots])
    for arc in panel.arcs:
        _sort_arc(arc, page, ink)
    for polyline in panel.polylines:
        _sort_polyline(polyline, [page.to_pixels(p) for p in polyline.points], ink)
    _settle_rounds(ink)
    return ink


def _sort_arc(arc: Arc, page: PageMap, ink: Ink) -> None:
    width, height = abs(arc.width * page.per_x), abs(arc.height * page.per_y)
    if max(width, height) < 1e-6 or abs(width - height) > 0.03 * max(width, height):
        return
    radius = (width + height) / 4
    centre = page.to_pixels(arc.centre)
    if arc.filled and radius < 7:
        ink.dots.append(centre)
        return
    sweep = arc.theta2 - arc.theta1
    sweep = 360.0 if abs(sweep) >= 360 - 1e-6 else sweep % 360
    ink.rounds.append(Round(centre, radius, (arc.angle + arc.theta1) % 360, sweep, arc.gid))


def _sort_polyline(shape: Polyline, points: list[Point], ink: Ink) -> None:
    points = [p for i, p in enumerate(points) if i == 0 or measure_distance(p, points[i - 1]) > 1e-6]
    if len(points) < 2:
        return
    if len(points) >= 9:
        fitted = _fit_round(points, shape.closed, shape.gid)
        if fitted is not None:
            if shape.filled and fitted.radius < 7:
                ink.dots.append(fitted.centre)
            else:
                ink.rounds.append(fitted)
        elif shape.closed and len(points) <= 12:
            ink.lines += [Line(a, b) for a, b in pairwise([*points, points[0]])]
        return
    square = _read_square(points, shape)
    if square is not None:
        ink.squares.append(square)
        return
    sign = _read_sign(points, shape)
    if sign is not None:
        ink.signs.append(sign)
        return
    ring = [*points, points[0]] if shape.closed and len(points) > 2 else points
    ink.lines += [Line(a, b) for a, b in pairwise(ring)]


def _fit_round(points: Sequence[Point], closed: bool, gid: str) -> Round | None:
    """The circle through a dense polyline, if it is one: every point within 1.5 % of the radius."""
    rows = np.array([[2 * x, 2 * y, 1.0] for x, y in points])
    squares = np.array([x * x + y * y for x, y in points])
    solution, _, rank, _ = np.linalg.lstsq(rows, squares, rcond=None)
    if rank < 3:
        return None
    centre = (float(solution[0]), float(solution[1]))
    radii = [measure_distance(centre, p) for p in points]
    radius = sum(radii) / len(radii)
    if radius <= 0 or radius > 5000 or max(abs(r - radius) for r in radii) > 0.015 * radius + 0.2:
        return None
    turns = [math.degrees(measure_turn(a, centre, b)) for a, b in pairwise(points)]
    sweep = sum(turns)
    if max(abs(turn) for turn in turns) > 45:
        return None
    if closed or abs(sweep) > 355:
        return Round(centre, radius, 0.0, 360.0, gid)
    first = points[0] if sweep > 0 else points[-1]
    start = math.degrees(math.atan2(first[1] - centre[1], first[0] - centre[0]))
    return Round(centre, radius, start % 360, abs(sweep), gid)


def _read_square(points: Sequence[Point], shape: Polyline) -> Square | None:
    """A right-angle mark: two equal short strokes at a right angle, or a small square."""
    corners = list(points)
    if len(corners) == 4 and (shape.closed or shape.filled):
        sides = [measure_distance(a, b) for a, b in pairwise([*corners, corners[0]])]
        if max(sides) > SMALL or max(sides) > 1.3 * min(sides) or not _is_right(corners[0], corners[1], corners[2]):
            return None
        # Which of the four is the vertex only the figure tells; `measure` tries each.
        return Square(corners[0], _direct(corners[0], corners[1]), _direct(corners[0], corners[3]), shape.gid or "any")
    if len(corners) != 3 or shape.closed:
        return None
    a, b, c = corners
    first, second = measure_distance(a, b), measure_distance(b, c)
    if max(first, second) > SMALL or max(first, second) > 1.3 * min(first, second) or not _is_right(a, b, c):
        return None
    corner = (a[0] + c[0] - b[0], a[1] + c[1] - b[1])
    return Square(corner, _direct(corner, a), _direct(corner, c), shape.gid)


def _is_right(a: Point, b: Point, c: Point) -> bool:
    return abs(abs(math.degrees(measure_turn(a, b, c))) - 90) < 12


def _direct(p: Point, q: Point) -> float:
    return math.degrees(math.atan2(q[1] - p[1], q[0] - p[0])) % 360


def _read_sign(points: Sequence[Point], shape: Polyline) -> Sign | None:
    if len(points) == 2 and measure_distance(*points) <= TICK_LENGTH and not shape.gid.startswith("segment"):
        middle = ((points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2)
        return Sign("ticks", middle, shape.gid)
    if len(points) == 3:
        a, b, c = points
        legs = (measure_distance(a, b), measure_distance(b, c))
        turn = abs(math.degrees(measure_turn(a, b, c)))
        if max(legs) <= TICK_LENGTH and max(legs) < 1.3 * min(legs) and 20 < turn < 130:
            return Sign("parallel", b, shape.gid)
    return None


def _settle_rounds(ink: Ink) -> None:
    """Tell angle arcs from circles: an arc of small radius that is not a whole turn marks an angle."""
    marks = [each for each in ink.rounds if each.sweep < 350 and each.radius <= ANGLE_ARC]
    whole = [each for each in ink.rounds if each.sweep >= 350 or each.radius > ANGLE_ARC]
    ends = [p for line in ink.lines for p in (line.start, line.end)]
    for mark in marks:
        at_vertex = any(measure_distance(mark.centre, p) < 4 for p in ends) or any(
            _passes(line, mark.centre) for line in ink.lines
        )
        (ink.angle_arcs if at_vertex else whole).append(mark)
    ink.rounds = whole


def _passes(line: Line, p: Point) -> bool:
    return measure_gap_to_line(p, line) < 3


def measure_gap_to_line(p: Point, line: Line) -> float:
    """Pixels from a point to a stroke."""
    return measure_gap(p, line.start, line.end)


def iterate_crossings(lines: Sequence[Line]) -> Iterator[Point]:
    """Where straight strokes meet or cross."""
    for i, first in enumerate(lines):
        for second in lines[i + 1 :]:
            place = _cross(first, second)
            if place is not None:
                yield place


def _cross(first: Line, second: Line) -> Point | None:
    (x1, y1), (x2, y2) = first.start, first.end
    (x3, y3), (x4, y4) = second.start, second.end
    below = (x2 - x1) * (y4 - y3) - (y2 - y1) * (x4 - x3)
    if abs(below) < 1e-3 * first.length * second.length:
        return None
    t = ((x3 - x1) * (y4 - y3) - (y3 - y1) * (x4 - x3)) / below
    u = ((x3 - x1) * (y2 - y1) - (y3 - y1) * (x2 - x1)) / below
    slack_t, slack_u = 3 / (first.length or 1), 3 / (second.length or 1)
    if not (-slack_t <= t <= 1 + slack_t and -slack_u <= u <= 1 + slack_u):
        return None
    return (x1 + t * (x2 - x1), y1 + t * (y2 - y1))


def iterate_rim_crossings(line: Line, circle: Round) -> Iterator[Point]:
    """Where a stroke meets a circle; one point where it touches."""
    (x1, y1), (x2, y2) = line.start, line.end
    dx, dy = x2 - x1, y2 - y1
    square = dx * dx + dy * dy
    if square == 0:
        return
    foot = ((circle.centre[0] - x1) * dx + (circle.centre[1] - y1) * dy) / square
    px, py = x1 + foot * dx, y1 + foot * dy
    off = measure_distance((px, py), circle.centre)
    if off > circle.radius + 2.5:
        return
    half = math.sqrt(max(0.0, circle.radius**2 - off**2)) / math.sqrt(square)
    slack = 3 / math.sqrt(square)
    shares = (foot,) if abs(off - circle.radius) <= 2.5 else (foot - half, foot + half)
    for share in shares:
        if -slack <= share <= 1 + slack:
            yield (x1 + share * dx, y1 + share * dy)
