"""Constructions that start a figure with a circle: chords, tangents, secants, arcs, circles in and about polygons."""

from __future__ import annotations

import math
from collections.abc import Callable

from counterfoil.tasks.geometry.sources.sampler.sketch import (
    TRIPLES,
    Sketch,
    add_ring,
    cross_lines,
    find_centre,
    settle,
    turn_by,
)

PAIRS = ((4, 6), (6, 6), (6, 8), (5, 8), (6, 10), (8, 9), (8, 12), (9, 10), (4, 9), (3, 8))


def add_rim(sketch: Sketch, radius: float, *turns: float) -> tuple[str, ...]:
    """A circle about the origin with points in these directions; its centre comes first."""
    o = sketch.add_circle(sketch.add_centre(0j), radius)
    labels = sketch.add_points(*(turn_by(turn, radius) for turn in turns))
    for label in labels:
        sketch.state("on_circle", label, o)
    return (o, *labels)


def circle_with_radii(sketch: Sketch) -> None:
    """Two or three radii, and so arcs."""
    first, second = sketch.pick(60, 130), sketch.pick(60, 130)
    o, *ends = add_rim(sketch, sketch.pick(3, 12), *(20, 20 + first, 20 + first + second)[: sketch.pick(2, 3)])
    for end in ends:
        sketch.join(o, end)
    settle(sketch)


def sector_of_circle(sketch: Sketch) -> None:
    turn = (30, 36, 40, 45, 60, 72, 90, 120, 135, 150)[sketch.pick(0, 9)]
    o, a, b = add_rim(sketch, sketch.pick(2, 12), 15, 15 + turn)
    sketch.join(o, a)
    sketch.join(o, b)
    settle(sketch)


def circle_with_diameter(sketch: Sketch) -> None:
    o, a, b = add_rim(sketch, sketch.pick(3, 12) / sketch.pick(1, 2), 0, 180)
    sketch.join(a, b)
    sketch.state("diameter", a, b, o)
    settle(sketch)


def chord_with_distance(sketch: Sketch) -> None:
    near, half, radius = TRIPLES[sketch.pick(0, 4)]
    if sketch.rng.random() < 0.3:
        near, half = half, near
    turn = math.degrees(math.atan2(near, half))
    o, a, b = add_rim(sketch, radius, 180 + turn, 360 - turn)
    m = sketch.add_point(complex(0, -near))
    sketch.join(a, b)
    sketch.join(o, m)
    sketch.join(o, a)
    sketch.state("chord", a, b, o)
    sketch.state("collinear", a, m, b)
    sketch.mark_right(o, m, a)
    settle(sketch, 1, 0.5)


def triangle_in_semicircle(sketch: Sketch) -> None:
    if sketch.rng.random() < 0.5:
        short, long, whole = TRIPLES[sketch.pick(0, 4)]
        radius, turn = whole / 2, 2 * math.degrees(math.atan2(short, long))
        sketch.settled = True
    else:
        radius, turn = 5.0, 2.0 * sketch.pick(22, 68)
    o, a, b, c = add_rim(sketch, radius, 180, 0, turn)
    sketch.close(a, b, c)
    sketch.state("diameter", a, b, o)
    sketch.state("triangle", a, b, c)
    sketch.triangles.append((c, a, b))


def central_and_inscribed_angle(sketch: Sketch) -> None:
    half = sketch.pick(28, 65)
    o, a, b, c = add_rim(sketch, sketch.pick(4, 10), 270 - half, 270 + half, 90 + 2 * sketch.pick(-14, 14))
    for pair in ((o, a), (o, b), (c, a), (c, b)):
        sketch.join(*pair)
    settle(sketch)


def two_inscribed_angles(sketch: Sketch) -> None:
    half = sketch.pick(28, 60)
    turns = 270 - half, 270 + half, 2 * sketch.pick(20, 35), 2 * sketch.pick(55, 70)
    _, a, b, c, d = add_rim(sketch, sketch.pick(4, 10), *turns)
    for p in (c, d):
        sketch.join(a, p, b)
    x = sketch.add_point(cross_lines(*(sketch.places[label] for label in (a, c, b, d))))
    sketch.state("intersection", x, a, c, b, d)
    settle(sketch)


def inscribed_triangle(sketch: Sketch) -> None:
    first, second = 2 * sketch.pick(42, 68), 2 * sketch.pick(42, 68)
    _, a, b, c = add_rim(sketch, sketch.pick(4, 10), 90, 90 + first, 90 + first + second)
    sketch.close(a, b, c)
    sketch.state("triangle", a, b, c)
    sketch.triangles.append((a, b, c))
    settle(sketch)


def inscribed_regular(sketch: Sketch) -> None:
    """An equilateral triangle, a square or a regular hexagon in a circle."""
    count = (3, 4, 6)[sketch.pick(0, 2)]
    radius = sketch.pick(2, 10)
    o, *ring = add_rim(sketch, radius, *(90 + 360 * i / count for i in range(count)))
    sketch.close(*ring)
    sketch.state({3: "equilateral", 4: "square", 6: "regular_polygon"}[count], *ring)
    if count == 3:
        sketch.triangles.append((ring[0], ring[1], ring[2]))
    if count == 4:
        sketch.quadrilaterals.append((ring[0], ring[1], ring[2], ring[3]))
    sketch.join(o, ring[0])
    sketch.join(o, ring[1])
    settle(sketch)


def tangent_from_point(sketch: Sketch) -> None:
    if sketch.rng.random() < 0.4:
        corner = turn_by(sketch.pick(25, 60), 10)
    else:
        radius, reach, _ = TRIPLES[sketch.pick(0, 4)]
        corner = complex(reach, radius)
        sketch.settled = True
    o, t = add_rim(sketch, corner.imag, 90)
    p = sketch.add_point(corner)
    for pair in ((o, t), (t, p), (o, p)):
        sketch.join(*pair)
    sketch.state("tangent", p, t, o)
    sketch.triangles.append((t, o, p))


def two_tangents(sketch: Sketch) -> None:
    if sketch.rng.random() < 0.5:
        near, reach, distance = TRIPLES[sketch.pick(0, 3)]
        turn = math.degrees(math.atan2(reach, near))
        sketch.settled = True
    else:
        turn, distance = 90 - sketch.pick(20, 38), 10
    o, a, b = add_rim(sketch, distance * math.cos(math.radians(turn)), turn, -turn)
    p = sketch.add_point(complex(distance))
    sketch.join(a, p, b)
    sketch.state("tangent", p, a, o)
    sketch.state("tangent", p, b, o)
    sketch.join(o, a)
    if sketch.rng.random() < 0.6:
        sketch.join(o, b)
    if sketch.rng.random() < 0.4:
        sketch.join(o, p)


def inscribed_quadrilateral(sketch: Sketch) -> None:
    turns = [sketch.pick(20, 30), sketch.pick(60, 72), sketch.pick(107, 118), sketch.pick(148, 160)]
    _, *ring = add_rim(sketch, sketch.pick(4, 10), *(2 * turn for turn in turns))
    sketch.close(*ring)
    sketch.state("quadrilateral", *ring)
    sketch.quadrilaterals.append((ring[0], ring[1], ring[2], ring[3]))
    settle(sketch)


def crossing_chords(sketch: Sketch) -> None:
    first, second = PAIRS[sketch.pick(0, len(PAIRS) - 1)]
    divisors = [d for d in range(3, 13) if (first * second) % d == 0 or (2 * first * second) % d == 0]
    near = [d for d in divisors if abs(d - math.sqrt(first * second)) < 4] or [first]
    other = near[sketch.pick(0, len(near) - 1)]
    turn = turn_by(sketch.pick(60, 115))
    _chords(sketch, complex(-first), complex(second), turn * other, -turn * first * second / other, 0j)


def _chords(sketch: Sketch, a: complex, b: complex, c: complex, d: complex, x: complex) -> None:
    """Two lines through a point with four points of one circle on them."""
    o = sketch.add_centre(find_centre(a, b, c))
    sketch.add_circle(o, abs(a - sketch.places[o]))
    labels = sketch.add_points(a, b, c, d)
    for label in labels:
        sketch.state("on_circle", label, o)
    e = sketch.add_point(x)
    if abs(x - a) < abs(a - b) > abs(x - b):
        sketch.join(labels[0], labels[1])
        sketch.join(labels[2], labels[3])
        sketch.state("intersection", e, *labels)
    else:
        sketch.join(e, labels[1])
        sketch.join(e, labels[3])
        sketch.state("collinear", e, labels[0], labels[1])
        sketch.state("collinear", e, labels[2], labels[3])
    settle(sketch)


def secants_from_point(sketch: Sketch) -> None:
    near, far, other, last = ((4, 12, 6, 8), (6, 16, 8, 12), (5, 16, 8, 10), (4, 15, 5, 12), (6, 12, 8, 9))[
        sketch.pick(0, 4)
    ]
    turn = turn_by(sketch.pick(30, 48))
    _chords(sketch, complex(near), complex(far), turn * other, turn * last, 0j)


def tangent_and_secant(sketch: Sketch) -> None:
    near, far, reach = ((4, 9, 6), (4, 16, 8), (3, 12, 6), (5, 20, 10), (8, 18, 12), (2, 8, 4))[sketch.pick(0, 5)]
    turn = turn_by(sketch.pick(35, 60))
    # The centre is over the tangent's end, and over the middle of the secant's chord.
    middle = turn * (near + far) / 2
    up = 1j * turn
    share = (reach - middle.real) / up.real
    o = sketch.add_centre(middle + up * share)
    sketch.add_circle(o, abs(sketch.places[o].imag))
    p, t, a, b = sketch.add_points(0j, complex(reach), turn * near, turn * far)
    for label in (t, a, b):
        sketch.state("on_circle", label, o)
    sketch.join(p, t)
    sketch.join(p, b)
    sketch.state("tangent", p, t, o)
    sketch.state("collinear", p, a, b)
    settle(sketch, 1, 0.5)


def circle_in_square(sketch: Sketch) -> None:
    n = sketch.pick(3, 9)
    o = sketch.add_circle(sketch.add_centre(0j), n)
    a, b, c, d = add_ring(sketch, "square", complex(-n, -n), complex(n, -n), complex(n, n), complex(-n, n))
    sketch.state("tangent", a, b, o)
    sketch.state("tangent", c, d, o)
    settle(sketch)


def circle_about_rectangle(sketch: Sketch) -> None:
    short, long, whole = TRIPLES[sketch.pick(0, 4)]
    turn = math.degrees(math.atan2(short, long))
    _, *ring = add_rim(sketch, whole / 2, 180 + turn, -turn, turn, 180 - turn)
    sketch.close(*ring)
    sketch.state("rectangle", *ring)
    sketch.quadrilaterals.append((ring[0], ring[1], ring[2], ring[3]))
    settle(sketch)


def two_circles(sketch: Sketch) -> None:
    """Two circles that cross, with the line of their centres and their common chord."""
    (half, first, radius), (_, second, other) = (
        ((12, 5, 13), (12, 9, 15)), ((12, 9, 15), (12, 16, 20)), ((8, 6, 10), (8, 15, 17)), ((12, 5, 13), (12, 16, 20)),
    )[sketch.pick(0, 3)]  # fmt: skip
    o = sketch.add_circle(sketch.add_centre(complex(-first)), radius)
    p = sketch.add_circle(sketch.add_point(complex(second)), other)
    a, b = sketch.add_points(complex(0, half), complex(0, -half))
    for end in (a, b):
        for circle in (o, p):
            sketch.state("on_circle", end, circle)
    x = sketch.add_point(0j)
    sketch.join(o, p)
    sketch.join(a, b)
    sketch.join(o, a)
    if sketch.rng.random() < 0.5:
        sketch.join(a, p)
    sketch.state("intersection", x, a, b, o, p)
    sketch.mark_right(o, x, a)
    settle(sketch, 1, 0.5)


CIRCLES: dict[Callable[[Sketch], None], int] = {
    circle_with_radii: 4,
    sector_of_circle: 4,
    circle_with_diameter: 3,
    chord_with_distance: 2,
    triangle_in_semicircle: 3,
    central_and_inscribed_angle: 4,
    two_inscribed_angles: 5,
    inscribed_triangle: 4,
    inscribed_regular: 3,
    tangent_from_point: 2,
    two_tangents: 3,
    inscribed_quadrilateral: 4,
    crossing_chords: 2,
    secants_from_point: 1,
    tangent_and_secant: 1,
    circle_in_square: 1,
    circle_about_rectangle: 1,
    two_circles: 1,
}
"""Each with how often it is taken."""
