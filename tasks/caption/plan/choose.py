"""Which slots of a caption are tried, in which order: by concreteness and type, attribute and object in balance; and
which words take the place of theirs, so that none gives a negative away."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from counterfoil.tasks.caption.concreteness import Mode, choose_units
from counterfoil.tasks.caption.plan.slots import Key, Slot
from counterfoil.tasks.contract.choosing import Bounds, Change, Edits, Limit, choose, measure_change

Ranked = list[tuple[Slot, float]]
P = TypeVar("P", bound=Any)
"""What a caption is known by: ordered and hashable."""
BOUNDS = Bounds(slack=0.1, least=4)
_WORD = 2
"""How much a word counts beside its neighbours."""


class Exchange(NamedTuple):
    """Another word in a slot's place."""

    slot: Slot
    caption: int
    """Which of the anchor's captions it is of."""
    order: int
    """As the how manieth of that caption the slot is tried."""
    other: Key


def choose_exchanges(groups: Sequence[Sequence[Exchange]], most: int) -> list[list[int]]:
    """Which of each anchor's exchanges are tried first, at most one of a slot and as many of each caption, by their
    positions.

    If captions lose "dog" for "cat" more often than "cat" for "dog", a model that has never seen a picture learns that
    a cat is a sign of a negative: over the run each word is gained as often as it is lost, beside the same neighbours,
    and words get longer as often as shorter (`counterfoil.tasks.contract.choosing`).
    """
    packed = []
    for group in groups:
        captions = len({each.caption for each in group})
        limits = (
            _limit([(each.caption, each.order) for each in group], 1),
            _limit([each.caption for each in group], -(-most // max(captions, 1))),
        )
        packed.append(replace(Edits.of([_measure_exchange(each) for each in group]), limits=limits))
    return choose(packed, most, bounds=BOUNDS)


def _limit(sorts: Sequence[Hashable], most: int) -> Limit:
    """At most so many of each sort."""
    numbers = {sort: number for number, sort in enumerate(dict.fromkeys(sorts))}
    return Limit(np.array([numbers[sort] for sort in sorts], np.int64), np.full(len(numbers), most, np.int64))


def _measure_exchange(exchange: Exchange) -> Change:
    slot = exchange.slot
    before, after = (
        {
            f"{key.part} {key.lemma} {key.form}": _WORD,
            f"{slot.left} {key.lemma}": 1,
            f"{key.lemma} {slot.right}": 1,
            "letters": len(key.lemma),
        }
        for key in (slot.key, exchange.other)
    )
    return measure_change(before, after)


def rank_slots(rated: Sequence[tuple[Slot, float]], mode: Mode, top: int, rng: np.random.Generator) -> Ranked:
    """The caption's slots that survive, in the order in which they are tried, before types are balanced.

    Relations come before the rest (Concrete Jungle, App. A.1: only where a relation survives; over all, prepositions
    would always win and no mode could have its concreteness). ``none`` draws evenly and gives no type precedence. What
    did not survive is not tried either, whatever has a replacement: where it was, the modes hardly differed.
    """
    by_unit = {id(slot.unit): slot for slot, _ in rated}
    drawn = choose_units([(slot.unit, rating) for slot, rating in rated], mode, top, rng)
    first = [(by_unit[id(unit)], rating) for unit, rating in drawn]
    if mode != "none":
        first.sort(key=lambda pair: pair[0].unit.type != "relation")
    return first


def balance_types(ranked: Mapping[P, Ranked], top: int, ticket: Mapping[P, float]) -> dict[P, Ranked]:
    """For each caption its slots with an attribute or an object first, so that over the run both are as frequent.

    Where relations come first, or only one of the two survived, nothing is chosen. ``ticket`` gives each caption a
    number from 0 to 1 by hash: the captions with the lowest take the type that is short.
    """
    counts = {"attribute": 0, "object": 0}
    free: list[P] = []
    for caption, slots in ranked.items():
        types = [slot.unit.type for slot, _ in slots[:top]]
        if not types or types[0] == "relation":
            continue
        if {"attribute", "object"} <= set(types):
            free.append(caption)
        else:
            counts[types[0]] += 1
    wanted = (len(free) + counts["object"] - counts["attribute"]) / 2
    attributes = round(min(max(wanted, 0), len(free)))
    chosen = set(sorted(free, key=lambda caption: (ticket[caption], caption))[:attributes])
    result = dict(ranked)
    for caption in free:
        kind = "attribute" if caption in chosen else "object"
        slots = ranked[caption]
        first = next(i for i, (slot, _) in enumerate(slots[:top]) if slot.unit.type == kind)
        result[caption] = [slots[first], *slots[:first], *slots[first + 1 :]]
    return result
