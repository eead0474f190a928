"""Checks of a picture against the SVG that it was painted from: same pixels, labels readable and in the frame."""

from __future__ import annotations

import re
from typing import Any

from renderers.mermaid.protocol import MermaidError
from renderers.mermaid.raster import fit
from tasks.flowchart.drawing.rendering import decode_png, paint
from tasks.flowchart.drawing.vector import Picture, Placed, VectorError, read_vector

_TEXT = re.compile(r"<text .*?</text>", re.S)
_FILL = re.compile(r'(<text [^>]*?)fill="[^"]*"')
_SHAPES = re.compile(r"<(?:rect|circle|ellipse|polygon|polyline|line|path)\b[^>]*/>")
_MARKERS = re.compile(r"<defs>.*?</defs>", re.S)
INK_SHARE = 0.6
"""Of a label's pixels when it is painted alone, at least so many must be seen in the picture."""
_CONTRAST = 40
"""The least difference in brightness (0 to 255) between a letter and what is behind it."""


def check_picture(svg: str, png: bytes, smallest_text: float) -> tuple[list[str], list[str], Picture | None]:
    """(checks passed, reasons against, what the SVG shows)."""
    try:
        picture = read_vector(svg)
        pixels = decode_png(png)
    except VectorError as error:
        return [], [str(error)], None
    except ValueError as error:
        return [], [f"bad_picture: {error}"], None
    size = pixels.shape[0]
    try:
        if pixels.shape[1] != size or paint(svg, size) != png:
            return [], ["picture_differs: the picture is not what its SVG paints"], picture
        reasons = check_labels(svg, picture, pixels, smallest_text)
    except MermaidError as error:
        return [], [f"unpaintable: {error.message}"], picture
    checks = ["picture painted from the SVG"]
    if not reasons:
        checks.append("labels readable, unobstructed and in the frame")
    return checks, reasons, picture


def check_labels(svg: str, picture: Picture, pixels: Any, smallest_text: float) -> list[str]:
    """Reasons why a label cannot be read: outside the frame, too small, on another label, or hidden."""
    size = pixels.shape[0]
    width, height = fit(picture.width, picture.height, size)
    scale = width / picture.width
    reasons = []
    for index, label in enumerate(picture.labels):
        x0, y0, x1, y1 = label.box
        if x0 < -0.5 or y0 < -0.5 or x1 > picture.width + 0.5 or y1 > picture.height + 0.5:
            reasons.append(f"label_outside: {label.text!r} leaves the picture")
        if label.size * scale < smallest_text:
            reasons.append(
                f"text_too_small: {label.size * scale:.1f} px at this size; raise [flowchart] size above {size} or "
                "granulate"
            )
            return reasons
        for other in picture.labels[index + 1 :]:
            if _overlap(label, other) > 0.15:
                reasons.append(f"labels_overlap: {label.text!r} and {other.text!r}")
    return reasons or _find_hidden(svg, picture, pixels, scale, (size - width) // 2, (size - height) // 2)


def _overlap(one: Placed, other: Placed) -> float:
    """The overlap as a share of the smaller box."""
    width = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    height = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(b[2] - b[0]) * (b[3] - b[1]) for b in (one.box, other.box)]
    return width * height / max(min(areas), 1.0)


def _find_hidden(svg: str, picture: Picture, pixels: Any, scale: float, left: int, top: int) -> list[str]:
    """Labels whose ink does not show: painted with and without the text, beside the text alone in black."""
    import numpy as np

    size = pixels.shape[0]
    bare = decode_png(paint(_TEXT.sub("", svg), size)).astype(np.int16)
    ink = decode_png(paint(_keep_text(svg), size)) < 160
    shown = np.abs(pixels - bare) > _CONTRAST
    reasons = []
    for label in picture.labels:
        x0, y0 = int(label.box[0] * scale) + left, int(label.box[1] * scale) + top
        x1, y1 = int(label.box[2] * scale) + left + 1, int(label.box[3] * scale) + top + 1
        window = (slice(max(y0, 0), min(y1, size)), slice(max(x0, 0), min(x1, size)))
        expected = int(ink[window].sum())
        if expected == 0 or int((shown[window] & ink[window]).sum()) < INK_SHARE * expected:
            reasons.append(f"label_hidden: {label.text!r} cannot be read in the picture")
    return reasons


def _keep_text(svg: str) -> str:
    bare = _SHAPES.sub("", _MARKERS.sub("", svg))
    return _FILL.sub(r'\1fill="#000000"', bare)
