"""Lean statements in a form in which those that say the same by logic alone are one.

``P → False`` is ``¬ P``, ``¬ ¬ P`` is ``P``, ``a > b`` is ``b < a``; equations, conjunctions and equivalences have no
order, and bound names are none.
"""

from __future__ import annotations

from counterfoil.tasks.theorem.algebra.tree import COMPLEMENT, Term

FALSE, TRUE = Term("var", name="False"), Term("var", name="True")
_TURNED = {"gt": "lt", "ge": "le"}
_UNORDERED = frozenset({"eq", "ne", "and", "or", "iff"})
_BINDERS = frozenset({"forall", "exists", "exists_unique", "lambda", "setof", "sum", "prod"})
_TOTAL = frozenset({"eq", "ne", "dvd", "ndvd"})
"""Relations whose denial is another relation in every order there is."""


def settle(term: Term, names: tuple[tuple[str, str], ...] = ()) -> Term:
    """The form of a statement; ``names`` are what outer binders call their variables."""
    if term.head == "var":
        return Term("var", name=dict(names).get(term.name, term.name))
    if term.head in _BINDERS:
        inner = (*names, (term.name, f"#{len(names)}"))
        domain, *rest = term.args
        return _simplify(
            Term(term.head, (settle(domain, names), *(settle(each, inner) for each in rest)), inner[-1][1])
        )
    return _simplify(Term(term.head, tuple(settle(each, names) for each in term.args), term.name))


def _simplify(term: Term) -> Term:
    args = term.args
    if term.head in _TURNED:
        return Term(_TURNED[term.head], args[::-1])
    if term.head == "imp":
        if args[1] == FALSE:
            return _simplify(Term("not", (args[0],)))
        if TRUE in (args[0], args[1]) or args[0] == FALSE:
            return args[1] if args[0] == TRUE else TRUE
    if term.head == "not":
        inner = args[0]
        if inner in (TRUE, FALSE):
            return FALSE if inner == TRUE else TRUE
        if inner.head == "not":
            return inner.args[0]
        if inner.head in _TOTAL:
            return Term(COMPLEMENT[inner.head], inner.args)
        if inner.head in ("in", "notin"):
            return Term("notin" if inner.head == "in" else "in", inner.args, inner.name)
    if term.head == "forall" and args[1] == TRUE:
        return TRUE
    if term.head in _UNORDERED:
        return Term(term.head, tuple(sorted(args, key=repr)), term.name)
    return term


def deny(term: Term) -> Term:
    """The denial of a settled statement."""
    return _simplify(Term("not", (term,)))
