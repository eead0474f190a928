"""`counterfoil verify --hashes`: whether all bytes are those that were published, before any row is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.flaws import find_flaws
from counterfoil.storage.publish import TableFile
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.roots import root_of
from counterfoil.storage.schemas import TABLES, TableName
from counterfoil.storage.seals import find_unsealed
from counterfoil.storage.staged import CHECKED_AT_ONCE
from counterfoil.storage.store import run_parallel
from counterfoil.tasks.audit.survey import Failure


def check_hashes(
    dataset: Dataset, snapshot: Snapshot, on_rows: Callable[[int], None] = lambda _: None
) -> list[Failure]:
    """Files whose bytes are others than were published, with their rows, and tables that have other files than
    their commit's root stands for; and files of their logs that are not as a publish noted them. ``snapshot`` has
    those tables alone whose logs can be read."""
    failures = [Failure(_name_table(path), path, (why,)) for path, why in find_unsealed(dataset.store)]
    dataset.staged.packs.refresh()
    for table in TABLES:
        files = snapshot.files(table)
        failures += _check_root(dataset, snapshot, table, files)

        def check(file: TableFile, table: TableName = table) -> list[Failure]:
            found = list(_check_file(dataset, table, file))
            on_rows(file.rows)
            return found

        # Reading and hashing both leave the interpreter to others.
        for found in run_parallel(check, files, CHECKED_AT_ONCE):
            failures += found
    return failures


def _name_table(path: str) -> str:
    table = path.partition("/")[0]
    return table if table in TABLES else "dataset"


def _check_file(dataset: Dataset, table: str, file: TableFile) -> Iterator[Failure]:
    try:
        for flaw in find_flaws(dataset.staged.packs, file):
            first, last = flaw.rows
            yield Failure(table, f"{file.path}, rows {first} to {last}", (f"wrong_hash: {flaw.why}",))
    except FileNotFoundError:
        yield Failure(table, file.path, (f"gone: its {file.rows} rows are in the table's log alone",))


def _check_root(dataset: Dataset, snapshot: Snapshot, table: TableName, files: list[TableFile]) -> Iterator[Failure]:
    version = snapshot.versions[table]
    if not files:
        return
    said: Any = next(
        (commit.root for commit in dataset.history([table]) if commit.version <= version and commit.root), None
    )
    where = f"{table}/_delta_log"
    if said is None:
        reason = f"no_root: version {version} has none: an older version published it; the next publish writes one"
        yield Failure(table, where, (reason,))
    elif said != (found := root_of(files)):
        reason = f"wrong_root: the files of version {version} have the root {found}, and its commit says {said}"
        yield Failure(table, where, (reason,))
