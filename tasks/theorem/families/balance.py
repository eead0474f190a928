"""That no word gives away which texts were changed: what is gained as often as it is lost tells nothing.

Of every change the words and signs that it gains or loses are known, pairs of neighbours too, and of numbers their
size, parity and last digit. Changes are chosen so that the sums stay near zero.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

SLACK = 0.12
"""A word may be gained more often than lost, or the other way, by so much of both together."""
PAIR_SLACK = 0.3
"""So a pair of neighbours: there are many, and most follow their words."""
FREE = 2
"""So many times more are no tell."""
_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+|[^\w\s]")


def prune(kept: list[dict[str, Any]], changes: Mapping[int, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Leave out what takes a word too far one way, the worst word first, the last taken first."""
    while True:
        gained: Counter[str] = Counter()
        lost: Counter[str] = Counter()
        for row in kept:
            for word, change in changes[id(row)].items():
                (gained if change > 0 else lost)[word] += 1
        excess = {
            word: gained[word] - lost[word]
            for word in gained.keys() | lost.keys()
            if abs(gained[word] - lost[word]) > _allow(word, gained[word] + lost[word])
        }
        if not excess:
            return kept
        word = max(sorted(excess), key=lambda each: abs(excess[each]))
        sign = 1 if excess[word] > 0 else -1
        surplus = abs(excess[word]) - int(_allow(word, gained[word] + lost[word]))
        culprits = [row for row in reversed(kept) if changes[id(row)].get(word, 0) * sign > 0][:surplus]
        gone = set(map(id, culprits))
        kept = [row for row in kept if id(row) not in gone]


def _allow(word: str, times: int) -> float:
    return max(FREE, (PAIR_SLACK if " " in word else SLACK) * times)


class Balance:
    """How often each word was gained and lost so far."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}

    def price(self, change: Mapping[str, float]) -> float:
        """By how much the sum of squares would grow."""
        return sum((self._sums.get(word, 0.0) + d) ** 2 - self._sums.get(word, 0.0) ** 2 for word, d in change.items())

    def add(self, change: Mapping[str, float]) -> None:
        for word, d in change.items():
            self._sums[word] = self._sums.get(word, 0.0) + d


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
    length = len(new) - len(old)
    if length:
        change["#length"] = 1.0 if length > 0 else -1.0
    return change
