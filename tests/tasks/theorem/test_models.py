"""Statements about the elements of groups and rings: small ones decide them, and what is about more stays undecided."""

from __future__ import annotations

import pytest

from counterfoil.tasks.theorem.algebra.structures import list_structures
from counterfoil.tasks.theorem.algebra.subgroups import is_characteristic, list_subgroups
from counterfoil.tasks.theorem.language.grammar import read_statement
from counterfoil.tasks.theorem.lean.signature import read_signature, state_problem
from counterfoil.tasks.theorem.truth import NoNegativeError, decide_formal, decide_informal, try_models

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


TWO = f"{GROUP} (H K : Subgroup G) [Normal H] [Normal K] : Normal (H ⊓ K)"
PRIME = f"{GROUP} {{H : Subgroup G}} [Fintype H] [H.Normal] (h : card H = 2) : ∀ x ∈ H, x ∈ center G"
INDEX = f"{GROUP} : ∀ H : Subgroup G, H.index = 2 → H.Normal"
SIMPLE = "theorem t (G : Type*) [CommGroup G] [IsSimpleGroup G] : IsCyclic G ∧ ∃ f : Fintype G, Nat.Prime (@card G f)"


@pytest.mark.parametrize(
    ("original", "other", "place"),
    [
        (TWO, TWO.replace(" [Normal K]", ""), "K = {1, (2 3)}"),
        (PRIME, PRIME.replace(" [H.Normal]", ""), "G = S3, H = {1, "),
        (INDEX, INDEX.replace("2", "3"), "G = S3"),
        (SIMPLE, SIMPLE.replace(" [IsSimpleGroup G]", ""), "G = trivial group"),
        (f"{GROUP} (H : Subgroup G) : H ≤ ⊤", f"{GROUP} (H : Subgroup G) : H < ⊤", "G = trivial group, H = {1}"),
        (f"{GROUP} (a : G) : zpowers a ≤ closure {{a}}", f"{GROUP} (a b : G) : zpowers a ≤ closure {{b}}", "b = 1"),
    ],
)
def test_what_is_said_of_subgroups_fails_in_a_small_group(original: str, other: str, place: str) -> None:
    decided = decide_formal(read_signature(original), read_signature(other))
    assert decided.grade == "refuted" and place in decided.details


def test_automorphisms_of_a_group_tell_what_is_characteristic() -> None:
    (square,) = (each for each in list_structures(frozenset({"Group"})) if each.name == "C2 x C2")
    assert [is_characteristic(square, each) for each in list_subgroups(square)] == [True, False, False, False, True]


CUBIC = "theorem t : Irreducible (X^3 + 3*X + 2 : Polynomial ℚ)"


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        (CUBIC.replace("+ 2", "+ 4"), "factors = (X + 1)(X^2 - X + 4)"),
        ("theorem t : Irreducible (X^3 - 1 : (ZMod 7)[X])", "factors = (X - 1)(X + 3)(X - 2)"),
        ("theorem t : Irreducible (2*X + 2 : Polynomial ℤ)", "factors = 2(X + 1)"),
        ("theorem t : ¬ Irreducible (X + 2 : Polynomial ℤ)", "factors = (X + 2)"),
    ],
)
def test_factors_refute_what_is_called_irreducible(text: str, factors: str) -> None:
    tried = try_models(read_signature(text))
    assert tried is not None
    assert sorted(tried.witness) == sorted(factors)


def test_an_irreducible_polynomial_has_a_near_miss_that_is_none() -> None:
    decided = decide_formal(read_signature(CUBIC), read_signature(CUBIC.replace("+ 2", "+ 4")))
    assert decided.grade == "refuted" and "(X + 1)" in decided.details


def test_an_irreducible_polynomial_over_another_ring_is_decided_by_none() -> None:
    assert try_models(read_signature(CUBIC.replace("ℚ", "ℝ"))) is None
    assert try_models(read_signature(CUBIC.replace("ℚ", "(ZMod 6)"))) is None


def test_words_lend_a_polynomial_to_lean() -> None:
    original = read_statement("Prove that $f(x) = x^3 + 3x + 2$ is irreducible in $Q[x]$.")
    other = read_statement("Prove that $f(x) = x^3 + 3x + 4$ is irreducible in $Q[x]$.")
    decided = decide_informal(original, other, read_signature(CUBIC))
    assert decided.grade == "refuted" and "(X + 1)(X^2 - X + 4)" in decided.details
    kept = read_statement("Prove that $f(x) = x^3 + 9x + 3$ is irreducible in $Q[x]$.")
    assert decide_informal(original, kept, read_signature(CUBIC)).grade == "undecided"


def test_that_there_is_none_is_tried_like_any_other_claim() -> None:
    squares = read_signature("theorem t : ¬ ∃ x y : ℤ, 3*x^2 + 2 = y^2")
    assert state_problem(squares) == state_problem(read_signature("theorem t (x y : ℤ) : ¬ (3*x^2 + 2 = y^2)"))
    decided = decide_formal(squares, read_signature("theorem t : ¬ ∃ x y : ℤ, 3*x^2 + 1 = y^2"))
    assert decided.grade == "refuted"


@pytest.mark.parametrize(
    "other",
    [
        SQUARES.replace("x ^ 2 = 1", "x ^ 2 = 2"),
        SQUARES.replace("a * b = b * a", "a + b = b + a"),
        SQUARES.replace("[Group G]", "[TopologicalSpace G]"),
        f"{GROUP} (h : ∀ x : G, x ^ 2 = 1) : IsSolvable G",
        f"{GROUP} (H : Subgroup G) (h : ∀ x ∈ H, x ^ 2 = 1) : (commutator G).Normal",
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
