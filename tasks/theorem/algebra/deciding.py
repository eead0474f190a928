"""How it is decided whether a statement of each kind holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import gcd

from counterfoil.tasks.theorem.algebra.members import list_members
from counterfoil.tasks.theorem.algebra.parts import SYMBOLIC, evaluate, holds
from counterfoil.tasks.theorem.algebra.tree import Term
from counterfoil.tasks.theorem.algebra.values import CLOSE, approximate, is_zero, pair_up
from counterfoil.tasks.theorem.algebra.world import (
    Members,
    Sort,
    UndefinedValueError,
    World,
    find_sort,
    is_field,
    read_sort,
    take_largest,
)

_WITNESSES = (range(-12, 31), range(-3, 7))
"""Values that a quantifier is tried with, and one inside another."""


def _compare(test: Callable[[int], bool]) -> Callable[[Term, World], bool | None]:
    def decide(term: Term, world: World) -> bool | None:
        sort = (find_sort(term, world) or "N") if world.lean else None
        left, right = pair_up(*(evaluate(each, world, sort) for each in term.args))
        if isinstance(left, int | Fraction):
            return test((left > right) - (left < right))
        world.budget.spend(SYMBOLIC)
        difference = approximate(left - right)
        if not difference.is_finite:
            # sympy's not-a-number, and its infinities.
            raise UndefinedValueError("no number")
        if not difference.is_real:
            # A modulus of sympy's is looked for as a formula; its parts are numbers.
            if all(abs(each) <= CLOSE for each in difference.as_real_imag()):
                return test(0)
            if test(1) == test(-1):
                return test(1)
            # Complex numbers have no order; mathlib's compares those alone that differ by a real number.
            return False if world.lean else None
        sign = 0 if abs(difference) < CLOSE else 1 if difference > 0 else -1
        return test(sign)

    return decide


def _divides(term: Term, world: World) -> bool | None:
    sort = take_largest([find_sort(each, world) for each in term.args]) if world.lean else None
    left, right = (evaluate(each, world, sort) for each in term.args)
    if is_field(sort):
        return not is_zero(left) or is_zero(right)
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    return right == 0 if left == 0 else right % left == 0


def _congruent(term: Term, world: World) -> bool | None:
    sort: Sort | None = {"ZMOD": "Z", "MOD": "N"}.get(term.name)  # type: ignore[assignment]
    left, right, modulus = (evaluate(each, world, sort) for each in term.args)
    if not all(isinstance(each, int) for each in (left, right, modulus)):
        return None
    return left == right if modulus == 0 else (left - right) % modulus == 0


def _both(term: Term, world: World) -> bool | None:
    found = [holds(each, world) for each in term.args]
    return False if False in found else None if None in found else True


def _either(term: Term, world: World) -> bool | None:
    found = [holds(each, world) for each in term.args]
    return True if True in found else None if None in found else False


def _opposite(term: Term, world: World) -> bool | None:
    found = holds(term.args[0], world)
    return None if found is None else not found


def _implies(term: Term, world: World) -> bool | None:
    first = holds(term.args[0], world)
    if first is False:
        return True
    second = holds(term.args[1], world)
    return True if second else None if first is None or second is None else False


def _equivalent(term: Term, world: World) -> bool | None:
    first, second = (holds(each, world) for each in term.args)
    return None if first is None or second is None else first == second


def _quantify(universal: bool) -> Callable[[Term, World], bool | None]:
    """A counterexample or a witness among small numbers decides; that there is none does not."""

    def decide(term: Term, world: World) -> bool | None:
        sort = _read_domain(term.args[0]) or world.sorts.get(term.name)
        if sort is None:
            return None
        if world.depth >= len(_WITNESSES):
            return None
        inner = replace(world, depth=world.depth + 1)
        for value in _WITNESSES[world.depth]:
            if sort == "N" and value < 0:
                continue
            try:
                if holds(term.args[1], inner.bind(term.name, value, sort)) is (not universal):
                    return not universal
            except UndefinedValueError:
                continue
        return None

    return decide


def _read_domain(term: Term) -> Sort | None:
    return read_sort(term.name) if term.head == "var" else None


def _is_extreme(least: bool) -> Callable[[Term, World], bool | None]:
    """``IsLeast {x : ℕ | P x} v``: what is wrong shows at v itself, or at a number beyond it."""

    def decide(term: Term, world: World) -> bool | None:
        found, extreme = term.args
        members = world.values.get(found.name) if found.head == "var" else None
        if isinstance(members, Members):
            name, sort, condition = members.name, members.sort, members.condition
        elif found.head == "setof" and (domain := _read_domain(found.args[0])) in ("N", "Z"):
            name, sort, condition = found.name, domain, found.args[1]
        else:
            return None
        value = evaluate(extreme, world, sort)
        if not isinstance(value, int) or abs(value) > 5000:
            return None
        member = holds(condition, world.bind(name, value, sort))
        if member is not True:
            return member
        beyond = range(0 if sort == "N" else value - 200, value) if least else range(value + 1, value + 200)
        complete = least and sort == "N"
        for each in beyond:
            inside = holds(condition, world.bind(name, each, sort))
            if inside:
                return False
            complete = complete and inside is False
        return True if complete else None

    return decide


def _belongs(term: Term, world: World) -> bool | None:
    place, found = term.args
    value = evaluate(place, world, find_sort(place, world))
    members = world.values.get(found.name) if found.head == "var" else None
    if isinstance(members, Members):
        return holds(members.condition, world.bind(members.name, value, members.sort))
    return value in list_members(found, world)


def _is_prime(term: Term, world: World) -> bool | None:
    value = evaluate(term.args[0], world, None)
    if world.lean and term.name != "nat" and is_field(find_sort(term.args[0], world)):
        return False
    if not isinstance(value, int) or abs(value) > 10**12:
        return None
    import sympy

    return bool(sympy.isprime(abs(value) if term.name != "nat" else value))


def _has_parity(remainder: int) -> Callable[[Term, World], bool | None]:
    def decide(term: Term, world: World) -> bool | None:
        value = evaluate(term.args[0], world, None)
        if world.lean and is_field(find_sort(term.args[0], world)):
            return True
        return value % 2 == remainder if isinstance(value, int) else None

    return decide


def _are_coprime(term: Term, world: World) -> bool | None:
    left, right = (evaluate(each, world, None) for each in term.args)
    sort = take_largest([find_sort(each, world) for each in term.args]) or "N"
    if term.name == "bezout" and is_field(sort):
        return not (is_zero(left) and is_zero(right))
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    if term.name == "bezout" and sort == "N":
        # u * a + v * b = 1 with natural u and v.
        return 1 in (left, right)
    return gcd(left, right) == 1


DECIDE: dict[str, Callable[[Term, World], bool | None]] = {
    "var": lambda term, world: {"True": True, "False": False}.get(term.name) if world.lean else None,
    "eq": _compare(lambda sign: sign == 0),
    "ne": _compare(lambda sign: sign != 0),
    "lt": _compare(lambda sign: sign < 0),
    "le": _compare(lambda sign: sign <= 0),
    "gt": _compare(lambda sign: sign > 0),
    "ge": _compare(lambda sign: sign >= 0),
    "dvd": _divides,
    "ndvd": lambda term, world: None if (found := _divides(term, world)) is None else not found,
    "cong": _congruent,
    "in": _belongs,
    "notin": lambda term, world: None if (found := _belongs(term, world)) is None else not found,
    "and": _both,
    "or": _either,
    "not": _opposite,
    "imp": _implies,
    "iff": _equivalent,
    "forall": _quantify(True),
    "exists": _quantify(False),
    "is_least": _is_extreme(True),
    "is_greatest": _is_extreme(False),
    "prime": _is_prime,
    "even": _has_parity(0),
    "odd": _has_parity(1),
    "coprime": _are_coprime,
}
