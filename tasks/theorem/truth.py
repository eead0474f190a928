"""Whether one statement is a negative of another: how that is known, or that it is not.

Three ways, tried in this order. **Instances**: both are statements about numbers, the original holds at every
instance tried and at one at least, and the other fails at one; the instance is its witness. So it is with statements
about the elements of a group, a monoid or a ring, of which the small ones are tried. **Contradiction**: both
suppose the same, and what the one concludes excludes what the other does; where the original is true and something
satisfies its hypotheses, the other is false. Else it is **undecided**, and a setting says what becomes of it. A
statement that says the same in other words, or that supposes more or concludes less, is as true, and never a negative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from counterfoil.tasks.theorem.algebra.instances import Trial, examine, try_instances
from counterfoil.tasks.theorem.algebra.irreducible import UnfactoredError, judge_irreducible
from counterfoil.tasks.theorem.algebra.models import UnmodelledError, try_structures
from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.tree import split_conjuncts
from counterfoil.tasks.theorem.contradiction import find_contradiction
from counterfoil.tasks.theorem.language.compare import is_same, read_clauses
from counterfoil.tasks.theorem.language.conditions import move_conditions
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.language.normal import Normal, list_renamings, normalise
from counterfoil.tasks.theorem.language.numbers import state_numbers
from counterfoil.tasks.theorem.lean.logic import FALSE, TRUE, settle
from counterfoil.tasks.theorem.lean.oppose import can_be_met, list_context, list_supposed, oppose
from counterfoil.tasks.theorem.lean.signature import Signature, UnstatedError, frame_structure, state_problem
from counterfoil.tasks.theorem.lean.write import is_same_problem
from counterfoil.tasks.theorem.mirror import UnmirroredError, mirror
from counterfoil.tasks.theorem.standing_in import refuse_more, suppose_as_told

How = Literal["refuted", "contradicts", "undecided"]


class NoNegativeError(Exception):
    """The statement is no negative. The message is a reason: ``"code: details"``."""


class ShownTrueError(NoNegativeError):
    """It is as true as the anchor: it says the same, follows from it, or is proved."""


@dataclass(frozen=True)
class Decision:
    """How far a statement is known to be a negative: the grade of its row, and what shows it."""

    grade: How
    details: str = ""
    """The witness, or what excludes what."""


def says_the_same(original: Statement, other: Statement) -> bool:
    """Whether both are one statement under a renaming of variables: clause by clause, conditions behind a claim as
    those before it; or as one problem about numbers, wherever its conditions stand."""
    if is_same(read_clauses(original), read_clauses(other)):
        return True
    if is_same(*(read_clauses(move_conditions(each)) for each in (original, other))):
        return True
    try:
        problem = state_numbers(original)
        return any(is_same_problem(problem, state_numbers(each)) for each in list_renamings(original, other))
    except UnstatedError:
        return False


def decide_informal(original: Statement, other: Statement, signature: Signature | None = None) -> Decision:
    """How it is known that ``other`` is no true statement where ``original`` is. ``signature``: what the original says
    in Lean, whose instances decide where the words cannot be read.

    Raises:
        ShownTrueError: it says the same, is weaker, or is proved.
        NoNegativeError: it holds wherever it was tried, or the original fails.
    """
    if is_same(read_clauses(original), read_clauses(other)):
        raise ShownTrueError("another_statement: it says what the anchor says")
    normal, forms = normalise(original), list(list_renamings(original, other))
    for each in forms:
        _refuse_weaker(normal, normalise(each))
    decided = _decide_by_instances(original, other) or _decide_in_lean(original, other, signature)
    if decided is not None:
        return decided
    found = next(filter(None, (find_contradiction(original, normal, each) for each in forms)), "")
    return Decision("contradicts", found) if found else Decision("undecided")


def _refuse_weaker(first: Normal, second: Normal) -> None:
    """One that supposes all that the other does and concludes no more follows from it."""
    if first.says_the_same(second):
        raise ShownTrueError("another_statement: it says what the anchor says, in other words")
    if first.leaves(second):
        raise ShownTrueError("not_weaker: it supposes more or concludes less, and follows from the anchor")


def _decide_by_instances(original: Statement, other: Statement) -> Decision | None:
    try:
        problem = state_numbers(original)
        changed = state_numbers(other)
    except UnstatedError:
        return None
    return decide_problems(problem, changed)


def _decide_in_lean(original: Statement, other: Statement, signature: Signature | None) -> Decision | None:
    if signature is None:
        return None
    try:
        refuse_more(original, signature)
        mirrored = mirror(original, other, signature)
    except (UnstatedError, UnmirroredError):
        return None
    try:
        changed = suppose_as_told(other, state_problem(mirrored))
        problem = suppose_as_told(original, state_problem(signature))
    except UnmirroredError:
        return None
    except UnstatedError:
        found = _decide_by_models(signature, mirrored)
        return Decision(found.grade, f"in Lean: {found.details}") if found else None
    decided = decide_problems(problem, changed)
    # In words a root of what is negative, or a quotient by zero, is no number at all.
    plain = decided and decide_problems(*(replace(each, lean=False) for each in (problem, changed)))
    return Decision(plain.grade, f"in Lean: {plain.details}") if plain else None


def decide_problems(problem: Problem, changed: Problem) -> Decision | None:
    """By instances, or None where there are too few.

    Raises:
        ShownTrueError: a solver proves the other.
        NoNegativeError: the original fails at an instance or says nothing, or the other holds at all.
    """
    tried = examine(problem)
    if tried.refuted and problem.assumed:
        return None
    if tried.refuted:
        raise NoNegativeError(f"anchor_true: the anchor itself fails at {tried.witness}")
    if tried.vacuous and problem.conclusions != (FALSE,):
        raise NoNegativeError("anchor_says: nothing satisfies what the anchor supposes, so that it says nothing")
    found = try_instances(changed)
    if not (found.refuted or found.held) and (tried.held or tried.proved):
        found = examine(changed)
    if found.refuted and (tried.held or tried.proved):
        return Decision("refuted", found.witness)
    if found.proved:
        raise ShownTrueError("false_somewhere: a solver shows that it holds everywhere")
    if found.held and tried.held:
        raise NoNegativeError(f"false_somewhere: it holds at all {found.held} instances that were tried")
    return None


def judge_alone(statement: Statement) -> Trial | None:
    """What instances and the solver say of a statement by itself; None where it is not about numbers alone, or does not
    say of which."""
    try:
        problem = state_numbers(statement)
    except UnstatedError:
        return None
    return None if problem.assumed else examine(problem)


def judge_lean_alone(signature: Signature) -> Trial | None:
    """As `judge_alone`, of a Lean statement."""
    try:
        return examine(state_problem(signature))
    except UnstatedError:
        return try_models(signature)


@lru_cache(maxsize=4096)
def try_models(signature: Signature) -> Trial | None:
    """What small groups, monoids and rings say of a statement about their elements, and factors of one about a
    polynomial; None where it is about others."""
    try:
        holds, factors = judge_irreducible(signature.conclusion)
        if not signature.binders:
            return Trial(int(holds), None if holds else (("factors", factors),))
    except UnfactoredError:
        pass
    try:
        found = Trial(*try_structures(frame_structure(signature)))
    except UnmodelledError:
        return None
    return found if found.held or found.refuted else None


def _decide_by_models(original: Signature, other: Signature) -> Decision | None:
    """By a small structure in which the one holds wherever it was tried and the other fails.

    Raises:
        NoNegativeError: the original fails in one.
    """
    tried, changed = try_models(original), try_models(other)
    if tried is not None and tried.refuted:
        raise NoNegativeError(f"anchor_true: the anchor itself fails at {tried.witness}")
    if tried is None or changed is None or not (tried.held and changed.refuted):
        return None
    return Decision("refuted", changed.witness)


def decide_formal(original: Signature, other: Signature) -> Decision:
    """As `decide_informal`, of Lean statements.

    Raises:
        ShownTrueError: it says the same, is weaker, or is proved.
        NoNegativeError: it holds wherever it was tried, or the original fails.
    """
    hypotheses = [list_supposed(each) for each in (original, other)]
    conclusions = [settle(each.conclusion) for each in (original, other)]
    same_context = list_context(original) == list_context(other)
    claimed = [set(split_conjuncts(each)) for each in conclusions]
    if conclusions[1] == TRUE or (same_context and hypotheses[0] <= hypotheses[1] and claimed[1] <= claimed[0]):
        raise ShownTrueError("not_weaker: it supposes the same or more and concludes no more")
    if claimed[1] <= hypotheses[1]:
        raise ShownTrueError("not_weaker: it concludes what it supposes")
    held = False
    try:
        problem, changed = state_problem(original), state_problem(other)
    except UnstatedError:
        decided = _decide_by_models(original, other)
    else:
        decided = decide_problems(problem, changed)
        held = try_instances(problem).held > 0
    if decided is not None:
        return decided
    if same_context and hypotheses[0] == hypotheses[1] and can_be_met(hypotheses[0] | {conclusions[0]}):
        found, supposed = oppose(conclusions[0], conclusions[1])
        # Two numerals may be one in a ring of some characteristic, and two quotients one in the natural numbers.
        abstract = any(each.bracket == "[" for each in original.binders)
        whole = "/" in original.source and not set("ℝℚℂ") & set(original.source)
        if found and (held or not supposed) and not (found.startswith("equal to") and (abstract or whole)):
            return Decision("contradicts", found)
    return Decision("undecided")
