"""Which glyphs a text was drawn with, and where: the claim that the trusted side checks against pixels and text.

Runs inside the sandbox, on the very layouts that the draw has worked out.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.text import Text

from counterfoil.renderers.sandbox.shaping import lay_out

MAX_GLYPHS = 400
"""Glyphs of one text that are recorded; a longer one is no label."""


def list_glyphs(text: Any, layout: Any, place: Any, renderer: Any) -> tuple[list[Any], list[Any]]:
    """The glyphs of a text, line by line, each (font file, size, character, index, x, y) with x and y the pixels (y
    down) of its origin; and its bars (roots, fractions) as boxes in pixels."""
    angle = math.radians(text.get_rotation())
    cos, sin = math.cos(angle), math.sin(angle)
    lines: list[Any] = []
    bars: list[Any] = []
    for line, _, (x, y) in layout[1]:
        clean, is_math = text._preprocess_math(line)
        x0, y0 = x + place[0], renderer.height - (y + place[1])
        glyphs, boxes = _shape(text, clean, is_math, renderer)
        lines.append(
            [
                [name, size, char, index, round(x0 + dx * cos - dy * sin, 4), round(y0 - dx * sin - dy * cos, 4)]
                for name, size, char, index, dx, dy in glyphs[:MAX_GLYPHS]
                if char.strip()
            ]
        )
        for dx, dy, width, height in boxes[:MAX_GLYPHS]:
            corners = [(dx + i * width, dy + j * height) for i in (0, 1) for j in (0, 1)]
            xs = [x0 + a * cos - b * sin for a, b in corners]
            ys = [y0 - a * sin - b * cos for a, b in corners]
            bars.append([min(xs), min(ys), max(xs), max(ys)])
    return lines, bars


def _shape(text: Any, line: str, is_math: Any, renderer: Any) -> tuple[list[Any], list[Any]]:
    """The glyphs of one line with their offsets from its origin, y up, and its bars."""
    prop = text.get_fontproperties()
    size = float(prop.get_size_in_points())
    if is_math == "TeX" or not line:
        return [], []
    if is_math:
        parse = renderer.mathtext_parser.parse(line, renderer.dpi, prop, antialiased=text.get_antialiased())
        glyphs = [
            (_name(font), float(font_size), chr(code), int(index), float(dx), float(dy))
            for font, font_size, code, index, dx, dy in parse.glyphs
        ]
        return glyphs, [tuple(map(float, rect)) for rect in parse.rects]
    return [
        (_name(item.ft_object), size, item.char, int(item.glyph_index), float(item.x), float(item.y))
        for item in lay_out(line, prop, renderer.dpi, text)
    ], []


@cache
def _name(font: Any) -> str:
    path = font.fname
    return Path(str(getattr(path, "path", path))).name


def find_layout(text: Any, renderer: Any) -> Any:
    """How a text was laid out when it was drawn."""
    layout = getattr(text, "last_layout", None)
    return Text._get_layout(text, renderer) if layout is None else layout  # type: ignore[attr-defined]


def find_box(text: Any, place: Any, renderer: Any) -> Any:
    """The text's own box in pixels, without an annotation's arrow."""
    return find_layout(text, renderer)[0].translated(*place)
