"""Constructions that add to a figure: each says what it is built on and adds points, lines, circles and facts.

A step returns False where what it is given does not do; whether the figure stays clear is asked after each.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from counterfoil.tasks.geometry.sources.sampler.sketch import Sketch, cross_lines, drop_foot, find_centre, turn_by

Step = Callable[..., bool | None]
STEPS: dict[Step, str] = {}
"""Each with what it is built on."""


def _on(thing: str) -> Callable[[Step], Step]:
    def register(step: Step) -> Step:
        STEPS[step] = thing
        return step

    return register


def list_things(sketch: Sketch, thing: str) -> list[tuple[str, ...]]:
    """All of a kind that a step can be built on; a triangle is named from each of its corners."""
    match thing:
        case "triangle":
            return [ring[i:] + ring[:i] for ring in sketch.triangles for i in range(3)]
        case "bare triangle":
            return [] if sketch.circles else list_things(sketch, "triangle")
        case "quadrilateral":
            return [ring[i:] + ring[:i] for ring in sketch.quadrilaterals for i in range(4)]
        case "segment":
            return list(sketch.segments)
        case "circle":
            return [(name,) for name in sketch.circles]
        case "rim":
            return sorted(_list_rim(sketch))
    rim = sorted(_list_rim(sketch))
    return [(a, b, o) for a, o in rim for b, p in rim if a < b and o == p]


def _list_rim(sketch: Sketch) -> set[tuple[str, str]]:
    return {(fact.arguments[0], fact.arguments[1]) for fact in sketch.facts if fact.predicate == "on_circle"}


def _is_joined(sketch: Sketch, a: str, b: str) -> bool:
    return sketch.read().is_joined(a, b)


def _middle(sketch: Sketch, a: str, b: str) -> complex:
    return (sketch.places[a] + sketch.places[b]) / 2


def _outward(sketch: Sketch, a: str, b: str, inner: str) -> complex:
    """The direction from A to B turned away from a point."""
    side = sketch.places[b] - sketch.places[a]
    return side * (1j if ((sketch.places[inner] - sketch.places[a]) / side).imag < 0 else -1j)


# On triangles


@_on("triangle")
def median(sketch: Sketch, a: str, b: str, c: str) -> None:
    m = sketch.add_point(_middle(sketch, b, c))
    sketch.join(a, m)
    sketch.state("median", a, m, a, b, c)
    sketch.state("midpoint", m, b, c)
    sketch.triangles += [(a, b, m), (a, m, c)]


@_on("triangle")
def altitude(sketch: Sketch, a: str, b: str, c: str) -> bool:
    foot, share = drop_foot(*(sketch.places[x] for x in (a, b, c)))
    if not 0.12 < share < 0.88:
        return False
    f = sketch.add_point(foot)
    sketch.join(a, f)
    sketch.state("altitude", a, f, a, b, c)
    sketch.state("collinear", b, f, c)
    sketch.mark_right(a, f, b)
    sketch.triangles += [(f, a, b), (f, c, a)]
    return True


@_on("triangle")
def bisector(sketch: Sketch, a: str, b: str, c: str) -> None:
    left, right = abs(sketch.places[a] - sketch.places[b]), abs(sketch.places[a] - sketch.places[c])
    d = sketch.add_point((sketch.places[b] * right + sketch.places[c] * left) / (left + right))
    sketch.join(a, d)
    sketch.state("bisector", d, b, a, c)
    sketch.state("collinear", b, d, c)
    sketch.triangles += [(a, b, d), (a, d, c)]


@_on("triangle")
def midsegment(sketch: Sketch, a: str, b: str, c: str) -> None:
    m, n = sketch.add_points(_middle(sketch, a, b), _middle(sketch, a, c))
    sketch.join(m, n)
    sketch.state("midsegment", m, n, a, b, c)
    sketch.state("midpoint", m, a, b)
    sketch.state("midpoint", n, a, c)
    sketch.triangles.append((a, m, n))


@_on("triangle")
def parallel_to_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    share = (1 / 3, 2 / 3, 0.4, 0.6, 0.75)[sketch.pick(0, 4)]
    apex = sketch.places[a]
    d, e = sketch.add_points(*(apex + (sketch.places[x] - apex) * share for x in (b, c)))
    sketch.join(d, e)
    sketch.state("collinear", a, d, b)
    sketch.state("collinear", a, e, c)
    sketch.mark_parallel((d, e), (b, c))
    sketch.triangles.append((a, d, e))


@_on("triangle")
def cevian(sketch: Sketch, a: str, b: str, c: str) -> None:
    share = (1 / 3, 2 / 3, 0.4, 0.6, 0.25, 0.75)[sketch.pick(0, 5)]
    d = sketch.add_point(sketch.places[b] + share * (sketch.places[c] - sketch.places[b]))
    sketch.join(a, d)
    sketch.state("collinear", b, d, c)
    sketch.triangles += [(a, b, d), (a, d, c)]


@_on("triangle")
def isosceles_cevian(sketch: Sketch, a: str, b: str, c: str) -> bool:
    """D on BC with AD = AB."""
    foot, share = drop_foot(*(sketch.places[x] for x in (a, b, c)))
    if not 0.15 < share < 0.4:
        return False
    d = sketch.add_point(2 * foot - sketch.places[b])
    sketch.join(a, d)
    sketch.state("collinear", b, d, c)
    sketch.mark_equal((a, b), (a, d))
    sketch.triangles += [(a, b, d), (a, d, c)]
    return True


@_on("triangle")
def exterior_angle(sketch: Sketch, *ring: str) -> None:
    _, b, c = ring
    side = sketch.places[c] - sketch.places[b]
    d = sketch.add_point(sketch.places[c] + side * (0.4, 0.5)[sketch.pick(0, 1)])
    sketch.join(c, d)
    sketch.state("collinear", b, c, d)


@_on("triangle")
def equal_extension(sketch: Sketch, a: str, b: str, c: str) -> None:
    """BC is extended by CD = CA, and AD is drawn."""
    side = sketch.places[c] - sketch.places[b]
    d = sketch.add_point(sketch.places[c] + side / abs(side) * abs(sketch.places[c] - sketch.places[a]))
    sketch.join(c, d)
    sketch.join(a, d)
    sketch.state("collinear", b, c, d)
    sketch.mark_equal((c, a), (c, d))
    sketch.triangles.append((a, c, d))


@_on("triangle")
def parallel_through_corner(sketch: Sketch, a: str, b: str, c: str) -> None:
    side = sketch.places[c] - sketch.places[b]
    d, e = sketch.add_points(sketch.places[a] - side * 0.6, sketch.places[a] + side * 0.6)
    sketch.join(d, e)
    sketch.state("collinear", d, a, e)
    sketch.mark_parallel((d, e), (b, c))


@_on("triangle")
def two_medians(sketch: Sketch, a: str, b: str, c: str) -> None:
    m, n = sketch.add_points(_middle(sketch, b, c), _middle(sketch, a, c))
    g = sketch.add_point(sum(sketch.places[x] for x in (a, b, c)) / 3)
    sketch.join(a, m)
    sketch.join(b, n)
    sketch.state("midpoint", m, b, c)
    sketch.state("midpoint", n, a, c)
    sketch.state("intersection", g, a, m, b, n)
    sketch.state("centroid", g, a, b, c)


@_on("triangle")
def two_bisectors(sketch: Sketch, a: str, b: str, c: str) -> None:
    """The incentre joined to two corners."""
    weights = [abs(sketch.places[p] - sketch.places[q]) for p, q in ((b, c), (c, a), (a, b))]
    i = sketch.add_point(sum(w * sketch.places[x] for w, x in zip(weights, (a, b, c), strict=True)) / sum(weights))
    sketch.join(a, i, b)
    sketch.state("bisector", i, b, a, c)
    sketch.state("bisector", i, a, b, c)
    sketch.triangles.append((i, a, b))


@_on("triangle")
def two_altitudes(sketch: Sketch, a: str, b: str, c: str) -> bool:
    (d, first), (e, second) = (drop_foot(*(sketch.places[x] for x in row)) for row in ((a, b, c), (b, a, c)))
    if not (0.15 < first < 0.85 and 0.15 < second < 0.85):
        return False
    h = cross_lines(sketch.places[a], d, sketch.places[b], e)
    p, q, x = sketch.add_points(d, e, h)
    sketch.join(a, p)
    sketch.join(b, q)
    sketch.state("collinear", b, p, c)
    sketch.state("collinear", a, q, c)
    sketch.mark_right(a, p, b)
    sketch.mark_right(b, q, a)
    sketch.state("intersection", x, a, p, b, q)
    return True


@_on("triangle")
def reflection(sketch: Sketch, a: str, b: str, c: str) -> bool:
    """The corner A mirrored at BC: a kite."""
    foot, share = drop_foot(*(sketch.places[x] for x in (a, b, c)))
    if not 0.1 < share < 0.9:
        return False
    d = sketch.add_point(2 * foot - sketch.places[a])
    sketch.join(b, d, c)
    sketch.state("congruent", a, b, c, d, b, c)
    sketch.mark_equal((a, b), (b, d))
    sketch.mark_equal((a, c), (c, d))
    sketch.triangles.append((d, c, b))
    return True


@_on("triangle")
def half_turn(sketch: Sketch, a: str, b: str, c: str) -> None:
    """The triangle turned about the middle of BC: a parallelogram."""
    d = sketch.add_point(sketch.places[b] + sketch.places[c] - sketch.places[a])
    sketch.join(b, d, c)
    sketch.state("parallelogram", a, b, d, c)
    sketch.quadrilaterals.append((a, b, d, c))


@_on("triangle")
def square_on_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    out = _outward(sketch, b, c, a)
    d, e = sketch.add_points(sketch.places[c] + out, sketch.places[b] + out)
    sketch.join(c, d, e, b)
    sketch.state("square", b, c, d, e)


@_on("triangle")
def equilateral_on_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    out = _outward(sketch, b, c, a)
    d = sketch.add_point(_middle(sketch, b, c) + out * math.sqrt(3) / 2)
    sketch.join(b, d, c)
    sketch.state("equilateral", b, c, d)
    sketch.triangles.append((d, b, c))


@_on("triangle")
def right_triangle_on_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    """CD at right angles to BC, outside."""
    out = _outward(sketch, b, c, a)
    side = abs(out)
    reach = next((n / 12 for n in (5, 9, 16, 35) if abs(side / 12 - round(side / 12)) < 1e-9), None)
    reach = reach or next((n / 4 for n in (3,) if abs(side / 4 - round(side / 4)) < 1e-9), 0.6)
    d = sketch.add_point(sketch.places[c] + out * reach)
    sketch.join(c, d, b)
    sketch.mark_right(b, c, d)
    sketch.triangles.append((c, d, b))


@_on("triangle")
def isosceles_on_side(sketch: Sketch, a: str, b: str, c: str) -> None:
    out = _outward(sketch, b, c, a)
    d = sketch.add_point(_middle(sketch, b, c) + out / 2 * math.tan(math.radians(sketch.pick(40, 65))))
    sketch.join(b, d, c)
    sketch.state("isosceles", b, c, d)
    sketch.mark_equal((b, d), (d, c))
    sketch.triangles.append((d, b, c))


@_on("bare triangle")
def circumcircle(sketch: Sketch, a: str, b: str, c: str) -> bool:
    p, q, s = (sketch.places[x] for x in (a, b, c))
    middle = find_centre(p, q, s)
    radius = abs(middle - p)
    if (
        radius > 1.2 * max(abs(p - q), abs(q - s), abs(s - p))
        or min(abs(middle - (x + y) / 2) for x, y in ((p, q), (q, s), (s, p))) < 0.08 * radius
    ):
        return False
    o = sketch.add_centre(middle)
    sketch.add_circle(o, radius)
    for label in (a, b, c):
        sketch.state("on_circle", label, o)
    return True


@_on("bare triangle")
def incircle(sketch: Sketch, a: str, b: str, c: str) -> None:
    weights = [abs(sketch.places[p] - sketch.places[q]) for p, q in ((b, c), (c, a), (a, b))]
    middle = sum(w * sketch.places[x] for w, x in zip(weights, (a, b, c), strict=True)) / sum(weights)
    half = sum(weights) / 2
    o = sketch.add_centre(middle)
    sketch.add_circle(o, math.sqrt(math.prod(half - w for w in weights) / half))
    for p, q in ((a, b), (b, c), (c, a)):
        sketch.state("tangent", p, q, o)
    if sketch.rng.random() < 0.4:
        sketch.join(o, a)
        sketch.join(o, b)


# On quadrilaterals


@_on("quadrilateral")
def diagonal(sketch: Sketch, a: str, b: str, c: str, d: str) -> bool:
    if _is_joined(sketch, a, c) or _is_joined(sketch, b, d):
        return False
    sketch.join(a, c)
    sketch.triangles += [(b, c, a), (d, a, c)]
    return True


@_on("quadrilateral")
def both_diagonals(sketch: Sketch, a: str, b: str, c: str, d: str) -> bool:
    if _is_joined(sketch, a, c) or _is_joined(sketch, b, d):
        return False
    place = cross_lines(*(sketch.places[x] for x in (a, c, b, d)))
    if any(abs(place - other) < 0.02 * abs(sketch.places[a] - place) for other in sketch.places.values()):
        return False
    x = sketch.add_point(place)
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.state("intersection", x, a, c, b, d)
    sketch.triangles += [(x, a, b), (x, b, c)]
    return True


@_on("quadrilateral")
def middle_line(sketch: Sketch, a: str, b: str, c: str, d: str) -> None:
    m, n = sketch.add_points(_middle(sketch, a, d), _middle(sketch, b, c))
    sketch.join(m, n)
    sketch.state("midpoint", m, a, d)
    sketch.state("midpoint", n, b, c)


@_on("quadrilateral")
def height(sketch: Sketch, *ring: str) -> bool:
    """The perpendicular from D to AB."""
    a, b, _, d = ring
    foot, share = drop_foot(*(sketch.places[x] for x in (d, a, b)))
    if not 0.12 < share < 0.88:
        return False
    f = sketch.add_point(foot)
    sketch.join(d, f)
    sketch.state("collinear", a, f, b)
    sketch.mark_right(d, f, a)
    sketch.triangles.append((f, a, d))
    return True


@_on("quadrilateral")
def corner_to_middle(sketch: Sketch, *ring: str) -> None:
    a, b, c, _ = ring
    m = sketch.add_point(_middle(sketch, b, c))
    sketch.join(a, m)
    sketch.state("midpoint", m, b, c)
    sketch.triangles.append((b, m, a))


@_on("quadrilateral")
def corner_bisector(sketch: Sketch, a: str, b: str, c: str, d: str) -> bool:
    """The bisector of the angle at A up to CD or BC."""
    way = sketch.places[b] - sketch.places[a]
    other = sketch.places[d] - sketch.places[a]
    along = way / abs(way) + other / abs(other)
    for p, q in ((c, d), (b, c)):
        place = cross_lines(sketch.places[a], sketch.places[a] + along, sketch.places[p], sketch.places[q])
        share = ((place - sketch.places[p]) / (sketch.places[q] - sketch.places[p])).real
        if 0.15 < share < 0.85:
            e = sketch.add_point(place)
            sketch.join(a, e)
            sketch.state("bisector", e, b, a, d)
            sketch.state("collinear", p, e, q)
            if q == d:
                sketch.triangles.append((d, e, a))
            else:
                sketch.triangles.append((b, e, a))
            return True
    return False


@_on("quadrilateral")
def extended_side(sketch: Sketch, *ring: str) -> None:
    a, b, _, _ = ring
    e = sketch.add_point(sketch.places[b] + (sketch.places[b] - sketch.places[a]) * 0.4)
    sketch.join(b, e)
    sketch.state("collinear", a, b, e)


# On segments


@_on("segment")
def segment_midpoint(sketch: Sketch, a: str, b: str) -> None:
    m = sketch.add_point(_middle(sketch, a, b))
    sketch.state("midpoint", m, a, b)
    sketch.mark_equal((a, m), (m, b))


@_on("segment")
def perpendicular_at_middle(sketch: Sketch, a: str, b: str) -> None:
    m = _middle(sketch, a, b)
    way = (sketch.places[b] - sketch.places[a]) * 1j
    x, d = sketch.add_points(m, m + way * (0.5, 0.6, -0.5, -0.6)[sketch.pick(0, 3)])
    sketch.join(x, d)
    sketch.state("midpoint", x, a, b)
    sketch.mark_right(d, x, a)
    if sketch.rng.random() < 0.6:
        sketch.join(a, d, b)
        sketch.triangles.append((d, a, b))


# On circles


@_on("rim")
def tangent_at(sketch: Sketch, t: str, o: str) -> None:
    centre, _ = sketch.circles[o]
    step = (sketch.places[t] - sketch.places[centre]) * 1j * (0.75, -0.75, 4 / 3, -4 / 3)[sketch.pick(0, 3)]
    p = sketch.add_point(sketch.places[t] + step)
    sketch.join(t, p)
    sketch.state("tangent", p, t, o)
    if sketch.rng.random() < 0.5:
        sketch.join(p, centre)
        sketch.join(centre, t)
        sketch.triangles.append((t, p, centre))


@_on("rim")
def diameter_from(sketch: Sketch, a: str, o: str) -> bool:
    centre, _ = sketch.circles[o]
    if any(fact.predicate == "diameter" for fact in sketch.facts):
        return False
    b = sketch.add_point(2 * sketch.places[centre] - sketch.places[a])
    if (centre, a) in sketch.segments or (a, centre) in sketch.segments:
        sketch.segments = [pair for pair in sketch.segments if set(pair) != {a, centre}]
    sketch.join(a, b)
    sketch.state("diameter", a, b, o)
    sketch.state("on_circle", b, o)
    return True


@_on("chord")
def chord(sketch: Sketch, a: str, b: str, o: str) -> bool:
    if _is_joined(sketch, a, b):
        return False
    sketch.join(a, b)
    sketch.state("chord", a, b, o)
    return True


@_on("chord")
def inscribed_angle(sketch: Sketch, a: str, b: str, o: str) -> bool:
    """A further point of the circle joined to two."""
    centre, radius = sketch.circles[o]
    middle = sketch.places[centre]
    rim = [math.degrees(_turn(sketch.places[x] - middle)) % 360 for x, p in _list_rim(sketch) if p == o]
    start = 2 * sketch.pick(0, 179)
    for turn in range(start, start + 360, 10):
        if all(abs((turn - other + 180) % 360 - 180) > 28 for other in rim):
            p = sketch.add_point(middle + turn_by(turn, radius))
            sketch.state("on_circle", p, o)
            sketch.join(a, p, b)
            if _is_joined(sketch, a, b):
                sketch.triangles.append((p, a, b))
            return True
    return False


def _turn(way: complex) -> float:
    return math.atan2(way.imag, way.real)


@_on("chord")
def radii_to(sketch: Sketch, a: str, b: str, o: str) -> bool:
    centre, _ = sketch.circles[o]
    if _is_joined(sketch, centre, a) and _is_joined(sketch, centre, b):
        return False
    sketch.join(centre, a)
    sketch.join(centre, b)
    return True


@_on("chord")
def centre_to_chord(sketch: Sketch, a: str, b: str, o: str) -> bool:
    """The perpendicular from the centre to a chord."""
    centre, radius = sketch.circles[o]
    middle = _middle(sketch, a, b)
    if not _is_joined(sketch, a, b) or not 0.2 * radius < abs(middle - sketch.places[centre]) < 0.9 * radius:
        return False
    m = sketch.add_point(middle)
    sketch.join(centre, m)
    sketch.state("collinear", a, m, b)
    sketch.mark_right(centre, m, a)
    return True


@_on("chord")
def tangents_at(sketch: Sketch, a: str, b: str, o: str) -> bool:
    """The tangents at two points up to where they cross."""
    centre, _ = sketch.circles[o]
    p, q = (sketch.places[x] - sketch.places[centre] for x in (a, b))
    if not 50 < abs(math.degrees(_turn(p / q))) < 140:
        return False
    place = sketch.places[centre] + cross_lines(p, p + 1j * p, q, q + 1j * q)
    x = sketch.add_point(place)
    sketch.join(a, x, b)
    sketch.state("tangent", x, a, o)
    sketch.state("tangent", x, b, o)
    return True
