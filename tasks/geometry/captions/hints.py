"""Wordings near to one that cannot be read, for whoever wrote it."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache

from counterfoil.tasks.geometry.captions.sentences import SENTENCES
from counterfoil.tasks.geometry.captions.templates import write_example

_MOST = 3
_FIND_WORDS = re.compile(r"(?!the\b|and\b|are\b)[a-z]{3,}|[=:+]")
_SURPLUS = 0.3
"""What a word counts against a wording that the unread text does not have."""


def suggest(unread: str) -> str:
    r"""The wordings that share the rarest words with ``unread``, by example, quoted.

    >>> suggest("AD is the altitude onto BC").split(", ")[0]
    "'PF is an altitude'"
    """
    words, (examples, weights) = frozenset(_FIND_WORDS.findall(unread.lower())), _weigh()

    def rate(text: str) -> tuple[float, int]:
        shared = sum(weights[word] for word in words & examples[text])
        return _SURPLUS * len(examples[text] - words) - shared, len(text)

    return ", ".join(map(repr, sorted(examples, key=rate)[:_MOST]))


@cache
def _weigh() -> tuple[dict[str, frozenset[str]], dict[str, float]]:
    """Each example with the words that its wording may have; each word's weight, more for those of few wordings."""
    examples: dict[str, frozenset[str]] = {}
    for sentence in SENTENCES:
        words = frozenset(_FIND_WORDS.findall(re.sub(r"<(\w+) [^<>]*>|<[^<>]*>", r" \1 ", sentence.text)))
        text = write_example(sentence.text)
        examples[text] = examples.get(text, frozenset()) | words
    counts = Counter(word for words in examples.values() for word in words)
    return examples, {word: math.log(1 + len(examples) / count) for word, count in counts.items()}
