"""Theorems of points on lines, angles at points and parallels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, permutations

from counterfoil.tasks.geometry.sources.sampler.exact import ONE, ZERO
from counterfoil.tasks.geometry.sources.sampler.figure import Plane
from counterfoil.tasks.geometry.sources.sampler.theorems.equations import (
    RIGHT,
    STRAIGHT,
    Relations,
    add,
    compare,
    equal,
    multiply,
    state,
    tell_of_ratio,
)


def tell_of_lines(plane: Plane) -> Relations:
    for chain in plane.chains:
        for a, b, c in combinations(chain, 3):
            yield from add(
                f"{b} lies on {a}{c}", ZERO, (plane.length(a, b), 1), (plane.length(b, c), 1), (plane.length(a, c), -1)
            )
    for vertex, rays in plane.rays.items():
        turns = [ray.turn for ray in rays]
        for i, j, k in permutations(range(len(rays)), 3):
            first, second = (turns[j] - turns[i]) % math.tau, (turns[k] - turns[j]) % math.tau
            whole = first + second
            if whole < math.pi + 1e-6:
                parts = plane.between(vertex, rays[i], rays[j]), plane.between(vertex, rays[j], rays[k])
                if whole > math.pi - 1e-6:
                    if i < k:
                        yield from add("angles on a straight line", STRAIGHT, *((part, 1) for part in parts))
                elif plane.between(vertex, rays[i], rays[k]):
                    total = plane.between(vertex, rays[i], rays[k])
                    yield from add("angle addition", ZERO, (parts[0], 1), (parts[1], 1), (total, -1))
        for one, other in combinations([chain for chain in plane.chains if vertex in chain[1:-1]], 2):
            ends = one[0], other[0], one[-1], other[-1]
            for i in range(2):
                yield from equal(
                    "vertical angles",
                    plane.angle(ends[i], vertex, ends[i + 1]),
                    plane.angle(ends[i + 2], vertex, ends[(i + 3) % 4]),
                )


def tell_of_midpoint(plane: Plane, m: str, a: str, b: str) -> Relations:
    yield from equal(f"{m} is the midpoint of {a}{b}", plane.length(a, m), plane.length(m, b))
    for end in (a, b):
        yield from add(f"{m} is the midpoint of {a}{b}", ZERO, (plane.length(end, m), 2), (plane.length(a, b), -1))


def tell_of_perpendicular(plane: Plane, a: str, b: str, c: str, d: str) -> Relations:
    one, other = plane.find_chain(a, b), plane.find_chain(c, d)
    crossing = set(one or ()) & set(other or ())
    for x in sorted(crossing):
        for p in {*(one or ())[:1], *(one or ())[-1:]} - {x}:
            for q in {*(other or ())[:1], *(other or ())[-1:]} - {x}:
                yield from state("", plane.angle(p, x, q), RIGHT)


def tell_of_equal_length(plane: Plane, a: str, b: str, c: str, d: str) -> Relations:
    yield from equal("they are marked equal", plane.length(a, b), plane.length(c, d))


def tell_of_equal_angle(plane: Plane, *a: str) -> Relations:
    yield from equal("they are marked equal", plane.angle(*a[:3]), plane.angle(*a[3:]))


def tell_of_bisector(plane: Plane, d: str, a: str, b: str, c: str) -> Relations:
    halves = plane.angle(a, b, d), plane.angle(d, b, c)
    theorem = f"{b}{d} bisects \\angle {a}{b}{c}"
    yield from equal(theorem, *halves)
    for half in halves:
        yield from add(theorem, ZERO, (half, 2), (plane.angle(a, b, c), -1))
    chain = plane.find_chain(b, d)
    crossed = [x for x in chain or () if x != b and (far := plane.find_chain(a, c)) and x in far]
    for x in crossed:
        yield from compare(
            "a bisector divides the opposite side as the other sides",
            plane.length(a, x),
            plane.length(x, c),
            plane.length(a, b),
            plane.length(b, c),
        )


def tell_of_parallels(plane: Plane) -> Relations:
    pairs = []
    for fact in plane.facts:
        a = fact.arguments
        if fact.predicate == "parallel":
            pairs.append((a[:2], a[2:]))
        elif fact.predicate in ("parallelogram", "rectangle", "rhombus", "square"):
            pairs += [((a[0], a[1]), (a[3], a[2])), ((a[1], a[2]), (a[0], a[3]))]
        elif fact.predicate == "midsegment" and len(a) == 5:
            places = plane.places
            pairs += [
                (a[:2], side)
                for side in combinations(a[2:], 2)
                if abs(((places[side[0]] - places[side[1]]) / (places[a[0]] - places[a[1]])).imag) < 1e-9
            ]
    lines = {
        frozenset((one, other)): (one, other)
        for first, second in pairs
        if (one := plane.find_chain(*first)) and (other := plane.find_chain(*second)) and one != other
    }
    for one, other in lines.values():
        yield from _tell_of_parallel(plane, one, other)
    for (a, b), (c, d) in combinations(lines.values(), 2):
        if len(three := {a, b, c, d}) == 3:
            yield from _tell_of_intercepts(plane, sorted(three))


def _list_transversals(plane: Plane, *lines: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The points in which other drawn lines cross all of these."""
    found = []
    for chain in plane.chains:
        points = [next((x for x in chain if x in line), None) for line in lines]
        if chain not in lines and None not in points and len(set(points)) == len(points):
            found.append(tuple(str(point) for point in points))
    return found


def _tell_of_parallel(plane: Plane, one: tuple[str, ...], other: tuple[str, ...]) -> Relations:
    along = plane.places[one[-1]] - plane.places[one[0]]
    crossings = _list_transversals(plane, one, other)
    for p, q in crossings:
        way = plane.places[q] - plane.places[p]
        for side in (along, -along):
            near, far = plane.find_direction(p, side), plane.find_direction(q, side)
            to_q, to_p = plane.find_direction(p, way), plane.find_direction(q, -way)
            across, beyond = plane.find_direction(q, -side), plane.find_direction(q, way)
            for theorem, first, second, total in (
                ("alternate angles between parallels are equal", (p, near, to_q), (q, across, to_p), None),
                (
                    "angles on one side between parallels add up to 180^\\circ",
                    (p, near, to_q),
                    (q, far, to_p),
                    STRAIGHT,
                ),
                ("corresponding angles at parallels are equal", (p, near, to_q), (q, far, beyond), None),
            ):
                one_angle, other_angle = plane.between(*first), plane.between(*second)
                if total:
                    yield from add(theorem, total, (one_angle, 1), (other_angle, 1))
                else:
                    yield from equal(theorem, one_angle, other_angle)
    for (p, q), (s, t) in combinations(crossings, 2):
        for x in sorted({*(plane.find_chain(p, q) or ())} & {*(plane.find_chain(s, t) or ())} - {p, q, s, t}):
            theorem = f"\\triangle {x}{p}{s} \\sim \\triangle {x}{q}{t}, as {p}{s} \\parallel {q}{t}"
            yield from tell_of_ratio(plane, (x, p, s), (x, q, t), theorem)
            parts = plane.length(x, p), plane.length(p, q), plane.length(x, s), plane.length(s, t)
            yield from compare(f"{p}{s} \\parallel {q}{t} divides the sides proportionally", *parts)
            areas = plane.ring("area", x, p, s), plane.ring("area", x, q, t)
            told = "areas of similar triangles are as the squares of their sides"
            sides = plane.length(p, s), plane.length(q, t)
            yield from multiply(told, ONE, (areas[0], 1), (sides[1], 2), (areas[1], -1), (sides[0], -2))


def _tell_of_intercepts(plane: Plane, lines: Sequence[tuple[str, ...]]) -> Relations:
    crossings = _list_transversals(plane, *lines)
    for one, other in combinations(crossings, 2):
        if len({*one, *other}) == 6:
            parts = [plane.length(*pair) for each in (one, other) for pair in (each[:2], each[1:])]
            yield from compare("parallels cut transversals proportionally", *parts)
