"""Whether two Lean statements suppose the same, and whether their conclusions exclude each other by logic."""

from __future__ import annotations

from counterfoil.tasks.theorem.algebra.evaluate import evaluate
from counterfoil.tasks.theorem.algebra.tree import COMPLEMENT, Term, split_conjuncts
from counterfoil.tasks.theorem.algebra.values import differ
from counterfoil.tasks.theorem.algebra.world import ExhaustedError, UndefinedValueError, UnknownValueError, World
from counterfoil.tasks.theorem.lean.logic import FALSE, TRUE, deny, settle
from counterfoil.tasks.theorem.lean.signature import Signature


def list_supposed(signature: Signature) -> frozenset[Term]:
    """What is supposed, settled, in single parts."""
    return frozenset(part for each in signature.hypotheses for part in split_conjuncts(settle(each.type)))


def list_context(signature: Signature) -> list[tuple[tuple[str, ...], Term]]:
    """What is named and of which type, in no order."""
    return sorted(((each.names, settle(each.type)) for each in signature.binders if not each.is_hypothesis), key=repr)


def can_be_met(hypotheses: frozenset[Term]) -> bool:
    """Whether no two of them deny each other, and none is false as it stands."""
    return FALSE not in hypotheses and not any(deny(each) in hypotheses for each in hypotheses)


def oppose(one: Term, other: Term, supposed: bool = False) -> tuple[str, bool]:
    """Whether two settled conclusions exclude each other, and whether only where something can be supposed first."""
    if {one, other} & {TRUE, FALSE}:
        return "", supposed
    if deny(one) == other or deny(other) == one:
        return "the one is the other's negation", supposed
    if one.head == other.head == "forall" and one.args[0] == other.args[0]:
        return oppose(one.args[1], other.args[1], supposed or one.args[0].name not in _INHABITED)
    if one.head == other.head == "imp" and one.args[0] == other.args[0]:
        return oppose(one.args[1], other.args[1], True)
    if one.head == other.head == "and" and len(one.args) == 2:
        shared = set(one.args) & set(other.args)
        if len(shared) == 1:
            (left,), (right,) = (set(each.args) - shared or {next(iter(shared))} for each in (one, other))
            return oppose(left, right, supposed)
    if COMPLEMENT.get(one.head) == other.head and one.args == other.args:
        return f"{one.head} against {other.head}", supposed
    if {one.head, other.head} == {"lt", "le"} and one.args == other.args[::-1]:
        return f"{one.head} against {other.head} the other way round", supposed
    if one.head == other.head == "eq":
        return _oppose_values(one, other), supposed
    return "", supposed


_INHABITED = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "ℕ+", "Nat", "Int", "Prop"})


def _oppose_values(one: Term, other: Term) -> str:
    """``x = 3`` against ``x = 4``."""
    shared = set(one.args) & set(other.args)
    if len(shared) != 1:
        return ""
    world = World({}, {}, lean=False)
    values = []
    for each in (one, other):
        rest = [term for term in each.args if term not in shared]
        try:
            values.append(evaluate(rest[0], world) if rest else None)
        except (UnknownValueError, UndefinedValueError, ExhaustedError):
            return ""
    if None in values or not differ(*values):
        return ""
    return f"equal to {values[0]} against {values[1]}"
