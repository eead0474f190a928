r"""Equations and signs between things: ``AB = CD = 8``, ``AB \parallel CD``, and the same in words."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import DEGREES, UNIT, VALUE, ClaimError, match_sort
from counterfoil.tasks.geometry.captions.templates import (
    NAMED,
    THE_CIRCLE,
    Template,
    clean_value,
    read_angle,
    split_labels,
    split_wordings,
)
from counterfoil.tasks.geometry.facts.predicate import Names
from counterfoil.tasks.geometry.facts.predicates import PREDICATES

_SIGNS = {"equal": "=", "congruent": r"\cong", "parallel": r"\parallel", "perpendicular": r"\perp", "similar": r"\sim"}
_SIGN = r"(=|\\parallel|\\perp|\\cong|\\sim)"
_SIDE = rf"(?:{NAMED}|{VALUE}{DEGREES}{UNIT})"
"""A thing has no unit: in ``AB = AC in triangle ABC`` stands no inch."""
Term = tuple[str, tuple[str, ...] | str]
"""One side of an equation: its sort with its labels or value."""


@cache
def find_chain() -> re.Pattern[str]:
    """What an equation between things or values is read by; compiled when a caption is read."""
    return re.compile(rf"({_SIDE}(?: ?{_SIGN} ?{_SIDE})+)")


@cache
def _find_terms() -> dict[str, re.Pattern[str]]:
    return {sort: re.compile(match_sort(sort, "x")) for sort in ("angle", "arc", "shape", "segment")}


@cache
def _find_relations() -> dict[tuple[str, str], str]:
    """What a sign says between two things of one sort."""
    return {
        (Template(text).slots[0].sort, sign[1]): row.name
        for row in PREDICATES.values()
        for text in split_wordings(row.words, row.readings)
        if row.group == "relation" and (sign := re.fullmatch(rf"<[^<>]*> {_SIGN} <[^<>]*>", text))
    }


def read_chain(text: str) -> tuple[Fact, ...]:
    r"""``AB = CD = 8``, ``AB \parallel CD``, ``\triangle ABC \sim \triangle DEF``."""
    pieces = re.split(rf" ?{_SIGN} ?", text)
    signs = pieces[1::2]
    terms = [_read_term(piece) for piece in pieces[0::2]]
    if set(signs) == {"="} and terms[-1][0] == "value":
        return tuple(_state_measure(term, str(terms[-1][1]), text) for term in terms[:-1])
    return tuple(
        _state_relation(left, sign, right, text) for (left, right), sign in zip(pairwise(terms), signs, strict=True)
    )


def relate(names: Names, text: str) -> tuple[Fact, ...]:
    """``AB is perpendicular to CD at E``: the terms are ``L`` and ``R``, the relation stands in the text."""
    left, right = _read_term(names["L"]), _read_term(names["R"])
    sign = next((sign for word, sign in _SIGNS.items() if re.search(rf"\b{word}\b", text)), "=")
    if r"\perp" in text:
        sign = r"\perp"
    claims: tuple[Fact, ...] = (_state_relation(left, sign, right, text),)
    foot = names.get("F", "")
    if foot and not (foot in left[1] and foot in right[1]):
        claims += (Fact("intersection", (foot, *left[1], *right[1])),)
    return claims


def _read_term(text: str) -> Term:
    for sort, pattern in _find_terms().items():
        if match := pattern.fullmatch(text):
            return sort, read_angle(match["x"]) if sort == "angle" else split_labels(match["x"])
    return "value", clean_value(text)


def _state_measure(term: Term, value: str, text: str) -> Fact:
    labels = tuple(term[1])
    match term[0]:
        case "segment":
            return Fact("length", labels, value)
        case "angle":
            return Fact("angle", labels, value)
        case "arc":
            return Fact("arc", (*labels, THE_CIRCLE), value)
    raise ClaimError(text, "only a segment, an angle or an arc has a measure")


def _state_relation(left: Term, sign: str, right: Term, text: str) -> Fact:
    predicate = _find_relations().get((left[0], sign)) if left[0] == right[0] else None
    if predicate is None:
        raise ClaimError(text, f"{sign} does not relate these")
    return Fact(predicate, (*left[1], *right[1]))
