"""Expressions that no value of the unknowns makes equal although the figure says that they are.

``3x`` and ``3x-9`` on two sides of an equilateral triangle leave ``0 = -9``, and so they do on AB and EF where AB = CD
and CD = EF. Coordinates do not show it, as unknowns put no constraint on a drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.storage.uniting import Sets
from counterfoil.tasks.geometry.facts.expressions import (
    ExpressionError,
    evaluate,
    find_unknowns,
    is_symbolic,
    read_number,
)
from counterfoil.tasks.geometry.facts.judge import canonicalise, judge, list_consequences
from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.figure.scene import Scene

_EQUAL = {"length": "equal_length", "angle": "equal_angle"}
_BINDING = SHAPES - {"triangle", "quadrilateral", "scalene", "acute", "obtuse", "right_triangle"}
"""Shapes that make sides or angles equal."""
_BASE, _STEP = 2.0, 3.0
_SAME = 1e-6


def find_impossible(claims: Iterable[Fact], figure: Scene) -> str | None:
    """The first two expressions for equal things of ``figure`` that no unknowns make equal beside the equations before
    them, be the things called equal at once or over others."""
    stated = tuple(claims)
    measures = [claim for claim in stated if claim.predicate in _EQUAL and _is_exact(claim.value)]
    if not any(is_symbolic(claim.value) for claim in measures) or len(measures) < 2:
        return None
    equations = _Equations()
    for first, second in _pair_equal(stated, measures, figure):
        if not equations.admit(first.value or "", second.value or ""):
            return f"{first} against {second}"
    return None


def _is_exact(value: str | None) -> bool:
    """Expressions and whole numbers; others may be rounded."""
    return is_symbolic(value) or ("." not in (value or "") and read_number(value) is not None)


def _pair_equal(stated: Sequence[Fact], measures: Sequence[Fact], figure: Scene) -> Iterator[tuple[Fact, Fact]]:
    """Measures of things that are equal, each with the first of its class."""
    relations = [fact for claim in stated for fact in list_consequences(claim) if fact.predicate in _EQUAL.values()]
    shapes = [claim for claim in stated if claim.predicate in _BINDING]
    parts = [(_name(claim), claim) for claim in measures]
    sets: Sets[tuple[str, ...]] = Sets()
    for fact in relations:
        kind = "length" if fact.predicate == "equal_length" else "angle"
        half = len(fact.arguments) // 2
        one, other = (_name(Fact(kind, each, "1")) for each in (fact.arguments[:half], fact.arguments[half:]))
        sets.unite(other, one)
    for one, other in combinations([*sets.parents, *(name for name, _ in parts)], 2):
        if (
            one[0] != other[0]
            or sets.find(one) == sets.find(other)
            or not any(_binds(each, one, other, figure) for each in shapes)
        ):
            continue
        if judge(Fact(_EQUAL[one[0]], (*one[1:], *other[1:])), figure.coordinates):
            sets.unite(other, one)
    leaders: dict[tuple[str, ...], Fact] = {}
    for name, claim in parts:
        first = leaders.setdefault(sets.find(name), claim)
        if first is not claim:
            yield first, claim


def _binds(shape: Fact, one: tuple[str, ...], other: tuple[str, ...], figure: Scene) -> bool:
    """Whether two measured things that are equal in the figure must be: a rectangle's neighbouring sides need not."""
    a = shape.arguments
    if not {*one[1:], *other[1:]} <= {*a}:
        return False
    if shape.predicate == "isosceles":
        return judge(Fact("equilateral", a), figure.coordinates) is False
    if one[0] == "length" and shape.predicate in ("parallelogram", "rectangle"):
        return not {*one[1:]} & {*other[1:]}
    if one[0] == "angle" and shape.predicate in ("parallelogram", "rhombus"):
        return (a.index(one[2]) - a.index(other[2])) % 4 == 2
    return True


def _name(claim: Fact) -> tuple[str, ...]:
    """What is measured, whatever the order in which its letters are named."""
    return (claim.predicate, *canonicalise(replace(claim, value="1")).arguments)


class _Equations:
    """Linear equations in the unknowns that can all hold together."""

    def __init__(self) -> None:
        self.rows: list[tuple[dict[str, float], float]] = []

    def admit(self, first: str, second: str) -> bool:
        """Whether ``first`` = ``second`` can hold beside what was admitted; what is not linear always can."""
        left, right = _read_linear(first), _read_linear(second)
        if left is None or right is None:
            return not differ_by_a_number(first, second)
        (ones, one), (others, other) = left, right
        names = {*ones, *others}
        self.rows.append(({name: ones.get(name, 0.0) - others.get(name, 0.0) for name in names}, other - one))
        return self._can_hold()

    def _can_hold(self) -> bool:
        names = sorted({name for row, _ in self.rows for name in row})
        matrix = np.array([[row.get(name, 0.0) for name in names] for row, _ in self.rows]).reshape(len(self.rows), -1)
        constants = np.array([constant for _, constant in self.rows])
        if not names:
            return bool(np.abs(constants).max() < _SAME)
        best = np.linalg.lstsq(matrix, constants, rcond=None)[0]
        return bool(np.abs(matrix @ best - constants).max() < _SAME)


def _read_linear(text: str) -> tuple[dict[str, float], float] | None:
    """The factors of the unknowns and the number beside them; None where it is no sum of those.

    >>> _read_linear("3x-9")
    ({'x': 3.0}, -9.0)
    """
    names = sorted(find_unknowns(text))
    try:
        constant = evaluate(text, dict.fromkeys(names, 0.0))
        factors = {name: evaluate(text, {**dict.fromkeys(names, 0.0), name: 1.0}) - constant for name in names}
        places = {name: _BASE + _STEP * at for at, name in enumerate(names)}
        sum_there = constant + sum(factors[name] * places[name] for name in names)
        return (factors, constant) if abs(evaluate(text, places) - sum_there) < _SAME else None
    except ExpressionError:
        return None


def differ_by_a_number(first: str, second: str) -> bool:
    """Whether two expressions differ by the same number, not 0, whatever their unknowns are.

    >>> differ_by_a_number("3x", "3x-9"), differ_by_a_number("3x", "2x+9")
    (True, False)
    """
    names = sorted(find_unknowns(first) | find_unknowns(second))
    places = [{name: _BASE + _STEP * (at + 1) * (turn + at) for at, name in enumerate(names)} for turn in range(3)]
    try:
        gaps = [evaluate(first, place) - evaluate(second, place) for place in places]
    except ExpressionError:
        return False  # a root of what these values make negative, which no sum of unknowns and numbers has
    return abs(gaps[0]) > 1e-9 and max(gaps) - min(gaps) < 1e-9
