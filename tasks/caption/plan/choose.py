"""Which slots of a caption are tried, in which order: by concreteness and type, attribute and object in balance; and
which words take the place of theirs, so that none gives a negative away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tasks.caption.concreteness import Mode, choose_units
from tasks.caption.plan.slots import Key, Slot
from tasks.contract.choosing import Bounds, Change, Edits, Limit, choose, measure_change

Ranked = list[tuple[Slot, float]]
BOUNDS = Bounds(slack=0.1, least=4)
_WORD = 2
"""How much a word counts beside its neighbours."""


class Exchange(NamedTuple):
    """Another word in a slot's place."""

    slot: Slot
    place: int
    """Which of the anchor's slots it is."""
    other: Key


def choose_exchanges(groups: Sequence[Sequence[Exchange]], most: int) -> list[list[int]]:
    """Which of each anchor's exchanges are tried first, at most one of a slot, by their positions.

    If captions lose "dog" for "cat" more often than "cat" for "dog", a model that has never seen a picture learns that
    a cat is a sign of a negative: over the run each word is gained as often as it is lost, beside the same neighbours,
    and words get longer as often as shorter (`tasks.contract.choosing`).
    """
    packed = []
    for group in groups:
        places = np.array([each.place for each in group], np.int64)
        once = Limit(places, np.ones(places.max(initial=0) + 1, np.int64))
        packed.append(replace(Edits.of([_measure(each) for each in group]), limits=(once,)))
    return choose(packed, most, bounds=BOUNDS)


def _measure(exchange: Exchange) -> Change:
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


def balance_types(ranked: Mapping[str, Ranked], top: int, ticket: Mapping[str, float]) -> dict[str, Ranked]:
    """For each anchor its slots with an attribute or an object first, so that over the run both are as frequent.

    Where relations come first, or only one of the two survived, nothing is chosen. ``ticket`` gives each anchor a
    number from 0 to 1 by hash: the anchors with the lowest take the type that is short.
    """
    counts = {"attribute": 0, "object": 0}
    free: list[str] = []
    for anchor, slots in ranked.items():
        types = [slot.unit.type for slot, _ in slots[:top]]
        if not types or types[0] == "relation":
            continue
        if {"attribute", "object"} <= set(types):
            free.append(anchor)
        else:
            counts[types[0]] += 1
    wanted = (len(free) + counts["object"] - counts["attribute"]) / 2
    attributes = round(min(max(wanted, 0), len(free)))
    chosen = set(sorted(free, key=lambda anchor: (ticket[anchor], anchor))[:attributes])
    result = dict(ranked)
    for anchor in free:
        kind = "attribute" if anchor in chosen else "object"
        slots = ranked[anchor]
        first = next(i for i, (slot, _) in enumerate(slots[:top]) if slot.unit.type == kind)
        result[anchor] = [slots[first], *slots[:first], *slots[first + 1 :]]
    return result
