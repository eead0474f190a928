"""The residuals of shapes and of the rarer relations, each with its gradient in closed form.

They are put together from the few facts of `gradients`: a rhombus is a parallelogram with two equal sides. Where a
residual takes the best of several ways in which a fact may hold, so does the gradient, by the same values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from tasks.geometry.facts import gradients as g
from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.gradients import Linear, Linearise, Slope
from tasks.geometry.facts.residuals import TINY, Place

_FAR = 0.15
"""What `residuals.scalene` and the sides of a circle ask for, as the logarithm of a ratio."""

_TIE = 1e-6


def _spread(linear: Linear, where: Sequence[int], count: int) -> Linear:
    """What was found for the points at ``where`` as gradients over all ``count`` points of a fact."""
    spread: Linear = []
    for value, slope in linear:
        whole = [0.0] * (2 * count)
        for i, at in enumerate(where):
            whole[2 * at] += slope[2 * i]
            whole[2 * at + 1] += slope[2 * i + 1]
        spread.append((value, whole))
    return spread


def _of(linearise: Linearise, a: Sequence[Place], where: Sequence[int]) -> Linear:
    return _spread(linearise([a[i] for i in where], 0.0), where, len(a))


def _pick(alternatives: Sequence[Linear]) -> Linear:
    """As `residuals.pick_best`: the one of several ways that is nearest to holding."""
    return _unite([alternatives[i] for i in _list_best([sum(v * v for v, _ in linear) for linear in alternatives])])


def _list_best(sizes: Sequence[float]) -> list[int]:
    least = min(sizes)
    return [i for i, size in enumerate(sizes) if size <= least + _TIE]


def _unite(tied: Sequence[Linear]) -> Linear:
    """Ways that are equally near, as at the base of an isosceles triangle, with the mean of their gradients: a figure
    leaves such a place by what else is said of it, and not by the order in which its points are named."""
    if len(tied) == 1:
        return tied[0]
    rows = zip(*tied, strict=True)
    return [
        (row[0][0], [sum(column) / len(tied) for column in zip(*(slope for _, slope in row), strict=True)])
        for row in rows
    ]


def _flip(linear: Linear, floor: float) -> Linear:
    """An inequality: ``floor`` less the value, nothing where the value is above."""
    return [
        (floor - value, [-part for part in slope]) if value < floor else (0.0, [0.0] * len(slope))
        for value, slope in linear
    ]


def _turn_by(linear: Linear, excess: float) -> Linear:
    """An inequality the other way: the value less ``excess``, nothing where it is below."""
    return [(value - excess, slope) if value > excess else (0.0, [0.0] * len(slope)) for value, slope in linear]


def _corner(a: Sequence[Place], i: int) -> Linear:
    """The angle of a polygon at its vertex ``i``."""
    n = len(a)
    where = ((i - 1) % n, i, (i + 1) % n)
    return _spread([g.find_angle(*(a[at] for at in where))], where, n)


def _sides(a: Sequence[Place], first: int, second: int) -> tuple[int, int, int, int]:
    """The ends of two sides of a polygon, each named by where it starts."""
    n = len(a)
    return first, (first + 1) % n, second, (second + 1) % n


# Triangles


def _equilateral(a: Sequence[Place], _: float) -> Linear:
    return _of(g.equal_length, a, (0, 1, 1, 2)) + _of(g.equal_length, a, (1, 2, 2, 0))


def _isosceles(a: Sequence[Place], _: float) -> Linear:
    ab, bc, ca = r.list_sides(a)
    gaps = [abs(r.compare(ab, bc)), abs(r.compare(bc, ca)), abs(r.compare(ca, ab))]
    return _unite([_of(g.equal_length, a, _sides(a, i, (i + 1) % 3)) for i in _list_best(gaps)])


def _right_triangle(a: Sequence[Place], _: float) -> Linear:
    corners = ((2, 0, 1), (0, 1, 2), (1, 2, 0))
    gaps = [abs(r.cosine_between(a[q], a[p], a[q], a[s])) for p, q, s in corners]
    return _unite([_of(g.right_angle, a, corners[i]) for i in _list_best(gaps)])


def _scalene(a: Sequence[Place], _: float) -> Linear:
    sides = r.list_sides(a)
    short, middle, long = sorted(range(3), key=sides.__getitem__)
    return _flip(
        _of(g.equal_length, a, _sides(a, middle, short)) + _of(g.equal_length, a, _sides(a, long, middle)), _FAR
    )


def _acute(a: Sequence[Place], _: float) -> Linear:
    return _turn_by([part for i in range(3) for part in _corner(a, i)], math.radians(83))


def _obtuse(a: Sequence[Place], _: float) -> Linear:
    angles = r.list_angles(a)
    return _flip(_corner(a, angles.index(max(angles))), math.radians(98))


# Quadrilaterals


def _parallelogram(a: Sequence[Place], _: float) -> Linear:
    p, q, s, t = a
    first, second = r.measure_distance(p, s), r.measure_distance(q, t)
    half = (first + second) / 4 + TINY
    # By how much the mean of half diagonals grows with each coordinate.
    grow = [
        part / (4 * (size or TINY))
        for size, x, y in ((first, p, s), (second, q, t))
        for part in (x[0] - y[0], x[1] - y[1])
    ]
    linear: Linear = []
    for axis in (0, 1):
        value = (p[axis] + s[axis] - q[axis] - t[axis]) / 2 / half
        share = -value / half
        slope = [share * grow[0], share * grow[1], share * grow[2], share * grow[3]]
        slope += [-part for part in slope]
        step = 0.5 / half
        slope[axis] += step
        slope[2 + axis] -= step
        slope[4 + axis] += step
        slope[6 + axis] -= step
        linear.append((value, slope))
    return linear


def _rectangle(a: Sequence[Place], _: float) -> Linear:
    return _parallelogram(a, 0) + _of(g.right_angle, a, (0, 1, 2))


def _rhombus(a: Sequence[Place], _: float) -> Linear:
    return _parallelogram(a, 0) + _of(g.equal_length, a, (0, 1, 1, 2))


def _square(a: Sequence[Place], _: float) -> Linear:
    return _rhombus(a, 0) + _of(g.right_angle, a, (0, 1, 2))


def _trapezoid(a: Sequence[Place], _: float) -> Linear:
    return _pick([_of(g.parallel, a, (0, 1, 2, 3)), _of(g.parallel, a, (1, 2, 3, 0))])


def _isosceles_trapezoid(a: Sequence[Place], _: float) -> Linear:
    return _pick(
        [
            _of(g.parallel, a, (0, 1, 2, 3)) + _of(g.equal_length, a, (1, 2, 3, 0)),
            _of(g.parallel, a, (1, 2, 3, 0)) + _of(g.equal_length, a, (0, 1, 2, 3)),
        ]
    )


def _right_trapezoid(a: Sequence[Place], _: float) -> Linear:
    rings = [(i, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4) for i in range(4)]
    return _pick(
        [_of(g.parallel, a, ring) + _of(g.perpendicular, a, (ring[1], ring[2], ring[0], ring[1])) for ring in rings]
    )


def _kite(a: Sequence[Place], _: float) -> Linear:
    return _pick(
        [
            _of(g.equal_length, a, (0, 1, 1, 2)) + _of(g.equal_length, a, (2, 3, 3, 0)),
            _of(g.equal_length, a, (1, 2, 2, 3)) + _of(g.equal_length, a, (3, 0, 0, 1)),
        ]
    )


# Measures of a polygon


def _side_length(a: Sequence[Place], value: float) -> Linear:
    n = len(a)
    linear: Linear = []
    for i in range(n):
        where = (i, (i + 1) % n)
        linear += _spread(g.length([a[at] for at in where], value), where, n)
    return linear


def _perimeter(a: Sequence[Place], value: float) -> Linear:
    n = len(a)
    total = sum(r.list_sides(a)) + TINY
    slope = [0.0] * (2 * n)
    for i in range(n):
        j = (i + 1) % n
        size = r.measure_distance(a[i], a[j]) or TINY
        for axis in (0, 1):
            part = (a[i][axis] - a[j][axis]) / size / total
            slope[2 * i + axis] += part
            slope[2 * j + axis] -= part
    return [(r.compare(total, value), slope)]


def _area(a: Sequence[Place], value: float) -> Linear:
    n = len(a)
    doubled = sum(a[i - 1][0] * a[i][1] - a[i][0] * a[i - 1][1] for i in range(n))
    scale = 0.5 / (doubled or TINY)
    slope: Slope = []
    for i in range(n):
        before, after = a[i - 1], a[(i + 1) % n]
        slope += [scale * (after[1] - before[1]), scale * (before[0] - after[0])]
    return [(r.compare(doubled / 2, value) / 2, slope)]


# Relations of points and lines


def _off_line(x: Place, p: Place, q: Place) -> tuple[float, Slope]:
    dx, dy = q[0] - p[0], q[1] - p[1]
    square = dx * dx + dy * dy + TINY
    ax, ay = x[0] - p[0], x[1] - p[1]
    value = 2 * (ax * dy - ay * dx) / square
    by_x, by_y = 2 * dy / square, -2 * dx / square
    to_x, to_y = -2 * ay / square - 2 * value * dx / square, 2 * ax / square - 2 * value * dy / square
    return value, [by_x, by_y, -by_x - to_x, -by_y - to_y, to_x, to_y]


def _intersection(a: Sequence[Place], _: float) -> Linear:
    return _spread([_off_line(a[0], a[1], a[2])], (0, 1, 2), 5) + _spread([_off_line(a[0], a[3], a[4])], (0, 3, 4), 5)


def _find_opposite(a: Sequence[Place]) -> tuple[int, int]:
    """Where the ends of the side opposite to ``a[0]`` stand among the arguments."""
    b, c = sorted(range(2, 5), key=lambda i: r.measure_distance(a[i], a[0]))[1:]
    return b, c


def _altitude(a: Sequence[Place], _: float) -> Linear:
    b, c = _find_opposite(a)
    return _of(g.perpendicular, a, (0, 1, b, c)) + _spread([_off_line(a[1], a[b], a[c])], (1, b, c), 5)


def _median(a: Sequence[Place], _: float) -> Linear:
    return _of(g.midpoint, a, (1, *_find_opposite(a)))


def _midsegment(a: Sequence[Place], _: float) -> Linear:
    n = len(a) - 2
    sides = [(2 + i, 2 + (i + 1) % n) for i in range(n)]
    pairs = combinations(sides, 2) if n == 3 else ((sides[0], sides[2]), (sides[1], sides[3]))
    return _pick(
        [_of(g.midpoint, a, (x, *s)) + _of(g.midpoint, a, (y, *t)) for s, t in pairs for x, y in ((0, 1), (1, 0))]
    )


def _centroid(a: Sequence[Place], _: float) -> Linear:
    x, corners = a[0], a[1:]
    n = len(corners)
    spans = [r.measure_distance(p, x) or TINY for p in corners]
    size = sum(spans) / n + TINY
    grow = [(p[axis] - x[axis]) / span / n for p, span in zip(corners, spans, strict=True) for axis in (0, 1)]
    grow = [-sum(grow[0::2]), -sum(grow[1::2]), *grow]
    linear: Linear = []
    for axis in (0, 1):
        value = (x[axis] - sum(p[axis] for p in corners) / n) / size
        slope = [-value * part / size for part in grow]
        slope[axis] += 1 / size
        for i in range(n):
            slope[2 + 2 * i + axis] -= 1 / n / size
        linear.append((value, slope))
    return linear


def _circumcentre(a: Sequence[Place], _: float) -> Linear:
    linear: Linear = []
    for i in range(2, len(a)):
        linear += _of(g.equal_length, a, (0, i, 0, 1))
    return linear


def _orthocentre(a: Sequence[Place], _: float) -> Linear:
    return [part for p, q, s in ((1, 2, 3), (2, 3, 1), (3, 1, 2)) for part in _of(g.perpendicular, a, (0, p, q, s))]


def _ratio(a: Sequence[Place], value: float) -> Linear:
    return [(gap - math.log(value), slope) for gap, slope in g.equal_length(a, 0.0)]


def _angle_sum(a: Sequence[Place], value: float) -> Linear:
    (first, slope), (second, other) = g.find_angle(a[0], a[1], a[2]), g.find_angle(a[3], a[4], a[5])
    return [(first + second - math.radians(value), slope + other)]


# Circles: the last argument, of three coordinates


def _centre(a: Sequence[Place], _: float) -> Linear:
    p, c = a
    radius = abs(c[2]) + TINY
    by_radius = math.copysign(1.0, c[2]) / radius
    dx, dy = (p[0] - c[0]) / radius, (p[1] - c[1]) / radius
    return [
        (dx, [1 / radius, 0.0, -1 / radius, 0.0, -dx * by_radius]),
        (dy, [0.0, 1 / radius, 0.0, -1 / radius, -dy * by_radius]),
    ]


def _diameter(a: Sequence[Place], _: float) -> Linear:
    p, q, c = a
    middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
    halves = [(value, [s[0] / 2, s[1] / 2, s[0] / 2, s[1] / 2, *s[2:]]) for value, s in _centre((middle, c), 0)]
    return g.chord(a, 0) + halves


def _radial(a: Sequence[Place], _: float) -> Linear:
    p, q, c = a
    inner = [(value, [*s[:2], 0.0, 0.0, *s[2:]]) for value, s in _centre((p, c), 0)]
    outer = [(value, [0.0, 0.0, *s]) for value, s in g.on_circle((q, c), 0)]
    turned = [(value, [0.0, 0.0, *s]) for value, s in _centre((q, c), 0)]
    turned += [(value, [*s[:2], 0.0, 0.0, *s[2:]]) for value, s in g.on_circle((p, c), 0)]
    return _pick([inner + outer, turned])


def _outside_circle(a: Sequence[Place], _: float) -> Linear:
    return _flip(g.on_circle(a, 0), _FAR)


def _inside_circle(a: Sequence[Place], _: float) -> Linear:
    return _flip([(-value, [-part for part in slope]) for value, slope in g.on_circle(a, 0)], _FAR)


SHAPES: Mapping[r.Residual, Linearise] = {
    r.equilateral: _equilateral,
    r.isosceles: _isosceles,
    r.right_triangle: _right_triangle,
    r.scalene: _scalene,
    r.acute: _acute,
    r.obtuse: _obtuse,
    r.parallelogram: _parallelogram,
    r.rectangle: _rectangle,
    r.rhombus: _rhombus,
    r.square: _square,
    r.trapezoid: _trapezoid,
    r.isosceles_trapezoid: _isosceles_trapezoid,
    r.right_trapezoid: _right_trapezoid,
    r.kite: _kite,
    r.side_length: _side_length,
    r.perimeter: _perimeter,
    r.area: _area,
    r.intersection: _intersection,
    r.altitude: _altitude,
    r.median: _median,
    r.midsegment: _midsegment,
    r.centroid: _centroid,
    r.circumcentre: _circumcentre,
    r.orthocentre: _orthocentre,
    r.ratio: _ratio,
    r.angle_sum: _angle_sum,
    r.centre: _centre,
    r.diameter: _diameter,
    r.radial: _radial,
    r.outside_circle: _outside_circle,
    r.inside_circle: _inside_circle,
}
