"""Where two pictures differ: boxes around the changed parts, from the pixels alone."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageChops

Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels; x1 and y1 are outside."""

_THRESHOLD = 48
"""Least difference in any channel (0-255) that counts: above the noise of smoothing, below a thin grey line."""
_CELL = 8
"""Side in pixels of the cells in which changes are joined: strokes of one label make one box."""
_PADDING = 4
_SHIFT = 2
"""Pixels by which a line may move and still count as the same one."""
_MAX_BOXES = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two pictures, in the second one's pixels."""

    width: int
    height: int
    share: float
    """Share of the pixels that differ, 0 to 1."""
    ink_share: float
    """Share of the pixels with ink in either picture that are new or gone: near 1 for a wholly redrawn picture."""
    boxes: tuple[Box, ...]
    """Around the changed parts, from top to bottom; empty where nothing differs."""
    scaled: bool = False
    """The sizes differ: the first picture was scaled to fit the second's frame before comparing."""


def compare_pictures(before: Pillow.Image, after: Pillow.Image) -> Difference:
    """Find the changed parts of ``after``; both are RGB, as `counterfoil.tasks.showing.pictures` opens them."""
    scaled = before.size != after.size
    old = _fit(before, after.size) if scaled else before
    mask = _find_changed(old, after)
    ink = int(np.count_nonzero(_find_ink(old) | _find_ink(after)))
    changed = int(np.count_nonzero(mask))
    moved = _find_new(old, after, mask)  # a line that shifted by a pixel or two is not worth a mark
    marked = moved if moved.any() else mask
    return Difference(
        width=after.width,
        height=after.height,
        share=changed / mask.size,
        ink_share=min(1.0, int(np.count_nonzero(marked)) / max(1, ink)),
        boxes=_enclose(marked) if changed else (),
        scaled=scaled,
    )


def _find_changed(one: Pillow.Image, other: Pillow.Image) -> NDArray[np.bool_]:
    """The pixels where any channel differs by `_THRESHOLD` or more."""
    red, green, blue = ImageChops.difference(one, other).split()
    return np.asarray(ImageChops.lighter(ImageChops.lighter(red, green), blue)) >= _THRESHOLD


def _find_new(one: Pillow.Image, other: Pillow.Image, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the pixels in ``mask`` those whose colour the other picture has nowhere within `_SHIFT` pixels."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return mask
    top, left = max(0, int(rows[0]) - _SHIFT), max(0, int(columns[0]) - _SHIFT)
    bottom, right = int(rows[-1]) + _SHIFT + 1, int(columns[-1]) + _SHIFT + 1
    found = np.zeros_like(mask)
    window = found[top:bottom, left:right]
    for first, second in _pair_channels(
        np.asarray(one)[top:bottom, left:right], np.asarray(other)[top:bottom, left:right]
    ):
        for here, there in ((first, second), (second, first)):
            level = here.astype(np.int16)
            window |= _spread(there, np.minimum) - level >= _THRESHOLD
            window |= level - _spread(there, np.maximum) >= _THRESHOLD
    return found & mask


def _pair_channels(
    one: NDArray[np.uint8], other: NDArray[np.uint8]
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    """The channels of both pictures in pairs; one pair where both are grey, as most line drawings are."""
    grey = all(np.array_equal(each[..., 0], each[..., channel]) for each in (one, other) for channel in (1, 2))
    for channel in range(1 if grey else 3):
        yield np.ascontiguousarray(one[..., channel]), np.ascontiguousarray(other[..., channel])


def _spread(pixels: NDArray[np.uint8], choose: np.ufunc) -> NDArray[np.uint8]:
    """The least or greatest value within `_SHIFT` pixels: first along columns, then along rows."""
    result = pixels
    for axis in (0, 1):
        width = [(_SHIFT, _SHIFT) if each == axis else (0, 0) for each in range(2)]
        padded = np.pad(result, width, mode="edge")
        size = pixels.shape[axis]
        views = [padded[i : i + size] if axis == 0 else padded[:, i : i + size] for i in range(2 * _SHIFT + 1)]
        result = functools.reduce(choose, views)
    return result


def _find_ink(picture: Pillow.Image) -> NDArray[np.bool_]:
    """Pixels that stand out from the background, which is the median colour along the frame."""
    pixels = np.asarray(picture)
    frame = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    red, green, blue = (int(level) for level in np.median(frame, axis=0))
    return _find_changed(picture, Pillow.new("RGB", picture.size, (red, green, blue)))


def _fit(picture: Pillow.Image, size: tuple[int, int]) -> Pillow.Image:
    scale = min(size[0] / picture.width, size[1] / picture.height)
    width, height = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    page = Pillow.new("RGB", size, "white")
    page.paste(
        picture.resize((width, height), Pillow.Resampling.BICUBIC), ((size[0] - width) // 2, (size[1] - height) // 2)
    )
    return page


def _enclose(mask: NDArray[np.bool_]) -> tuple[Box, ...]:
    """Boxes around the groups of changed pixels, padded, never overlapping and at most `_MAX_BOXES`."""
    from scipy import ndimage

    height, width = mask.shape
    rows, columns = -(-height // _CELL), -(-width // _CELL)
    padded = np.zeros((rows * _CELL, columns * _CELL), dtype=bool)
    padded[:height, :width] = mask
    cells = np.any(padded.reshape(rows, _CELL, columns, _CELL), axis=(1, 3))
    labels, _ = ndimage.label(cells, structure=np.ones((3, 3)))
    groups = np.kron(labels, np.ones((_CELL, _CELL), dtype=labels.dtype))[:height, :width] * mask
    boxes: list[Box] = [
        (
            max(0, across.start - _PADDING),
            max(0, down.start - _PADDING),
            min(width, across.stop + _PADDING),
            min(height, down.stop + _PADDING),
        )
        for down, across in ndimage.find_objects(groups)
    ]
    return tuple(sorted(_merge(boxes), key=lambda box: (box[1], box[0])))


def _merge(boxes: list[Box]) -> list[Box]:
    """Join overlapping boxes, then the pairs whose union wastes least, until few enough are left."""
    boxes = list(boxes)
    if len(boxes) > 64:  # noise all over: one frame says as much
        return [_unite_all(boxes)]
    while len(boxes) > 1:
        waste, i, j = min(
            (_measure_waste(boxes[i], boxes[j]), i, j) for i in range(len(boxes)) for j in range(i + 1, len(boxes))
        )
        if waste >= 0 and len(boxes) <= _MAX_BOXES:
            break
        joined = _unite_all([boxes[i], boxes[j]])
        boxes = [box for number, box in enumerate(boxes) if number not in (i, j)] + [joined]
    return boxes


def _measure_waste(one: Box, other: Box) -> int:
    """Pixels that the union adds to the two boxes; negative infinity in effect where they overlap."""
    if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]:
        return -1
    return _measure_area(_unite_all([one, other])) - _measure_area(one) - _measure_area(other)


def _measure_area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _unite_all(boxes: list[Box]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
