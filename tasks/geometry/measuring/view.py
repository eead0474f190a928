"""What a picture offers to a reader: labelled points, the lines and rims between them, and the angles at them.

All in pixels (y up) and from shapes alone; see `reading`, which reads the marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

from counterfoil.tasks.geometry.facts.residuals import Circle, Point, measure_distance, measure_gap
from counterfoil.tasks.geometry.measuring.boxes import is_in_the_way
from counterfoil.tasks.geometry.measuring.ink import Ink
from counterfoil.tasks.geometry.measuring.merging import merge_lines
from counterfoil.tasks.geometry.measuring.strokes import (
    Line,
    Round,
    Square,
    find_direction,
    measure_turn_between,
    place_at,
)

ON_LINE = 3.0
"""Pixels within which a point is on a stroke."""
AT_VERTEX = 5.0
SAME_RAY = 7.0
"""Degrees within which an arc ends at a line."""
BESIDE = 12.0
"""Degrees beyond the sides of an angle up to which a number is still in it."""
OFF_CENTRE = 0.35
"""What a mark costs for a pixel by which it is off the middle of a length, and `LONGER` for one of that length."""
LONGER = 0.01
_BARE = 6.0

Names = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Wedge:
    """An angle at a labelled vertex: all its names, its directions in degrees, its marks in pixels."""

    names: Names
    vertex: Point
    start: float
    sweep: float
    radii: tuple[float, ...] = ()
    """Of its arcs, each once."""
    square: float = 0.0
    """The side of its right-angle square; 0 without."""
    crowded: bool = False
    """Whether its marks end where two lines are, so that they could be of another angle."""
    tagged: bool = False
    """Whether the script calls its arcs those of equal angles, which a single one beside a number need not be."""

    @property
    def is_marked(self) -> bool:
        return bool(self.radii or self.square)

    @cached_property
    def targets(self) -> list[Point]:
        """The places on its mark to which a number of it would be near."""
        turns = [self.start + share * self.sweep for share in (0.12, 0.3, 0.5, 0.7, 0.88)]
        points = [place_at(self.vertex, radius, turn) for radius in self.radii for turn in turns]
        if self.square:
            points.append(place_at(self.vertex, self.square * math.sqrt(2), self.start + self.sweep / 2))
        return points or [place_at(self.vertex, _BARE, self.start + self.sweep / 2)]

    def has_within(self, p: Point) -> bool:
        """Whether a place lies between the sides of the angle, or little beyond."""
        turn = measure_turn_between(find_direction(self.vertex, p), self.start + self.sweep / 2)
        return turn <= self.sweep / 2 + BESIDE


@dataclass(frozen=True)
class Span:
    """A line from one labelled point to the next on it: what a number beside it measures."""

    ends: tuple[str, str]
    line: Line
    rail: bool = False
    """Whether the line is not the thing itself, but one that runs beside it."""


@dataclass(frozen=True)
class RimSpan:
    """The arc of a circle from one labelled point to the next, counter-clockwise."""

    ends: tuple[str, str]
    circle: str
    round: Round


@dataclass(frozen=True)
class View:
    """The figure as it is seen."""

    points: Mapping[str, Point]
    lines: Sequence[Line]
    stops: Sequence[Sequence[str]]
    """The labels on each of the lines, in order along it."""
    ink: Ink
    circles: Mapping[str, Circle]
    wedges: Sequence[Wedge]
    spans: Sequence[Span]
    rims: Sequence[RimSpan]

    @classmethod
    def of(cls, ink: Ink, points: Mapping[str, Point]) -> View:
        """The view of a figure whose letters name ``points``."""
        lines = merge_lines(ink.lines)
        stops = [_list_on_line(line, points) for line in lines]
        wedges = [wedge for name in points for wedge in _list_wedges(name, points, lines, stops, ink)]
        spans = [Span((p, q), Line(points[p], points[q])) for on_it in stops for p, q in pairwise(on_it)]
        circles = name_circles(ink, points)
        return cls(points, lines, stops, ink, circles, wedges, spans, list(_list_rims(circles, points)))

    def has_line(self, *labels: str) -> bool:
        """Whether a line goes through labelled points."""
        return any(set(labels) <= set(on_it) for on_it in self.stops)

    def find_wedge(self, mark: Round | Square) -> Wedge | None:
        """The angle that an arc or a square marks."""
        vertex = mark.centre if isinstance(mark, Round) else mark.corner
        for wedge in self.wedges:
            turn = find_direction(vertex, mark.middle)
            inside = measure_turn_between(turn, wedge.start + wedge.sweep / 2) <= SAME_RAY
            size = round(mark.radius, 1) in wedge.radii if isinstance(mark, Round) else mark.side == wedge.square
            if size and inside and measure_distance(vertex, wedge.vertex) <= AT_VERTEX:
                return wedge
        return None

    def find_whole(self, ends: tuple[str, str], place: Point) -> Span | None:
        """The longer piece of a divided line in the middle of which a place is rather than in that of the one between
        two labels ``ends``."""

        def rate(pair: tuple[str, str]) -> float:
            (x0, y0), (x1, y1) = self.points[pair[0]], self.points[pair[1]]
            length = math.hypot(x1 - x0, y1 - y0) or 1.0
            along = ((place[0] - x0) * (x1 - x0) + (place[1] - y0) * (y1 - y0)) / length
            return OFF_CENTRE * abs(along - length / 2) + LONGER * length

        wholes = [
            pair
            for on_it in self.stops
            if len(on_it) > 2 and set(ends) <= set(on_it)
            for pair in combinations(on_it, 2)
            if set(ends) <= set(on_it[on_it.index(pair[0]) : on_it.index(pair[1]) + 1])
        ]
        best = min(wholes, key=rate, default=ends)
        return Span(best, Line(self.points[best[0]], self.points[best[1]])) if rate(best) < rate(ends) else None

    def is_hidden(self, here: Point, there: Point) -> bool:
        """Whether a line or a circle lies between two places."""
        return is_in_the_way(self.lines, self.ink.rounds, here, there)


def name_circles(ink: Ink, pixels: Mapping[str, Point]) -> dict[str, Circle]:
    """Circles by the label at their centre, else ``c1``, ``c2``, ... from left to right."""
    circles: dict[str, Circle] = {}
    unnamed = 0
    for each in sorted(ink.rounds, key=lambda c: (round(c.centre[0], 1), round(c.centre[1], 1), c.radius)):
        near = [name for name, p in pixels.items() if measure_distance(p, each.centre) <= 3.5 and name not in circles]
        if near:
            name = near[0]
        else:
            unnamed += 1
            name = f"c{unnamed}"
        circles[name] = (*each.centre, each.radius)
    return circles


def _list_on_line(line: Line, points: Mapping[str, Point]) -> list[str]:
    on_it = [name for name, p in points.items() if measure_gap(p, line.start, line.end) <= ON_LINE]
    return sorted(on_it, key=lambda name: measure_distance(points[name], line.start))


def _list_rays(
    name: str, points: Mapping[str, Point], lines: Sequence[Line], stops: Sequence[Sequence[str]]
) -> list[tuple[float, tuple[str, ...]]]:
    """The directions in which lines leave a point, with the labels along each."""
    place = points[name]
    rays: list[tuple[float, tuple[str, ...]]] = []
    for line, labels in zip(lines, stops, strict=True):
        if name not in labels:
            continue
        on_it = [other for other in labels if other != name]
        for end in (line.start, line.end):
            if measure_distance(place, end) > 2 * ON_LINE:
                turn = find_direction(place, end)
                ahead = [p for p in on_it if measure_turn_between(find_direction(place, points[p]), turn) < SAME_RAY]
                rays.append((turn, tuple(ahead)))
    return sorted(rays)


def _list_wedges(
    name: str, points: Mapping[str, Point], lines: Sequence[Line], stops: Sequence[Sequence[str]], ink: Ink
) -> Iterator[Wedge]:
    """The marked angles at a point, and those between neighbouring lines that bear no mark."""
    rays, place = _list_rays(name, points, lines, stops), points[name]
    radii: dict[tuple[int, int], set[float]] = {}
    squares: dict[tuple[int, int], float] = {}
    tagged: set[tuple[int, int]] = set()
    crowded: set[tuple[int, int]] = set()
    for arc in ink.angle_arcs:
        sides = _find_sides(rays, arc.start, arc.start + arc.sweep)
        if measure_distance(arc.centre, place) <= AT_VERTEX and sides is not None:
            radii.setdefault(sides, set()).add(round(arc.radius, 1))
            if _is_crowded(rays, arc.start, arc.start + arc.sweep):
                crowded.add(sides)
            if arc.gid.startswith("arcs "):
                tagged.add(sides)
    for square in ink.squares:
        first, second = square.start, square.end
        if (second - first) % 360 > 180:
            first, second = second, first
        sides = _find_sides(rays, first, second)
        if measure_distance(square.corner, place) <= AT_VERTEX and sides is not None:
            squares[sides] = square.side
            if _is_crowded(rays, first, second):
                crowded.add(sides)
    neighbours = [(i, (i + 1) % len(rays)) for i in range(len(rays))] if len(rays) > 1 else []
    for i, j in dict.fromkeys((*radii, *squares, *neighbours)):
        start, sweep = rays[i][0], (rays[j][0] - rays[i][0]) % 360
        names = tuple((p, name, q) for p in rays[i][1] for q in rays[j][1])
        marked = (i, j) in radii or (i, j) in squares
        if names and (marked or 3 < sweep < 177):
            arcs = tuple(sorted(radii.get((i, j), ())))
            yield Wedge(names, place, start, sweep, arcs, squares.get((i, j), 0.0), (i, j) in crowded, (i, j) in tagged)


def _is_crowded(rays: Sequence[tuple[float, tuple[str, ...]]], *ends: float) -> bool:
    """Whether a mark ends where two lines are, so that it could be of another angle."""
    return any(sum(measure_turn_between(turn, end) < SAME_RAY for turn, _ in rays) > 1 for end in ends)


def _find_sides(rays: Sequence[tuple[float, tuple[str, ...]]], start: float, end: float) -> tuple[int, int] | None:
    """The rays at which an arc starts and ends."""
    found = []
    for turn in (start, end):
        gap, i = min(((measure_turn_between(ray[0], turn), i) for i, ray in enumerate(rays)), default=(180.0, 0))
        if gap > SAME_RAY:
            return None
        found.append(i)
    return (found[0], found[1]) if found[0] != found[1] else None


def _list_rims(circles: Mapping[str, Circle], points: Mapping[str, Point]) -> Iterator[RimSpan]:
    for name, (x, y, radius) in circles.items():
        on_it = sorted(
            (find_direction((x, y), p), label)
            for label, p in points.items()
            if abs(measure_distance(p, (x, y)) - radius) <= ON_LINE
        )
        if len(on_it) > 1:
            for (start, p), (end, q) in pairwise([*on_it, on_it[0]]):
                yield RimSpan((p, q), name, Round((x, y), radius, start, (end - start) % 360))


def count_readings(view: View, texts: int) -> int:
    """How many comparisons of a mark with what it may stand at reading would make at most."""
    arms = [sum(len(on_it) - 1 for on_it in view.stops if vertex in on_it) for vertex in view.points]
    angles = sum(count * (count - 1) // 2 for count in arms) + len(view.ink.angle_arcs)
    return (len(view.spans) + angles + len(view.rims)) * (texts + len(view.ink.signs) + 1)
