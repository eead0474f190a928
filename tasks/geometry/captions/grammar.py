r"""The small language that claim patterns are written in, and the equations and relations that it reads.

``<seg:a>`` in a pattern is a segment whose letters go by ``a``; `compile_template` makes it a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from storage.rows import Fact

UNNAMED_CIRCLE = "c1"

Groups = dict[str, str]
Build = Callable[[Groups], tuple[Fact, ...]]


class ClaimError(ValueError):
    """A text whose claims cannot be read. ``unread`` is the piece that no pattern fits."""

    def __init__(self, unread: str, why: str = "no known claim reads like this") -> None:
        super().__init__(f"cannot read {unread!r}: {why}")
        self.unread = unread


LABEL = r"[A-Z](?:_?\d+|')*"
NOT_LABEL = r"(?![A-Za-z0-9'])"
NUMBER = r"\d+(?:\.\d+)?"
ATOM = rf"(?:\\sqrt\{{[^{{}}]*\}}|\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|\\pi|{NUMBER}|[a-z](?![a-z])|\([^()]*\))"
POWER = rf"\^(?:\{{[^{{}}]*\}}|{ATOM})"
VALUE = rf"-?{ATOM}(?: ?[-+*/] ?{ATOM}|{ATOM}|{POWER})*"
UNIT = r"(?: ?(?:units?|cm|mm|km|inches|in|feet|ft|yd|meters?|metres?|m)\b(?! ?[=<]))?"
DEGREES = r"(?: ?(?:\^\{?\\circ\}?|degrees?\b))?"
SEGMENT_WORDS = r"(?:(?:the )?(?:(?:line )?segments?|sides?|lines?|edges?|rays?|diagonals?) )?"
SHAPE_WORDS = (
    r"(?:isosceles trapezoid|right trapezoid|square|rectangle|rhombus|parallelogram|trapezoid|kite|quadrilateral)"
)
KIND_WORDS = r"(?:equilateral|isosceles right|right isosceles|isosceles|right-angled|right|scalene|acute|obtuse)"
POLYGON_WORDS = r"(?:pentagon|hexagon|heptagon|octagon|nonagon|decagon|polygon)"
MACROS = {
    "P": rf"(?:(?:the )?points? )?(?P<NAME>{LABEL}){NOT_LABEL}",
    "seg": rf"{SEGMENT_WORDS}(?P<NAME>(?:{LABEL}){{2}}){NOT_LABEL}",
    "ang": rf"(?:m ?)?(?:\\angle ?|(?:the )?angle )(?P<NAME>(?:{LABEL}){{3}}|{LABEL}){NOT_LABEL}",
    "tri": rf"(?:\\triangle ?|(?:the )?triangle )(?P<NAME>(?:{LABEL}){{3}}){NOT_LABEL}",
    "quad": rf"(?P<NAME>(?:{LABEL}){{4}}){NOT_LABEL}",
    "run": rf"(?P<NAME>(?:{LABEL}){{3,}}){NOT_LABEL}",
    "circ": rf"(?:(?:\\odot ?|(?:the )?circle (?:with cent(?:re|er) )?)(?P<NAME>{LABEL}|c\d){NOT_LABEL}|the circle\b)",
    "list": rf"(?:(?:the )?points? )?(?P<NAME>{LABEL}{NOT_LABEL}(?:(?:, and |, | and ){LABEL}{NOT_LABEL})+)",
    "val": rf"(?P<NAME>{VALUE})",
    "shape": rf"(?P<NAME>{SHAPE_WORDS})",
    "kind": rf"(?P<NAME>{KIND_WORDS})",
    "poly": rf"(?P<NAME>{POLYGON_WORDS})",
}


def compile_template(template: str) -> re.Pattern[str]:
    """``<seg:a>`` becomes the macro ``seg`` captured as group ``a``; the rest is a regular expression."""

    def expand(match: re.Match[str]) -> str:
        macro, name = match.group(1), match.group(2)
        return MACROS[macro].replace("NAME", name)

    return re.compile(re.sub(r"<([A-Za-z]+):(\w+)>", expand, template))


def split_labels(run: str) -> tuple[str, ...]:
    """``"AB'C_1"`` is ``("A", "B'", "C_1")``."""
    return tuple(re.findall(LABEL, run))


def state(predicate: str, *arguments: str, value: str | None = None) -> Fact:
    return Fact(predicate, arguments, value)


def get_circle(groups: Groups, name: str) -> str:
    return groups.get(name) or UNNAMED_CIRCLE


def clean_value(text: str) -> str:
    value = re.sub(r"\s+", "", text)
    while value.startswith("(") and value.endswith(")") and "(" not in value[1:-1]:
        value = value[1:-1]
    return value


TERM = rf"(?:{MACROS['ang']}|{MACROS['tri']}|{MACROS['seg']}|{VALUE})".replace("(?P<NAME>", "(?:")
RELATION = r"(?: ?(?:=|\\parallel|\\perp|\\cong|\\sim) ?)"
CHAIN = re.compile(rf"({TERM}{DEGREES}{UNIT}(?:{RELATION}{TERM}{DEGREES}{UNIT})+)")


def read_term(text: str) -> tuple[str, tuple[str, ...] | str]:
    """One side of an equation as (sort, labels or value)."""
    for sort in ("ang", "tri", "seg"):
        match = compile_template(f"<{sort}:x>").fullmatch(text)
        if match:
            return sort, split_labels(match["x"])
    return "val", clean_value(re.sub(rf"{DEGREES}{UNIT}$", "", text))


def read_chain(text: str) -> tuple[Fact, ...]:
    """``AB = CD = 8``, ``AB \\parallel CD``, ``\\triangle ABC \\sim \\triangle DEF``."""
    pieces = re.split(r" ?(=|\\parallel|\\perp|\\cong|\\sim) ?", text)
    operators = pieces[1::2]
    terms = [read_term(piece) for piece in pieces[0::2]]
    if set(operators) == {"="} and terms[-1][0] == "val":
        value = str(terms[-1][1])
        return tuple(_state_measure(term, value, text) for term in terms[:-1])
    return tuple(
        _state_relation(left, operator, right, text)
        for (left, right), operator in zip(pairwise(terms), operators, strict=True)
    )


def _state_measure(term: tuple[str, tuple[str, ...] | str], value: str, text: str) -> Fact:
    sort, labels = term
    if sort == "seg":
        return Fact("length", tuple(labels), value)
    if sort == "ang":
        return Fact("angle", fill_angle(tuple(labels)), value)
    raise ClaimError(text, "only a segment or an angle has a measure")


def _state_relation(
    left: tuple[str, tuple[str, ...] | str], operator: str, right: tuple[str, tuple[str, ...] | str], text: str
) -> Fact:
    sorts = (left[0], right[0])
    predicate = {
        ("seg", "seg", "="): "equal_length",
        ("seg", "seg", r"\cong"): "equal_length",
        ("ang", "ang", "="): "equal_angle",
        ("ang", "ang", r"\cong"): "equal_angle",
        ("seg", "seg", r"\parallel"): "parallel",
        ("seg", "seg", r"\perp"): "perpendicular",
        ("tri", "tri", r"\cong"): "congruent",
        ("tri", "tri", r"\sim"): "similar",
    }.get((*sorts, operator))
    if predicate is None:
        raise ClaimError(text, f"{operator} does not relate these")
    sides = [fill_angle(tuple(labels)) if sort == "ang" else tuple(labels) for sort, labels in (left, right)]
    return Fact(predicate, sides[0] + sides[1])


def fill_angle(labels: tuple[str, ...]) -> tuple[str, ...]:
    """``\\angle A`` keeps its vertex only; its sides are found once all claims are read."""
    return labels if len(labels) == 3 else ("?", labels[0], "?")


_OPERATORS = {
    "equal": "=",
    "congruent": r"\cong",
    "parallel": r"\parallel",
    "perpendicular": r"\perp",
    "similar": r"\sim",
}


def relate(groups: Groups) -> tuple[Fact, ...]:
    left, right = read_term(groups["a"]), read_term(groups["b"])
    operator = _OPERATORS[groups["word"]]
    claims: tuple[Fact, ...] = (
        _state_relation(left, operator, right, f"{groups['a']} {groups['word']} {groups['b']}"),
    )
    foot = groups.get("foot")
    if foot and foot not in left[1] and foot not in right[1]:
        claims += (Fact("intersection", (foot, *left[1], *right[1])),)
    return claims
