"""Numbers that know how they change: forward-mode differentiation of the residuals.

A `Dual` is a value with its derivative by each unknown that it depends on (a dual number with a sparse tangent). The
functions of `residuals` take places of floats or of duals alike, so that each fact is written once and its gradient
follows. The few measures that nearly all facts are made of are taken in one step; what they are put together with is
arithmetic.
"""

from __future__ import annotations

import math
from typing import Any

TINY = 1e-12
Slope = dict[int, float]
"""Derivatives by the numbers of the unknowns; 0 by those that are not there."""


class Dual:
    """A value and its ``slope``. It is compared by its value. An unknown itself bears its number."""

    __slots__ = ("slope", "unknown", "value")

    def __init__(self, value: float, slope: Slope, unknown: int | None = None) -> None:
        self.value = value
        self.slope = slope
        self.unknown = unknown

    def __add__(self, other: Any) -> Any:
        if type(other) is Dual:
            i, j = self.unknown, other.unknown
            if i is not None and j is not None and i != j:
                return Dual(self.value + other.value, {i: 1.0, j: 1.0})
            return combine(self.value + other.value, ((1.0, self), (1.0, other)))
        return Dual(self.value + other, self.slope)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return combine(-self.value, ((-1.0, self),))

    def __sub__(self, other: Any) -> Any:
        if type(other) is Dual:
            i, j = self.unknown, other.unknown
            if i is not None and j is not None and i != j:
                return Dual(self.value - other.value, {i: 1.0, j: -1.0})
            return combine(self.value - other.value, ((1.0, self), (-1.0, other)))
        return Dual(self.value - other, self.slope)

    def __rsub__(self, other: float) -> Any:
        return combine(other - self.value, ((-1.0, self),))

    def __mul__(self, other: Any) -> Any:
        if type(other) is Dual:
            return combine(self.value * other.value, ((other.value, self), (self.value, other)))
        return combine(self.value * other, ((other, self),))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if type(other) is Dual:
            share = self.value / other.value
            return combine(share, ((1.0 / other.value, self), (-share / other.value, other)))
        share = 1.0 / other
        return Dual(self.value / other, {i: share * each for i, each in self.slope.items()})

    def __abs__(self) -> Any:
        return self if self.value >= 0 else -self

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < (other.value if type(other) is Dual else other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > (other.value if type(other) is Dual else other))


def combine(value: float, parts: Any) -> Any:
    """What changes with each of ``parts``, pairs of a derivative and a `Dual`."""
    slope: Slope = {}
    for factor, part in parts:
        unknown = part.unknown
        if unknown is not None:
            # Its own derivative is 1: half of all parts are unknowns themselves.
            slope[unknown] = slope[unknown] + factor if unknown in slope else factor
            continue
        for unknown, share in part.slope.items():
            if unknown in slope:
                slope[unknown] += factor * share
            else:
                slope[unknown] = factor * share
    return Dual(value, slope)


def strip(place: Any) -> Any:
    """The plain numbers of a place."""
    return tuple([part.value for part in place]) if type(place[0]) is Dual else place


def compare(a: Any, b: Any) -> Any:
    """The logarithm of the ratio of two lengths, of which one at least is a dual."""
    if type(b) is not Dual:
        size = abs(a.value) + TINY
        share = math.copysign(1.0, a.value) / size
        return Dual(math.log(size / (abs(b) + TINY)), {i: share * each for i, each in a.slope.items()})
    parts = []
    sizes = []
    for length, sign in ((a, 1.0), (b, -1.0)):
        value = length.value if type(length) is Dual else length
        sizes.append(abs(value) + TINY)
        if type(length) is Dual:
            parts.append((math.copysign(sign, sign * value) / sizes[-1], length))
    return combine(math.log(sizes[0] / sizes[1]), parts)


# Measures of places of duals, each in one step


def measure_distance(p: Any, q: Any) -> Any:
    dx, dy = p[0].value - q[0].value, p[1].value - q[1].value
    size = math.hypot(dx, dy)
    u, v = dx / (size or TINY), dy / (size or TINY)
    i, j = p[0].unknown, q[0].unknown
    if i is not None and j is not None and i != j:
        # Two places of their own, as nearly always: nothing is to be added up.
        return Dual(size, {i: u, p[1].unknown: v, j: -u, q[1].unknown: -v})
    return combine(size, ((u, p[0]), (v, p[1]), (-u, q[0]), (-v, q[1])))


def measure_turn(p: Any, q: Any, r: Any) -> Any:
    """The signed angle from ray QP to ray QR."""
    ax, ay, bx, by = p[0].value - q[0].value, p[1].value - q[1].value, r[0].value - q[0].value, r[1].value - q[1].value
    (ux, uy), (vx, vy) = _turn(ax, ay), _turn(bx, by)
    i, j, k = p[0].unknown, q[0].unknown, r[0].unknown
    if i is not None and j is not None and k is not None and i != j != k != i:
        slope = {i: -ux, p[1].unknown: -uy, j: ux - vx, q[1].unknown: uy - vy, k: vx, r[1].unknown: vy}
        return Dual(math.atan2(ax * by - ay * bx, ax * bx + ay * by), slope)
    parts = ((-ux, p[0]), (-uy, p[1]), (ux - vx, q[0]), (uy - vy, q[1]), (vx, r[0]), (vy, r[1]))
    return combine(math.atan2(ax * by - ay * bx, ax * bx + ay * by), parts)


def measure_between(p: Any, q: Any, r: Any, s: Any, sine: bool) -> Any:
    """The sine or the cosine of the angle from PQ to RS."""
    ax, ay, bx, by = q[0].value - p[0].value, q[1].value - p[1].value, s[0].value - r[0].value, s[1].value - r[1].value
    size = math.hypot(ax, ay) * math.hypot(bx, by) + TINY
    across, along = (ax * by - ay * bx) / size, (ax * bx + ay * by) / size
    value, grow = (across, along) if sine else (along, -across)
    (ux, uy), (vx, vy) = _turn(ax, ay), _turn(bx, by)
    ux, uy, vx, vy = grow * ux, grow * uy, grow * vx, grow * vy
    i, j, k, m = p[0].unknown, q[0].unknown, r[0].unknown, s[0].unknown
    if i is not None and j is not None and k is not None and m is not None and i != j and k != m:
        slope = {i: ux, p[1].unknown: uy, j: -ux, q[1].unknown: -uy}
        for place, x, y in ((r, -vx, -vy), (s, vx, vy)):
            along, up = place[0].unknown, place[1].unknown
            if along in slope:
                slope[along] += x
                slope[up] += y
            else:
                slope[along], slope[up] = x, y
        return Dual(value, slope)
    parts = ((ux, p[0]), (uy, p[1]), (-ux, q[0]), (-uy, q[1]), (-vx, r[0]), (-vy, r[1]), (vx, s[0]), (vy, s[1]))
    return combine(value, parts)


def _turn(x: float, y: float) -> tuple[float, float]:
    """How a vector's direction changes with the vector."""
    square = x * x + y * y + TINY * TINY
    return -y / square, x / square


def blend(ways: Any) -> Any:
    """Of several ways in which a fact may hold, all equally near, the first with the mean slope of all of them.

    As at the base of an isosceles triangle: a figure leaves such a place by what else is said of it, and not by the
    order in which its points are named. Each way is a tuple of duals.
    """
    share = 1.0 / len(ways)
    return (
        ways[0]
        if len(ways) == 1
        else tuple(combine(column[0].value, [(share, part) for part in column]) for column in zip(*ways, strict=True))
    )
