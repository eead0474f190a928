"""Single strokes: straight, round, and the pieces of a polyline that is both. In pixels, y up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance, measure_gap, measure_turn

CORNER = 20.5
"""Degrees by which a polyline turns at a corner rather than along a curve."""
SAGITTA = 2.0
"""Pixels by which the chords of a curve drawn as a polyline may leave it."""
ARROW_WIDTH = 8.0


def place_at(centre: Point, radius: float, turn: float) -> Point:
    """The point ``radius`` from ``centre`` in the direction ``turn`` (degrees)."""
    angle = math.radians(turn)
    return (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))


def measure_turn_between(a: float, b: float) -> float:
    """Degrees between two directions, 0 to 180."""
    return abs((a - b + 180) % 360 - 180)


def find_direction(p: Point, q: Point) -> float:
    """The direction from P to Q in degrees, 0 to 360."""
    return math.degrees(math.atan2(q[1] - p[1], q[0] - p[0])) % 360


@dataclass(frozen=True)
class Line:
    """A straight stroke."""

    start: Point
    end: Point
    alone: bool = False
    """Whether it is a stroke of its own, not a side of an outline: only then it may be a tick."""

    @property
    def middle(self) -> Point:
        return ((self.start[0] + self.end[0]) / 2, (self.start[1] + self.end[1]) / 2)

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
    def ends(self) -> tuple[Point, Point]:
        """Where it starts and ends."""
        first, last = (place_at(self.centre, self.radius, turn) for turn in (self.start, self.start + self.sweep))
        return first, last

    @property
    def middle(self) -> Point:
        """The point halfway along."""
        return place_at(self.centre, self.radius, self.start + self.sweep / 2)


@dataclass(frozen=True)
class Square:
    """A right-angle mark: its corner at the vertex, and the directions of its sides in degrees."""

    corner: Point
    start: float
    end: float
    side: float

    @property
    def middle(self) -> Point:
        """The corner across from the vertex."""
        turns = (math.radians(self.start), math.radians(self.end))
        x, y = (self.side * sum(map(part, turns)) for part in (math.cos, math.sin))
        return (self.corner[0] + x, self.corner[1] + y)


@dataclass(frozen=True)
class Sign:
    """A tick or an arrowhead by the point at which it sits on its line; ``kind`` is ``ticks`` or ``parallel``."""

    kind: str
    place: Point


def read_arrow(points: Sequence[Point]) -> Line | None:
    """The shaft of an arrow drawn as a slender outline: from the middle of its narrow tail to its tip."""
    tail, tip = max(combinations(points, 2), key=lambda pair: measure_distance(*pair))
    length = measure_distance(tail, tip)
    if length < 24:
        return None
    for end, other in ((tail, tip), (tip, tail)):
        near = [p for p in points if measure_distance(p, end) <= ARROW_WIDTH]
        middle = (sum(p[0] for p in near) / len(near), sum(p[1] for p in near) / len(near))
        rest = [p for p in points if p not in near and p != other]
        head = [p for p in rest if measure_distance(p, other) <= 0.45 * length and measure_gap(p, middle, other) <= 14]
        if len(near) == 2 and len(rest) >= 3 and len(head) == len(rest):
            return Line(middle, other)
    return None


def split_at_corners(path: Sequence[Point]) -> list[list[Point]]:
    """The smooth pieces of a polyline: it is cut where it turns sharply and at both ends of a chord that is much longer
    than its neighbours, as where an arc runs on into a side."""
    ring = measure_distance(path[0], path[-1]) < 1e-6
    points = list(path[:-1]) if ring else list(path)
    count = len(points)
    chords = [measure_distance(points[i], points[(i + 1) % count]) for i in range(count)]

    def is_corner(i: int) -> bool:
        if not ring and i in (0, count - 1):
            return False
        before, after = chords[i - 1], chords[i]
        if max(before, after) > 12 and max(before, after) > 6 * min(before, after):
            return True
        return 180 - abs(math.degrees(measure_turn(points[i - 1], points[i], points[(i + 1) % count]))) > CORNER

    corners = [i for i in range(count) if is_corner(i)]
    if ring:
        if not corners:
            return [list(path)]
        points = points[corners[0] :] + points[: corners[0] + 1]
        corners = [i - corners[0] for i in corners]
    bounds = sorted({0, *corners, len(points) - 1})
    return [points[first : last + 1] for first, last in pairwise(bounds)]


def fit_round(points: Sequence[Point]) -> Round | None:
    """The circle or arc through a dense polyline, if it is one: every point within 1.5 % of the radius, or 3 % of the
    span of a short arc, and chords so short that they look round. A ring ends where it starts."""
    rows = np.array([[2 * x, 2 * y, 1.0] for x, y in points])
    squares = np.array([x * x + y * y for x, y in points])
    solution, _, rank, _ = np.linalg.lstsq(rows, squares, rcond=None)
    if rank < 3:
        return None
    centre = (float(solution[0]), float(solution[1]))
    radii = [measure_distance(centre, p) for p in points]
    radius = sum(radii) / len(radii)
    span = max(measure_distance(points[0], p) for p in points)
    if radius <= 0 or radius > 5000 or max(abs(r - radius) for r in radii) > min(0.015 * radius, 0.03 * span) + 0.2:
        return None
    turns = [math.degrees(measure_turn(a, centre, b)) for a, b in pairwise(points)]
    widest = max(abs(turn) for turn in turns)
    if widest > 45 or (widest > CORNER and radius * (1 - math.cos(math.radians(widest / 2))) > SAGITTA):
        return None
    sweep = sum(turns)
    if abs(sweep) > 355:
        return Round(centre, radius)
    first = points[0] if sweep > 0 else points[-1]
    start = find_direction(centre, first)
    return Round(centre, radius, start, abs(sweep))


def measure_gap_to_line(p: Point, line: Line) -> float:
    """Pixels from a point to a stroke."""
    return measure_gap(p, line.start, line.end)
