"""How large the pages of a Parquet file are, by their headers alone: the footer says only what all of them hold.

A header is a struct of Thrift's compact protocol (github.com/apache/parquet-format, ``PageHeader``): its second field
is the page's size unpacked, its third its size in the file.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from counterfoil.tasks.foreign.errors import ForeignError

_SMALL = 16 * 2**20
_HEADER = 64 * 2**10
"""Bytes of a header at most: writers leave statistics of long texts out."""
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12


def find_largest_page(path: Path, chunk: pq.ColumnChunkMetaData) -> int:
    """The most bytes that a page of the column has when it is unpacked; of a small column what all of them have.

    Raises:
        ForeignError: its headers cannot be read.
    """
    if chunk.total_uncompressed_size <= _SMALL:
        return int(chunk.total_uncompressed_size)
    starts = [each for each in (chunk.dictionary_page_offset, chunk.data_page_offset) if each]
    at, end, largest = min(starts), min(starts) + chunk.total_compressed_size, 0
    with path.open("rb") as file:
        while at < end:
            file.seek(at)
            header = _Struct(file.read(min(_HEADER, end - at)))
            try:
                sizes = header.read()
                unpacked, packed = sizes[2], sizes[3]
            except (IndexError, KeyError, RecursionError) as error:
                raise ForeignError(f"{path}: the header of a page at byte {at} cannot be read") from error
            largest = max(largest, unpacked)
            at += header.at + max(0, packed)
    return largest


class _Struct:
    """A struct as Thrift's compact protocol writes it; ``at`` is where reading stands."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def read(self) -> dict[int, int]:
        """Its whole numbers by the fields' ids; all else is passed over.

        Raises:
            IndexError: it ends too early.
        """
        found: dict[int, int] = {}
        field = 0
        while (head := self._byte()) & 15 != _STOP:
            field = field + (head >> 4) if head >> 4 else self._whole()
            if (value := self._value(head & 15)) is not None:
                found[field] = value
        return found

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _whole(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _value(self, kind: int, *, listed: bool = False) -> int | None:
        if kind in (_TRUE, _FALSE):
            self.at += listed
        elif kind in (_BYTE, _DOUBLE):
            self.at += 1 if kind == _BYTE else 8
        elif kind == _BINARY:
            length = self._unsigned()
            self.at += length
        elif kind in (_LIST, _SET):
            head = self._byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self._unsigned()):
                self._value(head & 15, listed=True)
        elif kind == _STRUCT:
            self.read()
        elif kind == _MAP:
            raise IndexError("a header has no maps")
        else:
            return self._whole()
        return None
