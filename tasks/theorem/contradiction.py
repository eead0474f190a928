"""Whether what one informal statement concludes excludes what another does, where both suppose the same."""

from __future__ import annotations

import re
from typing import Any

from counterfoil.tasks.theorem.algebra.evaluate import evaluate
from counterfoil.tasks.theorem.algebra.polynomial import Relation
from counterfoil.tasks.theorem.algebra.values import differ
from counterfoil.tasks.theorem.algebra.world import ExhaustedError, UndefinedValueError, UnknownValueError, World
from counterfoil.tasks.theorem.edits.informal import list_choices, split_choice
from counterfoil.tasks.theorem.language.antonyms import EXCLUDED
from counterfoil.tasks.theorem.language.compare import read_clauses
from counterfoil.tasks.theorem.language.conditions import move_conditions
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.language.normal import Fact, Normal, normalise
from counterfoil.tasks.theorem.language.wordings import KINDS, TABLES
from counterfoil.tasks.theorem.latex.terms import LatexError, read_statements

_VAGUE = frozenset(TABLES["vague"])
_FOR_SOME = ("for", "some")
_COMPLEMENTS = {
    frozenset({"=", "\\neq"}),
    frozenset({"<", "\\geq"}),
    frozenset({">", "\\leq"}),
    frozenset({"\\mid", "\\nmid"}),
    frozenset({"\\in", "\\notin"}),
}


def find_contradiction(original: Statement, normal: Normal, other: Statement) -> str:
    """What excludes what; empty where that cannot be seen. Both have their variables under the same names."""
    changed = normalise(other)
    if normal.hypotheses != changed.hypotheses or _is_loose(original) or _is_loose(other):
        return ""
    gone, new = normal.claims - changed.claims, changed.claims - normal.claims
    if len(gone) != 1 or len(new) != 1:
        return ""
    one, two = next(iter(gone)), next(iter(new))
    asked = [each.list_clauses("question") for each in (original, other)]
    if all(asked):
        return _compare_answers(original, other) if _ask_the_same(one, two) else ""
    if any(asked) and _has_several(original if asked[0] else other):
        return ""
    if isinstance(one, Relation) and isinstance(two, Relation):
        if any(_brings_in(each) for each in normal.claims & changed.claims):
            return ""
        return f"{_tell(one)} against {_tell(two)}" if one.excludes(two) else ""
    if isinstance(one, tuple) and isinstance(two, tuple) and (told := _oppose_divisors(one, two)):
        return told
    conclusions = [read_clauses(move_conditions(each)).claims for each in (original, other)]
    if any(len(each) != 1 for each in conclusions) or _speaks_of_functions(original):
        return ""
    return _compare_conclusions(conclusions[0][0][1:], conclusions[1][0][1:])


_SOME = _VAGUE | {"there", "exist", "have", "no", "not", "never", "cannot"}


def _brings_in(fact: Fact) -> bool:
    """Whether it says of something that there is one, or none ("there must be an element"): a relation beside it says
    which, and another may hold of another."""
    return isinstance(fact, tuple) and not _SOME.isdisjoint(fact)


def _oppose_divisors(one: tuple[str, ...], two: tuple[str, ...]) -> str:
    """``a`` divides ``b`` against that it does not."""
    heads = [each[1].partition("(") if len(each) == 2 and each[0] == "$" else ("", "", "") for each in (one, two)]
    opposed = {head for head, _, _ in heads} == {"1·dvd:", "1·ndvd:"} and heads[0][2] == heads[1][2]
    return f"{one[1]} against {two[1]}" if opposed else ""


def _tell(relation: Relation) -> str:
    return f"{relation.key} {relation.sign} {relation.bound}"


def _is_loose(statement: Statement) -> bool:
    """Whether something is said "for some", "for infinitely many", "for large" things: two such may be true at once."""
    for clause in move_conditions(statement).list_clauses("hypothesis"):
        word = re.match(r"[A-Za-z-]+", statement.quote(clause))
        known = word is None or len(word[0]) == 1 or word[0].rstrip("s").lower() in (KINDS | _EVERY)
        if clause.lead == "for" and not known:
            return True
    return False


_EVERY = frozenset({"all", "any", "every", "each", "positive", "negative", "nonnegative", "nonzero", "non-zero"})


def _speaks_of_functions(statement: Statement) -> bool:
    """Of functions that are even and odd there is one: zero."""
    return bool(re.search(r"\b(?:functions?|maps?|polynomials?)\b", statement.text)) and bool(
        re.search(r"\b(?:even|odd)\b", statement.text)
    )


def _ask_the_same(one: Fact, two: Fact) -> bool:
    """Whether two questions with their answers ask for one thing."""
    if isinstance(one, Relation) or isinstance(two, Relation):
        return isinstance(one, Relation) and isinstance(two, Relation) and one.key == two.key and one.sign == two.sign
    if "be" not in one or "be" not in two:
        return False
    return _before_last_be(one) == _before_last_be(two)


def _before_last_be(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tokens[: len(tokens) - 1 - tokens[::-1].index("be")]


_SEVERAL = re.compile(
    r"^(?:what (?:is|are)|find|determine|compute|give|solve for|evaluate|calculate)\s+"
    r"(?:an?|one|some|any|all|every|possible|the possible|the values|the solutions|the roots|the pairs|which)\b"
    r"|\b(?:one|an?) (?:pair|value|integer|example|solution)\b|which of the following|possible value"
    r"|approximat|nearest|rounded|estimate|roughly|about how",
    re.IGNORECASE,
)
"""Questions of which several answers are right: they decide nothing."""


def _compare_answers(original: Statement, other: Statement) -> str:
    """Two values of what is asked; a question of which there are several answers decides nothing."""
    values, marks = [], []
    for statement in (original, other):
        if _has_several(statement):
            return ""
        choices = dict(list_choices(statement.text[: statement.verb[0]]))
        label, said = split_choice(statement.quote(statement.list_clauses("answer")[0]))
        if label and choices and _squeeze(choices.get(label, "")) != _squeeze(said):
            return ""
        value = read_value(said)
        if value is None:
            return ""
        values.append(value)
        # A share and a percentage, degrees and multiples of pi, dollars and cents may be one.
        marks.append(frozenset(mark for mark in ("\\%", "\\pi", "\\$", "\\circ") if mark in said))
    if marks[0] != marks[1] or _is_rounded(*values):
        return ""
    return f"the answer is {values[0]}, not {values[1]}" if differ(*values) else ""


def _has_several(statement: Statement) -> bool:
    """Whether several answers to its question may be right."""
    return bool(_SEVERAL.search(statement.quote(statement.list_clauses("question")[0]).strip()))


def _is_rounded(one: Any, other: Any) -> bool:
    """Whether a decimal may be the other, rounded."""
    values = [complex(each) for each in (one, other)]
    whole = all(isinstance(each, int) for each in (one, other))
    return not whole and abs(values[0] - values[1]) <= 0.02 * max(abs(each) for each in values)


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
    existence = _is_existence(pair, one[:start], rest)
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
        if new[0] in EXCLUDED.get(gone[0], ()) and before == "be" and words.count("be") == 1 and "not" not in words:
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


def _is_existence(pair: set[tuple[str, ...]], before: tuple[str, ...], rest: list[str]) -> bool:
    """``there is a`` against ``there is no``, ``$G$ has a`` against ``$G$ has no``: the first thing that is said."""
    # "has no subgroups" against "has subgroups": the plural has no article.
    plural = () in pair and before[-1:] in (("has",), ("have",))
    if ("no",) not in pair or not (pair & {("a",), ("an",)} or plural):
        return False
    words = _list_words(rest)
    if {"and", "no", "not", "iff", "if", "or", "unless", "either"} & set(words):
        return False
    if before == ("exists",):
        return True
    return (
        bool(before)
        and before[-1] in ("has", "have")
        and before[0] in ("$", "the", "every")
        and words.count("has") + words.count("have") == 1
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
