"""A picture against what should lie behind its strokes, and the pixel arithmetic that its checks share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterfoil.renderers.raster import max_channels
from counterfoil.renderers.results import Drawing, Label, Panel
from counterfoil.tasks.geometry.measuring.backdrop import Backdrop
from counterfoil.tasks.geometry.measuring.traces import map_panel

INK = 64
"""Levels of 255 by which a pixel differs from its backdrop once a stroke or a text is there: a quarter of black."""
TRACE = 24
"""Levels from which a pixel shows that something is there at all, be it faint."""
Window = tuple[slice, slice]
"""Rows and columns of a picture."""


@dataclass(frozen=True)
class Sight:
    """A picture seen against its backdrop.

    ``off`` (height, width) is by how many levels of 255 each pixel differs, ``ink`` where something stands out,
    ``trace`` where anything at all does; ``values`` are the pixels (height, width, channels).
    """

    values: np.ndarray
    off: np.ndarray
    ink: np.ndarray
    trace: np.ndarray
    backdrop: Backdrop


def look(pixels: np.ndarray, backdrop: Backdrop) -> Sight:
    """Tell the ink of a picture, (height, width) or (height, width, 3), from its backdrop."""
    colors = backdrop.colors
    if pixels.ndim == 2 and colors.ndim == 1 and colors[0] == colors[1] == colors[2]:
        off = 255 - pixels if colors[0] == 255 else np.abs(pixels.astype(np.int16) - int(colors[0]))
        return Sight(pixels[..., None], off, off >= INK, off >= TRACE, backdrop)
    values = np.repeat(pixels[..., None], 3, axis=2) if pixels.ndim == 2 else pixels
    off = max_channels(np.abs(values.astype(np.float32) - colors))
    return Sight(values, off, off >= INK, off >= TRACE, backdrop)


def index_pixels(places: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The rows and columns of the pixels that places (n, 2) are in; the nearest ones where they are outside."""
    rows = np.clip(places[:, 1], 0, shape[0] - 1).astype(np.intp)
    return rows, np.clip(places[:, 0], 0, shape[1] - 1).astype(np.intp)


def cut_box(x0: float, y0: float, x1: float, y1: float, drawing: Drawing) -> Window:
    """The pixels of a box, cut at the edges of the picture."""
    high, wide = drawing.height, drawing.width
    rows = slice(int(min(max(y0, 0), high)), int(min(max(y1 + 1, 0), high)))
    return rows, slice(int(min(max(x0, 0), wide)), int(min(max(x1 + 1, 0), wide)))


def cut_around(x: float, y: float, reach: float, drawing: Drawing) -> Window:
    """The square of pixels around a place."""
    return cut_box(x - reach, y - reach, x + reach, y + reach, drawing)


def cut_label(label: Label, panel: Panel, drawing: Drawing, spare: float) -> Window:
    """The pixels of a text's box and ``spare`` more on every side."""
    ax, bx, ay, by = map_panel(panel)
    x0, x1 = sorted((ax * label.box[0] + bx, ax * label.box[2] + bx))
    y0, y1 = sorted((ay * label.box[1] + by, ay * label.box[3] + by))
    return cut_box(x0 - spare, y0 - spare, x1 + spare, y1 + spare, drawing)


def find_middle(label: Label, panel: Panel) -> tuple[float, float]:
    """The pixel at the middle of a text's box."""
    ax, bx, ay, by = map_panel(panel)
    return ax * (label.box[0] + label.box[2]) / 2 + bx, ay * (label.box[1] + label.box[3]) / 2 + by


def widen(mask: np.ndarray, reach: int) -> np.ndarray:
    """All pixels within ``reach`` rows and columns of a set one."""
    high, wide = mask.shape
    spread = np.zeros((high + 2 * reach, wide + 2 * reach), bool)
    spread[reach : reach + high, reach : reach + wide] = mask
    for axis in (0, 1):
        # Each step unites twice as many neighbours, up to a window of 2 * reach + 1.
        done = 1
        while done < 2 * reach + 1:
            step = min(done, 2 * reach + 1 - done)
            spread = spread[step:] | spread[:-step] if axis == 0 else spread[:, step:] | spread[:, :-step]
            done += step
    return spread
