"""A changed statement still asks for one value, and speaks of what there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterfoil.tasks.theorem.edits import formal
from counterfoil.tasks.theorem.edits.informal import propose, write
from counterfoil.tasks.theorem.language.grammar import read_statement
from counterfoil.tasks.theorem.lean.signature import read_signature


def _list_changes(text: str) -> set[tuple[str, str]]:
    changes = propose(read_statement(text), np.random.default_rng(1), True)
    return {(text[each.start : each.end], each.replacement) for each in changes}


def test_a_question_keeps_the_equations_that_decide_its_answer() -> None:
    changes = _list_changes("Suppose that $x + 3 = 7$ and $y = 2$. What is $x y$? Show that it is 8.")
    assert ("7", "8") in changes
    assert ("8", "6") in changes
    assert not {old for old, _ in changes if "=" in old}


def test_a_condition_behind_the_question_decides_it_as_well() -> None:
    changes = _list_changes("What is the value of $a + b$ if $a=-1$ and $b=5$? Show that it is 4.")
    assert ("+", "-") in changes
    assert not {old for old, _ in changes if "=" in old}


def test_what_is_congruent_stays_whole() -> None:
    changes = _list_changes("For any integer $a$, show that $a^2 \\equiv 0 \\pmod{4}$ or $a^2 \\equiv 1 \\pmod{4}$.")
    assert changes
    assert not {new for _, new in changes if "real" in new}


def test_what_is_asked_for_the_largest_may_have_several_values() -> None:
    changes = _list_changes("If $x + y = 7$, what is the largest integer $x$ that may be? Show that it is 4.")
    assert ("=", "<") in changes


@pytest.mark.parametrize(
    "text",
    ["Let $n$ be a positive integer. Show that $n! > 0$.", "Let $n$ be a positive integer. Show that $4^{n-1} > 0$."],
)
def test_a_number_stays_whole_and_positive_where_a_factorial_or_power_wants_it(text: str) -> None:
    assert not {old for old, _ in _list_changes(text) if "positive" in old or "integer" in old}


def test_elsewhere_it_may_be_any() -> None:
    assert ("a positive", "a nonnegative") in _list_changes("Let $n$ be a positive integer. Show that $n^2 > 0$.")


def test_no_variable_takes_over_the_condition_of_another_that_is_left_without() -> None:
    changes = _list_changes("Let $x$ and $y$ be real numbers such that $x > 3$ and $y > 2$. Prove that $xy > 6$.")
    assert (">", "<") in changes
    assert not {("x > 3", "y > 3"), ("y > 2", "x > 2")} & changes
    lean = read_signature("theorem t (x y : ℝ) (h₀ : x > 3) (h₁ : y > 2) : x * y > 6")
    found = {each.replacement for each in formal.propose(lean, np.random.default_rng(1), True)}
    assert "<" in found
    assert not {"y > 3", "x > 2"} & found


def test_a_variable_of_which_nothing_is_supposed_may_take_a_condition() -> None:
    changes = _list_changes("Let $x$ and $y$ be real numbers such that $x > 3$. Prove that $x + y^2 > 3$.")
    assert ("x > 3", "y > 3") in changes


@pytest.mark.parametrize(("residue", "written"), [("8", False), ("3", True)])
def test_a_residue_is_less_than_its_modulus(residue: str, written: bool) -> None:
    statement = read_statement("Let $k$ be an integer such that $k \\equiv 5 \\pmod{7}$. Show that $7 \\mid k - 5$.")
    changes = propose(statement, np.random.default_rng(1), True)
    at = statement.text.index("5")
    change = next(each for each in changes if each.start == at)
    assert bool(write([replace(change, replacement=residue)], statement)) is written


def test_what_is_called_an_equation_stays_one() -> None:
    changes = _list_changes("Show that the equation $3 x^2 + 2 = y^2$ has no solution in integers.")
    assert ("+", "-") in changes
    assert not {old for old, new in changes if "=" in old and "=" not in new}


def test_to_solve_for_a_value_is_to_ask_for_it() -> None:
    changes = _list_changes("Solve for $x$: $\\frac{x+1}{x-1} = \\frac{x-2}{x+2}$ Show that it is 0.")
    assert ("1", "3") in changes or ("1", "2") in changes or ("1", "4") in changes
    assert not {new for old, new in changes if old == "="}


@pytest.mark.parametrize(
    "text",
    [
        "Determine the remainder of 1529 (mod 6). Show that it is 5.",
        "Find the remainder of $2^8$ when it is divided by 5. Show that it is 1.",
        "What is the modulo $6$ remainder of the sum $1+2+3+4?$ Show that it is 4.",
    ],
)
def test_a_remainder_is_less_than_what_is_divided_by(text: str) -> None:
    most = 5 if "divided" in text else 6
    for seed in range(8):
        changes = propose(read_statement(text), np.random.default_rng(seed), True)
        answers = [int(each.replacement) for each in changes if each.kind == "answer"]
        assert answers
        assert max(answers) < most


def test_no_variable_stands_for_another_that_is_there_already() -> None:
    changes = _list_changes(
        "If $a$ and $b$ are real numbers and $\\frac{a}{b^3}=27$, what is $a+b$? Show that it is 8."
    )
    assert not {new for _, new in changes if "{a}{a^3}" in new}


def test_a_sum_in_place_of_a_product_is_written_like_those_beside_it() -> None:
    changes = _list_changes("Let $a$, $b$ and $c$ be positive real numbers. Show that $ab+bc+ca > 0$.")
    assert ("bc", "b+c") in changes


def test_no_two_terms_have_one_power() -> None:
    changes = _list_changes("Let $x$ be an integer. Show that $x^5 - 8x^3 + 7 \\neq 0$.")
    assert not {("3", "5"), ("5", "3")} & changes


def test_no_two_powers_become_equal_by_their_bases() -> None:
    changes = _list_changes("Let $f(x) = 4^x + 6^x + 9^x$. Show that $f(2) > 0$.")
    assert not {("4", "6"), ("6", "4"), ("9", "6"), ("6", "9")} & changes


def test_an_answer_without_its_letter_stays_among_the_choices() -> None:
    choices = "$\\mathrm{(A)}\\ \\frac{6}{7}\\qquad\\mathrm{(B)}\\ \\frac{7}{6}\\qquad\\mathrm{(C)}\\ 3$"
    statement = read_statement(
        f"What is the reciprocal of $\\frac{{7}}{{6}}$? {choices} Show that it is \\frac{{6}}{{7}}."
    )
    changes = propose(statement, np.random.default_rng(1), True)
    assert {each.replacement for each in changes if each.kind == "answer"} == {"\\frac{7}{6}", "3"}


def test_no_sum_changes_places_with_what_is_taken_from_it():
    changes = _list_changes("Let $x$ be a real number such that $x^2 + 5x - 14 = 0$. Show that $x - 7 < 0$.")
    assert ("x - 7", "7 - x") in changes
    assert not {new for _, new in changes if new.startswith("14 -")}
