"""How usual a near miss is beside its caption, by the run's own captions: a model of three words in a row.

Absolute discounting, interpolated from three words down to one. What the picture's own captions say is taken out of the
counts, or the model would know the caption by heart.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from zlib import crc32

import pyarrow as pa

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.checks import split_words
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared
from counterfoil.tasks.contract.wording import list_captions

ORDER = 3
DISCOUNT = 0.75
ENOUGH = 30_000
"""Captions that are counted at most: those with the lowest hash."""
Words = tuple[str, ...]
_SCHEMA = pa.schema([("caption", pa.string())])


class Counts:
    """How often words stand in a row, and how many others follow some."""

    def __init__(self, texts: Iterator[Words] | Sequence[Words]) -> None:
        self.times: Counter[Words] = Counter(
            words[end - size : end] for words in texts for end in range(ORDER, len(words) + 1) for size in (1, 2, 3)
        )
        self.before: Counter[Words] = Counter()
        self.kinds: Counter[Words] = Counter()
        for words, count in self.times.items():
            self.before[words[:-1]] += count
            self.kinds[words[:-1]] += 1


class Usual:
    """The captions of a run."""

    def __init__(self, captions: Sequence[str]) -> None:
        self._all = Counts([read_words(caption) for caption in captions])

    def begin(self, captions: Sequence[str]) -> Beside:
        """Beside these captions of one picture."""
        return Beside(self._all, Counts([read_words(caption) for caption in captions]))


class Beside:
    """The run's captions without those of one picture."""

    def __init__(self, known: Counts, gone: Counts) -> None:
        self._known, self._gone = known, gone
        self._shares: dict[Words, float] = {}

    def compare(self, old: Words, new: Words) -> float:
        """By how many nats the second is likelier than the first; `read_words` gives both."""
        first = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        behind = 0
        while behind < min(len(old), len(new)) - first and old[-1 - behind] == new[-1 - behind]:
            behind += 1
        behind = max(behind - (ORDER - 1), 0)
        return self._sum(new, first, len(new) - behind) - self._sum(old, first, len(old) - behind)

    def _sum(self, words: Words, first: int, end: int) -> float:
        return sum(self._tell(words[at - ORDER + 1 : at + 1]) for at in range(max(first, ORDER - 1), end))

    def _tell(self, words: Words) -> float:
        if words not in self._shares:
            known, gone = self._known, self._gone
            found = 1 / (len(known.times) + 1)
            for size in range(1, ORDER + 1):
                own, before = words[-size:], words[-size:-1]
                total = known.before[before] - gone.before[before]
                if total > 0:
                    left = DISCOUNT * known.kinds[before] / (known.before[before] or 1)
                    found = max(known.times[own] - gone.times[own] - DISCOUNT, 0) / total + left * found
            self._shares[words] = math.log(found)
        return self._shares[words]


def read_words(caption: str) -> Words:
    return ("^",) * (ORDER - 1) + tuple(split_words(caption.lower().rstrip(" ."))) + ("$",)


def _make_part(number: int, anchors: Sequence[Anchor], context: Context[CaptionSettings]) -> pa.Table:
    del number, context
    return pa.table({"caption": [text for anchor in anchors for text in list_captions(anchor)]}, _SCHEMA)


def _gather(parts: Sequence[Part], context: Context[CaptionSettings]) -> pa.Table:
    del context
    found = sorted((text for part in parts for text in part.read()["caption"].to_pylist()), key=_place)
    return pa.table({"caption": [*islice(found, ENOUGH)]}, _SCHEMA)


def _place(text: str) -> tuple[int, str]:
    return crc32(text.encode()), text


def _open(prepared: Prepared, context: Context[CaptionSettings]) -> Usual:
    del context
    assert prepared.gathered is not None
    return Usual(prepared.gathered["caption"].to_pylist())


USUAL: Preparation[CaptionSettings, Usual] = Preparation(
    name="caption.usual", make=_make_part, open=_open, gather=_gather, uses=("source",), version=1
)
