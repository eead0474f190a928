"""Whether an anchor is true as far as can be tried: its views about numbers at instances, and by a solver.

A pair whose Lean form was set down wrongly ("never coprime", a difference of natural numbers, an order of complex
numbers) says something false, and what denies it would be a theorem. So the anchor is tried before anything is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.theorem.algebra.instances import Trial, examine
from counterfoil.tasks.theorem.language.grammar import GrammarError, read_statement
from counterfoil.tasks.theorem.language.numbers import state_numbers
from counterfoil.tasks.theorem.lean.signature import UnstatedError, read_signature
from counterfoil.tasks.theorem.lean.terms import LeanError
from counterfoil.tasks.theorem.truth import judge_lean_alone


@dataclass(frozen=True)
class Standing:
    """What came of trying an anchor's views."""

    tested: bool
    """A view held at an instance, or is proved of what there is, and none failed."""
    witness: str
    """Where a view fails; empty where none does."""


@lru_cache(maxsize=4096)
def try_views(views: tuple[tuple[str, str], ...]) -> Standing:
    """The standing of a statement with these views, by name and text."""
    tested = False
    for name, text in views:
        for tried in _try_view(name, text):
            if tried.refuted:
                return Standing(False, f"{name}: {tried.witness}")
            tested = tested or tried.held > 0 or (tried.proved and not tried.vacuous)
    return Standing(tested, "")


def _try_view(name: str, text: str) -> Iterator[Trial]:
    try:
        if name == "lean_signature":
            tried = judge_lean_alone(read_signature(text))
            if tried is not None:
                yield tried
        elif name in ("informal", "rephrasing"):
            problem = state_numbers(read_statement(text))
            tried = examine(problem)
            if not (problem.assumed and tried.refuted):
                yield tried
    except (UnstatedError, GrammarError, LeanError):
        return


def find_standing(anchor: Anchor) -> Standing:
    """The standing of an anchor."""
    return try_views(tuple((view.name, view.text) for view in anchor.views))
