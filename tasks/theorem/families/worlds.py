"""Which changes of a statement are judged, and how gladly each kind of them is crossed
(`counterfoil.tasks.contract.crossing`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.contract.crossing import take_turns
from counterfoil.tasks.theorem.edits.trees import Change

JUDGED = 24
"""Changes of one statement that are judged alone."""
NUMBERS = frozenset({"number", "answer"})
"""Kinds of edits that change a number and nothing else."""
_GLADLY = {"number": 0.2, "answer": 0.2, "sign": 0.5, "relation": 0.7}

Member = tuple[Change, ...]


def order_changes(changes: Sequence[Change], rng: np.random.Generator) -> list[Change]:
    """As many as are judged, of each kind in turn, numbers last."""
    return take_turns(changes, JUDGED, rng, NUMBERS.__contains__)


def weigh(kind: str) -> float:
    """How gladly a slot is crossed: numbers and signs are in every statement, and everybody changes those."""
    return _GLADLY.get(kind, 1.0)
