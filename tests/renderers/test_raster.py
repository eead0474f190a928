"""The PNG encoder is lossless, deterministic and picks the smallest form that it knows."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from counterfoil.renderers.raster import PngError, decode_png, encode_png, find_odd_form, flatten_alpha, is_blank


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
def test_pictures_of_ours_are_decoded_as_by_a_general_decoder(height: int, width: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    for shown in (pixels, np.repeat(pixels[..., :1], 3, axis=2)):
        png = encode_png(shown)
        found = decode_png(png)
        assert np.array_equal(found if found.ndim == 3 else np.repeat(found[..., None], 3, axis=2), decode(png))
        assert find_odd_form(png) is None


PIXELS = np.random.default_rng(0).integers(0, 256, (8, 8, 3), np.uint8)


def write_with_pillow(mode: str, **options) -> bytes:
    data = io.BytesIO()
    Image.fromarray(PIXELS).convert(mode).save(data, "PNG", **options)
    return data.getvalue()


def add_chunk(png: bytes, kind: bytes, data: bytes) -> bytes:
    """The picture with a chunk before its pixels."""
    return png[:33] + struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) + png[33:]


def write_after_pixels(data: bytes) -> bytes:
    """A picture whose pixels are followed by more within their chunk."""
    own = encode_png(PIXELS)
    at = own.index(b"IDAT")
    packed = own[at + 4 : -16] + data
    chunk = struct.pack(">I", len(packed)) + b"IDAT" + packed + struct.pack(">I", zlib.crc32(b"IDAT" + packed))
    return own[: at - 4] + chunk + own[-12:]


def list_other_pictures() -> dict[str, bytes]:
    own = encode_png(np.repeat(np.arange(64, dtype=np.uint8), 4).reshape(8, 8, 4) | np.array([0, 0, 0, 255], np.uint8))
    at = own.index(b"IDAT") + 12
    frames = [Image.fromarray(255 - PIXELS)]
    return {
        "alpha": write_with_pillow("RGBA"),
        "a palette": write_with_pillow("P"),
        "two frames": write_with_pillow("RGB", save_all=True, append_images=frames),
        "gamma": add_chunk(own, b"gAMA", struct.pack(">I", 1)),
        "a text": add_chunk(own, b"tEXt", b"Comment\0AB = 8"),
        "more within its pixels": write_after_pixels(b"AB = 8"),
        "2^31 pixels": own[:16] + struct.pack(">II", 1 << 16, 1 << 15) + own[24:],
        "a bit a pixel": write_with_pillow("1"),
        "no picture": b"nothing",
        "cut": own[:-1],
        "headless": own[:33] + own[-12:],
        "a flipped bit in its pixels": own[:at] + bytes([own[at] ^ 1]) + own[at + 1 :],
        "a flipped bit in its width": own[:19] + bytes([own[19] ^ 1]) + own[20:],
        "something behind it": own + b"x",
    }


@pytest.mark.parametrize("name", list_other_pictures())
def test_other_forms_are_refused(name: str) -> None:
    assert find_odd_form(list_other_pictures()[name])
    with pytest.raises(PngError):
        decode_png(list_other_pictures()[name])


def test_the_same_pixels_packed_otherwise_are_no_picture_of_ours() -> None:
    for mode in ("RGB", "L"):
        png = write_with_pillow(mode, compress_level=0)
        assert find_odd_form(png) is None
        with pytest.raises(PngError, match="packed otherwise"):
            decode_png(png)


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


def test_wrong_pixels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"expected \(height, width, 3\|4\) uint8"):
        encode_png(np.zeros((4, 4), np.uint8))
