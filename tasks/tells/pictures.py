"""What can be told of a picture without its text: simple statistics of the file and of its pixels.

Nothing here knows what a picture shows: ink is what differs from the colour of most of the border, and everything is a
count, a share or a moment of ink, edges, colours and connected parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np
import scipy
from PIL import Image as Pillow

from counterfoil.storage.pictures import flatten

LARGEST = 336
"""Longer sides are scaled down to this, the size that encoders see; the sizes themselves are measured before."""
THUMBNAIL = 96
"""Side of the grey square that the pixel model sees."""
_INK = 24
"""Difference from the background, of 255, from which a pixel is ink."""
_DIRECTIONS = 12
_CELLS = 4
_EIGHT = np.ones((3, 3), dtype=bool)


@dataclass(frozen=True)
class Seen:
    """One picture, measured."""

    numbers: np.ndarray
    """``float64``, one for each name of `list_names`."""
    thumbnail: np.ndarray
    """``uint8`` of shape (``THUMBNAIL``, ``THUMBNAIL``): the whole picture in grey, squeezed to a square."""


def list_names() -> tuple[str, ...]:
    """What `see_picture` measures, in order."""
    sink = BytesIO()
    Pillow.new("RGB", (8, 8)).save(sink, "PNG")
    return tuple(_measure_picture(sink.getvalue())[0])


def see_picture(content: bytes) -> Seen:
    """Measure an encoded picture.

    Raises:
        OSError, ValueError: the bytes are no picture that Pillow reads.
    """
    numbers, grey = _measure_picture(content)
    thumbnail = Pillow.fromarray(grey).resize((THUMBNAIL, THUMBNAIL), Pillow.Resampling.BOX)
    return Seen(np.array(list(numbers.values()), dtype=np.float64), np.asarray(thumbnail, dtype=np.uint8))


def _measure_picture(content: bytes) -> tuple[dict[str, float], np.ndarray]:
    with Pillow.open(BytesIO(content)) as opened:
        bands, packed = len(opened.getbands()), opened.mode in ("P", "1")
        picture = flatten(opened)
    width, height = picture.size
    numbers = {
        "file: bytes, log": float(np.log(len(content))),
        "file: bytes per pixel": len(content) / (width * height),
        "file: bands": float(bands),
        "file: palette": float(packed),
        "width": float(width),
        "height": float(height),
        "width over height": width / height,
    }
    if max(width, height) > LARGEST:
        picture.thumbnail((LARGEST, LARGEST), Pillow.Resampling.BOX)
    colours = np.ascontiguousarray(np.moveaxis(np.asarray(picture, dtype=np.int16), 2, 0))
    grey = np.asarray(picture.convert("L"), dtype=np.int16)
    apart = np.abs(colours - _find_background(colours)[:, None, None])
    ink = np.maximum(np.maximum(apart[0], apart[1]), apart[2])
    mask = ink >= _INK
    numbers |= _measure_ink(ink, mask)
    numbers |= _measure_place(mask)
    numbers |= _measure_parts(mask)
    numbers |= _measure_strokes(mask)
    numbers |= _measure_edges(grey)
    numbers |= _measure_colours(colours, mask)
    return numbers, grey.astype(np.uint8)


def _find_background(colours: np.ndarray) -> np.ndarray:
    """The colour of most of the border."""
    border = np.concatenate([colours[:, 0], colours[:, -1], colours[:, :, 0], colours[:, :, -1]], axis=1)
    found, counts = np.unique(_pack(border), return_counts=True)
    most = int(found[np.argmax(counts)])
    return np.array([most >> 16, most >> 8 & 255, most & 255], dtype=np.int16)


def _pack(colours: np.ndarray) -> np.ndarray:
    """Red, green and blue (along the first axis) as one number."""
    return (colours[0].astype(np.int32) << 16) | (colours[1].astype(np.int32) << 8) | colours[2]


def _measure_ink(ink: np.ndarray, mask: np.ndarray) -> dict[str, float]:
    depth = ink[mask] if mask.any() else np.zeros(1)
    shares = np.histogram(depth, bins=6, range=(0, 255))[0] / depth.size
    changes = np.diff(mask.astype(np.int8), axis=1) != 0
    return {
        "ink: share": float(mask.mean()),
        "ink: mass": float(ink.mean() / 255),
        **{f"ink: depth {i + 1} of 6": float(share) for i, share in enumerate(shares)},
        "ink: changes along a row": float(changes.sum(axis=1).mean()),
        "ink: rows without any": float((~mask.any(axis=1)).mean()),
        "ink: columns without any": float((~mask.any(axis=0)).mean()),
        "ink: fullest row": float(mask.mean(axis=1).max()),
        "ink: fullest column": float(mask.mean(axis=0).max()),
    }


def _measure_place(mask: np.ndarray) -> dict[str, float]:
    height, width = mask.shape
    rows, columns = np.nonzero(mask.any(axis=1))[0], np.nonzero(mask.any(axis=0))[0]
    top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, height)
    left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, width)
    down, across = mask.sum(axis=1), mask.sum(axis=0)
    y, y_spread = _weigh(down)
    x, x_spread = _weigh(across)
    parts = [part for band in np.array_split(mask, _CELLS) for part in np.array_split(band, _CELLS, axis=1)]
    cells = [part.mean() if part.size else 0.0 for part in parts]
    return {
        "place: left margin": left / width,
        "place: right margin": 1 - right / width,
        "place: top margin": top / height,
        "place: bottom margin": 1 - bottom / height,
        "place: box, width over height": (right - left) / (bottom - top),
        "place: box, share": (right - left) * (bottom - top) / (width * height),
        "place: ink in the box": float(mask[top:bottom, left:right].mean()),
        "place: centre across": x,
        "place: centre down": y,
        "place: spread across": x_spread,
        "place: spread down": y_spread,
        "place: like its mirror image": _correlate(mask, mask[:, ::-1]),
        "place: like itself upside down": _correlate(mask, mask[::-1]),
        **{f"place: ink in cell {i // _CELLS + 1}, {i % _CELLS + 1}": float(cell) for i, cell in enumerate(cells)},
    }


def _weigh(counts: np.ndarray) -> tuple[float, float]:
    """Mean and spread of a position, as shares of the length."""
    total = counts.sum()
    if not total:
        return 0.5, 0.0
    places = (np.arange(len(counts)) + 0.5) / len(counts)
    mean = float((counts * places).sum() / total)
    return mean, float(np.sqrt((counts * (places - mean) ** 2).sum() / total))


def _correlate(first: np.ndarray, second: np.ndarray) -> float:
    both = (first & second).sum()
    either = (first | second).sum()
    return float(both / either) if either else 1.0


def _measure_parts(mask: np.ndarray) -> dict[str, float]:
    """Connected parts of the ink, and of the paper that it encloses."""
    labels, count = scipy.ndimage.label(mask, structure=_EIGHT)
    sizes = np.sort(np.bincount(labels.ravel())[1:])[::-1]
    boxes = scipy.ndimage.find_objects(labels)
    heights = np.array([box[0].stop - box[0].start for box in boxes]) / mask.shape[0]
    widths = np.array([box[1].stop - box[1].start for box in boxes]) / mask.shape[1]
    small = np.maximum(heights, widths) < 0.1 if count else np.zeros(0, dtype=bool)
    holes, enclosed = scipy.ndimage.label(~mask)
    areas = np.sort(np.bincount(holes.ravel())[1:])[::-1] / mask.size
    return {
        "parts: number": float(count),
        "parts: small ones": float(small.sum()),
        "parts: specks": float((sizes < 9).sum()),
        "parts: largest, share of ink": float(sizes[0] / sizes.sum()) if count else 0.0,
        "parts: second, share of ink": float(sizes[1] / sizes.sum()) if count > 1 else 0.0,
        "parts: small, median height": float(np.median(heights[small])) if small.any() else 0.0,
        "parts: small, largest height": float(heights[small].max()) if small.any() else 0.0,
        "parts: small, smallest height": float(heights[small].min()) if small.any() else 0.0,
        "parts: small, median width": float(np.median(widths[small])) if small.any() else 0.0,
        "parts: largest, height": float(heights.max()) if count else 0.0,
        "parts: largest, width": float(widths.max()) if count else 0.0,
        "holes: number": float(enclosed),
        "holes: tiny ones": float((areas < 0.001).sum()),
        "holes: largest": float(areas[0]) if enclosed else 0.0,
        "holes: second": float(areas[1]) if enclosed > 1 else 0.0,
        "holes: third": float(areas[2]) if enclosed > 2 else 0.0,
        "holes: median": float(np.median(areas)) if enclosed else 0.0,
    }


def _measure_strokes(mask: np.ndarray) -> dict[str, float]:
    """How thick the ink is: distances of its pixels to the paper, and the length of its runs."""
    depth = scipy.ndimage.distance_transform_cdt(mask, metric="chessboard")
    inside = depth[mask] if mask.any() else np.zeros(1)
    across, down = _measure_runs(mask), _measure_runs(mask.T)
    return {
        "strokes: mean depth": float(inside.mean()),
        "strokes: depth, 90 %": float(np.percentile(inside, 90)),
        "strokes: greatest depth": float(inside.max()),
        "strokes: mean run across": float(across.mean()),
        "strokes: longest run across": float(across.max() / mask.shape[1]),
        "strokes: mean run down": float(down.mean()),
        "strokes: longest run down": float(down.max() / mask.shape[0]),
        "strokes: long runs across": float((across > 0.1 * mask.shape[1]).sum()),
        "strokes: long runs down": float((down > 0.1 * mask.shape[0]).sum()),
    }


def _measure_runs(mask: np.ndarray) -> np.ndarray:
    """Lengths of the runs of ink along the rows."""
    padded = np.pad(mask, ((0, 0), (1, 1))).astype(np.int8)
    change = np.diff(padded, axis=1)
    starts, ends = np.nonzero(change == 1)[1], np.nonzero(change == -1)[1]
    return ends - starts if len(starts) else np.zeros(1, dtype=np.int64)


def _measure_edges(grey: np.ndarray) -> dict[str, float]:
    """Strength of the edges, their directions (modulo 180 degrees), and how rough the picture is."""
    down, across = (
        scipy.ndimage.sobel(grey, axis=0, output=np.float32),
        scipy.ndimage.sobel(grey, axis=1, output=np.float32),
    )
    some = (down != 0) | (across != 0)
    strength = np.hypot(down[some], across[some])
    total = float(strength.sum())
    angle = np.arctan2(down[some], across[some]) % np.pi
    bins = np.minimum((angle / np.pi * _DIRECTIONS).astype(np.int64), _DIRECTIONS - 1)
    directions = np.bincount(bins, weights=strength, minlength=_DIRECTIONS)
    shares = directions / total if total else directions
    return {
        "edges: strength": total / grey.size / 255,
        "edges: rough, mean": float(np.abs(scipy.ndimage.laplace(grey)).mean()),
        **{f"edges: at {i * 180 // _DIRECTIONS} degrees": float(share) for i, share in enumerate(shares)},
    }


def _measure_colours(colours: np.ndarray, mask: np.ndarray) -> dict[str, float]:
    red, green, blue = colours
    spread = np.maximum(np.maximum(red, green), blue) - np.minimum(np.minimum(red, green), blue)
    coarse = (red // 86 * 9 + green // 86 * 3 + blue // 86)[mask]
    shares = np.bincount(coarse, minlength=27) / max(coarse.size, 1)
    return {
        "colours: number, log": float(np.log(len(np.unique(_pack(colours))))),
        "colours: mean": float(colours.mean() / 255),
        "colours: coloured, share": float((spread > _INK).mean()),
        "colours: mean spread": float(spread.mean() / 255),
        **{f"colours: ink near {_name(i)}": float(share) for i, share in enumerate(shares)},
    }


def _name(coarse: int) -> str:
    """One of the 27 coarse colours as CSS writes it."""
    return "#" + "".join("08f"[coarse // step % 3] for step in (9, 3, 1))
