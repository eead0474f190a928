"""Sets of near misses: products of changes, and no more rows of numbers alone than the recipe wants."""

from __future__ import annotations

import json
import random
from itertools import combinations

from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.crossing import find_worlds
from counterfoil.tasks.theorem.edits.trees import Change
from counterfoil.tasks.theorem.families.plan import limit_numbers
from counterfoil.tasks.theorem.families.worlds import Member
from counterfoil.tasks.theorem.settings import TheoremSettings

GOOD = [Change("sign", 4, 5, "-"), Change("relation", 10, 11, "<"), Change("number", 14, 15, "7")]


def measure_distances(worlds: list[tuple[Member, ...]]) -> list[list[int]]:
    """Of each set, the sum of each member's distances to the others, the anchor's first."""
    sums = []
    for world in worlds:
        members = [frozenset[Change](), *map(frozenset, world)]
        sums.append([sum(len(one ^ other) for other in members) for one in members])
    return sums


def test_the_anchor_is_one_of_a_product() -> None:
    worlds = find_worlds(GOOD, 4, lambda _: True, random.Random(1))
    assert worlds
    assert all(len(set(sums)) == 1 and len(sums) == 4 for sums in measure_distances(worlds))


def test_a_product_with_a_true_member_is_none() -> None:
    """Both changes together give a true statement: then the set is a pair."""
    worlds = find_worlds(GOOD[:2], 4, lambda _: False, random.Random(1))
    assert {len(world) for world in worlds} == {1}


def test_values_of_one_place_are_never_together() -> None:
    both = [Change("number", 4, 5, "7"), Change("number", 4, 5, "8"), Change("flip", 2, 6, "a-b"), GOOD[1]]
    worlds = find_worlds(both, 6, lambda _: True, random.Random(3))
    members = [member for world in worlds for member in world]
    assert not [pair for member in members for pair in combinations(member, 2) if pair[0].touches(pair[1])]


def test_changes_that_overlap_are_no_values_of_one_slot() -> None:
    """A number, a number elsewhere, and both left out at once: a star around the anchor, which is never a set."""
    changes = [Change("number", 4, 5, "7"), Change("number", 10, 11, "8"), Change("omit", 2, 14, "")]
    worlds = find_worlds(changes, 4, lambda _: True, random.Random(5))
    assert worlds
    assert all(len(set(sums)) == 1 for sums in measure_distances(worlds))
    assert all({change.kind for member in world for change in member} == {"number"} for world in worlds)


def write_set(*kinds: str) -> list[str]:
    return [json.dumps([[f"text {kind} {i}", [[kind, "1", "2"]]] for i, kind in enumerate(kinds)])]


def test_numbers_are_left_out_beyond_their_share() -> None:
    chosen = [write_set("number", "answer", "number"), write_set("sign", "number", "omit"), write_set("answer")]

    def count(share: float) -> list[int]:
        settings = TheoremSettings(source="procedural:1", numbers=share)
        found = limit_numbers(chosen, Context(settings, 7, None))  # type: ignore[arg-type]
        return [len(json.loads(kept)) for each in found for kept in each]

    assert sum(count(1)) == 7
    assert sorted(count(0.6)) == [1, 1, 3]
    assert count(0.34) == [3]
