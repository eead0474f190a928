"""What lies behind the strokes and texts of a drawing: its paper and its filled regions, as they should look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from counterfoil.renderers.results import Drawing, Face

STANDS_OUT = 64
"""Levels of 255 by which a face differs from what is under it once its rim is seen as a line would be."""


@dataclass(frozen=True)
class Backdrop:
    """``colors`` is one colour (3,) or (1,) for the whole page, or an array (height, width, channels) of uint8 kind;
    ``hatched`` (height, width) says where a pattern may be, None where there is none; ``standing_out`` has the faces
    whose colour differs from what they are painted on as a stroke's would."""

    colors: np.ndarray
    hatched: np.ndarray | None = None
    standing_out: tuple[Face, ...] = ()


def read_color(text: str) -> tuple[int, int, int]:
    """The channels of ``#rrggbb``."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def paint_backdrop(drawing: Drawing) -> Backdrop:
    """The paper with all faces painted over it in their order."""
    paper = np.array(read_color(drawing.paper), np.float32)
    faces = [face for face in drawing.faces if face.alpha > 0 or face.hatched]
    # A face in the paper's colour over nothing but paper changes nothing.
    while faces and not faces[0].hatched and read_color(faces[0].color) == tuple(paper):
        faces.pop(0)
    if not faces:
        return Backdrop(paper)
    colors = np.broadcast_to(paper, (drawing.height, drawing.width, 3)).copy()
    hatched: np.ndarray | None = None
    standing_out: list[Face] = []
    for face in faces:
        inside = fill_face(face, drawing.width, drawing.height)
        if not inside.any():
            continue
        alpha = min(max(face.alpha, 0.0), 1.0)
        before = colors[inside]
        after = (1 - alpha) * before + alpha * np.array(read_color(face.color), np.float32)
        if np.abs(after - before).max(axis=1).mean() >= STANDS_OUT:
            standing_out.append(face)
        colors[inside] = after
        if face.hatched:
            hatched = inside if hatched is None else hatched | inside
        elif hatched is not None and alpha == 1:
            hatched = hatched & ~inside
    return Backdrop(colors, hatched, tuple(standing_out))


def fill_face(face: Face, width: int, height: int) -> np.ndarray:
    """Where a face is, (height, width), to a pixel."""
    inside = np.zeros((height, width), bool)
    for ring in face.rings:
        sheet = Image.new("1", (width, height))
        # Far-away corners are drawn in as far as the painter's integers reach.
        points = [(min(max(x - 0.5, -1e6), 1e6), min(max(y - 0.5, -1e6), 1e6)) for x, y in ring]
        ImageDraw.Draw(sheet).polygon(points, fill=1)
        inside ^= np.asarray(sheet)
    if face.clip is not None:
        x0, y0, x1, y1 = (min(max(v, -1e6), 1e6) for v in face.clip)
        kept = np.zeros_like(inside)
        rows = slice(max(0, round(y0)), max(0, round(y1)))
        columns = slice(max(0, round(x0)), max(0, round(x1)))
        kept[rows, columns] = inside[rows, columns]
        inside = kept
    return inside
