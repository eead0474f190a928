"""The tree of a mathematical term, whichever language it was written in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

RELATIONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "dvd", "ndvd", "cong", "in", "notin"})
"""Heads that make a statement of terms. ``cong`` has three arguments: a, b and the modulus."""
LOGIC = frozenset({"and", "or", "not", "imp", "iff", "forall", "exists", "exists_unique"})
CLAIMS = frozenset({"prime", "even", "odd", "is_least", "is_greatest", "coprime"})
"""Heads of statements about numbers that are written as words."""
ARITHMETIC = frozenset({"add", "sub", "mul", "div", "mod", "neg"})
COMPLEMENT = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "dvd": "ndvd", "ndvd": "dvd"}
"""The relation that holds exactly where the other does not (of real numbers)."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term or statement.

    ``num`` (name: its digits), ``var`` (name), ``app`` (name: the function's; its arguments), the heads of this
    module, quantifiers (name: the bound variable; arguments: its domain or a hole, and the body), ``sum`` and ``prod``
    (name; range, body). What is understood only as text is ``opaque``.
    """

    head: str
    args: tuple[Term, ...] = ()
    name: str = ""
    start: int = field(default=-1, compare=False)
    """Where it begins in the text that was read."""
    end: int = field(default=-1, compare=False)

    def walk(self) -> Iterator[Term]:
        """It and all below it, outermost first."""
        yield self
        for each in self.args:
            yield from each.walk()

    def list_names(self) -> frozenset[str]:
        """Names of variables that occur, bound ones too."""
        return frozenset(each.name for each in self.walk() if each.head == "var")

    def is_statement(self) -> bool:
        """Whether it says something, rather than being a number or a thing."""
        return self.head in RELATIONS or self.head in LOGIC or self.head in CLAIMS


HOLE = Term("hole")


def number(value: int) -> Term:
    """A whole number as a term.

    >>> number(-3)
    Term(head='neg', args=(Term(head='num', args=(), name='3', start=-1, end=-1),), name='', start=-1, end=-1)
    """
    if value < 0:
        return Term("neg", (number(-value),))
    return Term("num", name=str(value))


def split_conjuncts(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction, of chained ones too.

    >>> parts = split_conjuncts(Term("and", (Term("var", name="p"), Term("and", (number(1), number(2))))))
    >>> [part.name for part in parts]
    ['p', '1', '2']
    """
    if term.head == "and":
        return tuple(part for each in term.args for part in split_conjuncts(each))
    return (term,)


def find_free(term: Term, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """Names of variables that no quantifier inside binds."""
    if term.head == "var":
        return frozenset() if term.name in bound else frozenset({term.name})
    if term.head in ("forall", "exists", "exists_unique", "sum", "prod", "lambda", "setof"):
        domain, *body = term.args
        inner = frozenset().union(*(find_free(each, bound | {term.name}) for each in body)) if body else frozenset()
        return find_free(domain, bound) | inner
    return frozenset().union(*(find_free(each, bound) for each in term.args)) if term.args else frozenset()
