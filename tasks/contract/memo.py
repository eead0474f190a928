"""What was found of some content, remembered: the same bytes are judged once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from counterfoil.storage.rows import fingerprint

Found = TypeVar("Found")


class Memo(Generic[Found]):
    """What a pure function found, by the content that it was given, for the ``most`` last asked for.

    Content is known by its SHA-256, so that no picture is kept for its verdict's sake.

    >>> memo = Memo[int](2)
    >>> [memo.recall(lambda: len(b"ab"), b"ab", "setting"), memo.recall(lambda: 9, b"ab", "setting")]
    [2, 2]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, Found] = OrderedDict()

    def recall(self, find: Callable[[], Found], *content: Any) -> Found:
        """What ``find`` found when it was asked of ``content`` (all that decides its answer), or finds now."""
        key = fingerprint(*content)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        found = self._known[key] = find()
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return found
