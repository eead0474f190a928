"""Choosing edits over the whole corpus so that neither side of a pair has more of anything: negatives that no blind
model tells from their anchors.

Each edit of an anchor is known by what it changes: how often a word stands first, how many arrows leave a box of some
shape, how long a text is. One edit shows such a change whatever is done; over the corpus, what is gained must be lost
as often. So edits are taken whose changes bring the sums nearest to nought (as herding picks samples that match a
distribution's moments: Welling 2009), and an edit that would take a sum beyond its bounds is left out.

The sums are of whole numbers, so that every machine chooses alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

SLACK = 0.1
"""Of what is gained and lost together, so much more may be gained than lost, or the other way."""
FREE = 0.02
"""So much more for each anchor of the corpus is no tell."""
LEAST_FREE = 100
"""In a small corpus, which nobody could learn a tell from, this much is free."""
SWEEPS = 4


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit changes: ``features`` (int64, none twice) by ``amounts`` (int64, none 0), of one length."""

    features: np.ndarray
    amounts: np.ndarray


def measure_change(before: Mapping[str, int], after: Mapping[str, int]) -> Change:
    """What there is more (or less) of after an edit; features are known by a hash of their names.

    >>> measure_change({"start first": 1, "words": 7}, {"start last": 1, "words": 7}).amounts.tolist()
    [1, -1]
    """
    names = [name for name in [*before, *(after.keys() - before.keys())] if before.get(name, 0) != after.get(name, 0)]
    by_hash: dict[int, int] = {}
    for name in names:
        place = crc32(name.encode())
        by_hash[place] = by_hash.get(place, 0) + after.get(name, 0) - before.get(name, 0)
    places = sorted(place for place, amount in by_hash.items() if amount)
    return Change(np.array(places, np.int64), np.array([by_hash[place] for place in places], np.int64))


def choose_balanced(groups: Sequence[Sequence[Change]], most: int) -> list[list[int]]:
    """Which edits of each anchor are made: at most ``most``, one at least where there is any, by their positions.

    First every anchor takes edits by turns, the nearest to balance first. Then each reconsiders its own given all
    others', several times over, and leaves out what takes a sum beyond its bounds.
    """
    packed, count = _number(groups)
    sums = np.zeros(count, np.int64)
    taken: list[list[int]] = [[] for _ in packed]
    for _ in range(most):
        for group, own in zip(packed, taken, strict=True):
            if len(own) < len(group):
                own.append(_find_nearest(group, own, sums, None)[1])
                _add(sums, group[own[-1]], 1)
    for _ in range(SWEEPS):
        bounds = _bound(packed, taken, count)
        for group, own in zip(packed, taken, strict=True):
            for place in own:
                _add(sums, group[place], -1)
            own.clear()
            while len(own) < min(most, len(group)):
                beyond, place = _find_nearest(group, own, sums, bounds)
                if beyond > 0 and own:
                    break
                own.append(place)
                _add(sums, group[place], 1)
    return taken


def _number(groups: Sequence[Sequence[Change]]) -> tuple[list[list[Change]], int]:
    """The changes with their features numbered from 0, and how many there are."""
    every = [change.features for group in groups for change in group]
    known, numbers = np.unique(np.concatenate([np.zeros(0, np.int64), *every]), return_inverse=True)
    ends = np.cumsum([len(each) for each in every])
    parts = iter(np.split(numbers, ends[:-1]) if len(ends) else [])
    return [[Change(next(parts), change.amounts) for change in group] for group in groups], len(known)


def _add(sums: np.ndarray, change: Change, times: int) -> None:
    sums[change.features] += times * change.amounts


def _bound(packed: Sequence[Sequence[Change]], taken: Sequence[Sequence[int]], count: int) -> np.ndarray:
    """How far from nought each sum may be."""
    moved = np.zeros(count, np.int64)
    for group, own in zip(packed, taken, strict=True):
        for place in own:
            moved[group[place].features] += np.abs(group[place].amounts)
    return np.floor(SLACK * moved).astype(np.int64) + max(LEAST_FREE, int(FREE * len(packed)))


def _find_nearest(
    group: Sequence[Change], own: Sequence[int], sums: np.ndarray, bounds: np.ndarray | None
) -> tuple[int, int]:
    """Of the edits not taken yet the one after which least is beyond the bounds, then least in all; and by how much
    what is beyond them grows."""
    found: list[tuple[int, int, int]] = []
    for place, change in enumerate(group):
        if place in own:
            continue
        before = sums[change.features]
        after = before + change.amounts
        beyond = 0
        if bounds is not None:
            allowed = bounds[change.features]
            over, was = (np.maximum(np.abs(each) - allowed, 0) for each in (after, before))
            beyond = int((over * over - was * was).sum())
        found.append((beyond, int((after * after - before * before).sum()), place))
    beyond, _, place = min(found)
    return beyond, place
