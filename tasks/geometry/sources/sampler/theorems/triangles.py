"""Theorems of triangles: angles, sides, areas, similar and congruent ones, their centres."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from counterfoil.storage.uniting import Sets
from counterfoil.tasks.geometry.sources.sampler.deduce import Relation
from counterfoil.tasks.geometry.sources.sampler.exact import ONE, ZERO, Exact, make_root, of
from counterfoil.tasks.geometry.sources.sampler.figure import Plane, Quantity
from counterfoil.tasks.geometry.sources.sampler.theorems.equations import (
    HALF,
    RIGHT,
    STRAIGHT,
    Relations,
    add,
    equal,
    list_sides,
    multiply,
    state,
    tell_of_alike,
    tell_of_ratio,
)
from counterfoil.tasks.geometry.sources.sampler.theorems.lines import tell_of_bisector
from counterfoil.tasks.geometry.sources.sampler.theorems.polygons import tell_of_regular


def tell_of_median(plane: Plane, v: str, m: str, *ring: str) -> Relations:
    b, c = (x for x in ring if x != v)
    right = plane.angle(b, v, c)
    theorem = f"the median {v}{m} to the hypotenuse of a right triangle is half of it"
    if right and abs(plane.measure(right) - 90) < 1e-6:
        yield from add(theorem, ZERO, (plane.length(v, m), 2), (plane.length(b, c), -1), needs=((right, RIGHT),))


def tell_of_altitude(plane: Plane, v: str, f: str, *ring: str) -> Relations:
    b, c = (x for x in ring if x != v)
    for end in (b, c):
        if end != f:
            yield from state("", plane.angle(v, f, end), RIGHT)
    base, height = plane.length(b, c), plane.length(v, f)
    if plane.is_joined(b, c):
        yield from multiply(
            "a triangle's area is half of base times height",
            of(HALF),
            (plane.ring("area", *ring), 1),
            (base, -1),
            (height, -1),
        )
    right = plane.angle(b, v, c)
    if right and abs(plane.measure(right) - 90) < 1e-6 and plane.is_joined(b, c):
        parts, needs = (plane.length(b, f), plane.length(f, c)), ((right, RIGHT),)
        theorem = "the altitude to the hypotenuse is the mean proportional of its parts"
        yield from multiply(theorem, ONE, (height, 2), (parts[0], -1), (parts[1], -1), needs=needs)
        theorem = "a leg is the mean proportional of the hypotenuse and the part next to it"
        for end, part in zip((b, c), parts, strict=True):
            yield from multiply(theorem, ONE, (plane.length(v, end), 2), (part, -1), (base, -1), needs=needs)


def tell_of_midsegment(plane: Plane, m: str, n: str, *ring: str) -> Relations:
    if len(ring) == 3:
        places = plane.places
        way = places[m] - places[n]
        side = min(combinations(ring, 2), key=lambda s: abs(((places[s[0]] - places[s[1]]) / way).imag))
        yield from add(
            "a midsegment is half of the third side", ZERO, (plane.length(m, n), 2), (plane.length(*side), -1)
        )


def tell_of_congruent(plane: Plane, *a: str) -> Relations:
    half = len(a) // 2
    theorem = "corresponding parts of congruent triangles"
    for (p, q), (s, t) in zip(list_sides(a[:half]), list_sides(a[half:]), strict=True):
        yield from equal(theorem, plane.length(p, q), plane.length(s, t))
    yield from tell_of_alike(plane, a[:half], a[half:], theorem)


def tell_of_similar(plane: Plane, *a: str) -> Relations:
    half = len(a) // 2
    theorem = "corresponding sides of similar triangles are proportional"
    yield from tell_of_ratio(plane, a[:half], a[half:], theorem)
    yield from tell_of_alike(plane, a[:half], a[half:], "corresponding angles of similar triangles")
    areas = plane.ring("area", *a[:half]), plane.ring("area", *a[half:])
    pair = plane.length(*a[:2]), plane.length(*a[half : half + 2])
    theorem = "areas of similar triangles are as the squares of their sides"
    yield from multiply(theorem, ONE, (areas[0], 1), (pair[1], 2), (areas[1], -1), (pair[0], -2))


def tell_of_isosceles(plane: Plane, *ring: str) -> Relations:
    pairs = [(plane.length(v, p), plane.length(v, q)) for v, p, q in (ring, ring[1:] + ring[:1], ring[2:] + ring[:2])]
    same = [pair for pair in pairs if abs(plane.measure(pair[0]) - plane.measure(pair[1])) < 1e-7 * plane.size]
    if len(same) == 1:
        yield from equal(f"\\triangle {''.join(ring)} is isosceles", *same[0])
    yield from tell_of_any_triangle(plane, *ring)


def tell_of_equilateral(plane: Plane, *ring: str) -> Relations:
    yield from tell_of_regular(plane, *ring)
    yield from tell_of_any_triangle(plane, *ring)


def unite_lengths(relations: Sequence[Relation]) -> Callable[[Quantity, Quantity], bool]:
    """Whether two lengths are equal by facts alone."""
    sets: Sets[Quantity] = Sets()
    for relation in relations:
        if relation.kind == "sum" and len(relation.terms) == 2 and relation.constant == ZERO and not relation.needs:
            (one, x), (other, y) = relation.terms
            if ((x, y) == (1, -1) and one[0] == other[0] == "length") or (
                (x, y) == (1, -1) and {one[0], other[0]} == {"length", "radius"}
            ):
                sets.unite(one, other)
    return lambda p, q: sets.find(p) == sets.find(q)


def list_triangles(plane: Plane) -> Iterator[tuple[str, str, str]]:
    for ring in combinations(sorted(plane.places), 3):
        if all(plane.is_joined(p, q) for p, q in combinations(ring, 2)) and plane.angle(*ring) is not None:
            yield ring


def tell_of_triangle(
    plane: Plane, ring: tuple[str, str, str], is_equal: Callable[[Quantity, Quantity], bool]
) -> Relations:
    name = f"\\triangle {''.join(ring)}"
    turns = [(ring[i - 2], ring[i - 1], ring[i]) for i in range(3)]
    corners = [(p, v, q, plane.angle(p, v, q)) for p, v, q in turns]
    yield from add(f"the angles of {name} add up to 180^\\circ", STRAIGHT, *((each[3], 1) for each in corners))
    for p, v, q, angle in corners:
        legs = plane.length(v, p), plane.length(v, q)
        base = plane.angle(v, p, q), plane.angle(v, q, p)
        if is_equal(*legs):
            yield from equal(f"base angles of isosceles {name}, {v}{p} = {v}{q}", *base)
        elif base[0] and base[1] and abs(plane.measure(legs[0]) - plane.measure(legs[1])) < 1e-7 * plane.size:
            yield from equal(f"sides of {name} opposite equal angles", *legs, (base[0], base[1]))
        if angle and abs(plane.measure(angle) - 90) < 1e-6:
            yield from _tell_of_right(plane, name, (p, v, q), angle)


def _tell_of_right(plane: Plane, name: str, corner: tuple[str, str, str], angle: Quantity) -> Relations:
    p, v, q = corner
    legs, far = (plane.length(v, p), plane.length(v, q)), plane.length(p, q)
    needs = ((angle, RIGHT),)
    yield Relation(f"Pythagoras in {name}", "squares", ((legs[0], 1), (legs[1], 1), (far, -1)), ZERO, needs)
    area = plane.ring("area", p, v, q)
    theorem = "a right triangle's area is half of the product of its legs"
    yield from multiply(theorem, of(HALF), (area, 1), (legs[0], -1), (legs[1], -1), needs=needs)
    for end, other, near, away in ((p, q, legs[0], legs[1]), (q, p, legs[1], legs[0])):
        sharp = plane.angle(v, end, other)
        size = round(plane.measure(sharp)) if sharp else 0
        if sharp and size in (30, 45) and abs(plane.measure(sharp) - size) < 1e-6:
            told, also = f"the sides of a {size}-{90 - size}-90 triangle", (*needs, (sharp, of(size)))
            if size == 30:
                yield from multiply(told, of(2), (far, 1), (away, -1), needs=also)
                yield from multiply(told, make_root(3), (near, 1), (away, -1), needs=also)
            else:
                yield from multiply(told, make_root(2), (far, 1), (near, -1), needs=also)
                yield from equal(told, near, away, *also)


def tell_of_any_triangle(plane: Plane, *ring: str) -> Relations:
    sides = [plane.length(*side) for side in list_sides(ring)]
    if all(plane.is_joined(*side) for side in list_sides(ring)):
        terms = ((plane.ring("area", *ring), 1), *((side, 1) for side in sides))
        yield Relation("Heron's formula", "formula", terms, compute=_apply_heron)
    for o in plane.circles:
        touching = {frozenset(f.arguments[:2]) for f in plane.facts if f.predicate == "tangent" and f.arguments[2] == o}
        if {frozenset(side) for side in list_sides(ring)} <= touching:
            yield from _tell_of_incircle(plane, o, ring)


def _apply_heron(sides: Sequence[Exact]) -> Exact | None:
    a, b, c = (side.fraction for side in sides)
    if a is None or b is None or c is None:
        return None
    half = (a + b + c) / 2
    return of(half * (half - a) * (half - b) * (half - c)).root()


def _tell_of_incircle(plane: Plane, o: str, ring: tuple[str, ...]) -> Relations:
    """A circle that touches all sides of a triangle."""
    a, b, c = ring
    radius = ("radius", o)
    told = "a triangle's area is half of its perimeter times the radius of its incircle"
    area, perimeter = plane.ring("area", *ring), plane.ring("perimeter", *ring)
    yield from multiply(told, of(HALF), (area, 1), (perimeter, -1), (radius, -1))
    for p, v, q in ((a, b, c), (b, c, a), (c, a, b)):
        angle = plane.angle(p, v, q)
        if angle and abs(plane.measure(angle) - 90) < 1e-6:
            told = "the incircle's diameter is the legs less the hypotenuse"
            legs = plane.length(p, v), plane.length(v, q)
            terms = ((radius, 2), (legs[0], -1), (legs[1], -1), (plane.length(p, q), 1))
            yield from add(told, ZERO, *terms, needs=((angle, RIGHT),))
        if o in plane.places and plane.is_joined(o, v):
            yield from tell_of_bisector(plane, o, p, v, q)


def tell_of_centroid(plane: Plane, g: str, *ring: str) -> Relations:
    for v in ring:
        chain = plane.find_chain(v, g)
        b, c = (x for x in ring if x != v)
        for m in chain or ():
            if plane.is_on(m, b, c):
                told = f"the centroid {g} divides the median {v}{m} in the ratio 2 : 1"
                yield from add(told, ZERO, (plane.length(v, g), 1), (plane.length(g, m), -2))
