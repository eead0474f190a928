"""Whether the texts of a picture read as they are recorded: each glyph is drawn again and looked for in the pixels.

The record says which glyphs a text was drawn with. That they spell the text is checked on characters, that they are in
the picture on pixels; so a number that was painted over, or drawn as another, is found out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from counterfoil.renderers.glyphs import GlyphError, Pen, draw_glyph, find_index
from counterfoil.renderers.results import Drawing, Glyph, Label
from counterfoil.tasks.geometry.letterforms import Ink
from counterfoil.tasks.geometry.measuring.sight import cut_box, widen

CORE = 190
"""Coverage of a pixel by a glyph from which it must be inked."""
RIM = 40
"""Coverage under which a pixel must not be inked as fully as `FULL`."""
FAINT = 100
FULL = 140
"""Levels of 255, the text's own colour being 255: under `FAINT` a pixel is not inked, over `FULL` it is."""
SPARE_PIXELS = 2
SPARE_SHARE = 0.04
"""Pixels of a text, and share of its core, that may be off."""
NAMED = {"sin", "cos", "tan", "cot", "log", "ln", "exp", "max", "min", "lim"}
"""Commands of mathtext that write their own name."""
_ALPHABETS = re.compile(r"DejaVu(Sans|Serif)|STIX(General|NonUni)|cm(b|mi|r|ss|ti|tt)10\.ttf")
"""Fonts whose letters and digits look like what they are; others have symbols in their places."""
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_WORDS = re.compile(r"[^0-9A-Za-z]")
_LIGATURES = str.maketrans("", "", "filst")


@dataclass(frozen=True)
class Lettering:
    """All texts of a drawing as they should look: ``coverage`` (height, width) and one window per text, in order."""

    coverage: np.ndarray
    windows: tuple[tuple[slice, slice], ...]


def find_misspelling(label: Label) -> str | None:
    """Why the recorded glyphs do not spell the text; None where they do."""
    math = label.text.count("$") >= 2
    glyphs = [glyph for line in label.glyphs for glyph in line if not (math and _is_symbol(glyph))]
    try:
        odd = next((glyph for glyph in glyphs if not _is_itself(glyph)), None)
    except GlyphError as error:
        return str(error)
    if odd is not None:
        return f"glyph {odd.index} of {odd.font} is not {odd.char!r}"
    wanted, drawn = "".join(label.text.split()), "".join(glyph.char for glyph in glyphs)
    if drawn == wanted.replace("\\$", "$"):
        return None
    if math:
        plain = _COMMAND.sub(lambda m: m[1] if m[1] in NAMED else " ", label.text)
        wanted, found = _WORDS.sub("", plain), _WORDS.sub("", drawn)
        # Numerators and exponents come in an order of their own.
        if wanted == found or (re.search(r"[_^]|frac|binom|sqrt\[", label.text) and sorted(wanted) == sorted(found)):
            return None
    elif drawn.translate(_LIGATURES) == wanted.translate(_LIGATURES):
        return None
    return f"its glyphs spell {drawn!r}"


def _is_symbol(glyph: Glyph) -> bool:
    """Whether a glyph stands under a digit's code for something else, as the prime does in TeX's symbol font."""
    return glyph.font == "cmex10.ttf" or (glyph.font == "cmsy10.ttf" and glyph.char.isdigit())


def _is_itself(glyph: Glyph) -> bool:
    """Whether the glyph is its character's own. Only letters and digits are compared: the large roots and brackets of
    mathematics have many forms, and small letters may be joined."""
    if not (glyph.char.isascii() and glyph.char.isalnum()):
        return True
    legible = _ALPHABETS.match(glyph.font) or (glyph.font == "cmsy10.ttf" and glyph.char.isupper())
    return bool(legible) and (glyph.char in "filst" or find_index(glyph.font, glyph.char) == glyph.index)


def draw_texts(drawing: Drawing) -> Lettering:
    """Draw every recorded glyph again.

    Raises:
        GlyphError: one cannot be drawn.
    """
    coverage = np.zeros((drawing.height, drawing.width), np.uint8)
    windows = []
    for panel in drawing.panels:
        for label in panel.labels:
            windows.append(_stamp_text(coverage, label, drawing))
    return Lettering(coverage, tuple(windows))


def find_ink(label: Label, drawing: Drawing) -> Ink:
    """A text's glyphs and the bars of its roots and fractions.

    Raises:
        GlyphError: one cannot be drawn.
    """
    coverage = np.zeros((drawing.height, drawing.width), np.uint8)
    _stamp_text(coverage, label, drawing)
    for x0, y0, x1, y1 in label.bars:
        coverage[cut_box(x0, y0, x1, y1, drawing)] = 255
    return Ink(np.argwhere(coverage >= FAINT)[:, ::-1].astype(float), label.size * drawing.dpi / 72, label.rotation)


def _stamp_text(coverage: np.ndarray, label: Label, drawing: Drawing) -> tuple[slice, slice]:
    """Lay a text's glyphs over the sheet; the window that they take."""
    bounds = []
    for glyph in (glyph for line in label.glyphs for glyph in line):
        pen = Pen(glyph.font, glyph.size, drawing.dpi, label.rotation, drawing.hinting)
        bounds.append(_stamp(coverage, glyph, pen))
    return _unite(bounds)


def _stamp(coverage: np.ndarray, glyph: Glyph, pen: Pen) -> tuple[int, int, int, int]:
    """Lay a glyph over the sheet; the rows and columns that it takes."""
    high, wide = coverage.shape
    if not (-wide <= glyph.x <= 2 * wide and -high <= glyph.y <= 2 * high):
        return (0, 0, 0, 0)
    drawn = draw_glyph(pen, glyph.index, glyph.x, glyph.y)
    rows, columns = drawn.coverage.shape
    top, left = max(drawn.top, 0), max(drawn.left, 0)
    bottom, right = min(drawn.top + rows, high), min(drawn.left + columns, wide)
    if top >= bottom or left >= right:
        return (0, 0, 0, 0)
    sheet = coverage[top:bottom, left:right]
    part = drawn.coverage[top - drawn.top : bottom - drawn.top, left - drawn.left : right - drawn.left]
    np.maximum(sheet, part, out=sheet)
    return (top, bottom, left, right)


def _unite(bounds: list[tuple[int, int, int, int]]) -> tuple[slice, slice]:
    kept = [each for each in bounds if each[0] < each[1]]
    if not kept:
        return slice(0, 0), slice(0, 0)
    return (
        slice(min(each[0] for each in kept), max(each[1] for each in kept)),
        slice(min(each[2] for each in kept), max(each[3] for each in kept)),
    )


def measure_fault(
    window: tuple[slice, slice],
    off: np.ndarray,
    coverage: np.ndarray,
    excused: np.ndarray,
    contrast: float,
    sway: int = 0,
) -> float:
    """By how many pixels a text is not what its glyphs say, over what may be; 0 or less where it reads as recorded.

    ``off`` (height, width) is how far the picture is from its backdrop, ``contrast`` how far the text's colour is,
    ``excused`` where other things are drawn. By ``sway`` pixels the letters may be bent, as if written by hand.
    """
    seen, wanted = off[window], coverage[window]
    if contrast < 255:
        core = wanted > CORE
        full = float(np.median(seen[core])) if core.any() else contrast
        seen = np.minimum(seen * (255.0 / max(min(full, contrast), 1.0)), 255.0)
    there, near = seen >= FAINT, wanted >= RIM
    if sway:
        there, near = widen(there, sway), widen(near, sway)
    missing = np.count_nonzero((wanted > CORE) & ~there)
    extra = np.count_nonzero((seen > FULL) & ~near & ~excused[window])
    return missing + extra - SPARE_PIXELS - SPARE_SHARE * np.count_nonzero(wanted > CORE)
