"""A statement about numbers, whichever language it was written in."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.tasks.theorem.algebra.tree import Term
from counterfoil.tasks.theorem.algebra.world import Function, Members, Sort


@dataclass(frozen=True)
class Problem:
    """A statement about numbers: for all values of the variables, of these sorts, hypotheses imply conclusions."""

    sorts: tuple[tuple[str, Sort], ...]
    hypotheses: tuple[Term, ...]
    conclusions: tuple[Term, ...]
    functions: tuple[tuple[str, Function | Members], ...] = ()
    lean: bool = True
    assumed: bool = False
    """Whether a variable's sort is not said but what books mean by its letter: where it fails, it may be another."""
