"""The residuals of the facts that figures state most, each with its gradient in closed form.

A gradient is one number for each coordinate of the fact's arguments in order (``x, y`` of a point, ``x, y, r`` of a
circle). A point that is named twice has its share in both places; whoever adds them up gets the derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.residuals import TINY, Place

Slope = list[float]
Linear = list[tuple[float, Slope]]
"""Each residual of a fact with its gradient."""
Linearise = Callable[[Sequence[Place], float], Linear]


# Building blocks: a value and its derivative by the first point; by the second it is the negative of that.


def _log_distance(p: Place, q: Place) -> tuple[float, float, float]:
    dx, dy = p[0] - q[0], p[1] - q[1]
    square = dx * dx + dy * dy + TINY * TINY
    return math.log(math.sqrt(square)), dx / square, dy / square


def _turn_of(ax: float, ay: float) -> tuple[float, float]:
    """The derivative of a vector's direction (an angle) by the vector."""
    square = ax * ax + ay * ay + TINY * TINY
    return -ay / square, ax / square


def find_angle(p: Place, q: Place, s: Place) -> tuple[float, Slope]:
    ax, ay, bx, by = p[0] - q[0], p[1] - q[1], s[0] - q[0], s[1] - q[1]
    cross = ax * by - ay * bx
    sign = 1.0 if cross >= 0 else -1.0
    (ux, uy), (vx, vy) = _turn_of(ax, ay), _turn_of(bx, by)
    ux, uy, vx, vy = -sign * ux, -sign * uy, sign * vx, sign * vy
    return math.atan2(abs(cross), ax * bx + ay * by), [ux, uy, -ux - vx, -uy - vy, vx, vy]


def _between(p: Place, q: Place, s: Place, t: Place) -> tuple[float, float, Slope]:
    """Sine and cosine of the angle from PQ to ST, and the gradient of that angle by all four points."""
    ax, ay, bx, by = q[0] - p[0], q[1] - p[1], t[0] - s[0], t[1] - s[1]
    (ux, uy), (vx, vy) = _turn_of(ax, ay), _turn_of(bx, by)
    size = math.hypot(ax, ay) * math.hypot(bx, by) + TINY
    return (ax * by - ay * bx) / size, (ax * bx + ay * by) / size, [ux, uy, -ux, -uy, -vx, -vy, vx, vy]


def _sine(p: Place, q: Place, s: Place, t: Place) -> tuple[float, Slope]:
    sine, cosine, slope = _between(p, q, s, t)
    return sine, [cosine * part for part in slope]


def _cosine(p: Place, q: Place, s: Place, t: Place) -> tuple[float, Slope]:
    sine, cosine, slope = _between(p, q, s, t)
    return cosine, [-sine * part for part in slope]


# Facts


def length(a: Sequence[Place], value: float) -> Linear:
    size, x, y = _log_distance(a[0], a[1])
    return [(size - math.log(value), [x, y, -x, -y])]


def equal_length(a: Sequence[Place], _: float) -> Linear:
    first, x, y = _log_distance(a[0], a[1])
    second, s, t = _log_distance(a[2], a[3])
    return [(first - second, [x, y, -x, -y, -s, -t, s, t])]


def _state_angle(a: Sequence[Place], value: float) -> Linear:
    size, slope = find_angle(a[0], a[1], a[2])
    return [(size - math.radians(360 - value if value > 180 else value), slope)]


def _equal_angle(a: Sequence[Place], _: float) -> Linear:
    first, slope = find_angle(a[0], a[1], a[2])
    second, other = find_angle(a[3], a[4], a[5])
    return [(first - second, slope + [-part for part in other])]


def parallel(a: Sequence[Place], _: float) -> Linear:
    return [_sine(a[0], a[1], a[2], a[3])]


def perpendicular(a: Sequence[Place], _: float) -> Linear:
    return [_cosine(a[0], a[1], a[2], a[3])]


def right_angle(a: Sequence[Place], _: float) -> Linear:
    value, g = _cosine(a[1], a[0], a[1], a[2])
    return [(value, [g[2], g[3], g[0] + g[4], g[1] + g[5], g[6], g[7]])]


def _collinear(a: Sequence[Place], _: float) -> Linear:
    if len(a) == 3:
        return [_bend(a, 0, 1, 2)]
    _, first, last = max((r.measure_distance(a[i], a[j]), -i, -j) for i, j in combinations(range(len(a)), 2))
    first, last = -first, -last
    return [_bend(a, first, i, last) for i in range(len(a)) if i not in (first, last)]


def _bend(a: Sequence[Place], i: int, j: int, k: int) -> tuple[float, Slope]:
    """`residuals.bend` of three of the points ``a``, with a gradient over all of them."""
    ij, jk, ik = r.measure_distance(a[i], a[j]), r.measure_distance(a[j], a[k]), r.measure_distance(a[i], a[k])
    if ij >= jk and ij >= ik:
        start, middle, end = i, k, j
    elif jk >= ik:
        start, middle, end = j, i, k
    else:
        start, middle, end = i, j, k
    value, g = _sine(a[start], a[middle], a[middle], a[end])
    slope = [0.0] * (2 * len(a))
    slope[2 * start], slope[2 * start + 1] = g[0], g[1]
    slope[2 * middle], slope[2 * middle + 1] = g[2] + g[4], g[3] + g[5]
    slope[2 * end], slope[2 * end + 1] = g[6], g[7]
    return value, slope


def midpoint(a: Sequence[Place], _: float) -> Linear:
    m, p, q = a
    dx, dy = p[0] - q[0], p[1] - q[1]
    size = math.hypot(dx, dy) + TINY
    linear: Linear = []
    for axis in (0, 1):
        value = (2 * m[axis] - p[axis] - q[axis]) / size
        # The whole grows with PQ: the second part of each entry is that of the divisor.
        grow = (-value * dx / (size * size), -value * dy / (size * size))
        slope = [0.0, 0.0, *grow, -grow[0], -grow[1]]
        slope[axis] += 2 / size
        slope[2 + axis] -= 1 / size
        slope[4 + axis] -= 1 / size
        linear.append((value, slope))
    return linear


def _bisector(a: Sequence[Place], _: float) -> Linear:
    d, p, b, q = a
    first, g = find_angle(p, b, d)
    second, h = find_angle(d, b, q)
    return [(first - second, [g[4] - h[0], g[5] - h[1], g[0], g[1], g[2] - h[2], g[3] - h[3], -h[4], -h[5]])]


def _congruent(a: Sequence[Place], _: float) -> Linear:
    n = len(a) // 2
    linear: Linear = []
    for i, j in combinations(range(n), 2):
        slope = [0.0] * (4 * n)
        (here, x, y), (there, s, t) = _log_distance(a[i], a[j]), _log_distance(a[n + i], a[n + j])
        slope[2 * i], slope[2 * i + 1], slope[2 * j], slope[2 * j + 1] = x, y, -x, -y
        i, j = n + i, n + j
        slope[2 * i], slope[2 * i + 1], slope[2 * j], slope[2 * j + 1] = -s, -t, s, t
        linear.append((here - there, slope))
    return linear


def _similar(a: Sequence[Place], _: float) -> Linear:
    linear = _congruent(a, 0)
    mean = sum(value for value, _ in linear) / len(linear)
    slopes = [sum(column) / len(linear) for column in zip(*(slope for _, slope in linear), strict=True)]
    return [
        (value - mean, [part - whole for part, whole in zip(slope, slopes, strict=True)]) for value, slope in linear
    ]


def on_circle(a: Sequence[Place], _: float) -> Linear:
    size, x, y = _log_distance(a[0], a[1])
    radius = a[1][2] or TINY
    return [(size - math.log(abs(radius)), [x, y, -x, -y, -1 / radius])]


def _radius(a: Sequence[Place], value: float) -> Linear:
    radius = a[0][2] or TINY
    return [(math.log(abs(radius) / value), [0.0, 0.0, 1 / radius])]


def _tangent_at(a: Sequence[Place], _: float) -> Linear:
    p, q, c = a
    value, g = _cosine(p, c, p, q)
    return [(value, [g[0] + g[4], g[1] + g[5], g[6], g[7], g[2], g[3], 0.0])]


def chord(a: Sequence[Place], _: float) -> Linear:
    p, q, c = a
    (first, g), (second, h) = on_circle((p, c), 0)[0], on_circle((q, c), 0)[0]
    return [(first, [g[0], g[1], 0.0, 0.0, *g[2:]]), (second, [0.0, 0.0, h[0], h[1], *h[2:]])]


def _arc(a: Sequence[Place], value: float) -> Linear:
    p, q, c = a
    swept, g = find_angle(p, c, q)
    target = math.radians(360 - value if value > 180 else value)
    return [(swept - target, [g[0], g[1], g[4], g[5], g[2], g[3], 0.0]), *chord(a, 0)]


COMMON: Mapping[r.Residual, Linearise] = {
    r.length: length,
    r.equal_length: equal_length,
    r.angle: _state_angle,
    r.equal_angle: _equal_angle,
    r.parallel: parallel,
    r.perpendicular: perpendicular,
    r.right_angle: right_angle,
    r.collinear: _collinear,
    r.midpoint: midpoint,
    r.bisector: _bisector,
    r.congruent: _congruent,
    r.similar: _similar,
    r.on_circle: on_circle,
    r.radius: _radius,
    r.tangent_at: _tangent_at,
    r.chord: chord,
    r.arc: _arc,
}
