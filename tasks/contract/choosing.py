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

SWEEPS = 4
_EVEN_SCALE = 2**24
_LEAST_MOVED = 400
"""What is moved less than this in all tells nobody anything."""
_NO_BOUND = np.int64(2**62)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far from nought the sum of a feature may be."""

    slack: float = 0.05
    """Of what is gained and lost together, so much more may be gained than lost, or the other way."""
    free: float = 0.01
    """So much more for each anchor of the corpus is no tell."""
    least: int = 100
    """In a small corpus, which nobody could learn a tell from, this much is free."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit changes: ``features`` (int64, none twice) by ``amounts`` (int64, none 0), of one length."""

    features: np.ndarray
    amounts: np.ndarray


@dataclass(frozen=True, slots=True)
class Limit:
    """Edits that are of one sort, of which only some are made: the sort of each edit (int64), and the most of each."""

    sorts: np.ndarray
    most: np.ndarray

    def leave(self, own: Sequence[int]) -> np.ndarray:
        """Which edits may still be made beside ``own``.

        >>> Limit(np.array([0, 0, 1]), np.array([1, 2])).leave([0]).tolist()
        [False, False, True]
        """
        made = np.bincount(self.sorts[list(own)], minlength=len(self.most))
        return np.asarray((made < self.most)[self.sorts])


@dataclass(frozen=True, slots=True)
class Edits:
    """The changes of one anchor's edits, one behind the other; edit ``i`` is from ``ends[i]`` to ``ends[i + 1]``."""

    features: np.ndarray
    amounts: np.ndarray
    ends: np.ndarray
    limits: tuple[Limit, ...] = ()

    @staticmethod
    def of(changes: Sequence[Change]) -> Edits:
        """
        >>> Edits.of([measure_change({}, {"a": 2}), measure_change({}, {"a": 1, "b": -1})]).ends.tolist()
        [0, 1, 3]
        """
        nothing = np.zeros(0, np.int64)
        return Edits(
            np.concatenate([nothing, *(each.features for each in changes)]),
            np.concatenate([nothing, *(each.amounts for each in changes)]),
            np.cumsum([0, *(len(each.features) for each in changes)]),
        )

    def __len__(self) -> int:
        return len(self.ends) - 1


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


def choose(
    groups: Sequence[Edits], most: int, *, bounds: Bounds | None = None, worth: np.ndarray | None = None
) -> list[list[int]]:
    """Which edits of each anchor are made: at most ``most``, one at least where there is any, by their positions.

    First every anchor takes edits by turns, the nearest to balance first. Then each reconsiders its own given all
    others', several times over. With ``bounds`` it leaves out what takes a sum beyond them; without, it has as many as
    it can. No limit (`Edits.limits`) is passed.

    ``worth`` (int64, by feature, which are then numbers from 0) says how much more some features matter than others;
    the square of a sum counts the less, the more the feature can be moved to and fro, as it is then the likelier by
    chance. Left out, all squares count alike.

    >>> gains, loses = (measure_change({}, {"end": n}) for n in (1, -1))
    >>> choose([Edits.of([gains, loses, gains]), Edits.of([gains])], 2)
    [[1, 0], [0]]
    """
    packed, known = _number(groups)
    scale = np.ones(len(known), np.int64) if worth is None else _scale(packed, worth[known])
    sums = np.zeros(len(known), np.int64)
    room = np.full(len(known), _NO_BOUND)
    taken: list[list[int]] = [[] for _ in packed]
    for _ in range(most):
        for edits, own in zip(packed, taken, strict=True):
            _take(edits, own, sums, room, scale)
    for _ in range(SWEEPS):
        if bounds is not None:
            room = _bound(packed, taken, len(known), bounds)
        for edits, own in zip(packed, taken, strict=True):
            if bounds is None and len(own) == len(edits):
                continue
            for place in own:
                _add(sums, edits, place, -1)
            own.clear()
            while len(own) < most and _take(edits, own, sums, room, scale):
                pass
    return taken


def _take(edits: Edits, own: list[int], sums: np.ndarray, room: np.ndarray, scale: np.ndarray) -> bool:
    """Add to ``own`` the nearest to balance of the edits that may be taken, unless it goes beyond the bounds."""
    found = _find_nearest(edits, own, sums, room, scale)
    if found is None or (found[0] > 0 and own):
        return False
    own.append(found[1])
    _add(sums, edits, found[1], 1)
    return True


def _scale(packed: Sequence[Edits], worth: np.ndarray) -> np.ndarray:
    moved = np.zeros(len(worth), np.int64)
    for edits in packed:
        np.add.at(moved, edits.features, np.abs(edits.amounts))
    return np.asarray(np.maximum(_EVEN_SCALE * worth // np.maximum(moved, _LEAST_MOVED), 1))


def _number(groups: Sequence[Edits]) -> tuple[list[Edits], np.ndarray]:
    """The edits with their features numbered from 0, and which these are."""
    every = np.concatenate([np.zeros(0, np.int64), *(edits.features for edits in groups)])
    known, numbers = np.unique(every, return_inverse=True)
    ends = np.cumsum([0, *(len(edits.features) for edits in groups)])
    return [
        Edits(numbers[begin:end], edits.amounts, edits.ends, edits.limits)
        for edits, begin, end in zip(groups, ends[:-1], ends[1:], strict=True)
    ], known


def _add(sums: np.ndarray, edits: Edits, place: int, times: int) -> None:
    of_edit = slice(edits.ends[place], edits.ends[place + 1])
    sums[edits.features[of_edit]] += times * edits.amounts[of_edit]


def _bound(packed: Sequence[Edits], taken: Sequence[Sequence[int]], count: int, bounds: Bounds) -> np.ndarray:
    """How far from nought each sum may be."""
    moved = np.zeros(count, np.int64)
    for edits, own in zip(packed, taken, strict=True):
        for place in own:
            of_edit = slice(edits.ends[place], edits.ends[place + 1])
            moved[edits.features[of_edit]] += np.abs(edits.amounts[of_edit])
    room: np.ndarray = np.floor(bounds.slack * moved).astype(np.int64) + max(
        bounds.least, int(bounds.free * len(packed))
    )
    return room


def _find_nearest(
    edits: Edits, own: Sequence[int], sums: np.ndarray, room: np.ndarray, scale: np.ndarray
) -> tuple[int, int] | None:
    """Of the edits that may be taken the one after which least is beyond the bounds, then least in all, then the first;
    and by how much what is beyond them grows."""
    before = sums[edits.features]
    after = before + edits.amounts
    off = _sum_each(edits, scale[edits.features] * (after * after - before * before))
    allowed = room[edits.features]
    over, was = (np.maximum(np.abs(each) - allowed, 0) for each in (after, before))
    beyond = _sum_each(edits, over * over - was * was)
    free = np.ones(len(edits), bool)
    free[list(own)] = False
    for limit in edits.limits:
        free &= limit.leave(own)
    open_to = np.flatnonzero(free)
    if not len(open_to):
        return None
    place = int(open_to[np.lexsort((off[open_to], beyond[open_to]))[0]])
    return int(beyond[place]), place


def _sum_each(edits: Edits, values: np.ndarray) -> np.ndarray:
    """The sum over each edit's features."""
    sums: np.ndarray = np.concatenate([[0], np.cumsum(values)])
    each: np.ndarray = sums[edits.ends[1:]] - sums[edits.ends[:-1]]
    return each
