"""Where a figure lies on its page: the map from its own coordinates to pixels, y up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.geometry.drawing.style import SIZE
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import Scene

PADDING = 9.0
"""Pixels that stay free along the picture's edges."""
Margins = tuple[float, float, float, float]
"""Left, bottom, right, top: pixels outside the figure's own box that its texts and marks need."""


@dataclass(frozen=True)
class Page:
    """The map between data coordinates and pixels."""

    x0: float
    y0: float
    scale: float
    """Pixels per data unit."""
    canvas: tuple[int, int] = (SIZE, SIZE)
    """The picture's width and height in pixels."""

    @classmethod
    def fit(cls, scene: Scene, margins: Margins, canvas: tuple[int, int]) -> Page:
        """The page on which the figure is as large as ``margins`` leave room for, with all in the middle."""
        low, high = find_box(scene)
        left, bottom, right, top = margins
        wide, tall = canvas
        width, height = high - low
        scale = min(
            (wide - 2 * PADDING - left - right) / (width or 1e-9),
            (tall - 2 * PADDING - bottom - top) / (height or 1e-9),
        )
        spare = [(wide - scale * width - left - right) / 2 + left, (tall - scale * height - bottom - top) / 2 + bottom]
        return cls(float(low[0]) - spare[0] / scale, float(low[1]) - spare[1] / scale, scale, canvas)

    @property
    def window(self) -> tuple[float, float, float, float]:
        """(x0, y0, width, height) in data coordinates."""
        return (self.x0, self.y0, self.canvas[0] / self.scale, self.canvas[1] / self.scale)

    def to_pixels(self, p: Sequence[float]) -> np.ndarray:
        return np.array([(p[0] - self.x0) * self.scale, (p[1] - self.y0) * self.scale])

    def to_data(self, pixels: Sequence[float] | np.ndarray) -> Point:
        return (float(pixels[0]) / self.scale + self.x0, float(pixels[1]) / self.scale + self.y0)


def find_box(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The lower left and upper right corner of the figure in data coordinates."""
    places = [
        *scene.points.values(),
        *((c[0] + s * c[2], c[1] + s * c[2]) for c in scene.circles.values() for s in (-1, 1)),
    ]
    if scene.axes:
        places += [scene.axes[::2], scene.axes[1::2]]
    return np.min(places, axis=0), np.max(places, axis=0)
