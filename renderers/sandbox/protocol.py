"""The fixed layout of the memory that a script's result comes back in.

One sealed memfd per child, with a part for each of its scripts: a header page, the log as a ring, an error as JSON,
the recorded drawing as JSON, the pixels (RGBA, row by row from the top). The script's process can write to all of it,
so each field is a claim: `read_header` returns plain integers and whoever uses one checks its bounds first.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

MAGIC = b"CFRENDR1"
HEADER = struct.Struct("<8sIIIIIIQ")
HEADER_BYTES = 4096
ERROR_BYTES = 16 << 10

JOB = struct.Struct("<cI")
"""The only message to a worker, ``b"J"`` and how many scripts; their memfd and the result's travel with it."""
LENGTH = struct.Struct("<Q")


def pack_scripts(scripts: Sequence[bytes]) -> bytes:
    """Scripts for one child: their lengths, then their sources one after another."""
    return b"".join([*(LENGTH.pack(len(script)) for script in scripts), *scripts])


def unpack_scripts(packed: bytes, count: int) -> list[bytes]:
    """What `pack_scripts` packed.

    >>> unpack_scripts(pack_scripts([b"one", b"", b"three"]), 3)
    [b'one', b'', b'three']
    """
    start, scripts = count * LENGTH.size, []
    for index in range(count):
        (length,) = LENGTH.unpack_from(packed, index * LENGTH.size)
        scripts.append(packed[start : start + length])
        start += length
    return scripts


class End(IntEnum):
    """How the script's own process says that it ended."""

    RUNNING = 0
    FINISHED = 1
    EXCEPTION = 2
    EXIT = 3
    MEMORY = 4
    TOO_LARGE = 5
    OUTPUT_LIMIT = 6
    NOT_CONFINED = 7
    """A layer of the sandbox could not be applied, so the script was not run."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Byte offsets of the parts of the result memory."""

    log_bytes: int
    record_bytes: int
    pixel_bytes: int

    @property
    def error(self) -> int:
        """Where the error's JSON starts."""
        return HEADER_BYTES + self.log_bytes

    @property
    def record(self) -> int:
        """Where the drawing's JSON starts."""
        return self.error + ERROR_BYTES

    @property
    def pixels(self) -> int:
        """Where the pixels start (page-aligned)."""
        return (self.record + self.record_bytes + 4095) & ~4095

    @property
    def size(self) -> int:
        """Bytes in all, of one script; the next script's part begins there."""
        return (self.pixels + self.pixel_bytes + 4095) & ~4095


@dataclass(slots=True)
class Header:
    """The header's fields: how it ended, the picture's size in pixels, and how many bytes of each part are used.

    ``log_total`` counts all that was printed; the ring holds its last bytes.
    """

    end: int = End.RUNNING
    pictures: int = 0
    width: int = 0
    height: int = 0
    error_bytes: int = 0
    record_bytes: int = 0
    log_total: int = 0

    def pack(self) -> bytes:
        """The header as it stands in the memory."""
        return HEADER.pack(
            MAGIC,
            self.end,
            self.pictures,
            self.width,
            self.height,
            self.error_bytes,
            self.record_bytes,
            self.log_total,
        )


def read_header(memory: memoryview | bytes) -> Header | None:
    """The header, or None where the magic is not there (the script's process never got to write it)."""
    magic, *values = HEADER.unpack_from(memory, 0)
    return Header(*values) if magic == MAGIC else None


def unroll_ring(ring: bytes, total: int) -> bytes:
    """The text in a ring into which ``total`` bytes were written, oldest first."""
    if total <= len(ring):
        return ring[:total]
    cut = total % len(ring)
    return ring[cut:] + ring[:cut]
