"""Making staged shards visible: at any moment, and after a crash at any moment, a reader finds the old or the new.

Delta commits one table at a time, and contrasts refer to anchors, so a publish is a short sequence under a redo log:

1. The files move from ``work/`` into their tables' folders, many small ones as one (`storage.packing`), where no reader
   sees them yet.
2. The intent (``work/publish.json``) says which files each partition shall have, and the versions of before. While it
   lies there, readers of this package stay with those versions.
3. Where anchors go away, the contrasts of their domain are withdrawn; then the anchors, the rejects and the new
   contrasts are committed, each table by one commit that removes the old files and adds the new. So even a reader of
   the tables' heads never meets a contrast without its anchor.
4. The intent is removed, and then what is left in ``work/`` of files that lie in packs.

A publish that died between 2 and 4 is finished by whoever publishes next. Commits never merge with a commit that they
did not know of (no retries): a second writer gets a `ConflictError`. An intent is its publish's fencing token: it names
the versions that it builds on, and where a table has since got a commit of another publish it is void (`check_fence`).
So a publisher that was stopped, lost the lock and wakes can neither undo nor mix with what others published meanwhile.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from deltalake import CommitProperties, DeltaTable, Schema
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction, RemoveAction

from counterfoil.storage.errors import ConflictError, StorageError
from counterfoil.storage.logs import INTENT_PATH, explain_torn, find_torn_logs, has_table, head_version
from counterfoil.storage.roots import root_of
from counterfoil.storage.schemas import PARTITION_COLUMN, SCHEMAS, TABLES
from counterfoil.storage.staged import split_key
from counterfoil.storage.store import FULL_DISK, Store, explain_os_error

_CONFIGURATION = {
    # Old versions stay readable by number until `vacuum`, however many commits there are.
    "delta.enableExpiredLogCleanup": "false",
    "delta.checkpointInterval": "50",
}


@dataclass(frozen=True, slots=True)
class TableFile:
    """One Parquet file of a table; ``path`` is relative to the dataset."""

    path: str
    size: int
    rows: int

    @property
    def key(self) -> str:
        """The partition that the file is in, such as ``contrasts/family=geometry.rule``."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True)
class Intent:
    """The redo log of one publish: the files that each named partition shall have, and the versions of before."""

    publish_id: str
    owner: Mapping[str, Any]
    before: Mapping[str, int]
    want: Mapping[str, tuple[TableFile, ...]]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    losing: tuple[str, ...] | None = None
    """The domains that lose anchors; None where only files tell. Files that come to lie in a pack lose none."""


def read_intent(store: Store) -> Intent | None:
    """The intent of a publish that is under way or died."""
    try:
        values = json.loads(store.read(INTENT_PATH))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StorageError(f"{store.url}/{INTENT_PATH} is damaged ({error}): remove it and run again") from error
    want = {key: tuple(TableFile(**file) for file in files) for key, files in values["want"].items()}
    losing = values.get("losing")
    return Intent(
        values["publish_id"],
        values["owner"],
        values["before"],
        want,
        values["metadata"],
        None if losing is None else tuple(losing),
    )


def write_intent(store: Store, intent: Intent) -> None:
    """Write the intent durably: from here on the publish will be finished, by this process or another.

    Raises:
        ConflictError: there is an intent already, of a publisher that came between.
    """
    content = json.dumps(asdict(intent), sort_keys=True).encode()
    if store.folder is not None:
        store.write(INTENT_PATH, content)
    elif not store.create(INTENT_PATH, content):
        raise ConflictError(f"another run began to publish to {store.url} meanwhile: run it again when it is done")


def remove_intent(store: Store, intent: Intent) -> None:
    """Remove the intent, unless it is another's by now."""
    left = read_intent(store)
    if left is not None and left.publish_id == intent.publish_id:
        store.remove(INTENT_PATH)


def check_fence(store: Store, intent: Intent) -> dict[str, int]:
    """The tables' versions, where all commits since the intent's ``before`` are its own.

    Raises:
        ConflictError: another publish committed since; the intent is void, and nothing of it may be carried out.
    """
    heads: dict[str, int] = {}
    for table in TABLES:
        delta = open_table(store, table)
        heads[table] = delta.version()
        since = heads[table] - intent.before.get(table, -1)
        for entry in delta.history(since) if since > 0 else ():
            ours = entry.get("publish_id") == intent.publish_id
            if not ours and entry.get("step", "create") not in ("create", "columns"):
                raise ConflictError(
                    f"another run published to {store.url} since this one began ({table}, version "
                    f"{entry['version']}). Nothing of this run is visible, and what it made is kept: run it again"
                )
    return heads


def carry_out(store: Store, intent: Intent) -> dict[str, int]:
    """Bring the tables to what the intent wants and remove it; the versions afterwards. Harmless to repeat.

    Raises:
        ConflictError: another writer committed meanwhile.
        StorageError: a file that the intent wants is gone, or a table cannot be written.
    """
    try:
        heads = check_fence(store, intent)
    except ConflictError:
        remove_intent(store, intent)
        raise
    _check_present(store, intent)
    want = {table: _select(intent.want, table) for table in TABLES}
    anchors = list_files(open_table(store, "anchors", heads["anchors"]))
    withdrawn = {
        key.partition("=")[2]
        for key, files in want["anchors"].items()
        if {f.path for f in anchors if f.key == key} - {f.path for f in files}
    }
    if intent.losing is not None:
        withdrawn &= set(intent.losing)
    if withdrawn:
        contrasts = open_table(store, "contrasts", heads["contrasts"])
        lost = [f for f in list_files(contrasts) if domain_of(f.key) in withdrawn]
        heads["contrasts"] += _commit(store, contrasts, "contrasts", [], lost, intent, "withdraw")
    tables = {table: open_table(store, table, heads[table]) for table in TABLES[:1] + TABLES[2:] + TABLES[1:2]}
    changes = {table: diff_files(list_files(delta), want[table]) for table, delta in tables.items()}
    after: dict[str, int] = {table: heads[table] + any(changes[table]) for table in TABLES}
    for table, delta in tables.items():
        _commit(store, delta, table, *changes[table], intent, "publish", after)
    remove_intent(store, intent)
    return {table: head_version(store, table) for table in TABLES}


def diff_files(
    current: Iterable[TableFile], want: Mapping[str, tuple[TableFile, ...]]
) -> tuple[list[TableFile], list[TableFile]]:
    """The files to add to and to remove from a table so that the partitions of ``want`` hold exactly its files."""
    active = {file.path: file for file in current}
    wanted = {file.path: file for files in want.values() for file in files if file.rows}
    added = [file for path, file in sorted(wanted.items()) if path not in active]
    removed = [file for path, file in sorted(active.items()) if file.key in want and path not in wanted]
    return added, removed


def domain_of(key: str) -> str:
    """The domain of a partition: of ``contrasts/family=geometry.rule`` it is ``geometry``.

    >>> domain_of("contrasts/family=geometry.rule"), domain_of("anchors/domain=geometry")
    ('geometry', 'geometry')
    """
    return split_key(key)[1].partition(".")[0]


def open_table(store: Store, table: str, version: int | None = None) -> DeltaTable:
    """One of the dataset's tables, at its head or at ``version``.

    Raises:
        StorageError: there is no such table or version.
    """
    try:
        return DeltaTable(store.table_uri(table), version=version, storage_options=store.delta_options or None)
    except (DeltaError, OSError) as error:
        at = "" if version is None else f" at version {version}"
        torn = find_torn_logs(store, table, head_version(store, table) if version is None else version)
        if torn:
            raise explain_torn(store, table, *max(torn.items())) from error
        raise StorageError(
            f"cannot read {table}{at} of {store.url}: {_flatten(error)}. "
            "`history` lists the versions; those of before a vacuum may be gone"
        ) from error


def list_files(table: DeltaTable) -> list[TableFile]:
    """A table version's active files, sorted by path."""
    import pyarrow as pa

    name = table.table_uri.rstrip("/").rpartition("/")[2]
    # Not by `pa.table`, which imports pandas to ask whether it is given one of its frames.
    added = pa.RecordBatchReader.from_stream(table.get_add_actions(flatten=True)).read_all()
    actions = added.select(["path", "size_bytes", "num_records"]).to_pylist()
    files = (TableFile(f"{name}/{row['path']}", row["size_bytes"], row["num_records"]) for row in actions)
    return sorted(files, key=lambda file: file.path)


def create_tables(store: Store) -> None:
    """Make the tables that are absent, empty, and give those of older versions the columns that came since."""
    for table in TABLES:
        if has_table(store, table):
            _add_columns(store, table)
        else:
            with _explain(store, table):
                DeltaTable.create(
                    store.table_uri(table),
                    SCHEMAS[table],
                    mode="ignore",
                    partition_by=[PARTITION_COLUMN[table]],
                    name=table,
                    configuration=_CONFIGURATION,
                    storage_options=store.delta_options or None,
                )


def _add_columns(store: Store, table: str) -> None:
    """One commit that tells readers of the columns that the table lacks; its files stay, and hold null there."""
    delta = open_table(store, table)
    known = {field.name for field in delta.schema().fields}
    wanted = Schema.from_arrow(SCHEMAS[table]).fields
    missing = [field for field in wanted if field.name not in known]
    if missing:
        with _explain(store, table):
            delta.alter.add_columns(
                missing,
                commit_properties=CommitProperties(custom_metadata={"step": "columns"}, max_commit_retries=0),
            )


def _commit(
    store: Store,
    delta: DeltaTable,
    table: str,
    added: list[TableFile],
    removed: list[TableFile],
    intent: Intent,
    step: str,
    after: Mapping[str, int] | None = None,
) -> int:
    """Commit on top of the version that ``delta`` is open at, and of no other; how many commits that made.

    ``after``: the versions of all tables once the publish is done, for `counterfoil.storage.logs.find_lost`.
    """
    if not added and not removed:
        return 0
    column, now = PARTITION_COLUMN[table], int(time.time() * 1000)
    files = {file.path: file for file in [*list_files(delta), *added]}
    kept = [files[path] for path in files.keys() - {file.path for file in removed}]
    actions: list[AddAction | RemoveAction] = [
        RemoveAction(_relative(file), True, now, file.size, {column: split_key(file.key)[1]}) for file in removed
    ]
    for file in added:
        stats = json.dumps({"numRecords": file.rows})
        actions.append(AddAction(_relative(file), file.size, {column: split_key(file.key)[1]}, now, True, stats))
    metadata = {
        "counterfoil": dict(intent.metadata),
        "publish_id": intent.publish_id,
        "step": step,
        "versions": dict(after or {}),
        "partitions": sorted({split_key(file.key)[1] for file in [*added, *removed]}),
        "rows_added": sum(file.rows for file in added),
        "rows_removed": sum(file.rows for file in removed),
        "root": root_of(kept),
    }
    with _explain(store, table):
        delta.create_write_transaction(
            actions,
            mode="append",
            schema=SCHEMAS[table],
            partition_by=[column],
            commit_properties=CommitProperties(custom_metadata=metadata, max_commit_retries=0),
        )
    return 1


def write_note(store: Store, metadata: Mapping[str, Any]) -> None:
    """Commit ``metadata`` alone: a version of the contrasts table with the same files.

    Raises:
        ConflictError: another writer committed meanwhile.
    """
    with _explain(store, "contrasts"):
        open_table(store, "contrasts").create_write_transaction(
            [],
            mode="append",
            schema=SCHEMAS["contrasts"],
            partition_by=[PARTITION_COLUMN["contrasts"]],
            commit_properties=CommitProperties(
                custom_metadata={"counterfoil": dict(metadata), "step": "note"}, max_commit_retries=0
            ),
        )


@contextlib.contextmanager
def _explain(store: Store, table: str) -> Iterator[None]:
    """Turns delta-rs's errors into ours. They carry no errno, and a tree of causes drawn in colour."""
    where = f"{store.url.rstrip('/')}/{table}"
    try:
        yield
    except CommitFailedError as error:
        raise ConflictError(
            f"another run committed to {where} during this publish ({_flatten(error)}). "
            "What this run made is kept: run it again"
        ) from error
    except (OSError, DeltaError) as error:
        full = next((code for code in FULL_DISK if os.strerror(code) in str(error)), None)
        if full is not None:
            raise explain_os_error(OSError(full, os.strerror(full)), "writing", where) from error
        raise StorageError(f"cannot use {where}: {_flatten(error)}") from error


def _flatten(error: BaseException) -> str:
    """The error in one line, without the colours and the frames of C that delta-rs may print with it."""
    plain = re.sub(r"\s+", " ", re.sub(r"\x1b\[\d+m", "", str(error)))
    return re.sub(r"( stack backtrace:)? 0: (<unknown>|\S+) 1: .*", "", plain).strip().rstrip(".")


def _check_present(store: Store, intent: Intent) -> None:
    sizes = store.measure(file.path for files in intent.want.values() for file in files)
    for files in intent.want.values():
        for file in files:
            if file.rows and sizes.get(file.path) != file.size:
                raise StorageError(
                    f"{file.path} of {store.url} is gone or damaged, so the publish that wants it cannot be finished: "
                    f"remove {INTENT_PATH} and run the recipe again"
                )


def _select(want: Mapping[str, tuple[TableFile, ...]], table: str) -> dict[str, tuple[TableFile, ...]]:
    return {key: files for key, files in want.items() if split_key(key)[0] == table}


def _relative(file: TableFile) -> str:
    return file.path.partition("/")[2]
