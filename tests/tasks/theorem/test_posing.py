"""A changed statement still asks for one value, and speaks of what there is."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.theorem.edits.informal import propose
from counterfoil.tasks.theorem.language.grammar import read_statement


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
