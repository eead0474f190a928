"""What a near miss changes of what can be counted in captions: words, words side by side, and how long they are."""

from __future__ import annotations

from collections import Counter

from counterfoil.tasks.caption.near.usual import Words, find_change
from counterfoil.tasks.contract.choosing import Change, measure_change

_LETTERS = 4
"""Letters that count as one."""


def measure_flow(old: Words, new: Words) -> Change:
    """What the second caption has more (or less) of than the first; `near.usual.read_words` gives both.

    >>> from counterfoil.tasks.caption.near.usual import read_words
    >>> change = measure_flow(read_words("a cat on a bed"), read_words("a dog on a bed"))
    >>> sorted(change.amounts.tolist())
    [-1, -1, -1, 1, 1, 1]
    """
    first, end, other = find_change(old, new)
    return measure_change(_count(old, first, end), _count(new, first, other))


def _count(words: Words, first: int, end: int) -> Counter[str]:
    """What is counted between these places, where a pair may reach out by a word, and of the whole."""
    found = Counter(words[first:end])
    found.update(f"{words[i]} {words[i + 1]}" for i in range(first - 1, min(end, len(words) - 1)))
    found["\nwords"] = len(words)
    found[f"\n{len(words)}"] = 1
    found["\nletters"] = sum(map(len, words)) // _LETTERS
    return found
