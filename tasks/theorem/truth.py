"""Whether one statement is a negative of another: how that is known, or that it is not.

Three ways, tried in this order. **Instances**: both are statements about numbers, the original holds at every
instance tried and at one at least, and the other fails at one. **Contradiction**: both suppose the same, and what the
one concludes excludes what the other does; the original is true, so wherever its hypotheses hold the other is false.
Else it is **undecided**, and a setting says what becomes of it. A statement that supposes more or concludes less is
weaker, hence true, and never a negative.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from tasks.theorem.algebra.evaluate import ExhaustedError, UndefinedValueError, UnknownValueError, World, evaluate
from tasks.theorem.algebra.instances import Problem, try_instances
from tasks.theorem.algebra.tree import COMPLEMENT, Term
from tasks.theorem.edits.informal import list_choices, split_choice
from tasks.theorem.language.antonyms import ANTONYMS
from tasks.theorem.language.compare import Reading, is_same, read_clauses
from tasks.theorem.language.grammar import Statement
from tasks.theorem.language.numbers import state_numbers
from tasks.theorem.latex.terms import LatexError, read_statements
from tasks.theorem.lean.signature import Signature, UnstatedError, state_problem

How = Literal["instances", "contradiction", "undecided"]


class NoNegativeError(Exception):
    """The statement is no negative. The message is a reason: ``"code: details"``."""


@dataclass(frozen=True)
class Decision:
    """How it is known that a statement is a negative; ``details`` for the reader."""

    how: How
    details: str = ""


_VAGUE = frozenset(
    [
        "exists",
        "some",
        "or",
        "either",
        "neither",
        "can",
        "may",
        "could",
        "must",
        "unless",
        "except",
        "whether",
        "contains",
        "at",
    ]
)
_FOR_SOME = ("for", "some")
_COMPLEMENTS = {
    frozenset({"=", "\\neq"}),
    frozenset({"<", "\\geq"}),
    frozenset({">", "\\leq"}),
    frozenset({"\\mid", "\\nmid"}),
    frozenset({"\\in", "\\notin"}),
}


def decide_informal(original: Statement, other: Statement) -> Decision:
    """How it is known that ``other`` is no true statement where ``original`` is.

    Raises:
        NoNegativeError: it says the same, is weaker, or holds wherever the original was tried.
    """
    first, second = read_clauses(original), read_clauses(other)
    if is_same(first, second):
        raise NoNegativeError("another_statement: it says what the anchor says")
    _refuse_weaker(first, second)
    decided = _decide_by_instances(original, other)
    if decided is not None:
        return decided
    found = _find_contradiction(original, other, first, second)
    return Decision("contradiction", found) if found else Decision("undecided")


def _refuse_weaker(first: Reading, second: Reading) -> None:
    """One that supposes all that the other does and concludes no more follows from it."""
    if set(second.hypotheses) >= set(first.hypotheses) and set(second.claims) <= set(first.claims):
        raise NoNegativeError("not_weaker: it supposes more or concludes less, and follows from the anchor")


def _decide_by_instances(original: Statement, other: Statement) -> Decision | None:
    try:
        problem = state_numbers(original)
    except UnstatedError:
        return None
    try:
        changed = state_numbers(other)
    except UnstatedError:
        return None
    return decide_problems(problem, changed)


def decide_problems(problem: Problem, changed: Problem) -> Decision | None:
    """By instances, or None where there are too few.

    Raises:
        NoNegativeError: the original fails at an instance, or the other at none.
    """
    tried = try_instances(problem)
    if tried.refuted:
        raise NoNegativeError(f"anchor_true: the anchor itself fails at {_show(tried.counterexample)}")
    if not tried.held:
        return None
    found = try_instances(changed)
    if found.refuted:
        return Decision("instances", _show(found.counterexample))
    if found.held:
        raise NoNegativeError(f"false_somewhere: it holds at all {found.held} instances that were tried")
    return None


def _show(values: tuple[tuple[str, str], ...] | None) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values or ()) or "every instance"


def _find_contradiction(original: Statement, other: Statement, first: Reading, second: Reading) -> str:
    """What excludes what; empty where that cannot be seen."""
    if first.hypotheses != second.hypotheses or len(first.claims) != len(second.claims):
        return ""
    differing = [(a, b) for a, b in zip(first.claims, second.claims, strict=True) if a != b]
    if len(differing) != 1:
        return ""
    one, two = differing[0]
    if one[0] != two[0]:
        return ""
    if one[0] == "answer":
        return _compare_answers(original, other)
    return _compare_conclusions(one[1:], two[1:]) if one[0] == "conclusion" else ""


def _compare_answers(original: Statement, other: Statement) -> str:
    """Two values of what is asked; a question of which there are several answers decides nothing."""
    question = original.quote(original.list_clauses("question")[0]).lower()
    if re.search(r"\b(?:one|an?) (?:pair|value|integer|example|solution)\b|which of the following", question):
        return ""
    choices = dict(list_choices(original.text[: original.verb[0]]))
    values = []
    for statement in (original, other):
        label, said = split_choice(statement.quote(statement.list_clauses("answer")[0]))
        if label and choices and _squeeze(choices.get(label, "")) != _squeeze(said):
            return ""
        value = read_value(said)
        if value is None:
            return ""
        values.append(value)
    return f"the answer is {values[0]}, not {values[1]}" if _differ(*values) else ""


def _squeeze(text: str) -> str:
    return re.sub(r"[\s~$]|\\ ", "", text)


def read_value(said: str) -> object | None:
    """The number that an answer is; None where it is none.

    >>> read_value("40,\\\\!000"), read_value("\\\\frac{5}{36}"), read_value("(-6, 10)")
    (40000, Fraction(5, 36), None)
    """
    bare = re.sub(r"(?<=\d),(?:\\!)?(?=\d{3})|\{,\}(?=\d{3})", "", said.strip().strip("$").strip())
    bare = re.sub(
        r"^(?:\\\$|\\text\{ *|~)|\\%$|\}$(?<!\{\w\})" if bare.startswith("\\text{") else r"^\\\$|\\%$", "", bare
    )
    try:
        terms = read_statements(bare, 0, len(bare))
        if len(terms) != 1:
            return None
        value: object = evaluate(terms[0], World({}, {}, lean=False))
    except (LatexError, UnknownValueError, UndefinedValueError, ExhaustedError):
        return None
    return value


def _differ(one: Any, other: Any) -> bool:
    if isinstance(one, int | Fraction) and isinstance(other, int | Fraction):
        return one != other
    return abs(complex(one) - complex(other)) > 1e-9


def _compare_conclusions(one: tuple[str, ...], two: tuple[str, ...]) -> str:
    """One change by which what is concluded becomes its opposite."""
    start = 0
    while start < min(len(one), len(two)) and one[start] == two[start]:
        start += 1
    end = 0
    while end < min(len(one), len(two)) - start and one[-1 - end] == two[-1 - end]:
        end += 1
    gone, new = one[start : len(one) - end], two[start : len(two) - end]
    rest = [*one[:start], *one[len(one) - end :]]
    words = _list_words(rest)
    told = f"{' '.join(gone) or 'nothing'} against {' '.join(new) or 'nothing'}"
    pair = {gone, new}
    before = one[start - 1] if start else ""
    existence = _is_existence(pair, one[:start], two[:start], rest)
    if existence:
        return told
    if "iff" in words and words.count("iff") > 1:
        return ""
    if pair == {("every",), ("no",)} and start == 0 and not {"no", "not", *_VAGUE} & set(words):
        return told
    if set(words) & (_VAGUE | {"no"}) or "if" in words or "exists" in one or _has(rest, _FOR_SOME):
        return ""
    plain = words.count("be") == 1 and not {"not", "that", "every", "forall"} & set(words)
    if pair == {(), ("not",)} and before == "be" and plain:
        return told if _is_definite(one) else ""
    if pair == {("divides",), ("does", "not", "divide")}:
        return told
    if len(gone) == len(new) == 1:
        if ANTONYMS.get(gone[0]) == new[0] and before == "be" and words.count("be") == 1 and "not" not in words:
            return told if _is_definite(one) else ""
        if frozenset((gone[0], new[0])) in _COMPLEMENTS and _asserts_alone(one, start):
            return told
    return ""


def _is_definite(tokens: tuple[str, ...]) -> bool:
    """Whether the subject is a thing that was named, or all of a kind, rather than some of them."""
    return tokens[0] in ("$", "every", "the") or tokens[0].startswith("@") or tokens[0] == "forall"


def _list_words(tokens: list[str]) -> list[str]:
    """The words outside of mathematics."""
    words, inside = [], False
    for token in tokens:
        if token == "$":
            inside = not inside
        elif not inside:
            words.append(token)
    return words


def _has(tokens: list[str], pair: tuple[str, str]) -> bool:
    return any(tuple(tokens[i : i + 2]) == pair for i in range(len(tokens) - 1))


def _is_existence(pair: set[tuple[str, ...]], before: tuple[str, ...], other: tuple[str, ...], rest: list[str]) -> bool:
    """``there is a`` against ``there is no``, ``$G$ has a`` against ``$G$ has no``: the first thing that is said."""
    del other
    if not pair & {("a",), ("an",)} or ("no",) not in pair:
        return False
    words = _list_words(rest)
    if {"and", "no", "not", "iff", "if", "or", "unless", "either"} & set(words):
        return False
    if before == ("exists",):
        return True
    return (
        bool(before)
        and before[-1] == "has"
        and before[0] in ("$", "the", "every")
        and words.count("has") == 1
        and before[0] != "every"
    )


def _asserts_alone(tokens: tuple[str, ...], at: int) -> bool:
    """Whether the relation is all that is concluded: one piece with it alone, perhaps for all of something."""
    first = tokens.index("$") if "$" in tokens else len(tokens)
    if set(tokens[:first]) - {"we", "have", "one", "has", "that"}:
        return False
    last = tokens.index("$", first + 1)
    if not first < at < last:
        return False
    depth = 0
    for i, token in enumerate(tokens[first + 1 : last], first + 1):
        depth += (token in ("{", "(", "[")) - (token in ("}", ")", "]"))
        if i == at and depth:
            return False
        if (
            i != at
            and not depth
            and token
            in (
                "=",
                "\\neq",
                "<",
                ">",
                "\\leq",
                "\\geq",
                ",",
                "\\mid",
                "\\in",
                "\\subset",
                "\\subseteq",
                "\\Rightarrow",
                "\\\\",
                "\\to",
                "\\simeq",
            )
        ):
            return False
    tail = tokens[last + 1 :]
    return not tail or (
        tail[0] in ("forall", "for", "when", "whenever", "if")
        and tail[:2] != _FOR_SOME
        and not set(tail) & {"if", "or", "some", "and"}
    )


def decide_formal(original: Signature, other: Signature) -> Decision:
    """As `decide_informal`, of Lean statements.

    Raises:
        NoNegativeError: it says the same, is weaker, or holds wherever the original was tried.
    """
    hypotheses = [[each.type for each in signature.hypotheses] for signature in (original, other)]
    same_context = [each.type for each in original.binders if not each.is_hypothesis] == [
        each.type for each in other.binders if not each.is_hypothesis
    ]
    if same_context and set(hypotheses[0]) <= set(hypotheses[1]) and original.conclusion == other.conclusion:
        raise NoNegativeError("not_weaker: it supposes the same or more and concludes the same")
    try:
        decided = decide_problems(state_problem(original), state_problem(other))
    except UnstatedError:
        decided = None
    if decided is not None:
        return decided
    if same_context and set(hypotheses[0]) == set(hypotheses[1]):
        found = _oppose(original.conclusion, other.conclusion)
        # Two numerals may be one in a ring of some characteristic, and two quotients one in the natural numbers.
        abstract = any(each.bracket == "[" for each in original.binders)
        whole = "/" in original.source and not set("ℝℚℂ") & set(original.source)
        if found and not (found.startswith("equal to") and (abstract or whole)):
            return Decision("contradiction", found)
    return Decision("undecided")


def _oppose(one: Term, other: Term) -> str:
    """Whether two conclusions exclude each other."""
    if other == Term("not", (one,)) or one == Term("not", (other,)):
        return "the one is the other's negation"
    if one.head == other.head == "forall" and one.name == other.name and one.args[0] == other.args[0]:
        return _oppose(one.args[1], other.args[1])
    if one.head == other.head == "imp" and one.args[0] == other.args[0]:
        return _oppose(one.args[1], other.args[1])
    if one.head == other.head == "and" and len(one.args) == 2:
        for i in (0, 1):
            if one.args[1 - i] == other.args[1 - i]:
                return _oppose(one.args[i], other.args[i])
    if COMPLEMENT.get(one.head) == other.head and one.args == other.args:
        return f"{one.head} against {other.head}"
    if one.head == other.head == "eq" and one.args[0] == other.args[0]:
        world = World({}, {}, lean=False)
        values = []
        for each in (one.args[1], other.args[1]):
            try:
                values.append(evaluate(each, world))
            except (UnknownValueError, UndefinedValueError, ExhaustedError):
                return ""
        if _differ(*values):
            return f"equal to {values[0]} against {values[1]}"
    return ""
