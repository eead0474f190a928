"""What single artists of matplotlib look like: colours, styles, ends, the items of a collection. Runs inside the
sandbox, for `recorder`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib import collections as mcollections
from matplotlib import colors as mcolors
from matplotlib import patches as mpatches
from matplotlib.markers import MarkerStyle

from counterfoil.renderers.sandbox.outlines import IDENTITY, place_item

DASHES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-.", "-": "-", "--": "--", ":": ":", "-.": "-."}
INVISIBLE_LINES = {"None", "none", " ", "", None}
MARKERS = ".,ov^<>12348spP*hH+xXDd|_"
"""Markers of matplotlib that are seen as dots; a text and any other path are none."""
NOTHING = (0.0, 0.0, 0.0, 0.0)


class Look(NamedTuple):
    """How a shape is drawn: as the record's rows have it after the shape itself."""

    filled: bool
    style: str
    color: Any
    width: Any
    gid: str
    head: float = 0.0

    def list_fields(self) -> list[Any]:
        """The fields as JSON has them, ``head`` apart."""
        return [self.filled, self.style, to_hex(self.color), to_number(self.width), self.gid]


class Item(NamedTuple):
    """One item of a collection: its path, the transform to pixels, its colours (RGBA), line width and style."""

    path: Any
    to_pixels: Any
    face: Any
    edge: Any
    width: float
    style: str


def list_items(collection: Any) -> Iterator[Item]:
    """The items of a collection of paths that have any colour."""
    faces, edges, widths = collection.get_facecolor(), collection.get_edgecolor(), collection.get_linewidth()
    lined = isinstance(collection, mcollections.LineCollection)
    transform, paths, scales = collection.get_transform(), collection.get_paths(), collection.get_transforms()
    moved = _offset_pixels(collection)
    for index in range(max(len(paths), len(moved)) if len(paths) else 0):
        face = faces[index % len(faces)] if len(faces) and not lined else NOTHING
        edge = edges[index % len(edges)] if len(edges) else NOTHING
        width = widths[index % len(widths)] if len(widths) else 1.0
        path, to_pixels = paths[index % len(paths)], transform
        if len(scales) or len(moved):
            path, to_pixels = place_item(path, scales, transform, moved, index), IDENTITY
        if face[3] > 0 or edge[3] > 0:
            yield Item(path, to_pixels, face, edge if width > 0 else NOTHING, width, _find_style(collection, index))


def _offset_pixels(collection: Any) -> np.ndarray:
    """The offsets of a collection's items in pixels; none where all are (0, 0) pixels."""
    offsets: Any = np.ma.filled(np.ma.asarray(collection.get_offsets(), float), np.nan).reshape(-1, 2)
    moved = collection.get_offset_transform().transform(offsets)
    if not np.any(moved):
        return np.empty((0, 2))
    return moved if np.isfinite(moved).any() else np.empty((0, 2))


def _find_style(collection: Any, index: int) -> str:
    """The line style of one item: collections keep (offset, dashes), dashes None for solid."""
    styles = collection.get_linestyle()
    return "-" if not styles or styles[index % len(styles)][1] is None else "--"


def name_marker(path: Any) -> str:
    """The name of the marker whose outline a path is; ``path`` for any other, such as that of a text."""
    return _list_markers().get(_digest(path), "path")


@cache
def _list_markers() -> dict[bytes, str]:
    styles = {name: MarkerStyle(name) for name in MARKERS}
    return {_digest(style.get_path().transformed(style.get_transform())): name for name, style in styles.items()}


def _digest(path: Any) -> bytes:
    return bytes(np.asarray(path.vertices, float).round(6).tobytes())


def find_arrow_ends(patch: Any) -> tuple[Any, Any]:
    """Where an arrow starts and ends, in pixels."""
    if isinstance(patch, mpatches.ConnectionPatch):
        place: Any = patch._get_xy  # type: ignore[attr-defined]
        return place(patch.xy1, patch.coords1, patch.axesA), place(patch.xy2, patch.coords2, patch.axesB)
    start, end = patch._posA_posB
    transform = patch.get_transform()
    return transform.transform(patch._convert_xy_units(start)), transform.transform(patch._convert_xy_units(end))


def is_clipped(artist: Any) -> bool:
    """Whether an artist ends at the border of its Axes."""
    return bool(artist.get_clip_on() and (artist.get_clip_box() is not None or artist.get_clip_path() is not None))


def is_seen(color: Any) -> bool:
    """Whether a colour is not wholly transparent."""
    return bool(mcolors.to_rgba(color)[3] > 0)


def to_hex(color: Any) -> str:
    """``#rrggbb``."""
    return str(mcolors.to_hex(color))


def to_number(value: Any) -> float:
    """A finite number, 0 in place of another."""
    number = float(value)
    return number if math.isfinite(number) else 0.0
