"""Angles on the page: arcs, right-angle squares, and the places where an angle's number may stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.drawing.board import Board, find_sweep, find_unit, measure_reach, point_at
from counterfoil.tasks.geometry.drawing.labels import Text, count_crossings, estimate_extent, measure_gap
from counterfoil.tasks.geometry.drawing.leaders import offer_led
from counterfoil.tasks.geometry.drawing.values import write_number

_TURNS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
"""Shares of an angle at which its number may stand."""
_FURTHER = np.array([2.0, 5.0, 9.0, 14.0, 20.0, 28.0, 38.0, 50.0, 64.0])
_WITHIN = 8.0
"""What a place within the arc costs, as one so many pixels beyond it."""
_INSIDE_COSTS = np.append(_FURTHER, _WITHIN) + 24 * np.abs(np.array(_TURNS) - 0.5)[:, None]
_ANGLES = ("mark_angle", "mark_arcs", "mark_right")
_AROUND = 38.0
"""Pixels: the radius of arcs that have the point's letter inside."""
_BEHIND, _RIVALLED = 60.0, 26.0
"""What it costs a number that a line is between it and its arc, or that another arc is about as near."""
_ORIGIN = np.zeros(2)
APART = 4.0
"""Pixels by which arcs of the same look side by side differ, so that they do not seem to be one."""


@dataclass
class Corners:
    """The arcs and squares drawn so far: for each vertex (start, sweep, radius up to which it is taken)."""

    taken: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    radii: dict[tuple[str, frozenset[str]], float] = field(default_factory=dict)
    """The outermost arc of each angle, by vertex and the labels on its sides."""

    def find_free(self, vertex: str, start: float, sweep: float, radius: float, most: float) -> float:
        """The radius from which an arc is clear of those inside it and of its neighbours."""
        for other_start, other_sweep, outer in self.taken.get(vertex, ()):
            if measure_overlap(start, sweep, other_start, other_sweep) > 1:
                radius = max(radius, min(outer + 6.5, most))
            elif _touches(start, sweep, other_start, other_sweep) and abs(outer - radius) < APART - 0.5:
                radius = min(outer + APART, most)
        return radius


def draw_square(board: Board, corners: Corners, mark: Fact, gid: str) -> None:
    """The square of a right angle."""
    p, q, r = (board.pixels[label] for label in mark.arguments)
    side = min(board.style.square, 0.35 * float(np.hypot(*(p - q))), 0.35 * float(np.hypot(*(r - q))))
    u, v = side * find_unit(p - q), side * find_unit(r - q)
    board.draw((q + u, q + u + v, q + v), gid)
    start, sweep = find_sweep(u, v)
    corners.taken.setdefault(mark.arguments[1], []).append((start, sweep, side * 1.42))
    corners.radii[name_angle(mark)] = side * 1.42


def draw_arcs(board: Board, corners: Corners, mark: Fact, count: int, gid: str, number: str = "") -> None:
    """``count`` arcs for an angle, clear of those already at its vertex; ``number`` is the one that will stand there,
    for which a wider angle's arc leaves room."""
    p, q, r = (board.pixels[label] for label in mark.arguments)
    vertex = mark.arguments[1]
    start, sweep = find_sweep(p - q, r - q)
    legs = min(float(np.hypot(*(p - q))), float(np.hypot(*(r - q))))
    wider = 1.0 + max(0.0, (40 - sweep) / 40)
    radius = min((_AROUND if _turns_around(board, vertex) else board.style.arc) * wider, max(10.0, 0.4 * legs))
    radius = corners.find_free(vertex, start, sweep, radius, max(10.0, 0.8 * legs))
    for i in range(count):
        board.draw_arc(q, radius + i * board.style.arc_step, start, start + sweep, gid)
    outer = radius + (count - 1) * board.style.arc_step
    corners.radii[name_angle(mark)] = outer
    if number:
        width, height, _ = estimate_extent(number, board.style.number_size)
        direction = point_at(np.zeros(2), 1.0, start + sweep / 2)
        outer += 2 * measure_reach(direction, width, height) + 6
    corners.taken.setdefault(vertex, []).append((start, sweep, outer))


def _turns_around(board: Board, vertex: str) -> bool:
    """Whether the marked angles at a point go all round it, so that its letter finds no place but inside their arcs."""
    marks = [mark for mark in board.scene.marks if mark.predicate in _ANGLES and mark.arguments[1] == vertex]
    named = {name_angle(mark): mark for mark in marks}
    sweeps = []
    for mark in named.values():
        p, q, r = (board.pixels[label] for label in mark.arguments)
        sweeps.append(find_sweep(p - q, r - q)[1])
    return sum(sweeps) > 300


def name_angle(mark: Fact) -> tuple[str, frozenset[str]]:
    """An angle whatever the order in which it is named."""
    return (mark.arguments[1], frozenset((mark.arguments[0], mark.arguments[2])))


def offer_inside(board: Board, corners: Corners, mark: Fact) -> Text:
    """Places in the angle beyond its arc, nearest first, that no line cuts off and no other arc is nearer to."""
    text, size = write_number(mark.value or "", "angle"), board.style.number_size
    p, q, r = (board.pixels[label] for label in mark.arguments)
    start, sweep = find_sweep(p - q, r - q)
    radius = corners.radii.get(name_angle(mark), board.style.arc)
    width, height, _ = estimate_extent(text, size)
    ways = np.array([point_at(_ORIGIN, 1.0, start + turn * sweep) for turn in _TURNS])
    reach = np.abs(ways[:, 0]) * width / 2 + np.abs(ways[:, 1]) * height / 2
    off = np.column_stack([(radius + reach)[:, None] + _FURTHER, radius - reach - 3])
    offered = np.ones(off.shape, bool)
    offered[:, -1] = radius > 1.7 * reach + 6
    middles = (q + ways[:, None] * off[..., None])[offered]
    arc = q + radius * ways
    feet = np.broadcast_to(arc[:, None], (*off.shape, 2))[offered]
    cost = _INSIDE_COSTS[offered] + _BEHIND * (count_crossings(np.hstack([feet, middles]), board.things) > 0)
    rivals = _list_other_arcs(board, q, radius)
    if len(rivals):
        half = np.array([width, height]) / 2
        own = measure_gap(middles, half, arc)
        cost = cost + _RIVALLED * (measure_gap(middles, half, rivals) < 1.5 * own + 4)
    return Text(text, size, middles, cost)


def _list_other_arcs(board: Board, vertex: np.ndarray, radius: float) -> np.ndarray:
    """Points of all arcs but the one of ``radius`` at ``vertex``."""
    points = []
    for arc in board.arcs:
        centre = board.page.to_pixels(arc.centre)
        size = arc.radius * board.page.scale
        if np.hypot(*(centre - vertex)) > 1 or abs(size - radius) > 3 * board.style.arc_step:
            points += [point_at(centre, size, arc.start + share * (arc.end - arc.start)) for share in (0.1, 0.5, 0.9)]
    return np.array(points)


def offer_leading_in(board: Board, corners: Corners, mark: Fact) -> Text:
    """Places anywhere near, with a leader to the arc."""
    p, q, r = (board.pixels[label] for label in mark.arguments)
    start, sweep = find_sweep(p - q, r - q)
    radius = corners.radii.get(name_angle(mark), board.style.arc)
    square = any(m.predicate == "mark_right" and name_angle(m) == name_angle(mark) for m in board.scene.marks)
    tips = [point_at(q, radius, start + share * sweep) for share in ((0.5,) if square else (0.5, 0.3, 0.7))]
    text = write_number(mark.value or "", "angle")
    return offer_led(board, text, tips, np.zeros((0, 4)))


def measure_overlap(start: float, sweep: float, other_start: float, other_sweep: float) -> float:
    """Degrees that two angles at one vertex share."""
    offset = (other_start - start) % 360
    shared = max(0.0, min(sweep, offset + other_sweep) - offset) if offset < sweep else 0.0
    return max(shared, min(sweep, offset + other_sweep - 360))


def _touches(start: float, sweep: float, other_start: float, other_sweep: float) -> bool:
    """Whether one angle begins where the other ends."""
    gaps = ((start + sweep - other_start) % 360, (other_start + other_sweep - start) % 360)
    return any(min(gap, 360 - gap) < 2 for gap in gaps)


def order_by_sweep(board: Board, marks: Sequence[Fact]) -> list[Fact]:
    """Squares first, then angles from narrow to wide: the arc of a whole goes around those of its parts."""

    def measure(mark: Fact) -> tuple[bool, float]:
        p, q, r = (board.pixels[label] for label in mark.arguments)
        return (mark.predicate != "mark_right", round(find_sweep(p - q, r - q)[1], 3))

    return sorted(marks, key=measure)
