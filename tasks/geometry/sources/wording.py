"""A problem's question without formal code: clauses that a converter left as they were are put in words.

``PM=Mul(LengthOfLine(KP),2)`` becomes ``PM=2KP``. What was cut at a comma, ``Mul(LengthOfLine(IJ)=LengthOfLine(YJ))``,
is read from the statement that it was made of: the clauses of a question are those of ``text_cdl``, in their order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from counterfoil.tasks.geometry.sources.cdl import Statement
from counterfoil.tasks.geometry.sources.vocabulary import OPERATIONS, STATEMENTS, TERMS, read_field, read_goal

_NAMES = "|".join(sorted((*STATEMENTS, *TERMS, *OPERATIONS, "Equal", "Value"), key=len, reverse=True))
_FORMAL = re.compile(rf"\b(?:{_NAMES})\b\s*\(|\b[A-Z][a-z]+(?:[A-Z][a-z]*)*\(|\b(?:sin|cos|tan)\([A-Z]")
_SENTENCE = re.compile(r"(?P<before>As shown in the diagram, )?(?P<body>.*?)(?P<goal>\. (?:Find|Prove) .*)", re.DOTALL)
_GOAL = re.compile(r"\. Find (?:the value of )?")
_SIZES = {
    "Length": "length",
    "Measure": "measure",
    "Radius": "radius",
    "Diameter": "diameter",
    "Perimeter": "perimeter",
    "Area": "area",
    "Height": "height",
}


class FormalError(ValueError):
    """A question has formal code in it that cannot be put in words."""


def find_formal(text: str) -> str | None:
    """The first formal code in ``text``, such as ``Add(`` or ``cos(A``, or None.

    >>> find_formal("x=Add(AreaOfTriangle(CBO), BE is 4"), find_formal("AB=5*sqrt(3), find f(x) and sin(x)")
    ('Add(', None)
    """
    found = _FORMAL.search(text)
    return found.group() if found else None


def write_question(row: Mapping[str, Any]) -> str:
    """The question of a row, what is formal code in it in words.

    Raises:
        FormalError: its clauses are not those of ``text_cdl``.
        counterfoil.tasks.geometry.sources.cdl.CdlError: a formal statement cannot be read.
    """
    text = str(row["text_en"])
    if find_formal(text) is None:
        return text
    parts = _SENTENCE.fullmatch(text)
    if parts is None:
        raise FormalError(f"{find_formal(text)!r} stands in a question that is not written in clauses")
    clauses, statements = parts["body"].split(", "), read_field(row, "text_cdl")
    if find_formal(parts["body"]):
        if len(clauses) != len(statements):
            raise FormalError(
                f"{find_formal(text)!r} stands in one of {len(clauses)} clauses, of {len(statements)} stated"
            )
        clauses = [_write_clause(*each) for each in zip(clauses, statements, strict=True)]
    goal = parts["goal"]
    if find_formal(goal):
        asked = read_goal(row)
        if asked is None or asked.name != "Value" or _GOAL.match(goal) is None:
            raise FormalError(f"{find_formal(goal)!r} is asked for, and goal_cdl does not say what it is")
        goal = f". Find the value of {_write_term(asked.parts[0])}."
    written = f"{parts['before'] or ''}{', '.join(clauses)}{goal}"
    if find_formal(written):
        raise FormalError(f"{find_formal(written)!r} cannot be put in words")
    return written


def _write_clause(clause: str, statement: Statement) -> str:
    if find_formal(clause) is None:
        return clause
    names = set(re.findall(r"\b[A-Z]{1,4}\b", clause))
    if statement.name != "Equal" or not names <= _list_names(statement):
        raise FormalError(f"{clause!r} is not what text_cdl states")
    sides = [_write_term(part) for part in statement.parts]
    if all(_is_sign(part) for part in statement.parts):
        return "=".join(sides)
    # A size reads as the subject of its sentence.
    if _is_sign(statement.parts[0]) and statement.parts[1].parts and not statement.parts[0].parts:
        sides.reverse()
    return f"{sides[0]} is {' and '.join(sides[1:])}"


def _list_names(statement: Statement) -> set[str]:
    found = {statement.name} if statement.bare else set()
    return found.union(*(_list_names(part) for part in statement.parts))


def _is_sign(term: Statement) -> bool:
    """Whether a term is written in signs alone: lines, angles, numbers and what is made of them."""
    if term.bare or term.name in ("LengthOfLine", "MeasureOfAngle"):
        return True
    return term.name in OPERATIONS and all(_is_sign(part) for part in term.parts)


def _write_term(term: Statement) -> str:
    parts = term.parts
    if term.bare:
        return term.name
    if term.name in OPERATIONS:
        return _write_signs(term) if _is_sign(term) else _write_words(term)
    if term.name == "LengthOfLine":
        return parts[0].name
    if term.name == "MeasureOfAngle":
        return f"∠{parts[0].name}"
    if term.name.startswith("Ratio"):
        thing = term.name.partition("Similar")[2].lower()
        return f"the ratio of the similar {thing}s {parts[0].name} and {parts[1].name}"
    size, _, thing = term.name.partition("Of")
    noun = "circumference" if term.name == "PerimeterOfCircle" else _SIZES[size]
    return f"the {noun} of {thing.lower()} {parts[0].name}"


def _write_signs(term: Statement) -> str:
    written = [_write_term(part) for part in term.parts]
    match term.name:
        case "Add":
            return "+".join(written)
        case "Sub":
            return f"{written[0]}-{_embrace(term.parts[1], written[1], 'Add', 'Sub')}"
        case "Mul":
            # A number or an unknown stands before what it multiplies, as textbooks write it.
            order = sorted(range(len(written)), key=lambda i: not term.parts[i].bare)
            factors = [_embrace(term.parts[i], written[i], "Add", "Sub") for i in order]
            bare = sum(part.bare for part in term.parts)
            return "".join(factors[:bare]) + "·".join(factors[bare:])
        case "Div":
            return "/".join(_embrace(part, each, *OPERATIONS) for part, each in zip(term.parts, written, strict=True))
        case "Pow":
            return f"{_embrace(term.parts[0], written[0], *OPERATIONS)}^{written[1]}"
        case "Sqrt":
            return f"sqrt({written[0]})"
    return f"{term.name.lower()} {_embrace(term.parts[0], written[0], *OPERATIONS)}"


def _embrace(term: Statement, written: str, *operations: str) -> str:
    """In brackets where it is one of these operations, or an expression that would fall apart."""
    return f"({written})" if term.name in operations or (term.bare and re.search("[-+/]", written)) else written


def _write_words(term: Statement) -> str:
    written = [_write_term(part) for part in term.parts]
    match term.name:
        case "Add":
            return f"the sum of {', '.join(written[:-1])} and {written[-1]}"
        case "Sub":
            return f"{written[0]} minus {written[1]}"
        case "Mul":
            return " times ".join(sorted(written, key=lambda each: each.startswith("the ")))
        case "Div":
            return f"the ratio of {written[0]} to {written[1]}"
    raise FormalError(f"{term.name} of {written[0]} cannot be put in words")
