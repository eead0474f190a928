"""One form of terms and relations that say the same: operands in order, sides moved, brackets multiplied out.

``2x - 3 = 0`` and ``3 = 2x`` are ``x = 3/2``; ``b > a`` is ``a - b < 0``. What is no polynomial is an atom of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from counterfoil.tasks.theorem.algebra.tree import Term

Monomial = tuple[tuple[str, int], ...]
"""Atoms with their powers, in order."""
Sum = dict[Monomial, Fraction]
Sign = Literal["=", "≠", "<", "≤", ">", "≥"]
_SIGNS: dict[str, Sign] = {"eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥"}
_TURNED: dict[Sign, Sign] = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"}
_MOST_POWER = 8
_MOST_TERMS = 200
_COMMUTE = frozenset({"gcd", "lcm", "and", "or", "iff"})


@dataclass(frozen=True)
class Relation:
    """``key sign bound``: what varies on the left, its first coefficient one, and a number on the right."""

    key: str
    sign: Sign
    bound: Fraction

    def implies(self, other: Relation) -> bool:
        """Whether every number that this allows the other allows too.

        >>> Relation("x", ">", Fraction(3)).implies(Relation("x", "≥", Fraction(2)))
        True
        """
        if self.key != other.key:
            return False
        if other.sign == "≠":
            return self == other or not _allows(self, other.bound)
        if self.sign == "≠":
            return False
        if self.sign == "=":
            return _allows(other, self.bound)
        upper, other_upper = self.sign in ("<", "≤"), other.sign in ("<", "≤")
        if other.sign == "=" or upper != other_upper:
            return False
        inside = self.bound < other.bound if upper else self.bound > other.bound
        return inside or (self.bound == other.bound and (other.sign in ("≤", "≥") or self.sign == other.sign))

    def excludes(self, other: Relation) -> bool:
        """Whether no number is allowed by both."""
        if self.key != other.key:
            return False
        if "=" in (self.sign, other.sign):
            fixed, free = (self, other) if self.sign == "=" else (other, self)
            return not _allows(free, fixed.bound)
        if "≠" in (self.sign, other.sign) or (self.sign in ("<", "≤")) == (other.sign in ("<", "≤")):
            return False
        low, high = (self, other) if self.sign in (">", "≥") else (other, self)
        return low.bound > high.bound or (low.bound == high.bound and not (low.sign == "≥" and high.sign == "≤"))


def _allows(relation: Relation, value: Fraction) -> bool:
    bound = relation.bound
    return {
        "=": value == bound,
        "≠": value != bound,
        "<": value < bound,
        "≤": value <= bound,
        ">": value > bound,
        "≥": value >= bound,
    }[relation.sign]


def read_relation(term: Term) -> Relation | None:
    """The relation that a term is; None where it is none of order or equality, or says nothing of anything."""
    sign = _SIGNS.get(term.head)
    if sign is None:
        return None
    found = _add(expand(term.args[0]), expand(term.args[1]), -1)
    constant = found.pop((), Fraction(0))
    if not found:
        return None
    first = found[min(found, key=lambda each: (-sum(power for _, power in each), each))]
    key = _write({each: value / first for each, value in found.items()})
    return Relation(key, sign if first > 0 else _TURNED[sign], -constant / first)


def write_canonical(term: Term) -> str:
    """The one text of all terms that say the same."""
    relation = read_relation(term)
    if relation is not None:
        return f"{relation.key} {relation.sign} {relation.bound}"
    return _write(expand(term))


def _write(found: Sum) -> str:
    parts = []
    for monomial, value in sorted(found.items()):
        name = "·".join(atom if power == 1 else f"{atom}^{power}" for atom, power in monomial)
        parts.append(f"{value}{'·' + name if name else ''}")
    return "+".join(parts) or "0"


def expand(term: Term) -> Sum:
    """The term multiplied out; of what grows too large, or is no polynomial, an atom."""
    if term.head == "num":
        return {(): Fraction(term.name)} if Fraction(term.name) else {}
    if term.head == "neg":
        return {each: -value for each, value in expand(term.args[0]).items()}
    if term.head in ("add", "sub"):
        return _add(expand(term.args[0]), expand(term.args[1]), 1 if term.head == "add" else -1)
    if term.head == "mul":
        return _multiply(expand(term.args[0]), expand(term.args[1])) or _atom(term)
    if term.head == "div":
        top, bottom = expand(term.args[0]), expand(term.args[1])
        if set(bottom) == {()}:
            return {each: value / bottom[()] for each, value in top.items()}
    if term.head == "pow" and term.args[1].head == "num" and term.args[1].name.isdecimal():
        power = int(term.args[1].name)
        if power <= _MOST_POWER:
            return _raise(expand(term.args[0]), power) or _atom(term)
    if term.head in ("coe", "ascribe"):
        return expand(term.args[0])
    return _atom(term)


def _raise(base: Sum, power: int) -> Sum:
    found: Sum = {(): Fraction(1)}
    for _ in range(power):
        found = _multiply(found, base)
    return found


def _atom(term: Term) -> Sum:
    if term.head == "var":
        return {((term.name, 1),): Fraction(1)}
    args = [write_canonical(each) for each in term.args]
    name = "" if term.head in ("div", "prime", "even", "odd", "coprime") else term.name
    text = f"{term.head}:{name}({','.join(sorted(args) if term.head in _COMMUTE else args)})"
    return {((text, 1),): Fraction(1)}


def _add(one: Sum, other: Sum, sign: int) -> Sum:
    found = dict(one)
    for each, value in other.items():
        found[each] = found.get(each, Fraction(0)) + sign * value
    return {each: value for each, value in found.items() if value}


def _multiply(one: Sum, other: Sum) -> Sum:
    """The product; empty where it is zero or too large."""
    if len(one) * len(other) > _MOST_TERMS:
        return {}
    found: Sum = {}
    for left, first in one.items():
        for right, second in other.items():
            powers = dict(left)
            for atom, power in right:
                powers[atom] = powers.get(atom, 0) + power
            monomial = tuple(sorted(powers.items()))
            found[monomial] = found.get(monomial, Fraction(0)) + first * second
    return {each: value for each, value in found.items() if value}
