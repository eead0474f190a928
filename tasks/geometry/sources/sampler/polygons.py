"""Constructions of quadrilaterals and regular polygons."""

from __future__ import annotations

import math

from counterfoil.tasks.geometry.sources.sampler.sketch import Sketch, turn_by


def _place(sketch: Sketch, *corners: complex) -> tuple[str, str, str, str]:
    a, b, c, d = sketch.add_points(*corners)
    sketch.close(a, b, c, d)
    sketch.quadrilaterals.append((a, b, c, d))
    return a, b, c, d


def square(sketch: Sketch) -> None:
    n = sketch.pick(3, 15)
    a, b, c, d = _place(sketch, 0j, complex(n), complex(n, n), complex(0, n))
    sketch.state("square", a, b, c, d)
    sketch.ask(f"the area of square {a}{b}{c}{d}", str(n * n), sketch.length(a, b))
    sketch.ask_length(b, c, sketch.length(a, b))


def rectangle_with_diagonal(sketch: Sketch) -> None:
    short, long, whole = ((6, 8, 10), (5, 12, 13), (9, 12, 15), (8, 15, 17))[sketch.pick(0, 3)]
    a, b, c, d = _place(sketch, 0j, complex(long), complex(long, short), complex(0, short))
    sketch.join(a, c)
    sketch.state("rectangle", a, b, c, d)
    sketch.ask_length(a, c, sketch.length(a, b), sketch.length(b, c), value=str(whole))
    sketch.ask_length(b, c, sketch.length(a, b), sketch.length(a, c), value=str(short))


def rectangle(sketch: Sketch) -> None:
    long, short = sketch.pick(9, 16), sketch.pick(4, 7)
    a, b, c, d = _place(sketch, 0j, complex(long), complex(long, short), complex(0, short))
    sketch.state("rectangle", a, b, c, d)
    sketch.mark_right(a, b, c)
    givens = (sketch.length(a, b), sketch.length(b, c))
    sketch.ask(f"the area of rectangle {a}{b}{c}{d}", str(long * short), *givens)
    sketch.ask(f"the perimeter of rectangle {a}{b}{c}{d}", str(2 * (long + short)), *givens)


def rhombus(sketch: Sketch) -> None:
    side, turn = sketch.pick(5, 12), sketch.pick(50, 75)
    step = turn_by(turn, side)
    a, b, c, d = _place(sketch, 0j, complex(side), side + step, step)
    sketch.state("rhombus", a, b, c, d)
    sketch.ask_angle(a, b, c, sketch.angle(b, a, d))
    sketch.ask_length(c, d, sketch.length(a, b))


def rhombus_with_diagonals(sketch: Sketch) -> None:
    half, other, side = ((3, 4, 5), (6, 8, 10), (5, 12, 13), (9, 12, 15))[sketch.pick(0, 3)]
    a, b, c, d = _place(sketch, complex(-other), complex(0, -half), complex(other), complex(0, half))
    e = sketch.add_point(0j)
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.state("rhombus", a, b, c, d)
    sketch.state("intersection", e, a, c, b, d)
    sketch.ask_length(a, b, sketch.length(a, e), sketch.length(b, e), value=str(side))
    sketch.ask_length(d, e, sketch.length(a, e), sketch.length(a, d), value=str(half))


def parallelogram(sketch: Sketch) -> None:
    long, short, turn = sketch.pick(9, 14), sketch.pick(5, 8), sketch.pick(55, 75)
    step = turn_by(turn, short)
    a, b, c, d = _place(sketch, 0j, complex(long), long + step, step)
    sketch.state("parallelogram", a, b, c, d)
    sketch.ask_angle(a, b, c, sketch.angle(b, a, d))
    sketch.ask_angle(b, c, d, sketch.angle(b, a, d))
    sketch.ask_length(c, d, sketch.length(a, b), sketch.length(a, d))


def parallelogram_with_diagonals(sketch: Sketch) -> None:
    first, second = sketch.pick(4, 6), sketch.pick(8, 10)
    turn = turn_by(sketch.pick(55, 70))
    a, b, c, d = _place(sketch, complex(-second), -first * turn, complex(second), first * turn)
    e = sketch.add_point(0j)
    sketch.join(a, c)
    sketch.join(b, d)
    sketch.state("parallelogram", a, b, c, d)
    sketch.state("intersection", e, a, c, b, d)
    sketch.ask_length(c, e, sketch.length(a, e), sketch.length(b, e))


def _reach(degrees: float, height: float) -> float:
    """How far a line that rises at ``degrees`` goes aside up to ``height``."""
    return height / math.tan(math.radians(degrees))


def trapezoid(sketch: Sketch) -> None:
    high, height = sketch.pick(5, 8), sketch.pick(5, 7)
    first, second = (_reach(sketch.pick(*turns), height) for turns in ((65, 80), (45, 60)))
    a, b, c, d = _place(
        sketch, 0j, complex(first + high + second), complex(first + high, height), complex(first, height)
    )
    sketch.state("trapezoid", a, b, c, d)
    sketch.mark_parallel((a, b), (d, c))
    sketch.ask_angle(a, d, c, sketch.angle(b, a, d))
    sketch.ask_angle(b, c, d, sketch.angle(a, b, c))


def isosceles_trapezoid(sketch: Sketch) -> None:
    low, height = sketch.pick(12, 16), sketch.pick(5, 7)
    inset = _reach(sketch.pick(60, 72), height)
    a, b, c, d = _place(sketch, 0j, complex(low), complex(low - inset, height), complex(inset, height))
    sketch.state("isosceles_trapezoid", a, b, c, d)
    sketch.mark_parallel((a, b), (d, c))
    sketch.mark_equal((a, d), (b, c))
    sketch.ask_angle(a, b, c, sketch.angle(b, a, d))


def right_trapezoid(sketch: Sketch) -> None:
    high, drop = sketch.pick(4, 7), ((3, 4), (6, 8), (5, 12))[sketch.pick(0, 2)]
    a, b, c, d = _place(sketch, 0j, complex(high + drop[0]), complex(high, drop[1]), complex(0, drop[1]))
    sketch.state("right_trapezoid", a, b, c, d)
    sketch.mark_right(b, a, d)
    sketch.mark_right(a, d, c)
    givens = (sketch.length(a, b), sketch.length(c, d), sketch.length(a, d))
    sketch.ask_length(b, c, *givens, value=write(math.hypot(*drop)))


def write(value: float) -> str:
    """A whole number as such."""
    return f"{value:g}"


def kite(sketch: Sketch) -> None:
    # Half the angles at top and bottom: those at the sides are then whole.
    half, top, bottom = sketch.pick(4, 6), sketch.pick(50, 62), sketch.pick(20, 34)
    up, down = _reach(top, half), _reach(bottom, half)
    a, b, c, d = _place(sketch, complex(0, up), complex(half), complex(0, -down), complex(-half))
    sketch.state("kite", a, b, c, d)
    sketch.mark_equal((a, b), (a, d))
    sketch.mark_equal((c, b), (c, d))
    sketch.ask_angle(a, d, c, sketch.angle(a, b, c))


def quadrilateral_with_three_angles(sketch: Sketch) -> None:
    alpha, beta, gamma = sketch.pick(75, 100), sketch.pick(70, 95), sketch.pick(85, 105)
    base, side = sketch.pick(8, 10), sketch.pick(6, 8)
    right = base + turn_by(180 - beta, side)
    # The ray from C at gamma to CB meets the ray from A at alpha.
    back = turn_by(180 - beta + 180 - gamma)
    up = turn_by(alpha)
    span = (right.real * back.imag - right.imag * back.real) / (up.real * back.imag - up.imag * back.real)
    a, b, c, d = _place(sketch, 0j, complex(base), right, up * span)
    sketch.state("quadrilateral", a, b, c, d)
    sketch.ask_angle(a, d, c, sketch.angle(b, a, d), sketch.angle(a, b, c), sketch.angle(b, c, d))


def _place_regular(sketch: Sketch, count: int) -> tuple[str, ...]:
    side = sketch.pick(3, 9)
    radius = side / (2 * math.sin(math.pi / count))
    labels = sketch.add_points(*(turn_by(360 * i / count, radius) for i in range(count)))
    sketch.close(*labels)
    sketch.state("regular_polygon", *labels)
    name = "".join(labels)
    sketch.ask(f"the perimeter of polygon {name}", str(count * side), sketch.length(labels[0], labels[1]))
    sketch.ask_angle(labels[0], labels[1], labels[2], sketch.length(labels[0], labels[1]))
    return labels


def regular_pentagon(sketch: Sketch) -> None:
    _place_regular(sketch, 5)


def regular_hexagon(sketch: Sketch) -> None:
    _place_regular(sketch, 6)


def regular_octagon(sketch: Sketch) -> None:
    _place_regular(sketch, 8)


BASES = (
    square,
    rectangle,
    rectangle_with_diagonal,
    rhombus,
    rhombus_with_diagonals,
    parallelogram,
    parallelogram_with_diagonals,
    trapezoid,
    isosceles_trapezoid,
    right_trapezoid,
    kite,
    quadrilateral_with_three_angles,
    regular_pentagon,
    regular_hexagon,
    regular_octagon,
)
