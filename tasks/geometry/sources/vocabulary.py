"""The words of Geometry3K's formal statements (FormalGeo CDL), and whether a statement is made of them.

A statement outside this table is nobody's guess: it is refused by name, with the field that holds it, before anything
is read of it. What a picture has no way to show (areas, sums, ratios of angles) is in the table and stays in the
question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import accumulate
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.geometry.facts.expressions import ExpressionError, find_unknowns
from counterfoil.tasks.geometry.sources.cdl import CdlError, Statement, parse_statement

_LETTERS = {"Line": 2, "Angle": 3, "Arc": 3, "Sector": 3, "Triangle": 3, "Quadrilateral": 4, "Circle": 1}
"""By how many points a thing is named."""
_TABLES = read_toml(Path(__file__).with_name("vocabulary.toml"))
SHAPES: dict[str, str] = _TABLES["shapes"]
"""Shapes by the facts that they state."""
RELATIONS: dict[str, str] = _TABLES["relations"]
"""Relations by the facts that they state, their points in the same order."""
MIRRORED: dict[str, str] = _TABLES["mirrored"]
MEASURES = {"LengthOfLine": "length", "MeasureOfAngle": "angle", "MeasureOfArc": "arc", "RadiusOfCircle": "radius"}
_UNDRAWN: list[str] = _TABLES["undrawn"]
_BY_POINT = ("Midpoint", "Centre", "Incenter", "Centroid", "Circumcenter", "Orthocenter")
_SIZES: dict[str, list[str]] = _TABLES["sizes"]
OPERATIONS = {"Add": (2, 99), "Sub": (2, 2), "Mul": (2, 99), "Div": (2, 2), "Pow": (2, 2), "Sqrt": (1, 1)}
OPERATIONS |= dict.fromkeys(("Sin", "Cos", "Tan"), (1, 1))
"""How many terms an operation takes, least and most."""
_CONSTRUCTIONS = {
    "Shape": (r"[^\W\d_]{1,3}(,[^\W\d_]{1,3})*", "Shape(AB,BC,CA), with OAB for an arc of circle O"),
    "Collinear": (r"[^\W\d_]{2,}|[^\W\d_](,[^\W\d_])+", "Collinear(ABC)"),
    "Cocircular": (r"[^\W\d_](,[^\W\d_]+)*", "Cocircular(O,ABC)"),
}
"""What the parts of a construction are, and how it is written."""
_FUNCTIONS = {"sqrt", "pi", "sin", "cos", "tan"}
"""The only words of an expression; any other run of letters would be read as a product of them."""


def _list_statements() -> Iterator[tuple[str, tuple[int, ...]]]:
    for name in (*SHAPES, "IsoscelesRightTriangle"):
        yield name, (3 if name.endswith("Triangle") else 4,)
    for name in (*RELATIONS, *MIRRORED, *_UNDRAWN):
        kind, _, thing = name.removeprefix("Is").partition("Between" if "Between" in name else "Of")
        if thing:
            letters = _LETTERS[thing]
            yield name, (letters if "Between" in name else 1 if kind in _BY_POINT else 2, letters)


STATEMENTS: Mapping[str, tuple[int, ...]] = dict(_list_statements())
"""How many letters each part of a statement has."""
TERMS: Mapping[str, tuple[int, ...]] = {
    f"{size}{'' if size.startswith('Ratio') else 'Of'}{thing}": (_LETTERS[thing],) * (1 + size.startswith("Ratio"))
    for size, things in _SIZES.items()
    for thing in things
}
"""Sizes of things, likewise."""


def read_field(row: Mapping[str, Any], field: str) -> list[Statement]:
    """The statements of a field of a row, each of words in the table.

    Raises:
        CdlError: with the field and the statement that is none.
    """
    texts = row[field]
    if not isinstance(texts, list):
        raise CdlError(f"{field} is not a list")
    return [_read(text, field) for text in texts]


def read_goal(row: Mapping[str, Any]) -> Statement | None:
    """What ``goal_cdl`` asks for, where the row has it.

    Raises:
        CdlError: it is not made of the table's words.
    """
    return None if row.get("goal_cdl") is None else _read(row["goal_cdl"], "goal_cdl")


def _read(text: object, field: str) -> Statement:
    if not isinstance(text, str):
        raise CdlError(f"{field}: {text!r} is not text")
    try:
        statement = parse_statement(text.replace("，", ","))
        fault = _find_fault(statement, field)
    except CdlError as error:
        raise CdlError(f"{field}: {error}") from error
    if fault:
        raise CdlError(f"{field}: {text}: {fault}")
    return statement


def _find_fault(statement: Statement, field: str) -> str | None:
    """Why this is no statement, or None."""
    name, parts = statement.name, statement.parts
    if statement.bare:
        return "it is no statement; write one as Predicate(ARGUMENTS)"
    if field == "construction_cdl":
        return _find_bad_construction(statement)
    if field == "goal_cdl" and name in ("Value", "Relation"):
        if len(parts) != 1:
            return f"{name} takes 1 argument, not {len(parts)}"
        return _find_bad_term(parts[0]) if name == "Value" else _find_fault(parts[0], field)
    if name == "Equal":
        if len(parts) < 2:
            return f"Equal needs two terms, not {len(parts)}"
        return next((fault for part in parts if (fault := _find_bad_term(part))), None)
    if name not in STATEMENTS:
        return f"{name} is no predicate{_suggest(name, (*STATEMENTS, 'Equal'))}"
    return _find_bad_letters(statement, STATEMENTS[name])


def _find_bad_construction(statement: Statement) -> str | None:
    form = _CONSTRUCTIONS.get(statement.name)
    if form is None:
        return f"{statement.name} is no construction{_suggest(statement.name, tuple(_CONSTRUCTIONS))}"
    pattern, example = form
    if not all(part.bare for part in statement.parts) or not re.fullmatch(
        pattern, ",".join(part.name for part in statement.parts)
    ):
        return f"{statement.name} is written {example}"
    return None


def _find_bad_letters(statement: Statement, letters: tuple[int, ...]) -> str | None:
    ends = list(accumulate(letters))
    names = ("ABCDEFGH"[end - count : end] for count, end in zip(letters, ends, strict=True))
    shape = f"{statement.name}({','.join(names)})"
    parts = statement.parts
    if len(parts) != len(letters):
        return f"{statement.name} takes {len(letters)} argument{'s' * (len(letters) > 1)}, not {len(parts)}: {shape}"
    for part, count in zip(parts, letters, strict=True):
        if not part.bare or not re.fullmatch(rf"[^\W\d_]{{{count}}}", part.name):
            return f"{part.name!r} is not the name of {count} point{'s' * (count > 1)}: {shape}"
    return None


def _find_bad_term(term: Statement) -> str | None:
    """Why this is no size and no expression, or None."""
    if term.bare:
        return _find_bad_expression(term.name)
    if term.name in TERMS:
        return _find_bad_letters(term, TERMS[term.name])
    if term.name not in OPERATIONS:
        return f"{term.name} is no size of anything{_suggest(term.name, (*TERMS, *OPERATIONS))}"
    least, most = OPERATIONS[term.name]
    if not least <= len(term.parts) <= most:
        return f"{term.name} takes {least if least == most else f'{least} or more'} terms, not {len(term.parts)}"
    return next((fault for part in term.parts if (fault := _find_bad_term(part))), None)


def _find_bad_expression(text: str) -> str | None:
    word = next((word for word in re.findall("[A-Za-z]{2,}", text) if word not in _FUNCTIONS), None)
    if word is not None:
        return f"{word!r} stands where a number or an expression should; products are written with *"
    try:
        find_unknowns(text)
    except ExpressionError as error:
        return str(error)
    return None


def _suggest(name: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(name, known, 1, 0.75)
    return f"; is it {near[0]}?" if near else ""
