"""What kind of ink each recorded shape is: lines, circles, angle arcs, right-angle squares, ticks, arrowheads, dots.

Works in pixels of the page (y up), because that is what a viewer sees whatever the axes do, and on shapes alone: the
scripts of other authors draw circles as patches or as dense polylines, and squares as polygons or as two strokes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from counterfoil.renderers.results import Arc, Panel, Polyline
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance, measure_gap, measure_turn
from counterfoil.tasks.geometry.measuring.nearby import LineGrid
from counterfoil.tasks.geometry.measuring.strokes import (
    Line,
    Round,
    Sign,
    Square,
    find_direction,
    fit_round,
    measure_gap_to_line,
    place_at,
    read_arrow,
    split_at_corners,
)

SMALL = 30.0
"""Pixels: squares, ticks and arrowheads have sides no longer than this."""
ANGLE_ARC = 75.0
"""Pixels: an arc of at most this radius around a vertex marks an angle."""
TICK_LENGTH = 20.0
LARGE_SQUARE = 48.0
"""Pixels: up to this side a square is a right-angle mark where two longer strokes run along it."""
LONG_TICK = 32.0
"""Pixels: up to this length a stroke whose middle crosses a longer one squarely is a tick."""
WIDE_ARC = 120.0
"""Pixels: up to this radius an arc between two longer sides marks their angle."""
SAME_CIRCLE = 2.5
"""Pixels by which centres and radii of arcs of one circle may differ."""
JOINED = 1.5
"""Pixels within which the ends of two strokes are one."""
SIDE = 560.0
"""Pixels of a panel's longer side: larger panels, as of 300 dots per inch, are measured as if reduced to this."""


@dataclass
class Ink:
    """All strokes of a panel, sorted by what they are."""

    lines: list[Line] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    angle_arcs: list[Round] = field(default_factory=list)
    squares: list[Square] = field(default_factory=list)
    signs: list[Sign] = field(default_factory=list)
    dots: list[Point] = field(default_factory=list)
    curves: list[list[Point]] = field(default_factory=list)
    """Curves that are neither straight nor round, such as parabolas: they only offer crossings."""


@dataclass(frozen=True)
class PageMap:
    """From a panel's data coordinates to pixels of the page, y up; a large panel is reduced to `SIDE`."""

    x0: float
    y0: float
    per_x: float
    per_y: float

    @classmethod
    def of(cls, panel: Panel) -> PageMap:
        """The map of ``panel``; negative factors where an axis is inverted."""
        left, top, right, bottom = panel.box
        reduction = min(1.0, SIDE / (max(right - left, bottom - top) or 1.0))
        per_x = reduction * (right - left) / ((panel.xlim[1] - panel.xlim[0]) or 1.0)
        per_y = reduction * (bottom - top) / ((panel.ylim[1] - panel.ylim[0]) or 1.0)
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
    squares: list[tuple[Polyline, list[Point], list[Square]]] = []
    for polyline in panel.polylines:
        points = _drop_repeats([page.to_pixels(p) for p in polyline.points])
        if possible := _list_squares(points, polyline):
            squares.append((polyline, points, possible))
        else:
            _sort_polyline(polyline, points, ink)
    grid = LineGrid(ink.lines)
    for polyline, points, possible in squares:
        _settle_square(polyline, points, possible, ink, grid)
    grid = _join_squares(ink, grid)
    _settle_ticks(ink, grid)
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


def _drop_repeats(points: Sequence[Point]) -> list[Point]:
    return [p for i, p in enumerate(points) if i == 0 or measure_distance(p, points[i - 1]) > 1e-6]


def _sort_polyline(shape: Polyline, points: list[Point], ink: Ink) -> None:
    if len(points) < 2:
        return
    if len(points) < 5:
        _sort_strokes(shape, points, ink)
        return
    shaft = read_arrow(points) if shape.filled and len(points) <= 10 else None
    if shaft is not None:
        ink.lines.append(shaft)
        return
    path = _close(points) if shape.closed else points
    fitted = fit_round(path)
    if fitted is None:
        for piece in split_at_corners(path):
            _sort_piece(piece, ink)
    elif shape.filled and fitted.radius < 7:
        ink.dots.append(fitted.centre)
    else:
        ink.rounds.append(fitted)


def _sort_strokes(shape: Polyline, points: list[Point], ink: Ink) -> None:
    sign = _read_sign(points)
    if sign is not None:
        ink.signs.append(sign)
        return
    path = _close(points) if shape.closed and len(points) > 2 else points
    ink.lines += [Line(a, b, len(path) == 2) for a, b in pairwise(path)]


def _close(points: Sequence[Point]) -> list[Point]:
    return [*points, points[0]] if measure_distance(points[0], points[-1]) > 1e-6 else [*points]


def _sort_piece(piece: list[Point], ink: Ink) -> None:
    first, last = piece[0], piece[-1]
    if max(measure_gap(p, first, last) for p in piece) <= 0.6:
        ink.lines.append(Line(first, last))
    elif len(piece) >= 5 and (fitted := fit_round(piece)) is not None:
        ink.rounds.append(fitted)
    elif len(piece) < 5 or sum(measure_distance(a, b) for a, b in pairwise(piece)) > 25 * (len(piece) - 1):
        ink.lines += [Line(a, b) for a, b in pairwise(piece)]
    else:
        ink.curves.append(piece)


def _list_squares(points: Sequence[Point], shape: Polyline) -> list[Square]:
    """The right-angle marks that a shape may be: two equal short strokes at a right angle, or a small square, of which
    each corner may be the vertex."""
    corners = list(points)
    if len(corners) == 5 and measure_distance(corners[0], corners[4]) < 1e-6:
        corners.pop()
    if len(corners) == 4 and (shape.closed or shape.filled or len(points) == 5):
        vertices = [(corners[i], corners[(i + 1) % 4], corners[i - 1]) for i in range(4)]
    elif len(corners) == 3 and not shape.closed:
        a, b, c = corners
        vertices = [((a[0] + c[0] - b[0], a[1] + c[1] - b[1]), a, c)]
    else:
        return []
    sides = [measure_distance(vertex, p) for vertex, *ends in vertices for p in ends]
    if max(sides) > LARGE_SQUARE or max(sides) > 1.3 * min(sides) or not _is_right(*corners[:3]):
        return []
    return [
        Square(vertex, find_direction(vertex, p), find_direction(vertex, q), max(sides)) for vertex, p, q in vertices
    ]


def _settle_square(shape: Polyline, points: list[Point], possible: Sequence[Square], ink: Ink, grid: LineGrid) -> None:
    """The vertex of a square mark is where longer strokes run along both its sides; a large one without is no mark."""
    fitting = [square for square in possible if _runs_along(square, grid)]
    if fitting or possible[0].side <= SMALL:
        ink.squares.append((fitting or possible)[0])
    else:
        before = len(ink.lines)
        _sort_polyline(shape, points, ink)
        for line in ink.lines[before:]:
            grid.add(line)


def _join_squares(ink: Ink, grid: LineGrid) -> LineGrid:
    """Take two strokes of their own that meet squarely for a right-angle mark where longer ones run along its other two
    sides."""
    short = [line for line in ink.lines if line.alone and line.length <= LARGE_SQUARE]
    gone: set[int] = set()
    for i, first in enumerate(short):
        for second in short[i + 1 :]:
            if id(first) in gone or id(second) in gone:
                continue
            square = _read_pair(first, second)
            if square is not None and _runs_along(square, grid):
                ink.squares.append(square)
                gone |= {id(first), id(second)}
    if not gone:
        return grid
    ink.lines = [line for line in ink.lines if id(line) not in gone]
    return LineGrid(ink.lines)


def _read_pair(first: Line, second: Line) -> Square | None:
    """The square that two strokes make with their common end: its vertex is opposite to that."""
    for a, corner in ((first.start, first.end), (first.end, first.start)):
        for c, other in ((second.start, second.end), (second.end, second.start)):
            if measure_distance(corner, other) > JOINED:
                continue
            legs = (measure_distance(a, corner), measure_distance(c, corner))
            if max(legs) > 1.3 * min(legs) or not _is_right(a, corner, c):
                return None
            vertex = (a[0] + c[0] - corner[0], a[1] + c[1] - corner[1])
            return Square(vertex, find_direction(vertex, a), find_direction(vertex, c), max(legs))
    return None


def _runs_along(square: Square, grid: LineGrid) -> bool:
    for direction in (square.start, square.end):
        beyond = place_at(square.corner, 1.4 * square.side, direction)
        if not any(_passes(line, beyond) and _passes(line, square.corner) for line in grid.find_near(square.corner)):
            return False
    return True


def _is_right(a: Point, b: Point, c: Point) -> bool:
    return abs(abs(math.degrees(measure_turn(a, b, c))) - 90) < 12


def _read_sign(points: Sequence[Point]) -> Sign | None:
    if len(points) == 3:
        a, b, c = points
        legs = (measure_distance(a, b), measure_distance(b, c))
        turn = abs(math.degrees(measure_turn(a, b, c)))
        if max(legs) <= TICK_LENGTH and max(legs) < 1.3 * min(legs) and 20 < turn < 130:
            return Sign("parallel", b)
    return None


def _settle_ticks(ink: Ink, grid: LineGrid) -> None:
    """Tell ticks from short segments: a tick's middle lies on a longer stroke or on a circle."""
    kept: list[Line] = []
    ticks: list[Line] = []
    for line in ink.lines:
        possible = line.alone and line.length <= LONG_TICK
        (ticks if possible and _is_tick(line, ink, grid) else kept).append(line)
    ink.signs += [Sign("ticks", line.middle) for line in ticks]
    ink.lines = kept


def _is_tick(line: Line, ink: Ink, grid: LineGrid) -> bool:
    return any(_is_ticked(other, line) for other in grid.find_near(line.middle)) or any(
        _is_on_rim(each, line) for each in ink.rounds
    )


def _is_ticked(line: Line, tick: Line) -> bool:
    middle = tick.middle
    turn = abs(find_direction(line.start, line.end) - find_direction(tick.start, tick.end)) % 180
    if tick.length <= TICK_LENGTH:
        return line.length > tick.length and measure_gap_to_line(middle, line) <= 3 and 25 < turn < 155
    within = min(measure_distance(middle, line.start), measure_distance(middle, line.end)) > 8
    return line.length >= 2.5 * tick.length and measure_gap_to_line(middle, line) <= 1.5 and 55 < turn < 125 and within


def _is_on_rim(circle: Round, tick: Line) -> bool:
    off = abs(measure_distance(circle.centre, tick.middle) - circle.radius)
    return tick.length <= TICK_LENGTH < circle.radius and off <= 3


def _settle_rounds(ink: Ink) -> None:
    """Tell angle arcs from circles, and take arcs of one circle for one."""
    whole: list[Round] = []
    grid = LineGrid(ink.lines)
    for each in ink.rounds:
        (ink.angle_arcs if _marks_an_angle(each, grid) else whole).append(each)
    ink.rounds = _merge_rounds(whole)


def _marks_an_angle(arc: Round, grid: LineGrid) -> bool:
    """Whether an arc of small radius, not a whole or half turn, is about a vertex; a wider one must end on two sides
    that run on beyond it."""
    if arc.sweep >= 350 or arc.radius > WIDE_ARC or (arc.radius > 25 and abs(arc.sweep - 180) < 2):
        return False
    if arc.radius > ANGLE_ARC:
        beyond = [place_at(arc.centre, 1.2 * arc.radius, turn) for turn in (arc.start, arc.start + arc.sweep)]
        return (
            arc.sweep < 178
            and all(any(_passes(line, p) for line in grid.find_near(p)) for p in beyond)
            and _is_vertex(arc, grid)
        )
    return _is_vertex(arc, grid) or any(_passes(line, arc.centre) for line in grid.find_near(arc.centre))


def _is_vertex(arc: Round, grid: LineGrid) -> bool:
    ends = (p for line in grid.find_near(arc.centre) for p in (line.start, line.end))
    return any(measure_distance(arc.centre, p) < 4 for p in ends)


def _merge_rounds(rounds: Sequence[Round]) -> list[Round]:
    merged: list[Round] = []
    cells: dict[tuple[int, int], list[int]] = {}
    for each in sorted(rounds, key=lambda each: -each.sweep):
        column, row = math.floor(each.centre[0] / SAME_CIRCLE), math.floor(each.centre[1] / SAME_CIRCLE)
        around = [(column + a, row + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        near = sorted(i for cell in around for i in cells.get(cell, ()))
        same = next((i for i in near if _is_same_circle(merged[i], each)), None)
        if same is None:
            cells.setdefault((column, row), []).append(len(merged))
            merged.append(each)
        elif merged[same].sweep < 350 and merged[same].sweep + each.sweep > 355:
            merged[same] = replace(merged[same], start=0.0, sweep=360.0)
    untouched = {id(each) for each in merged}
    kept = [each for each in rounds if id(each) in untouched]
    known = {id(each) for each in kept}
    return kept + [each for each in merged if id(each) not in known]


def _is_same_circle(first: Round, second: Round) -> bool:
    return (
        measure_distance(first.centre, second.centre) < SAME_CIRCLE and abs(first.radius - second.radius) < SAME_CIRCLE
    )


def _passes(line: Line, p: Point) -> bool:
    return measure_gap_to_line(p, line) < 3
