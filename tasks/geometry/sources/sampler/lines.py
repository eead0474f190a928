"""Constructions of lines, rays and angles."""

from __future__ import annotations

from counterfoil.tasks.geometry.sources.sampler.sketch import Sketch, turn_by


def parallels_with_transversal(sketch: Sketch) -> None:
    turn, gap = sketch.pick(50, 75), sketch.pick(4, 6)
    a, b, c, d = sketch.add_points(-5 + 0j, 8 + 0j, complex(-4, gap), complex(9, gap))
    low, high = 0j, complex(gap * turn_by(turn).real / turn_by(turn).imag, gap)
    direction = turn_by(turn)
    e, f, p, q = sketch.add_points(low - 3 * direction, high + 3 * direction, low, high)
    sketch.join(a, b)
    sketch.join(c, d)
    sketch.join(e, f)
    sketch.mark_parallel((a, b), (c, d))
    sketch.state("intersection", p, a, b, e, f)
    sketch.state("intersection", q, c, d, e, f)
    sketch.ask_angle(d, q, f, sketch.angle(b, p, q))
    sketch.ask_angle(c, q, p, sketch.angle(b, p, q))


def crossing_lines(sketch: Sketch) -> None:
    turn = sketch.pick(35, 75)
    a, b, c, d, e = sketch.add_points(-5 + 0j, 6 + 0j, turn_by(turn, -5), turn_by(turn, 5), 0j)
    sketch.join(a, b)
    sketch.join(c, d)
    sketch.state("intersection", e, a, b, c, d)
    sketch.ask_angle(a, e, c, sketch.angle(b, e, d))
    sketch.ask_angle(a, e, d, sketch.angle(b, e, d))


def bisected_angle(sketch: Sketch) -> None:
    half = sketch.pick(22, 40)
    b, a, c, d = sketch.add_points(0j, 8 + 0j, turn_by(2 * half, 8), turn_by(half, 9))
    sketch.join(a, b)
    sketch.join(b, c)
    sketch.join(b, d)
    sketch.state("bisector", d, a, b, c)
    sketch.ask_angle(a, b, d, sketch.angle(d, b, c))


def adjacent_angles(sketch: Sketch) -> None:
    first, second = sketch.pick(28, 60), sketch.pick(28, 60)
    b, a, d, c = sketch.add_points(0j, 8 + 0j, turn_by(first, 8), turn_by(first + second, 8))
    for end in (a, d, c):
        sketch.join(b, end)
    sketch.ask_angle(a, b, c, sketch.angle(a, b, d), sketch.angle(d, b, c))


def straight_angle(sketch: Sketch) -> None:
    turn = sketch.pick(40, 130)
    a, b, c, d = sketch.add_points(-6 + 0j, 0j, 6 + 0j, turn_by(turn, 6))
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.state("collinear", a, b, c)
    sketch.ask_angle(a, b, d, sketch.angle(c, b, d))


def perpendicular_lines(sketch: Sketch) -> None:
    turn = sketch.pick(25, 65)
    a, b, c, d, e = sketch.add_points(-6 + 0j, 0j, 6 + 0j, 6j, turn_by(turn, 6))
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.join(b, e)
    sketch.state("collinear", a, b, c)
    sketch.mark_right(a, b, d)
    sketch.ask_angle(d, b, e, sketch.angle(e, b, c))


def divided_segment(sketch: Sketch) -> None:
    first, second = sketch.pick(4, 9), sketch.pick(4, 9)
    a, b, c = sketch.add_points(0j, complex(first), complex(first + second))
    sketch.join(a, c)
    sketch.state("collinear", a, b, c)
    sketch.ask_length(a, c, sketch.length(a, b), sketch.length(b, c))


def parallel_lines_with_two_transversals(sketch: Sketch) -> None:
    """Three parallel lines cut two others in proportion."""
    first, second = ((1, 2), (2, 1), (2, 3), (3, 2))[sketch.pick(0, 3)]
    heights = (0, 12 * first, 12 * (first + second))
    # Slopes with whole sides: 9-12-15 on the left, 5-12-13 on the right.
    left, right, width = 9 / 12, -5 / 12, 10 * (first + second)
    rows = [(complex(-left * y, y), complex(width - right * y, y)) for y in heights]
    labels = [sketch.add_points(*row) for row in rows]
    for p, q in labels:
        sketch.join(p, q)
    (a, d), (b, e), (c, f) = labels
    sketch.join(a, c)
    sketch.join(d, f)
    sketch.state("collinear", a, b, c)
    sketch.state("collinear", d, e, f)
    sketch.mark_parallel((a, d), (b, e))
    sketch.state("parallel", b, e, c, f)
    sketch.ask_length(e, f, sketch.length(a, b), sketch.length(b, c), sketch.length(d, e))


BASES = (
    parallels_with_transversal,
    crossing_lines,
    bisected_angle,
    adjacent_angles,
    straight_angle,
    perpendicular_lines,
    divided_segment,
    parallel_lines_with_two_transversals,
)
