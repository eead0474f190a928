"""Paint a plain SVG as a square PNG.

novasvg paints; a chart with right-to-left text goes to resvg, which shapes and reorders it. Both see the shipped
fonts alone. Before either, the SVG is checked against the writer's allow-list, because a stored SVG is input too.
"""

from __future__ import annotations

import io
import re
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from counterfoil.renderers.mermaid.fonts import FAMILY, font_files, is_right_to_left, register_fonts
from counterfoil.renderers.mermaid.protocol import MermaidError
from counterfoil.renderers.raster import encode_png

MAX_SVG_BYTES = 4_000_000
MAX_SIZE = 4096

_TAGS = frozenset(
    ("svg", "defs", "marker", "g", "path", "rect", "circle", "ellipse", "polygon", "polyline", "line", "text", "tspan")
)
_ATTRIBUTES = frozenset(
    {
        "width",
        "height",
        "viewBox",
        "font-family",
        "font-size",
        "font-weight",
        "font-style",
        "id",
        "class",
        "transform",
        "d",
        "x",
        "y",
        "rx",
        "ry",
        "cx",
        "cy",
        "r",
        "x1",
        "y1",
        "x2",
        "y2",
        "points",
        "fill",
        "fill-opacity",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "text-anchor",
        "marker-start",
        "marker-end",
        "refX",
        "refY",
        "markerWidth",
        "markerHeight",
        "markerUnits",
        "orient",
        "data-arrow",
    }
)
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_LOCAL_MARKER = re.compile(r"url\(#(?:point|circle|cross)\)")


def check_svg(svg: str) -> ElementTree.Element:
    """The parsed SVG, if it is one that the writer could have written.

    Raises:
        MermaidError: ``too_large`` or ``refused`` (an entity, a foreign element or attribute, an address).
    """
    if len(svg) > MAX_SVG_BYTES:
        raise MermaidError("too_large", f"the SVG is over {MAX_SVG_BYTES} characters")
    if "<!" in svg or "<?" in svg:
        raise MermaidError("refused", "the SVG has a declaration or an instruction")
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise MermaidError("refused", f"the SVG is not well-formed: {error}") from error
    for element in root.iter():
        tag = element.tag.removeprefix(_NAMESPACE)
        if tag not in _TAGS:
            raise MermaidError("refused", f"the SVG has <{tag}>")
        for key, value in element.attrib.items():
            if key not in _ATTRIBUTES:
                raise MermaidError("refused", f"the SVG has the attribute {key!r}")
            if "(" in value and "url" in value.lower() and not _LOCAL_MARKER.fullmatch(value):
                raise MermaidError("refused", f"the SVG refers to {value[:60]!r}")
    return root


def paint_png(svg: str, size: int) -> bytes:
    """``svg`` scaled to fit ``size`` x ``size`` pixels, centred on white, as an RGB PNG with fixed bytes.

    Raises:
        MermaidError: ``refused``, ``too_large`` or ``engine``.
    """
    return encode_png(paint_pixels(svg, size))


def paint_pixels(svg: str, size: int) -> Any:
    """The picture as a uint8 array (size, size, 3)."""
    return _letterbox(_paint_fitted(svg, size), size, 255)


@lru_cache(maxsize=2)
def _paint_fitted(svg: str, size: int) -> Any:
    """The picture without what it is centred on, uint8 (height, width, 3), not to be written to; the last are kept."""
    if not 8 <= size <= MAX_SIZE:
        raise MermaidError("too_large", f"the picture's size must be 8 to {MAX_SIZE} pixels, not {size}")
    check_svg(svg)
    pixels = _paint_shaped(svg, size) if is_right_to_left(svg) else _paint_plain(svg, size)
    return pixels[:size, :size]


_TEXT = re.compile(r"<text .*?</text>", re.S)
_FILL = re.compile(r'(<text [^>]*?)fill="[^"]*"')
_SHAPES = re.compile(r"<(?:rect|circle|ellipse|polygon|polyline|line|path)\b[^>]*/>")
_MARKERS = re.compile(r"<defs>.*?</defs>", re.S)
_INKED = 160
"""Brightness (0 to 255) under which a letter painted black on white has inked a pixel."""
_CONTRAST = 40
"""The least difference in brightness between a letter and what is behind it."""


def pack_letters(svg: str, size: int) -> bytes:
    """See `counterfoil.renderers.mermaid.protocol.Mermaid.letter`.

    Raises:
        MermaidError: see `paint_pixels`.
    """
    import numpy as np

    alone = _FILL.sub(r'\1fill="#000000"', _SHAPES.sub("", _MARKERS.sub("", svg)))
    inked = _paint_fitted(alone, size)[..., 1] < _INKED
    shown, bare = (_shade(_paint_fitted(each, size)[inked]) for each in (svg, _TEXT.sub("", svg)))
    seen = inked.copy()
    seen[inked] = np.abs(shown - bare) > _CONTRAST
    return b"".join(np.packbits(_letterbox(each, size, False)).tobytes() for each in (inked, seen))


def _shade(pixels: Any) -> Any:
    """Brightness (n, int32) of RGB pixels (n, 3), by the weights of Rec. 601 in 256ths."""
    return (pixels @ [77, 150, 29]) >> 8


def fit(width: float, height: float, size: int) -> tuple[int, int]:
    """Pixels that a chart of ``width`` x ``height`` fills in a ``size`` square."""
    scale = size / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _paint_plain(svg: str, size: int) -> Any:
    import novasvg
    import numpy as np
    from PIL import Image

    register_fonts()
    try:
        document = novasvg.Document.load_from_data(svg)
    except (ValueError, RuntimeError) as error:
        raise MermaidError("engine", f"novasvg: {error}") from error
    width, height = fit(document.width, document.height, size)
    pixels = np.ascontiguousarray(document.render_to_bitmap(width, height, 0xFFFFFFFF).numpy())
    # Premultiplied BGRA over opaque white: the colour channels are final. Pillow turns them round fastest.
    shape = (pixels.shape[1], pixels.shape[0])
    return np.asarray(Image.frombuffer("RGB", shape, pixels, "raw", "BGRX", 0, 1))


def _paint_shaped(svg: str, size: int) -> Any:
    import numpy as np
    import resvg_py
    from PIL import Image

    match = re.match(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
    if not match:
        raise MermaidError("refused", "the SVG does not say its size")
    width, height = fit(float(match.group(1)), float(match.group(2)), size)
    try:
        png = resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            height=height,
            background="white",
            font_files=font_files(),
            skip_system_fonts=True,
            font_family=FAMILY,
        )
    except ValueError as error:
        raise MermaidError("engine", f"resvg: {error}") from error
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def _letterbox(pixels: Any, size: int, background: int) -> Any:
    import numpy as np

    canvas = np.full((size, size, *pixels.shape[2:]), background, pixels.dtype)
    height, width = pixels.shape[:2]
    top, left = (size - height) // 2, (size - width) // 2
    canvas[top : top + height, left : left + width] = pixels
    return canvas
