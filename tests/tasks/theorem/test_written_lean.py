"""What our writers write in Lean, our reader reads as what was written; and what is no Lean is no view."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor, Reject, View
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.theorem.anchors import make_anchors
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.latex.terms import read_statements
from counterfoil.tasks.theorem.lean.signature import read_signature
from counterfoil.tasks.theorem.lean.terms import LeanError, read_term
from counterfoil.tasks.theorem.lean.whole import find_fault
from counterfoil.tasks.theorem.lean.write import settle_signs, write_term
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.sources.procedural import draw_claim, write_lean
from tests.shared import SHARED

Make = Callable[..., Anchor]


@pytest.mark.parametrize(
    ("latex", "lean"),
    [
        ("8u \\leq u^{2} + 18", "8 * u ≤ u ^ 2 + 18"),
        ("x^{2} \\geq 2xy", "x ^ 2 ≥ 2 * x * y"),
        ("-2a^{3} + a", "-2 * a ^ 3 + a"),
        ("(2x - y)(x + 3y) = 0", "(2 * x - y) * (x + 3 * y) = 0"),
        ("4 \\mid n - (m - 1)", "4 ∣ n - (m - 1)"),
        ("x \\neq \\frac{a}{b + 1}", "x ≠ a / (b + 1)"),
        ("-(a + b)^{2} < 1", "-(a + b) ^ 2 < 1"),
        ("n^{2} \\equiv 1 \\pmod{8}", "n ^ 2 ≡ 1 [ZMOD 8]"),
    ],
)
def test_latex_becomes_lean_that_reads_back(latex: str, lean: str) -> None:
    (term,) = read_statements(latex, 0, len(latex))
    assert write_term(term) == lean
    assert settle_signs(read_term(lean)) == settle_signs(term)


def test_what_is_not_written_is_an_error() -> None:
    (term,) = read_statements("\\sqrt{x} = 2", 0, 12)
    with pytest.raises(LeanError, match="no Lean is written of sqrt"):
        write_term(term)


@pytest.mark.parametrize("count", [400, pytest.param(2000, marks=pytest.mark.slow)])
def test_statements_of_our_own_are_lean(count: int) -> None:
    rng = np.random.default_rng(5)
    for i in range(count):
        source = write_lean(draw_claim(rng), f"own_{i}")
        assert "\\" not in source
        assert find_fault(source, signature=True) == "", source
        read_signature(source).write_type()


@pytest.mark.parametrize(
    ("signature", "written"),
    [
        ("theorem t (p q r : Prop) (h : p) : q ↔ r", "∀ (p q r : Prop), p → (q ↔ r)"),
        ("theorem t (p q r : Prop) (h : p ↔ q) : r", "∀ (p q r : Prop), (p ↔ q) → r"),
        ("theorem t (f : ℕ → ℕ) (h : f = λ n => n) : f 1 = 1", "∀ (f : ℕ → ℕ), (f = λ n => n) → f 1 = 1"),
        ("theorem t {G : Type*} [Group G] (h : ∃ g : G, g = 1) : 1 = 1",
         "∀ {G : Type*}, ∀ [Group G], (∃ g : G, g = 1) → 1 = 1"),
    ],
)  # fmt: skip
def test_a_type_has_the_brackets_that_it_needs(signature: str, written: str) -> None:
    assert read_signature(signature).write_type() == written


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("theorem t (u : ℝ) : 8 * u \\leq u", "LaTeX"),
        ("theorem t (u : ℝ) : 8 * u \\l * e * q u", "LaTeX"),
        ("theorem t (u : ℝ) : (8 * u ≤ u", "missing"),
        ("theorem t (u : ℝ) : 8 * u) ≤ u", "closes"),
        ("theorem t (u : ℝ) : 8 * u ≤ v", "nothing declares v"),
        ("theorem t (n : ℕ) : ∑ k in Finset.range n, k + k = 0", "nothing declares k"),
    ],
)
def test_lean_with_a_fault_is_no_view(source: str, fault: str) -> None:
    made = make_view(source)
    assert isinstance(made, Reject) and made.reasons[0].startswith("lean_whole: ")
    assert fault in made.reasons[0]


@pytest.mark.parametrize(
    "source",
    [
        "theorem t (A B : Set ℕ) : A \\ B ⊆ A",
        "theorem t (n : ℕ) : ∑ k in Finset.range n, (k + k) = n * (n - 1)",
        "theorem t : Irreducible (X^3 + 3*X + 2 : Polynomial ℚ)",
    ],
)
def test_a_difference_of_sets_and_names_of_a_library_are_no_fault(source: str) -> None:
    context: Any = None
    made = make_view(source)
    assert isinstance(made, Anchor) and DOMAIN.verify_anchor(made, context).passed


def make_view(source: str) -> Anchor | Reject:
    context: Any = None
    payload = {"informal": "Show that this is so.", "formal": source, "type": "", "answer": "", "name": "t"}
    (made,) = make_anchors(SourceRow("pairs", "t", "", payload), context)
    return made


def test_verify_compares_lean_with_words_as_terms(anchors: list[Anchor], context: Context[TheoremSettings]) -> None:
    """A Lean view that reads well and says another thing is no view of the statement."""
    anchor = next(each for each in anchors if "≥" in (each.code or ""))
    code = (anchor.code or "").replace("≥", ">")
    views = tuple(
        View(each.name, each.text if each.name == "informal" else each.text.replace("≥", ">")) for each in anchor.views
    )
    changed = replace(anchor, code=code, views=views)
    assert DOMAIN.verify_anchor(changed, context).reasons[0].startswith("lean_agrees")
    broken = replace(anchor, views=(*anchor.views[:-1], View("lean_type", anchor.views[-1].text + ")")))
    assert DOMAIN.verify_anchor(broken, context).reasons[0].startswith("lean_whole")


DATA = SHARED / "data" / "theorems" / "pairs.jsonl"


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not here: no statements of miniF2F and ProofNet to read")
def test_types_of_real_statements_read_back() -> None:
    read = 0
    for line in DATA.read_text(encoding="utf-8").splitlines():
        try:
            signature = read_signature(json.loads(line)["formal"])
        except LeanError:
            continue
        signature.write_type()
        read += 1
    assert read > 450
