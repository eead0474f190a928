"""What a near miss changes is measured on both statements, whatever its edits are called."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.theorem.changes import measure_changes
from counterfoil.tasks.theorem.settings import TheoremSettings

WORDS = "Let $x$ and $y$ be positive real numbers such that $x > 2$. Show that $x + y > 2$."
LEAN = "theorem t (x y : ℝ) (h₀ : 2 < x) (h₁ : ∃ k : ℕ, x = k * y) : x + y > 2"


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("x > 2$. S", "x > 3$. S", {"number"}),
        ("x + y > 2", "x + y > 5", {"number"}),
        ("x > 2$. S", "y > 2$. S", {"operand"}),
        ("x + y >", "x - y >", {"operand"}),
        ("x > 2$. S", "x < 2$. S", {"hypothesis"}),
        ("positive real", "real", {"hypothesis"}),
        (" such that $x > 2$", "", {"hypothesis"}),
        ("x + y >", "x + y \\leq", {"conclusion"}),
        ("x + y > 2", "x + y \\leq 5", {"conclusion", "number"}),
        ("(x y : ℝ)", "(x y : ℤ)", {"hypothesis"}),
        (" (h₀ : 2 < x)", "", {"hypothesis"}),
        ("2 < x", "3 < y", {"number", "operand"}),
        ("∃ k", "∀ k", {"quantifier"}),
        ("x + y > 2", "x + y ≤ 2", {"conclusion"}),
    ],
)
def test_kinds_are_measured(
    old: str, new: str, kinds: set[str], make_anchor: Callable[..., Anchor], context: Context[TheoremSettings]
) -> None:
    anchor = make_anchor(WORDS, LEAN)
    original = WORDS if old in WORDS else LEAN
    row = Contrast(anchor.anchor_id, "theorem.negative", "negative", "text", original.replace(old, new, 1))
    assert set(measure_changes(row, anchor, context)) == kinds
