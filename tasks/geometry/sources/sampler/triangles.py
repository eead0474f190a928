"""Constructions of triangles: each starts a figure and offers questions about it."""

from __future__ import annotations

import math

from counterfoil.tasks.geometry.sources.sampler.sketch import TRIPLES, Sketch, turn_by


def _place_by_angles(
    sketch: Sketch, alpha: float, beta: float, base: float, origin: complex = 0j
) -> tuple[str, str, str]:
    """Triangle on a base with its two base angles in degrees."""
    height = base / (1 / math.tan(math.radians(alpha)) + 1 / math.tan(math.radians(beta)))
    apex = complex(height / math.tan(math.radians(alpha)), height)
    a, b, c = sketch.add_points(origin, origin + base, origin + apex)
    sketch.close(a, b, c)
    sketch.triangles.append((a, b, c))
    return a, b, c


def _place_by_sides(sketch: Sketch, ab: float, bc: float, ca: float, origin: complex = 0j) -> tuple[str, str, str]:
    x = (ab**2 + ca**2 - bc**2) / (2 * ab)
    a, b, c = sketch.add_points(origin, origin + ab, origin + complex(x, math.sqrt(ca**2 - x**2)))
    sketch.close(a, b, c)
    sketch.triangles.append((a, b, c))
    return a, b, c


def triangle_with_two_angles(sketch: Sketch) -> None:
    alpha, beta = sketch.pick(35, 80), sketch.pick(35, 80)
    a, b, c = _place_by_angles(sketch, alpha, beta, sketch.pick(5, 14))
    sketch.state("triangle", a, b, c)
    sketch.ask_angle(a, c, b, sketch.angle(b, a, c), sketch.angle(a, b, c))


def triangle_with_three_sides(sketch: Sketch) -> None:
    ab, bc = sketch.pick(7, 14), sketch.pick(7, 14)
    ca = sketch.pick(abs(ab - bc) + 4, min(ab + bc - 4, 16))
    a, b, c = _place_by_sides(sketch, ab, bc, ca)
    sketch.state("triangle", a, b, c)
    givens = (sketch.length(a, b), sketch.length(b, c), sketch.length(c, a))
    sketch.ask(f"the perimeter of \\triangle {a}{b}{c}", str(ab + bc + ca), *givens)


def right_triangle(sketch: Sketch) -> None:
    short, long, whole = TRIPLES[sketch.pick(0, 5)]
    c, a, b = sketch.add_points(0j, complex(long), complex(0, short))
    sketch.close(a, b, c)
    sketch.triangles.append((a, b, c))
    sketch.state("right_triangle", a, b, c)
    sketch.mark_right(a, c, b)
    sketch.ask_length(a, b, sketch.length(a, c), sketch.length(b, c), value=str(whole))
    sketch.ask_length(b, c, sketch.length(a, b), sketch.length(a, c), value=str(short))


def right_triangle_with_angle(sketch: Sketch) -> None:
    alpha = sketch.pick(28, 62)
    a, b, c = _place_by_angles(sketch, alpha, 90 - alpha, sketch.pick(8, 14))
    sketch.state("right_triangle", a, b, c)
    sketch.mark_right(a, c, b)
    sketch.ask_angle(a, b, c, sketch.angle(b, a, c))


def special_right_triangle(sketch: Sketch) -> None:
    """30-60-90: sides in the ratio 1, root 3, 2."""
    n = sketch.pick(3, 9)
    c, a, b = sketch.add_points(0j, complex(n * math.sqrt(3)), complex(0, n))
    sketch.close(a, b, c)
    sketch.triangles.append((a, b, c))
    sketch.mark_right(a, c, b)
    sketch.state("right_triangle", a, b, c)
    sketch.ask_length(a, c, sketch.angle(b, a, c), sketch.length(b, c), value=f"{n}\\sqrt{{3}}")
    sketch.ask_length(b, c, sketch.angle(b, a, c), sketch.length(a, c, f"{n}\\sqrt{{3}}"), value=str(n))


def isosceles_right_triangle(sketch: Sketch) -> None:
    n = sketch.pick(4, 12)
    c, a, b = sketch.add_points(0j, complex(n), complex(0, n))
    sketch.close(a, b, c)
    sketch.triangles.append((a, b, c))
    sketch.state("isosceles", a, b, c)
    sketch.mark_right(a, c, b)
    sketch.mark_equal((c, a), (c, b))
    sketch.ask_length(a, b, sketch.length(a, c), value=f"{n}\\sqrt{{2}}")


def isosceles_triangle(sketch: Sketch) -> None:
    base_angle = sketch.pick(40, 74)
    a, b, c = _place_by_angles(sketch, base_angle, base_angle, sketch.pick(6, 12))
    sketch.state("isosceles", a, b, c)
    sketch.mark_equal((c, a), (c, b))
    sketch.ask_angle(a, c, b, sketch.angle(b, a, c))
    sketch.ask_angle(c, b, a, sketch.angle(a, c, b))


def equilateral_triangle(sketch: Sketch) -> None:
    side = sketch.pick(4, 15)
    a, b, c = _place_by_sides(sketch, side, side, side)
    sketch.state("equilateral", a, b, c)
    sketch.ask(f"the perimeter of \\triangle {a}{b}{c}", str(3 * side), sketch.length(a, b))
    sketch.ask_length(b, c, sketch.length(a, b))


def obtuse_triangle(sketch: Sketch) -> None:
    alpha = sketch.pick(25, 40)
    beta = sketch.pick(102, 120)
    a, b, c = _place_by_angles(sketch, alpha, beta, sketch.pick(5, 9))
    sketch.state("obtuse", a, b, c)
    sketch.ask_angle(a, c, b, sketch.angle(c, a, b), sketch.angle(a, b, c))


def parallel_in_triangle(sketch: Sketch) -> None:
    """DE parallel to the base: similar triangles with a common vertex, of whole sides or of whole angles."""
    share = sketch.pick(4, 7)
    if sketch.rng.random() < 0.5:
        scale = sketch.pick(1, 2)
        left, right = 10 * scale, sketch.pick(9, 12) * scale
        base = sketch.pick(8, 12) * scale
        a, b, c = _place_by_sides(sketch, base, right, left)
    else:
        a, b, c = _place_by_angles(sketch, sketch.pick(45, 75), sketch.pick(45, 75), 10)
    apex = sketch.places[c]
    d, e = sketch.add_points(*(apex + (sketch.places[p] - apex) * share / 10 for p in (a, b)))
    sketch.join(d, e)
    sketch.state("triangle", a, b, c)
    sketch.state("collinear", c, d, a)
    sketch.state("collinear", c, e, b)
    sketch.mark_parallel((d, e), (a, b))
    sketch.ask_angle(c, d, e, sketch.angle(c, a, b))
    sketch.ask_length(a, b, sketch.length(c, d), sketch.length(d, a), sketch.length(d, e))


def congruent_triangles(sketch: Sketch) -> None:
    a, b, c, d, e, f = _place_alike(sketch, 1.0, (sketch.pick(6, 8), sketch.pick(7, 10), sketch.pick(7, 10)))
    sketch.state("congruent", a, b, c, d, e, f)
    sketch.ask_angle(e, d, f, sketch.angle(b, a, c))
    sketch.ask_length(d, e, sketch.length(a, b))


def _place_alike(sketch: Sketch, ratio: float, sides: tuple[int, int, int]) -> tuple[str, ...]:
    """A triangle and beside it one of the same shape, both of these whole sides or both of whole angles."""
    ab, bc, ca = sides
    apart = complex(ab + 4, 0)
    if sketch.rng.random() < 0.5:
        first = _place_by_sides(sketch, ab, bc, ca)
        return first + _place_by_sides(sketch, ratio * ab, ratio * bc, ratio * ca, apart)
    alpha, beta = sketch.pick(45, 75), sketch.pick(45, 75)
    return _place_by_angles(sketch, alpha, beta, ab) + _place_by_angles(sketch, alpha, beta, ratio * ab, apart)


def similar_triangles(sketch: Sketch) -> None:
    sides = (2 * sketch.pick(3, 4), 2 * sketch.pick(3, 5), 2 * sketch.pick(3, 5))
    a, b, c, d, e, f = _place_alike(sketch, 1.5, sides)
    sketch.state("similar", a, b, c, d, e, f)
    sketch.ask_length(d, e, sketch.length(a, b), sketch.length(b, c), sketch.length(e, f))
    sketch.ask_angle(d, e, f, sketch.angle(a, b, c))


def crossing_triangles(sketch: Sketch) -> None:
    """Two triangles that share a vertex, between parallel lines, of whole sides or of whole angles."""
    n, first, second = sketch.pick(3, 5), sketch.pick(25, 50), sketch.pick(100, 140)
    longer: float = 2 * n + 1
    if sketch.rng.random() < 0.5:
        rest = 180 - second + first
        corner = math.radians(sketch.pick(2 * rest // 5, 3 * rest // 5))
        longer = 2 * n * math.sin(corner) / math.sin(corner + math.radians(second - first))
    p, q = turn_by(first, 2 * n), turn_by(second, longer)
    ratio = -0.5 * sketch.pick(2, 3)
    a, b, x, c, d = sketch.add_points(p, q, 0j, p * ratio, q * ratio)
    sketch.join(a, b)
    sketch.join(c, d)
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.state("intersection", x, a, c, b, d)
    sketch.mark_parallel((a, b), (d, c))
    sketch.ask_angle(x, c, d, sketch.angle(b, a, x))
    sketch.ask_length(c, x, sketch.length(a, x), sketch.length(b, x), sketch.length(x, d))


def exterior_angle(sketch: Sketch) -> None:
    alpha, beta = sketch.pick(40, 70), sketch.pick(45, 75)
    a, b, c = _place_by_angles(sketch, alpha, beta, sketch.pick(7, 10))
    d = sketch.add_point(sketch.places[b] * 1.5)
    sketch.join(b, d)
    sketch.state("triangle", a, b, c)
    sketch.state("collinear", a, b, d)
    sketch.ask_angle(c, b, d, sketch.angle(b, a, c), sketch.angle(a, c, b))
    sketch.ask_angle(a, c, b, sketch.angle(b, a, c), sketch.angle(c, b, d))


BASES = (
    triangle_with_two_angles,
    triangle_with_three_sides,
    right_triangle,
    right_triangle_with_angle,
    special_right_triangle,
    isosceles_right_triangle,
    isosceles_triangle,
    equilateral_triangle,
    obtuse_triangle,
    parallel_in_triangle,
    congruent_triangles,
    similar_triangles,
    crossing_triangles,
    exterior_angle,
)
