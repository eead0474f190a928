"""How two captions differ, word by word: one expression for another, or two that change places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterfoil.storage.rows import Edit

LONGEST = 3
"""Words of an expression that is exchanged."""
_ARTICLES = frozenset({"a", "an", "the"})


def find_exchange(old: Sequence[str], new: Sequence[str]) -> Edit | None:
    """The one expression that stands in another's place, articles aside; None where more differs.

    >>> find_exchange("a dog on a mat".split(), "an owl on a mat".split()).replacement
    'owl'
    """
    same = [_plain(a) == _plain(b) for a, b in zip(old, new, strict=False)]
    first = next((i for i, equal in enumerate(same) if not equal), len(same))
    same = [_plain(a) == _plain(b) for a, b in zip(reversed(old), reversed(new), strict=False)]
    behind = next((i for i, equal in enumerate(same) if not equal), len(same))
    behind = min(behind, len(old) - first, len(new) - first)
    target, replacement = old[first : len(old) - behind], new[first : len(new) - behind]
    if not (0 < len(target) <= LONGEST and 0 < len(replacement) <= LONGEST):
        return None
    return Edit("replace_obj", " ".join(target), " ".join(replacement))


def list_swaps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two expressions that changed places, where nothing else differs but articles before them.

    >>> list(list_swaps("a cat on the dog".split(), "a dog on the cat".split()))
    [('cat', 'dog')]
    """
    if sorted(map(_plain, old)) != sorted(map(_plain, new)) or len(old) != len(new):
        return
    changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if _plain(a) != _plain(b)]
    if not changed:
        return
    first, last = changed[0], changed[-1] + 1
    for one in range(1, LONGEST + 1):
        for other in range(1, LONGEST + 1):
            a, b = list(old[first : first + one]), list(old[last - other : last])
            middle = list(old[first + one : last - other])
            turned = [*b, *middle, *a]
            if first + one <= last - other and list(map(_plain, turned)) == list(map(_plain, new[first:last])):
                yield " ".join(a), " ".join(b)


def end(text: str) -> str:
    """Without the full stop: a caption with one says the same."""
    return text.strip().removesuffix(".").strip()


def is_said(word: str) -> bool:
    """Whether it is a word that says something: no sign, no article."""
    return word not in _ARTICLES and any(map(str.isalnum, word))


def _plain(word: str) -> str:
    return "a" if word == "an" else word
