"""Pixels to PNG bytes and back, the one form of a stored PNG, and the few questions that the renderers ask of pixels.

An encoder of our own, because the pixels come out of a sandbox: nothing that parses an image runs on the trusted side.
The same pixels give the same bytes (zlib-ng is pinned), which the content ids of the rows rely on.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator

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
TAIL = struct.pack(">I4sI", 0, b"IEND", zlib.crc32(b"IEND"))
CHANNELS = {GRAY: 1, RGB: 3}
MOST_PIXELS = 1 << 27
"""Pixels of the largest picture that is decoded: a header may claim 2^62."""
REMEMBERED = 256
"""Pictures whose bytes are known to be ours: they are read again soon after they were written."""
_ours: dict[bytes, None] = {}
_lock = threading.Lock()


def encode_png(pixels: np.ndarray) -> bytes:
    """A PNG of ``pixels`` (height, width, 3 or 4, uint8), in grayscale where no pixel has a colour.

    Alpha is laid over white: the pictures are pages, not stickers.
    """
    if is_opaque(pixels):
        # Whole pixels at once: little-endian, red lowest. Gray is red = green and green = blue.
        whole = pixels.reshape(-1).view("<u4").reshape(pixels.shape[:2])
        if not ((whole ^ (whole >> np.uint32(8))) & np.uint32(0xFFFF)).any():
            return _remember(_write_png(whole.astype(np.uint8), GRAY))
        return _remember(_write_png(pixels[..., :3], RGB))
    flat = flatten_alpha(pixels)
    return _remember(_write_png(flat[..., 0], GRAY) if _is_gray(flat) else _write_png(flat, RGB))


def _remember(png: bytes) -> bytes:
    with _lock:
        _ours[png] = None
        if len(_ours) > REMEMBERED:
            del _ours[next(iter(_ours))]
    return png


class PngError(ValueError):
    """Bytes that are no PNG in the form in which pictures are stored; the message says why."""


def decode_png(png: bytes) -> np.ndarray:
    """The pixels of a picture as `encode_png` writes them, to be read only: (height, width), or (height, width, 3).

    A general decoder takes several times as long, and shows the same pixels of many other bytes.

    Raises:
        PngError: these are other bytes, be it only in how they are packed.
    """
    height, width, kind, data = _unpack(png)
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + width * CHANNELS[kind])
    pixels = rows[:, 1:] if kind == GRAY else rows[:, 1:].reshape(height, width, 3)
    if png not in _ours and (_write_png(pixels, kind) != png or (kind == RGB and _is_gray(pixels))):
        raise PngError("its pixels are packed otherwise than pictures are stored")
    return pixels


def find_odd_form(png: bytes) -> str | None:
    """Why a PNG is not as pictures are stored, in words, or None: gray or RGB of 8 bits, one frame, no alpha, nothing
    beside its pixels (text, gamma, profile), among them or after the end."""
    if png in _ours:
        return None
    try:
        _unpack(png)
    except PngError as error:
        return str(error)
    return None


def _unpack(png: bytes) -> tuple[int, int, int, bytes]:
    """Height, width, colour type and the filtered rows of a picture of which nothing is left over (RFC 2083)."""
    head, parts = b"", []
    for kind, data in _list_chunks(png):
        if kind == b"IHDR" and not head:
            head = data
        elif kind == b"IDAT" and head:
            parts.append(data)
        else:
            raise PngError(f"it has a chunk {kind.decode('latin-1')!r}, which no stored picture has there")
    if len(head) != 13:
        raise PngError("it has no header")
    width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", head)
    if depth != 8 or kind not in CHANNELS or any(rest):
        raise PngError(f"it has {depth} bits, colour type {kind}, methods {rest}; stored are gray and RGB of 8 bits")
    if not 0 < width * height <= MOST_PIXELS:
        raise PngError(f"it claims {width} x {height} pixels; at most {MOST_PIXELS:,} are read")
    size, packed = height * (1 + width * CHANNELS[kind]), zlib_ng.decompressobj()
    try:
        rows: bytes = packed.decompress(b"".join(parts), size + 1)
    except zlib_ng.error as error:  # type: ignore[misc]  # the stub says object
        raise PngError("its pixels cannot be unpacked") from error
    if not packed.eof or len(rows) != size or packed.unused_data:
        raise PngError("it does not hold its pixels and nothing else")
    return height, width, kind, rows


def _list_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The kind and content of each chunk before the end, which is the last thing in the bytes."""
    if not png.startswith(SIGNATURE):
        raise PngError("the bytes are no PNG")
    at, end = len(SIGNATURE), len(png) - len(TAIL)
    while at < end:
        size, kind = struct.unpack_from(">I4s", png, at)
        data, after = png[at + 8 : at + 8 + size], at + 12 + size
        if after > end or zlib.crc32(png[at + 4 : after - 4]) != int.from_bytes(png[after - 4 : after]):
            raise PngError("a chunk is damaged, or something stands after the end")
        yield kind, data
        at = after
    if at != end or png[end:] != TAIL:
        raise PngError("it is cut, or something stands after its end")


def _is_gray(pixels: np.ndarray) -> bool:
    red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
    return np.array_equal(red, green) and np.array_equal(green, blue)


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


def max_channels(levels: np.ndarray) -> np.ndarray:
    """The largest of each pixel's channels (..., 3): ``max(axis=-1)``, which loops over three at a time, but fast."""
    red, green, blue = np.moveaxis(levels, -1, 0)
    found: np.ndarray = np.maximum(np.maximum(red, green), blue)
    return found


def is_blank(pixels: np.ndarray) -> bool:
    """Whether every pixel has the same colour once alpha is laid over white."""
    if is_opaque(pixels):
        whole = pixels.reshape(-1).view("<u4")
        return bool((whole == whole[0]).all())
    flat = flatten_alpha(pixels)
    return bool((flat == flat[0, 0]).all())


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
