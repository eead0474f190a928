"""How usual a near miss is beside its caption, by the run's own captions: a model of three words in a row, and of which
things are named in one caption.

Absolute discounting, interpolated from three words down to one. What the picture's own captions say is taken out of the
counts, or the model would know the caption by heart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

from counterfoil.tasks.caption.checks import split_words
from counterfoil.tasks.caption.near.balance import Seen
from counterfoil.tasks.caption.words.forms import singularise
from counterfoil.tasks.caption.words.lexicon import open_lexicon

ORDER = 3
DISCOUNT = 0.75
_FEW = 1000
"""Captions from which on a thing that is never named beside another is odd there."""
_OFTEN = 1.5
_SELDOM = 0.5
"""Captions less in which an addition is awaited beside the caption's things say nothing of it."""
_FIELDS = frozenset({"noun.animal", "noun.artifact", "noun.food", "noun.object", "noun.person", "noun.plant"})
Words = tuple[str, ...]


class Counts:
    """How often words stand in a row, how many others follow some, and how often things are named in one caption."""

    def __init__(self, texts: Iterator[Words] | Sequence[Words], wordnet: str | None) -> None:
        self.times: Counter[Words] = Counter()
        self.things: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.captions = 0
        for words in texts:
            self.captions += 1
            self.times.update(words[end - size : end] for end in range(ORDER, len(words) + 1) for size in (1, 2, 3))
            things = list_things(words, wordnet)
            self.things.update(things)
            self.pairs.update(combinations(things, 2))
        self.before: Counter[Words] = Counter()
        self.kinds: Counter[Words] = Counter()
        for words, count in self.times.items():
            self.before[words[:-1]] += count
            self.kinds[words[:-1]] += 1


class Usual:
    """The captions of a run."""

    def __init__(self, captions: Sequence[str], wordnet: str | None = None) -> None:
        self._all = Counts([read_words(caption) for caption in captions], wordnet)
        self._wordnet = wordnet

    def begin(self, captions: Sequence[str]) -> Beside:
        """Beside these captions of one picture."""
        return Beside(self._all, Counts([read_words(caption) for caption in captions], self._wordnet), self._wordnet)


class Beside:
    """The run's captions without those of one picture."""

    def __init__(self, known: Counts, gone: Counts, wordnet: str | None) -> None:
        self._known, self._gone, self._wordnet = known, gone, wordnet
        self._shares: dict[Words, float] = {}
        self._common: dict[str, float] = {}

    def see(self, old: Words, new: Words) -> Seen:
        """How much likelier, and how much commoner in its words, the second is; `read_words` gives both."""
        change = first, end, other = find_change(old, new)
        left, come = list(old[first:end]), []
        for word in new[first:other]:
            if word in left:
                left.remove(word)
            else:
                come.append(word)
        return Seen(self._compare(old, new, change), sum(map(self._count, come)) - sum(map(self._count, left)))

    def is_odd(self, old: Words, new: Words, added: bool) -> bool:
        """Whether the run speaks of what is new, and hardly ever beside the things that the caption names; of what is
        added, whether it does so less often than chance would."""
        known, gone = self._known, self._gone
        before, after = (list_things(words, self._wordnet) for words in (old, new))
        if known.captions < _FEW:
            return False
        come, there = [word for word in after if word not in before], [word for word in after if word in before]
        pairs = [(min(each), max(each)) for each in product(come, there)]
        seen = sum(known.pairs[pair] - gone.pairs[pair] for pair in pairs)
        awaited = sum(
            (known.things[one] - gone.things[one]) * (known.things[other] - gone.things[other]) / known.captions
            for one, other in pairs
        )
        if added:
            return bool(pairs) and seen + _SELDOM < awaited
        return awaited >= _OFTEN and seen < awaited / 2

    def compare(self, old: Words, new: Words) -> float:
        """By how many nats the second is likelier than the first; `read_words` gives both."""
        return self._compare(old, new, find_change(old, new))

    def _compare(self, old: Words, new: Words, change: tuple[int, int, int]) -> float:
        first, end, other = change
        return self._sum(new, first, other + ORDER - 1) - self._sum(old, first, end + ORDER - 1)

    def _count(self, word: str) -> float:
        if word not in self._common:
            own = (word,)
            left = self._known.times.get(own, 0) - self._gone.times.get(own, 0)
            self._common[word] = math.log1p(max(left, 0))
        return self._common[word]

    def _sum(self, words: Words, first: int, end: int) -> float:
        known, total = self._shares, 0.0
        for at in range(max(first, ORDER - 1), min(end, len(words))):
            row = words[at - ORDER + 1 : at + 1]
            share = known.get(row)
            total += self._tell(row) if share is None else share
        return total

    def _tell(self, words: Words) -> float:
        if words not in self._shares:
            known, gone = self._known, self._gone
            found = 1 / (len(known.times) + 1)
            for size in range(1, ORDER + 1):
                own, before = words[-size:], words[-size:-1]
                seen = known.before.get(before, 0)
                total = seen - gone.before.get(before, 0)
                if total <= 0:
                    break  # what never stood there stands before nothing longer either
                times = known.times.get(own, 0) - gone.times.get(own, 0)
                found = max(times - DISCOUNT, 0) / total + DISCOUNT * known.kinds[before] / seen * found
            self._shares[words] = math.log(found)
        return self._shares[words]


def find_change(old: Words, new: Words) -> tuple[int, int, int]:
    """The first word that differs, and behind the last one that does in each."""
    least, first, behind = min(len(old), len(new)), 0, 0
    while first < least and old[first] == new[first]:
        first += 1
    while behind < least - first and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    return first, len(old) - behind, len(new) - behind


@lru_cache(maxsize=50_000)
def read_words(caption: str) -> Words:
    return ("^",) * (ORDER - 1) + tuple(split_words(caption.lower().rstrip(" ."))) + ("$",)


@lru_cache(maxsize=4096)
def list_things(words: Words, wordnet: str | None) -> tuple[str, ...]:
    """What a caption names that can be seen by itself, in the singular, in the order of the alphabet."""
    return tuple(sorted({thing for word in set(words) if (thing := _find_thing(word, wordnet))}))


@lru_cache(maxsize=50_000)
def _find_thing(word: str, wordnet: str | None) -> str:
    one = singularise(word) if word.isalpha() else ""
    return one if one and open_lexicon(wordnet).find_field(one, "n") in _FIELDS else ""
