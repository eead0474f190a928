"""That no word gives away which texts were changed: what is gained as often as it is lost tells nothing.

Of every change the words and signs that it gains or loses are known, pairs of neighbours too, of numbers their size,
parity and last digit, and whether the text repeats itself more or less: a change at one of two equal places breaks a
repetition, which tells as much as a word does. Changes are chosen so that the sums stay near zero.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

SLACK = 0.12
"""A word may be gained more often than lost, or the other way, by so much of both together."""
PAIR_SLACK = 0.3
"""So a pair of neighbours: there are many, and most follow their words."""
FREE = 2
"""So many times more are no tell."""
_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+|[^\w\s]")


SWEEPS = 3
"""Times that every choice is made anew beside all others."""
REFILLS = 20
"""Times at most that what was left out is tried again; two or three are enough."""

Change = Mapping[str, float]
"""Each word that a text gains, 1, or loses, -1."""


class Balance:
    """How often each word was gained and lost so far."""

    def __init__(self) -> None:
        self._gained: Counter[str] = Counter()
        self._lost: Counter[str] = Counter()

    def price(self, change: Change) -> float:
        """By how much the sum of squares would grow."""
        return sum(2 * d * (self._gained[word] - self._lost[word]) + 1 for word, d in change.items())

    def add(self, change: Change, times: int = 1) -> None:
        for word, d in change.items():
            (self._gained if d > 0 else self._lost)[word] += times

    def fits(self, change: Change) -> bool:
        """Whether no word would be taken too far by it."""
        self.add(change)
        fits = all(self._measure_excess(word, d) <= 0 for word, d in change.items())
        self.add(change, -1)
        return fits

    def find_worst(self) -> tuple[str, float, int] | None:
        """The word that is furthest one way, which way, and how many changes are too many; None where none is."""
        words = [word for word in self._gained.keys() | self._lost.keys() if self._measure_excess(word) > 0]
        if not words:
            return None
        word = max(sorted(words), key=lambda each: abs(self._gained[each] - self._lost[each]))
        sign = 1.0 if self._gained[word] > self._lost[word] else -1.0
        return word, sign, math.ceil(self._measure_excess(word))

    def _measure_excess(self, word: str, way: float = 0.0) -> float:
        """Changes beyond what is allowed, of those that go one ``way`` where it is given."""
        gained, lost = self._gained[word], self._lost[word]
        more = (gained - lost) * way if way else abs(gained - lost)
        return more - max(FREE, (PAIR_SLACK if " " in word else SLACK) * (gained + lost))


def choose(offers: Mapping[str, Sequence[Change]], most: int) -> dict[str, list[int]]:
    """The places of at most so many offers of each anchor, in order, so that no word is gained or lost too often.

    First each anchor takes what brings the sums nearest to zero, round by round, so that every anchor has one before
    any has two. Then each choice is made anew beside all others. Then what takes a word too far is left out, and what
    fits is taken in its place.
    """
    balance = Balance()
    kept: dict[str, list[int]] = {name: [] for name in sorted(offers)}
    for _ in range(most):
        for name, own in kept.items():
            free = [i for i in range(len(offers[name])) if i not in own]
            if free:
                own.append(min(free, key=lambda i: balance.price(offers[name][i])))
                balance.add(offers[name][own[-1]])
    for _ in range(SWEEPS):
        for name, own in kept.items():
            for place, now in enumerate(own):
                balance.add(offers[name][now], -1)
                free = [i for i in range(len(offers[name])) if i == now or i not in own]
                own[place] = min(free, key=lambda i: balance.price(offers[name][i]))
                balance.add(offers[name][own[place]])
    _prune(kept, offers, balance)
    for _ in range(REFILLS):
        if not _refill(kept, offers, balance, most):
            break
        _prune(kept, offers, balance)
    return kept


def _prune(kept: dict[str, list[int]], offers: Mapping[str, Sequence[Change]], balance: Balance) -> None:
    """Leave out what takes a word too far, the worst word first, later choices before earlier ones."""
    while (worst := balance.find_worst()) is not None:
        word, sign, surplus = worst
        culprits = [
            (place, name)
            for name, own in kept.items()
            for place, i in enumerate(own)
            if offers[name][i].get(word, 0.0) * sign > 0
        ]
        for place, name in sorted(culprits, reverse=True)[:surplus]:
            balance.add(offers[name][kept[name].pop(place)], -1)


def _refill(kept: dict[str, list[int]], offers: Mapping[str, Sequence[Change]], balance: Balance, most: int) -> int:
    """Take what fits where an anchor has too few; how many were taken."""
    taken = 0
    for name, own in kept.items():
        while len(own) < most:
            free = sorted(
                (i for i in range(len(offers[name])) if i not in own), key=lambda i: balance.price(offers[name][i])
            )
            fitting = next((i for i in free if balance.fits(offers[name][i])), None)
            if fitting is None:
                break
            own.append(fitting)
            balance.add(offers[name][fitting])
            taken += 1
    return taken


def measure_change(original: str, text: str) -> dict[str, float]:
    """What a near miss gains (1) and loses (-1): words and signs, and of numbers their size, parity and last digit.

    >>> sorted(measure_change("at 4", "at 5").items())
    [('#even', -1.0), ('#five', 1.0), ('#number', 1.0), ('at 4', -1.0), ('at 5', 1.0)]
    """
    old, new = _TOKEN.findall(original), _TOKEN.findall(text)
    before, after = Counter(old), Counter(new)
    change: dict[str, float] = {}
    numbers: list[tuple[int, int]] = []
    for token in before.keys() | after.keys():
        d = after[token] - before[token]
        if d and token.isdecimal():
            numbers.append((int(token), d))
        elif d:
            change[token] = 1.0 if d > 0 else -1.0
    for name, measure in (
        ("#number", float),
        ("#even", lambda n: n % 2 == 0),
        ("#five", lambda n: n % 5 == 0),
        ("#one", lambda n: n == 1),
        ("#nought", lambda n: n == 0),
        ("#round", lambda n: n > 9 and n % 10 == 0),
    ):
        total = sum(d * measure(n) for n, d in numbers)
        if total:
            change[name] = 1.0 if total > 0 else -1.0
    first, second = (Counter(map(" ".join, pairwise(each))) for each in (old, new))
    for pair in first.keys() ^ second.keys():
        change[pair] = 1.0 if pair in second else -1.0
    for name, before_, after_ in zip(_MEASURES, _measure_variety(old), _measure_variety(new), strict=True):
        if before_ != after_:
            change[name] = 1.0 if after_ > before_ else -1.0
    return change


_MEASURES = ("#length", "#repeated", "#distinct", "#distinct numbers")


def _measure_variety(tokens: Sequence[str]) -> tuple[float, ...]:
    """How many tokens there are, the share of pairs said before, and the shares of distinct tokens and numbers."""
    pairs = list(pairwise(tokens))
    numbers = [token for token in tokens if token.isdecimal()]
    shares = [len(set(each)) / max(len(each), 1) for each in (pairs, tokens, numbers)]
    return (len(tokens), 1 - shares[0], *shares[1:])
