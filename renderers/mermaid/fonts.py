"""The shipped fonts: which characters they have, and how wide a text is when it is painted.

One measure serves the layout engines, our line breaking and the checks: novasvg's own advance walk (ligatures and
kerning included), so that a box is as wide as its text is painted.
"""

from __future__ import annotations

import atexit
import unicodedata
from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).with_name("typefaces")
FAMILY = "DejaVu Sans"
FALLBACK_FAMILY = "Droid Sans Fallback"
ASCENT, DESCENT = 0.928, 0.236
"""DejaVu Sans's, in em."""

_FILES = {
    (FAMILY, False, False): "DejaVuSans.ttf",
    (FAMILY, True, False): "DejaVuSans-Bold.ttf",
    (FAMILY, False, True): "DejaVuSans-Oblique.ttf",
    (FAMILY, True, True): "DejaVuSans-Bold.ttf",
    (FALLBACK_FAMILY, False, False): "DroidSansFallbackFull.ttf",
    (FALLBACK_FAMILY, True, False): "DroidSansFallbackFull.ttf",
    (FALLBACK_FAMILY, False, True): "DroidSansFallbackFull.ttf",
    (FALLBACK_FAMILY, True, True): "DroidSansFallbackFull.ttf",
}


def font_files() -> list[str]:
    """The font files as a rasteriser takes them."""
    return sorted({str(FOLDER / name) for name in _FILES.values()})


@lru_cache(maxsize=1)
def register_fonts() -> None:
    """Make the shipped fonts known to novasvg, once per process."""
    import novasvg.fonts

    for (family, bold, italic), name in _FILES.items():
        if not novasvg.fonts.add_font_face_from_file(family, bold, italic, str(FOLDER / name)):
            raise RuntimeError(f"the font {name} cannot be loaded from {FOLDER}: reinstall counterfoil")


@lru_cache(maxsize=4)
def covered(family: str) -> frozenset[int]:
    """The code points that ``family`` has a glyph for."""
    import novasvg.fonts

    return frozenset(novasvg.fonts.FontFace(str(FOLDER / _FILES[family, False, False])).codepoints())


@lru_cache(maxsize=8)
def _font(family: str, bold: bool, italic: bool):  # type: ignore[no-untyped-def]
    import novasvg.fonts

    return novasvg.fonts.Font(novasvg.fonts.FontFace(str(FOLDER / _FILES[family, bold, italic])), 100.0)


# The font library wants its objects back before it is unloaded.
atexit.register(_font.cache_clear)


@lru_cache(maxsize=65536)
def measure_text(text: str, bold: bool = False, italic: bool = False) -> float:
    """The painted width of one line of ``text`` in em (multiply by the font size)."""
    return sum(_font(family, bold, italic).measure_text(part) for family, part in split_families(text)) / 100.0


def split_families(text: str) -> list[tuple[str, str]]:
    """``text`` as runs of one family each: DejaVu Sans wherever it has the glyph, the fallback elsewhere.

    >>> split_families("a开始")
    [('DejaVu Sans', 'a'), ('Droid Sans Fallback', '开始')]
    """
    if text.isascii():
        return [(FAMILY, text)] if text else []
    main = covered(FAMILY)
    runs: list[tuple[str, str]] = []
    for character in text:
        family = FAMILY if ord(character) in main else FALLBACK_FAMILY
        if runs and runs[-1][0] == family:
            runs[-1] = (family, runs[-1][1] + character)
        else:
            runs.append((family, character))
    return runs


_SHAPED = ("ARABIC", "HEBREW")
_RTL = frozenset({"R", "AL", "RLE", "RLO", "RLI"})


def is_right_to_left(text: str) -> bool:
    """Whether ``text`` needs shaping and reordering (Arabic, Hebrew), which only resvg does."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in _RTL for c in text)


def find_undrawable(text: str) -> str | None:
    """Why ``text`` cannot be drawn right with the shipped fonts, or None.

    Refused: characters with no glyph, scripts that need shaping we do not do, invisible and direction-changing
    characters (two labels that look the same would be told apart by nothing visible).
    """
    if text.isascii():
        bad = next((c for c in text if ord(c) < 32 and c not in "\n\t"), None)
        return f"control character U+{ord(bad):04X}" if bad else None
    main, fallback = covered(FAMILY), covered(FALLBACK_FAMILY)
    for character in text:
        code, category = ord(character), unicodedata.category(character)
        if category in ("Cf", "Co", "Cn", "Cs") or (category == "Cc" and character not in "\n\t"):
            return f"invisible or unassigned character U+{code:04X}"
        if category in ("Mn", "Me", "Mc") and not unicodedata.name(character, "").startswith(_SHAPED):
            return f"combining mark U+{code:04X}: compose it (NFC) or leave it out"
        if code not in main and code not in fallback and character not in "\n\t":
            return f"no glyph for U+{code:04X} {unicodedata.name(character, '')}".rstrip()
    if is_right_to_left(text) and any(f == FALLBACK_FAMILY for f, _ in split_families(text)):
        return "right-to-left text mixed with characters that only the fallback font has"
    return None
