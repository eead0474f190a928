"""The PNG encoder is lossless, deterministic and picks the smallest form that it knows."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from renderers.raster import encode_png, fit_square, flatten_alpha, is_blank


def decode(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB"))


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.booleans(), st.integers(0, 2**32 - 1))
def test_pixels_come_back(height: int, width: int, gray: bool, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)
    pixels[..., 3] = 255
    if gray:
        pixels[..., 1:3] = pixels[..., :1]
    png = encode_png(pixels)
    assert np.array_equal(decode(png), pixels[..., :3])
    assert png == encode_png(pixels.copy())
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.mode == ("L" if gray or bool((pixels[..., :3] == pixels[..., :1]).all()) else "RGB")


def test_alpha_is_laid_over_white() -> None:
    pixels = np.array([[[0, 0, 0, 0], [0, 0, 0, 255], [200, 100, 0, 128]]], np.uint8)
    assert flatten_alpha(pixels).tolist() == [[[255, 255, 255], [0, 0, 0], [227, 177, 127]]]


def test_blank_is_one_colour_once_flattened() -> None:
    pixels = np.full((5, 4, 4), 255, np.uint8)
    assert is_blank(pixels)
    pixels[..., :3], pixels[..., 3] = np.arange(20, dtype=np.uint8).reshape(5, 4, 1), 0
    assert is_blank(pixels)
    pixels[2, 2] = (0, 0, 0, 255)
    assert not is_blank(pixels)
    assert not is_blank(np.ascontiguousarray(pixels[..., :3]))


def test_square_keeps_the_picture_in_the_middle() -> None:
    square = fit_square(np.zeros((2, 6, 3), np.uint8))
    assert square.shape == (6, 6, 3)
    assert (square[2:4] == 0).all() and (square[:2] == 255).all() and (square[4:] == 255).all()


def test_wrong_pixels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected \(height, width, 3\|4\) uint8"):
        encode_png(np.zeros((4, 4), np.uint8))
