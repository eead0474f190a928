r"""Exact numbers of school geometry: sums of fractions, roots and multiples of pi.

A length is 7, 13/2, 5\sqrt{3}, 3+4\sqrt{2}; an area may be 16\pi. What such a number cannot hold is None, so that no
step of a derivation is ever a rounded one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

Key = tuple[int, int]
"""A squarefree radicand and a power of pi."""
_MOST_BELOW = 24
"""The largest denominator that a measured number is taken for."""
_EXACT = 1e-9
"""What a number of coordinates may be off by the way in which they are computed, as a share."""


@lru_cache(maxsize=4096)
def split_root(number: int) -> tuple[int, int]:
    """The largest whole number whose square divides ``number``, and what is left.

    >>> split_root(72), split_root(7)
    ((6, 2), (1, 7))
    """
    outside, inside = 1, number
    for factor in range(2, math.isqrt(number) + 1):
        while inside % (factor * factor) == 0:
            inside //= factor * factor
            outside *= factor
    return outside, inside


@dataclass(frozen=True)
class Exact:
    """A sum of terms: key to fraction, none of them 0."""

    terms: Mapping[Key, Fraction]

    @cached_property
    def value(self) -> float:
        """The number as nearly as a float has it."""
        return sum(float(part) * math.sqrt(root) * math.pi**power for (root, power), part in self.terms.items())

    @property
    def fraction(self) -> Fraction | None:
        """The number where it is a fraction."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get((1, 0)) if len(self.terms) == 1 else None

    @property
    def is_one_term(self) -> bool:
        return len(self.terms) == 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: Exact) -> Exact:
        return _gather([*self.terms.items(), *other.terms.items()])

    def __mul__(self, other: Exact) -> Exact:
        parts = []
        for (root, power), part in self.terms.items():
            for (root2, power2), part2 in other.terms.items():
                outside, inside = split_root(root * root2)
                parts.append(((inside, power + power2), part * part2 * outside))
        return _gather(parts)

    def times(self, factor: Fraction | int) -> Exact:
        return Exact({key: part * factor for key, part in self.terms.items()}) if factor else ZERO

    def invert(self) -> Exact | None:
        """One over the number, where it has one term."""
        if not self.is_one_term:
            return None
        (((root, power), part),) = self.terms.items()
        return Exact({(root, -power): 1 / (part * root)})

    def root(self) -> Exact | None:
        """The square root of a positive fraction."""
        square = self.fraction
        if square is None or square <= 0:
            return None
        outside, inside = split_root(square.numerator * square.denominator)
        return Exact({(inside, 0): Fraction(outside, square.denominator)})

    def write(self) -> str:
        r"""As problems write it: ``7``, ``3.5``, ``20/3``, ``5\sqrt{3}``, ``5\sqrt{3}/2``, ``16\pi``."""
        if not self.terms:
            return "0"
        parts = [_write_term(root, power, part) for (root, power), part in sorted(self.terms.items())]
        text = "+".join(parts).replace("+-", "-")
        return text if len(parts) < 2 or not text.startswith("-") else "-".join([*parts[1:], parts[0][1:]])


def _gather(parts: Iterable[tuple[Key, Fraction]]) -> Exact:
    terms: dict[Key, Fraction] = {}
    for key, part in parts:
        terms[key] = terms.get(key, Fraction(0)) + part
    return Exact({key: part for key, part in terms.items() if part})


def _write_term(root: int, power: int, part: Fraction) -> str:
    signs = (f"\\sqrt{{{root}}}" if root > 1 else "") + ("\\pi" if power == 1 else f"\\pi^{{{power}}}" if power else "")
    if not signs:
        if 10 % part.denominator == 0:
            return f"{float(part):g}" if part.denominator > 1 else str(part.numerator)
        return f"{part.numerator}/{part.denominator}"
    top = {1: "", -1: "-"}.get(part.numerator, str(part.numerator))
    return f"{top}{signs}" + (f"/{part.denominator}" if part.denominator > 1 else "")


ZERO = Exact({})
ONE = Exact({(1, 0): Fraction(1)})
PI = Exact({(1, 1): Fraction(1)})


@lru_cache(maxsize=4096)
def of(number: Fraction | int) -> Exact:
    """A fraction as an exact number."""
    return Exact({(1, 0): Fraction(number)}) if number else ZERO


def make_root(radicand: int) -> Exact:
    """The root of a whole number."""
    outside, inside = split_root(radicand)
    return Exact({(inside, 0): Fraction(outside)})


def recognise(value: float, square: bool = True) -> Exact | None:
    r"""The exact number of one term that a measured one is: a fraction, or (if ``square``) the root of one.

    >>> recognise(6.92820323027551).write(), recognise(2.5).write(), recognise(2.71828)
    ('4\\sqrt{3}', '2.5', None)
    """
    plain = _find_fraction(value)
    if plain is not None or not square:
        return None if plain is None else of(plain)
    squared = _find_fraction(value * value)
    return None if squared is None else of(squared).root()


def _find_fraction(value: float) -> Fraction | None:
    if not 1e-6 < value < 1e5:
        return None
    for below in range(1, _MOST_BELOW + 1):
        above = round(value * below)
        if abs(value * below - above) <= _EXACT * value * below:
            return Fraction(above, below)
    return None
