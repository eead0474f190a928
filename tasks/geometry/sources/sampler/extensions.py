"""Constructions that add to a figure that is already there: each returns whether it found something to build on."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, wraps

from counterfoil.tasks.geometry.sources.sampler.sketch import Sketch, find_centre, turn_by, write_exactly

Build = Callable[..., bool | None]
"""What adds to a sketch at the labels that it is given; False where these do not do."""


def _on_triangle(build: Build, bare: bool = False) -> Callable[[Sketch], bool]:
    """At a triangle of the figure, from any of its corners on; if ``bare``, only where there is no circle."""

    @wraps(build)
    def add(sketch: Sketch) -> bool:
        if not sketch.triangles:
            return False
        ring = sketch.triangles[sketch.pick(0, len(sketch.triangles) - 1)]
        start = sketch.pick(0, 2)
        if bare and sketch.circles:
            return False
        return build(sketch, ring[start], ring[start - 2], ring[start - 1]) is not False

    return add


_on_bare_triangle = partial(_on_triangle, bare=True)


def _on_quadrilateral(build: Build) -> Callable[[Sketch], bool]:
    """At the first quadrilateral of the figure."""

    @wraps(build)
    def add(sketch: Sketch) -> bool:
        return bool(sketch.quadrilaterals) and build(sketch, *sketch.quadrilaterals[0]) is not False

    return add


@_on_triangle
def add_median(sketch: Sketch, a: str, b: str, c: str) -> None:
    m = sketch.add_point((sketch.places[b] + sketch.places[c]) / 2)
    sketch.join(a, m)
    sketch.state("median", a, m, a, b, c)
    sketch.state("midpoint", m, b, c)
    sketch.ask_length(b, m, sketch.length(m, c))


@_on_triangle
def add_altitude(sketch: Sketch, a: str, b: str, c: str) -> bool:
    p, q, x = (sketch.places[label] for label in (b, c, a))
    share = ((x - p) * (q - p).conjugate()).real / abs(q - p) ** 2
    if not 0.12 < share < 0.88:
        return False
    f = sketch.add_point(p + share * (q - p))
    sketch.join(a, f)
    sketch.state("altitude", a, f, a, b, c)
    sketch.state("collinear", b, f, c)
    sketch.mark_right(a, f, b)
    sketch.ask_angle(b, a, f, sketch.angle(a, b, f))
    return True


@_on_triangle
def add_bisector(sketch: Sketch, a: str, b: str, c: str) -> None:
    left, right = sketch.measure(a, b), sketch.measure(a, c)
    d = sketch.add_point((sketch.places[b] * right + sketch.places[c] * left) / (left + right))
    sketch.join(a, d)
    sketch.state("bisector", d, b, a, c)
    sketch.state("collinear", b, d, c)
    sketch.ask_angle(d, a, c, sketch.angle(b, a, d))


@_on_triangle
def add_midsegment(sketch: Sketch, a: str, b: str, c: str) -> None:
    m, n = sketch.add_points((sketch.places[a] + sketch.places[b]) / 2, (sketch.places[a] + sketch.places[c]) / 2)
    sketch.join(m, n)
    sketch.state("midsegment", m, n, a, b, c)
    sketch.state("midpoint", m, a, b)
    sketch.state("midpoint", n, a, c)
    sketch.ask_length(m, n, sketch.length(b, c))


@_on_triangle
def add_cevian(sketch: Sketch, a: str, b: str, c: str) -> None:
    share = (0.3, 0.35, 0.65, 0.7)[sketch.pick(0, 3)]
    whole = sketch.measure(b, c)
    if write_exactly(whole, 1):
        share = round(share * whole, 1) / whole
    d = sketch.add_point(sketch.places[b] + share * (sketch.places[c] - sketch.places[b]))
    sketch.join(a, d)
    sketch.state("collinear", b, d, c)
    sketch.ask_length(b, c, sketch.length(b, d), sketch.length(d, c))


@_on_bare_triangle
def add_circumcircle(sketch: Sketch, a: str, b: str, c: str) -> bool:
    p, q, s = (sketch.places[label] for label in (a, b, c))
    middle = find_centre(p, q, s)
    radius = abs(middle - p)
    if min(abs(middle - (x + y) / 2) for x, y in ((p, q), (q, s), (s, p))) < 0.08 * radius:
        return False
    o = sketch.add_centre(middle)
    sketch.add_circle(o, radius)
    for label in (a, b, c):
        sketch.state("on_circle", label, o)
    return True


@_on_bare_triangle
def add_incircle(sketch: Sketch, a: str, b: str, c: str) -> None:
    weights = (sketch.measure(b, c), sketch.measure(c, a), sketch.measure(a, b))
    total = sum(weights)
    middle = sum(w * sketch.places[label] for w, label in zip(weights, (a, b, c), strict=True)) / total
    half = total / 2
    area = math.sqrt(half * math.prod(half - w for w in weights))
    o = sketch.add_centre(middle)
    sketch.add_circle(o, area / half)
    for p, q in ((a, b), (b, c), (c, a)):
        sketch.state("tangent", p, q, o)


@_on_bare_triangle
def add_square_on_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    p, q, apex = (sketch.places[label] for label in (a, b, c))
    side = q - p
    outward = side * 1j if ((apex - p) / side).imag < 0 else side * -1j
    d, e = sketch.add_points(q + outward, p + outward)
    sketch.join(b, d, e, a)
    sketch.state("square", a, b, d, e)
    sketch.ask_length(d, e, sketch.length(a, b))


@_on_bare_triangle
def add_triangle_on_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    """An equilateral triangle outside a side."""
    p, q, apex = (sketch.places[label] for label in (a, b, c))
    outward = 60 if ((apex - p) / (q - p)).imag < 0 else -60
    d = sketch.add_point(p + (q - p) * turn_by(outward))
    sketch.join(a, d, b)
    sketch.state("equilateral", a, b, d)
    sketch.ask_length(a, d, sketch.length(a, b))


@_on_quadrilateral
def add_diagonal(sketch: Sketch, a: str, b: str, c: str, d: str) -> bool:
    if (a, c) in sketch.segments or (b, d) in sketch.segments:
        return False
    sketch.join(a, c)
    sketch.state("triangle", a, b, c)
    return True


@_on_quadrilateral
def add_both_diagonals(sketch: Sketch, a: str, b: str, c: str, d: str) -> bool:
    if (a, c) in sketch.segments or (b, d) in sketch.segments:
        return False
    p, q, s, t = (sketch.places[label] for label in (a, c, b, d))
    u, v = q - p, t - s
    share = ((s - p).real * v.imag - (s - p).imag * v.real) / (u.real * v.imag - u.imag * v.real)
    if any(abs(p + share * u - place) < 1e-3 * abs(u) for place in sketch.places.values()):
        return False
    x = sketch.add_point(p + share * u)
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.state("intersection", x, a, c, b, d)
    sketch.ask_angle(a, x, b, sketch.angle(c, x, d))
    return True


@_on_quadrilateral
def add_middle_line(sketch: Sketch, a: str, b: str, c: str, d: str) -> None:
    """The segment between the midpoints of two opposite sides."""
    m, n = sketch.add_points((sketch.places[a] + sketch.places[d]) / 2, (sketch.places[b] + sketch.places[c]) / 2)
    sketch.join(m, n)
    sketch.state("midpoint", m, a, d)
    sketch.state("midpoint", n, b, c)


def add_segment_midpoint(sketch: Sketch) -> bool:
    if not sketch.segments:
        return False
    a, b = sketch.segments[sketch.pick(0, len(sketch.segments) - 1)]
    middle = (sketch.places[a] + sketch.places[b]) / 2
    m = sketch.add_point(middle)
    sketch.state("midpoint", m, a, b)
    sketch.mark_equal((a, m), (m, b))
    sketch.ask_length(m, b, sketch.length(a, m))
    return True


def add_tangent(sketch: Sketch) -> bool:
    """A tangent at a point that is on a circle already."""
    on_it = [fact for fact in sketch.facts if fact.predicate == "on_circle"]
    if not on_it:
        return False
    label, circle = on_it[sketch.pick(0, len(on_it) - 1)].arguments
    centre, radius = sketch.circles[circle]
    step = (sketch.places[label] - sketch.places[centre]) * 1j * (0.9, -0.9)[sketch.pick(0, 1)]
    p = sketch.add_point(sketch.places[label] + step)
    sketch.join(label, p)
    sketch.state("tangent", p, label, circle)
    return radius > 0


def add_diameter(sketch: Sketch) -> bool:
    if len(sketch.circles) != 1 or any(fact.predicate == "diameter" for fact in sketch.facts):
        return False
    ((circle, (centre, radius)),) = sketch.circles.items()
    turn = turn_by(sketch.pick(0, 359), radius)
    middle = sketch.places[centre]
    p, q = sketch.add_points(middle + turn, middle - turn)
    sketch.join(p, q)
    sketch.state("diameter", p, q, circle)
    return True


EXTENSIONS = (
    add_median,
    add_altitude,
    add_bisector,
    add_midsegment,
    add_cevian,
    add_circumcircle,
    add_incircle,
    add_square_on_side,
    add_triangle_on_side,
    add_diagonal,
    add_both_diagonals,
    add_middle_line,
    add_segment_midpoint,
    add_tangent,
    add_diameter,
)
