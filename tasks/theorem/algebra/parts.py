"""A term's value and a statement's truth, by how its kind is worked out. Those that work it out ask here for its parts;
`evaluate` brings them together.
"""

from __future__ import annotations

from collections.abc import Callable

from counterfoil.tasks.theorem.algebra.tree import Term
from counterfoil.tasks.theorem.algebra.world import Sort, UnknownValueError, Value, World, find_sort

Compute = Callable[[Term, World, Sort | None], Value]
Decide = Callable[[Term, World], bool | None]
COMPUTE: dict[str, Compute] = {}
"""How the value of a term with this head is worked out."""
DECIDE: dict[str, Decide] = {}
"""How it is decided whether a statement with this head holds."""
SYMBOLIC = 40
"""Steps that a number of sympy's costs."""
_BY_SYMPY = frozenset({"sqrt", "log", "logb", "exp", "sin", "cos", "tan", "norm", "re", "im", "conj"})


def evaluate(term: Term, world: World, sort: Sort | None = None) -> Value:
    """The value of a term; ``sort`` is what Lean's arithmetic around it is done in.

    Raises:
        UnknownValueError: it holds what is not understood, or would grow too large.
        UndefinedValueError: it has no value.
    """
    if world.lean and sort is None:
        sort = find_sort(term, world) or "N"
    compute = COMPUTE.get(term.head)
    world.budget.spend(SYMBOLIC if term.head in _BY_SYMPY else 1)
    if compute is None:
        raise UnknownValueError(term.head)
    return compute(term, world, sort)


def holds(term: Term, world: World) -> bool | None:
    """Whether a statement holds; None where that cannot be told.

    Raises:
        UndefinedValueError: one of its terms has no value.
    """
    decide = DECIDE.get(term.head)
    world.budget.spend(1)
    if decide is None:
        return None
    try:
        return decide(term, world)
    except UnknownValueError:
        return None
