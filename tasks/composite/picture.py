"""Two pictures as one, beside or above each other, in boxes of one size with a grey line between them; and cut apart
again, to the pixel."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np
from PIL import Image as Pillow

from counterfoil.renderers.raster import encode_png

WHITE, GREY = 255, 160
GAP, LINE = 14, 2
"""Pixels between the boxes, and of the line in their middle: two charts above each other would look like one."""
Size = tuple[int, int]
"""Width and height, in pixels."""


def read_pixels(data: bytes) -> np.ndarray:
    """A picture's pixels (height, width, 3), uint8.

    Raises:
        OSError: the bytes are no picture.
    """
    with Pillow.open(BytesIO(data)) as picture:
        return np.asarray(picture.convert("RGB"))


def write_pixels(pixels: np.ndarray) -> bytes:
    """Pixels (height, width, 3), uint8, as PNG in the one form in which pictures are stored."""
    opaque = np.full((*pixels.shape[:2], 4), WHITE, np.uint8)
    opaque[..., :3] = pixels
    return encode_png(opaque)


def join_pictures(halves: Sequence[np.ndarray], beside: bool) -> np.ndarray:
    """Both in boxes of the larger width and height, each in the middle of its own, on white.

    >>> join_pictures([np.zeros((2, 4, 3), np.uint8), np.zeros((4, 2, 3), np.uint8)], beside=True).shape
    (4, 22, 3)
    """
    sizes = [(each.shape[1], each.shape[0]) for each in halves]
    boxes = place_halves(sizes, beside)
    width, height = find_box(sizes)
    shape = (height, 2 * width + GAP, 3) if beside else (2 * height + GAP, width, 3)
    joined = np.full(shape, WHITE, np.uint8)
    line = slice((width if beside else height) + (GAP - LINE) // 2, (width if beside else height) + (GAP + LINE) // 2)
    joined[(slice(None), line) if beside else line] = GREY
    for each, (left, top), (wide, high) in zip(halves, boxes, sizes, strict=True):
        joined[top : top + high, left : left + wide] = each
    return joined


def cut_apart(joined: np.ndarray, sizes: Sequence[Size], beside: bool) -> list[np.ndarray]:
    """The halves of these sizes, as they lie in a picture that `join_pictures` made."""
    boxes = place_halves(sizes, beside)
    return [
        joined[top : top + high, left : left + wide] for (left, top), (wide, high) in zip(boxes, sizes, strict=True)
    ]


def find_box(sizes: Sequence[Size]) -> Size:
    """Width and height of the box in which each half stands."""
    return max(width for width, _ in sizes), max(height for _, height in sizes)


def place_halves(sizes: Sequence[Size], beside: bool) -> list[tuple[int, int]]:
    """Left and top of each half."""
    width, height = find_box(sizes)
    return [
        (
            (width - wide) // 2 + ((width + GAP) * at if beside else 0),
            (height - high) // 2 + (0 if beside else (height + GAP) * at),
        )
        for at, (wide, high) in enumerate(sizes)
    ]
