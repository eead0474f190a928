"""Numbers and expressions as problems state them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.geometry.facts.expressions import (
    ExpressionError,
    evaluate,
    find_unknowns,
    is_symbolic,
    read_number,
    write_latex,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("7.5", 7.5),
        ("13/2", 6.5),
        ("\\frac{13}{2}", 6.5),
        ("5\\sqrt{3}", 5 * math.sqrt(3)),
        ("5*sqrt(3)", 5 * math.sqrt(3)),
        ("2\\cdot 3", 6),
        ("42*pi", 42 * math.pi),
        ("-3+5", 2),
        ("2**3", 8),
        ("2^{3}", 8),
    ],
)
def test_a_number_is_read_in_both_notations(text: str, value: float) -> None:
    assert read_number(text) == pytest.approx(value)
    assert read_number(write_latex(text)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        ("2*x-14", "2x-14"),
        ("4*y-10", "4y-10"),
        ("(3*x-2)/2", "(3x-2)/2"),
        ("x**2+3", "x^{2}+3"),
        ("7*sqrt(3)", "7\\sqrt{3}"),
    ],
)
def test_plain_notation_is_written_as_captions_have_it(plain: str, latex: str) -> None:
    assert write_latex(plain) == latex
    assert is_symbolic(plain) == is_symbolic(latex)


def test_unknowns_are_found_and_put_in() -> None:
    assert find_unknowns("2x+3y") == {"x", "y"}
    assert evaluate("2x+3y", {"x": 2, "y": 1}) == 7


@pytest.mark.parametrize("text", ["", "2+", "((3)", "A$B", "3)", "hello world!"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        write_latex(text)


@pytest.mark.parametrize("text", ["9^{9^{99}}", "0^{-1}", "((0-2)^{0.5})^{2}", "9**99**99"])
def test_a_value_that_is_no_finite_number_is_none(text: str) -> None:
    assert read_number(text) is None


def test_roots_of_negative_numbers_and_division_by_zero_have_no_number() -> None:
    assert read_number("sqrt(0-4)") is None
    assert read_number("3/0") is None


_trees = st.recursive(
    st.one_of(st.integers(0, 99).map(str), st.sampled_from("xyz")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
        inner.map(lambda t: f"sqrt({t})"),
    ),
    max_leaves=6,
)


@settings(max_examples=150)
@given(_trees)
def test_writing_an_expression_keeps_its_value(text: str) -> None:
    unknowns = {"x": 1.7, "y": 2.3, "z": 0.9}
    try:
        value = evaluate(text, unknowns)
    except ExpressionError:
        return
    assert evaluate(write_latex(text), unknowns) == pytest.approx(value)
