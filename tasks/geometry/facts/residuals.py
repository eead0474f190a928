"""How far a figure is from what a fact says: plain functions of coordinates.

Every residual is a radian or a logarithm of a ratio, so that one number serves all: a tenth (5.7 degrees, 10 % of a
length) is what a viewer sees, a hundredth is drawing accuracy. Points are ``(x, y)``, circles ``(cx, cy, r)``; a
residual function takes the fact's arguments in order and its value (lengths in coordinate units, angles in degrees).
They are called thousands of times a solve, hence floats and ``math`` rather than arrays; of coordinates
that are `Dual`s they give duals, which carry the gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from counterfoil.tasks.geometry.facts import duals
from counterfoil.tasks.geometry.facts.duals import TINY, Dual, strip

Point = tuple[float, float]
Circle = tuple[float, float, float]
Place = Any
"""A `Point` or a `Circle`."""
Residuals = tuple[float, ...]
Target = Any
"""A number, or the numbers of a value of the coordinate plane (`plane.read_plane`)."""
Residual = Callable[[Sequence[Place], Target], Residuals]
TIE = 1e-6
"""Ways in which a fact may hold are equally near up to this difference of their squares."""


def measure_distance(p: Place, q: Place) -> float:
    """Distance of two points (or of a circle's centre)."""
    return math.hypot(p[0] - q[0], p[1] - q[1])


def _span(p: Place, q: Place) -> float:
    """`measure_distance`, of duals as well."""
    return duals.measure_distance(p, q) if type(p[0]) is Dual else measure_distance(p, q)


def measure_gap(x: Point, p: Point, q: Point) -> float:
    """The distance of X from the segment PQ."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    square = dx * dx + dy * dy
    along = 0.0 if square == 0 else max(0.0, min(1.0, ((x[0] - p[0]) * dx + (x[1] - p[1]) * dy) / square))
    return measure_distance(x, (p[0] + along * dx, p[1] + along * dy))


def measure_angle(p: Place, q: Place, r: Place) -> float:
    """The angle PQR in radians, between 0 and pi."""
    if type(p[0]) is Dual:
        return abs(duals.measure_turn(p, q, r))
    ax, ay, bx, by = p[0] - q[0], p[1] - q[1], r[0] - q[0], r[1] - q[1]
    return math.atan2(abs(ax * by - ay * bx), ax * bx + ay * by)


def measure_turn(p: Place, q: Place, r: Place) -> float:
    """The signed angle from ray QP to ray QR in radians, counter-clockwise positive."""
    if type(p[0]) is Dual:
        return duals.measure_turn(p, q, r)
    ax, ay, bx, by = p[0] - q[0], p[1] - q[1], r[0] - q[0], r[1] - q[1]
    return math.atan2(ax * by - ay * bx, ax * bx + ay * by)


def compare(a: float, b: float) -> float:
    """The logarithm of the ratio of two lengths."""
    if type(a) is Dual or type(b) is Dual:
        return duals.compare(a, b)
    return math.log((abs(a) + TINY) / (abs(b) + TINY))


def off_line(x: Place, p: Place, q: Place) -> float:
    """How far X is off the line PQ, in halves of PQ: about the angle at which it is seen to be off."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    return 2 * ((x[0] - p[0]) * dy - (x[1] - p[1]) * dx) / (dx * dx + dy * dy + TINY)


def sine_between(p: Place, q: Place, r: Place, s: Place) -> float:
    """The sine of the angle between the lines PQ and RS (0: parallel)."""
    if type(p[0]) is Dual:
        return duals.measure_between(p, q, r, s, sine=True)
    ax, ay, bx, by = q[0] - p[0], q[1] - p[1], s[0] - r[0], s[1] - r[1]
    return (ax * by - ay * bx) / (math.hypot(ax, ay) * math.hypot(bx, by) + TINY)


def cosine_between(p: Place, q: Place, r: Place, s: Place) -> float:
    """The cosine of the angle between the lines PQ and RS (0: perpendicular)."""
    if type(p[0]) is Dual:
        return duals.measure_between(p, q, r, s, sine=False)
    ax, ay, bx, by = q[0] - p[0], q[1] - p[1], s[0] - r[0], s[1] - r[1]
    return (ax * bx + ay * by) / (math.hypot(ax, ay) * math.hypot(bx, by) + TINY)


def bend(p: Place, q: Place, r: Place) -> float:
    """The bend of three points at the one that lies between the others, as a sine (0: collinear)."""
    a, b, c = strip(p), strip(q), strip(r)
    pq, qr, pr = measure_distance(a, b), measure_distance(b, c), measure_distance(a, c)
    if pq >= qr and pq >= pr:
        return sine_between(p, r, r, q)
    if qr >= pr:
        return sine_between(q, p, p, r)
    return sine_between(p, q, q, r)


def pick_best(way: Residual, orders: Sequence[Sequence[Place]]) -> Residuals:
    """A fact that may hold in several ways, each of which says ``way`` of the places in another order: the one that it
    comes nearest to."""
    found = [way([strip(place) for place in order], 0) for order in orders]
    sizes = [_square(parts) for parts in found]
    least = min(sizes)
    if type(orders[0][0][0]) is not Dual:
        return found[sizes.index(least)]
    return duals.blend([way(order, 0) for order, size in zip(orders, sizes, strict=True) if size <= least + TIE])


def _square(parts: Residuals) -> float:
    # A loop: a generator would take thrice as long for one part or two.
    size = 0.0
    for part in parts:
        size += part * part
    return size


# Relations


def collinear(a: Sequence[Place], _: float) -> Residuals:
    if len(a) == 3:
        return (bend(a[0], a[1], a[2]),)
    first, last = max(combinations(a, 2), key=lambda pair: measure_distance(strip(pair[0]), strip(pair[1])))
    return tuple(bend(first, p, last) for p in a if p is not first and p is not last)


def midpoint(a: Sequence[Place], _: float) -> Residuals:
    m, p, q = a
    half = _span(p, q) / 2 + TINY
    return ((m[0] - (p[0] + q[0]) / 2) / half, (m[1] - (p[1] + q[1]) / 2) / half)


def parallel(a: Sequence[Place], _: float) -> Residuals:
    return (sine_between(a[0], a[1], a[2], a[3]),)


def perpendicular(a: Sequence[Place], _: float) -> Residuals:
    return (cosine_between(a[0], a[1], a[2], a[3]),)


def right_angle(a: Sequence[Place], _: float) -> Residuals:
    return (cosine_between(a[1], a[0], a[1], a[2]),)


def equal_length(a: Sequence[Place], _: float) -> Residuals:
    return (compare(_span(a[0], a[1]), _span(a[2], a[3])),)


def length(a: Sequence[Place], value: float) -> Residuals:
    return (compare(_span(a[0], a[1]), value),)


def angle(a: Sequence[Place], value: float) -> Residuals:
    target = math.radians(360 - value if value > 180 else value)
    return (measure_angle(a[0], a[1], a[2]) - target,)


def equal_angle(a: Sequence[Place], _: float) -> Residuals:
    return (measure_angle(a[0], a[1], a[2]) - measure_angle(a[3], a[4], a[5]),)


def bisector(a: Sequence[Place], _: float) -> Residuals:
    d, p, b, r = a
    return (measure_angle(p, b, d) - measure_angle(d, b, r),)


def altitude(a: Sequence[Place], _: float) -> Residuals:
    vertex, foot = a[0], a[1]
    b, c = find_opposite(a)
    return (cosine_between(vertex, foot, b, c), off_line(foot, b, c))


def median(a: Sequence[Place], _: float) -> Residuals:
    return midpoint((a[1], *find_opposite(a)), 0)


def find_opposite(a: Sequence[Place]) -> tuple[Place, Place]:
    """The side opposite to the vertex ``a[0]`` of the triangle ``a[2:]``."""
    b, c = sorted(a[2:5], key=lambda p: measure_distance(strip(p), strip(a[0])))[1:]
    return b, c


def midsegment(a: Sequence[Place], _: float) -> Residuals:
    p, q, corners = a[0], a[1], a[2:]
    n = len(corners)
    sides = [(corners[i], corners[(i + 1) % n]) for i in range(n)]
    pairs = combinations(sides, 2) if n == 3 else ((sides[0], sides[2]), (sides[1], sides[3]))
    return pick_best(_midpoints, [(x, *s, y, *t) for s, t in pairs for x, y in ((p, q), (q, p))])


def _midpoints(a: Sequence[Place], _: float) -> Residuals:
    return midpoint(a[:3], 0) + midpoint(a[3:], 0)


def intersection(a: Sequence[Place], _: float) -> Residuals:
    return (off_line(a[0], a[1], a[2]), off_line(a[0], a[3], a[4]))


def incentre(a: Sequence[Place], _: float) -> Residuals:
    """Equally far from all sides of the polygon ``a[1:]``."""
    corners = a[1:]
    gaps = []
    for i, p in enumerate(corners):
        q = corners[(i + 1) % len(corners)]
        gaps.append(abs(off_line(a[0], p, q)) * _span(p, q))
    return tuple(compare(gap, gaps[0]) for gap in gaps[1:])


def centroid(a: Sequence[Place], _: float) -> Residuals:
    x, corners = a[0], a[1:]
    n = len(corners)
    size = sum(_span(p, x) for p in corners) / n + TINY
    return ((x[0] - sum(p[0] for p in corners) / n) / size, (x[1] - sum(p[1] for p in corners) / n) / size)


def circumcentre(a: Sequence[Place], _: float) -> Residuals:
    return tuple(compare(_span(a[0], p), _span(a[0], a[1])) for p in a[2:])


def orthocentre(a: Sequence[Place], _: float) -> Residuals:
    h, p, q, s = a
    return (cosine_between(h, p, q, s), cosine_between(h, q, s, p), cosine_between(h, s, p, q))


def perpendicular_bisector(a: Sequence[Place], _: float) -> Residuals:
    p, q, first, last = a
    middle = ((first[0] + last[0]) / 2, (first[1] + last[1]) / 2)
    off = abs(off_line(middle, p, q)) * _span(p, q) / (_span(first, last) + TINY)
    return (cosine_between(p, q, first, last), off)


def ratio(a: Sequence[Place], value: float) -> Residuals:
    return (compare(_span(a[0], a[1]), value * _span(a[2], a[3])),)


def angle_sum(a: Sequence[Place], value: float) -> Residuals:
    return (measure_angle(a[0], a[1], a[2]) + measure_angle(a[3], a[4], a[5]) - math.radians(value),)


# Circles


def on_circle(a: Sequence[Place], _: float) -> Residuals:
    return (compare(_span(a[0], a[1]), abs(a[1][2])),)


def centre(a: Sequence[Place], _: float) -> Residuals:
    p, c = a
    radius = abs(c[2]) + TINY
    return ((p[0] - c[0]) / radius, (p[1] - c[1]) / radius)


def radius(a: Sequence[Place], value: float) -> Residuals:
    return (compare(abs(a[0][2]), value),)


def radial(a: Sequence[Place], _: float) -> Residuals:
    """One of the ends is the centre, the other on the circle."""
    p, q, c = a
    return pick_best(_radial, [(p, q, c), (q, p, c)])


def _radial(a: Sequence[Place], _: float) -> Residuals:
    return centre((a[0], a[2]), 0) + on_circle((a[1], a[2]), 0)


def outside_circle(a: Sequence[Place], _: float) -> Residuals:
    return (max(0.0, 0.15 - compare(_span(a[0], a[1]), a[1][2])),)


def inside_circle(a: Sequence[Place], _: float) -> Residuals:
    return (max(0.0, 0.15 - compare(a[1][2], _span(a[0], a[1]))),)


def externally_tangent(a: Sequence[Place], _: float) -> Residuals:
    """Two circles touch, each outside the other."""
    return (compare(_span(a[0], a[1]), abs(a[0][2]) + abs(a[1][2])),)


def internally_tangent(a: Sequence[Place], _: float) -> Residuals:
    """Two circles touch, one inside the other."""
    return (compare(_span(a[0], a[1]), abs(abs(a[0][2]) - abs(a[1][2]))),)


def concyclic(a: Sequence[Place], _: float) -> Residuals:
    """From each further point the first two are seen under the angle at which the third sees them, or its rest."""
    first, second, third = a[:3]
    seen = measure_turn(first, third, second)
    parts = []
    for p in a[3:]:
        off = seen - measure_turn(first, p, second)
        parts.append(off - math.pi * round(strip((off,))[0] / math.pi))
    return tuple(parts)


def tangent_at(a: Sequence[Place], _: float) -> Residuals:
    """The line PQ touches the circle in P."""
    p, q, c = a
    return (cosine_between(p, c, p, q),)


def tangent(a: Sequence[Place], _: float) -> Residuals:
    p, q, c = a
    for end, other in ((p, q), (q, p)):
        # Where the line meets the circle in a known point, its angle with the radius tells; its distance would not.
        if abs(compare(_span(end, c), c[2])) < 0.04:
            return (cosine_between(end, c, end, other),)
    dx, dy = q[0] - p[0], q[1] - p[1]
    off = abs((c[0] - p[0]) * dy - (c[1] - p[1]) * dx) / (_span(p, q) + TINY)
    return (compare(off, abs(c[2])),)


def chord(a: Sequence[Place], _: float) -> Residuals:
    return on_circle((a[0], a[2]), 0) + on_circle((a[1], a[2]), 0)


def diameter(a: Sequence[Place], _: float) -> Residuals:
    p, q, c = a
    return (*chord(a, 0), *centre((((p[0] + q[0]) / 2, (p[1] + q[1]) / 2), c), 0))


def arc(a: Sequence[Place], value: float) -> Residuals:
    p, q, c = a
    swept = measure_angle(p, c, q)
    target = math.radians(360 - value if value > 180 else value)
    return (swept - target, *chord(a, 0))


# Shapes


def none(a: Sequence[Place], _: float) -> Residuals:  # noqa: ARG001
    return ()


def list_sides(a: Sequence[Place]) -> list[float]:
    return [_span(p, q) for p, q in zip(a, (*a[1:], a[0]), strict=True)]


def list_angles(a: Sequence[Place]) -> list[float]:
    return [measure_angle(a[i - 1], a[i], a[(i + 1) % len(a)]) for i in range(len(a))]


def equilateral(a: Sequence[Place], _: float) -> Residuals:
    ab, bc, ca = list_sides(a)
    return (compare(ab, bc), compare(bc, ca))


def isosceles(a: Sequence[Place], _: float) -> Residuals:
    return pick_best(equal_length, [(p, q, q, r) for p, q, r in _turn_round(a)])


def right_triangle(a: Sequence[Place], _: float) -> Residuals:
    return pick_best(right_angle, [(a[i - 1], a[i], a[(i + 1) % 3]) for i in range(3)])


def scalene(a: Sequence[Place], _: float) -> Residuals:
    short, middle, long = sorted(list_sides(a))
    return (max(0.0, 0.15 - compare(middle, short)), max(0.0, 0.15 - compare(long, middle)))


def acute(a: Sequence[Place], _: float) -> Residuals:
    return tuple(max(0.0, part - math.radians(83)) for part in list_angles(a))


def obtuse(a: Sequence[Place], _: float) -> Residuals:
    return (max(0.0, math.radians(98) - max(list_angles(a))),)


def parallelogram(a: Sequence[Place], _: float) -> Residuals:
    p, q, r, s = a
    half = (_span(p, r) + _span(q, s)) / 4 + TINY
    return ((p[0] + r[0] - q[0] - s[0]) / 2 / half, (p[1] + r[1] - q[1] - s[1]) / 2 / half)


def rectangle(a: Sequence[Place], _: float) -> Residuals:
    return (*parallelogram(a, 0), *right_angle((a[0], a[1], a[2]), 0))


def rhombus(a: Sequence[Place], _: float) -> Residuals:
    return (*parallelogram(a, 0), compare(_span(a[0], a[1]), _span(a[1], a[2])))


def square(a: Sequence[Place], _: float) -> Residuals:
    return (*rhombus(a, 0), *right_angle((a[0], a[1], a[2]), 0))


def trapezoid(a: Sequence[Place], _: float) -> Residuals:
    return pick_best(parallel, _turn_round(a)[:2])


def isosceles_trapezoid(a: Sequence[Place], _: float) -> Residuals:
    return pick_best(_isosceles_trapezoid, _turn_round(a)[:2])


def _isosceles_trapezoid(a: Sequence[Place], _: float) -> Residuals:
    return parallel(a, 0) + equal_length((a[1], a[2], a[3], a[0]), 0)


def right_trapezoid(a: Sequence[Place], _: float) -> Residuals:
    return pick_best(_right_trapezoid, _turn_round(a))


def _right_trapezoid(a: Sequence[Place], _: float) -> Residuals:
    return parallel(a, 0) + perpendicular((a[2], a[3], a[1], a[2]), 0)


def kite(a: Sequence[Place], _: float) -> Residuals:
    return pick_best(_kite, _turn_round(a)[:2])


def _kite(a: Sequence[Place], _: float) -> Residuals:
    return equal_length((a[0], a[1], a[1], a[2]), 0) + equal_length((a[2], a[3], a[3], a[0]), 0)


def _turn_round(a: Sequence[Place]) -> list[Sequence[Place]]:
    """The corners of a polygon from each of them on."""
    return [(*a[i:], *a[:i]) for i in range(len(a))]


def regular_polygon(a: Sequence[Place], _: float) -> Residuals:
    n = len(a)
    x, y = sum(p[0] for p in a) / n, sum(p[1] for p in a) / n
    mean = sum(_span(p, (x, y)) for p in a) / n
    turn = (2 if measure_turn(a[0], (x, y), a[1]) > 0 else -2) * math.pi / n
    return (
        *(compare(_span(p, (x, y)), mean) for p in a),
        *(measure_turn(a[i], (x, y), a[(i + 1) % n]) - turn for i in range(n)),
    )


def side_length(a: Sequence[Place], value: float) -> Residuals:
    return tuple(compare(side, value) for side in list_sides(a))


def perimeter(a: Sequence[Place], value: float) -> Residuals:
    return (compare(sum(list_sides(a)), value),)


def area(a: Sequence[Place], value: float) -> Residuals:
    """Half the logarithm of the ratio: an area is off by as much as its sides are."""
    doubled = sum(a[i - 1][0] * a[i][1] - a[i][0] * a[i - 1][1] for i in range(len(a)))
    return (compare(doubled / 2, value) / 2,)


def congruent(a: Sequence[Place], _: float) -> Residuals:
    n = len(a) // 2
    return tuple(compare(_span(a[i], a[j]), _span(a[n + i], a[n + j])) for i, j in combinations(range(n), 2))


def similar(a: Sequence[Place], _: float) -> Residuals:
    ratios = congruent(a, 0)
    mean = sum(ratios) / len(ratios)
    return tuple(ratio - mean for ratio in ratios)


# The coordinate plane: the origin is that of the coordinates

PLANE_UNIT = 2.5
"""Units of the axes that count as a radian: what is off by a quarter of one is seen."""


def at(a: Sequence[Place], value: Target) -> Residuals:
    return ((a[0][0] - value[0]) / PLANE_UNIT, (a[0][1] - value[1]) / PLANE_UNIT)


def slope(a: Sequence[Place], value: Target) -> Residuals:
    across, up = a[1][0] - a[0][0], a[1][1] - a[0][1]
    return ((up - value[0] * across) / (math.hypot(1.0, value[0]) * _span(a[0], a[1]) + TINY),)


def _pass_through(a: Sequence[Place], x: float, y: float) -> Residuals:
    """How far the line AB passes from a place."""
    across, up = a[1][0] - a[0][0], a[1][1] - a[0][1]
    return (((a[0][0] - x) * up - (a[0][1] - y) * across) / (_span(a[0], a[1]) + TINY) / PLANE_UNIT,)


def y_intercept(a: Sequence[Place], value: Target) -> Residuals:
    return _pass_through(a, 0.0, value[0])


def x_intercept(a: Sequence[Place], value: Target) -> Residuals:
    return _pass_through(a, value[0], 0.0)


def line_equation(a: Sequence[Place], value: Target) -> Residuals:
    return (*slope(a, value[:1]), *y_intercept(a, value[1:]))


def horizontal(a: Sequence[Place], _: float) -> Residuals:
    return slope(a, (0.0,))


def vertical(a: Sequence[Place], _: float) -> Residuals:
    return ((a[1][0] - a[0][0]) / (_span(a[0], a[1]) + TINY),)


def on_x_axis(a: Sequence[Place], _: float) -> Residuals:
    return (a[0][1] / PLANE_UNIT,)


def on_y_axis(a: Sequence[Place], _: float) -> Residuals:
    return (a[0][0] / PLANE_UNIT,)


def quadratic(a: Sequence[Place], value: Target) -> Residuals:
    """The parabola of vertex A through B: where its vertex is, and how fast it rises."""
    across, up = a[1][0] - a[0][0], a[1][1] - a[0][1]
    turned = 1.0 if up * value[0] < 0 else 0.0
    return (*at(a, value[1:]), compare(up, value[0] * across * across), turned)


def circle_equation(a: Sequence[Place], value: Target) -> Residuals:
    return (*at(a, value[:2]), compare(a[0][2], value[2]))
