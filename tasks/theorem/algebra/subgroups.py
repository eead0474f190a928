"""Subgroups of small groups: all that there are, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product

from counterfoil.tasks.theorem.algebra.structures import Element, Structure

Subgroup = frozenset[Element]


def generate(group: Structure, elements: Iterable[Element]) -> Subgroup:
    """The smallest subgroup that holds the elements."""
    found = {group.one, *elements}
    while more := {group.times[a][b] for a in found for b in found} - found:
        found |= more
    return frozenset(found)


@lru_cache(maxsize=64)
def list_subgroups(group: Structure) -> Sequence[Subgroup]:
    """All subgroups, the smallest first. Our groups have none that takes more than two elements to generate.

    >>> from counterfoil.tasks.theorem.algebra.structures import list_structures
    >>> {each.name: len(list_subgroups(each)) for each in list_structures(frozenset({"Group"})) if len(each) > 5}
    {'C6': 4, 'S3': 6, 'D4': 10, 'Q8': 6}
    """
    every = range(len(group))
    found = {generate(group, (a, b)) for a in every for b in every}
    return sorted(found, key=lambda each: (len(each), sorted(each)))


def find_center(group: Structure) -> Subgroup:
    """The elements that commute with all."""
    every = range(len(group))
    return frozenset(a for a in every if all(group.times[a][b] == group.times[b][a] for b in every))


def is_normal(group: Structure, subgroup: Subgroup) -> bool:
    """Whether conjugation keeps it."""
    every = range(len(group))
    return all(group.times[group.times[g][h]][group.inverse[g] or 0] in subgroup for g in every for h in subgroup)


def is_characteristic(group: Structure, subgroup: Subgroup) -> bool:
    """Whether every automorphism keeps it."""
    return all({images[h] for h in subgroup} == subgroup for images in _list_automorphisms(group))


def is_cyclic(group: Structure, subgroup: Subgroup) -> bool:
    """Whether one element generates it."""
    return any(generate(group, (each,)) == subgroup for each in subgroup)


def is_simple(group: Structure) -> bool:
    """Whether it has two normal subgroups, no more and no fewer."""
    return sum(is_normal(group, each) for each in list_subgroups(group)) == 2


@lru_cache(maxsize=64)
def _list_automorphisms(group: Structure) -> Sequence[tuple[Element, ...]]:
    """The images of all elements under each automorphism, by those of two that generate the group."""
    every = range(len(group))
    pair = next((a, b) for a in every for b in every if len(generate(group, (a, b))) == len(group))
    found = []
    for images in product(every, repeat=2):
        full = _extend(group, dict(zip(pair, images, strict=True)))
        if full is not None and len(set(full)) == len(group):
            found.append(full)
    return found


def _extend(group: Structure, known: dict[Element, Element]) -> tuple[Element, ...] | None:
    """The homomorphism to the group itself with these images of elements that generate it, if there is one."""
    known = {**known, group.one: group.one}
    while len(known) < len(group):
        known |= {group.times[a][b]: group.times[x][y] for a, x in known.items() for b, y in known.items()}
    every = range(len(group))
    kept = all(known[group.times[a][b]] == group.times[known[a]][known[b]] for a in every for b in every)
    return tuple(known[each] for each in every) if kept else None
