"""Whether the numbers that a figure writes go together: parts and wholes, equal things, the angles of a triangle.

Each number may be true of the drawing as far as anybody sees, and yet 22 beside 43 makes no bisected angle. So sums are
taken of the numbers as they are printed, and must come out to half a unit of the coarsest one's last place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.predicates import GROUP_MARKS
from counterfoil.tasks.geometry.facts.residuals import measure_distance
from counterfoil.tasks.geometry.figure.scene import Scene

_PLAIN = re.compile(r"\d+(?:\.(\d+))?")
SAME_TURN = 1.2
"""Degrees within which two rays are one."""


@dataclass(frozen=True)
class _Size:
    """A printed number with its decimals; for an angle, where it is."""

    name: str
    number: float
    decimals: int
    vertex: str = ""
    start: float = 0.0
    sweep: float = 0.0


def find_contradiction(figure: Scene, claims: Iterable[Fact] = ()) -> str | None:
    """The first printed numbers of ``figure`` that cannot all be so together, given ``claims`` that it shows."""
    relations = (*claims, *_list_marked(figure))
    lengths = {frozenset(mark.arguments): size for mark, size in _list_sizes(figure, "mark_length")}
    angles = [_place(figure, mark, size) for mark, size in _list_sizes(figure, "mark_angle")]
    angles += [
        _place(figure, mark, _Size("∠" + "".join(mark.arguments), 90.0, 9))
        for mark in figure.marks
        if mark.predicate == "mark_right"
    ]
    angles = [size for size in angles if size.sweep > 2 * SAME_TURN]
    for parts, whole in (
        *_list_lines(figure, lengths),
        *_list_corners(angles),
        *_list_triangles(figure, angles),
        *_list_equal(figure, relations, lengths, angles),
    ):
        decimals = min(size.decimals for size in (*parts, whole))
        total = sum(size.number for size in parts)
        if abs(total - whole.number) >= 0.5 * 10**-decimals:
            added = " + ".join(f"{size.name} = {size.number:g}" for size in parts)
            return f"{added} against {whole.name} = {whole.number:g}"
    return None


def _list_sizes(figure: Scene, predicate: str) -> Iterator[tuple[Fact, _Size]]:
    for mark in figure.marks:
        plain = _PLAIN.fullmatch(mark.value or "") if mark.predicate == predicate else None
        if plain is not None:
            sign = "∠" if predicate == "mark_angle" else ""
            yield mark, _Size(sign + "".join(mark.arguments), float(plain[0]), len(plain[1] or ""))


def _list_marked(figure: Scene) -> Iterator[Fact]:
    """What ticks and arcs say to be equal."""
    for kind in ("mark_ticks", "mark_arcs"):
        groups = [mark for mark in figure.marks if mark.predicate == kind]
        for first, second in combinations(groups, 2):
            if first.value == second.value:
                yield Fact(GROUP_MARKS[kind], first.arguments + second.arguments)


def _place(figure: Scene, mark: Fact, size: _Size) -> _Size:
    """The angle with its place: from which direction it sweeps counter-clockwise how far, up to a half turn."""
    start, sweep = _find_sweep(figure, *mark.arguments)
    return replace(size, vertex=mark.arguments[1], start=start, sweep=sweep)


def _find_sweep(figure: Scene, p: str, vertex: str, q: str) -> tuple[float, float]:
    (x, y), ends = figure.points[vertex], [figure.points[label] for label in (p, q)]
    first, second = (math.degrees(math.atan2(end[1] - y, end[0] - x)) for end in ends)
    sweep = (second - first) % 360
    return (first % 360, sweep) if sweep <= 180 else (second % 360, 360 - sweep)


def _is_same_turn(a: float, b: float) -> bool:
    return abs((a - b + 180) % 360 - 180) <= SAME_TURN


def _find_angle(figure: Scene, angles: Sequence[_Size], p: str, vertex: str, q: str) -> _Size | None:
    if not {p, vertex, q} <= set(figure.points):
        return None
    start, sweep = _find_sweep(figure, p, vertex, q)
    return next(
        (
            size
            for size in angles
            if size.vertex == vertex and _is_same_turn(size.start, start) and abs(size.sweep - sweep) <= SAME_TURN
        ),
        None,
    )


Sum = tuple[tuple[_Size, ...], _Size]
"""Parts, and the whole that they make up."""


def _list_lines(figure: Scene, lengths: Mapping[frozenset[str], _Size]) -> Iterator[Sum]:
    for first, second in combinations(lengths, 2):
        whole = lengths.get(first ^ second)
        if whole is not None and len(first & second) == 1:
            (inner,), (p, q) = first & second, sorted(first ^ second)
            places = [figure.points[label] for label in (p, inner, q)]
            way = measure_distance(places[0], places[1]) + measure_distance(places[1], places[2])
            if way <= 1.001 * measure_distance(places[0], places[2]):
                yield (lengths[first], lengths[second]), whole


def _list_corners(angles: Sequence[_Size]) -> Iterator[Sum]:
    """Neighbouring angles and the one that they make together; those across from one another."""
    for first in angles:
        for second in angles:
            if first is second or first.vertex != second.vertex:
                continue
            if _is_same_turn(first.start + 180, second.start) and abs(first.sweep - second.sweep) <= SAME_TURN:
                yield (first,), second
            if not _is_same_turn(first.start + first.sweep, second.start):
                continue
            sweep = first.sweep + second.sweep
            if abs(sweep - 180) <= SAME_TURN:
                yield (first, second), _HALF_TURN
            for whole in angles:
                if (
                    whole.vertex == first.vertex
                    and _is_same_turn(whole.start, first.start)
                    and abs(whole.sweep - sweep) <= SAME_TURN
                ):
                    yield (first, second), whole


_HALF_TURN = _Size("a half turn", 180.0, 9)


def _list_triangles(figure: Scene, angles: Sequence[_Size]) -> Iterator[Sum]:
    vertices = sorted({size.vertex for size in angles})
    for p, q, r in combinations(vertices, 3):
        corners = [_find_angle(figure, angles, a, b, c) for a, b, c in ((q, p, r), (p, q, r), (p, r, q))]
        found = tuple(size for size in corners if size is not None)
        if len(found) == 3 and all(figure.has_line(a, b) for a, b in ((p, q), (q, r), (p, r))):
            yield found, _HALF_TURN


def _list_equal(
    figure: Scene, relations: Iterable[Fact], lengths: Mapping[frozenset[str], _Size], angles: Sequence[_Size]
) -> Iterator[Sum]:
    """Things that are equal, or half of another, by a claim or by their ticks and arcs."""
    for relation in relations:
        a = relation.arguments
        found: tuple[_Size | None, _Size | None] = (None, None)
        times = 1
        match relation.predicate:
            case "equal_length":
                found = (lengths.get(frozenset(a[:2])), lengths.get(frozenset(a[2:])))
            case "equal_angle":
                found = (_find_angle(figure, angles, *a[:3]), _find_angle(figure, angles, *a[3:]))
            case "midpoint":
                halves = [lengths.get(frozenset((a[0], end))) for end in a[1:]]
                found, times = (halves[0] or halves[1], lengths.get(frozenset(a[1:]))), 2
            case "bisector":
                parts = [_find_angle(figure, angles, end, a[2], a[0]) for end in (a[1], a[3])]
                found, times = (parts[0] or parts[1], _find_angle(figure, angles, a[1], a[2], a[3])), 2
        if found[0] is not None and found[1] is not None:
            yield (found[0],) * times, found[1]
