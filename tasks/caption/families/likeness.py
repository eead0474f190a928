"""How alike two pictures are: structural similarity, and a hash of what is brighter than what."""

from __future__ import annotations

import numpy as np
import scipy
from PIL import Image

_SIDE = 256
_WINDOW = 7
_C1, _C2 = 0.01**2, 0.03**2


def measure_similarity(a: np.ndarray, b: np.ndarray) -> float:
    """Structural similarity (Wang et al. 2004) of two pictures (height, width, 3), uint8: 1 for equal ones.

    In gray at 256 x 256, with uniform windows of 7 x 7.
    """
    x, y = (_gray(picture, _SIDE) for picture in (a, b))
    mean_x, mean_y = (scipy.ndimage.uniform_filter(each, _WINDOW) for each in (x, y))
    var_x = scipy.ndimage.uniform_filter(x * x, _WINDOW) - mean_x**2
    var_y = scipy.ndimage.uniform_filter(y * y, _WINDOW) - mean_y**2
    shared = scipy.ndimage.uniform_filter(x * y, _WINDOW) - mean_x * mean_y
    top = (2 * mean_x * mean_y + _C1) * (2 * shared + _C2)
    return float((top / ((mean_x**2 + mean_y**2 + _C1) * (var_x + var_y + _C2))).mean())


def measure_distance(a: np.ndarray, b: np.ndarray) -> int:
    """How many of 64 bits differ that say where a picture gets brighter from left to right (difference hash)."""
    first, second = (_gray(picture, (9, 8)) for picture in (a, b))
    return int(((first[:, 1:] > first[:, :-1]) != (second[:, 1:] > second[:, :-1])).sum())


def measure_change(a: np.ndarray, b: np.ndarray, level: int = 24) -> float:
    """Share of pixels that differ by more than ``level`` of 255 in some channel; of pictures of one size."""
    return float((np.abs(a.astype(np.int16) - b.astype(np.int16)).max(axis=-1) > level).mean())


def _gray(picture: np.ndarray, size: int | tuple[int, int]) -> np.ndarray:
    side = (size, size) if isinstance(size, int) else size
    resized = Image.fromarray(picture).convert("L").resize(side, Image.Resampling.BOX)
    return np.asarray(resized, np.float64) / 255
