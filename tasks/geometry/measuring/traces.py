"""The recorded strokes of a drawing as straight pieces in pixels of the picture (x right, y down), and samples of them.

Arrays rather than shapes: a picture is checked in a few operations, however many strokes it has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.renderers.results import Arc, Drawing, Face, Panel, Polyline

ARC_PIECES = 96
"""Chords of an arc: at 250 pixels of radius they leave it by an eighth of a pixel."""
MARGIN = 2.0
"""Pixels beyond the picture up to which pieces are kept."""
_TURNS = np.linspace(0.0, 1.0, ARC_PIECES + 1)


@dataclass(frozen=True)
class Strokes:
    """The strokes of a drawing.

    ``pieces`` (n, 4) are x0, y0, x1, y1; ``owners`` (n,) says to which of the ``shapes`` each belongs. Of every shape
    ``widths`` has half the line's width in pixels, ``panels`` the panel that it is in, for telling where it is.
    """

    shapes: Sequence[Polyline | Arc]
    panels: Sequence[Panel]
    widths: np.ndarray
    pieces: np.ndarray
    owners: np.ndarray
    corners: np.ndarray
    """(k, 3): x, y and half the width where a closed outline has a corner, which a mitred join sharpens."""


@dataclass(frozen=True)
class Samples:
    """Places along strokes, a pixel apart at most: ``places`` (n, 2), the ``pieces`` (n,) and ``owners`` (n,) they are
    of."""

    places: np.ndarray
    pieces: np.ndarray
    owners: np.ndarray

    def find_span(self, shape: int) -> slice:
        """Where the samples of a shape are: they are in the order of the shapes."""
        return slice(*np.searchsorted(self.owners, (shape, shape + 1)).tolist())


def map_panel(panel: Panel) -> tuple[float, float, float, float]:
    """(ax, bx, ay, by): a point of the panel is at pixel (ax * x + bx, ay * y + by)."""
    left, top, right, bottom = panel.box
    per_x = (right - left) / ((panel.xlim[1] - panel.xlim[0]) or 1.0)
    per_y = (top - bottom) / ((panel.ylim[1] - panel.ylim[0]) or 1.0)
    return per_x, left - per_x * panel.xlim[0], per_y, bottom - per_y * panel.ylim[0]


def trace_strokes(drawing: Drawing) -> Strokes:
    """The strokes of all panels, cut at the edges of the picture."""
    shapes: list[Polyline | Arc] = []
    panels: list[Panel] = []
    pieces: list[np.ndarray] = []
    corners: list[np.ndarray] = []
    per_point = drawing.dpi / 144
    for panel in drawing.panels:
        ax, bx, ay, by = map_panel(panel)
        for line in panel.polylines:
            points = np.array(line.points) * (ax, ay) + (bx, by)
            ring = np.vstack([points, points[:1]]) if line.closed else points
            pieces.append(np.hstack([ring[:-1], ring[1:]]))
            if line.closed:
                corners.append(np.hstack([points, np.full((len(points), 1), line.width * per_point)]))
            shapes.append(line)
        for arc in panel.arcs:
            ring = trace_arc(arc) * (ax, ay) + (bx, by)
            pieces.append(np.hstack([ring[:-1], ring[1:]]))
            shapes.append(arc)
        panels += [panel] * (len(panel.polylines) + len(panel.arcs))
    counts = [len(each) for each in pieces]
    everything = np.vstack(pieces) if pieces else np.empty((0, 4))
    owners = np.repeat(np.arange(len(shapes)), counts)
    widths = np.array([(s.width if isinstance(s, Polyline) else s.line_width) * per_point for s in shapes])
    kept, inside = clip_pieces(everything, (-MARGIN, -MARGIN, drawing.width + MARGIN, drawing.height + MARGIN))
    return Strokes(shapes, panels, widths, kept, owners[inside], np.vstack(corners) if corners else np.empty((0, 3)))


def trace_face(face: Face, drawing: Drawing) -> Strokes:
    """The rim of a face, as if it were stroked."""
    rings = [np.array([*ring, ring[0]]) for ring in face.rings]
    pieces = np.vstack([np.hstack([ring[:-1], ring[1:]]) for ring in rings])
    pieces, _ = clip_pieces(pieces, (0.0, 0.0, drawing.width, drawing.height))
    return Strokes((), (), np.zeros(0), pieces, np.zeros(len(pieces), int), np.empty((0, 3)))


def trace_arc(arc: Arc) -> np.ndarray:
    """Points along an arc in data coordinates (`ARC_PIECES` + 1, 2), as matplotlib draws it: the angles of an ellipse
    are measured on the stretched shape."""
    first, last = arc.theta1, arc.theta2
    wide, high = arc.width / 2, arc.height / 2
    if wide != high and abs(last - first) != 360:
        first, last = _unstretch(first, wide, high), _unstretch(last, wide, high)
    sweep = last - first
    if not 0 < sweep <= 360:
        sweep = sweep % 360 or (360.0 if sweep else 0.0)
    turns = np.radians(first % 360 + _TURNS * sweep)
    x, y = wide * np.cos(turns), high * np.sin(turns)
    c, s = math.cos(math.radians(arc.angle)), math.sin(math.radians(arc.angle))
    return np.column_stack([arc.centre[0] + x * c - y * s, arc.centre[1] + x * s + y * c])


def _unstretch(theta: float, wide: float, high: float) -> float:
    """Where on the circle an angle of the ellipse lies, degrees."""
    turn = math.radians(theta)
    return math.degrees(math.atan2(math.sin(turn) * wide, math.cos(turn) * high)) % 360


def clip_pieces(pieces: np.ndarray, box: tuple[float, float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """The pieces cut at a box (Liang-Barsky), and which of them are left."""
    start, along = pieces[:, :2], pieces[:, 2:] - pieces[:, :2]
    low, high = np.array(box[:2]), np.array(box[2:])
    ends = pieces.reshape(-1, 2)
    if ((ends >= low) & (ends <= high)).all():
        return pieces, np.ones(len(pieces), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        flat = along == 0
        step = np.where(flat, 1.0, along)
        first, last = (low - start) / step, (high - start) / step
        within = (start >= low) & (start <= high)
        enter = np.where(flat, np.where(within, 0.0, 2.0), np.minimum(first, last)).max(axis=1).clip(0.0, None)
        leave = np.where(flat, np.where(within, 1.0, -1.0), np.maximum(first, last)).min(axis=1).clip(None, 1.0)
        inside = enter <= leave
        cut = np.hstack([start + enter[:, None] * along, start + leave[:, None] * along])[inside]
    return np.clip(cut, np.tile(low, 2), np.tile(high, 2)), inside


def sample(strokes: Strokes) -> Samples:
    """Places all along the strokes."""
    start, along = strokes.pieces[:, :2], strokes.pieces[:, 2:] - strokes.pieces[:, :2]
    counts = np.maximum(1, np.ceil(np.hypot(along[:, 0], along[:, 1]))).astype(int)
    which = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    share = (np.arange(len(which)) - before[which] + 0.5) / counts[which]
    return Samples(start[which] + share[:, None] * along[which], which, strokes.owners[which])
