"""Texts as words: how many one shares with another, and one white space between them."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]{3,}")


def share_words(first: str, second: str) -> float:
    """Jaccard's share of distinct words of three letters and more: 0 to 1.

    >>> share_words("every group of order five is abelian", "every ring of order five")
    0.5
    """
    one, two = ({word.lower() for word in _WORD.findall(text)} for text in (first, second))
    return round(len(one & two) / len(one | two), 6) if one | two else 1.0


def squeeze(text: str) -> str:
    """The text with one space for each run of white space."""
    return " ".join(text.split())
