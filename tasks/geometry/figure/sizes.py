r"""Whether two ways of writing a size may mean the same: ``1+2x`` and ``2x+1``, ``5\sqrt{3}`` and ``8.66``."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import lru_cache

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import (
    ExpressionError,
    evaluate,
    find_unknowns,
    is_symbolic,
    read_number,
)
from counterfoil.tasks.geometry.facts.judge import canonicalise

_PLAIN = re.compile(r"\d+(?:\.(\d*))?")
_SAME = 5e-4
_MOST_ROUNDED = 0.05
"""Share of a number that rounding it to tens or hundreds may take or add."""


def state_in_degrees(claim: Fact) -> Fact:
    r"""The claim in degrees where it states an angle or an arc in radians, as ``\pi/3`` does."""
    number = read_number(claim.value) if r"\pi" in (claim.value or "") else None
    if number is None or claim.predicate not in ("angle", "arc"):
        return claim
    return replace(claim, value=f"{math.degrees(number):.10g}")


@lru_cache(maxsize=4096)
def reads_same(one: str | None, other: str | None) -> bool:
    """Whether two values are one number, or one expression in whatever order it is written.

    >>> reads_same("8.0", "8"), reads_same("1+2x", "2x+1"), reads_same("2x+1", "2x")
    (True, True, False)
    """
    if is_symbolic(one) and is_symbolic(other):
        return _is_one_expression(one or "", other or "")
    return _canonicalise(one) == _canonicalise(other)


def _canonicalise(value: str | None) -> str | None:
    return canonicalise(Fact("length", ("A", "B"), value)).value


def _is_one_expression(one: str, other: str) -> bool:
    names = sorted(find_unknowns(one) | find_unknowns(other))
    for turn in range(3):
        place = {name: 1.37 + 0.61 * turn + 0.83 * at for at, name in enumerate(names)}
        try:
            first, second = evaluate(one, place), evaluate(other, place)
        except ExpressionError:
            return one == other
        if abs(first - second) > 1e-9 * max(1.0, abs(first)):
            return False
    return True


@lru_cache(maxsize=4096)
def is_rounded(one: str | None, other: str | None) -> bool:
    r"""Whether one number may be the other with fewer places: such a difference refutes nothing.

    >>> is_rounded(r"5\sqrt{3}", "8.66"), is_rounded("8.7", "8.66"), is_rounded("8.7", "8"), is_rounded("118", "120")
    (True, True, True, True)
    >>> is_rounded("8", "9"), is_rounded("8.7", "8.5"), is_rounded("12", "20"), is_rounded("5", "8.66")
    (False, False, False, False)
    """
    first, second = read_number(one), read_number(other)
    if first is None or second is None:
        return False
    steps = sorted((_find_step(one or ""), _find_step(other or "")))
    off = abs(first - second)
    if 0 in steps and off <= _SAME * max(first, second):
        return True  # 19.799/2 is as near to a root as its decimals are
    if steps[0] == steps[1] or off >= steps[1]:
        return False
    return steps[1] <= 1 or off <= _MOST_ROUNDED * max(first, second)


def _find_step(value: str) -> float:
    """The unit of a number's last place: 0.1 of ``8.7``, 10 of ``120``, 0 of what is exact in another way."""
    plain = _PLAIN.fullmatch(value)
    if plain is None:
        return 0.0
    if plain[1] is not None:
        return 10.0 ** -len(plain[1])
    return 10.0 ** (len(value) - len(value.rstrip("0")))
