"""Glyphs of matplotlib's own fonts as pictures, drawn on the trusted side: what a recorded text ought to look like.

Needs no text layout, no markup and no font search: the sandbox says which glyph of which font file stands where, and
whoever asks compares that with the pixels and with the text.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

STEPS = 2
"""Sub-pixel places in each direction at which a glyph is drawn: off by a quarter of a pixel at most, and soon known."""
LARGEST = 400.0
"""Pixels of an em above which no glyph is drawn."""
_lock = threading.Lock()


class GlyphError(ValueError):
    """A glyph that matplotlib's own fonts do not have, or that is too large to be a letter."""


@dataclass(frozen=True)
class GlyphPicture:
    """Coverage (height, width) of 0 to 255, and the pixel of its first row and column from the one of its origin."""

    coverage: np.ndarray
    left: int
    top: int


@cache
def open_font(name: str) -> Any:
    """One of matplotlib's own font files by its name.

    Raises:
        GlyphError: there is no such file.
    """
    import matplotlib
    from matplotlib.ft2font import FT2Font

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    if "/" in name or not name.endswith(".ttf") or not (folder / name).is_file():
        raise GlyphError(f"{name!r} is none of matplotlib's fonts")
    return FT2Font(str(folder / name))


@lru_cache(65536)
def find_index(name: str, char: str) -> int:
    """The glyph of a character in a font, 0 where it has none.

    Raises:
        GlyphError: see `open_font`.
    """
    return int(open_font(name).get_char_index(ord(char))) if len(char) == 1 else 0


@dataclass(frozen=True)
class Pen:
    """How glyphs are drawn: font file, size in points, pixels of an inch, degrees, and FreeType's fitting flag."""

    font: str
    size: float
    dpi: float
    angle: float
    hinting: str


def draw_glyph(pen: Pen, index: int, x: float, y: float) -> GlyphPicture:
    """A glyph as matplotlib's Agg draws it with its origin at pixel (x, y), y down.

    Raises:
        GlyphError: see `open_font`; or it is larger than `LARGEST`, or the flag is unknown.
    """
    column, row = math.floor(x), math.floor(y)
    steps = (math.floor((x - column) * STEPS + 0.5), math.floor((y - row) * STEPS + 0.5))
    drawn = _draw_glyph(pen, index, *steps)
    return GlyphPicture(drawn.coverage, drawn.left + column, drawn.top + row)


@lru_cache(16384)
def _draw_glyph(pen: Pen, index: int, across: int, down: int) -> GlyphPicture:
    from matplotlib.ft2font import LoadFlags, RenderMode

    if not 0 < pen.size * pen.dpi / 72 <= LARGEST:
        raise GlyphError(f"a letter of {pen.size:g} points cannot be read")
    try:
        flag = LoadFlags[pen.hinting]
    except KeyError:
        raise GlyphError(f"{pen.hinting!r} is no way of fitting glyphs") from None
    angle = math.radians(pen.angle)
    turn = (65536 * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])).round()
    # FreeType's y is upwards, and its places are 64ths of a pixel.
    shift = [round(64 * across / STEPS), round(-64 * down / STEPS)]
    with _lock:
        font = open_font(pen.font)
        if not 0 <= index < font.num_glyphs:
            raise GlyphError(f"{pen.font} has no glyph {index}")
        font.set_size(pen.size, pen.dpi)
        font._set_transform(turn.astype(int), shift)
        bitmap = font._render_glyph(index, flag, RenderMode.NORMAL)
        coverage = np.array(bitmap.buffer, np.uint8)
    coverage.setflags(write=False)
    return GlyphPicture(coverage, int(bitmap.left), -int(bitmap.top))
