"""Texts laid out once: for measuring, for drawing, for the record, and for the same text in a child's next figure.

Which glyphs a line of text takes, and where, is asked of the font three times over and depends on nothing but the font,
its size, the resolution and how glyphs are fitted. Runs inside the sandbox; no pixel changes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from matplotlib import font_manager as _font_manager
from matplotlib.backends import backend_agg as _backend_agg

font_manager: Any = _font_manager
backend_agg: Any = _backend_agg
REMEMBERED = 4096


def share_layouts() -> None:
    """Make Agg's renderers measure and draw plain texts by layouts that are remembered."""
    plain_measure = backend_agg.RendererAgg.get_text_width_height_descent
    plain_draw = backend_agg.RendererAgg.draw_text

    def measure(self: Any, line: str, prop: Any, ismath: Any) -> Any:
        if ismath is not False:
            return plain_measure(self, line, prop, ismath)
        return _measure_line(
            _find_font(prop), prop.get_size_in_points(), self.dpi, line, backend_agg.get_hinting_flag()
        )

    def draw(
        self: Any, gc: Any, x: Any, y: Any, line: str, prop: Any, angle: Any, ismath: Any = False, mtext: Any = None
    ) -> None:
        if ismath:
            plain_draw(self, gc, x, y, line, prop, angle, ismath, mtext)
            return
        size = prop.get_size_in_points()
        glyphs = ((i.ft_object, size, i.glyph_index, 0, 1, i.x, i.y) for i in lay_out(line, prop, self.dpi, mtext))
        self._draw_text_glyphs_and_boxes(gc, x, y, angle, glyphs, [])

    backend_agg.RendererAgg.get_text_width_height_descent = measure
    backend_agg.RendererAgg.draw_text = draw


def lay_out(line: str, prop: Any, dpi: float, text: Any) -> tuple[Any, ...]:
    """The glyphs of a plain line in the font of ``prop``; ``text`` is the artist, whose features and language count."""
    features = None if text is None else text.get_fontfeatures()
    language = None if text is None else text.get_language()
    how = (None if features is None else tuple(features), tuple(language) if isinstance(language, list) else language)
    return _lay_out(_find_font(prop), prop.get_size_in_points(), dpi, line, backend_agg.get_hinting_flag(), *how)


def _find_font(prop: Any) -> Any:
    return font_manager.get_font(font_manager.fontManager._find_fonts_by_props(prop))


@lru_cache(REMEMBERED)
def _lay_out(
    font: Any, size: float, dpi: float, line: str, flags: Any, features: tuple[str, ...] | None, language: Any
) -> tuple[Any, ...]:
    font.clear()
    font.set_size(size, dpi)
    return tuple(font._layout(line, flags=flags, features=features, language=language))


@lru_cache(REMEMBERED)
def _measure_line(font: Any, size: float, dpi: float, line: str, flags: Any) -> tuple[float, float, float]:
    """Width, height and descent in pixels."""
    font.clear()
    font.set_size(size, dpi)
    font.set_text(line, 0.0, flags=flags)
    width, height = font.get_width_height()
    return width / 64.0, height / 64.0, font.get_descent() / 64.0
