r"""Number edits: ``8`` to ``6``, ``5\sqrt{3}`` to ``7\sqrt{3}``, ``2x-14`` to ``2x-9``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.edits.likely import order_likely, weigh_degrees, weigh_factor, weigh_length, weigh_term
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.plainness import find_needless
from counterfoil.tasks.geometry.facts.predicates import PREDICATES

_LEAST_RATIO = 1.15
"""A length that changes by less is hardly seen; `facts.VISIBLE` is 10 %."""
_MOST_RATIO = 1.9
_LEAST_TURN = 8.0
_LEAST_ANGLE = 12.0
"""Degrees; in a sharper angle its number finds no room."""
_MOST_ANGLE = 175.0
_MOST_ROUNDING = 0.6
"""Degrees, or percent of a length."""
_MOST_TURN = 40.0
_TURNS = (15.0, -15.0, 20.0, -20.0, 10.0, -10.0, 30.0, -30.0, 25.0, -25.0, 40.0, -40.0)
_RATIOS = (0.75, 1.25, 0.6, 1.5, 0.85, 1.4, 0.7, 1.2, 0.55, 1.75)
_MOST_STEP = 5
"""By how much a number inside an expression changes at most."""
_LARGE = 100
"""Longer lengths end in 0 or 5."""


def propose_numbers(fact: Fact, rng: np.random.Generator) -> Iterator[Fact]:
    """The same claim with other values, near ones that problems write as often as the true one; likely ones first."""
    if fact.value is None:
        return
    number = read_number(fact.value)
    values = (
        _change_plain(fact, number, rng) if number is not None and _is_plain(fact.value) else _change_text(fact, rng)
    )
    for value in dict.fromkeys(values):
        yield Fact(fact.predicate, fact.arguments, value)


def _is_plain(value: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", value) is not None


def _change_plain(fact: Fact, number: float, rng: np.random.Generator) -> Iterator[str]:
    decimals = len((fact.value or "").partition(".")[2])
    is_angle = PREDICATES[fact.predicate].value == "angle"
    top = _MOST_ANGLE if fact.predicate == "angle" else 345.0
    if decimals:
        values = number + rng.permutation(_TURNS) if is_angle else number * rng.permutation(_RATIOS)
        for value in (round(float(each), decimals) for each in values):
            text = f"{value:.{decimals}f}"
            is_other = (
                _is_other_angle(value, number, top) if is_angle else value > 0 and _is_other_length(value, number)
            )
            if is_other and not find_needless(text):
                yield text
        return
    list_near = partial(_list_near_angles, top) if is_angle else _list_near_lengths
    first, last = order_likely(round(number), list_near, weigh_degrees if is_angle else weigh_length, rng)
    yield from map(str, (*first, *last))


def _list_near_angles(top: float, number: int) -> list[int]:
    low, high = (round(number + turn) for turn in (-_MOST_TURN, _MOST_TURN))
    return [value for value in range(low, high + 1) if _is_other_angle(value, number, top)]


def _list_near_lengths(number: int) -> list[int]:
    near = range(max(1, int(number / _MOST_RATIO)), int(number * _MOST_RATIO) + 2)
    return [value for value in near if _is_other_length(value, number) and (value < _LARGE or value % 5 == 0)]


def _is_other_angle(value: float, number: float, top: float) -> bool:
    return _LEAST_ANGLE <= value <= top and abs(value - number) >= _LEAST_TURN


def _is_other_length(value: float, number: float) -> bool:
    return _LEAST_RATIO <= max(value / number, number / value) <= _MOST_RATIO


def _change_text(fact: Fact, rng: np.random.Generator) -> Iterator[str]:
    """Change one number inside an expression, such as the 14 of ``2x-14``; an unknown alone stays as it is."""
    value = fact.value or ""
    spots = [match for match in re.finditer(r"\d+", value) if not value[: match.start()].endswith(("^{", "^", "."))]
    orders: list[list[list[str]]] = []
    for at in rng.permutation(len(spots)):
        before, after = value[: spots[at].start()], value[spots[at].end() :]
        is_factor = after[:1].isalpha() or before.endswith(r"\sqrt{")
        list_near = partial(_list_near_parts, 2 if is_factor else 1)
        found = order_likely(int(spots[at].group()), list_near, weigh_factor if is_factor else weigh_term, rng)
        orders.append([[f"{before}{number}{after}" for number in numbers] for numbers in found])
    for numbers in zip(*orders, strict=True):
        for texts in zip_longest(*numbers):
            yield from (text for text in texts if text is not None and _reads_differently(fact, text))


def _list_near_parts(least: int, number: int) -> list[int]:
    return [each for each in range(max(least, number - _MOST_STEP), number + _MOST_STEP + 1) if each != number]


def _reads_differently(fact: Fact, text: str) -> bool:
    """A number that comes out of the expression must change by as much as a plain one would."""
    if find_needless(text):
        return False
    old, new = read_number(fact.value), read_number(text)
    if old is None or new is None:
        return old is None and new is None
    if PREDICATES[fact.predicate].value == "angle":
        return abs(new - old) >= _LEAST_TURN and _LEAST_ANGLE <= new <= _MOST_ANGLE
    return new > 0 and _is_other_length(new, old)


def write_measured(fact: Fact, measured: float) -> Fact | None:
    """The claim with the number that a figure shows, to as many places as the stated one at most; None where that is
    not near enough, as problems with whole numbers have no others."""
    if measured <= 0:
        return None  # its ends fell together
    decimals = len((fact.value or "").partition(".")[2]) if _is_plain(fact.value or "") else 0
    rounded = round(measured, decimals)
    is_angle = PREDICATES[fact.predicate].value == "angle"
    off = abs(rounded - measured) if is_angle else abs(rounded / measured - 1) * 100
    low, high = (_LEAST_ANGLE, _MOST_ANGLE) if is_angle else (0, math.inf)
    if not low < rounded < high or off > _MOST_ROUNDING or (is_angle and rounded == 90):
        return None
    return Fact(fact.predicate, fact.arguments, f"{rounded:.10g}")
