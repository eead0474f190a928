"""After each exchange the noun phrase agrees in number, or there is no exchange."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.theorem.edits.informal import propose, write
from counterfoil.tasks.theorem.language.grammar import read_statement


@pytest.mark.parametrize(
    ("text", "wrong", "wanted"),
    [
        ("Let $G$ be cyclic. Show that $G$ has no proper subgroups.", "has a proper", "has proper subgroups"),
        ("Let $G$ be cyclic. Show that $G$ has no proper subgroup.", "has proper", "has a proper subgroup"),
        ("Let $G$ be cyclic. Show that $G$ has no element of order 5.", "has element", "has an element of order 5"),
        ("Show that no finite groups of odd order are simple.", "very finite groups", ""),
        ("Show that no finite group of odd order is simple.", "very finite groups", "every finite group"),
        ("Let $p$ be a polynomial. Show that $p$ has $2$ roots.", "$1$ roots", ""),
        ("Let $p$ be a polynomial. Show that $p$ has exactly 2 roots.", "1 roots", ""),
        ("Let $p$ be a polynomial. Show that $p$ has 1 root.", "2 root.", ""),
        ("Let $x$ be a vertex of an $8$-gon. Show that $x > 7$.", "an $7$", ""),
        ("Let $x$ be a vertex of an $8$-gon. Show that $x > 7$.", "an $9$", ""),
    ],
)
def test_the_noun_phrase_agrees(text: str, wrong: str, wanted: str) -> None:
    statement = read_statement(text)
    changes = [each for seed in range(12) for each in propose(statement, np.random.default_rng(seed), True)]
    proposed = [write([each], statement) for each in changes]
    assert [each for each in proposed if wrong in each] == []
    assert not wanted or any(wanted in each for each in proposed)
