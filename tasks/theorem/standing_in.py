"""Whether a Lean view may decide what its words say: it must claim no more than they do, and suppose no less.

``5 ^ 2005 % 100 = 25`` says more than that the tens digit is 2: with 4 for 5 the one is false, and the other true. And
where Lean says nothing of positive numbers that the words speak of, a counterexample may be none of theirs.
"""

from __future__ import annotations

import re
from dataclasses import replace

from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.tree import LOGIC, Term
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.lean.signature import Signature
from counterfoil.tasks.theorem.mirror import (
    UnmirroredError,
    is_same_term,
    list_names_of_sign,
    name_relation,
    read_answer,
    read_relations,
    read_source,
    state_signs,
)

_SPOKEN = {"dvd": r"divid|divisib|multiple|factor", "ndvd": r"divid|divisib|multiple|factor", "prime": r"prime"}
"""What a relation is called where it is not written as one."""
_SUPPOSED = {
    r"\b(?:odd|even)\b": {"odd", "even", "mod", "dvd", "ndvd", "cong", "exists"},
    r"\bprimes?\b": {"prime"},
    r"\b(?:distinct|different|unequal)\b": {"ne"},
}
_WHOLE = re.compile(r"\b(?:integers?|whole|natural|digits?)\b")


def refuse_more(original: Statement, signature: Signature) -> None:
    """Whether Lean claims what the words do.

    Raises:
        UnmirroredError: it claims more, or that is not certain.
    """
    conclusion = signature.conclusion
    while conclusion.head in ("forall", "imp"):
        conclusion = conclusion.args[1]
    said = " ".join(original.quote(each) for each in original.list_clauses("conclusion"))
    value = re.match(r"it is (.+?)\.?$", said.strip())
    answer = read_source(value[1], 0, len(value[1])) if value else read_answer(original)
    if value or original.list_clauses("answer"):
        sides = conclusion.args[1:] if conclusion.head in ("is_least", "is_greatest") else conclusion.args
        plain = conclusion.head in ("eq", "le", "ge", "lt", "gt", "is_least", "is_greatest")
        if len(answer) != 1 or not plain or not any(is_same_term(each, answer[0]) for each in sides):
            raise UnmirroredError("what Lean concludes is not the answer")
        return
    written = {name_relation(each) for each in read_relations(original, "conclusion")}
    for each in _list_atoms(conclusion):
        if each.name == "Irreducible" and re.search(r"\b(?:irr|r)educible\b", said):
            continue
        if name_relation(each) not in written and not re.search(_SPOKEN.get(each.head, r"(?!)"), said):
            raise UnmirroredError("Lean concludes what the words do not")


def _list_atoms(term: Term) -> list[Term]:
    if term.head in LOGIC:
        return [atom for each in term.args if each.is_statement() for atom in _list_atoms(each)]
    return [term]


def suppose_as_told(statement: Statement, problem: Problem) -> Problem:
    """The problem with what words of sign say, which Lean may have left out.

    Raises:
        UnmirroredError: the words suppose what cannot be said in Lean, or other numbers.
    """
    answers = statement.list_clauses("answer")
    text = statement.text[: answers[0].start] if answers else statement.text
    words = re.sub(r"\$[^$]*\$", " ", text).lower()
    sorts = {sort for _, sort in problem.sorts}
    if not sorts:
        return problem
    broken = sorts & {"Q", "R", "C"}
    if (broken and _WHOLE.search(words) and "real" not in words) or ("C" in sorts and "real" in words):
        raise UnmirroredError("Lean speaks of other numbers")
    heads = {each.head for term in (*problem.hypotheses, *problem.conclusions) for each in term.walk()}
    for pattern, wanted in _SUPPOSED.items():
        if re.search(pattern, words) and not heads & wanted:
            raise UnmirroredError("Lean does not suppose what the words do")
    known = {name for name, _ in problem.sorts}
    signs: list[Term] = []
    for names, head in list_names_of_sign(statement):
        if not names and not _are_positive(problem):
            raise UnmirroredError("of what a word of sign is said")
        if not {each.name for each in names} <= known and not _are_positive(problem):
            raise UnmirroredError("Lean has no such variable")
        signs += [each for each in state_signs(names, head) if each.args[0].name in known]
    return replace(
        problem, hypotheses=(*problem.hypotheses, *(each for each in signs if each not in problem.hypotheses))
    )


def _are_positive(problem: Problem) -> bool:
    """Whether Lean says of each of its variables that it is over zero."""
    zero = Term("num", name="0")
    over = {each.args[1].name for each in problem.hypotheses if each.head == "lt" and each.args[0] == zero}
    return {name for name, _ in problem.sorts} <= over
