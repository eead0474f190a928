"""Texts of a figure that are crammed, on the ink that matplotlib will give them, told before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from counterfoil.tasks.geometry.drawing.labels import PIXELS_PER_POINT, Text, estimate_extent
from counterfoil.tasks.geometry.letterforms import REACH, Ink, are_crammed

MATH_FONTS = {"serif": "dejavuserif", "sans-serif": "dejavusans", "STIXGeneral": "stix"}
"""The fonts of mathematics that go with those of texts."""
_INKED = 100
"""Levels of 255 from which a pixel is seen to be inked."""
_SPARE = 4.0
"""Pixels by which ink may reach beyond the estimated extent of its text."""


@dataclass(frozen=True)
class Face:
    """What letters are drawn with: matplotlib's family, and whether they slant."""

    family: str
    slanted: bool


def find_limits(texts: Sequence[Text]) -> np.ndarray:
    """How far apart, across and up, the middles of the letters of two texts must be to be told not to be crammed by
    that alone, in pixels (n, n, 2)."""
    sides = np.array([text.extent[:2] for text in texts]).reshape(-1, 2)
    sizes = np.array([text.size for text in texts])
    reach = REACH * np.minimum(sizes[:, None], sizes) * PIXELS_PER_POINT + _SPARE
    limits: np.ndarray = (sides[:, None] + sides) / 2 + reach[..., None]
    return limits


def are_texts_crammed(first: Text, second: Text, faces: tuple[Face, Face], offset: np.ndarray) -> bool:
    """Whether two texts would be crammed, the middle of the second's letters being ``offset`` (x, y up) in pixels from
    that of the first's. Asked of such as are nearer than their limits."""
    inks = [find_ink(text.text, text.size, face) for text, face in zip((first, second), faces, strict=True)]
    # Places count from the middles of the lines, y down.
    rise = first.extent.rise - second.extent.rise
    moved = inks[1].places + np.array([offset[0], -(offset[1] + rise)])
    return are_crammed(inks[0], Ink(moved, inks[1].em))


@lru_cache(maxsize=4096)
def find_ink(text: str, size: float, face: Face) -> Ink:
    """The ink of a text that stands by itself, as matplotlib lays it out, from the middle of its line; none of a text
    that is no mathtext and pretends to be."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height, _ = estimate_extent(text, size)
    em = size * PIXELS_PER_POINT
    wide, high = (2 * int(side + em) for side in (width, height))
    figure = Figure(figsize=(wide / 100, high / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    figure.text(
        0.5,
        0.5,
        text,
        fontsize=size,
        family=face.family,
        style="italic" if face.slanted else "normal",
        math_fontfamily=MATH_FONTS[face.family],
        ha="center",
        va="center",
    )
    try:
        canvas.draw()
    except ValueError:
        return Ink(np.zeros((0, 2)), em)
    levels = np.asarray(canvas.buffer_rgba())[..., 0]
    rows, columns = levels.shape
    return Ink(np.argwhere(255 - levels >= _INKED)[:, ::-1] + 0.5 - (columns / 2, rows / 2), em)
