r"""Number edits: ``8`` to ``6``, ``5\sqrt{3}`` to ``7\sqrt{3}``, ``2x-14`` to ``2x-9``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from storage.rows import Fact
from tasks.geometry.facts.expressions import read_number
from tasks.geometry.facts.predicates import PREDICATES

_LEAST_RATIO = 1.15
"""A length that changes by less is hardly seen; `facts.VISIBLE` is 10 %."""
_MOST_RATIO = 1.9
_LEAST_TURN = 8.0
_LEAST_ANGLE = 12.0
"""Degrees; in a sharper angle its number finds no room."""
_MOST_ANGLE = 175.0
_MOST_ROUNDING = 0.6
"""Degrees, or percent of a length."""
_FACTORS = (0.75, 1.25, 0.6, 1.5, 0.85, 1.4, 0.7, 1.2, 0.55, 1.75)
_TURNS = (15.0, -15.0, 20.0, -20.0, 10.0, -10.0, 30.0, -30.0, 25.0, -25.0, 40.0, -40.0)


def propose_numbers(fact: Fact, rng: np.random.Generator) -> Iterator[Fact]:
    """The same claim with other values, near ones that look as likely as the true one."""
    if fact.value is None:
        return
    number = read_number(fact.value)
    values = (
        _change_plain(fact, number, rng) if number is not None and _is_plain(fact.value) else _change_text(fact, rng)
    )
    for value in values:
        yield Fact(fact.predicate, fact.arguments, value)


def _is_plain(value: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", value) is not None


def _change_plain(fact: Fact, number: float, rng: np.random.Generator) -> Iterator[str]:
    decimals = len((fact.value or "").partition(".")[2])
    seen = {number}
    if PREDICATES[fact.predicate].value == "angle":
        top = _MOST_ANGLE if fact.predicate == "angle" else 345.0
        near = [number + turn for turn in rng.permutation(_TURNS)]
        choices = [value for value in near if _LEAST_ANGLE <= value <= top and abs(value - number) >= _LEAST_TURN]
    else:
        choices = [_round_like(number * factor, decimals) for factor in rng.permutation(_FACTORS)]
        choices += [number + step for step in (1, -1, 2, 3)] if not decimals else []
        choices = [value for value in choices if value > 0 and _is_other_length(value, number)]
    for value in choices:
        rounded = round(float(value), decimals)
        if rounded not in seen:
            seen.add(rounded)
            yield f"{rounded:.{decimals}f}"


def _is_other_length(value: float, number: float) -> bool:
    return _LEAST_RATIO <= max(value / number, number / value) <= _MOST_RATIO


def _round_like(value: float, decimals: int) -> float:
    """Numbers of problems are round: whole ones stay whole, large ones end in 0 or 5."""
    if decimals:
        return round(value, decimals)
    return round(value / 5) * 5.0 if value >= 100 else float(round(value))


def _change_text(fact: Fact, rng: np.random.Generator) -> Iterator[str]:
    """Change one number inside an expression, such as the 14 of ``2x-14``; an unknown alone stays as it is."""
    value = fact.value or ""
    spots = [match for match in re.finditer(r"\d+", value) if not value[: match.start()].endswith(("^{", "^", "."))]
    for step in rng.permutation([1, 2, 3, 4, -1, -2, -3, 5]):
        for spot in spots:
            changed = int(spot.group()) + int(step)
            is_factor = value[spot.end() : spot.end() + 1].isalpha() or value[: spot.start()].endswith(r"\sqrt{")
            if changed < (2 if is_factor else 1):
                continue
            text = value[: spot.start()] + str(changed) + value[spot.end() :]
            if _reads_differently(fact, text):
                yield text


def _reads_differently(fact: Fact, text: str) -> bool:
    """A number that comes out of the expression must change by as much as a plain one would."""
    old, new = read_number(fact.value), read_number(text)
    if old is None or new is None:
        return old is None and new is None
    if PREDICATES[fact.predicate].value == "angle":
        return abs(new - old) >= _LEAST_TURN and _LEAST_ANGLE <= new <= _MOST_ANGLE
    return new > 0 and _is_other_length(new, old)


def write_measured(fact: Fact, measured: float) -> Fact | None:
    """The claim with the number that a figure shows, written to as many places as the stated one; None where that is
    not near enough, as problems with whole numbers have no others."""
    decimals = len((fact.value or "").partition(".")[2]) if _is_plain(fact.value or "") else 0
    rounded = round(measured, decimals)
    is_angle = PREDICATES[fact.predicate].value == "angle"
    off = abs(rounded - measured) if is_angle else abs(rounded / measured - 1) * 100
    low, high = (_LEAST_ANGLE, _MOST_ANGLE) if is_angle else (0, math.inf)
    if not low < rounded < high or off > _MOST_ROUNDING:
        return None
    return Fact(fact.predicate, fact.arguments, f"{rounded:.{decimals}f}")
