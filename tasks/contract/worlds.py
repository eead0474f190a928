"""Sets without a centre: near misses of which the anchor is one as good as any.

Near misses that were all made of one anchor lie around it like a star: whoever sees the whole set, and no question,
points at what is in the middle. In a *world* the anchor and its near misses are combinations of a few slots' values (a
number, a label, a relation): every value of a slot goes with every value of the others. Such a set looks alike from
each of its members, and each value is used as often as the others of its slot, so nothing in it points anywhere.

A product may hold more members than are wanted. What is too much is left out before it is decided which member is the
anchor, so that being left out tells nothing of it either.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from math import prod

MOST_SLOTS = 4
"""As many slots are crossed: near misses differ in few."""
_MOST_VALUES = 12


def draw_world(
    values: Sequence[int], size: int, rng: random.Random, weights: Sequence[float] | None = None
) -> list[tuple[int, ...]]:
    """Members of a world, the anchor first: of each member, which value each slot has. The anchor has value 0 in all.

    Args:
        values: how many values each slot may have, the anchor's own among them.
        size: how many members are wanted, the anchor among them. There are fewer where the slots have no room, and
            only the anchor where no slot has another value.
        weights: how gladly each slot is crossed; 0 is never. Left out, all alike.

    >>> world = draw_world([2, 3, 1], 6, random.Random(0))
    >>> world[0], len(set(world)), [len({member[slot] for member in world}) for slot in range(3)]
    ((0, 0, 0), 6, [2, 3, 1])
    """
    open_slots = [slot for slot, count in enumerate(values) if count > 1 and (weights is None or weights[slot] > 0)]
    shape = _draw_shape([values[slot] for slot in open_slots], size, rng)
    crossed = _draw_slots(shape, open_slots, values, weights, rng)
    kept = _thin([*product(*(range(count) for count in shape))], size, rng)
    anchor = rng.choice(kept)
    own = [[0, *rng.sample(range(1, values[slot]), count - 1)] for slot, count in zip(crossed, shape, strict=True)]
    members = []
    for member in sorted(kept, key=lambda each: each != anchor):
        told = [0] * len(values)
        for place, slot in enumerate(crossed):
            told[slot] = own[place][(member[place] - anchor[place]) % shape[place]]
        members.append(tuple(told))
    return members


def _draw_shape(capacities: Sequence[int], size: int, rng: random.Random) -> tuple[int, ...]:
    """How many values the crossed slots have, the most first: a product of at least ``size``, as little over as can be
    with two slots or more; the greatest there is where none holds so many."""
    most = sorted((min(each, _MOST_VALUES) for each in capacities), reverse=True)
    shapes = {
        tuple(sorted(shape, reverse=True))
        for slots in range(1, min(MOST_SLOTS, len(most)) + 1)
        for shape in combinations_with_replacement(range(2, most[0] + 1), slots)
    }
    fitting = [shape for shape in sorted(shapes) if all(each <= room for each, room in zip(shape, most, strict=False))]
    large = [shape for shape in fitting if prod(shape) >= size]
    if not large:
        return max(fitting, key=prod, default=())
    crossed = [shape for shape in large if len(shape) > 1] or large
    least = min(prod(shape) for shape in crossed)
    near = [shape for shape in crossed if prod(shape) <= max(least, size + size // 4)]
    fewest = min(len(shape) for shape in near)
    return rng.choice([shape for shape in near if len(shape) <= fewest + 1])


def _draw_slots(
    shape: Sequence[int],
    open_slots: Sequence[int],
    values: Sequence[int],
    weights: Sequence[float] | None,
    rng: random.Random,
) -> list[int]:
    """A slot of enough values for each factor of the shape, which has the most first."""
    left, crossed = list(open_slots), []
    for count in shape:
        able = [slot for slot in left if values[slot] >= count]
        slot = rng.choices(able, None if weights is None else [weights[each] for each in able])[0]
        left.remove(slot)
        crossed.append(slot)
    return crossed


def _thin(members: list[tuple[int, ...]], size: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Leave out what is more than ``size``, each time one of those whose values occur oftenest."""
    kept = list(members)
    while len(kept) > max(size, 1):
        often = Counter((place, value) for member in kept for place, value in enumerate(member))
        loads = [sum(often[place, value] for place, value in enumerate(member)) for member in kept]
        kept.pop(rng.choice([number for number, load in enumerate(loads) if load == max(loads)]))
    return kept
