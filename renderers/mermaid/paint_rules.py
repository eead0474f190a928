"""Which paint an author may set, and what of it reaches the picture."""

from __future__ import annotations

import re
from functools import lru_cache

from PIL import ImageColor

_COLOUR = re.compile(
    r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,24}|(?:rgb|rgba|hsl|hsla)\(\s*[-\d.%]+(?:\s*,\s*[-\d.%]+){2,3}\s*\)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:px)?")
_DASHES = re.compile(r"\d+(?:\.\d+)?(?:px)?(?:[ ,]+\d+(?:\.\d+)?(?:px)?)*")
_RULES = {"fill": _COLOUR, "stroke": _COLOUR, "stroke-width": _NUMBER, "stroke-dasharray": _DASHES, "color": _COLOUR}


def read_style(style: str | None) -> dict[str, str]:
    """The allowed properties of a ``style`` attribute: colours, stroke widths and dashes, and nothing that can name
    a file or an address.

    >>> read_style("fill:#0f0 !important;background:url(x);stroke-width:4px")
    {'fill': '#0f0', 'stroke-width': '4'}
    """
    found: dict[str, str] = {}
    for part in (style or "").split(";"):
        key, _, value = part.partition(":")
        if allowed := allow_paint(key.strip(), value.replace("!important", "").strip()):
            found[key.strip()] = allowed
    return found


def allow_paint(key: str, value: str) -> str | None:
    """``value`` if ``key`` may be set to it, else None."""
    rule = _RULES.get(key)
    if rule is None or not rule.fullmatch(value) or value in ("inherit", "revert", "initial", "unset"):
        return None
    return value.replace("px", "") if key in ("stroke-width", "stroke-dasharray") else value


_PALEST = 200
"""Brightness (0 to 255) over which a line of one pixel is lost on white paper."""


@lru_cache(maxsize=1024)
def shows_on_white(colour: str) -> bool:
    """Whether a thin line of this colour can be seen on white; False for what is no colour, or is transparent.

    >>> shows_on_white("#333333"), shows_on_white("white"), shows_on_white("none"), shows_on_white("#00000008")
    (True, False, False, False)
    """
    try:
        red, green, blue, alpha = (*ImageColor.getrgb(colour), 255)[:4]
    except ValueError:
        return False
    brightness = (77 * red + 150 * green + 29 * blue) / 256
    return 255 - (255 - brightness) * alpha / 255 <= _PALEST
