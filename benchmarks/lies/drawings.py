"""What lies about drawings have in common: the SVG changed and painted anew, or pixels changed alone."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.renderers.mermaid.protocol import MermaidError
from counterfoil.renderers.raster import encode_png

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]
Paint = Callable[[str, int], bytes]
"""An SVG and the side of its picture, to PNG."""


def measure_side(row: Row) -> int:
    """The side of the stored picture, in pixels."""
    with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
        return int(picture.size[0])


def repaint(row: Row, svg: str, paint: Paint) -> Row | None:
    """The row with another SVG and the picture that it paints; None where it is the same, or cannot be painted."""
    if svg == row["vector"]:
        return None
    try:
        png = paint(svg, measure_side(row))
    except (MermaidError, ValueError):
        return None
    return {**row, "vector": svg, "image": {**row["image"], "bytes": png}}


def redraw(change: Callable[[str, random.Random], str | None], paint: Paint) -> Kind:
    """A kind that changes the SVG of any row with one, and the picture with it."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        svg = change(row["vector"], rng) if row["vector"] and row["image"] else None
        return None if svg is None else repaint(row, svg, paint)

    return lie


def put_before(mark: str, ink: str) -> Callable[[str, random.Random], str | None]:
    """A change that puts ``ink`` before the last ``mark`` of an SVG."""

    def change(svg: str, _: random.Random) -> str | None:
        head, found, tail = svg.rpartition(mark)
        return head + ink + found + tail if found else None

    return change


def replace_one(pattern: str, new: str) -> Callable[[str, random.Random], str | None]:
    """A change of one place of an SVG that fits the pattern."""

    def change(svg: str, rng: random.Random) -> str | None:
        places = list(re.finditer(pattern, svg, re.S))
        if not places:
            return None
        place = rng.choice(places)
        return svg[: place.start()] + place.expand(new) + svg[place.end() :]

    return change


def touch_pixels(change: Callable[[np.ndarray, random.Random], np.ndarray]) -> Kind:
    """A kind that changes the pixels (side, side, 3) of the picture alone."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if not row["vector"] or not row["image"]:
            return None
        with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
            pixels = np.array(picture.convert("RGB"))
        opaque = np.full((*pixels.shape[:2], 4), 255, np.uint8)
        opaque[..., :3] = change(pixels, rng)
        return {**row, "image": {**row["image"], "bytes": encode_png(opaque)}}

    return lie


def draw_line(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A dark line across."""
    at = rng.randrange(len(pixels) // 4, 3 * len(pixels) // 4)
    pixels[at : at + 2, len(pixels) // 4 : 3 * len(pixels) // 4] = 40
    return pixels


def wipe_patch(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """A white patch over the middle of what is drawn."""
    ys, xs = np.nonzero((pixels < 250).any(axis=-1))
    y, x = int(np.median(ys)), int(np.median(xs))
    pixels[max(y - 20, 0) : y + 20, max(x - 20, 0) : x + 20] = 255
    return pixels


def recolour(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """Red and blue exchanged."""
    return pixels[..., ::-1]


def dim(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """One grey level less everywhere."""
    return np.where(pixels > 0, pixels - 1, pixels).astype(np.uint8)


def borrow(*columns: str) -> Kind:
    """A kind that takes the columns of another row."""

    def lie(row: Row, _: random.Random) -> Row | None:
        other = row["other"]
        if other is None or any(not other.get(name) or not row.get(name) for name in columns):
            return None
        if "vector" in columns and not row["vector"]:
            return None
        return {**row, **{name: other[name] for name in columns}}

    return lie


def only(table: str, kind: Kind) -> Kind:
    """The kind for rows of one table."""
    return lambda row, rng: kind(row, rng) if row["table"] == table else None


PIXELS: dict[str, Kind] = {
    "line in the pixels alone": touch_pixels(draw_line),
    "patch of the pixels wiped": touch_pixels(wipe_patch),
    "pixels recoloured": touch_pixels(recolour),
    "pixels one level darker": touch_pixels(dim),
}
