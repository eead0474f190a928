"""When a fact with small residuals is still not so (a crossed square), and the facts that are inequalities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from counterfoil.tasks.geometry.facts import residuals as r
from counterfoil.tasks.geometry.facts.residuals import Place, Residuals, Target

DISTINCT = 0.01
"""Points nearer than this share of the figure's extent count as one, and facts that name both as degenerate."""

Condition = Callable[[Sequence[Place], Target], bool | None]
Truth = Callable[[Sequence[Place], Target, float, float], bool | None]
"""Of places, target, tolerance and what is visible, as `judge.judge`."""


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


def not_in_line(a: Sequence[Place], _: float) -> bool | None:
    """Points on one line lie on no circle."""
    return True if abs(r.bend(*a[:3])) > 0.02 else None


def inside_angle(a: Sequence[Place], _: float) -> bool | None:
    """Between two sides that are two: an angle of nothing has no bisector, though all lines lie alike to its sides."""
    d, p, b, q = a
    half, whole = r.measure_angle(p, b, d), r.measure_angle(p, b, q)
    return half < math.pi / 2 + 0.01 and half < whole < math.pi - 0.01


def foot_truth(a: Sequence[Place], value: float, tolerance: float, visible: float) -> bool | None:
    """An altitude starts at a vertex; from any other point it is none."""
    if min(r.measure_distance(a[0], p) for p in a[2:]) > 0:
        return False
    return compare_parts(r.altitude(a, value), tolerance, visible)


def median_truth(a: Sequence[Place], value: float, tolerance: float, visible: float) -> bool | None:
    if min(r.measure_distance(a[0], p) for p in a[2:]) > 0:
        return False
    return compare_parts(r.median(a, value), tolerance, visible)


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


def outside_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    beyond = r.compare(r.measure_distance(a[0], a[1]), a[1][2])
    return True if beyond > visible else False if beyond < tolerance else None


def inside_circle_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    within = r.compare(a[1][2], r.measure_distance(a[0], a[1]))
    return True if within > visible else False if within < tolerance else None


def inside_truth(a: Sequence[Place], _: float, tolerance: float, visible: float) -> bool | None:
    """In the polygon ``a[1:]``, and off its sides by a visible share of its size."""
    point, ring = a[0], a[1:]
    sides = [(ring[i - 1], ring[i]) for i in range(len(ring))]
    gap = min(r.measure_gap(point, *side) for side in sides) / max(r.measure_distance(*side) for side in sides)
    turned = sum(r.measure_turn(p, point, q) for p, q in sides)
    if gap < tolerance or abs(turned) < math.pi:
        return False
    return True if gap > visible / 2 else None


def compare_parts(parts: Residuals, tolerance: float, visible: float) -> bool | None:
    """True within tolerance, False where at least one part is visibly off, None between."""
    worst = max((abs(part) for part in parts), default=0.0)
    return True if worst <= tolerance else False if worst >= visible else None


_BESIDE_AXIS = 0.3
"""Units by which a point is seen to be off an axis."""


def quadrant_truth(a: Sequence[Place], value: tuple[float, ...], _: float, __: float) -> bool | None:
    """Whether a point is in a quadrant; on an axis it is in none, next to one nobody could tell."""
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))[int(value[0])]
    inside = [sign * part for sign, part in zip(signs, a[0], strict=True)]
    if min(inside) >= _BESIDE_AXIS:
        return True
    return False if min(inside) <= -_BESIDE_AXIS or min(map(abs, inside)) < TOUCHING else None


TOUCHING = 0.05
"""Units within which a point is on an axis."""


def graph_truth(a: Sequence[Place], _: float, __: float, ___: float) -> bool | None:
    """Whether a broken line runs from left to right, so that it is the graph of a function."""
    steps = [q[0] - p[0] for p, q in pairwise(a)]
    least = min(max(steps, key=abs) * step for step in steps)
    return True if least > _BESIDE_AXIS**2 else False if least < -TOUCHING else None
