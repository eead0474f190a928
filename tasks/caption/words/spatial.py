"""Prepositions that say where one thing is of another, and which of them exclude each other."""

from __future__ import annotations

from types import MappingProxyType

_EXCLUSIVE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("on", ("under", "underneath", "beneath", "below", "behind")),
    ("on top of", ("under", "underneath", "beneath", "below", "behind", "inside")),
    ("in", ("outside", "behind", "under", "above")),
    ("inside", ("outside", "behind", "on top of", "under")),
    ("outside", ("inside", "in")),
    ("under", ("on", "on top of", "above", "over")),
    ("underneath", ("on", "on top of", "above", "over")),
    ("beneath", ("on", "on top of", "above", "over")),
    ("below", ("above", "over", "on top of")),
    ("above", ("below", "under", "beneath", "underneath")),
    ("over", ("under", "below", "beneath", "underneath")),
    ("behind", ("in front of", "on", "on top of")),
    ("in front of", ("behind", "inside")),
    ("to the left of", ("to the right of",)),
    ("to the right of", ("to the left of",)),
    ("on the left of", ("on the right of",)),
    ("on the right of", ("on the left of",)),
    ("on the left side of", ("on the right side of",)),
    ("on the right side of", ("on the left side of",)),
    ("near", ("far from",)),
    ("far from", ("near", "close to")),
    ("close to", ("far from",)),
    ("up", ("down",)),
    ("down", ("up",)),
    ("into", ("out of",)),
    ("out of", ("into",)),
    ("onto", ("off of", "off")),
    ("off", ("onto", "on")),
    ("toward", ("away from",)),
    ("towards", ("away from",)),
    ("away from", ("toward", "towards")),
    ("at", ()),
    ("beside", ()),
    ("next to", ()),
    ("between", ()),
    ("among", ()),
    ("along", ("across",)),
    ("across", ("along",)),
    ("around", ()),
    ("against", ()),
    ("through", ()),
)

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
EXCLUSIVE = MappingProxyType(dict(_EXCLUSIVE))
"""For each spatial phrase those that cannot be true with it; "beside" and its like exclude nothing for sure."""
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
