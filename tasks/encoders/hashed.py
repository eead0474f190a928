"""The encoder that needs no model and no key: hashed n-grams for texts, ink, edges and colours for pictures.

It knows words and shapes, not meaning: captions are near where they share words and letters, pictures where their
strokes and colours lie in the same places. That is what near misses look like, so it serves for mining; a text and a
picture cannot be compared by it.

All of it is counted in whole numbers before the last division, so its vectors are the same on every machine.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import scipy
from PIL import Image as Pillow

from counterfoil.tasks.encoders.base import Modality, normalise, open_picture

DIMENSION = 1024
_SIDE = 96
"""Pictures are looked at in a square of this side."""
_GRID = 24
_CELLS = 4
_DIRECTIONS = 8
_PATCHES = 8
"""24 * 24 of ink, 4 * 4 * 8 of directions and 8 * 8 * 5 of colours make up the dimension."""
_INK = 24
"""Difference from the background, of 255, from which a pixel is ink."""
_SHARES = (1.0, 1.0, 0.5)
"""What ink, directions and colours weigh in the squared length."""
_WORD = re.compile(r"\\?\w+|[^\w\s]")
_SPANS = (3, 4)
"""Lengths of the runs of letters that are counted."""


class HashedEncoder:
    """Hashed words, pairs of words and runs of letters; ink, edges and colours by place."""

    name = "hashed"
    identity = "hashed-1"
    dimension = DIMENSION
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    joint = False

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        """Counts of n-grams under a hash with a sign (feature hashing), damped by the square root."""
        return normalise(_stack([_count_grams(text) for text in texts]))

    def encode_images(self, images: Sequence[bytes]) -> np.ndarray:
        """Where the ink is, which way edges run, and which colours lie where.

        Raises:
            EncoderError: one is no picture.
        """
        return normalise(_stack([_look(open_picture(data, place)) for place, data in enumerate(images)]))


def _stack(rows: Sequence[np.ndarray]) -> np.ndarray:
    return np.array(rows).reshape(len(rows), DIMENSION)


def _count_grams(text: str) -> np.ndarray:
    counts = np.zeros(DIMENSION)
    for gram, count in Counter(_list_grams(text)).items():
        key = zlib.crc32(gram.encode("utf-8", "surrogatepass"))
        counts[key % DIMENSION] += count**0.5 if key >> 31 else -(count**0.5)
    return counts


def _list_grams(text: str) -> Iterator[str]:
    # Case is kept: points are capitals, and "AB" is not "ab".
    words = _WORD.findall(text)
    yield from (f"1 {word}" for word in words)
    yield from (f"2 {first} {second}" for first, second in pairwise(words))
    line = f" {' '.join(words)} "
    for span in _SPANS:
        yield from (line[start : start + span] for start in range(len(line) - span + 1))


def _look(picture: Pillow.Image) -> np.ndarray:
    small = np.asarray(picture.resize((_SIDE, _SIDE), Pillow.Resampling.BOX), dtype=np.int64)
    ink = np.abs(small - _find_background(small)).max(axis=2)
    grey = small @ np.array([299, 587, 114]) // 1000
    blocks = [_map_ink(ink), _map_directions(grey), _map_colours(small, ink)]
    lengths = [float(np.sqrt((block * block).sum())) or 1.0 for block in blocks]
    return np.concatenate(
        [block.ravel() / length * share**0.5 for block, length, share in zip(blocks, lengths, _SHARES, strict=True)]
    )


def _find_background(pixels: np.ndarray) -> np.ndarray:
    """The colour of most of the border."""
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    found, counts = np.unique(border, axis=0, return_counts=True)
    return np.asarray(found[np.argmax(counts)])


def _map_ink(ink: np.ndarray) -> np.ndarray:
    """Ink by cell, blurred: what stands a little aside is still alike."""
    step = _SIDE // _GRID
    cells = np.where(ink >= _INK, ink, 0).reshape(_GRID, step, _GRID, step).sum(axis=(1, 3))
    padded = np.pad(cells, 1)
    return np.asarray(sum(padded[i : i + _GRID, j : j + _GRID] for i in range(3) for j in range(3)))


def _map_directions(grey: np.ndarray) -> np.ndarray:
    """Strength of the edges by cell and direction (modulo 180 degrees)."""
    down, across = scipy.ndimage.sobel(grey, axis=0), scipy.ndimage.sobel(grey, axis=1)
    strength = np.abs(down) + np.abs(across)
    turn = np.arctan2(down, across) % np.pi / np.pi * _DIRECTIONS
    # Rounded first, so that the last digit of a machine's arc tangent moves no edge to another bin.
    bins = np.round(turn, 6).astype(np.int64) % _DIRECTIONS
    place = np.arange(_SIDE) * _CELLS // _SIDE
    keys = (place[:, None] * _CELLS + place[None, :]) * _DIRECTIONS + bins
    return np.bincount(keys.ravel(), weights=strength.ravel(), minlength=_CELLS**2 * _DIRECTIONS)


def _map_colours(pixels: np.ndarray, ink: np.ndarray) -> np.ndarray:
    """By patch: red, green and blue above their mean, how coloured it is, and how much ink it has."""
    step = _SIDE // _PATCHES

    def total(values: np.ndarray) -> np.ndarray:
        return np.asarray(values.reshape(_PATCHES, step, _PATCHES, step).sum(axis=(1, 3)))

    apart = pixels * 3 - pixels.sum(axis=2, keepdims=True)
    spread = pixels.max(axis=2) - pixels.min(axis=2)
    return np.stack([*(total(apart[:, :, band]) for band in range(3)), total(spread), total(ink)])
