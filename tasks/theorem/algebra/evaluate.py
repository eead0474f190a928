"""What a term comes to when its variables have values, and whether a statement then holds.

A statement is True, False or None, which stands for "cannot be told": a quantifier without an end, a word that is not
understood.
"""

from __future__ import annotations

from counterfoil.tasks.theorem.algebra import parts
from counterfoil.tasks.theorem.algebra.arithmetic import COMPUTE
from counterfoil.tasks.theorem.algebra.deciding import DECIDE
from counterfoil.tasks.theorem.algebra.parts import evaluate, holds

__all__ = ["evaluate", "holds"]

parts.COMPUTE |= COMPUTE
parts.DECIDE |= DECIDE
