"""Ticks, arcs and arrowheads by group: things that are equal bear the same mark, however many statements say so.

A source states equalities two by two. Where AB = CD and CD = EF, all three bear one tick; each statement a group of its
own would put two marks that contradict one another on CD.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from counterfoil.storage.rows import Fact
from counterfoil.storage.uniting import Sets

GROUPED = ("mark_ticks", "mark_arcs", "mark_parallel")


def unite_groups(marks: Iterable[Fact], facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The marks with equal things in one group, groups numbered 1, 2, ... and one mark of a kind on each thing.

    ``facts`` say which points lie on one line (``collinear``), and so which names mean the same angle or line. Angles
    that bear a number have a single arc: where there are such outside the groups, equal angles start at two arcs, or
    they would seem to be equal to those too.
    """
    marks = tuple(marks)
    chains = [fact.arguments for fact in facts if fact.predicate == "collinear"]
    united = {kind: _unite([mark for mark in marks if mark.predicate == kind], chains) for kind in GROUPED}
    first = 2 if _has_numbered_outside(marks, set(united["mark_arcs"]), chains) else 1
    done: set[tuple[str, Hashable]] = set()
    kept = []
    for mark in marks:
        if mark.predicate not in GROUPED:
            kept.append(mark)
            continue
        thing = find_thing(mark, chains)
        if (mark.predicate, thing) not in done:
            done.add((mark.predicate, thing))
            number = united[mark.predicate][thing] + (first if mark.predicate == "mark_arcs" else 1)
            kept.append(replace(mark, value=str(number)))
    return tuple(kept)


def find_thing(mark: Fact, chains: Iterable[Sequence[str]]) -> Hashable:
    """What a mark stands on, the same for all of its names: a segment, the two rays of an angle, a whole line."""
    a = mark.arguments
    if mark.predicate == "mark_ticks":
        return frozenset(a)
    if mark.predicate == "mark_parallel":
        whole = next((chain for chain in chains if set(a) <= set(chain)), a)
        return frozenset((min(whole[0], whole[-1]), max(whole[0], whole[-1])))
    chains = list(chains)
    return (a[1], frozenset((_name_ray(a[1], a[0], chains), _name_ray(a[1], a[2], chains))))


def _name_ray(vertex: str, through: str, chains: Sequence[Sequence[str]]) -> str:
    """One name for the ray from ``vertex``: the first in the alphabet of the points on it."""
    for chain in chains:
        if vertex in chain and through in chain:
            at, other = chain.index(vertex), chain.index(through)
            return min(chain[at + 1 :] if other > at else chain[:at])
    return through


def _unite(marks: Sequence[Fact], chains: Sequence[Sequence[str]]) -> dict[Hashable, int]:
    """The number from 0 of each thing's group, in the order of the marks."""
    sets: Sets[Hashable] = Sets()
    leaders: dict[str | None, Hashable] = {}
    for mark in marks:
        thing = find_thing(mark, chains)
        sets.unite(leaders.setdefault(mark.value, thing), thing)
    numbers: dict[Hashable, int] = {}
    found: dict[Hashable, int] = {}
    for mark in marks:
        thing = find_thing(mark, chains)
        found[thing] = numbers.setdefault(sets.find(thing), len(numbers))
    return found


def _has_numbered_outside(marks: Sequence[Fact], grouped: set[Hashable], chains: Sequence[Sequence[str]]) -> bool:
    right = {find_thing(mark, chains) for mark in marks if mark.predicate == "mark_right"}
    numbered = {find_thing(mark, chains) for mark in marks if mark.predicate == "mark_angle"}
    return bool(numbered - right - grouped)
