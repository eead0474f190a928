"""Statements about the elements of groups and rings: small ones decide them, and what is about more stays undecided."""

from __future__ import annotations

import pytest

from counterfoil.tasks.theorem.algebra.structures import list_structures
from counterfoil.tasks.theorem.lean.signature import read_signature
from counterfoil.tasks.theorem.truth import NoNegativeError, decide_formal, try_models

GROUP = "theorem t {G : Type*} [Group G]"
RING = "theorem t {R : Type*} [Ring R]"
SQUARES = f"{GROUP} (h : ∀ x : G, x ^ 2 = 1) : ∀ a b : G, a * b = b * a"
ROOTS = f"{RING} [IsDomain R] {{x : R}} (hx : x^2 = 1) : x = 1 ∨ x = -1"


def test_structures_are_what_their_classes_say() -> None:
    for each in list_structures(frozenset()):
        every = range(len(each))
        for table in filter(None, (each.times, each.plus)):
            assert all(table[table[a][b]][c] == table[a][table[b][c]] for a in every for b in every for c in every)
        assert all(each.times[each.one][a] == a == each.times[a][each.one] for a in every)
    for each in list_structures(frozenset({"Ring"})):
        every, times, plus = range(len(each)), each.times, each.plus
        assert all(
            times[a][plus[b][c]] == plus[times[a][b]][times[a][c]]
            and times[plus[b][c]][a] == plus[times[b][a]][times[c][a]]
            for a in every
            for b in every
            for c in every
        )
    groups = {each.name: len(each) for each in list_structures(frozenset({"Group"}))}
    assert groups["S3"] == groups["C6"] == 6 and groups["D4"] == groups["Q8"] == 8
    assert "Q8" not in {each.name for each in list_structures(frozenset({"CommGroup"}))}


@pytest.mark.parametrize(
    ("original", "other", "place"),
    [
        (SQUARES, SQUARES.replace(" (h : ∀ x : G, x ^ 2 = 1)", ""), "G = S3"),
        (SQUARES, f"{GROUP} (h : ∀ a b : G, a * b = b * a) : ∀ x : G, x ^ 2 = 1", "G = C3"),
        (ROOTS, ROOTS.replace("IsDomain", "Nontrivial"), "R = F2[t]/t^2, x = 1+1t"),
        (ROOTS, ROOTS.replace("∨", "∧"), "R = Z/3, x = 1"),
        (f"{GROUP} (x : G) : orderOf x⁻¹ = orderOf x", f"{GROUP} (x : G) : orderOf x⁻¹ < orderOf x", "trivial group"),
    ],
)
def test_a_weaker_class_a_missing_condition_and_the_converse_fail_somewhere(
    original: str, other: str, place: str
) -> None:
    decided = decide_formal(read_signature(original), read_signature(other))
    assert decided.grade == "refuted" and place in decided.details


@pytest.mark.parametrize(
    "other",
    [
        SQUARES.replace("x ^ 2 = 1", "x ^ 2 = 2"),
        SQUARES.replace("a * b = b * a", "a + b = b + a"),
        SQUARES.replace("[Group G]", "[TopologicalSpace G]"),
        f"{GROUP} (h : ∀ x : G, x ^ 2 = 1) : IsSolvable G",
    ],
)
def test_what_is_no_statement_or_not_understood_is_decided_by_none(other: str) -> None:
    assert decide_formal(read_signature(SQUARES), read_signature(other)).grade == "undecided"


def test_a_search_without_end_decides_only_what_it_finds() -> None:
    tried = try_models(read_signature(f"{GROUP} (a : G) : ∃ n : ℕ, a ^ n = 1"))
    assert tried is not None and tried.held and not tried.refuted
    assert try_models(read_signature(f"{GROUP} (a : G) : ∀ n : ℕ, a ^ n * a = a ^ (n + 1)")) is None


def test_what_denies_an_anchor_that_fails_in_a_group_is_no_negative() -> None:
    wrong = f"{GROUP} (x y : G) : (x * y = y * x ↔ y⁻¹ * x * y = x) ↔ (x⁻¹ * y⁻¹ * x * y = 1)"
    with pytest.raises(NoNegativeError, match="anchor_true"):
        decide_formal(read_signature(wrong), read_signature(wrong.replace("= 1)", "≠ 1)")))
