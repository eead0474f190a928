"""The rows of files by their places: one that is damaged or no row of ours is told, and those beside it are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from counterfoil.storage.parquet import UNREADABLE
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.schemas import ID_COLUMN, find_altered, from_table
from counterfoil.tasks.audit.survey import Failure, Rows, word_error


def read_places(
    snapshot: Snapshot, places: Iterable[Rows], failures: list[Failure], *, digests: bool
) -> Iterator[tuple[str | None, Any]]:
    """The rows at ``places`` with the ids that their table gives them; of those that cannot be read, are no row of
    ours, or, with ``digests``, are altered, a failure."""
    for rows in places:
        try:
            table = snapshot.read_rows(rows.table, rows.file, rows.first, rows.count)
        except UNREADABLE as error:
            where = f"{rows.file.path}, rows {rows.first} to {rows.first + rows.count - 1}"
            failures.append(Failure(rows.table, where, (f"damaged: {word_error(error)}",)))
            continue
        ids = table[ID_COLUMN[rows.table]].to_pylist()
        for number in find_altered(table) if digests else ():
            why = "wrong_digest: the row's digest is not that of its other columns"
            failures.append(Failure(rows.table, ids[number] or f"{rows.file.path}, row {rows.first + number}", (why,)))
        try:
            yield from zip(ids, from_table(table, rows.table), strict=True)
            continue
        except (TypeError, ValueError, KeyError):
            pass  # one of them is no row of ours: one by one
        for number in range(table.num_rows):
            try:
                yield ids[number], from_table(table.slice(number, 1), rows.table)[0]
            except (TypeError, ValueError, KeyError) as error:
                where = f"{rows.file.path}, row {rows.first + number}"
                failures.append(Failure(rows.table, where, (f"damaged: {word_error(error)}",)))
