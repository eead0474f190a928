"""Constructions that start a figure: triangles, lines and quadrilaterals with sizes that are exact.

Each draws, states what a problem would state, and says nothing of questions: what can be asked follows by theorems.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from counterfoil.tasks.geometry.sources.sampler.circle_starts import CIRCLES
from counterfoil.tasks.geometry.sources.sampler.sketch import TRIPLES, Sketch, add_ring, settle, turn_by

Start = Callable[[Sketch], None]
HERON = ((13, 14, 15), (13, 15, 14), (5, 5, 6), (10, 13, 13), (9, 10, 17), (13, 20, 21), (10, 17, 21), (11, 13, 20))
"""Triangles with whole sides and a whole area: base, left, right."""
OBLIQUE = ((8, 5, 7, 60), (8, 3, 7, 60), (5, 3, 7, 120), (15, 7, 13, 60), (21, 5, 19, 60), (8, 7, 13, 120))
"""Triangles with an angle of 60 or 120 degrees: the sides next to it, the one across, the angle."""


def _triangle(sketch: Sketch, a: complex, b: complex, c: complex, kind: str = "triangle") -> tuple[str, str, str]:
    first, second, third = sketch.add_points(a, b, c)
    ring = first, second, third
    sketch.close(*ring)
    sketch.triangles.append(ring)
    sketch.state(kind, *ring)
    return ring


def _by_angles(alpha: float, beta: float, base: float = 10.0) -> tuple[complex, complex, complex]:
    height = base / (1 / math.tan(math.radians(alpha)) + 1 / math.tan(math.radians(beta)))
    return 0j, complex(base), complex(height / math.tan(math.radians(alpha)), height)


def _by_sides(ab: float, bc: float, ca: float) -> tuple[complex, complex, complex]:
    x = (ab**2 + ca**2 - bc**2) / (2 * ab)
    return 0j, complex(ab), complex(x, math.sqrt(ca**2 - x**2))


def triangle_by_angles(sketch: Sketch) -> None:
    _triangle(sketch, *_by_angles(sketch.pick(34, 80), sketch.pick(34, 80)))


def obtuse_triangle(sketch: Sketch) -> None:
    _triangle(sketch, *_by_angles(sketch.pick(25, 40), sketch.pick(100, 120)), kind="obtuse")


def triangle_by_sides(sketch: Sketch) -> None:
    ab, bc = sketch.pick(6, 15), sketch.pick(6, 15)
    _triangle(sketch, *_by_sides(ab, bc, sketch.pick(abs(ab - bc) + 4, min(ab + bc - 4, 18))))
    settle(sketch)


def heron_triangle(sketch: Sketch) -> None:
    sides = HERON[sketch.pick(0, len(HERON) - 1)]
    _triangle(sketch, *_by_sides(*sides), kind="isosceles" if len(set(sides)) == 2 else "triangle")
    settle(sketch, 1, 1, 2, 0.5)


def oblique_triangle(sketch: Sketch) -> None:
    left, right, _, turn = OBLIQUE[sketch.pick(0, len(OBLIQUE) - 1)]
    _triangle(sketch, 0j, complex(left), turn_by(turn, right))
    settle(sketch, 1, 1, 2)


def right_triangle(sketch: Sketch) -> None:
    short, long, _ = TRIPLES[sketch.pick(0, 7)]
    if sketch.rng.random() < 0.4:
        short, long = sketch.pick(3, 12), sketch.pick(3, 12)
    c, a, b = sketch.add_points(0j, complex(long), complex(0, short))
    sketch.close(a, b, c)
    sketch.triangles.append((c, a, b))
    sketch.state("right_triangle", a, b, c)
    sketch.mark_right(a, c, b)
    settle(sketch, 1, 1, 1, 2, 0.5)


def right_triangle_by_angle(sketch: Sketch) -> None:
    alpha = sketch.pick(25, 65)
    a, b, c = _triangle(sketch, *_by_angles(alpha, 90 - alpha), kind="right_triangle")
    sketch.mark_right(a, c, b)


def special_right_triangle(sketch: Sketch) -> None:
    n = sketch.pick(2, 10) * (1 if sketch.rng.random() < 0.6 else math.sqrt(3))
    c, a, b = sketch.add_points(0j, complex(n * math.sqrt(3)), complex(0, n))
    sketch.close(a, b, c)
    sketch.triangles.append((c, a, b))
    sketch.mark_right(a, c, b)
    sketch.state("right_triangle", a, b, c)
    settle(sketch)


def isosceles_right_triangle(sketch: Sketch) -> None:
    n = sketch.pick(3, 14) * (1 if sketch.rng.random() < 0.6 else math.sqrt(2))
    c, a, b = sketch.add_points(0j, complex(n), complex(0, n))
    sketch.close(a, b, c)
    sketch.triangles.append((c, a, b))
    sketch.state("isosceles", a, b, c)
    sketch.mark_right(a, c, b)
    sketch.mark_equal((c, a), (c, b))
    settle(sketch)


def isosceles_triangle(sketch: Sketch) -> None:
    turn = sketch.pick(35, 76)
    a, b, c = _triangle(sketch, *_by_angles(turn, turn), kind="isosceles")
    sketch.mark_equal((c, a), (c, b))


def equilateral_triangle(sketch: Sketch) -> None:
    side = sketch.pick(3, 16)
    _triangle(sketch, *_by_sides(side, side, side), kind="equilateral")
    settle(sketch)


def _place_alike(sketch: Sketch, predicate: str, ratio: float) -> None:
    """A triangle and beside it one of the same shape, of whole sides or of whole angles."""
    if sketch.rng.random() < 0.6:
        places = _by_sides(2 * sketch.pick(3, 5), 2 * sketch.pick(3, 5), 2 * sketch.pick(3, 5))
        sketch.settled = True
    else:
        places = _by_angles(sketch.pick(42, 75), sketch.pick(42, 75))
    right = max(place.real for place in places)
    left = min(place.real for place in places) * ratio
    first = _triangle(sketch, *places)
    a, b, c = (right - left + 3 + place * ratio for place in places)
    other = _triangle(sketch, a, b, c)
    sketch.state(predicate, *first, *other)


def congruent_triangles(sketch: Sketch) -> None:
    _place_alike(sketch, "congruent", 1)


def similar_triangles(sketch: Sketch) -> None:
    _place_alike(sketch, "similar", (1.5, 2, 0.75, 1.25)[sketch.pick(0, 3)])


def crossing_triangles(sketch: Sketch) -> None:
    """Two triangles that share a vertex, between parallel lines."""
    first, second = sketch.pick(25, 50), sketch.pick(95, 140)
    p, q = turn_by(first, 2 * sketch.pick(3, 5)), turn_by(second, 2 * sketch.pick(2, 5))
    if sketch.rng.random() < 0.5:
        left, right, apex = _by_sides(2 * sketch.pick(3, 5), 2 * sketch.pick(3, 5), 2 * sketch.pick(3, 5))
        p, q = left - apex, right - apex
    ratio = -(0.5, 1, 1.5, 0.75)[sketch.pick(0, 3)]
    a, b, x, c, d = sketch.add_points(p, q, 0j, p * ratio, q * ratio)
    for pair in ((a, b), (c, d), (a, c), (b, d)):
        sketch.join(*pair)
    sketch.state("intersection", x, a, c, b, d)
    sketch.mark_parallel((a, b), (d, c))
    sketch.triangles += [(x, a, b), (x, d, c)]
    settle(sketch)


# Lines


def parallels_with_transversal(sketch: Sketch) -> None:
    turn, gap = sketch.pick(45, 80), sketch.pick(4, 6)
    a, b, c, d = sketch.add_points(-5 + 0j, 8 + 0j, complex(-4, gap), complex(9, gap))
    way = turn_by(turn)
    high = way * gap / way.imag
    e, f, p, q = sketch.add_points(-3 * way, high + 3 * way, 0j, high)
    for pair in ((a, b), (c, d), (e, f)):
        sketch.join(*pair)
    sketch.mark_parallel((a, b), (c, d))
    sketch.state("intersection", p, a, b, e, f)
    sketch.state("intersection", q, c, d, e, f)


def parallels_with_bend(sketch: Sketch) -> None:
    """A point between two parallels joined to a point of each."""
    first, second = sketch.pick(25, 60), sketch.pick(25, 60)
    x = 0j
    up, down = turn_by(180 - first), turn_by(180 + second)
    p, q = x + up * 4 / up.imag, x + down * 4 / -down.imag
    a, b, c, d, e = sketch.add_points(p - 2, p + 7, q - 2, q + 7, x)
    f, g = sketch.add_points(p, q)
    for pair in ((a, b), (c, d), (f, e), (e, g)):
        sketch.join(*pair)
    sketch.state("collinear", a, f, b)
    sketch.state("collinear", c, g, d)
    sketch.mark_parallel((a, b), (c, d))
    h = sketch.add_point(x + 5)
    sketch.join(e, h)
    sketch.state("parallel", e, h, a, b)


def crossing_lines(sketch: Sketch) -> None:
    turn = sketch.pick(35, 75)
    a, b, c, d, e = sketch.add_points(-5 + 0j, 6 + 0j, turn_by(turn, -5), turn_by(turn, 5), 0j)
    sketch.join(a, b)
    sketch.join(c, d)
    sketch.state("intersection", e, a, b, c, d)


def fan_of_rays(sketch: Sketch) -> None:
    """Two or three rays on one side of a line."""
    turns = sorted(turn for turn in (sketch.pick(28, 55), sketch.pick(75, 105), sketch.pick(128, 152)))
    turns = turns[: sketch.pick(2, 3)]
    v, a, b = sketch.add_points(0j, 6 + 0j, -6 + 0j)
    sketch.join(a, b)
    sketch.state("collinear", a, v, b)
    for turn in turns:
        sketch.join(v, sketch.add_point(turn_by(turn, 6)))


def divided_segment(sketch: Sketch) -> None:
    cuts = sorted({0, sketch.pick(4, 7), sketch.pick(11, 14), 18})
    labels = sketch.add_points(*(complex(cut) for cut in cuts))
    sketch.join(labels[0], labels[-1])
    sketch.state("collinear", *labels)
    settle(sketch, 1, 0.5)


def three_parallels(sketch: Sketch) -> None:
    first, second = ((1, 2), (2, 1), (2, 3), (3, 2))[sketch.pick(0, 3)]
    heights = (0, 12 * first, 12 * (first + second))
    # Slopes with whole sides: 9-12-15 on the left, 5-12-13 on the right.
    rows = [(complex(-0.75 * y, y), complex(10 * (first + second) + 5 / 12 * y, y)) for y in heights]
    (a, d), (b, e), (c, f) = (sketch.add_points(*row) for row in rows)
    for pair in ((a, d), (b, e), (c, f), (a, c), (d, f)):
        sketch.join(*pair)
    sketch.state("collinear", a, b, c)
    sketch.state("collinear", d, e, f)
    sketch.mark_parallel((a, d), (b, e))
    sketch.mark_parallel((b, e), (c, f))
    settle(sketch, 1 / 3, 1 / 5, 0.5)


# Quadrilaterals


def square(sketch: Sketch) -> None:
    n = sketch.pick(3, 15)
    add_ring(sketch, "square", 0j, complex(n), complex(n, n), complex(0, n))
    settle(sketch)


def rectangle(sketch: Sketch) -> None:
    short, long, _ = TRIPLES[sketch.pick(0, 5)]
    if sketch.rng.random() < 0.4:
        short, long = sketch.pick(4, 8), sketch.pick(9, 16)
    add_ring(sketch, "rectangle", 0j, complex(long), complex(long, short), complex(0, short))
    settle(sketch, 1, 1, 0.5)


def rectangle_by_angle(sketch: Sketch) -> None:
    turn = turn_by(sketch.pick(24, 66), 10)
    add_ring(sketch, "rectangle", 0j, complex(turn.real), turn, complex(0, turn.imag))


def rhombus(sketch: Sketch) -> None:
    side = sketch.pick(5, 12)
    step = turn_by(sketch.pick(45, 78), side)
    add_ring(sketch, "rhombus", 0j, complex(side), side + step, step)
    settle(sketch)


def rhombus_by_diagonals(sketch: Sketch) -> None:
    half, other, _ = TRIPLES[sketch.pick(0, 4)]
    add_ring(sketch, "rhombus", complex(-other), complex(0, -half), complex(other), complex(0, half))
    settle(sketch, 1, 0.5)


def parallelogram(sketch: Sketch) -> None:
    long, step = sketch.pick(9, 15), turn_by(sketch.pick(48, 78), sketch.pick(5, 8))
    if sketch.rng.random() < 0.5:
        step = complex(*TRIPLES[sketch.pick(0, 1)][:2])
    add_ring(sketch, "parallelogram", 0j, complex(long), long + step, step)
    settle(sketch)


def trapezoid(sketch: Sketch) -> None:
    top, height = sketch.pick(5, 8), sketch.pick(5, 7)
    first, second = (height / math.tan(math.radians(sketch.pick(*turns))) for turns in ((62, 80), (42, 60)))
    if sketch.rng.random() < 0.5:
        height, first, second = ((12, 5, 9), (8, 6, 15), (12, 9, 16))[sketch.pick(0, 2)]
        top = sketch.pick(6, 12)
    corners = 0j, complex(first + top + second), complex(first + top, height), complex(first, height)
    a, b, c, d = add_ring(sketch, "trapezoid", *corners)
    sketch.mark_parallel((a, b), (d, c))
    settle(sketch)


def isosceles_trapezoid(sketch: Sketch) -> None:
    top, height = sketch.pick(5, 9), sketch.pick(5, 7)
    inset = height / math.tan(math.radians(sketch.pick(55, 72)))
    if sketch.rng.random() < 0.6:
        inset, height, _ = TRIPLES[sketch.pick(0, 3)]
        top = sketch.pick(4, 10)
    corners = 0j, complex(2 * inset + top), complex(inset + top, height), complex(inset, height)
    a, b, c, d = add_ring(sketch, "isosceles_trapezoid", *corners)
    sketch.mark_parallel((a, b), (d, c))
    sketch.mark_equal((a, d), (b, c))
    settle(sketch)


def right_trapezoid(sketch: Sketch) -> None:
    top, (inset, height, _) = sketch.pick(4, 9), TRIPLES[sketch.pick(0, 3)]
    corners = 0j, complex(top + inset), complex(top, height), complex(0, height)
    a, b, c, d = add_ring(sketch, "right_trapezoid", *corners)
    sketch.mark_right(b, a, d)
    sketch.mark_right(a, d, c)
    settle(sketch)


def kite(sketch: Sketch) -> None:
    half, top, bottom = sketch.pick(4, 6), sketch.pick(45, 62), sketch.pick(20, 36)
    up, down = (half / math.tan(math.radians(turn)) for turn in (top, bottom))
    if sketch.rng.random() < 0.5:
        half, up, down = ((12, 5, 16), (12, 9, 16), (8, 6, 15), (4, 3, 7.5))[sketch.pick(0, 3)]
        sketch.settled = True
    a, b, c, d = add_ring(sketch, "kite", complex(0, up), complex(half), complex(0, -down), complex(-half))
    sketch.mark_equal((a, b), (a, d))
    sketch.mark_equal((c, b), (c, d))


def quadrilateral(sketch: Sketch) -> None:
    alpha, beta, gamma = sketch.pick(75, 100), sketch.pick(70, 95), sketch.pick(85, 105)
    right = 9 + turn_by(180 - beta, sketch.pick(6, 8))
    back, up = turn_by(360 - beta - gamma), turn_by(alpha)
    span = (right.real * back.imag - right.imag * back.real) / (up.real * back.imag - up.imag * back.real)
    add_ring(sketch, "quadrilateral", 0j, 9 + 0j, right, up * span)


def regular_polygon(sketch: Sketch) -> None:
    count, side = (5, 6, 6, 8)[sketch.pick(0, 3)], sketch.pick(3, 10)
    radius = side / (2 * math.sin(math.pi / count))
    add_ring(sketch, "regular_polygon", *(turn_by(360 * i / count, radius) for i in range(count)))
    settle(sketch)


STARTS: dict[Start, int] = {
    triangle_by_angles: 3,
    obtuse_triangle: 1,
    triangle_by_sides: 2,
    heron_triangle: 3,
    oblique_triangle: 1,
    right_triangle: 4,
    right_triangle_by_angle: 2,
    special_right_triangle: 2,
    isosceles_right_triangle: 2,
    isosceles_triangle: 2,
    equilateral_triangle: 2,
    congruent_triangles: 1,
    similar_triangles: 2,
    crossing_triangles: 2,
    parallels_with_transversal: 2,
    parallels_with_bend: 2,
    crossing_lines: 2,
    fan_of_rays: 2,
    divided_segment: 2,
    three_parallels: 2,
    square: 2,
    rectangle: 2,
    rectangle_by_angle: 1,
    rhombus: 1,
    rhombus_by_diagonals: 2,
    parallelogram: 2,
    trapezoid: 2,
    isosceles_trapezoid: 2,
    right_trapezoid: 1,
    kite: 2,
    quadrilateral: 1,
    regular_polygon: 2,
    **CIRCLES,
}
"""Each with how often it is taken."""
