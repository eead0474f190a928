"""Whether one polynomial is irreducible over the whole or rational numbers or a prime field: its factors tell."""

from __future__ import annotations

import re
from typing import Any

from counterfoil.tasks.theorem.algebra.tree import Term

_MOST_DEGREE = 12
_RINGS = re.compile(r"Polynomial (?P<a>.+)|(?P<b>.+)\[X\]")
_FIELD = re.compile(r"\(?ZMod (\d+)\)?")


class UnfactoredError(Exception):
    """The statement is about something else than one polynomial that is irreducible or is not."""


def judge_irreducible(term: Term) -> tuple[bool, str]:
    """Whether ``Irreducible (p : Polynomial R)``, or its denial, is true, and the factors of p.

    >>> from counterfoil.tasks.theorem.lean.terms import read_term
    >>> judge_irreducible(read_term("Irreducible (X^2 - 9 : Polynomial ℚ)"))
    (False, '(X - 3)(X + 3)')

    Raises:
        UnfactoredError: it is another statement, or over another ring.
    """
    if term.head == "not":
        found, factors = judge_irreducible(term.args[0])
        return not found, factors
    if term.head != "app" or term.name != "Irreducible" or len(term.args) != 1 or term.args[0].head != "ascribe":
        raise UnfactoredError("nothing is said to be irreducible")
    return _factor(term.args[0].args[0], _read_ring(term.args[0].name))


def _read_ring(written: str) -> dict[str, Any]:
    """The ring of the coefficients, as sympy names it."""
    match = _RINGS.fullmatch(written)
    ring = (match["a"] or match["b"]) if match else ""
    field = _FIELD.fullmatch(ring)
    if field is not None:
        import sympy

        if not sympy.isprime(int(field[1])):
            raise UnfactoredError("no field")
        return {"modulus": int(field[1])}
    if ring not in ("ℤ", "ℚ"):
        raise UnfactoredError(f"the ring {ring}")
    return {"domain": "ZZ" if ring == "ℤ" else "QQ"}


def _factor(term: Term, ring: dict[str, Any]) -> tuple[bool, str]:
    import sympy

    poly = sympy.Poly(_write(term), sympy.Symbol("X"), **ring)
    if not 0 < poly.degree() <= _MOST_DEGREE:
        raise UnfactoredError("a constant, or of a large degree")
    content, factors = poly.factor_list()
    # A whole number other than 1 and -1 is a factor like any other in ℤ[X], and none in ℚ[X].
    numbers = [str(content)] if ring.get("domain") == "ZZ" and abs(content) != 1 else []
    count = len(numbers) + sum(power for _, power in factors)
    told = "".join([*numbers, *(f"({str(each.as_expr()).replace('**', '^')})" * power for each, power in factors)])
    return count == 1, told


_OPERATIONS = {"add": "+", "sub": "-", "mul": "*"}


def _write(term: Term) -> str:
    """The polynomial as sympy reads it."""
    if term.head == "num" and term.name.isdecimal():
        return term.name
    if term.head == "var" and term.name == "X":
        return "X"
    if term.head in _OPERATIONS and len(term.args) == 2:
        return f"({_write(term.args[0])} {_OPERATIONS[term.head]} {_write(term.args[1])})"
    if term.head == "neg":
        return f"(-{_write(term.args[0])})"
    if term.head == "pow" and term.args[1].head == "num" and int(term.args[1].name) <= _MOST_DEGREE:
        return f"({_write(term.args[0])})**{term.args[1].name}"
    raise UnfactoredError(f"{term.head} is no polynomial")
