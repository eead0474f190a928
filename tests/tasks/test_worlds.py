"""Worlds have no centre: neither the middle nor a count of values points at the anchor."""

import random
from collections import Counter
from math import prod

import pytest

from counterfoil.tasks.contract.worlds import draw_world


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("values", "size"),
    [([3, 4], 12), ([2] * 6, 8), ([5, 5, 5], 11), ([12], 11), ([2, 2], 11), ([1, 1], 5), ([], 3)],
)
def test_members_are_distinct_and_the_anchor_is_first(values: list[int], size: int) -> None:
    for seed in range(30):
        world = draw_world(values, size, random.Random(seed))
        assert world[0] == (0,) * len(values) and len(set(world)) == len(world) == min(size, prod(values))
        assert all(value < most for member in world for value, most in zip(member, values, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_full_product_looks_alike_from_each_member(seed: int) -> None:
    world = draw_world([3, 4], 12, random.Random(seed))
    profiles = {tuple(sorted(distance(one, other) for other in world)) for one in world}
    assert len(profiles) == 1
    for slot in range(2):
        assert len(set(Counter(member[slot] for member in world).values())) == 1


def test_what_was_left_out_does_not_point_at_the_anchor() -> None:
    """Of 3,000 thinned worlds, the member nearest to all others is the anchor as often as by chance."""
    rng, picked, expected = random.Random(1), 0.0, 0.0
    for _ in range(3000):
        world = draw_world([4, 5, 2, 3, 2], 11, rng)
        means = [sum(distance(one, other) for other in world) for one in world]
        nearest = [number for number, mean in enumerate(means) if mean == min(means)]
        picked += (0 in nearest) / len(nearest)
        expected += 1 / len(world)
    assert abs(picked - expected) / 3000 < 0.015


def test_a_slot_of_weight_nought_is_never_crossed() -> None:
    for seed in range(30):
        world = draw_world([4, 4, 4], 8, random.Random(seed), weights=[1, 0, 2])
        assert {member[1] for member in world} == {0} and len(world) == 8
