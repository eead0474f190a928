"""Anchors are tried before their negatives: what was set down wrongly is rejected with its witness, and what is denied
in words that deny nothing is no negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.audit.derived import Origin
from counterfoil.tasks.audit.verify import verify_contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.verdict import CheckError
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.theorem.algebra.instances import examine
from counterfoil.tasks.theorem.anchors import make_anchors
from counterfoil.tasks.theorem.checks import judge_formal
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.edits.formal import propose, write
from counterfoil.tasks.theorem.lean.signature import read_signature, state_problem
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.standing import find_standing
from counterfoil.tasks.theorem.truth import Decision

Make = Callable[..., Anchor]

FALSE = {
    "coprime numbers need no natural combination of one": "(a b : ℕ) (h : Nat.Coprime a b) : IsCoprime a b",
    "a difference of natural numbers": "(n : ℕ) : n - 1 + 1 = n",
    "a quotient of natural numbers": "(n : ℕ) : (n : ℝ) / 2 = ↑(n / 2)",
    "a division by zero": "(x : ℝ) : x / x = 1",
    "an order of complex numbers": "(z w : ℂ) (h : z ≠ w) : z < w ∨ w < z",
    "complex arithmetic": ": (1 + 2 * Complex.I) * (1 - Complex.I) = 3 - Complex.I",
    "an equation of complex numbers": "(z : ℂ) (h : z = 1 + Complex.I) : z ^ 2 = 3 * Complex.I",
    "a divisor of a negative number": "(a b : ℤ) (h : a ≠ 0) : a ∣ b → a ≤ b",
    "a prime of the integers": "(p : ℤ) (hp : Prime p) : 0 < p",
    "a root that is left out": "(x : ℝ) : x ^ 2 = 4 ↔ x = 2",
    "the end of an interval": "(x : ℝ) (hx : 1000 ≤ x) : x ^ 2 > 1000000",
    "a number that no small instance shows": "(n : ℕ) (h : n > 987654) : n ≠ 987655",
    "divisors of reals": "(a b : ℝ) (h : a ∣ b) : b = 0",
}


def make(formal: str) -> Anchor | Reject:
    context: Any = None
    payload = {"informal": "", "formal": f"theorem t {formal}", "type": "", "answer": "", "name": "t"}
    (made,) = make_anchors(SourceRow("pairs", "t", "", payload), context)
    return made


@pytest.mark.parametrize("name", FALSE)
def test_an_anchor_that_is_false_is_rejected_with_its_witness(name: str) -> None:
    made = make(FALSE[name])
    assert isinstance(made, Reject)
    assert made.reasons[0].startswith("anchor_true: it fails at lean_signature: ")


@pytest.mark.parametrize(
    "formal",
    [
        "(p : ℕ) (hp : p.Prime) : Nat.Coprime p (p + 1)",
        "(n : ℕ) (h : 0 < n) : n - 1 + 1 = n",
        ": (1 + 2 * Complex.I) * (1 - Complex.I) = 3 + Complex.I",
        "(x : ℝ) : x ^ 2 = 4 ↔ x = 2 ∨ x = -2",
        "(n : ℕ) : n < n → False",
        "(x y : ℝ) (h : x ^ 2 + y ^ 2 = 0) : ¬ ¬ (x = 0)",
    ],
)
def test_an_anchor_that_is_true_is_tested(formal: str) -> None:
    made = make(formal)
    assert isinstance(made, Anchor)
    assert find_standing(made).tested


def list_judged(formal: str) -> dict[str, str]:
    """The near misses that are decided, with their grades."""
    original = read_signature(f"theorem t {formal}")
    found = {}
    for change in propose(original, np.random.default_rng(1), False):
        text = write([change], original)
        if not text:
            continue
        decision = judge_formal(original, read_signature(text))
        if isinstance(decision, Decision) and decision.grade != "undecided":
            found[text.removeprefix("theorem t ")] = decision.grade
    return found


def test_what_implies_falsehood_is_denied_by_itself() -> None:
    """``n < n → ¬ False`` says nothing; ``n < n`` is false."""
    found = list_judged("(n : ℕ) : n < n → False")
    assert found["(n : ℕ) : n < n"] == "refuted"
    assert not [text for text in found if "¬ False" in text or "True" in text]


@pytest.mark.parametrize(
    ("formal", "other"),
    [
        ("(n : ℕ) : n < n → False", "(n : ℕ) : n < n → ¬ False"),
        ("(n : ℕ) : n < n → False", "(n : ℕ) : ¬ (n < n)"),
        ("(n : ℕ) : ∀ m : ℕ, m < m → False", "(n : ℕ) : ∀ k : ℕ, ¬ (k < k)"),
        ("(x : ℝ) (h : x > 0) (g : x < 0) : x = 5", "(x : ℝ) (h : x > 0) (g : x < 0) : x ≠ 5"),
        ("(x : ℝ) (h : x * x < 0) : x = 7", "(x : ℝ) (h : x * x < 0) : ¬ (x = 7)"),
        ("(n : ℕ) (h : False) : n = 0", "(n : ℕ) (h : False) : n ≠ 0"),
        ("(p : Prop) (h : p) : p → False", "(p : Prop) (h : p) : p"),
        ("(p q : Prop) (h : p) (g : ¬ p) : q", "(p q : Prop) (h : p) (g : ¬ p) : ¬ q"),
        ("{G : Type*} [Group G] (P : G → Prop) : ∀ x, P x → x = 1",
         "{G : Type*} [Group G] (P : G → Prop) : ∀ x, P x → x ≠ 1"),
        ("(p : Prop) : ¬ ¬ p", "(p : Prop) : p"),
        ("(x y : ℝ) (h : x < y) : y > x", "(x y : ℝ) (h : x < y) : x < y"),
        ("(p q : Prop) (h : p ↔ q) : q ↔ p", "(p q : Prop) (h : q ↔ p) : p ↔ q"),
    ],
)  # fmt: skip
def test_what_is_true_for_nothing_or_for_the_same_reason_is_no_negative(formal: str, other: str) -> None:
    decision = judge_formal(read_signature(f"theorem t {formal}"), read_signature(f"theorem t {other}"))
    assert isinstance(decision, CheckError) or decision.grade == "undecided"


UNTESTED = (
    "{f : ℝ → ℝ} (h : Continuous f) : ¬ Filter.Tendsto f Filter.atTop (nhds 0)",
    ": ¬ ∃ (r : ℂ → ℂ → Prop), IsLinearOrder ℂ r",
    "(f : ℝ → ℝ) (h : StrictMono f) : StrictMono f⁻¹",
)


@pytest.mark.parametrize("formal", UNTESTED)
@pytest.mark.parametrize(("grades", "kept"), [(("refuted", "tested"), 0), (("contradicts",), 1)])
def test_what_contradicts_an_untested_anchor_is_kept_where_the_recipe_asks(
    formal: str, grades: tuple[str, ...], kept: int
) -> None:
    anchor = make(formal)
    assert isinstance(anchor, Anchor)
    context: Context[Any] = Context(TheoremSettings(source="procedural:1", grades=grades), 7, None)  # type: ignore[arg-type]
    family = DOMAIN.families["theorem.formal"]
    assert family.prepare is not None
    rows = make_contrasts((family,), anchor, prepare_here(family.prepare, [[anchor]], context))
    found = [row for row in rows if isinstance(row, Contrast)]
    assert [(row.grade, row.witness) for row in found] == [("contradicts", None)] * kept


def test_a_row_says_its_grade_and_its_witness(make_anchor: Make, context: Context[Any]) -> None:
    anchor = make_anchor(
        "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 5$.",
        "theorem t (x y : ℝ) (h₀ : x > 2) (h₁ : y > 3) : x + y > 5",
    )
    text = "theorem t (x y : ℝ) (h₀ : x > 2) (h₁ : y > 3) : x + y > 9"
    row = Contrast(
        anchor.anchor_id, "theorem.formal", "negative", "text", text, code=text, edits=(Edit("number", "5", "9"),)
    )
    verdict = DOMAIN.families["theorem.formal"].verify(row, anchor, context)
    assert verdict.passed
    assert verdict.grade == "refuted"
    values = dict(part.split(" = ") for part in (verdict.witness or "").split(", "))
    assert 5 < sympy.sympify(values["x"]) + sympy.sympify(values["y"]) <= 9


def test_accepted_rows_are_witnessed(contrasts: dict[str, list[Contrast]]) -> None:
    rows = [*contrasts["theorem.negative"], *contrasts["theorem.formal"]]
    assert {row.grade for row in rows} <= {"refuted", "contradicts"}
    assert all(bool(row.witness) == (row.grade == "refuted") for row in rows)


def test_a_witness_that_is_another_is_caught(
    anchors: list[Anchor], contrasts: dict[str, list[Contrast]], context: Context[Any]
) -> None:
    row = next(each for each in contrasts["theorem.formal"] if each.grade == "refuted")
    anchor = next(each for each in anchors if each.anchor_id == row.anchor_id)
    origin = Origin(frozenset({context.seed}), frozenset({row.provenance.author}), frozenset(), {})
    assert verify_contrast(DOMAIN, row, anchor, origin, context).passed
    for changed, code in (
        (replace(row, witness="x = 1"), "wrong_witness"),
        (replace(row, grade="proved"), "wrong_grade"),
    ):
        reasons = verify_contrast(DOMAIN, changed, anchor, origin, context).reasons
        assert code in [each.partition(":")[0] for each in reasons]


def test_the_solver_proves_and_refutes_what_instances_cannot() -> None:
    far = examine(state_problem(read_signature("theorem t (x y : ℤ) (h : 3 * x + 5 * y = 98765) : x ≠ 2 * y")))
    assert far.refuted or far.held
    proved = examine(state_problem(read_signature("theorem t (x : ℝ) (h : x > 3) : x ^ 2 > 9")))
    assert proved.proved and not proved.vacuous
    empty = examine(state_problem(read_signature("theorem t (x : ℝ) (h : x > 3) (g : x < 2) : x = 9")))
    assert empty.proved and empty.vacuous
