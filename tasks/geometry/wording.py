r"""Single statements about figures: a sentence of a caption each, and its denial ("AB is not parallel to CD")."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.contract.wording import Wording, split_sentences
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.read import parse_caption, parse_claims
from counterfoil.tasks.geometry.checks import check_possible, list_clumsy, look_at_anchor, read_anchor, refutes
from counterfoil.tasks.geometry.facts.judge import FactError
from counterfoil.tasks.geometry.facts.predicates import BARE, NUMBER_MARKS, PREDICATES
from counterfoil.tasks.geometry.figure.claims import count_measured, list_meanings
from counterfoil.tasks.geometry.settings import GeometrySettings

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ROOTED = re.compile(r"(?:sqrt\{|sqrt\(|√|\^\{?)(\d+(?:\.\d+)?)")
_NAME = re.compile(r"\b[A-Z]{1,5}\b")
_UNSAID = re.compile(r"[-+]\s?0(?![.\d])|\\sqrt\{[01]\}|\b[01](?:[a-z]\b|\\sqrt|√)")
"""Numbers that nobody writes so: -0, 1x, the root of 1, a root once."""
_TWICE = re.compile(r"\b([A-Z]+)(?:, [A-Z]+)*,? and \1\b")
"""A list that names a thing twice: ``F and F are points on DE and EH``."""
_STEPS = (-5, -2, -1, 1, 2, 5)
_KINDS = (
    ("relation", ("perpendicular", "parallel")),
    ("relation", (r"\perp", r"\parallel")),
    ("shape", ("right", "isosceles", "equilateral", "scalene")),
    ("shape", ("rectangle", "rhombus", "square", "kite", "trapezoid", "parallelogram")),
)
"""Words of which each may stand in another's place."""
_DENIALS = (
    (r" \perp ", r" \not\perp "),
    (r" \parallel ", r" \not\parallel "),
    (" = ", r" \neq "),
    (" is ", " is not "),
    (" are ", " are not "),
    (" has ", " does not have "),
    (" measures ", " does not measure "),
    (" bisects ", " does not bisect "),
    (" intersects ", " does not intersect "),
    (" intersect ", " do not intersect "),
    (" touches ", " does not touch "),
    (" lies on ", " does not lie on "),
)
"""How a sentence states something, and how it denies it."""


def tell(anchor: Anchor, context: Context[Any]) -> list[str]:
    """The sentences of all captions."""
    del context
    return [each for caption in (anchor.caption or "", *anchor.captions) for each in split_sentences(caption) if each]


def list_edits(text: str, anchor: Anchor, context: Context[Any]) -> list[Edit]:
    """Another number, letter, relation or shape in the place of one; kinds of numbers and of names are those of what
    they are of, so that a length is exchanged for a length and a line for a line."""
    del context
    said = " ".join((anchor.caption or "", *anchor.captions))
    known = {number: sort for each in dict.fromkeys(anchor.captions) for number, sort in _sort_numbers(each).items()}
    letters = sorted(list_names(said))
    edits = []
    for number, sort in _sort_numbers(text).items():
        near = [f"{float(number) + step:g}" for step in _STEPS if float(number) + step > 0]
        alike = [other for other, kind in known.items() if kind == sort]
        edits += [Edit(sort, number, other) for other in (*alike, *near)]
    spoken = list_names(text)
    for name in dict.fromkeys(_NAME.findall(text)):
        for at in range(len(name)):
            # A letter that the sentence has already seldom stands in it twice.
            others = [each for each in letters if each not in spoken] or [each for each in letters if each not in name]
            edits += [Edit(_sort_name(name, text), name, name[:at] + other + name[at + 1 :]) for other in others]
    for kind, words in _KINDS:
        edits += [Edit(kind, one, other) for one in words if one in text for other in words]
    return [edit for edit in dict.fromkeys(edits) if edit.target != edit.replacement]


def _sort_name(name: str, text: str) -> str:
    """What a name of so many letters is of, wherever it stands."""
    if len(name) == 1:
        circles = len(re.findall(rf"(?:\\odot|[Cc]ircle) {name}\b", text))
        whole = circles == len(re.findall(rf"\b{name}\b", text))
        return "letter (point)" if not circles else "letter (circle)" if whole else "letter (centre)"
    return {2: "letter (line)", 3: "letter (three)"}.get(len(name), "letter (polygon)")


@lru_cache(maxsize=1024)
def _sort_numbers(text: str) -> dict[str, str]:
    """The numbers of a text, roots and powers aside, each with what it is the value of, or a term of such a value; one
    that is several is left out."""
    try:
        clauses = parse_caption(text).clauses
    except ClaimError:
        return {}
    found: dict[str, set[str]] = {}
    for clause in clauses:
        for number in _NUMBER.findall(clause.text):
            for claim in clause.claims:
                value = claim.value or ""
                if number in _NUMBER.findall(value):
                    of = f"{PREDICATES[claim.predicate].value}{' term' * (number != value)}"
                    found.setdefault(number, set()).add(f"number ({of})")
    rooted = set(_ROOTED.findall(text))
    return {number: sorts.pop() for number, sorts in found.items() if len(sorts) == 1 and number not in rooted}


def judge(text: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    """Whether the figure shows all that the sentences claim."""
    false = refutes(text, anchor, context)
    return None if false is None else not false


def is_possible(text: str, anchor: Anchor, context: Context[Any]) -> bool:
    """Whether some figure is as the text says, and somebody would write it so."""
    if _UNSAID.search(text) or _TWICE.search(text):
        return False
    try:
        claims = parse_claims(text)
        if sum(claim.predicate in NUMBER_MARKS for claim in claims) > count_measured(claims):
            # ``The lengths of CB, BC and AB are 3, 4 and 5``.
            return False
        if list_clumsy(claims, read_anchor(anchor)):
            return False
        check_possible(Checks(), claims, look_at_anchor(anchor, context))
    except (ClaimError, FactError, CheckError, ValueError):
        # A claim that names a point twice ("the vertex of the parabola through V is V") makes no scene to be drawn.
        return False
    return True


def list_names(text: str) -> frozenset[str]:
    """The letters of all points that a text names.

    >>> sorted(list_names("In triangle ABC, D lies on BC."))
    ['A', 'B', 'C', 'D']
    """
    return frozenset(letter for name in _NAME.findall(text) for letter in name)


def repeats(one: str, other: str) -> bool:
    """Whether two statements make one claim both, but for that some polygon is there.

    >>> repeats("Circle O has radius 8.", "AB is a chord of circle O, and the radius of circle O is 8.")
    True
    >>> repeats("In triangle ABC, AB = 8.", "In triangle ABC, D lies on BC.")
    False
    """
    try:
        first, second = (list_meanings(parse_claims(text)) for text in (one, other))
    except ClaimError:
        return False
    return any(claim.predicate not in BARE for claim in first & second)


def deny(text: str) -> str | None:
    r"""Of a sentence with one claim.

    >>> deny("AB is parallel to CD."), deny(r"AB = 8.")
    ('AB is not parallel to CD.', 'AB \\neq 8.')
    >>> deny("Circle O passes through A."), deny("AB is parallel to CD and EF is 8.")
    (None, None)
    """
    if affirm(text) is not None or len(split_sentences(text)) != 1 or text.startswith(("There ", "It ")):
        return None
    try:
        if len(parse_claims(text)) != 1:
            return None
    except ClaimError:
        return None
    found = [(states, denies) for states, denies in _DENIALS if states in text]
    if not found or text.count(found[0][0]) != 1:
        return None
    denied = text.replace(*found[0])
    return denied if affirm(denied) == text else None


def affirm(text: str) -> str | None:
    """
    >>> affirm("AB does not bisect CD."), affirm("AB bisects CD.")
    ('AB bisects CD.', None)
    """
    for states, denies in _DENIALS:
        if text.count(denies) == 1:
            return text.replace(denies, states)
    return None


WORDING = Wording[GeometrySettings](
    tell, list_edits, judge, deny=deny, affirm=affirm, possible=is_possible, names=list_names, repeats=repeats
)
