"""Which published rows a publish would take away: the ids that go with the files that go and do not come again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import StorageError
from counterfoil.storage.packing import Placed
from counterfoil.storage.parquet import read_columns
from counterfoil.storage.publish import TableFile
from counterfoil.storage.referring import name_parts
from counterfoil.storage.schemas import ID_COLUMN
from counterfoil.storage.spilling import SpilledRows
from counterfoil.storage.staged import WINDOW, StagedShards, split_key
from counterfoil.storage.staged_files import DamagedError, pick_columns

GUARDED = ("anchors", "contrasts")
"""Rejects are no data: what is thrown away may change with every run."""
_COMES, _GOES = 0, 1


@dataclass(frozen=True)
class Change:
    """What a publish makes of one partition's rows. A row that comes again with other checks is not lost."""

    table: str
    partition: str
    before: int
    after: int
    lost: int
    """Rows of before whose ids no row has afterwards."""
    example: str = ""
    """The least id that is lost."""


def find_changes(
    staged: StagedShards, current: Mapping[str, Sequence[TableFile]], want: Mapping[str, Sequence[Placed]]
) -> list[Change]:
    """The changes of all partitions of anchors and contrasts that have rows and get other files.

    Only ids are read, and only of files that come or go; files that are gone or damaged lose what they held.

    Raises:
        StorageError: a staged file is gone.
    """
    changes = []
    for key, files in sorted(want.items()):
        table, partition = split_key(key)
        there = [file for file in current[table] if file.key == key] if table in GUARDED else []
        kept = name_parts(staged, there) & name_parts(staged, files)
        goes = [file for file in there if not kept.issuperset(staged.list_parts(file.path))]
        if not goes:
            continue
        moved = kept & name_parts(staged, goes)  # what lies in another file afterwards
        comes = [placed for placed in files if not placed.names <= kept or placed.names & moved]
        lost, example = _count_lost(staged, table, goes, comes)
        before, after = sum(file.rows for file in there), sum(placed.rows for placed in files)
        changes.append(Change(table, partition, before, after, lost, example))
    return changes


def _count_lost(
    staged: StagedShards, table: str, goes: Sequence[TableFile], comes: Sequence[Placed]
) -> tuple[int, str]:
    """How many ids go and do not come, and the least of them."""
    lost, least = 0, ""
    with SpilledRows() as rows:
        for number, files in ((_GOES, goes), (_COMES, comes)):
            for ids in _read_each(staged, table, files):
                rows.add(pa.table({"id": ids, "of": pa.array(np.full(len(ids), number, np.int8))}))
        for part in rows.parts():
            kinds = part["of"].to_numpy()
            new, old = (part["id"].filter(pa.array(kinds == kind)) for kind in (_COMES, _GOES))
            absent = old.filter(pc.invert(pc.is_in(old, value_set=new.combine_chunks())))
            if len(absent):
                lost += len(absent)
                first = str(pc.min(absent).as_py())
                least = min(least, first) if least else first
    return lost, least


def _read_each(staged: StagedShards, table: str, files: Sequence[Placed | TableFile]) -> Iterable[pa.ChunkedArray]:
    column = ID_COLUMN[table]
    for start in range(0, len(files), WINDOW):
        yield from staged.store.map(lambda file: _read_ids(staged, column, file), files[start : start + WINDOW])


def _read_ids(staged: StagedShards, column: str, file: Placed | TableFile) -> pa.ChunkedArray:
    try:
        if isinstance(file, TableFile):
            return read_columns(staged.store, file.path, [column], file.size)[column]
        if file.is_pack and (pack := staged.packs.get(file.path)) is not None:
            return read_columns(staged.store, file.path, [column], pack.size)[column]
        return pa.concat_tables([pick_columns(staged.packs, part, [column], part.size) for part in file.parts])[column]
    except (FileNotFoundError, DamagedError, pa.ArrowInvalid, OSError) as error:
        if isinstance(file, TableFile):
            return pa.chunked_array([], pa.string())  # its rows cannot be read: they are lost already
        raise StorageError(f"{file.path} is gone from {staged.store.url}: run again to make it anew") from error
