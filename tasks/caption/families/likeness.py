"""How alike two pictures are: structural similarity, and a hash of what is brighter than what."""

from __future__ import annotations

import numpy as np
import scipy
from PIL import Image

from counterfoil.renderers.raster import max_channels

_SIDE = 256
_WINDOW = 7
_BLOCK = 16
_LEVEL = 12
"""Standard deviation of a block in levels of 255 below which it is plain."""
_UNLIKE = 0.75
"""Half the mean square of neighbours' differences in shares of the variance: 1 for noise, under 0.5 for shapes."""
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


def measure_layout(a: np.ndarray, b: np.ndarray) -> float:
    """The correlation of two pictures' gray at 32 x 32: 1 for equal ones, 0 where one of them is flat."""
    x, y = (_gray(picture, 32) for picture in (a, b))
    x, y = x - x.mean(), y - y.mean()
    norm = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / norm if norm > 1e-6 else 0.0


def measure_change(a: np.ndarray, b: np.ndarray, level: int = 24) -> float:
    """Share of pixels that differ by more than ``level`` of 255 in some channel; of pictures of one size."""
    return float((max_channels(np.abs(a.astype(np.int16) - b.astype(np.int16))) > level).mean())


def measure_noise(picture: np.ndarray) -> float:
    """Share of a picture's blocks of 16 x 16 in which neighbours are as unlike as any two pixels: no camera sees such
    and no editor paints them, but for sand and leaves here and there."""
    gray = np.asarray(Image.fromarray(picture).convert("L"), np.float64)
    height, width = (side // _BLOCK * _BLOCK for side in gray.shape)
    blocks = gray[:height, :width].reshape(height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK).swapaxes(1, 2)
    variance = blocks.var(axis=(2, 3))
    steps = [(np.diff(blocks, axis=axis) ** 2).mean(axis=(2, 3)) / 2 for axis in (2, 3)]
    noisy = (variance > _LEVEL**2) & (np.minimum(*steps) > _UNLIKE * variance)
    return float(noisy.mean()) if noisy.size else 0.0


def _gray(picture: np.ndarray, size: int | tuple[int, int]) -> np.ndarray:
    side = (size, size) if isinstance(size, int) else size
    resized = Image.fromarray(picture).convert("L").resize(side, Image.Resampling.BOX)
    return np.asarray(resized, np.float64) / 255
