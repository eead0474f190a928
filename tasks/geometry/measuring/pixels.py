"""Pictures as pixels: do two differ by more than noise, is one blank."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image

from counterfoil.renderers.raster import PngError, decode_png, max_channels

LEAST_INK = 60
"""Pixels of ink below which a picture shows nothing."""
LEAST_CHANGE = 12
"""Pixels that must change for a viewer to see it: about one small digit."""
_INK = 128


class PictureError(ValueError):
    """Bytes that are no picture as pictures are stored."""


@lru_cache(maxsize=8)
def decode_pixels(png: bytes) -> np.ndarray:
    """The picture, ``uint8`` of shape (height, width) where it is grey, else (height, width, 3); not to be written to.

    The last few are kept: the checks of one contrast ask for its picture and its anchor's again and again.

    Raises:
        PictureError: the bytes are none that the sandbox encoded.
    """
    try:
        return np.ascontiguousarray(decode_png(png))
    except PngError as error:
        raise PictureError(f"the bytes are no stored picture: {error}") from error


def decode_grey(png: bytes) -> np.ndarray:
    """The picture as grey values, ``uint8`` of shape (height, width), not to be written to.

    Raises:
        PictureError: see `decode_pixels`.
    """
    pixels = decode_pixels(png)
    return pixels if pixels.ndim == 2 else np.asarray(Image.fromarray(pixels).convert("L"))


def count_ink(png: bytes) -> int:
    """Pixels that stand out from the paper."""
    return int(np.count_nonzero(_find_ink(png)))


def count_changed(first: bytes, second: bytes) -> int:
    """Pixels that stand out from the paper in one picture and not in the other."""
    a, b = _find_ink(first), _find_ink(second)
    if a.shape != b.shape:
        return max(a.size, b.size)
    return int(np.count_nonzero(a != b))


@lru_cache(maxsize=8)
def _find_ink(png: bytes) -> np.ndarray:
    """Where a picture, (height, width), differs from its commonest colour by half of all levels in any channel."""
    pixels, grey = decode_pixels(png), decode_grey(png)
    commonest = int(np.argmax(Image.fromarray(grey).histogram()))
    if pixels.ndim == 2:
        # A byte can be so far from the paper on one side of it only.
        return np.asarray(pixels <= commonest - _INK if commonest >= _INK else pixels >= commonest + _INK)
    paper = pixels[grey == commonest][0].astype(np.int16)
    return np.asarray(max_channels(np.abs(pixels - paper)) >= _INK)
