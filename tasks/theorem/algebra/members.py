"""Finite sets of whole numbers that a statement speaks of: ranges, divisors, and those that a condition picks out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from counterfoil.tasks.theorem.algebra.parts import evaluate, holds
from counterfoil.tasks.theorem.algebra.tree import Term, split_conjuncts
from counterfoil.tasks.theorem.algebra.world import (
    Members,
    Sort,
    UndefinedValueError,
    UnknownValueError,
    Value,
    World,
    find_range_sort,
)

_MOST_TERMS = 300


def list_members(term: Term, world: World) -> Sequence[int]:
    """The whole numbers of a finite set, each once, in order.

    Raises:
        UnknownValueError: it is another set, or whether it ends cannot be seen.
    """
    if term.head in ("range", "interval"):
        return _list_range(term.head == "range", term.args, world)
    if term.head == "divisors":
        return _list_divisors(evaluate(term.args[0], world, "N"))
    if term.head == "filter":
        test, inner = term.args
        sort = find_range_sort(inner, world)
        return _keep(list_members(inner, world), test.name, test.args[1], sort, world)
    members = world.values.get(term.name) if term.head == "var" else None
    if isinstance(members, Members):
        bound = _find_ends(members, world)
        return _keep(bound, members.name, members.condition, members.sort, world)
    raise UnknownValueError("a set")


def _list_range(half_open: bool, args: Sequence[Term], world: World) -> range:
    """Without its end, or with both ends."""
    ends = [evaluate(each, world, None) for each in args]
    if not all(isinstance(each, int) for each in ends):
        raise UnknownValueError("a range")
    return _check_length(range(ends[0]) if half_open else range(ends[0], ends[1] + 1))


def _check_length(found: range) -> range:
    if len(found) > _MOST_TERMS:
        raise UnknownValueError("too many terms")
    return found


def _list_divisors(value: Value) -> Sequence[int]:
    if not isinstance(value, int) or not 0 <= value <= 10**12:
        raise UnknownValueError("divisors")
    import sympy

    # Lean's zero has none.
    return sympy.divisors(value) if value else ()


def _keep(found: Sequence[int], name: str, condition: Term, sort: Sort, world: World) -> list[int]:
    told = [(each, holds(condition, world.bind(name, each, sort))) for each in found]
    if any(held is None for _, held in told):
        raise UnknownValueError("who is a member")
    return [each for each, held in told if held]


def _find_ends(members: Members, world: World) -> range:
    """Numbers beyond which the condition excludes all: its own bounds, of the number itself or of a distance.

    A set whose bounds are not said is not finite for all that we know, and nothing is said of it.
    """
    low: int | None = 0 if members.sort == "N" else None
    high: int | None = None
    for each in split_conjuncts(members.condition):
        for least, most in _read_bounds(each, members.name, world):
            low = least if low is None else max(low, least) if least is not None else low
            high = most if high is None else min(high, most) if most is not None else high
    if low is None or high is None:
        raise UnknownValueError("a set without ends")
    return _check_length(range(low, high + 1))


def _read_bounds(term: Term, name: str, world: World) -> Iterator[tuple[int | None, int | None]]:
    """Least and most of ``n < 5``, ``3 ≤ n``, ``|n - 2| ≤ 5`` and ``n ∣ 12``, where they can be read."""
    if term.head == "dvd" and term.args[0].head == "var" and term.args[0].name == name:
        divided = abs(_find_whole(term.args[1], name, world) or 0)
        yield (-divided, divided) if divided else (None, None)
    if term.head not in ("lt", "le", "gt", "ge"):
        return
    left, right = term.args if term.head in ("lt", "le") else term.args[::-1]
    if left.head == "var" and left.name == name and (value := _find_whole(right, name, world)) is not None:
        yield None, value
    if right.head == "var" and right.name == name and (value := _find_whole(left, name, world)) is not None:
        yield value, None
    if left.head == "abs" and (most := _find_whole(right, name, world)) is not None:
        (inner,) = left.args
        middle: int | None = 0 if inner.head == "var" else None
        if inner.head in ("sub", "add") and inner.args[0].head == "var":
            shift = _find_whole(inner.args[1], name, world)
            middle = None if shift is None else shift if inner.head == "sub" else -shift
        named = inner if inner.head == "var" else inner.args[0] if inner.args else inner
        if middle is not None and named.name == name:
            yield middle - abs(most), middle + abs(most)


def _find_whole(term: Term, name: str, world: World) -> int | None:
    """A whole number no nearer to zero than the term's value, which does not depend on the member."""
    if any(each.head == "var" and each.name == name for each in term.walk()):
        return None
    try:
        value = evaluate(term, world, None)
    except (UnknownValueError, UndefinedValueError):
        return None
    return int(value) + (1 if value > 0 else -1) * (value != int(value)) if isinstance(value, int | Fraction) else None
