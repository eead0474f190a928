"""Expressions that no value of the unknowns makes equal although the figure says that they are.

``3x`` and ``3x-9`` on two sides of an equilateral triangle leave ``0 = -9``. Coordinates do not show it, as unknowns
put no constraint on a drawing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from storage.rows import Fact
from tasks.geometry.facts.expressions import ExpressionError, evaluate, find_unknowns, is_symbolic
from tasks.geometry.facts.judge import judge
from tasks.geometry.facts.predicates import SHAPES
from tasks.geometry.figure.scene import Scene

_EQUAL = {"length": "equal_length", "angle": "equal_angle"}
_BINDING = (SHAPES - {"triangle", "quadrilateral", "scalene", "acute", "obtuse", "right_triangle"}) | {*_EQUAL.values()}
"""Claims that make sides or angles equal."""
_BASE, _STEP = 2.0, 3.0


def find_impossible(claims: Iterable[Fact], figure: Scene) -> str | None:
    """The first two expressions for equal things of ``figure`` that differ by a number other than 0, whatever the
    unknowns are."""
    stated = tuple(claims)
    measures = [claim for claim in stated if claim.predicate in _EQUAL and is_symbolic(claim.value)]
    binding = [{*claim.arguments} for claim in stated if claim.predicate in _BINDING]
    for first, second in combinations(measures, 2):
        if first.predicate != second.predicate or not differ_by_a_number(first.value or "", second.value or ""):
            continue
        bound = any({*first.arguments, *second.arguments} <= names for names in binding)
        if bound and judge(Fact(_EQUAL[first.predicate], first.arguments + second.arguments), figure.coordinates):
            return f"{first} against {second}"
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
