"""Expressions that cannot be equal are found where a figure says that they are."""

from __future__ import annotations

import pytest

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.edits.numbers import propose_numbers
from counterfoil.tasks.geometry.edits.redraw import find_figure
from counterfoil.tasks.geometry.figure.unknowns import differ_by_a_number, find_impossible
from tests.tasks.geometry.figures import bare_isosceles, fact, parallelogram


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("3x", "3x-9", True), ("3x", "2x+9", False), ("x+y", "x+2y", False), ("2x+1", "2x+1", False), ("x", "y", False)],
)
def test_expressions_that_differ_by_a_number_are_told(first: str, second: str, expected: bool) -> None:
    assert differ_by_a_number(first, second) is expected


def test_equal_sides_cannot_bear_expressions_that_are_never_equal() -> None:
    scene = bare_isosceles()
    sides = [fact("length", "PR", "3x"), fact("length", "QR", "3x-9")]
    assert find_impossible([fact("isosceles", "PQR"), *sides], scene) is not None
    assert not find_figure(scene, [fact("isosceles", "PQR"), fact("equal_length", "PRQR"), *sides]).solved
    assert find_impossible([fact("isosceles", "PQR"), sides[0], fact("length", "QR", "2x+9")], scene) is None


def test_unequal_sides_may_differ_by_a_number() -> None:
    claims = [fact("parallelogram", "ABCD"), fact("length", "AB", "2x"), fact("length", "BC", "2x+3")]
    assert find_impossible(claims, parallelogram()) is None
    assert find_impossible([*claims[:2], fact("length", "CD", "2x+3")], parallelogram()) is not None


def test_fractions_stay_in_lowest_terms() -> None:
    values = {
        each.value for seed in range(9) for each in propose_numbers(fact("length", "AB", "1/2x+3"), generator(seed))
    }
    assert {"3/2x+3"} <= values
    assert not values & {"2/2x+3", "4/2x+3", "2/4x+3"}


def test_expressions_that_disagree_over_a_third_thing_are_refused() -> None:
    scene = parallelogram()
    chain = [fact("equal_length", "ABBC"), fact("equal_length", "BCCD")]
    sides = [fact("length", "AB", "x+3"), fact("length", "CD", "x+5")]
    assert find_impossible([*chain, *sides], scene) is not None
    assert find_impossible([chain[0], *sides], scene) is None
    assert find_impossible([*chain, sides[0], fact("length", "CD", "2x")], scene) is None


def test_an_unknown_has_one_value_throughout() -> None:
    scene = parallelogram()
    equal = [fact("equal_length", "ABCD"), fact("equal_length", "BCDA")]
    claims = [fact("length", "AB", "x+3"), fact("length", "CD", "10"), fact("length", "BC", "2x")]
    assert find_impossible([*equal, *claims, fact("length", "DA", "14")], scene) is None
    assert find_impossible([*equal, *claims, fact("length", "DA", "15")], scene) is not None
