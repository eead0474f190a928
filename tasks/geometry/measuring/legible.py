"""Whether letters and numbers can still be read once a picture is reduced to the size at which a model sees it."""

from __future__ import annotations

import re

import numpy as np
from PIL import Image

from counterfoil.renderers.results import Drawing, Label
from counterfoil.tasks.geometry.measuring.pixels import decode_grey
from counterfoil.tasks.geometry.measuring.traces import map_panel

LEAST_HEIGHT = 8
"""Pixels that a capital or a digit must be high: 1/28 of a side of 224, 1/42 of one of 336."""
SMALL_SHARE = 0.68
"""How high a small letter without a stem (``x``) is as a share of a capital."""
CONTRAST = 80
"""Levels of 255 by which its strokes must stand out; less is a grey that a model takes for noise."""
_STEMMED = re.compile(r"[A-Zbdfhklt0-9Δ∠βδθ]")


def find_illegible(drawing: Drawing, png: bytes, legible_at: int) -> str | None:
    """The first text that is too small or too faint with the picture's longer side reduced to ``legible_at`` pixels, in
    words, or None.

    Raises:
        counterfoil.tasks.geometry.measuring.pixels.PictureError: the bytes are no picture.
    """
    grey = decode_grey(png)
    reduction = min(1.0, legible_at / max(grey.shape))
    size = (round(grey.shape[1] * reduction), round(grey.shape[0] * reduction))
    reduced = np.asarray(Image.fromarray(grey).resize(size, Image.Resampling.BOX), np.int16)
    paper = int(np.median(reduced[:: max(1, size[1] // 64)]))
    inked = np.abs(reduced - paper) >= CONTRAST
    for panel in drawing.panels:
        ax, bx, ay, by = map_panel(panel)
        for label in panel.labels:
            if not re.search(r"\w", label.text) or label.rotation % 180:
                continue
            xs = sorted(reduction * (ax * x + bx) for x in (label.box[0], label.box[2]))
            ys = sorted(reduction * (ay * y + by) for y in (label.box[1], label.box[3]))
            window = inked[_cut(ys, size[1]), _cut(xs, size[0])]
            height = int(np.ptp(rows)) + 1 if len(rows := np.flatnonzero(window.any(axis=1))) else 0
            if height < _find_least(label):
                return f"the text {label.text!r} is {height} pixels high where the picture is {legible_at} wide"
    return None


def _find_least(label: Label) -> float:
    # A stroke's edge may fall between two pixels.
    stemmed = _STEMMED.search(re.sub(r"\\[a-z]+", "", label.text)) is not None
    return LEAST_HEIGHT - 1 if stemmed else SMALL_SHARE * LEAST_HEIGHT - 1


def _cut(ends: list[float], most: int) -> slice:
    return slice(max(0, int(ends[0])), min(most, int(ends[1]) + 1))
