"""Equations that theorems give, and what they ask of a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from counterfoil.tasks.geometry.sources.sampler.deduce import Relation
from counterfoil.tasks.geometry.sources.sampler.exact import ONE, ZERO, Exact, of
from counterfoil.tasks.geometry.sources.sampler.figure import Plane, Quantity

Relations = Iterator[Relation]
Need = tuple[Quantity, Exact | Quantity]
Term = tuple[Quantity | None, Fraction | int]
HALF = Fraction(1, 2)
RIGHT, STRAIGHT, TURN = of(90), of(180), of(360)


def equal(theorem: str, one: Quantity | None, other: Quantity | None, *needs: Need) -> Relations:
    """Two quantities are equal; nothing where one of them is not drawn, as of all equations here."""
    if one and other and one != other:
        yield Relation(theorem, "sum", ((one, 1), (other, -1)), ZERO, needs)


def add(theorem: str, total: Exact, *terms: Term, needs: tuple[Need, ...] = ()) -> Relations:
    """Quantities times factors add up to ``total``."""
    found = tuple((quantity, factor) for quantity, factor in terms if quantity)
    if len(found) == len(terms):
        yield Relation(theorem, "sum", found, total, needs)


def state(theorem: str, quantity: Quantity | None, value: Exact, *needs: Need) -> Relations:
    """A quantity has a value."""
    yield from add(theorem, value, (quantity, 1), needs=needs)


def multiply(theorem: str, constant: Exact, *terms: Term, needs: tuple[Need, ...] = ()) -> Relations:
    """The product of quantities to a power is ``constant``."""
    found = tuple((quantity, power) for quantity, power in terms if quantity)
    if len(found) == len(terms):
        yield Relation(theorem, "product", found, constant, needs)


def compare(theorem: str, a: Quantity, b: Quantity, c: Quantity, d: Quantity) -> Relations:
    """a : b = c : d."""
    if len({a, b, c, d}) == 4:
        yield from multiply(theorem, ONE, (a, 1), (d, 1), (b, -1), (c, -1))


def list_sides(ring: Sequence[str]) -> list[tuple[str, str]]:
    return list(pairwise([*ring, ring[0]]))


def list_feet(plane: Plane) -> Iterator[tuple[str, str, str]]:
    """Foot, the point above it and one on the base line, of each marked perpendicular."""
    for fact in plane.facts:
        if fact.predicate == "perpendicular" and len(shared := set(fact.arguments[:2]) & set(fact.arguments[2:])) == 1:
            (foot,) = shared
            one, other = (x for x in fact.arguments if x != foot)
            yield foot, one, other
            yield foot, other, one


def list_crossings(plane: Plane, one: tuple[str, str], other: tuple[str, str]) -> list[str]:
    return [
        x
        for x in plane.places
        if plane.is_joined(*one) and plane.is_joined(*other) and plane.is_on(x, *one) and plane.is_on(x, *other)
    ]


def tell_of_alike(plane: Plane, one: Sequence[str], other: Sequence[str], theorem: str) -> Relations:
    for i in range(len(one)):
        yield from equal(
            theorem,
            plane.angle(one[i - 2], one[i - 1], one[i]),
            plane.angle(other[i - 2], other[i - 1], other[i]),
        )


def tell_of_ratio(plane: Plane, one: Sequence[str], other: Sequence[str], theorem: str) -> Relations:
    """Two triangles whose corners correspond have sides in proportion."""
    sides = [
        (plane.length(p, q), plane.length(s, t))
        for (p, q), (s, t) in zip(list_sides(one), list_sides(other), strict=True)
    ]
    for (a, b), (c, d) in combinations(sides, 2):
        yield from compare(theorem, a, b, c, d)
