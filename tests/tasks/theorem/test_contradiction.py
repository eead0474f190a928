"""What excludes what, by the words of two statements: each rule, and next to it what it must let be."""

from __future__ import annotations

import pytest

from counterfoil.tasks.theorem.checks import read_text
from counterfoil.tasks.theorem.contradiction import (
    _asserts_alone,
    _compare_conclusions,
    _is_loose,
    _is_rounded,
    _speaks_of_functions,
    find_contradiction,
)
from counterfoil.tasks.theorem.language.normal import normalise


def compare(one: str, other: str) -> str:
    original = read_text(one)
    return find_contradiction(original, normalise(original), read_text(other))


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ("Prove that the number $n$ is even.", "Prove that the number $n$ is odd.", True),
        ("Prove that the function $f$ is even.", "Prove that the function $f$ is odd.", False),
        ("Prove that the polynomial $p$ is irreducible.", "Prove that the polynomial $p$ is reducible.", True),
        ("Let $n$ be odd. Prove that $3 \\mid n$.", "Let $n$ be odd. Prove that $3 \\nmid n$.", True),
        ("Let $n$ be odd. Prove that $3 \\mid n$.", "Let $n$ be odd. Prove that $5 \\nmid n$.", False),
        (
            "Let $f$ be an even function. Prove that $3 \\mid n$.",
            "Let $f$ be an even function. Prove that $3 \\nmid n$.",
            True,
        ),
        (
            "Prove that $G$ cannot have a subgroup $H$ with $|H| = n - 1$.",
            "Prove that $G$ cannot have a subgroup $H$ with $|H| = n + 1$.",
            False,
        ),
        (
            "Show that there must be an element $a \\neq e$ such that $a = a^{-1}$.",
            "Show that there must be an element $a \\neq e$ such that $a \\neq a^{-1}$.",
            False,
        ),
        ("Show that $a = b$ for all $a, b \\in G$.", "Show that $a \\neq b$ for all $a, b \\in G$.", True),
    ],
)
def test_a_conclusion_excludes_its_opposite(one, other, excluded):
    assert bool(compare(one, other)) is excluded


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("Prove that the function $f$ is even.", True),
        ("Prove that the function $f$ is bounded.", False),
        ("Prove that the number $n$ is even.", False),
    ],
)
def test_even_and_odd_of_functions_are_no_opposites(text, speaks):
    assert _speaks_of_functions(read_text(text)) is speaks


@pytest.mark.parametrize(
    ("one", "other", "rounded"),
    [(3, 3.01, True), (3.01, 3, True), (3.0, 3.5, False), (100, 101, False), (1.0, 1.02, True), (1.0, 1.03, False)],
)
def test_a_decimal_may_be_another_number_rounded_and_whole_numbers_are_not(one, other, rounded):
    assert _is_rounded(one, other) is rounded


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        ("For every integer $n$, prove that $n$ is nice.", False),
        ("For infinitely many integers $n$, prove that $n$ is nice.", True),
        ("For some integer $n$, show that $n > 3$.", True),
    ],
)
def test_what_is_said_of_some_things_is_loose(text, loose):
    assert _is_loose(read_text(text)) is loose


@pytest.mark.parametrize(
    ("one", "other", "opposite"),
    [
        ("exists a group", "exists no group", True),
        ("$ G $ has a center", "$ G $ has no center", True),
        ("$ G $ has subgroups", "$ G $ has no subgroups", True),
        ("some groups have subgroups", "some groups have no subgroups", False),
        ("every group has subgroups", "every group has no subgroups", False),
        ("$ n $ be even iff $ m $ divides $ k $", "$ n $ be odd iff $ m $ divides $ k $", True),
        ("$ n $ be even iff $ m $ iff $ k $", "$ n $ be odd iff $ m $ iff $ k $", False),
        ("$ n $ be even if $ m $", "$ n $ be odd if $ m $", False),
    ],
)
def test_one_change_makes_an_opposite_where_nothing_else_is_said(one, other, opposite):
    assert bool(_compare_conclusions(tuple(one.split()), tuple(other.split()))) is opposite


@pytest.mark.parametrize(
    ("concluded", "alone"),
    [
        ("$ a < ( b + c ) $", True),
        ("we have $ a < b $", True),
        ("$ f ( a < b ) $", False),
        ("$ a < b $ for every $ b $", True),
        ("$ a < b $ for some $ b $", False),
        ("$ a < b $ where $ b $", False),
        ("$ a < b $ for $ b $ or $ c $", False),
        ("$ a = b < c $", False),
        ("the sum $ a < b $", False),
    ],
)
def test_a_relation_is_all_that_is_concluded(concluded, alone):
    tokens = tuple(concluded.split())
    assert _asserts_alone(tokens, tokens.index("<")) is alone
