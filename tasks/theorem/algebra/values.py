"""Values of terms: whole numbers and fractions as long as they are exact, sympy's numbers beyond."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from counterfoil.tasks.theorem.algebra.world import UnknownValueError, Value

CLOSE = 1e-20
_DIGITS = 40


def pair_up(left: Value, right: Value) -> tuple[Value, Value]:
    """Both of one kind: plain numbers stay, and go to sympy where the other is there."""
    plain = isinstance(left, int | Fraction), isinstance(right, int | Fraction)
    if all(plain) or not any(plain):
        return left, right
    return (lift(left), right) if plain[0] else (left, lift(right))


def lift(value: Value) -> Value:
    import sympy

    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.Integer(value) if isinstance(value, int) else value


def make_plain(value: Value) -> Value:
    """A whole number or fraction where it is one."""
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if value.is_Rational:
        return make_plain(Fraction(int(value.p), int(value.q)))
    return value


def differ(one: Value, other: Value) -> bool:
    """Whether two values are two numbers."""
    if isinstance(one, int | Fraction) and isinstance(other, int | Fraction):
        return one != other
    return abs(complex(one) - complex(other)) > 1e-9


def is_zero(value: Value) -> bool:
    if isinstance(value, int | Fraction):
        return value == 0
    return abs(approximate(value)) < CLOSE


@cache
def approximate(value: Value) -> Any:
    """A number of sympy's to 40 digits.

    Raises:
        UnknownValueError: it is no number.
    """
    found = value.evalf(_DIGITS)
    if not found.is_number or found.has_free() if hasattr(found, "has_free") else not found.is_number:
        raise UnknownValueError("no number")
    return found
