"""Numbers and expressions as problems state them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.edits.numbers import propose_numbers
from counterfoil.tasks.geometry.facts.expressions import (
    ExpressionError,
    evaluate,
    find_unknowns,
    is_symbolic,
    read_number,
    write_latex,
)
from counterfoil.tasks.geometry.facts.plainness import find_needless


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


@pytest.mark.parametrize(
    "text",
    [
        r"a/1",
        r"a/1+8",
        r"1x",
        r"x*1",
        r"1\sqrt{3}",
        r"0x",
        r"x+0",
        r"x-0",
        r"0/3",
        r"x^{1}",
        r"x^{0}",
        r"x--3",
        r"x+-3",
        r"--x",
        r"2/4",
        r"6x/2",
        r"x/0",
        r"\sqrt{8}",
        r"7\sqrt{4}",
        r"\sqrt{1}",
        r"7.0",
        r"07",
        r"2x+",
        r"x-x",
        r"5x-1/1",
        r"\frac{6}{4}",
    ],
)
def test_what_nobody_writes_is_needless(text: str) -> None:
    assert find_needless(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        r"a/2",
        r"a/2+8",
        r"x",
        r"2x",
        r"11x-2",
        r"x+1",
        r"x+10",
        r"3/4",
        r"13/2",
        r"5\sqrt{3}",
        r"\sqrt{74}",
        r"x^{2}",
        r"x^{10}",
        r"0.5",
        r"10.05",
        r"180-2x",
        r"(4y-10)/3",
        r"2x/3",
        r"1/2x-7",
        r"\frac{x}{2}",
        r"100",
        r"2\pi",
    ],
)
def test_what_problems_write_is_plain(text: str) -> None:
    assert find_needless(text) is None


@pytest.mark.parametrize(
    "value",
    [r"a/2", r"x+10/3", r"5x-1/2", r"2x-14", r"5\sqrt{3}", r"x/4+5", r"3x", r"x+1", r"9.6", r"21.5", r"x^{2}+1"],
)
def test_no_edit_writes_what_nobody_does(value: str) -> None:
    for predicate, arguments in (("length", ("A", "B")), ("angle", ("A", "B", "C"))):
        for seed in range(20):
            proposed = propose_numbers(Fact(predicate, arguments, value), np.random.default_rng(seed))
            assert not [each.value for each in proposed if find_needless(each.value or "")]
