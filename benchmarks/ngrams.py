"""A 5-gram model of words: how likely a text is beside others of its kind, without a network.

Absolute discounting, interpolated from five words down to one and to what was never seen. A corpus may judge its own
texts: what a text's own group says (its picture's captions) is then taken out of the counts, or it would know them by
heart.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

ORDER = 5
DISCOUNT = 0.75
_WORD = re.compile(r"[a-z0-9']+|[^\w\s]")
Words = tuple[str, ...]


class _Counts:
    """How often words stand in a row, how often some stand before another, and how many others follow them."""

    def __init__(self, times: Counter[Words]) -> None:
        self.times = times
        self.before: Counter[Words] = Counter()
        self.kinds: Counter[Words] = Counter()
        for words, count in times.items():
            self.before[words[:-1]] += count
            self.kinds[words[:-1]] += 1


class Ngrams:
    """Counts of a corpus.

    >>> model = Ngrams(["a cat sits on a mat", "a dog sits on a mat"])
    >>> model.measure("a dog sits on a mat") > model.measure("a mat sits on a dog")
    True
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._all = _Counts(Counter(words for text in texts for words in _list_ngrams(text)))

    def measure(self, text: str, without: Sequence[str] = ()) -> float:
        """The log-likelihood of a text in nats, by the corpus without these of its texts."""
        gone = _Counts(Counter(words for each in without for words in _list_ngrams(each)))
        gone.kinds.clear()
        for words, count in gone.times.items():
            if count >= self._all.times[words]:
                gone.kinds[words[:-1]] += 1
        return sum(math.log(self._share(words, gone)) for words in _list_ngrams(text) if len(words) == ORDER)

    def _share(self, words: Words, gone: _Counts) -> float:
        known = self._all
        found = 1 / (known.kinds[()] - gone.kinds[()] + 1)
        for size in range(1, ORDER + 1):
            own, before = words[-size:], words[-size:-1]
            total = known.before[before] - gone.before[before]
            if total > 0:
                left = DISCOUNT * (known.kinds[before] - gone.kinds[before]) / total
                found = max(known.times[own] - gone.times[own] - DISCOUNT, 0) / total + left * found
        return found


def _list_ngrams(text: str) -> Iterator[Words]:
    words = ["<s>"] * (ORDER - 1) + _WORD.findall(text.lower().rstrip(" .")) + ["</s>"]
    for end in range(ORDER, len(words) + 1):
        for size in range(1, ORDER + 1):
            yield tuple(words[end - size : end])
