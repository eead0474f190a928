"""The colours that a thing can have, by the eleven basic colour terms of English (Berlin and Kay, 1969).

A colour is painted as a family of shades, so that a drawing has light and shadow and still one name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

COLOURS = MappingProxyType(
    {
        "red": "#d8352c",
        "orange": "#f08422",
        "yellow": "#f7d038",
        "green": "#4da64a",
        "blue": "#3a76d0",
        "purple": "#8c4fba",
        "pink": "#f397ba",
        "brown": "#8b5932",
        "black": "#34343b",
        "white": "#fbf8f1",
        "gray": "#989ba3",
    }
)

INK = "#33272f"
"""Outlines are this colour mixed into what they outline: softer than black, never lost."""


@dataclass(frozen=True, slots=True)
class Shades:
    """One colour as a painter mixes it: the colour itself, in light, in shadow, and for the outline."""

    base: str
    light: str
    dark: str
    ink: str


def mix(a: str, b: str, share: float) -> str:
    """``share`` of colour ``b`` in colour ``a``, both as ``#rrggbb``.

    >>> mix("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(a), _channels(b), strict=True)
    return "#" + "".join(f"{int(x + (y - x) * share + 0.5):02x}" for x, y in pairs)


@lru_cache(maxsize=256)
def shade(colour: str) -> Shades:
    """The shades of a colour word or a ``#rrggbb`` value."""
    base = COLOURS.get(colour, colour)
    darkness = sum(_channels(base)) / 3
    # Black outlined in black would be a blot: dark things get a lighter outline.
    ink = mix(base, "#000000", 0.55) if darkness > 90 else mix(base, "#000000", 0.7)
    # White in shadow is still white.
    shadow = 0.13 if darkness > 235 else 0.26
    return Shades(base, mix(base, "#ffffff", 0.28), mix(base, INK, shadow), mix(ink, INK, 0.5))


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
