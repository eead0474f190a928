"""Statements about the elements of a group, a monoid or a ring, and a group's subgroups, tried in all small ones.

What is false in one structure of the class is false. A part that is not understood has no value, and so has what an
infinite search would have to decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import gcd
from typing import Any

from counterfoil.tasks.theorem.algebra.structures import Structure, list_structures
from counterfoil.tasks.theorem.algebra.subgroups import (
    Subgroup,
    find_center,
    generate,
    is_characteristic,
    is_cyclic,
    is_normal,
    is_simple,
    list_subgroups,
)
from counterfoil.tasks.theorem.algebra.tree import Term, find_free
from counterfoil.tasks.theorem.algebra.world import Budget, ExhaustedError

_STEPS = 250_000
_NUMBERS = {"ℕ": range(7), "ℤ": range(-4, 7)}
_LARGEST = 64
_KNOWN = frozenset({"Group", "CommGroup", "Monoid", "CommMonoid", "Ring", "CommRing", "Field", "DivisionRing"}) | {
    "IsDomain", "Nontrivial", "NoZeroDivisors", "Fintype", "Finite", "DecidableEq", "Semiring", "CommSemiring"
}  # fmt: skip
_GROUPS = frozenset({"Group", "CommGroup"})
SUBGROUP = "Subgroup"
"""The sort of variables that are subgroups."""
_INVERTED = _GROUPS | {"Field", "DivisionRing"}


class UnmodelledError(Exception):
    """The statement is about something else than the elements of one structure."""


@dataclass(frozen=True)
class Frame:
    """What a statement is about.

    Attributes:
        type: the name of the structure.
        classes: of which it is an instance.
        variables: names with the structure's name, a sort of whole numbers or `SUBGROUP`.
    """

    type: str
    classes: frozenset[str]
    variables: tuple[tuple[str, str], ...]
    hypotheses: tuple[Term, ...]
    conclusion: Term


@dataclass
class _Place:
    """One structure with the values of variables and which of these are its elements."""

    frame: Frame
    structure: Structure
    values: Mapping[str, Any]
    sorts: Mapping[str, str]
    budget: Budget = field(default_factory=lambda: Budget(_STEPS))

    def bind(self, name: str, value: Any, sort: str) -> _Place:
        return _Place(self.frame, self.structure, {**self.values, name: value}, {**self.sorts, name: sort}, self.budget)


def try_structures(frame: Frame) -> tuple[int, tuple[tuple[str, str], ...] | None]:
    """At how many places the statement held, and one at which it does not.

    Raises:
        UnmodelledError: a class is not known.
    """
    if not frame.classes <= _KNOWN:
        raise UnmodelledError(f"{sorted(frame.classes - _KNOWN)[0]} has no small structures here")
    of_subgroups = any(sort == SUBGROUP for _, sort in frame.variables)
    if of_subgroups and frame.classes.isdisjoint(_GROUPS):
        raise UnmodelledError("subgroups of what is no group")
    held, budget = 0, Budget(_STEPS)
    for structure in list_structures(frame.classes):
        for values in _list_values(frame, structure):
            place = _Place(frame, structure, values, dict(frame.variables), budget)
            try:
                if not all(_holds(each, place) for each in frame.hypotheses):
                    continue
                found = _holds(frame.conclusion, place)
            except ExhaustedError:
                return held, None
            except UnmodelledError:
                continue
            if found is False:
                return held, _describe(place)
            held += found is True
    return held, None


def _list_values(frame: Frame, structure: Structure) -> Iterator[dict[str, Any]]:
    names = [name for name, _ in frame.variables]
    pools = [_list_pool(sort, structure) for _, sort in frame.variables]
    yield from (dict(zip(names, each, strict=True)) for each in product(*pools))


def _list_pool(sort: str, structure: Structure) -> Sequence[Any]:
    if sort == SUBGROUP:
        return list_subgroups(structure)
    return _NUMBERS.get(sort) or range(len(structure))


def _describe(place: _Place) -> tuple[tuple[str, str], ...]:
    names = place.structure.elements
    told = []
    for name, value in place.values.items():
        if place.sorts[name] == SUBGROUP:
            told.append((name, f"{{{', '.join(names[each] for each in sorted(value))}}}"))
        else:
            told.append((name, str(value) if place.sorts[name] in _NUMBERS else names[value]))
    return ((place.frame.type, place.structure.name), *told)


def _is_element(term: Term, place: _Place) -> bool:
    """Whether the term is one of the structure, rather than a number: by its variables outside of exponents."""
    if term.head == "var":
        return place.sorts.get(term.name) == place.frame.type
    if term.head in ("app", "card", "ascribe"):
        return term.head == "ascribe" and term.name == place.frame.type
    return any(_is_element(each, place) for each in (term.args[:1] if term.head == "pow" else term.args))


def _holds(term: Term, place: _Place) -> bool | None:
    place.budget.spend(1)
    decide = _DECIDE.get(term.head)
    if decide is not None:
        return decide(term, place)
    if term.head in _COMPARE:
        return _compare(term, place)
    if term.head in ("even", "odd", "prime"):
        number = _count(term.args[0], place)
        prime = number > 1 and all(number % d for d in range(2, number))
        return prime if term.head == "prime" else (number % 2 == 1) == (term.head == "odd")
    if term.head in ("in", "notin"):
        return (_find(term.args[0], place) in _gather(term.args[1], place)) == (term.head == "in")
    if term.head == "coprime":
        return gcd(*(_count(each, place) for each in term.args)) == 1
    if (said := _read_claim(term)) is not None:
        return _SAID_OF_SUBGROUPS[said[0]](place.structure, _gather(said[1], place))
    if term.head == "app" and term.name in _SAID:
        return _SAID[term.name]([_find(each, place) for each in term.args], place.structure)
    raise UnmodelledError(term.head)


_COMPARE = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "dvd": lambda a, b: b % a == 0 if a else b == 0,
}


def _compare(term: Term, place: _Place) -> bool:
    if any(_is_subgroup(each, place) for each in term.args) and term.head != "dvd":
        return bool(_COMPARE[term.head](*(_gather(each, place) for each in term.args)))
    if any(_is_element(each, place) for each in term.args) and term.head != "dvd":
        raise UnmodelledError("no order")
    if any(_is_element(each, place) for each in term.args):
        one, other = (_find(each, place) for each in term.args)
        return other in place.structure.times[one]
    one, other = (_count(each, place) for each in term.args)
    return bool(_COMPARE[term.head](one, other))


def _equal(term: Term, place: _Place) -> bool:
    if any(_is_subgroup(each, place) for each in term.args):
        return (_gather(term.args[0], place) == _gather(term.args[1], place)) == (term.head == "eq")
    read = _find if any(_is_element(each, place) for each in term.args) else _count
    one, other = (read(each, place) for each in term.args)
    return (one == other) == (term.head == "eq")


def _join(term: Term, place: _Place) -> bool | None:
    """``and`` and ``or``: what decides alone decides."""
    alone = term.head == "or"
    found = [_holds(each, place) for each in term.args]
    return alone if alone in found else None if None in found else not alone


def _deny(term: Term, place: _Place) -> bool | None:
    found = _holds(term.args[0], place)
    return None if found is None else not found


def _imply(term: Term, place: _Place) -> bool | None:
    if term.args[1] == Term("var", name="False"):
        return _deny(term, place)
    one, other = (_holds(each, place) for each in term.args)
    return True if one is False or other is True else None if None in (one, other) else False


def _match(term: Term, place: _Place) -> bool | None:
    one, other = (_holds(each, place) for each in term.args)
    return None if None in (one, other) else one == other


def _quantify(term: Term, place: _Place) -> bool | None:
    """Over all elements and subgroups; over numbers only what one of them shows is decided."""
    domain, body = term.args
    if domain.head == "app" and domain.name in ("Fintype", "Finite"):
        return _holds(body, place)
    sort, pool = _read_domain(term, place)
    finite = sort not in _NUMBERS
    if term.head == "exists" and not finite:
        pool = range(_LARGEST)
    alone = term.head == "exists"
    unknown = not finite
    for value in pool:
        found = _holds(body, place.bind(term.name, value, sort))
        if found is alone:
            return alone
        unknown = unknown or found is None
    return None if unknown else not alone


def _read_domain(term: Term, place: _Place) -> tuple[str, Sequence[Any]]:
    """The sort that a quantifier is over, and its values; where none is written, what is said of its variable tells."""
    domain, body = term.args
    if domain.head == "var" and domain.name in (place.frame.type, *_NUMBERS):
        return domain.name, _list_pool(domain.name, place.structure)
    if domain.head == "app" and domain.name == SUBGROUP and domain.args == (Term("var", name=place.frame.type),):
        return SUBGROUP, list_subgroups(_take_group(place))
    if domain.head == "var" and place.sorts.get(domain.name) == SUBGROUP:
        return place.frame.type, sorted(place.values[domain.name])
    first = body.args[0] if body.head in ("imp", "and") else body
    bound = domain.head == "hole" and len(first.args) == 2 and first.args[0] == Term("var", name=term.name)
    if bound and first.head in ("in", "le", "lt") and _is_subgroup(first.args[1], place):
        sort = place.frame.type if first.head == "in" else SUBGROUP
        return sort, _list_pool(sort, _take_group(place))
    if domain.head == "hole" and _orders(term.name, body):
        return place.frame.type, range(len(place.structure))
    raise UnmodelledError("a quantifier over something else")


def _orders(name: str, body: Term) -> bool:
    """Whether it speaks of the order of what is named, which is an element then."""
    asked = Term("app", (Term("var", name=name),), "orderOf")
    return any(each == asked for each in body.walk())


def _take_group(place: _Place) -> Structure:
    if place.frame.classes.isdisjoint(_GROUPS):
        raise UnmodelledError("subgroups of what is no group")
    return place.structure


_SAID_OF_SUBGROUPS = {
    "Normal": is_normal,
    "Characteristic": is_characteristic,
    "IsCyclic": is_cyclic,
    "IsSimpleGroup": lambda group, subgroup: len(subgroup) == len(group) and is_simple(group),
}


def _read_claim(term: Term) -> tuple[str, Term] | None:
    """What is said of a subgroup, and of which: ``H.Normal``, ``Subgroup.Normal H``, ``(H ⊓ K).Normal``."""
    owner, dot, said = term.name.rpartition(".")
    if term.head == "var" and dot and said in ("Normal", "Characteristic"):
        return said, Term("var", name=owner)
    known = term.head == "app" and len(term.args) == 1 and owner in ("", SUBGROUP) and said in _SAID_OF_SUBGROUPS
    return (said, term.args[0]) if known else None


_MADE = frozenset({"⊥", "⊤", "center", "zpowers", "closure"})


def _is_subgroup(term: Term, place: _Place) -> bool:
    if term.head == "var":
        return place.sorts.get(term.name) == SUBGROUP
    if term.head == "op" and term.name in ("⊓", "⊔"):
        return any(_is_subgroup(each, place) for each in term.args)
    return term.head == "app" and term.name.removeprefix("Subgroup.") in _MADE


def _gather(term: Term, place: _Place) -> Subgroup:
    """A subgroup; the group by its name is all of it."""
    place.budget.spend(1)
    group, name = _take_group(place), term.name.removeprefix("Subgroup.")
    whole = frozenset(range(len(group)))
    if term.head == "var" and term.name == place.frame.type:
        return whole
    if not _is_subgroup(term, place):
        raise UnmodelledError("no subgroup")
    if term.head == "var":
        return frozenset(place.values[term.name])
    if term.head == "op":
        one, other = (_gather(each, place) for each in term.args)
        return one & other if name == "⊓" else generate(group, one | other)
    if name in ("⊥", "⊤"):
        return whole if name == "⊤" else frozenset({group.one})
    given = term.args[0] if len(term.args) == 1 else Term("hole")
    if name == "center" and given == Term("var", name=place.frame.type):
        return find_center(group)
    if name == "zpowers":
        return generate(group, [_find(given, place)])
    listed = given.args[0] if given.head == "ascribe" else given
    if name == "closure" and listed.head == "app" and listed.name == "{}":
        return generate(group, [_find(each, place) for each in listed.args])
    raise UnmodelledError(name)


_DECIDE = {
    "eq": _equal,
    "ne": _equal,
    "and": _join,
    "or": _join,
    "not": _deny,
    "imp": _imply,
    "iff": _match,
    "forall": _quantify,
    "exists": _quantify,
}
_SAID = {
    "IsUnit": lambda given, structure: structure.inverse[given[0]] is not None,
    "IsNilpotent": lambda given, structure: (
        bool(structure.plus) and structure.zero in _list_powers(given[0], structure)
    ),
    "IsIdempotentElem": lambda given, structure: structure.times[given[0]][given[0]] == given[0],
    "Commute": lambda given, structure: structure.times[given[0]][given[1]] == structure.times[given[1]][given[0]],
}


def _list_powers(element: int, structure: Structure) -> list[int]:
    """The element, its square, and so on until one comes again."""
    found = [element]
    while (new := structure.times[found[-1]][element]) not in found:
        found.append(new)
    return found


_CARD = frozenset({"card", "Fintype.card", "Nat.card", "@card"})


def _count(term: Term, place: _Place, whole: bool = False) -> int:
    """A number. Differences of natural numbers end at zero, unless they are of whole ones."""
    place.budget.spend(1)
    head = term.head
    if head == "num" and term.name.isdecimal():
        return int(term.name)
    if head == "var" and place.sorts.get(term.name) in _NUMBERS:
        return place.values[term.name]
    if head == "ascribe" and term.name in _NUMBERS:
        return _count(term.args[0], place, term.name == "ℤ")
    if head == "app" and term.name == "orderOf" and len(term.args) == 1:
        powers = _list_powers(_find(term.args[0], place), place.structure)
        return powers.index(place.structure.one) + 1 if place.structure.one in powers else 0
    if head == "card" or (head == "app" and term.name in _CARD):
        whole_type = term.args[0] == Term("var", name=place.frame.type)
        return len(place.structure) if whole_type else len(_gather(term.args[0], place))
    if head == "var" and term.name.endswith(".index"):
        return len(place.structure) // len(_gather(Term("var", name=term.name.removesuffix(".index")), place))
    whole = whole or any(place.sorts.get(name) == "ℤ" for name in find_free(term))
    if head == "neg" and whole:
        return -_count(term.args[0], place, whole)
    if head in ("add", "sub", "mul", "pow", "mod", "gcd") and len(term.args) == 2:
        one, other = (_count(each, place, whole) for each in term.args)
        if head == "sub":
            return one - other if whole else max(one - other, 0)
        if head == "mod":
            return one % abs(other) if other else one
        if head == "pow" and not 0 <= other <= _LARGEST:
            raise UnmodelledError("a large power")
        return {
            "add": lambda: one + other,
            "mul": lambda: one * other,
            "pow": lambda: one**other,
            "gcd": lambda: gcd(one, other),
        }[head]()
    raise UnmodelledError(head)


def _find(term: Term, place: _Place) -> int:
    """An element."""
    place.budget.spend(1)
    structure, head = place.structure, term.head
    if head == "var" and place.sorts.get(term.name) == place.frame.type:
        return place.values[term.name]
    if head == "ascribe" and term.name == place.frame.type:
        return _find(term.args[0], place)
    if head == "num" and term.name.isdecimal():
        return _find_numeral(int(term.name), structure)
    if head in ("mul", "add", "sub", "div"):
        if (head in ("add", "sub")) and not structure.plus:
            raise UnmodelledError("no sum")
        one, other = (_find(each, place) for each in term.args)
        if head == "sub":
            other = structure.negative[other]
        if head == "div":
            other = _invert(other, place)
        return (structure.plus if head in ("add", "sub") else structure.times)[one][other]
    if head == "neg" and structure.plus:
        return structure.negative[_find(term.args[0], place)]
    if head == "inv":
        return _invert(_find(term.args[0], place), place)
    if head == "pow":
        return _raise(_find(term.args[0], place), _count(term.args[1], place), place)
    raise UnmodelledError(head)


def _find_numeral(number: int, structure: Structure) -> int:
    if not structure.plus:
        if number != 1:
            raise UnmodelledError("no such numeral")
        return structure.one
    found = structure.zero
    for _ in range(number):
        found = structure.plus[found][structure.one]
    return found


def _invert(element: int, place: _Place) -> int:
    """Only where the class has inverses; that of zero is zero in Lean."""
    if place.frame.classes.isdisjoint(_INVERTED):
        raise UnmodelledError("no inverses")
    found = place.structure.inverse[element]
    return place.structure.zero if found is None else found


def _raise(base: int, exponent: int, place: _Place) -> int:
    if abs(exponent) > 4 * _LARGEST:
        raise UnmodelledError("a large power")
    if exponent < 0:
        base, exponent = _invert(base, place), -exponent
    found = place.structure.one
    for _ in range(exponent):
        found = place.structure.times[found][base]
    return found
