"""Where a picture may be inked: around its recorded strokes, arrowheads, dots and texts."""

from __future__ import annotations

import numpy as np

from counterfoil.renderers.results import Drawing
from counterfoil.tasks.geometry.measuring.lettering import Lettering, draw_texts
from counterfoil.tasks.geometry.measuring.sight import cut_around, cut_box, cut_label, index_pixels, widen
from counterfoil.tasks.geometry.measuring.traces import Samples, Strokes, map_panel, sample, trace_face

SOFT_EDGE = 1.2
"""Pixels beyond a stroke's width over which it fades, and by which it may be snapped to whole pixels."""
MITRE = 4.0
"""Halves of a line's width by which Agg draws out a sharp corner; a sharper one it blunts."""
LARGEST_HEAD = 16.0
"""Pixels around an arrow's ends in which its heads may be."""
LARGEST_DOT = 14.0
"""Pixels of radius in a picture of 512: a larger marker is no dot but a circle that the record does not have."""
LARGEST_FRAME = 14.0
"""Pixels by which a frame around a text may stand off it; a larger one is a figure."""
LARGEST_WOBBLE = 3.0
"""Pixels by which a stroke may sway from its line, as if drawn by hand."""


def measure_wobble(drawing: Drawing) -> float:
    """Pixels by which the strokes of a drawing may sway."""
    return min(max(drawing.wobble, 0.0), LARGEST_WOBBLE)


class Explained:
    """Masks (height, width) of what each kind of thing accounts for.

    ``others`` is all but the texts, ``drawn`` that without the rims of faces, ``lettering`` how the texts should look.

    Raises:
        GlyphError: a recorded glyph cannot be drawn.
    """

    def __init__(self, drawing: Drawing, strokes: Strokes, samples: Samples) -> None:
        self.drawing = drawing
        self.others = np.zeros((drawing.height, drawing.width), bool)
        self._add_strokes(strokes, samples)
        self._add_panels()
        self.drawn = self.others.copy() if drawing.faces else self.others
        for face in drawing.faces:
            # The rim of a face, where its colour mixes with what is beside it.
            self._mark(sample(trace_face(face, drawing)).places, 2)
        self.lettering: Lettering = draw_texts(drawing)

    def unite(self) -> np.ndarray:
        """Everything together, texts with their soft edges."""
        return self.others | widen(self.lettering.coverage > 0, 1)

    def _add_strokes(self, strokes: Strokes, samples: Samples) -> None:
        # Odd reaches only: one pass for all strokes of a usual width.
        reach = 2 * np.ceil((strokes.widths + SOFT_EDGE + measure_wobble(self.drawing) - 1) / 2).astype(int) + 1
        reach = reach[samples.owners]
        for each in set(reach.tolist()):
            self._mark(samples.places[reach == each], each)
        reach = np.ceil(MITRE * strokes.corners[:, 2] + SOFT_EDGE).astype(int)
        for each in set(reach.tolist()):
            self._mark(strokes.corners[reach == each, :2], each)

    def _mark(self, places: np.ndarray, reach: int) -> None:
        """Account for all within ``reach`` pixels of the places."""
        spots = np.zeros_like(self.others)
        spots[index_pixels(places, spots.shape)] = True
        self.others |= widen(spots, reach)

    def _add_panels(self) -> None:
        """Heads of arrows, dots, bars of roots and fractions, frames around texts."""
        drawing = self.drawing
        for panel in drawing.panels:
            ax, bx, ay, by = map_panel(panel)
            for line in panel.polylines:
                if line.head > 0:
                    reach = min(line.head * drawing.dpi / 72, LARGEST_HEAD)
                    for x, y in (line.points[0], line.points[-1]):
                        self.others[cut_around(ax * x + bx, ay * y + by, reach, drawing)] = True
            for dot in panel.dots:
                x, y = ax * dot.position[0] + bx, ay * dot.position[1] + by
                self.others[cut_around(x, y, measure_dot(dot.size, drawing), drawing)] = True
            for label in panel.labels:
                for x0, y0, x1, y1 in label.bars:
                    self.others[cut_box(x0 - 1, y0 - 1, x1 + 1, y1 + 1, drawing)] = True
                if label.frame > 0:
                    self.others[cut_label(label, panel, drawing, min(label.frame, LARGEST_FRAME) + 3)] = True


def measure_dot(size: float, drawing: Drawing) -> float:
    """Pixels from a marker's middle within which its ink lies, its corners and its edge included."""
    largest = LARGEST_DOT * max(1.0, min(drawing.width, drawing.height) / 512)
    return min((0.75 * size + 1) * drawing.dpi / 72 + 1, largest)
