"""What is said in numbers of the coordinate plane: places, slopes, equations of lines, parabolas and circles.

Each sort of value is read as a few numbers, written in one form, and changed a little for near misses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import ExpressionError, evaluate, read_number

QUADRANTS = ("first", "second", "third", "fourth")
Numbers = tuple[float, ...]
_PLACE = re.compile(r"\(([^(),]+),([^(),]+)\)")
_MOST_BELOW = 60
"""The largest denominator of a coefficient."""
_SAME = 1e-9


@lru_cache(maxsize=8192)
def read_plane(kind: str, value: str | None) -> Numbers | None:
    """The numbers that a value of a kind holds; None where it is no such value.

    >>> read_plane("place", "(2, -3)"), read_plane("line", "y = 3x/2 - 1"), read_plane("round", "(x-1)^2+y^2=9")
    ((2.0, -3.0), (1.5, -1.0), (1.0, 0.0, 3.0))
    >>> read_plane("quadratic", "y=x^2-2x-3"), read_plane("quadratic", "y=(x-1)^2-4"), read_plane("line", "y=x^2")
    ((1.0, 1.0, -4.0), (1.0, 1.0, -4.0), None)
    """
    text = re.sub(r"\s+", "", value or "").replace("−", "-")
    try:
        return _READERS[kind](text)
    except (ExpressionError, ArithmeticError, ValueError):
        return None


def write_plane(kind: str, numbers: Sequence[float]) -> str:
    """The one form of such numbers.

    >>> write_plane("place", (2, -3)), write_plane("line", (-1.5, 0)), write_plane("quadratic", (-1, 2, 3))
    ('(2,-3)', 'y=-3x/2', 'y=-(x-2)^{2}+3')
    >>> write_plane("round", (0, -1, 5)), write_plane("signed", (0.5,))
    ('x^{2}+(y+1)^{2}=25', '1/2')
    """
    parts = [Fraction(number).limit_denominator(_MOST_BELOW) for number in numbers]
    match kind:
        case "place":
            return f"({','.join(f'{float(part):g}' for part in parts)})"
        case "quadrant":
            return QUADRANTS[int(numbers[0])]
        case "line":
            slope, level = parts
            return f"y={_write_term(slope, 'x')}{_write_rest(level)}" if slope else f"y={level}"
        case "quadratic":
            factor, x, y = parts
            return f"y={_write_term(factor, _write_square('x', x))}{_write_rest(y)}"
        case "round":
            x, y, radius = parts
            return f"{_write_square('x', x)}+{_write_square('y', y)}={radius * radius}"
    return str(parts[0])


def write_expanded(factor: int, x: int, y: int) -> str:
    """A parabola's equation without brackets.

    >>> write_expanded(1, 1, -4), write_expanded(-2, 0, 3)
    ('y=x^{2}-2x-3', 'y=-2x^{2}+3')
    """
    terms = [_write_term(Fraction(factor), "x^{2}")]
    linear, level = -2 * factor * x, factor * x * x + y
    terms += [f"{'+' if linear > 0 else ''}{_write_term(Fraction(linear), 'x')}"] if linear else []
    return f"y={''.join(terms)}{_write_rest(Fraction(level))}"


def normalise_plane(kind: str, value: str) -> str:
    """A value in its one form; itself where it is no such value."""
    numbers = read_plane(kind, value)
    return value if numbers is None else write_plane(kind, numbers)


def _write_term(factor: Fraction, name: str) -> str:
    head = {1: "", -1: "-"}.get(factor.numerator, str(factor.numerator))
    return f"{head}{name}" + (f"/{factor.denominator}" if factor.denominator > 1 else "")


def _write_rest(number: Fraction) -> str:
    return "" if not number else f"{'+' if number > 0 else ''}{number}"


def _write_square(name: str, centre: Fraction) -> str:
    return f"{name}^{{2}}" if not centre else f"({name}{_write_rest(-centre)})^{{2}}"


# Reading


def _read_place(text: str) -> Numbers | None:
    match = _PLACE.fullmatch(text)
    numbers = [read_number(part) for part in match.groups()] if match else [None]
    return None if None in numbers else tuple(float(number or 0.0) for number in numbers)


def _read_signed(text: str) -> Numbers | None:
    number = read_number(text)
    return None if number is None else (number,)


def _read_quadrant(text: str) -> Numbers | None:
    return (float(QUADRANTS.index(text)),) if text in QUADRANTS else None


def _read_curve(text: str) -> Numbers:
    """What y is of x, as the numbers of 1, x and x squared.

    Raises:
        ValueError: it is no such equation.
    """
    left, _, right = text.partition("=")
    if left != "y" or not right:
        raise ValueError(text)
    low, level, high, far = (evaluate(right, {"x": x}) for x in (-1.0, 0.0, 1.0, 3.0))
    square = (low + high) / 2 - level
    linear = (high - low) / 2
    if abs(square * 9 + linear * 3 + level - far) > _SAME:
        raise ValueError(text)
    return _tidy(level, linear, square)


def _read_line(text: str) -> Numbers | None:
    level, linear, square = _read_curve(text)
    return None if square else (linear, level)


def _read_quadratic(text: str) -> Numbers | None:
    level, linear, square = _read_curve(text)
    if not square:
        return None
    x = -linear / (2 * square)
    return _tidy(square, x, level + linear * x / 2)


def _read_round(text: str) -> Numbers | None:
    left, _, right = text.partition("=")
    whole = f"({left})-({right})" if right else left

    def at(x: float, y: float) -> float:
        return evaluate(whole, {"x": x, "y": y})

    level, east, west, north, south = at(0, 0), at(1, 0), at(-1, 0), at(0, 1), at(0, -1)
    squares = ((east + west) / 2 - level, (north + south) / 2 - level)
    x, y = -(east - west) / 4, -(north - south) / 4
    radius = x * x + y * y - level
    if max(abs(square - 1) for square in squares) > _SAME or radius <= _SAME:
        return None
    if abs((3 - x) ** 2 + (2 - y) ** 2 - radius - at(3, 2)) > _SAME:
        return None
    return _tidy(x, y, math.sqrt(radius))


def _tidy(*numbers: float) -> Numbers:
    """Numbers without what floats left over, and no minus before 0."""
    return tuple(round(number, 9) + 0.0 for number in numbers)


_READERS: Mapping[str, Callable[[str], Numbers | None]] = {
    "place": _read_place,
    "signed": _read_signed,
    "quadrant": _read_quadrant,
    "line": _read_line,
    "quadratic": _read_quadratic,
    "round": _read_round,
}
PLANE_KINDS = frozenset(_READERS)
"""Sorts of values that are of the coordinate plane."""


# Near misses


def propose_values(fact: Fact, kind: str, rng: np.random.Generator) -> Iterator[Fact]:
    """The same claim with another value of its kind: a place mirrored, exchanged or moved by a little, another slope,
    intercept, vertex, centre or quadrant."""
    numbers = read_plane(kind, fact.value)
    if numbers is None:
        return
    known = {write_plane(kind, numbers)}
    offers = list(_list_near(kind, numbers))
    for at in rng.permutation(len(offers)).tolist():
        value = write_plane(kind, offers[at])
        if value not in known:
            known.add(value)
            yield Fact(fact.predicate, fact.arguments, value)


def _list_near(kind: str, numbers: Numbers) -> Iterator[Numbers]:
    if kind == "quadrant":
        yield from ((float(i),) for i in range(len(QUADRANTS)))
        return
    for at, number in enumerate(numbers):
        size = kind == "quadratic" and at == 0
        others = {-number, *(number + step for step in (-2, -1, 1, 2))}
        if kind == "round" and at == 2:
            others -= {other for other in others if other < 1}
        if size or (kind in ("signed", "line") and at == 0):
            others |= {1 / number} if number and not size else set()
            others -= {0.0}
        yield from ((*numbers[:at], other + 0.0, *numbers[at + 1 :]) for other in sorted(others))
    if kind == "place" and numbers[0] != numbers[1]:
        yield (numbers[1], numbers[0])
