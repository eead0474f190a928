"""Changes of one text that are crossed into a world (`counterfoil.tasks.contract.worlds`), where each member has to be
shown false by itself.

Changes of one and the same place are the values of a slot; slots that touch are never crossed. So each member differs
from the others by as much as the first does. Changes at different places that are not crossed would be a star around
it. Of changes that serve alone products are drawn, and what is new in them is judged. A product with one member that
does not serve would leave a middle: it goes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product
from typing import Protocol, Self, TypeVar

import numpy as np

from counterfoil.tasks.contract.worlds import draw_world

DRAWS = 60
"""Products of one size that are tried."""
OFFERED = 40
"""Products that are given at most."""


class Placed(Protocol):
    """A change at a place of a text."""

    @property
    def kind(self) -> str:
        """What is changed."""
        ...

    @property
    def place(self) -> Hashable:
        """Changes of one place are values of one slot."""
        ...

    def touches(self, other: Self) -> bool:
        """Whether both cannot be made together."""
        ...


P = TypeVar("P", bound=Placed)
T = TypeVar("T")


def take_turns(
    changes: Sequence[P], most: int, rng: np.random.Generator, last: Callable[[str], bool] = lambda _: False
) -> list[P]:
    """At most ``most`` of the changes, of each kind in turn, the kinds in a random order but for those that come
    ``last``."""
    kinds: dict[str, list[P]] = {}
    for i in rng.permutation(len(changes)):
        kinds.setdefault(changes[i].kind, []).append(changes[i])
    queues = sorted(kinds.values(), key=lambda queue: last(queue[0].kind))
    found: list[P] = []
    while len(found) < most and any(queues):
        found += [queue.pop() for queue in queues if queue]
    return found[:most]


def find_worlds(
    good: Sequence[P],
    size: int,
    serves: Callable[[tuple[P, ...]], bool],
    rng: random.Random,
    weigh: Callable[[str], float] = lambda _: 1.0,
    *,
    offered: int = OFFERED,
) -> list[tuple[tuple[P, ...], ...]]:
    """Sets of at most ``size`` members, the one without a change among them and not given, of the greatest size that
    there is.

    Args:
        good: changes that serve each by itself.
        serves: whether several changes do together.
        weigh: how gladly a kind of change is crossed.
        offered: sets that are given at most.
    """
    slots = list(_group(good))
    weights = [min(weigh(change.kind) for change in slot) for slot in slots]
    known: dict[tuple[P, ...], bool] = {}

    def judge(member: tuple[P, ...]) -> bool:
        if member not in known:
            known[member] = len(member) == 1 or serves(member)
        return known[member]

    for wanted in range(min(size, 1 + len(good)), 1, -1):
        found: dict[tuple[tuple[P, ...], ...], None] = {}
        for world in _draw_worlds(slots, weights, wanted, rng):
            if len(found) < offered and all(map(judge, _complete(world, slots))):
                found.setdefault(world)
        if found:
            return list(found)
    return []


def _complete(world: Sequence[tuple[P, ...]], slots: Sequence[Sequence[P]]) -> Iterator[tuple[P, ...]]:
    """All members of the product that a set is of, those too that were left out of it as too many: if one of them were
    left out because it does not serve, the set would have a middle."""
    used = {change for member in world for change in member}
    for chosen in product(*((None, *(change for change in slot if change in used)) for slot in slots)):
        if member := tuple(change for change in chosen if change is not None):
            yield member


def _draw_worlds(
    slots: Sequence[Sequence[P]], weights: Sequence[float], size: int, rng: random.Random
) -> Iterator[tuple[tuple[P, ...], ...]]:
    """Products of that size, and the values of one slot where it has so many."""
    for turn in range(DRAWS):
        places = _draw_apart(slots, weights, rng)
        # As `_complete` has them: one member is one tuple.
        places = sorted(places[:1] if turn % 3 == 2 else places)
        counts = [1 + len(slots[place]) for place in places]
        members = draw_world(counts, size, rng, [weights[place] for place in places])
        if len(members) == size:
            yield tuple(
                tuple(slots[place][value - 1] for place, value in zip(places, member, strict=True) if value)
                for member in members[1:]
            )


def _draw_apart(slots: Sequence[Sequence[P]], weights: Sequence[float], rng: random.Random) -> list[int]:
    """Slots of which none touches another, as many as there is room for, the first drawn by weight."""
    apart: list[int] = []
    for place in sorted(range(len(slots)), key=lambda each: rng.random() ** (1 / weights[each]), reverse=True):
        if not any(slots[place][0].touches(slots[other][0]) for other in apart):
            apart.append(place)
    return apart


def _group(changes: Sequence[P]) -> Iterator[list[P]]:
    """The changes of each place."""
    slots: dict[Hashable, list[P]] = {}
    for change in changes:
        slots.setdefault(change.place, []).append(change)
    yield from slots.values()
