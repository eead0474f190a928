"""The Lean parser: binders, hypotheses, conclusion, types; and Lean's arithmetic."""

from __future__ import annotations

import pytest

from counterfoil.tasks.theorem.algebra.evaluate import evaluate, holds
from counterfoil.tasks.theorem.algebra.instances import try_instances
from counterfoil.tasks.theorem.algebra.world import World
from counterfoil.tasks.theorem.lean.signature import UnstatedError, read_signature, state_problem
from counterfoil.tasks.theorem.lean.terms import LeanError, read_term

EXAMPLE = "theorem foo {G : Type*} [Group G] (a b : G) (h₀ : a * b = 1) : b * a = 1 := by\n  simp"


def test_signature_knows_binders_hypotheses_and_conclusion() -> None:
    signature = read_signature(EXAMPLE)
    assert (signature.kind, signature.name) == ("theorem", "foo")
    assert [binder.names for binder in signature.binders] == [("G",), (), ("a", "b"), ("h₀",)]
    assert [binder.names for binder in signature.hypotheses] == [("h₀",)]
    assert signature.source[signature.conclusion.start : signature.conclusion.end] == "b * a = 1"


def test_proof_is_no_part_of_the_statement() -> None:
    assert read_signature(EXAMPLE).source.endswith(": b * a = 1")


def test_type_has_all_binders_in_front() -> None:
    assert read_signature(EXAMPLE).write_type() == "∀ {G : Type*}, ∀ [Group G], ∀ (a b : G), a * b = 1 → b * a = 1"


@pytest.mark.parametrize(
    ("source", "head"),
    [
        ("a + b * c = d", "eq"),
        ("∀ x : ℝ, 0 < x → x ≠ 0", "forall"),
        ("∃ b > 0, ∀ x, f (x + b) = f x", "exists"),
        ("a ≡ 42 [MOD 47]", "cong"),
        ("IsLeast { x : ℕ | 30 * x ≡ 42 [MOD 47] } 39", "is_least"),
        ("∑ k in Finset.range n, (2 * k + 3) = 5", "eq"),
        ("¬7 ∣ 2 ^ n + 1", "not"),
        ("|x - 1| < 2 ∧ ⌊x⌋ = 1", "and"),
        ("p.Prime → Odd p", "imp"),
    ],
)
def test_terms_are_read(source: str, head: str) -> None:
    assert read_term(source).head == head


@pytest.mark.parametrize("source", ["a +", "(a", "{x : ℕ | x > 0", "a ≡ b", "⟪u, v⟫_ℂ", ""])
def test_what_is_no_term_is_an_error_with_its_place(source: str) -> None:
    with pytest.raises(LeanError, match="character"):
        read_term(source)


@pytest.mark.parametrize(
    ("source", "value"), [("2 - 5 + 1", 1), ("7 / 2", 3), ("7 / 0", 0), ("(7 : ℝ) / 2 * 2", 7), ("(-7 : ℤ) % 3", 2)]
)
def test_arithmetic_is_leans(source: str, value: int) -> None:
    assert evaluate(read_term(source), World({}, {})) == value


def test_coercions_stand_at_the_leaves_of_a_tree_of_operators() -> None:
    world = World({"n": 7, "x": 3}, {"n": "N", "x": "R"})
    assert holds(read_term("↑n / 2 < x"), world) is False
    assert holds(read_term("n / 2 = 3"), world) is True


def test_a_true_statement_holds_at_instances_and_a_false_one_fails() -> None:
    true = state_problem(read_signature("theorem t (x y : ℤ) (h : x + y = 8) (g : x - y = 2) : x * y = 15"))
    false = state_problem(read_signature("theorem t (x y : ℤ) (h : x + y = 8) (g : x - y = 2) : x * y = 16"))
    assert try_instances(true).held >= 1
    assert not try_instances(true).refuted
    assert dict(try_instances(false).counterexample or ()) == {"x": "5", "y": "3"}


def test_functions_that_a_hypothesis_defines_have_values() -> None:
    source = "theorem t (f : ℝ → ℝ) (h : ∀ x, f x = 2 * x + 1) : f (f 1) = 7"
    assert try_instances(state_problem(read_signature(source))).held == 1


def test_statements_about_other_things_are_not_tried() -> None:
    with pytest.raises(UnstatedError, match="no number"):
        state_problem(read_signature(EXAMPLE))


def test_nested_quantifiers_end() -> None:
    source = "theorem t (n : ℕ) : ∃ a b c d : ℕ, a * b + c * d = n + 10000 ∧ a < b ∧ b < c ∧ c < d"
    assert try_instances(state_problem(read_signature(source))).counterexample is None
