"""Tables as Parquet bytes that depend on their rows alone: the same rows, the same bytes and SHA-256.

(Beside the rows, the bytes depend on the versions of pyarrow and of this module, which ``constraints.txt`` and
``PARQUET_VERSION`` hold still.)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from counterfoil.storage.store import Store

PARQUET_VERSION = 1
"""Bump when the settings below change: fingerprints that take it in then miss the files of older settings."""

ROW_GROUP_BYTES = 8 << 20
"""A reader holds about one row group, so this bounds its memory."""
ROW_GROUP_ROWS = 4096
SMALL = 128 << 10
"""A file up to this size takes less time to fetch than a second and a third request take to answer, by far."""
FETCHED_WHOLE = 1 << 20
"""The same of a file of which some columns are wanted: 32 of them are held at once, so they may be larger."""
UNREADABLE = (OSError, pa.ArrowException, ValueError, KeyError, IndexError, OverflowError)
"""What pyarrow raises of a damaged file: of a name that is no UTF-8 it is a ValueError."""
_LOOKED_UP = ("anchor_id", "contrast_id", "reject_id", "source_id", "split", "rank")
"""Columns that readers filter by; statistics of the others (whole SVGs) would only grow the footer."""
_NEVER_COMPRESSED = ("image.bytes",)
"""PNG and JPEG are compressed already; a second pass costs time and gains nothing."""


def encode_table(table: pa.Table) -> bytes:
    """The table as Parquet: zstd but for pictures, page checksums, row groups of about ``ROW_GROUP_BYTES``."""
    sink = pa.BufferOutputStream()
    with open_writer(sink, table.schema) as writer:
        table = table.combine_chunks()
        rows = choose_row_group_rows(table)
        for start in range(0, table.num_rows, rows):
            writer.write_table(table.slice(start, rows), row_group_size=rows)
    return bytes(sink.getvalue())


def open_writer(sink: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """A Parquet writer with the settings that every file of ours has."""
    leaves = [path for field in schema for path in _list_leaves(field.name, field.type)]
    return pq.ParquetWriter(
        sink,
        schema,
        version="2.6",
        data_page_version="1.0",
        compression={leaf: "NONE" if leaf in _NEVER_COMPRESSED else "ZSTD" for leaf in leaves},
        compression_level={leaf: 3 for leaf in leaves if leaf not in _NEVER_COMPRESSED},
        use_dictionary=[leaf for leaf in leaves if leaf not in _NEVER_COMPRESSED],
        write_statistics=[leaf for leaf in leaves if leaf in _LOOKED_UP],
        write_page_checksum=True,
        store_schema=True,
    )


def choose_row_group_rows(table: pa.Table) -> int:
    """How many rows of this table make a row group; from its contents alone."""
    if not table.num_rows:
        return 1
    per_row: int = max(1, table.nbytes // table.num_rows)
    return max(1, min(ROW_GROUP_ROWS, ROW_GROUP_BYTES // per_row))


def decode_table(
    content: bytes | pa.Buffer, columns: list[str] | None = None, schema: pa.Schema | None = None
) -> pa.Table:
    """The table in Parquet bytes; page checksums are verified. Columns of ``schema`` that it lacks are null.

    Raises:
        pyarrow.ArrowInvalid, OSError: the bytes are not whole.
    """
    with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
        # By the calling thread alone: many small files are read at once, and handing columns on takes longer than they.
        table = file.read(columns, use_threads=False)
    if schema is None:
        return table if columns is None else table.select(columns)
    fields = [*schema] if columns is None else [schema.field(name) for name in columns]
    held = set(table.column_names)
    arrays = [
        table[each.name].cast(each.type) if each.name in held else pa.nulls(table.num_rows, each.type)
        for each in fields
    ]
    return pa.table(arrays, schema=pa.schema(fields))


def read_columns(store: Store, path: str, columns: list[str], size: int | None = None) -> pa.Table:
    """Some columns of a file where it lies: the footer and those columns' pages are fetched, and no picture.

    On an object store that is three requests; a file whose ``size`` in bytes is known and small is fetched whole, by
    one. Page checksums are verified.

    Raises:
        FileNotFoundError: there is no such file.
        pyarrow.ArrowInvalid, OSError: the bytes are not whole.
    """
    if store.folder is None and size is not None and size <= FETCHED_WHOLE:
        return decode_table(store.read(path), columns)
    with (
        store.arrow_filesystem.open_input_file(store.locate(path)) as source,
        pq.ParquetFile(source, pre_buffer=True, page_checksum_verification=True) as file,
    ):
        return file.read(columns, use_threads=False)


def read_form(store: Store, path: str) -> pa.Schema:
    """A file's columns and their types, from its footer.

    Raises:
        FileNotFoundError: there is no such file.
        pyarrow.ArrowInvalid, OSError: the footer is not whole.
    """
    with store.arrow_filesystem.open_input_file(store.locate(path)) as source:
        return pq.read_schema(source)


def read_rows(
    store: Store, path: str, first: int, rows: int, columns: Sequence[str] | None = None, *, checked: bool = True
) -> pa.Table:
    """Some of a file's rows where it lies: only the row groups that hold them are fetched, page checksums ``checked``.

    Raises:
        FileNotFoundError: there is no such file.
        pyarrow.ArrowInvalid, OSError: the bytes are not whole.
    """
    with (
        store.arrow_filesystem.open_input_file(store.locate(path)) as source,
        pq.ParquetFile(source, pre_buffer=True, page_checksum_verification=checked) as file,
    ):
        start, begins = 0, 0
        groups: list[int] = []
        for number in range(file.num_row_groups):
            end = start + file.metadata.row_group(number).num_rows
            if start < first + rows and end > first:
                begins = begins if groups else start
                groups.append(number)
            start = end
        wanted = None if columns is None else list(columns)
        return file.read_row_groups(groups, wanted, use_threads=False).slice(first - begins, rows)


def hash_bytes(content: bytes | memoryview) -> str:
    """SHA-256 as 64 hex digits."""
    return hashlib.sha256(content).hexdigest()


def hash_file(path: Path) -> str:
    """SHA-256 of a local file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _list_leaves(path: str, kind: Any) -> list[str]:
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in _list_leaves(f"{path}.{field.name}", field.type)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _list_leaves(f"{path}.list.element", kind.value_type)
    return [path]
