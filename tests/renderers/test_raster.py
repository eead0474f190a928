"""The PNG encoder is lossless, deterministic and picks the smallest form that it knows."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from renderers.raster import decode_gray, encode_png, fit_square, flatten_alpha, is_blank


def decode(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB"))


@settings(max_examples=50)
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


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_gray_pictures_of_ours_are_decoded_as_by_a_general_decoder(height: int, width: int, seed: int) -> None:
    gray = np.random.default_rng(seed).integers(0, 256, (height, width, 1), np.uint8)
    png = encode_png(np.concatenate([gray, gray, gray, np.full_like(gray, 255)], axis=2))
    found = decode_gray(png)
    assert found is not None
    assert np.array_equal(found, gray[..., 0])
    assert np.array_equal(found, decode(png)[..., 0])


def write_with_pillow(mode: str) -> bytes:
    data = io.BytesIO()
    Image.fromarray(np.arange(12, dtype=np.uint8).reshape(3, 4) * 20).convert(mode).save(data, "PNG")
    return data.getvalue()


def list_other_pictures() -> dict[str, bytes]:
    own = encode_png(np.repeat(np.arange(64, dtype=np.uint8), 4).reshape(8, 8, 4) | np.array([0, 0, 0, 255], np.uint8))
    at = own.index(b"IDAT") + 12
    return {
        "colour": write_with_pillow("RGB"),
        "a bit a pixel": write_with_pillow("1"),
        "no picture": b"nothing",
        "cut": own[:-1],
        "headless": own[:33] + own[-12:],
        "a flipped bit in its pixels": own[:at] + bytes([own[at] ^ 1]) + own[at + 1 :],
        "a flipped bit in its width": own[:19] + bytes([own[19] ^ 1]) + own[20:],
        "something behind it": own + b"x",
    }


@pytest.mark.parametrize("name", list_other_pictures())
def test_other_pictures_are_left_to_a_general_decoder(name: str) -> None:
    assert decode_gray(list_other_pictures()[name]) is None


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
