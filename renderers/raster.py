"""Pixels to PNG bytes, and the few questions that the renderers ask of pixels.

An encoder of our own, because the pixels come out of a sandbox: nothing that parses an image runs on the trusted side.
The same pixels give the same bytes (zlib-ng is pinned), which the content ids of the rows rely on.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from zlib_ng import zlib_ng

LEVEL = 6
RUN_LENGTHS = 3
"""zlib's strategy Z_RLE: line drawings are runs of white, which it packs in no time and mostly best."""
LINE_DRAWING = 16
"""Where runs pack a picture into a sixteenth, the search for longer matches saves 2 % for four times the time."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOR_LEVEL = 3
"""Pictures in colour are not packed by runs; a higher level saves 4 % for twice the time."""
GRAY, RGB = 0, 2
HEAD = struct.Struct(">I4sIIBBBBBI")
TAIL = struct.pack(">I4sI", 0, b"IEND", zlib.crc32(b"IEND"))
MOST_DECODED = 1 << 24
"""Pixels of the largest picture that `decode_gray` takes."""


def encode_png(pixels: np.ndarray) -> bytes:
    """A PNG of ``pixels`` (height, width, 3 or 4, uint8), in grayscale where no pixel has a colour.

    Alpha is laid over white: the pictures are pages, not stickers.
    """
    if is_opaque(pixels):
        # Whole pixels at once: little-endian, red lowest. Gray is red = green and green = blue.
        whole = pixels.reshape(-1).view("<u4").reshape(pixels.shape[:2])
        if not ((whole ^ (whole >> np.uint32(8))) & np.uint32(0xFFFF)).any():
            return _write_png(whole.astype(np.uint8), GRAY)
        return _write_png(pixels[..., :3], RGB)
    flat = flatten_alpha(pixels)
    red, green, blue = flat[..., 0], flat[..., 1], flat[..., 2]
    if np.array_equal(red, green) and np.array_equal(green, blue):
        return _write_png(red, GRAY)
    return _write_png(flat, RGB)


def decode_gray(png: bytes) -> np.ndarray | None:
    """The pixels (height, width) of a gray picture as `encode_png` writes them, to be read only; None of any other.

    A general decoder takes several times as long, and every picture that is made is looked at once.
    """
    start = len(SIGNATURE)
    middle, end = start + HEAD.size, len(png) - len(TAIL)
    if not (png.startswith(SIGNATURE) and png.endswith(TAIL)) or end < middle + 12:
        return None
    size, kind, width, height, *form, check = HEAD.unpack_from(png, start)
    if (size, kind, form) != (13, b"IHDR", [8, GRAY, 0, 0, 0]) or not 0 < width * height <= MOST_DECODED:
        return None
    size, kind = struct.unpack_from(">I4s", png, middle)
    data = memoryview(png)[middle + 8 : end - 4]
    if kind != b"IDAT" or size != len(data) or check != zlib.crc32(memoryview(png)[start + 4 : middle - 4]):
        return None
    if zlib.crc32(memoryview(png)[middle + 4 : end - 4]) != int.from_bytes(png[end - 4 : end]):
        return None
    unpacked = _unpack(data, height * (width + 1))
    if unpacked is None:
        return None
    rows = np.frombuffer(unpacked, np.uint8).reshape(height, width + 1)
    return None if rows[:, 0].any() else rows[:, 1:]


def _unpack(data: memoryview, size: int) -> bytes | None:
    """What was packed, where it has ``size`` bytes."""
    packed = zlib_ng.decompressobj()
    try:
        unpacked: bytes = packed.decompress(data, size + 1)
    except zlib_ng.error:  # type: ignore[misc]  # the stub says object
        return None
    return unpacked if packed.eof and len(unpacked) == size else None


def is_opaque(pixels: np.ndarray) -> bool:
    """Whether the pixels are RGBA, in one piece, and all of full alpha."""
    if pixels.ndim != 3 or pixels.shape[2] != 4 or pixels.dtype != np.uint8 or not pixels.flags.c_contiguous:
        return False
    return bool((pixels.reshape(-1).view("<u4") >= np.uint32(0xFF000000)).all())


def flatten_alpha(pixels: np.ndarray) -> np.ndarray:
    """RGBA over white as RGB, in integers so that every machine rounds alike."""
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or pixels.dtype != np.uint8:
        raise ValueError(f"pixels of shape {pixels.shape} and type {pixels.dtype}; expected (height, width, 3|4) uint8")
    color = pixels[..., :3]
    if pixels.shape[2] == 3 or pixels[..., 3].min() == 255:
        return color
    alpha = pixels[..., 3:].astype(np.uint16)
    return ((color * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def is_blank(pixels: np.ndarray) -> bool:
    """Whether every pixel has the same colour once alpha is laid over white."""
    if is_opaque(pixels):
        whole = pixels.reshape(-1).view("<u4")
        return bool((whole == whole[0]).all())
    flat = flatten_alpha(pixels)
    return bool((flat == flat[0, 0]).all())


def fit_square(pixels: np.ndarray, background: int = 255) -> np.ndarray:
    """The picture centred in a square of its longer side, the rest in ``background``; nothing is scaled or cut."""
    height, width = pixels.shape[:2]
    side = max(height, width)
    square = np.full((side, side, *pixels.shape[2:]), background, pixels.dtype)
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = pixels
    return square


def _write_png(rows: np.ndarray, color_type: int) -> bytes:
    height, width = rows.shape[:2]
    filtered = np.zeros((height, 1 + rows[0].size), np.uint8)
    filtered[:, 1:] = rows.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    data = _pack(filtered.tobytes(), color_type)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _pack(raw: bytes, color_type: int) -> bytes:
    if color_type == RGB:
        return zlib_ng.compress(raw, COLOR_LEVEL)
    runs = zlib_ng.compressobj(LEVEL, zlib_ng.DEFLATED, 15, 9, RUN_LENGTHS)
    data = runs.compress(raw) + runs.flush()
    if len(data) * LINE_DRAWING > len(raw):
        return min(data, zlib_ng.compress(raw, LEVEL), key=len)
    return data


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
