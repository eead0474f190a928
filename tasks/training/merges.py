"""Byte-pair merges of words, the same ones on every run (Sennrich et al. 2016).

The trainer of `tokenizers` numbers its alphabet in the order of a hash table, which differs from run to run, and breaks
ties by those numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise

Word = tuple[str, ...]
Pair = tuple[str, str]


def learn_merges(words: Mapping[str, int], count: int, suffix: str) -> list[Pair]:
    """At most ``count`` merges of the commonest neighbours, in order; of equally common ones the first by letters.

    Args:
        words: a word to how often it stands; its last letter carries ``suffix``.

    A pair that stands once is not merged.

    >>> learn_merges({"low": 5, "lower": 2, "new": 6}, 3, "</w>")
    [('l', 'o'), ('e', 'w</w>'), ('n', 'ew</w>')]
    """
    split: list[Word] = []
    often: list[int] = []
    for word in sorted(words):
        split.append((*word[:-1], word[-1] + suffix))
        often.append(words[word])
    pairs: Counter[Pair] = Counter()
    where: defaultdict[Pair, set[int]] = defaultdict(set)
    for number, letters in enumerate(split):
        _count(letters, number, often[number], pairs, where)
    merges: list[Pair] = []
    while len(merges) < count and pairs:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        merges.append(best)
        for number in sorted(where[best]):
            _count(split[number], number, -often[number], pairs, where)
            split[number] = _merge(split[number], best)
            _count(split[number], number, often[number], pairs, where)
    return merges


def _count(word: Word, number: int, times: int, pairs: Counter[Pair], where: defaultdict[Pair, set[int]]) -> None:
    for pair in pairwise(word):
        pairs[pair] += times
        if times > 0:
            where[pair].add(number)
        elif not pairs[pair]:
            del pairs[pair]
            where.pop(pair, None)


def _merge(word: Word, pair: Pair) -> Word:
    merged: list[str] = []
    place = 0
    while place < len(word):
        if word[place : place + 2] == pair:
            merged.append(word[place] + word[place + 1])
            place += 2
        else:
            merged.append(word[place])
            place += 1
    return tuple(merged)
