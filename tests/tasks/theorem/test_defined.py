"""Functions and sets that a Lean statement defines, and types: tried, or beyond what can be tried."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.theorem.algebra.instances import examine
from counterfoil.tasks.theorem.edits.formal import propose
from counterfoil.tasks.theorem.lean.signature import UnstatedError, read_signature, state_problem

TRUE = {
    "formula with variables": "(a b : ℝ) (f : ℝ → ℝ) (h : ∀ x, f x = a * x + b) (i : f 7 = 4) (j : f 6 = 3) : f 3 = 0",
    "one calls another": "(a : ℝ) (f g : ℝ → ℝ) (h : ∀ x, f x = a * x) (i : ∀ x, g x = f x) (j : f 1 = 2) : g 2 = 4",
    "formula under a condition": "(q : ℝ → ℝ) (h₀ : ∀ x, x ≠ 0 → q x = 6 / x) : q 2 = 3",
    "condition as a binder": "(s : ℝ → ℝ → ℝ) (h₀ : ∀ (x) (_ : x ≠ 0), ∀ (y) (_ : y ≠ 0), s x y = x / y) : s 6 3 = 2",
    "members between bounds": "(S : Finset ℤ) (h : ∀ n : ℤ, n ∈ S ↔ abs (n - 2) ≤ 5) : S.card = 11",
    "sum of members": "(S : Finset ℕ) (h₀ : ∀ n : ℕ, n ∈ S ↔ n ∣ 12) : ∑ k in S, k = 28",
    "least member": "(S : Set ℕ) (u : ℕ) (h : ∀ a, a ∈ S ↔ 7 * a % 40 = 37) (i : IsLeast S u) (j : u < 50) : u = 11",
    "divisors": ": (∑ k in Nat.divisors (30 ^ 4), 1) - 2 = 123",
    "kept by a test": ": Finset.card (Finset.filter (fun n => 6 ∣ 4 * ↑n - (2 : ℤ)) (Finset.range 60)) = 20",
    "whole root": ": Nat.sqrt 200 = 14",
    "large power": ": 2 ^ 2010 % 10 = 4",
    "large factorial": ": Nat.gcd 20! 200000 = 40000",
}


@pytest.mark.parametrize("binders", TRUE.values(), ids=[*TRUE])
def test_what_is_defined_is_tried_and_another_answer_fails(binders: str) -> None:
    held = examine(state_problem(read_signature(f"theorem t {binders}")))
    assert (held.held or held.proved) and not held.refuted
    before, sign, answer = binders.rpartition(" = ")
    wrong = examine(state_problem(read_signature(f"theorem t {before}{sign}{int(answer) + 1}")))
    assert wrong.refuted


@pytest.mark.parametrize(
    "binders",
    [
        # No such finite set exists, so that what is said of it is true of nothing.
        "(S : Finset ℕ) (h₀ : ∀ n : ℕ, n ∈ S ↔ 6 < n) : ∑ k in S, k = 12",
        "(S : Finset ℤ) (h₀ : ∀ n : ℤ, n ∈ S ↔ n ≤ 7) : S.card = 3",
        # Nothing is said of its value there.
        "(q : ℝ → ℝ) (h₀ : ∀ x, x ≠ 0 → q x = 6 / x) : q 0 = 3",
        # Two formulas that may contradict each other.
        "(f : ℝ → ℝ) (h₀ : ∀ x < 4, f x = 2) (h₁ : ∀ x ≥ 3, f x = 5) : f 1 = 7",
    ],
)
def test_nothing_is_refuted_that_may_be_said_of_nothing(binders: str) -> None:
    assert not examine(state_problem(read_signature(f"theorem t {binders}"))).refuted


@pytest.mark.parametrize(
    "binders",
    [
        "(f : ℕ → ℕ) (h₀ : ∀ n, f (n + 1) = f n + 1) : f 3 = 4",
        "(S : Finset ℕ) (h₀ : 3 ∈ S) : S.card = 1",
        # The variable of the formula is another under the quantifier.
        "(a : ℝ) (f : ℝ → ℝ) (h₀ : ∀ x, f x = a * x) : ∃ a, f a = 0",
    ],
)
def test_what_no_formula_defines_is_not_tried(binders: str) -> None:
    with pytest.raises(UnstatedError):
        state_problem(read_signature(f"theorem t {binders}"))


def test_no_remainder_of_a_field_is_taken_for_that_of_whole_numbers() -> None:
    """A real number divides every other, and leaves nothing: ``p ∣ n ↔ n ^ 2 % p = 0`` is true there."""
    said = "(n : ℝ) (p : ℕ) (h₀ : Nat.Prime p) : ↑p ∣ n ↔ n ^ 2 % p = 0"
    assert not examine(state_problem(read_signature(f"theorem t {said}"))).refuted


@pytest.mark.parametrize(
    ("said", "takes"),
    [
        ("(n : ℕ) : 0 < ∑ k in Finset.range (n + 1), (k + 1)", set()),
        ("(n : ℕ) (x : ℝ) (h : 1 < x) : 1 ≤ x ^ n", {"ℤ"}),
        ("(n : ℤ) : n % 3 < 3", {"ℕ"}),
        ("(n : ℤ) (h : n ≡ 1 [ZMOD 3]) : n ^ 2 ≡ 1 [ZMOD 3]", {"ℕ"}),
        ("(x : ℝ) : 0 ≤ x ^ 2", {"ℤ"}),
        ("(x y : ℝ) (h : x = y) : x ^ 2 = y ^ 2", {"ℂ", "ℤ"}),
        ("(p : ℕ) (h : Nat.Prime p) : 1 < p", set()),
    ],
)
def test_variables_are_given_only_types_with_which_lean_takes_the_statement(said: str, takes: set[str]) -> None:
    signature = read_signature(f"theorem t {said}")
    changes = propose(signature, np.random.default_rng(0), True)
    assert {each.replacement for each in changes if each.kind == "domain"} == takes


@pytest.mark.parametrize(
    ("said", "orders"),
    [
        ("(z w : ℂ) (h : z = 2 * w) : z - w = w", set()),
        ("(f : ℂ → ℂ) (h : ∀ z, f z = z) : f 2 = 2", set()),
        ("(x y : ℝ) (h : x = 2 * y) : x - y = y", {"<", ">", "≤", "≥"}),
    ],
)
def test_complex_numbers_are_not_compared_by_more_and_less(said: str, orders: set[str]) -> None:
    """Lean has no order of them where none is opened."""
    changes = propose(read_signature(f"theorem t {said}"), np.random.default_rng(0), True)
    assert {each.replacement for each in changes} & set("<>≤≥") == orders
