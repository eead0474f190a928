"""Which near misses of captions are made: over many captions together, so that no word is a sign of a near miss, and
no other model of captions has a preference (SugarCrepe's lesson).

Of each caption the set is made that is worth most: its first near miss is worth something, the third, and three kinds.
Two things cost. What brings in words that come more often than they go, over all that is chosen, costs; what takes them
away pays. And what a judge likes less than its caption costs, what it likes better pays for others of its kind. One
caption after another chooses anew, several times over; after each round a kind whose rows are preferred too seldom
becomes dearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from counterfoil.tasks.caption.near.balance import BEFORE

Balanced = Literal["kinds", "changes", "all"]
_GROUPS: Mapping[Balanced, Mapping[str, str]] = {
    "kinds": {kind: kind for kind in BEFORE},
    "changes": {kind: "attribute" if kind == "count" else kind.rpartition("_")[2] for kind in BEFORE},
    "all": dict.fromkeys(BEFORE, ""),
}
"""What the kinds are held to their bound with: alone, with what changes the same (things, qualities), with all."""
_KEENER: Mapping[str, float] = {"replace_att": 0.12, "add_att": 0.05, "replace_obj": 0.06, "replace_rel": 0.06}
"""By kind, how much oftener than the run's half does a judge prefer the caption that read eight times as much."""
_PRICE = 10.0
"""What is asked at first for a likelihood, for every kind."""
_DEAREST = 60.0
_STEP = 3.0
_DOUBTED = 40.0
"""Rows that weigh as much as what is foretold."""
_ONE, _FULL, _KINDS, _MORE = 16.0, 10.0, 15.0, 1.0
"""What a caption's first near miss is worth, three of them, three kinds of them, and each beyond three."""
_APART = 3.0
"""What it costs that two near misses of a caption change other places: the caption then lies between them."""
_FEW = 3
_ROUNDS = 12
_STILL = 5
"""Moves to and fro of a word that tell nobody anything."""
_CHANCE = 0.1
_CHEAPEST = 40
"""Near misses of a caption that are tried together."""
KINDS = tuple(BEFORE)


@dataclass(frozen=True, slots=True)
class Pool:
    """Near misses of captions, those of one behind the other; numbers, of which one near miss has one each.

    Attributes:
        captions: of each caption, its first near miss and behind its last.
        kinds: places in `KINDS`.
        shares: how likely a judge prefers the caption.
        places: the first word of the caption that each changes, and the one behind the last.
        features, amounts, ends: what each changes (`contract.choosing.Edits`), features numbered from 0.
    """

    captions: Sequence[tuple[int, int]]
    kinds: np.ndarray
    shares: np.ndarray
    places: np.ndarray
    features: np.ndarray
    amounts: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True, slots=True)
class Aim:
    """What the recipe asks for.

    Attributes:
        each: near misses of a caption, at most.
        preferred: the share of captions that a judge may prefer; 1: any.
        even: how much it counts that words come as often as they go; 0: nothing.
    """

    each: int
    preferred: float
    balanced: Balanced
    even: float


def choose_near(
    pool: Pool, aim: Aim, told: Callable[[int], bool], rng: np.random.Generator, spare: int = 0
) -> list[list[int]]:
    """The near misses of each caption that are made, by their places; with ``spare``, so many of each kind, of which
    somebody else chooses. ``told`` says whether a judge prefers the caption to one of them."""
    chooser = _Chooser(pool, aim, rng)
    chosen: list[list[int]] = [[] for _ in pool.captions]
    known: dict[int, bool] = {}
    for _ in range(_ROUNDS):
        for caption in rng.permutation(len(chosen)).tolist():
            chooser.move(chosen[caption], -1)
            own = chooser.choose(caption)
            chooser.move(own, 1)
            chosen[caption] = own
        made = [i for own in chosen for i in own]
        known |= {i: told(i) for i in made if i not in known} if aim.preferred < 1 else {}
        chooser.price(made, known)
    return chosen if not spare else [chooser.list_cheapest(i, spare) for i in range(len(chosen))]


class _Chooser:
    """The sums of what was chosen, and what that makes of prices."""

    def __init__(self, pool: Pool, aim: Aim, rng: np.random.Generator) -> None:
        self._pool, self._aim = pool, aim
        self._sums = np.zeros(int(pool.features.max(initial=-1)) + 1)
        moved = np.bincount(pool.features, np.abs(pool.amounts), len(self._sums))
        # Until there is a choice: as if it were drawn by lot.
        lot = min(1.0, aim.each * len(pool.captions) / max(len(pool.kinds), 1))
        self._moved = moved * lot + _STILL
        self._by_chance = -_CHANCE * rng.gumbel(size=len(pool.kinds))
        self._bounds = np.array([aim.preferred - _KEENER.get(kind, 0.0) for kind in KINDS])
        self._prices = np.full(len(KINDS), _PRICE if aim.preferred < 1 else 0.0)

    def move(self, places: Sequence[int], times: int) -> None:
        for i in places:
            of_one = slice(self._pool.ends[i], self._pool.ends[i + 1])
            self._sums[self._pool.features[of_one]] += times * self._pool.amounts[of_one]

    def choose(self, caption: int) -> list[int]:
        first, end = self._pool.captions[caption]
        return [first + i for i in self._choose_set(first, end)]

    def _choose_set(self, first: int, end: int) -> list[int]:
        own = slice(first, end)
        return choose_set(self._ask(first, end), self._pool.kinds[own], self._pool.places[own], self._aim.each)

    def list_cheapest(self, caption: int, most: int) -> list[int]:
        """Of each kind the cheapest."""
        first, end = self._pool.captions[caption]
        counts = [0] * len(KINDS)
        found = []
        for i in np.argsort(self._ask(first, end), kind="stable").tolist():
            kind = int(self._pool.kinds[first + i])
            counts[kind] += 1
            if counts[kind] <= most:
                found.append(first + i)
        return found

    def price(self, made: Sequence[int], told: Mapping[int, bool]) -> None:
        """Dearer where more of what is chosen is preferred than may be, cheaper where less is."""
        pool = self._pool
        of_made = [np.arange(pool.ends[i], pool.ends[i + 1]) for i in made]
        entries = np.concatenate([np.zeros(0, np.int64), *of_made])
        moved = np.bincount(pool.features[entries], np.abs(pool.amounts[entries]), len(self._sums))
        self._moved = np.maximum(moved, 1) + _STILL
        if self._aim.preferred >= 1:
            return
        groups = _GROUPS[self._aim.balanced]
        above: dict[str, list[tuple[float, float]]] = {}
        for i in made:
            kind = int(pool.kinds[i])
            bound = float(self._bounds[kind])
            above.setdefault(groups[KINDS[kind]], []).append((float(pool.shares[i]) - bound, told[i] - bound))
        for place, name in enumerate(KINDS):
            share, told_share = np.sum(found := above.get(groups[name], [(0.0, 0.0)]), axis=0).tolist()
            mean = share / len(found)
            # What few rows told is little beside what is foretold of them.
            off = max(mean, (told_share + _DOUBTED * mean) / (len(found) + _DOUBTED))
            self._prices[place] = min(self._prices[place] * math.exp(_STEP * off), _DEAREST)

    def _ask(self, first: int, end: int) -> np.ndarray:
        """What each of these costs."""
        pool = self._pool
        begin = pool.ends[first]
        entries = slice(begin, pool.ends[end])
        features = pool.features[entries]
        flows = np.concatenate([[0.0], np.cumsum(self._sums[features] * pool.amounts[entries] / self._moved[features])])
        at = pool.ends[first : end + 1] - begin
        kinds = pool.kinds[first:end]
        unlike = self._prices[kinds] * (pool.shares[first:end] - self._bounds[kinds])
        cost: np.ndarray = 2 * self._aim.even * (flows[at[1:]] - flows[at[:-1]]) + unlike + self._by_chance[first:end]
        return cost


def choose_set(costs: np.ndarray, kinds: np.ndarray, places: np.ndarray, each: int) -> list[int]:
    """Which of a caption's near misses are worth most: at most ``each``, by their costs, kinds and places.

    Those that change one place are as far from each other as from the caption.

    >>> costs, kinds = np.array([1.0, 0.5, 30.0, 1.5]), np.array([0, 0, 1, 2])
    >>> choose_set(costs, kinds, np.array([[1, 2]] * 4), 3)
    [1, 0, 3]
    >>> places = np.array([[1, 2], [1, 2], [5, 6], [1, 3]])
    >>> choose_set(np.array([1.0, 0.5, 0.7, 1.5]), np.zeros(4, int), places, 3)
    [1, 0, 3]
    """
    best, most = _find_best(costs, kinds, each)
    if _are_apart(places[best]):
        most -= _APART
        for i in [*best]:
            at = places[i, 0]
            there = np.flatnonzero((places[:, 0] <= at) & (places[:, 1] > at))
            found, worth = _find_best(costs[there], kinds[there], each)
            if worth > most:
                best, most = there[found].tolist(), worth
    return best


def _are_apart(places: np.ndarray) -> bool:
    """Whether some two of these have no word in common."""
    return len(places) > 1 and bool(places[:, 1].min() <= places[:, 0].max())


def _find_best(costs: np.ndarray, kinds: np.ndarray, each: int) -> tuple[list[int], float]:
    """The set that is worth most wherever it changes the caption, and what it is worth."""
    order = np.argsort(costs, kind="stable").tolist()
    firsts: dict[int, int] = {}
    for i in order:
        firsts.setdefault(int(kinds[i]), i)
    first, cheapest = [*firsts.values()], order[:_CHEAPEST]
    best, most, full = first[:0], 0.0, min(each, _FEW)
    for distinct in range(1, min(each, len(first)) + 1):
        found = first[:distinct]
        others = [i for i in cheapest if i not in found][: each - distinct]
        cost, named = sum(costs[i] for i in found), {int(kinds[i]) for i in found}
        for number in range(distinct, distinct + len(others) + 1):
            if number > distinct:
                i = others[number - distinct - 1]
                found, cost = [*found, i], cost + costs[i]
                named.add(int(kinds[i]))
            worth = _ONE + _FULL * (number >= full) + _KINDS * (len(named) >= full)
            worth += _MORE * max(number - full, 0) - cost
            if worth > most:
                best, most = found, worth
    return best, most
