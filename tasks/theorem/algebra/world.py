"""What variables of a statement stand for: their values, their sorts, functions and sets that hypotheses define.

Lean's arithmetic is typed: `find_sort` says what that of a term is done in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from counterfoil.tasks.theorem.algebra.tree import ARITHMETIC, Term

Sort = Literal["N", "Z", "Q", "R", "C"]
SORTS: tuple[Sort, ...] = ("N", "Z", "Q", "R", "C")
Value = Any
"""An ``int``, a ``Fraction``, or a number of sympy's."""


class UnknownValueError(Exception):
    """The term has no value that can be worked out."""


class UndefinedValueError(Exception):
    """The term has no value: a division by zero, the root of a negative number among reals."""


class ExhaustedError(Exception):
    """The steps that a statement may take are used up: counted, not timed, so that every machine stops alike."""


@dataclass
class Budget:
    """How many steps evaluation may still take. One with numbers of sympy's costs many."""

    left: int

    def spend(self, steps: int) -> None:
        """Take ``steps``.

        Raises:
            ExhaustedError: none are left.
        """
        self.left -= steps
        if self.left < 0:
            raise ExhaustedError


@dataclass(frozen=True)
class Function:
    """A function that a hypothesis defines: ``f x = body``."""

    parameters: tuple[str, ...]
    body: Term
    sort: Sort = "R"
    guard: Term | None = None
    """Where it is defined so; elsewhere nothing is said of its values."""


@dataclass(frozen=True)
class Members:
    """A set of whole numbers that a hypothesis defines: ``n ∈ S ↔ condition``."""

    name: str
    condition: Term
    sort: Sort


@dataclass(frozen=True)
class World:
    """The values of variables, the sorts of all that have one, and whether arithmetic is Lean's."""

    values: Mapping[str, Value | Function | Members]
    sorts: Mapping[str, Sort]
    lean: bool = True
    budget: Budget = field(default_factory=lambda: Budget(100_000))
    depth: int = 0
    """Quantifiers around."""

    def bind(self, name: str, value: Value, sort: Sort | None = None) -> World:
        """The world in which one more variable has a value."""
        sorts = {**self.sorts, name: sort} if sort else self.sorts
        return replace(self, values={**self.values, name: value}, sorts=sorts)


def find_sort(term: Term, world: World) -> Sort | None:
    """The sort that arithmetic on the term is done in: the largest of its leaves; None where there are numerals alone.

    Lean puts coercions at the leaves of a whole tree of binary operators, so that ``n / 2 < x`` divides real numbers
    where x is one.
    """
    head = term.head
    if head == "var":
        return world.sorts.get(term.name)
    if head == "ascribe":
        return _SORT_NAMES.get(term.name)
    if head in ARITHMETIC or head in ("eq", "ne", "lt", "le", "gt", "ge"):
        return take_largest([find_sort(each, world) for each in term.args])
    if head == "pow":
        return find_sort(term.args[0], world)
    if head in ("sum", "prod"):
        inner = replace(world, sorts={**world.sorts, term.name: find_range_sort(term.args[0], world)})
        return find_sort(term.args[1], inner)
    if head in ("coe", "abs", "inv"):
        return find_sort(term.args[0], world) if head != "coe" else None
    if head in ("sqrt", "log", "exp", "sin", "cos", "tan", "pi", "logb", "norm", "re", "im"):
        return "R"
    if head in ("imaginary", "conj"):
        return "C"
    if head in ("floor", "ceil"):
        return "Z"
    if head in ("factorial", "gcd", "lcm", "choose", "card", "isqrt"):
        return "N"
    if head == "app" and isinstance(function := world.values.get(term.name), Function):
        return function.sort
    return None


_SORT_NAMES: dict[str, Sort] = {"ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℝ": "R", "ℂ": "C", "Nat": "N", "Int": "Z", "ℕ+": "N"}


def read_sort(name: str) -> Sort | None:
    """The sort that a Lean type names; None for other types."""
    return _SORT_NAMES.get(name)


def take_largest(sorts: list[Sort | None]) -> Sort | None:
    known = [SORTS.index(each) for each in sorts if each]
    return SORTS[max(known)] if known else None


def find_range_sort(term: Term, world: World) -> Sort:
    if term.head == "var" and isinstance(members := world.values.get(term.name), Members):
        return members.sort
    return take_largest([find_sort(each, world) for each in term.args]) or "N"


def is_field(sort: Sort | None) -> bool:
    """Whether Lean's divisibility there is a field's: all but zero divides all."""
    return sort in ("Q", "R", "C")
