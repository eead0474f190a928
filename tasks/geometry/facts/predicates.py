"""The table of predicates: arguments, the orders of them that say the same, residuals and conditions.

Shapes are inclusive (a square is a rectangle), but for the trapezoid, which textbooks define both ways: a
parallelogram neither shows nor breaks the claim that it is a trapezoid, and so it proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.residuals import Place, Residuals

DISTINCT = 0.01
"""Points nearer than this share of the figure's extent count as one, and facts that name both as degenerate."""

Arguments = tuple[str, ...]
Forms = Callable[[Arguments], Iterable[Arguments]]
Condition = Callable[[Sequence[Place], float], bool | None]


@dataclass(frozen=True)
class Predicate:
    """One row of the table.

    ``roles`` names each argument: ``p`` a point, ``c`` a circle; a last ``p*`` takes any further points.
    ``forms`` lists every order of the arguments that says the same. ``condition`` is asked when the residuals are
    within tolerance: False refutes the fact (a crossed square), None leaves it open. ``truth`` replaces the
    comparison with tolerances where a claim is an inequality.
    """

    name: str
    roles: tuple[str, ...]
    group: str
    forms: Forms
    residual: r.Residual = r.none
    value: str | None = None
    """What the value is: ``length``, ``angle``, ``coordinates``, ``text`` or None."""
    condition: Condition | None = None
    truth: Callable[[Sequence[Place], float, float, float], bool | None] | None = None
    allows_repeats: bool = False
    minimum: int = 0

    def accepts(self, count: int) -> bool:
        """Whether ``count`` is a possible number of arguments."""
        return count >= self.minimum if self.roles[-1] == "p*" else count == len(self.roles)

    def role(self, index: int) -> str:
        """``p`` or ``c`` for the argument at ``index``."""
        roles = self.roles
        return roles[index][0] if index < len(roles) else roles[-1][0]


# Forms: orders of the arguments that say the same


def keep(a: Arguments) -> Iterator[Arguments]:
    yield a


def any_order(a: Arguments) -> Iterator[Arguments]:
    yield tuple(sorted(a))


def cyclic(a: Arguments) -> Iterator[Arguments]:
    """All rotations of a polygon's name, in both directions."""
    for ring in (a, a[::-1]):
        for i in range(len(ring)):
            yield ring[i:] + ring[:i]


def pair(a: Arguments) -> Iterator[Arguments]:
    """A segment, then whatever follows: AB is BA."""
    yield a
    yield (a[1], a[0], *a[2:])


def two_pairs(a: Arguments) -> Iterator[Arguments]:
    """Two segments, each in both directions, in both orders."""
    for first, second in ((a[:2], a[2:]), (a[2:], a[:2])):
        for p in (first, first[::-1]):
            for q in (second, second[::-1]):
                yield p + q


def head_and_ring(a: Arguments) -> Iterator[Arguments]:
    """A point, then a polygon."""
    for ring in cyclic(a[1:]):
        yield (a[0], *ring)


def one_angle(a: Arguments) -> Iterator[Arguments]:
    yield a
    yield a[::-1]


def two_angles(a: Arguments) -> Iterator[Arguments]:
    for first, second in ((a[:3], a[3:]), (a[3:], a[:3])):
        for p in (first, first[::-1]):
            for q in (second, second[::-1]):
                yield p + q


def head_and_pair(a: Arguments) -> Iterator[Arguments]:
    """A point, then a segment: M of AB is M of BA."""
    yield a
    yield (a[0], a[2], a[1])


def head_and_angle(a: Arguments) -> Iterator[Arguments]:
    yield a
    yield (a[0], a[3], a[2], a[1])


def head_and_two_pairs(a: Arguments) -> Iterator[Arguments]:
    for rest in two_pairs(a[1:]):
        yield (a[0], *rest)


def line_and_triangle(a: Arguments) -> Iterator[Arguments]:
    """A directed segment and a triangle: vertex P, foot F, triangle ABC in any order."""
    yield (*a[:2], *sorted(a[2:]))


def pair_and_polygon(a: Arguments) -> Iterator[Arguments]:
    for p in (a[:2], a[1::-1]):
        for ring in cyclic(a[2:]):
            yield p + ring


def correspondence(a: Arguments) -> Iterator[Arguments]:
    """Two polygons whose vertices correspond in order."""
    n = len(a) // 2
    for first, second in ((a[:n], a[n:]), (a[n:], a[:n])):
        orders: Iterable[Sequence[int]] = permutations(range(n)) if n == 3 else cyclic_orders(n)
        for order in orders:
            yield tuple(first[i] for i in order) + tuple(second[i] for i in order)


def cyclic_orders(n: int) -> Iterator[Sequence[int]]:
    for ring in (list(range(n)), list(range(n))[::-1]):
        for i in range(n):
            yield ring[i:] + ring[:i]


# Conditions and inequalities


def is_simple(a: Sequence[Place]) -> bool:
    """Whether the polygon's sides meet only at its vertices."""
    n = len(a)
    for i in range(n):
        for j in range(i + 2, n):
            if (i, j) != (0, n - 1) and _cross(a[i], a[i + 1], a[j], a[(j + 1) % n]):
                return False
    return True


def _cross(p: Place, q: Place, s: Place, t: Place) -> bool:
    def side(x: Place, y: Place, z: Place) -> float:
        return (y[0] - x[0]) * (z[1] - x[1]) - (y[1] - x[1]) * (z[0] - x[0])

    return bool(side(p, q, s) * side(p, q, t) < 0 and side(s, t, p) * side(s, t, q) < 0)


def polygon_condition(a: Sequence[Place], _: float) -> bool | None:
    """Simple, and no corner so flat or so sharp that the shape is not seen."""
    if not is_simple(a):
        return False
    sines = [math.sin(part) for part in r.list_angles(a)]
    if min(sines) > 0.05:
        return True
    return False if min(sines) < 0.01 else None


def trapezoid_condition(a: Sequence[Place], _: float) -> bool | None:
    whole = polygon_condition(a, _)
    if not whole:
        return whole
    sines = (abs(r.sine_between(a[0], a[1], a[2], a[3])), abs(r.sine_between(a[1], a[2], a[3], a[0])))
    return True if max(sines) > 0.03 else None


def distinct_lines(a: Sequence[Place], _: float) -> bool | None:
    """Parallel lines are two lines: a line is not parallel to itself."""
    return True if abs(r.off_line(a[2], a[0], a[1])) > DISTINCT else None


def inside_angle(a: Sequence[Place], _: float) -> bool | None:
    d, p, b, q = a
    return r.measure_angle(p, b, d) < math.pi / 2 + 0.01 and r.measure_angle(p, b, q) < math.pi - 0.01


def between(a: Sequence[Place], _: float) -> bool | None:
    return True if r.measure_distance(a[0], a[1]) > 0 else None


def foot_truth(a: Sequence[Place], value: float, tolerance: float, visible: float) -> bool | None:
    """An altitude starts at a vertex; from any other point it is none."""
    if min(r.measure_distance(a[0], p) for p in a[2:]) > 0:
        return False
    return compare_parts(PREDICATES["altitude"].residual(a, value), tolerance, visible)


def median_truth(a: Sequence[Place], value: float, tolerance: float, visible: float) -> bool | None:
    if min(r.measure_distance(a[0], p) for p in a[2:]) > 0:
        return False
    return compare_parts(PREDICATES["median"].residual(a, value), tolerance, visible)


def triangle_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    sine = min(math.sin(part) for part in r.list_angles(a))
    return True if sine > visible / 2 else False if sine < tolerance / 2 else None


def scalene_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    short, middle, long = sorted(r.list_sides(a))
    least = min(r.compare(middle, short), r.compare(long, middle))
    return True if least > visible / 2 else False if least < tolerance / 2 else None


def acute_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    excess = max(r.list_angles(a)) - math.pi / 2
    return True if excess < -tolerance else False if excess > visible else None


def obtuse_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    excess = max(r.list_angles(a)) - math.pi / 2
    return True if excess > tolerance else False if excess < -visible else None


def simple_truth(a: Sequence[Place], value: float, tolerance: float, visible: float) -> bool | None:  # noqa: ARG001
    return polygon_condition(a, value)


def compare_parts(parts: Residuals, tolerance: float, visible: float) -> bool | None:
    """True within tolerance, False where at least one part is visibly off, None between."""
    worst = max((abs(part) for part in parts), default=0.0)
    return True if worst <= tolerance else False if worst >= visible else None


# The table


def _list_predicates() -> Iterator[Predicate]:
    p1, p2, p3, p4, p6 = ("p",), ("p",) * 2, ("p",) * 3, ("p",) * 4, ("p",) * 6
    yield Predicate("point", p1, "drawn", keep, value="coordinates")
    yield Predicate("segment", p2, "drawn", pair)
    yield Predicate("circle", ("c",), "drawn", keep, value="coordinates")
    yield Predicate("mark_length", p2, "mark", pair, r.length, value="length")
    yield Predicate("mark_angle", p3, "mark", one_angle, r.angle, value="angle")
    yield Predicate("mark_right", p3, "mark", one_angle, r.right_angle)
    yield Predicate("mark_arc", ("p", "p", "c"), "mark", pair, r.arc, value="angle")
    yield Predicate("mark_ticks", p2, "mark", pair, value="text")
    yield Predicate("mark_arcs", p3, "mark", one_angle, value="text")
    yield Predicate("mark_parallel", p2, "mark", pair, value="text")

    yield Predicate("collinear", ("p", "p", "p", "p*"), "relation", any_order, r.collinear, minimum=3)
    yield Predicate("midpoint", p3, "relation", head_and_pair, r.midpoint)
    yield Predicate("parallel", p4, "relation", two_pairs, r.parallel, condition=distinct_lines, allows_repeats=True)
    yield Predicate("perpendicular", p4, "relation", two_pairs, r.perpendicular, allows_repeats=True)
    yield Predicate("equal_length", p4, "relation", two_pairs, r.equal_length, allows_repeats=True)
    yield Predicate("length", p2, "relation", pair, r.length, value="length")
    yield Predicate("angle", p3, "relation", one_angle, r.angle, value="angle")
    yield Predicate("equal_angle", p6, "relation", two_angles, r.equal_angle, allows_repeats=True)
    yield Predicate("bisector", p4, "relation", head_and_angle, r.bisector, condition=inside_angle)
    yield Predicate(
        "altitude", ("p",) * 5, "relation", line_and_triangle, r.altitude, truth=foot_truth, allows_repeats=True
    )
    yield Predicate(
        "median", ("p",) * 5, "relation", line_and_triangle, r.median, truth=median_truth, allows_repeats=True
    )
    yield Predicate(
        "midsegment", ("p", "p", "p", "p", "p", "p*"), "relation", pair_and_polygon, r.midsegment, minimum=5
    )
    for name, residual in (("incentre", r.incentre), ("centroid", r.centroid), ("circumcentre", r.circumcentre)):
        yield Predicate(name, ("p", "p", "p", "p", "p*"), "relation", head_and_ring, residual, minimum=4)
    yield Predicate("intersection", ("p",) * 5, "relation", head_and_two_pairs, r.intersection, allows_repeats=True)
    yield Predicate(
        "congruent", ("p",) * 6 + ("p*",), "relation", correspondence, r.congruent, minimum=6, allows_repeats=True
    )
    yield Predicate(
        "similar", ("p",) * 6 + ("p*",), "relation", correspondence, r.similar, minimum=6, allows_repeats=True
    )

    yield Predicate("on_circle", ("p", "c"), "relation", keep, r.on_circle)
    yield Predicate("centre", ("p", "c"), "relation", keep, r.centre)
    yield Predicate("radius", ("c",), "relation", keep, r.radius, value="length")
    yield Predicate("tangent", ("p", "p", "c"), "relation", pair, r.tangent)
    yield Predicate("chord", ("p", "p", "c"), "relation", pair, r.chord)
    yield Predicate("diameter", ("p", "p", "c"), "relation", pair, r.diameter)
    yield Predicate("arc", ("p", "p", "c"), "relation", pair, r.arc, value="angle")

    yield Predicate("triangle", p3, "shape", any_order, truth=triangle_truth)
    for name, residual in (
        ("equilateral", r.equilateral),
        ("isosceles", r.isosceles),
        ("right_triangle", r.right_triangle),
    ):
        yield Predicate(name, p3, "shape", any_order, residual, condition=polygon_condition)
    yield Predicate("scalene", p3, "shape", any_order, r.scalene, truth=scalene_truth)
    yield Predicate("acute", p3, "shape", any_order, r.acute, truth=acute_truth)
    yield Predicate("obtuse", p3, "shape", any_order, r.obtuse, truth=obtuse_truth)
    yield Predicate("quadrilateral", p4, "shape", cyclic, truth=simple_truth)
    for name, residual in (
        ("square", r.square),
        ("rectangle", r.rectangle),
        ("rhombus", r.rhombus),
        ("parallelogram", r.parallelogram),
        ("kite", r.kite),
    ):
        yield Predicate(name, p4, "shape", cyclic, residual, condition=polygon_condition)
    for name, residual in (
        ("trapezoid", r.trapezoid),
        ("isosceles_trapezoid", r.isosceles_trapezoid),
        ("right_trapezoid", r.right_trapezoid),
    ):
        yield Predicate(name, p4, "shape", cyclic, residual, condition=trapezoid_condition)
    yield Predicate(
        "regular_polygon",
        ("p", "p", "p", "p*"),
        "shape",
        cyclic,
        r.regular_polygon,
        condition=polygon_condition,
        minimum=3,
    )


PREDICATES: Mapping[str, Predicate] = {predicate.name: predicate for predicate in _list_predicates()}
SHAPES = frozenset(name for name, predicate in PREDICATES.items() if predicate.group == "shape")
MARKS = frozenset(name for name, predicate in PREDICATES.items() if predicate.group == "mark")
DRAWN = frozenset(name for name, predicate in PREDICATES.items() if predicate.group == "drawn")

MEANING = {"mark_length": "length", "mark_angle": "angle", "mark_right": "perpendicular", "mark_arc": "arc"}
"""The relation that a mark states."""
