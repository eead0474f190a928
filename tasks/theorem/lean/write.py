"""Lean source of a term. What is written is read back by our own reader and is the same term, or it is an error."""

from __future__ import annotations

from dataclasses import replace

from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.tree import Term
from counterfoil.tasks.theorem.lean.terms import LeanError, read_term

_SIGNS: dict[str, tuple[str, int, int, int]] = {
    "add": ("+", 65, 65, 66),
    "sub": ("-", 65, 65, 66),
    "mul": ("*", 70, 70, 71),
    "div": ("/", 70, 70, 71),
    "pow": ("^", 76, 76, 75),
    "dvd": ("∣", 50, 51, 51),
    **{
        head: (sign, 50, 51, 51)
        for head, sign in (("eq", "="), ("ne", "≠"), ("lt", "<"), ("le", "≤"), ("gt", ">"), ("ge", "≥"))
    },
}
"""Of a head its sign, how strongly it binds, and how strongly what stands left and right of it must."""
_CLAIMS = {"even": "Even", "odd": "Odd"}


def write_term(term: Term) -> str:
    """The term in Lean.

    Raises:
        LeanError: it has a head that is not written, or does not read back as what it is.
    """
    settled = settle_signs(term)
    text = _write(settled, 0)
    if settle_signs(read_term(text)) != settled:
        raise LeanError(f"{text!r} does not read back as what was written")
    return text


def settle_signs(term: Term) -> Term:
    """The term as both languages have it: the sign of a product stands at its first factor, as Lean reads ``-2 * x``.

    A fraction is the quotient that it is, and the name of a kind of prime is left out.
    """
    args = tuple(settle_signs(each) for each in term.args)
    if term.head == "neg" and args[0].head in ("mul", "div"):
        first, *rest = args[0].args
        return Term(args[0].head, (settle_signs(Term("neg", (first,))), *rest))
    if term.head in ("mul", "div", "even", "odd", "prime", "cong"):
        return Term(term.head, args)
    return replace(term, args=args)


def _write(term: Term, least: int) -> str:
    """The text, in brackets where it binds less strongly than ``least``."""
    if term.head in ("num", "var"):
        return term.name
    if term.head == "neg":
        text, binds = f"-{_write(term.args[0], 75)}", 75
    elif term.head in _CLAIMS:
        text, binds = f"{_CLAIMS[term.head]} {_write(term.args[0], 100)}", 90
    elif term.head == "cong":
        left, right, modulus = (_write(each, 51) for each in term.args)
        text, binds = f"{left} ≡ {right} [ZMOD {modulus}]", 50
    elif term.head in _SIGNS:
        sign, binds, one, other = _SIGNS[term.head]
        text = f"{_write(term.args[0], one)} {sign} {_write(term.args[1], other)}"
    else:
        raise LeanError(f"no Lean is written of {term.head}")
    return f"({text})" if binds < least else text


def is_same_problem(one: Problem, other: Problem) -> bool:
    """Whether two statements about numbers, each in its language, suppose and conclude the same terms."""
    return dict(one.sorts) == dict(other.sorts) and all(
        {settle_signs(each) for each in first} == {settle_signs(each) for each in second}
        for first, second in ((one.hypotheses, other.hypotheses), (one.conclusions, other.conclusions))
    )
