"""Whether a text is false of a figure: the one judgement of verifiers and of mining, in three values.

To differ is not to be false. A claim is false where the figure visibly breaks it, or where it names what the figure
does not have, in every way in which the text can be meant: ``the circle`` is any of the figure's, ``D lies on line AB``
says nothing of which of the three is in the middle, two triangles that ``are congruent`` are so whatever the order of
their corners, and ``80 mm`` may be the 8 that is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import UNNAMED_CIRCLE
from counterfoil.tasks.geometry.captions.read import Clause, parse_caption
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.judge import judge
from counterfoil.tasks.geometry.figure.claims import judge_claim, list_marks_of, names_unknown
from counterfoil.tasks.geometry.figure.scene import Scene

_WHOLE_LINE = re.compile(r"\b(?:line|ray|collinear|straight)\b(?!.*\bin (?:this|that) order\b)")
_UNIT = re.compile(r"\d\s*(?:mm|cm|dm|km|m|millimet\w+|centimet\w+|decimet\w+|kilomet\w+|met(?:er|re)s?)\b")
_ROUNDED = 2e-3
_LENGTHS = ("length", "side_length", "radius")


def judge_text(text: str, figure: Scene) -> bool | None:
    """Whether ``text`` is true of the figure: False where a claim of it is false, None where neither can be said.

    Raises:
        counterfoil.tasks.geometry.captions.atoms.ClaimError: the text is not in wordings that can be read.
        counterfoil.tasks.geometry.facts.judge.FactError: it relates things that cannot be related so.
    """
    verdicts = [
        {_judge(claim, clause, figure, scale) for clause, claim in reading}
        for scale in (_find_scale(text, figure),)
        for reading in _list_readings(text, figure)
    ]
    if {True} in verdicts:
        return True
    return False if all(False in each for each in verdicts) else None


def find_false(text: str, figure: Scene) -> tuple[Fact, ...]:
    """The claims of ``text`` that are false of the figure; none where it can be meant so that no claim is.

    Raises:
        counterfoil.tasks.geometry.captions.atoms.ClaimError: the text is not in wordings that can be read.
        counterfoil.tasks.geometry.facts.judge.FactError: it relates things that cannot be related so.
    """
    found: tuple[Fact, ...] = ()
    scale = _find_scale(text, figure)
    for reading in _list_readings(text, figure):
        false = tuple(claim for clause, claim in reading if _judge(claim, clause, figure, scale) is False)
        if not false:
            return ()
        found = found or false
    return found


Reading = tuple[tuple[Clause, Fact], ...]


def _list_readings(text: str, figure: Scene) -> list[Reading]:
    """The claims with their clauses, once for each circle that ``the circle`` may be."""
    claims = tuple((clause, claim) for clause in parse_caption(text).clauses for claim in clause.claims)
    if not figure.circles or not any(UNNAMED_CIRCLE in claim.arguments for _, claim in claims):
        return [claims]
    return [tuple((clause, _name_circle(claim, name)) for clause, claim in claims) for name in figure.circles]


def _name_circle(claim: Fact, name: str) -> Fact:
    return replace(claim, arguments=tuple(name if each == UNNAMED_CIRCLE else each for each in claim.arguments))


def _judge(claim: Fact, clause: Clause, figure: Scene, scale: float) -> bool | None:
    """Whether the figure shows ``claim`` in the sense of its words that speaks for it most."""
    if names_unknown(claim, figure):
        return False
    number = read_number(claim.value) if claim.predicate in _LENGTHS and scale != 1.0 else None
    if number is not None:
        claim = replace(claim, value=f"{number * scale:.10g}")
    verdict = judge_claim(claim, figure)
    if verdict is not False:
        return verdict
    others = {*_judge_meant(claim, clause, figure)}
    return True if True in others else None if None in others else False


def _judge_meant(claim: Fact, clause: Clause, figure: Scene) -> Iterator[bool | None]:
    """What the figure says of all else that a false claim may mean by its words."""
    if claim.predicate == "collinear" and _WHOLE_LINE.search(clause.text):
        yield judge(claim, figure.coordinates)
    if claim.predicate == "radial" and claim.arguments[2] in claim.arguments[:2]:
        yield from (judge_claim(Fact("radial", (*claim.arguments[:2], end)), figure) for end in claim.arguments[:2])
    if claim.predicate in ("congruent", "similar") and "\\" not in clause.text.replace("\\triangle", ""):
        half = len(claim.arguments) // 2
        for order in permutations(claim.arguments[half:]):
            yield judge(replace(claim, arguments=(*claim.arguments[:half], *order)), figure.coordinates)


def _find_scale(text: str, figure: Scene) -> float:
    """What the lengths of a text must be multiplied by to be those that the figure writes, where it names a unit."""
    if not _UNIT.search(text):
        return 1.0
    factors = set()
    for clause in parse_caption(text).clauses:
        for claim in clause.claims:
            number = read_number(claim.value) if claim.predicate in _LENGTHS else None
            for mark in list_marks_of(claim, figure) if number else ():
                written = read_number(mark.value)
                factors.add(_find_power(written / number) if written and number else 1.0)
    (factor, *others) = factors or {1.0}
    return 1.0 if others else factor


def _find_power(ratio: float) -> float:
    """The power of ten that a ratio is but for rounding, else 1."""
    power = 10.0 ** round(math.log10(ratio))
    return power if abs(ratio / power - 1) < _ROUNDED and 0.001 <= power <= 1000 else 1.0
