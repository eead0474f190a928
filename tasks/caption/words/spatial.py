"""Prepositions that say where one thing is of another, and which of them exclude each other."""

from __future__ import annotations

from counterfoil.tasks.caption.words.lists import EXCLUSIVE

_BOTH = frozenset(
    map(
        frozenset,
        (
            *(("in", other) for other in ("behind", "under", "above")),
            *(("inside", other) for other in ("behind", "under", "on top of")),
            *(("on", other) for other in ("behind", "below")),
            *(("on top of", other) for other in ("behind", "below")),
            *(("near", "far from"), ("close to", "far from")),
        ),
    )
)
"""What may be both of one photograph: a giraffe in trees is behind some of them."""
MOVING = frozenset(
    {"up", "down", "into", "out of", "onto", "off", "off of", "toward", "towards", "away from", "along", "across"}
)
"""Phrases that say where something goes, of which a still picture shows where it is."""
PHRASES = tuple(sorted(EXCLUSIVE, key=lambda phrase: -len(phrase.split())))
"""The longest first."""


def is_spatial(words: str) -> bool:
    return words in EXCLUSIVE


def exclude(words: str, other: str, seen: bool = True) -> bool:
    """Whether what is ``words`` a thing cannot be ``other`` it; ``seen``: where the picture is looked at besides.

    >>> exclude("under", "on"), exclude("on", "next to")
    (True, False)
    """
    if not seen and frozenset((words, other)) in _BOTH:
        return False
    return other in EXCLUSIVE.get(words, ()) or words in EXCLUSIVE.get(other, ())
