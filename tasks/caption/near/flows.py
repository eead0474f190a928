"""What a near miss changes of what can be counted in captions: words, words side by side, and how long they are."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from counterfoil.tasks.caption.near.usual import Words, find_change

_LETTERS = 4
"""Letters that count as one."""


def measure_flow(old: Words, new: Words) -> tuple[list[int], list[int]]:
    """What the second caption has more (or less) of than the first, by hashes of what is counted, and by how much;
    `near.usual.read_words` gives both.

    >>> from counterfoil.tasks.caption.near.usual import read_words
    >>> sorted(measure_flow(read_words("a cat on a bed"), read_words("a dog on a bed"))[1])
    [-1, -1, -1, 1, 1, 1]
    """
    first, end, other = find_change(old, new)
    found: dict[int, int] = {}
    _count(found, old, first, end, -1)
    _count(found, new, first, other, 1)
    changed = sorted(name for name, amount in found.items() if amount)
    return changed, [found[name] for name in changed]


def _count(found: dict[int, int], words: Words, first: int, end: int, times: int) -> None:
    """What is counted between these places, where a pair may reach out by a word, and of the whole."""
    names = [_hash(word) for word in words[first:end]]
    names += [_hash(f"{words[i]} {words[i + 1]}") for i in range(first - 1, min(end, len(words) - 1))]
    names.append(_hash(f"\n{len(words)}"))
    for name in names:
        found[name] = found.get(name, 0) + times
    for name, amount in ((_WORDS, len(words)), (_OF_LETTERS, sum(map(len, words)) // _LETTERS)):
        found[name] = found.get(name, 0) + times * amount


@lru_cache(maxsize=100_000)
def _hash(name: str) -> int:
    return crc32(name.encode())


_WORDS, _OF_LETTERS = _hash("\nwords"), _hash("\nletters")
