"""Theorems of quadrilaterals and regular polygons."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from counterfoil.tasks.geometry.sources.sampler.deduce import Relation
from counterfoil.tasks.geometry.sources.sampler.exact import ONE, ZERO, make_root, of
from counterfoil.tasks.geometry.sources.sampler.figure import Plane
from counterfoil.tasks.geometry.sources.sampler.theorems.equations import (
    HALF,
    RIGHT,
    STRAIGHT,
    TURN,
    Relations,
    add,
    equal,
    list_crossings,
    list_feet,
    list_sides,
    multiply,
    state,
)


def tell_of_ring(plane: Plane, ring: tuple[str, ...]) -> Relations:
    """What holds of every polygon that is named."""
    if all(plane.is_joined(*side) for side in list_sides(ring)):
        sides = [(plane.length(*side), 1) for side in list_sides(ring)]
        yield from add(
            "the perimeter is the sum of the sides",
            ZERO,
            (plane.ring("perimeter", *ring), 1),
            *((side, -1) for side, _ in sides),
        )
    angles = [plane.angle(ring[i - 2], ring[i - 1], ring[i]) for i in range(len(ring))]
    if len(ring) == 4 and all(angles) and abs(sum(plane.measure(q) for q in angles if q) - 360) < 1e-6:
        theorem = f"the angles of quadrilateral {''.join(ring)} add up to 360^\\circ"
        yield from add(theorem, TURN, *((angle, 1) for angle in angles))


def _tell_of_equal_sides(plane: Plane, noun: str, *ring: str) -> Relations:
    theorem = f"a {noun} has {len(ring)} equal sides"
    yield from add(theorem, ZERO, (plane.ring("perimeter", *ring), 1), (plane.length(*ring[:2]), -len(ring)))


def tell_of_regular(plane: Plane, *ring: str) -> Relations:
    count = len(ring)
    noun = {3: "equilateral triangle", 4: "square"}.get(count, f"regular {count}-gon")
    yield from _tell_of_equal_sides(plane, noun, *ring)
    for one, other in combinations(list_sides(ring), 2):
        yield from equal(f"the sides of a {noun} are equal", plane.length(*one), plane.length(*other))
    for i in range(count):
        angle = plane.angle(ring[i - 2], ring[i - 1], ring[i])
        if angle:
            size = Fraction(180 * (count - 2), count)
            yield from state(
                f"the angles of a {noun} are equal and add up to {180 * (count - 2)}^\\circ", angle, of(size)
            )
    for circle in (name for name, rim in plane.rims.items() if {*ring} <= {*rim}):
        for p, q in list_sides(ring):
            told = f"the corners of a {noun} divide its circle equally"
            yield from state(told, plane.arc(p, q, circle), of(Fraction(360, count)))
    if count == 3 and plane.is_joined(*ring[:2]):
        yield from multiply(
            "the area of an equilateral triangle",
            make_root(3).times(Fraction(1, 4)),
            (plane.ring("area", *ring), 1),
            (plane.length(*ring[:2]), -2),
        )
    if count == 6:
        theorem = "a regular hexagon is six equilateral triangles"
        area, side = plane.ring("area", *ring), plane.length(*ring[:2])
        yield from multiply(theorem, make_root(3).times(Fraction(3, 2)), (area, 1), (side, -2))


def tell_of_parallelogram(plane: Plane, a: str, b: str, c: str, d: str) -> Relations:
    theorem = "opposite sides of a parallelogram are equal"
    yield from equal(theorem, plane.length(a, b), plane.length(c, d))
    yield from equal(theorem, plane.length(b, c), plane.length(a, d))
    theorem = "opposite angles of a parallelogram are equal"
    yield from equal(theorem, plane.angle(d, a, b), plane.angle(b, c, d))
    yield from equal(theorem, plane.angle(a, b, c), plane.angle(c, d, a))
    theorem = "neighbouring angles of a parallelogram add up to 180^\\circ"
    yield from add(theorem, STRAIGHT, (plane.angle(d, a, b), 1), (plane.angle(a, b, c), 1))
    for x in list_crossings(plane, (a, c), (b, d)):
        for p, q in ((a, c), (b, d)):
            theorem = "the diagonals of a parallelogram bisect each other"
            yield from equal(theorem, plane.length(p, x), plane.length(x, q))
            yield from add(theorem, ZERO, (plane.length(p, x), 2), (plane.length(p, q), -1))
    for foot, vertex, end in list_feet(plane):
        for p, q, s, t in ((a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)):
            if vertex in (s, t) and (chain := plane.find_chain(p, q)) and foot in chain and end in chain:
                area, sides = plane.ring("area", a, b, c, d), (plane.length(p, q), plane.length(vertex, foot))
                yield from multiply(
                    "a parallelogram's area is base times height", ONE, (area, 1), *((each, -1) for each in sides)
                )


def tell_of_rhombus(plane: Plane, a: str, b: str, c: str, d: str) -> Relations:
    yield from tell_of_parallelogram(plane, a, b, c, d)
    yield from _tell_of_equal_sides(plane, "rhombus", a, b, c, d)
    for one, other in combinations(list_sides((a, b, c, d)), 2):
        yield from equal("the sides of a rhombus are equal", plane.length(*one), plane.length(*other))
    yield from _tell_of_cross(plane, "rhombus", a, b, c, d)
    for p, q, s in ((a, b, c), (b, c, d), (c, d, a), (d, a, b)):
        far = ({a, b, c, d} - {p, q, s}).pop()
        if plane.is_joined(q, far):
            theorem = "a diagonal of a rhombus bisects its angles"
            yield from equal(theorem, plane.angle(p, q, far), plane.angle(far, q, s))
            yield from add(theorem, ZERO, (plane.angle(p, q, far), 2), (plane.angle(p, q, s), -1))


def _tell_of_cross(plane: Plane, noun: str, a: str, b: str, c: str, d: str) -> Relations:
    """Diagonals at right angles."""
    for x in list_crossings(plane, (a, c), (b, d)):
        yield from state(f"the diagonals of a {noun} are perpendicular", plane.angle(a, x, b), RIGHT)
    if plane.is_joined(a, c) and plane.is_joined(b, d):
        yield from multiply(
            f"the area of a {noun} is half of the product of its diagonals",
            of(HALF),
            (plane.ring("area", a, b, c, d), 1),
            (plane.length(a, c), -1),
            (plane.length(b, d), -1),
        )


def tell_of_rectangle(plane: Plane, a: str, b: str, c: str, d: str) -> Relations:
    yield from tell_of_parallelogram(plane, a, b, c, d)
    for p, q, s in ((a, b, c), (b, c, d), (c, d, a), (d, a, b)):
        yield from state("the angles of a rectangle are right", plane.angle(p, q, s), RIGHT)
    if plane.is_joined(a, c) and plane.is_joined(b, d):
        yield from equal("the diagonals of a rectangle are equal", plane.length(a, c), plane.length(b, d))
    sides = plane.length(a, b), plane.length(b, c)
    theorem = "a rectangle's area is the product of its sides"
    yield from multiply(theorem, ONE, (plane.ring("area", a, b, c, d), 1), *((side, -1) for side in sides))


def tell_of_square(plane: Plane, a: str, b: str, c: str, d: str) -> Relations:
    yield from tell_of_rhombus(plane, a, b, c, d)
    yield from tell_of_regular(plane, a, b, c, d)
    for p, q, s in ((a, b, c), (b, c, d), (c, d, a), (d, a, b)):
        yield from state("the angles of a square are right", plane.angle(p, q, s), RIGHT)
    area, side = plane.ring("area", a, b, c, d), plane.length(a, b)
    yield from multiply("a square's area is the square of its side", ONE, (area, 1), (side, -2))
    for p, q in ((a, c), (b, d)):
        if plane.is_joined(p, q):
            yield from multiply(
                "a square's diagonal is \\sqrt{2} times its side", make_root(2), (plane.length(p, q), 1), (side, -1)
            )
    for circle in plane.circles:
        touching = {
            frozenset(f.arguments[:2]) for f in plane.facts if f.predicate == "tangent" and f.arguments[2] == circle
        }
        if any({frozenset(one), frozenset(other)} <= touching for one, other in (((a, b), (c, d)), ((b, c), (a, d)))):
            theorem = "the side of a square about a circle is its diameter"
            yield from add(theorem, ZERO, (side, 1), (("radius", circle), -2))


def tell_of_kite(plane: Plane, *ring: str) -> Relations:
    a, b, c, d = ring
    if abs(plane.measure(plane.length(a, b)) - plane.measure(plane.length(a, d))) > 1e-7 * plane.size:
        a, b, c, d = b, c, d, a
    for v in (a, c):
        yield from equal("a kite has two pairs of equal sides", plane.length(v, b), plane.length(v, d))
    theorem = "the angles of a kite between unequal sides are equal"
    yield from equal(theorem, plane.angle(a, b, c), plane.angle(a, d, c))
    yield from _tell_of_cross(plane, "kite", a, b, c, d)


def tell_of_trapezoid(plane: Plane, *ring: str) -> Relations:
    a, b, c, d = ring
    if abs(((plane.places[a] - plane.places[b]) / (plane.places[c] - plane.places[d])).imag) > 1e-7:
        a, b, c, d = b, c, d, a
    bases = plane.length(a, b), plane.length(c, d)
    theorem = "the angles at a leg of a trapezoid add up to 180^\\circ"
    yield from add(theorem, STRAIGHT, (plane.angle(b, a, d), 1), (plane.angle(a, d, c), 1))
    yield from add(theorem, STRAIGHT, (plane.angle(a, b, c), 1), (plane.angle(b, c, d), 1))
    mids = {frozenset(f.arguments[1:]): f.arguments[0] for f in plane.facts if f.predicate == "midpoint"}
    m, n = mids.get(frozenset((a, d))), mids.get(frozenset((b, c)))
    if m and n and plane.is_joined(m, n):
        theorem = "the midsegment of a trapezoid is half of the sum of its bases"
        yield from add(theorem, ZERO, (plane.length(m, n), 2), (bases[0], -1), (bases[1], -1))
    for foot, vertex, end in list_feet(plane):
        for base, top in (((a, b), (c, d)), ((c, d), (a, b))):
            if vertex in top and (chain := plane.find_chain(*base)) and foot in chain and end in chain:
                terms = ((plane.ring("area", *ring), 1), (bases[0], 1), (bases[1], 1), (plane.length(vertex, foot), 1))
                theorem = "a trapezoid's area is half of the sum of its bases times its height"
                yield Relation(theorem, "formula", terms, compute=lambda v: ((v[0] + v[1]) * v[2]).times(HALF))


def tell_of_isosceles_trapezoid(plane: Plane, *ring: str) -> Relations:
    yield from tell_of_trapezoid(plane, *ring)
    a, b, c, d = ring
    if abs(((plane.places[a] - plane.places[b]) / (plane.places[c] - plane.places[d])).imag) > 1e-7:
        a, b, c, d = b, c, d, a
    yield from equal("the legs of an isosceles trapezoid are equal", plane.length(a, d), plane.length(b, c))
    theorem = "the base angles of an isosceles trapezoid are equal"
    yield from equal(theorem, plane.angle(d, a, b), plane.angle(a, b, c))
    yield from equal(theorem, plane.angle(a, d, c), plane.angle(d, c, b))
    if plane.is_joined(a, c) and plane.is_joined(b, d):
        yield from equal("the diagonals of an isosceles trapezoid are equal", plane.length(a, c), plane.length(b, d))
