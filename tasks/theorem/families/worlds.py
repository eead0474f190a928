"""Sets without a centre: near misses of one statement by changes at two or three places, each alone and all together
(`counterfoil.tasks.contract.worlds`), so that the anchor is one of a product and each member is known to be false.

Changes of one and the same span are the values of a slot; slots that touch are never crossed. So each member differs
from the others by as much as the anchor does. Changes at different places that are not crossed would be a star around
the anchor. Each change is judged alone first; of those that are false alone the products are drawn, and what is new in
them is judged. A product with one member that is not false would leave a middle: it goes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from counterfoil.tasks.contract.worlds import draw_world
from counterfoil.tasks.theorem.edits.trees import Change

JUDGED = 24
"""Changes of one statement that are judged alone."""
DRAWS = 60
"""Products of one size that are tried."""
OFFERED = 40
"""Products that the choice over the corpus may take one of."""
NUMBERS = frozenset({"number", "answer"})
"""Kinds of edits that change a number and nothing else."""
_GLADLY = {"number": 0.2, "answer": 0.2, "sign": 0.5, "relation": 0.7}

Member = tuple[Change, ...]
World = tuple[Member, ...]
"""The near misses of a set, without its anchor, which is what no change makes."""


def order_changes(changes: Sequence[Change], rng: np.random.Generator) -> list[Change]:
    """As many as are judged, of each kind in turn, the kinds in a random order with those of numbers last."""
    kinds: dict[str, list[Change]] = {}
    for i in rng.permutation(len(changes)):
        kinds.setdefault(changes[i].kind, []).append(changes[i])
    queues = sorted(kinds.values(), key=lambda queue: queue[0].kind in NUMBERS)
    found: list[Change] = []
    while len(found) < JUDGED and any(queues):
        found += [queue.pop() for queue in queues if queue]
    return found[:JUDGED]


def find_worlds(
    good: Sequence[Change], size: int, is_false: Callable[[Member], bool], rng: random.Random
) -> list[World]:
    """Sets of at most ``size`` members, the anchor among them, of the greatest size that there is; ``good`` are changes
    that give a near miss each by itself."""
    slots = _list_slots(good)
    known: dict[Member, bool] = {}

    def judge(member: Member) -> bool:
        if member not in known:
            known[member] = len(member) == 1 or is_false(member)
        return known[member]

    for wanted in range(min(size, 1 + len(good)), 1, -1):
        found = dict.fromkeys(
            world for world in _draw_members(slots, wanted, rng) if all(map(judge, _complete(world, slots)))
        )
        if found:
            return list(found)[:OFFERED]
    return []


def _complete(world: World, slots: Sequence[Sequence[Change]]) -> Iterator[Member]:
    """All members of the product that a set is of, those too that were left out of it as too many: if one of them were
    left out because it is true, the set would have a middle."""
    used = {change for member in world for change in member}
    for chosen in product(*((None, *(change for change in slot if change in used)) for slot in slots)):
        if member := tuple(change for change in chosen if change is not None):
            yield member


def _draw_members(slots: Sequence[Sequence[Change]], size: int, rng: random.Random) -> Iterator[World]:
    """Products of that size, and the values of one slot where it has so many."""
    for turn in range(DRAWS):
        open_slots = _draw_apart(slots, rng)
        # As `_complete` has them: one member is one tuple.
        open_slots = sorted(open_slots[:1] if turn % 3 == 2 else open_slots, key=slots.index)
        counts = [1 + len(slot) for slot in open_slots]
        members = draw_world(counts, size, rng, [_weigh(slot) for slot in open_slots])
        if len(members) == size:
            yield tuple(
                tuple(slot[value - 1] for slot, value in zip(open_slots, member, strict=True) if value)
                for member in members[1:]
            )


def _draw_apart(slots: Sequence[Sequence[Change]], rng: random.Random) -> list[Sequence[Change]]:
    """Slots of which none touches another, as many as there is room for, the first drawn by weight."""
    apart: list[Sequence[Change]] = []
    for slot in sorted(slots, key=lambda slot: rng.random() ** (1 / _weigh(slot)), reverse=True):
        if not any(slot[0].touches(other[0]) for other in apart):
            apart.append(slot)
    return apart


def _weigh(slot: Sequence[Change]) -> float:
    """How gladly a slot is crossed: numbers and signs are in every statement, and everybody changes those."""
    return min(_GLADLY.get(change.kind, 1.0) for change in slot)


def _list_slots(changes: Sequence[Change]) -> list[list[Change]]:
    """The changes of each span."""
    slots: dict[tuple[int, int], list[Change]] = {}
    for change in changes:
        slots.setdefault((change.start, change.end), []).append(change)
    return list(slots.values())
