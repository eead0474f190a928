"""How the source itself uses words: which word it puts where, how often, and which names it gives to one thing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from counterfoil.tasks.caption.plan.slots import END, START, Count, Key, Slot

SMOOTH = 0.3
"""Added to each count, so that what the source never says is unlikely and not impossible."""
SAME = 0.12
"""Two words that stand in different captions of the same picture in this share of the rarer one's pictures, and more
often than by chance, are taken for names of one thing, or for things that go together."""
LEAST_TOGETHER = 3
BESIDE = 0.1
"""Two things that are spoken of in this share of the rarer one's pictures, and more often than by chance, are seen
together: where one is, the other may well be without a word."""
KNOWN = round(LEAST_TOGETHER / SAME)
"""Pictures in which a thing must be spoken of before anything follows from what it is never seen with: in fewer, names
of one thing would not meet ``LEAST_TOGETHER`` times."""
COUNTED = 0.2
"""A noun is fit to be counted in a way if it is counted so at least this often for each time of the other way."""


@dataclass
class Usage:
    """Counts over all captions of the source."""

    words: Counter[Key] = field(default_factory=Counter)
    """in how many pictures' captions a word is"""
    left: Counter[tuple[str, Key]] = field(default_factory=Counter)
    right: Counter[tuple[Key, str]] = field(default_factory=Counter)
    together: Counter[tuple[Key, Key]] = field(default_factory=Counter)
    """in how many pictures two words stand in different captions; the lesser key first"""
    beside: Counter[tuple[Key, Key]] = field(default_factory=Counter)
    """in how many pictures' captions two nouns stand, be it in one caption; the lesser key first. Here and in
    ``together`` a noun's plural is the noun."""
    things: Counter[Key] = field(default_factory=Counter)
    """``words``, a noun's plural taken for the noun"""
    counts: Counter[tuple[Key, Count]] = field(default_factory=Counter)
    pictures: int = 0

    def add(self, captions: Sequence[Sequence[Slot]]) -> None:
        """Count the captions of one picture."""
        self.pictures += 1
        said = [{_plain(slot.key) for slot in slots} for slots in captions]
        for slots in captions:
            for slot in slots:
                self.left[slot.left, slot.key] += 1
                self.right[slot.key, slot.right] += 1
                self.counts[slot.key, slot.count] += 1
        everywhere = set().union(*said) if said else set()
        self.things.update(everywhere)
        self.words.update({slot.key for slots in captions for slot in slots})
        self.beside.update(combinations(sorted(key for key in everywhere if key.part == "n"), 2))
        apart: set[tuple[Key, Key]] = set()
        for i, one in enumerate(said):
            for other in said[:i]:
                # What both captions say is no other name for anything.
                alone, alone_there = one - other, other - one
                apart |= {(min(a, b), max(a, b)) for a in alone for b in alone_there if a.part == b.part}
        self.together.update(apart)

    def fits(self, key: Key, slot: Slot) -> bool:
        """Whether the source itself puts the word there, on the left and on the right, and counts it so: a luggage is
        nothing that anybody says."""
        if slot.count:
            so, otherwise = (
                self.counts[key, count] for count in (slot.count, "bare" if slot.count == "one" else "one")
            )
            if so < COUNTED * otherwise or not so:
                return False
        left = slot.left in (START, END) or self.left[slot.left, key] > 0
        return left and (slot.right == END or self.right[key, slot.right] > 0)

    def score(self, key: Key, slot: Slot) -> float:
        """How usual the word is in the slot: the logarithm of its counts there."""
        left = math.log(self.left[slot.left, key] + SMOOTH)
        return left + math.log(self.right[key, slot.right] + SMOOTH)

    def is_known(self, key: Key) -> bool:
        """Whether the source speaks of it often enough to tell what it is seen with."""
        return self.things[_plain(key)] >= KNOWN

    def stand_together(self, a: Key, b: Key) -> bool:
        """Whether two things are often in one picture, as far as captions tell: an oven and a refrigerator."""
        return self._is_often(self.beside, a, b, BESIDE)

    def go_together(self, a: Key, b: Key) -> bool:
        """Whether the two are names of one thing, or of things that are seen together, as far as captions tell."""
        return self._is_often(self.together, a, b, SAME)

    def _is_often(self, times: Counter[tuple[Key, Key]], a: Key, b: Key, share: float) -> bool:
        a, b = _plain(a), _plain(b)
        rarer, met = min(self.things[a], self.things[b]), times[min(a, b), max(a, b)]
        if met < LEAST_TOGETHER or not rarer:
            return False
        chance = self.things[a] * self.things[b] / max(self.pictures, 1)
        return met >= share * rarer and met > 2 * chance


def _plain(key: Key) -> Key:
    """The key of the noun whose plural it may be; of other words, the key."""
    return key._replace(form="") if key.part == "n" else key
