"""A plain image feature: where the ink is, and which way its edges run.

The picture's ink, cropped to its box and blurred to 24 x 24 cells, and a histogram of edge directions over 4 x 4
cells. Values are whole numbers from 0 to 63, so that squared distances are sums of small integers, exact in float32
and the same on every machine and with every linear algebra library.
"""

from __future__ import annotations

import numpy as np

from tasks.geometry.measuring.pixels import decode_grey

GRID = 24
CELLS = 4
DIRECTIONS = 8
LEVELS = 63
_BLOCK = 4096
"""Rows of a bank that are widened to float32 at a time: 12 MB."""
LENGTH = GRID * GRID + CELLS * CELLS * DIRECTIONS


def extract_feature(png: bytes) -> np.ndarray:
    """The feature of a picture, ``uint8`` of shape (``LENGTH``,).

    Raises:
        tasks.geometry.measuring.pixels.PictureError: the bytes are no picture.
    """
    ink = _crop_square(255 - decode_grey(png).astype(np.int64))
    side = GRID * 16
    rows = (np.arange(side) * ink.shape[0]) // side
    square = ink[np.ix_(rows, rows)]
    return np.concatenate([_blur(square), _count_directions(square)]).astype(np.uint8)


def measure_distances(features: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Squared distances of ``query`` to each row of ``features``, exact integers as float32.

    Exact in whatever order a library sums: all terms are whole numbers below 2^24.
    """
    wanted = query.astype(np.float32)
    distances = np.empty(len(features), np.float32)
    for start in range(0, len(features), _BLOCK):
        rows = features[start : start + _BLOCK].astype(np.float32) - wanted
        distances[start : start + _BLOCK] = np.einsum("ij,ij->i", rows, rows)
    return distances


def measure_similarity(first: np.ndarray, second: np.ndarray) -> float:
    """Cosine of two features, to six decimals."""
    a, b = first.astype(np.int64), second.astype(np.int64)
    norm = float(int((a * a).sum()) * int((b * b).sum())) ** 0.5
    return round(float(int((a * b).sum())) / norm, 6) if norm else 0.0


def _crop_square(ink: np.ndarray) -> np.ndarray:
    """The smallest centred square around the ink: figures compare whatever their place and size on the page."""
    rows, columns = np.nonzero(ink.max(axis=1) > 64)[0], np.nonzero(ink.max(axis=0) > 64)[0]
    if not len(rows) or not len(columns):
        return ink
    y0, y1, x0, x1 = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    side = max(y1 - y0, x1 - x0)
    square = np.zeros((side, side), dtype=ink.dtype)
    top, left = (side - (y1 - y0)) // 2, (side - (x1 - x0)) // 2
    square[top : top + y1 - y0, left : left + x1 - x0] = ink[y0:y1, x0:x1]
    return square


def _blur(square: np.ndarray) -> np.ndarray:
    """Ink per cell, averaged with the neighbours, so that a line a little off is still near."""
    size = square.shape[0] // GRID
    cells = square.reshape(GRID, size, GRID, size).sum(axis=(1, 3))
    padded = np.pad(cells, 1)
    summed = sum(padded[i : i + GRID, j : j + GRID] for i in range(3) for j in range(3))
    return _quantise(np.asarray(summed).ravel())


def _count_directions(square: np.ndarray) -> np.ndarray:
    """Edge strength by direction (modulo 180 degrees) in 4 x 4 cells, from integer differences."""
    dy = square[2:, 1:-1] - square[:-2, 1:-1]
    dx = square[1:-1, 2:] - square[1:-1, :-2]
    strength = np.abs(dx) + np.abs(dy)
    angle = np.arctan2(dy, dx) % np.pi
    direction = np.minimum((angle / np.pi * DIRECTIONS).astype(np.int64), DIRECTIONS - 1)
    place = (np.arange(square.shape[0] - 2) * CELLS) // (square.shape[0] - 2)
    bins = (place[:, None] * CELLS + place[None, :]) * DIRECTIONS + direction
    return _quantise(np.bincount(bins.ravel(), weights=strength.ravel(), minlength=CELLS * CELLS * DIRECTIONS))


def _quantise(values: np.ndarray) -> np.ndarray:
    top = int(values.max())
    return (values.astype(np.int64) * LEVELS // top) if top else values.astype(np.int64)
