"""What a sampled figure consists of for a reader who reasons: lines with their points, rays, rims, and quantities.

A quantity is a tuple: ``("length", A, B)``, ``("angle", P, V, Q)``, ``("arc", A, B, o)`` (the smaller one),
``("radius", o)``, ``("area", ring...)``, ``("perimeter", ring...)``, ``("disc", o)``, ``("rim", o)``. Each has one
form: an angle's sides are named by the nearest points on them.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise

from counterfoil.storage.rows import Fact

Quantity = tuple[str, ...]
NEAR = 1e-7
_TURN = 1e-6
"""Directions that differ by less are one."""


@dataclass(frozen=True)
class Ray:
    """One side of a point on a line: its direction in radians and the points on it, the nearest first."""

    turn: float
    points: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.points[0]


@dataclass(frozen=True)
class Plane:
    """Points, drawn segments, circles (name to centre and radius) and stated facts of a figure."""

    places: Mapping[str, complex]
    segments: Sequence[tuple[str, str]]
    circles: Mapping[str, tuple[complex, float]]
    facts: Sequence[Fact]

    @cached_property
    def size(self) -> float:
        return max((abs(p - q) for p, q in combinations(self.places.values(), 2)), default=1.0)

    @cached_property
    def chains(self) -> list[tuple[str, ...]]:
        """The points of each drawn line in order; what is drawn in pieces is one."""
        found: list[set[str]] = []
        for a, b in self.segments:
            chain = {label for label in self.places if label in (a, b) or self.is_on(label, a, b)}
            for other in [each for each in found if each & chain and self._is_along(each, a, b)]:
                found.remove(other)
                chain |= other
            found.append(chain)
        return [self._order(chain) for chain in found]

    def is_on(self, label: str, a: str, b: str) -> bool:
        """Whether a point is on the segment AB and no end of it."""
        p, q, x = self.places[a], self.places[b], self.places[label]
        along = ((x - p) * (q - p).conjugate()) / abs(q - p)
        return abs(along.imag) < NEAR * self.size and 0 < along.real < abs(q - p)

    def _is_along(self, chain: Iterable[str], a: str, b: str) -> bool:
        p, q = self.places[a], self.places[b]
        return all(abs(((self.places[x] - p) * (q - p).conjugate()).imag) < NEAR * self.size**2 for x in chain)

    def _order(self, chain: Iterable[str]) -> tuple[str, ...]:
        names = sorted(chain)
        far = max(names, key=lambda x: abs(self.places[x] - self.places[names[0]]))
        ordered = sorted(names, key=lambda x: abs(self.places[x] - self.places[far]))
        return tuple(ordered if ordered[0] < ordered[-1] else ordered[::-1])

    @cached_property
    def joined(self) -> frozenset[frozenset[str]]:
        """Pairs of points with a drawn line between them."""
        return frozenset(frozenset(pair) for chain in self.chains for pair in combinations(chain, 2))

    def is_joined(self, a: str, b: str) -> bool:
        return frozenset((a, b)) in self.joined

    def find_chain(self, a: str, b: str) -> tuple[str, ...] | None:
        """The line on which both points are."""
        return next((chain for chain in self.chains if a in chain and b in chain), None)

    @cached_property
    def rays(self) -> dict[str, list[Ray]]:
        """The drawn rays from each point, by direction."""
        found: dict[str, list[Ray]] = {label: [] for label in self.places}
        for chain in self.chains:
            for at, label in enumerate(chain):
                for side in (chain[:at][::-1], chain[at + 1 :]):
                    if side:
                        turn = cmath.phase(self.places[side[0]] - self.places[label])
                        found[label].append(Ray(turn % math.tau, side))
        return {label: sorted(rays, key=lambda ray: ray.turn) for label, rays in found.items()}

    def find_ray(self, vertex: str, through: str) -> Ray | None:
        return next((ray for ray in self.rays[vertex] if through in ray.points), None)

    def find_direction(self, vertex: str, direction: complex) -> Ray | None:
        """The ray from a point in a direction."""
        for ray in self.rays[vertex]:
            turn = cmath.phase(cmath.rect(1, ray.turn) / direction)
            if abs(turn) < _TURN:
                return ray
        return None

    @cached_property
    def rims(self) -> dict[str, list[str]]:
        """The points that facts put on each circle, in the order of their directions."""
        found: dict[str, set[str]] = {name: set() for name in self.circles}
        for fact in self.facts:
            a = fact.arguments
            if fact.predicate == "on_circle":
                found[a[1]].add(a[0])
            elif fact.predicate in ("chord", "diameter"):
                found[a[2]] |= set(a[:2])
            elif fact.predicate == "tangent":
                centre, radius = self.circles[a[2]]
                found[a[2]] |= {x for x in a[:2] if abs(abs(self.places[x] - centre) - radius) < NEAR * self.size}
        return {name: sorted(rim, key=partial(self._turn_about, name)) for name, rim in found.items()}

    def _turn_about(self, circle: str, label: str) -> float:
        return cmath.phase(self.places[label] - self.circles[circle][0]) % math.tau

    # Quantities

    def length(self, a: str, b: str) -> Quantity:
        return ("length", min(a, b), max(a, b))

    def angle(self, p: str, vertex: str, q: str) -> Quantity | None:
        """The drawn angle between two rays; None where one is not drawn or both are one line."""
        first, second = self.find_ray(vertex, p), self.find_ray(vertex, q)
        return self.between(vertex, first, second)

    def between(self, vertex: str, first: Ray | None, second: Ray | None) -> Quantity | None:
        """The angle of two rays; None where there is none."""
        if first is None or second is None:
            return None
        turn = abs(cmath.phase(cmath.rect(1, first.turn - second.turn)))
        if turn < _TURN or turn > math.pi - _TURN:
            return None
        return ("angle", min(first.name, second.name), vertex, max(first.name, second.name))

    def arc(self, a: str, b: str, circle: str) -> Quantity:
        return ("arc", min(a, b), max(a, b), circle)

    def ring(self, kind: str, *corners: str) -> Quantity:
        """A polygon's area or perimeter, by its corners from the first in the alphabet on."""
        at = corners.index(min(corners))
        turned = corners[at:] + corners[:at]
        other = (turned[0], *turned[:0:-1])
        return (kind, *min(turned, other))

    def measure(self, quantity: Quantity) -> float:
        """The quantity by coordinates; angles and arcs in degrees."""
        kind, *names = quantity
        if kind == "length":
            return abs(self.places[names[0]] - self.places[names[1]])
        if kind == "angle":
            p, v, q = (self.places[name] for name in names)
            return abs(math.degrees(cmath.phase((p - v) / (q - v))))
        if kind in ("arc", "sweep", "sector"):
            centre, radius = self.circles[names[2]]
            turn = abs(cmath.phase((self.places[names[0]] - centre) / (self.places[names[1]] - centre)))
            return {"arc": math.degrees(turn), "sweep": turn * radius, "sector": turn * radius**2 / 2}[kind]
        if kind in ("radius", "disc", "rim"):
            radius = self.circles[names[0]][1]
            return {"radius": radius, "disc": math.pi * radius**2, "rim": 2 * math.pi * radius}[kind]
        ring = [self.places[name] for name in names]
        pairs = list(pairwise([*ring, ring[0]]))
        if kind == "perimeter":
            return sum(abs(p - q) for p, q in pairs)
        return abs(sum((p.conjugate() * q).imag for p, q in pairs)) / 2


def write_name(quantity: Quantity) -> str:
    r"""A quantity as an equation names it: ``AB``, ``\angle ABC``, ``arc AB``, ``the area of ABC``."""
    kind, *names = quantity
    match kind:
        case "length":
            return "".join(names)
        case "angle":
            return "\\angle " + "".join(names)
        case "arc":
            return f"arc {names[0]}{names[1]}"
        case "sweep":
            return f"the length of arc {names[0]}{names[1]}"
        case "sector":
            return f"the area of sector {names[0]}{names[2]}{names[1]}"
        case "radius":
            return f"the radius of circle {names[0]}"
        case "disc":
            return f"the area of circle {names[0]}"
        case "rim":
            return f"the circumference of circle {names[0]}"
    return f"the {kind} of {'triangle ' if len(names) == 3 else ''}{''.join(names)}"
