"""Pictures without what is no picture: camera, place, author, comments, thumbnails, profiles, and what hangs on after
the end. The pixels stay as they are, bit for bit.

JPEG: ISO/IEC 10918-1, Annex B. PNG: RFC 2083, section 3. WebP: RFC 9649, section 2.7.
"""

from __future__ import annotations

import struct

_PNG_KEPT = (b"IHDR", b"IDAT", b"IEND")
_STANDALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_START, _END, _SCAN, _JFIF, _ADOBE = 0xD8, 0xD9, 0xDA, 0xE0, 0xEE


class MetadataError(ValueError):
    """The file is not laid out as its format says."""


def strip_jpeg(data: bytes) -> bytes:
    """The JPEG with its tables, frames and scans alone, and of JFIF and Adobe what says how colours are coded.

    Raises:
        MetadataError: a segment runs past the end.
    """
    kept, at = [data[:2]], 2
    while True:
        marker, at = _find_marker(data, at)
        if marker == _END:
            return b"".join([*kept, b"\xff\xd9"])
        if marker in _STANDALONE or marker == _START:
            kept.append(bytes((0xFF, marker)))
            continue
        if at + 2 > len(data):
            raise MetadataError("a segment has no length")
        (length,) = struct.unpack_from(">H", data, at)
        segment, at = data[at : at + length], at + length
        if len(segment) < length or length < 2:
            raise MetadataError("a segment runs past the end")
        if _tells_pixels(marker, segment):
            kept += [bytes((0xFF, marker)), segment]
        if marker == _SCAN:
            end = _find_scan_end(data, at)
            kept.append(data[at:end])
            at = end


def _find_marker(data: bytes, at: int) -> tuple[int, int]:
    """The next marker and where its segment begins; bytes of 255 may fill the room before it."""
    if at >= len(data) or data[at] != 0xFF:
        raise MetadataError("no marker where one should stand")
    while at < len(data) and data[at] == 0xFF:
        at += 1
    if at >= len(data):
        raise MetadataError("it ends before its end")
    return data[at], at + 1


def _tells_pixels(marker: int, segment: bytes) -> bool:
    if marker == _JFIF:
        # 16 bytes: without a thumbnail.
        return segment[2:7] == b"JFIF\0" and len(segment) == 16
    if marker == _ADOBE:
        return segment[2:7] == b"Adobe" and len(segment) == 14
    return not (0xE0 <= marker <= 0xEF or marker == 0xFE)


def _find_scan_end(data: bytes, at: int) -> int:
    """Where a scan's coded pixels end: at the next marker that restarts nothing."""
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            raise MetadataError("a scan runs past the end")
        if data[at + 1] == 0 or 0xD0 <= data[at + 1] <= 0xD7:
            at += 2
        elif data[at + 1] == 0xFF:
            at += 1
        else:
            return at


def strip_png(data: bytes) -> bytes:
    """The PNG with its header and its pixels alone.

    Raises:
        MetadataError: a chunk runs past the end.
    """
    kept, at = [data[:8]], 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, end = data[at + 4 : at + 8], at + 12 + length
        if end > len(data):
            break
        if name in _PNG_KEPT:
            kept.append(data[at:end])
        if name == b"IEND":
            return b"".join(kept)
        at = end
    raise MetadataError("a chunk runs past the end")


def is_plain_webp(data: bytes) -> bool:
    """Whether the WebP is one picture and nothing else: no extended header, and nothing after its pixels."""
    if len(data) < 20 or data[12:16] not in (b"VP8 ", b"VP8L"):
        return False
    (length,) = struct.unpack_from("<I", data, 16)
    return len(data) == 20 + length + length % 2
