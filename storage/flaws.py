"""Which files of a table have other bytes than were published, and which of their rows cannot be trusted.

A file's bytes are read once and hashed, without a look at any row; of one that is not as its name or record says, page
checksums tell the damaged pages and, where these can still be read, digests the rows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.storage.packs import Packs
from counterfoil.storage.parquet import UNREADABLE, hash_file, read_rows
from counterfoil.storage.publish import TableFile
from counterfoil.storage.schemas import PARTITION_COLUMN, find_altered
from counterfoil.storage.staged import split_key

_NAMED = re.compile(r"[0-9a-f]{8,64}-([0-9a-f]{16})\.parquet")
"""A file by itself: its shard's fingerprint, and the start of the SHA-256 of its bytes."""


@dataclass(frozen=True)
class Flaw:
    """What of a file is not as it was written; ``rows`` are those that cannot be trusted, from 0, the last with it."""

    path: str
    rows: tuple[int, int]
    why: str


def find_flaws(packs: Packs, file: TableFile) -> Iterator[Flaw]:
    """Where a file's bytes are not those that its name or record says: the rows of the pages that are damaged, or all.

    A file without name or record of that kind is read whole, and its pages' checksums alone are verified.

    Raises:
        FileNotFoundError: it is gone.
    """
    name = file.path.rpartition("/")[2]
    named, pack = _NAMED.fullmatch(name), packs.get(file.path)
    due = named[1] if named else pack.sha256 if pack is not None else ""
    found = _hash(packs, file.path)
    if due and found.startswith(due):
        return
    damaged = list(_read_pages(packs, file))
    for rows, why in damaged:
        yield Flaw(file.path, rows, why)
    if due and not damaged:
        why = f"its bytes have the SHA-256 {found[:16]}, and not {due[:16]}"
        yield Flaw(file.path, (0, max(0, file.rows - 1)), why)


def _hash(packs: Packs, path: str) -> str:
    store = packs.store
    if store.folder is not None:
        return hash_file(store.folder / path)
    return hashlib.sha256(store.read(path)).hexdigest()


def _read_pages(packs: Packs, file: TableFile) -> Iterator[tuple[tuple[int, int], str]]:
    """The row groups and columns that cannot be read."""
    store, first = packs.store, 0
    last = max(0, file.rows - 1)
    try:
        with (
            store.arrow_filesystem.open_input_file(store.locate(file.path)) as source,
            pq.ParquetFile(source, page_checksum_verification=True) as parquet,
        ):
            for number in range(parquet.num_row_groups):
                rows = parquet.metadata.row_group(number).num_rows
                broken = list(_find_broken(parquet, number, parquet.schema_arrow.names))
                if broken:
                    altered = _find_altered(packs, file, first, rows)
                    for start, end in altered or [(first, first + rows - 1)]:
                        yield (start, end), f"damaged in {', '.join(broken)}"
                first += rows
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        yield (min(first, last), last), f"cannot be read: {' '.join(str(error).split())[:200]}"


def _find_altered(packs: Packs, file: TableFile, first: int, rows: int) -> list[tuple[int, int]]:
    """The rows that are not as their digests say, where the pages can be read in spite of their checksums."""
    table, value = split_key(file.key)
    try:
        found = read_rows(packs.store, file.path, first, rows, checked=False)
        whole = found.append_column(PARTITION_COLUMN[table], pa.array([value] * rows, pa.string()))
        return [(first + at, first + at) for at in find_altered(whole)]
    except UNREADABLE:
        return []


def _find_broken(parquet: pq.ParquetFile, number: int, columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        try:
            parquet.read_row_group(number, [column], use_threads=False)
        except UNREADABLE:
            yield column
