"""What a figure is painted on: its paper, its filled regions in the order of painting, and whether its axes show.

Strokes and texts are recorded by `recorder`; this is what lies behind, or over, them. Runs inside the sandbox.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colors as mcolors
from matplotlib import patches as mpatches

from counterfoil.renderers.sandbox.outlines import flatten

BEHIND = float("-inf")
"""The order of an Axes' own background: before all that it holds."""
VISIBLE = 0.25
"""Share of the way from the paper's colour from which an edge or a face is seen as an outline of its own."""
Order = tuple[float, float, int]


class Paint:
    """The faces of one figure."""

    def __init__(self, figure: Any, renderer: Any) -> None:
        self.height = int(renderer.height)
        self.paper = _lay_over_white(figure.patch)
        self.wobble = 0.0
        self._faces: list[tuple[Order, list[Any]]] = []

    def note_wobble(self, artist: Any) -> None:
        """Keep how far the strokes of an artist sway."""
        sketch = artist.get_sketch_params()
        if sketch is not None and sketch[0]:
            self.wobble = max(self.wobble, float(sketch[0]))

    def add(self, path: Any, to_pixels: Any, rgba: Any, order: tuple[float, float], clip: Any, hatched: bool) -> None:
        """Keep the inside of ``path`` as painted in ``rgba``; ``clip`` is a box in pixels, y up, or None."""
        rings = []
        for part, _ in flatten(path, to_pixels):
            part = part[np.isfinite(part).all(axis=1)]
            if len(part) > 2:
                rings.append(np.column_stack([part[:, 0], self.height - part[:, 1]]).round(3).tolist())
        if rings:
            box = None if clip is None else [clip[0], self.height - clip[3], clip[2], self.height - clip[1]]
            face = [rings, str(mcolors.to_hex(rgba[:3])), float(rgba[3]), box, hatched]
            self._faces.append(((*order, len(self._faces)), face))

    def add_patch(self, patch: Any, order: tuple[float, float], clip: Any = None) -> None:
        """Keep a patch's inside, where it has one."""
        rgba, hatched = patch.get_facecolor(), bool(patch.get_hatch())
        if isinstance(patch, mpatches.Arc) or not ((patch.get_fill() and rgba[3] > 0) or hatched):
            return
        if not patch.get_fill():
            rgba = (1.0, 1.0, 1.0, 0.0)
        self.add(patch.get_path(), patch.get_transform(), rgba, order, clip, hatched)

    @property
    def faces(self) -> list[Any]:
        """The faces as JSON has them, in the order of painting."""
        return [face for _, face in sorted(self._faces, key=lambda entry: entry[0])]


def _lay_over_white(patch: Any) -> tuple[float, float, float]:
    """The colour of a patch on a white page, white where it is not drawn."""
    if not patch.get_visible() or not patch.get_fill():
        return (1.0, 1.0, 1.0)
    red, green, blue, alpha = patch.get_facecolor()
    return (red * alpha + 1 - alpha, green * alpha + 1 - alpha, blue * alpha + 1 - alpha)


def stands_out(rgba: Any, paper: tuple[float, float, float]) -> bool:
    """Whether a colour is seen on the paper as an outline would have to be."""
    return float(rgba[3]) * max(abs(float(c) - p) for c, p in zip(rgba[:3], paper, strict=True)) >= VISIBLE


def has_background(axes: Any) -> bool:
    """Whether an Axes paints its own rectangle, as matplotlib decides it."""
    return bool(axes.axison and axes._frameon and axes.patch.get_visible())


def shows_axes(axes: Any) -> bool:
    """Whether a viewer sees an Axes' frame, ticks, grid or tick labels. A spine moved into the picture is a line."""
    if not axes.axison:
        return False
    if axes._frameon and any(_is_drawn(spine) and not is_moved(spine) for spine in axes.spines.values()):
        return True
    return any(_shows_ticks(axis) for axis in axes._axis_map.values() if axis.get_visible())


def is_moved(spine: Any) -> bool:
    """Whether a spine was moved from the border; a colour bar's outline has no position."""
    return spine.spine_type in ("left", "right", "bottom", "top") and spine.get_position() != ("outward", 0.0)


def _is_drawn(patch: Any) -> bool:
    return bool(patch.get_visible() and patch.get_linewidth() > 0 and patch.get_edgecolor()[3] > 0)


def _shows_ticks(axis: Any) -> bool:
    return any(_shows_tick(tick) for tick in axis._update_ticks())


def _shows_tick(tick: Any) -> bool:
    lines = (tick.tick1line, tick.tick2line)
    if any(line.get_visible() and line.get_markersize() > 0 and line.get_alpha() != 0 for line in lines):
        return True
    if tick.gridline.get_visible() and tick.gridline.get_linewidth() > 0:
        return True
    return any(label.get_visible() and label.get_text().strip() for label in (tick.label1, tick.label2))
