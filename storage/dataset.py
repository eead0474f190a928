"""A dataset: three Delta tables and the staged shards beside them, in a folder or at an fsspec URL.

>>> dataset = Dataset("data/night")                                             # doctest: +SKIP
>>> began = dataset.begin()                                                     # doctest: +SKIP
>>> dataset.publish({"contrasts/family=geometry.rule": fingerprints}, expect=began)  # doctest: +SKIP
>>> for contrast in dataset.contrasts("geometry.rule"): ...                     # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from storage.errors import ConflictError, StorageError
from storage.locks import WAIT_S, hold_publish_lock
from storage.owners import describe_owner
from storage.parquet import read_columns
from storage.publish import (
    Intent,
    TableFile,
    carry_out,
    create_tables,
    diff_files,
    domain_of,
    has_table,
    head_version,
    list_files,
    open_table,
    read_intent,
    write_intent,
    write_note,
)
from storage.reading import BATCH_ROWS, Counts, Snapshot
from storage.referring import count_problems
from storage.rows import Anchor, Contrast, Reject
from storage.schemas import TABLES, TableName
from storage.spilling import SpilledRows
from storage.staged import WINDOW, StagedFile, StagedShard, StagedShards, split_key
from storage.store import run_parallel
from storage.versions import Commit, Difference, check_present, diff_snapshots, list_kept

if TYPE_CHECKING:
    from pyarrow.dataset import Expression

__all__ = ["ActiveFile", "Commit", "ConflictError", "Dataset", "Difference", "Published", "StorageError"]

log = logging.getLogger("counterfoil.storage")

Replacements = Mapping[str, Sequence[str]]
"""Partition (``contrasts/family=geometry.rule``) to the fingerprints of its shards; no shards empty it."""


@dataclass(frozen=True)
class Published:
    """What a publish did. ``stale`` names families whose anchors went away and that were not part of it."""

    versions: Mapping[str, int]
    changed: bool
    rows: Mapping[str, int]
    """Partition to the rows that it has now."""
    stale: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActiveFile:
    """A file that readers see; ``sha256`` is of its bytes as they lie there now."""

    table: str
    partition: str
    path: str
    rows: int
    size: int
    sha256: str


class Dataset:
    """The tables at ``url``. Readers see the state before or after a publish, never one in between."""

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        self.staged = StagedShards(url, options)
        self.store = self.staged.store

    def exists(self) -> bool:
        """Whether anything was ever published here."""
        return all(has_table(self.store, table) for table in TABLES)

    def snapshot(self, versions: Mapping[str, int] | None = None) -> Snapshot:
        """The dataset as it is now, or with some tables at older versions, fixed for all that is read of it.

        A snapshot goes on while others publish: they add files and remove none, which `vacuum` alone does.

        Raises:
            StorageError: there is no such version, or a vacuum removed files of it.
        """
        now = Snapshot(self.store, self.versions())
        if not versions:
            return now
        for table, version in versions.items():
            newest = now.versions.get(table)
            if newest is None:
                raise StorageError(f"there is no table {table}: the tables are {', '.join(TABLES)}")
            if not 0 <= version <= newest:
                raise StorageError(
                    f"{self.store.url} has no version {version} of {table}: its versions are 0 to {newest}"
                )
        then = Snapshot(self.store, {**now.versions, **versions})
        for table in TABLES:
            if versions.get(table, now.versions[table]) != now.versions[table]:
                check_present(self.store, table, then.versions[table], then.files(table))
        return then

    def versions(self) -> dict[str, int]:
        """The version of each table that readers see (-1: no table), all at one moment."""
        for _ in range(1000):
            intent = read_intent(self.store)
            heads = dict(intent.before) if intent else self._heads()
            again = read_intent(self.store)
            if intent is not None:
                if again is not None and again.publish_id == intent.publish_id:
                    return heads
            elif again is None and heads == self._heads():
                return heads
        raise StorageError(f"{self.store.url} changes too fast to be read: something publishes to it without a pause")

    def _heads(self) -> dict[str, int]:
        return {table: head_version(self.store, table) for table in TABLES}

    def scan(
        self,
        table: TableName,
        columns: Sequence[str] | None = None,
        filter: Expression | None = None,
        batch_size: int = BATCH_ROWS,
        partition: str | None = None,
        version: int | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """`Snapshot.scan` of the present state, or of an older ``version`` of the table."""
        snapshot = self.snapshot({table: version} if version is not None else None)
        return snapshot.scan(table, columns, filter, batch_size, partition)

    def anchors(self, domain: str | None = None) -> Iterator[Anchor]:
        """The anchors, or those of one domain."""
        return self.snapshot().anchors(domain)

    def contrasts(self, family: str | None = None) -> Iterator[Contrast]:
        """The contrasts, or those of one family."""
        return self.snapshot().contrasts(family)

    def rejects(self, family: str | None = None) -> Iterator[Reject]:
        """What was thrown away, or what of one family."""
        return self.snapshot().rejects(family)

    def find_row(self, row_id: str) -> Anchor | Contrast | Reject:
        """`Snapshot.find_row` of the present state."""
        return self.snapshot().find_row(row_id)

    def counts(self) -> Counts:
        """`Snapshot.counts` of the present state."""
        return self.snapshot().counts()

    def active_files(self) -> list[ActiveFile]:
        """All files that readers see, with the SHA-256 of their bytes."""
        snapshot = self.snapshot()
        return [
            ActiveFile(table, split_key(f.key)[1], f.path, f.rows, f.size, self._hash_file(f.path))
            for table in TABLES
            for f in snapshot.files(table)
        ]

    def history(self) -> list[Commit]:
        """Every commit of the three tables, newest first."""
        commits = []
        for table in TABLES:
            for entry in open_table(self.store, table).history() if has_table(self.store, table) else ():
                vacuumed = str(entry.get("operation", "")).startswith("VACUUM")
                commits.append(
                    Commit(
                        table,
                        entry["version"],
                        entry["timestamp"],
                        "vacuum" if vacuumed else str(entry.get("step", "create")),
                        entry.get("counterfoil", {}),
                        tuple(entry.get("partitions", ())),
                        entry.get("rows_added", 0),
                        entry.get("rows_removed", 0),
                        entry.get("publish_id"),
                    )
                )
        return sorted(commits, key=lambda commit: (commit.timestamp_ms, commit.table, commit.version), reverse=True)

    def is_readable(self, table: TableName, version: int) -> bool:
        """Whether all files of an older version are there still."""
        try:
            self.snapshot({table: version})
        except StorageError:
            return False
        return True

    def diff(
        self, table: TableName, before: int, after: int | None = None, partition: str | None = None
    ) -> list[Difference]:
        """What changed in a table from version ``before`` to ``after`` (the newest), for each domain or family.

        Raises:
            StorageError: there is no such version or partition, or the version was vacuumed.
        """
        newest = self.snapshot({table: after}) if after is not None else self.snapshot()
        return diff_snapshots(self.snapshot({table: before}), newest, table, partition)

    def shards(self, table: TableName, partition: str) -> list[tuple[str, int]]:
        """The published shards of a partition: a fingerprint that `StagedShards.find` finds, and its rows."""
        key = f"{table}/{'domain' if table == 'anchors' else 'family'}={partition}"
        found = []
        for file in self.snapshot().files(table, partition):
            fingerprint = file.path.rpartition("/")[2].partition("-")[0]
            shard = self.staged.find(fingerprint)
            if shard is None or key not in shard.files or shard.files[key].table_path != file.path:
                fingerprint = self.staged.adopt(file.path)
            found.append((fingerprint, file.rows))
        return found

    def begin(self, wait_s: float = WAIT_S) -> dict[str, int]:
        """Finish a publish that died, and return the versions for `publish`'s ``expect``. Call it as a run begins.

        Raises:
            ConflictError: another run is publishing.
        """
        if read_intent(self.store) is not None:
            with hold_publish_lock(self.store, wait_s):
                self._finish_dead()
        return self.versions()

    def unfinished(self) -> str | None:
        """What to tell of a publish that is under way or died; None where there is none."""
        intent = read_intent(self.store)
        if intent is None:
            return None
        return (
            f"a publish by process {intent.owner.get('pid')} on {intent.owner.get('host')} of "
            f"{', '.join(sorted(intent.want))} is not finished: readers see the versions of before, and the next run "
            "finishes it"
        )

    def publish(
        self,
        replacements: Replacements,
        *,
        metadata: Mapping[str, Any] | None = None,
        expect: Mapping[str, int] | None = None,
        wait_s: float = WAIT_S,
    ) -> Published:
        """Replace the partitions of ``replacements`` by the files of staged shards, all at once for readers.

        A family's rejects are taken from the same shards unless ``rejects/family=...`` is given apart. Where anchors
        of a domain go away, families of that domain that are not replaced too are stale and are removed; `Published`
        names them. ``expect`` is what `begin` returned. The same files again change nothing and commit nothing.

        Raises:
            ConflictError: another run publishes now, has replaced the same partitions since ``expect``, or has
                replaced the anchors that the contrasts refer to.
            StorageError: a shard is not staged, an anchor is there twice, or the disk is full.
        """
        want = self._gather(replacements)
        with hold_publish_lock(self.store, wait_s):
            messages = self._finish_dead()
            create_tables(self.store)
            self.store.sweep_temporaries()
            current: dict[str, list[TableFile]] = {table: list_files(open_table(self.store, table)) for table in TABLES}
            stale = self._find_stale(current, want)
            for family in stale:
                messages.append(
                    f"{family} is removed: anchors of {family.partition('.')[0]} that it refers to went away, "
                    f"and this run did not make it anew. `counterfoil regenerate {family}` does"
                )
                want[f"contrasts/family={family}"] = []
                want.setdefault(f"rejects/family={family}", [])
            placed = {key: tuple(TableFile(f.table_path, f.size, f.rows) for f in files) for key, files in want.items()}
            changed = any(any(diff_files(current[table], _of_table(placed, table))) for table in TABLES)
            if changed:
                self._check_expected(expect, current, placed)
                self._check_rows(current, want)
            self._place([file for files in want.values() for file in files])
            versions = self._heads()
            if changed:
                intent = Intent(_new_id(), describe_owner(), versions, placed, dict(metadata or {}))
                write_intent(self.store, intent)
                versions = carry_out(self.store, intent)
        rows = {key: sum(file.rows for file in files) for key, files in want.items()}
        return Published(versions, changed, rows, tuple(stale), tuple(messages))

    def note(self, metadata: Mapping[str, Any], wait_s: float = WAIT_S) -> dict[str, int]:
        """Keep what a run says of itself where it had no new row to publish; the versions afterwards.

        Raises:
            ConflictError: another run publishes now.
        """
        with hold_publish_lock(self.store, wait_s):
            self._finish_dead()
            write_note(self.store, metadata)
            return self._heads()

    def vacuum(self, retention_hours: float = 168, dry_run: bool = False, keep: int | None = None) -> list[str]:
        """Remove files of tables that no kept version uses, and staged shards older than ``retention_hours``.

        Kept are the states after the ``keep`` newest publishes, whatever the age of the others; without ``keep``, the
        present state, and files that were replaced less than ``retention_hours`` ago. Who reads an older version, or
        began to, meets a `StorageError`. Returns what was (would be) removed.

        Raises:
            StorageError: ``keep`` is under 1.
            ConflictError: another run publishes now.
        """
        if keep is not None and keep < 1:
            raise StorageError(f"cannot keep {keep} versions: 1 is the present one alone")
        removed: list[str] = []
        with hold_publish_lock(self.store):
            self._finish_dead()
            if not self.exists():
                return removed
            kept = list_kept(self.history(), keep) if keep is not None else {}
            active = {file.path for table in TABLES for file in list_files(open_table(self.store, table))}
            for table in TABLES:
                delta = open_table(self.store, table)
                # What a conflict left beside the table is in no log, so only a look at the whole folder finds it.
                gone = delta.vacuum(
                    0 if keep is not None else int(retention_hours),
                    dry_run=True,
                    enforce_retention_duration=False,
                    full=keep is not None,
                    keep_versions=kept.get(table) or None,
                )
                present = set(self.store.list(table))
                removed += sorted(path for each in gone if (path := f"{table}/{each}") in present)
            if not dry_run:
                run_parallel(self.store.remove, removed)
            removed += self.staged.vacuum(active, retention_hours, dry_run)
        return removed

    def _finish_dead(self) -> list[str]:
        """Under the lock: finish the publish that a dead process left, if there is one."""
        intent = read_intent(self.store)
        if intent is None:
            return []
        who = f"a publish that process {intent.owner.get('pid')} on {intent.owner.get('host')} left"
        create_tables(self.store)
        try:
            carry_out(self.store, intent)
            message = f"{who} was finished"
        except ConflictError:
            if read_intent(self.store) is not None:
                raise
            message = f"{who} was dropped: another had published since it began"
        log.warning("%s: %s", self.store.url, message)
        return [message]

    def _gather(self, replacements: Replacements) -> dict[str, list[StagedFile]]:
        """The files of each partition, from the shards' manifests."""
        named = list(dict.fromkeys(each for fingerprints in replacements.values() for each in fingerprints))
        shards = dict(zip(named, self.store.map(self._peek, named), strict=True))
        want: dict[str, list[StagedFile]] = {}
        for key, fingerprints in replacements.items():
            table, value = split_key(key)
            keys = [(key, table != "rejects")]
            rejects = f"rejects/family={value}.anchor" if table == "anchors" else f"rejects/family={value}"
            if table != "rejects" and rejects not in replacements:
                keys.append((rejects, False))
            for wanted, required in keys:
                files = want.setdefault(wanted, [])
                for fingerprint in dict.fromkeys(fingerprints):
                    shard = shards[fingerprint]
                    if wanted in shard.files:
                        files.append(shard.files[wanted])
                    elif required:
                        raise StorageError(f"shard {fingerprint[:12]} has no {wanted}; it has {', '.join(shard.files)}")
        return want

    def _peek(self, fingerprint: str) -> StagedShard:
        shard = self.staged.peek(fingerprint)
        if shard is None:
            raise StorageError(f"shard {fingerprint[:12]} is not staged in {self.store.url}: run its stage first")
        return shard

    def _find_stale(
        self, current: Mapping[str, Sequence[TableFile]], want: Mapping[str, Sequence[StagedFile]]
    ) -> list[str]:
        """Families, not replaced, of domains that lose a file of anchors."""
        kept = {file.table_path for files in want.values() for file in files}
        lost = {domain_of(f.key) for f in current["anchors"] if f.key in want and f.path not in kept}
        there = {split_key(file.key)[1] for file in current["contrasts"] if domain_of(file.key) in lost}
        return sorted(family for family in there if f"contrasts/family={family}" not in want)

    def _check_expected(
        self,
        expect: Mapping[str, int] | None,
        current: Mapping[str, Sequence[TableFile]],
        want: Mapping[str, Sequence[TableFile]],
    ) -> None:
        """Refuse to replace what another run replaced since this one began."""
        for table, version in (expect or {}).items():
            then = list_files(open_table(self.store, table, version)) if version >= 0 else []
            for key in want:
                if split_key(key)[0] != table:
                    continue
                if [f.path for f in then if f.key == key] != [f.path for f in current[table] if f.key == key]:
                    raise ConflictError(
                        f"another run replaced {key} of {self.store.url} since this one began (version {version}). "
                        "Nothing of this run is visible, and what it made is kept: run it again to replace the other's"
                    )

    def _check_rows(self, current: Mapping[str, Sequence[TableFile]], want: Mapping[str, Sequence[StagedFile]]) -> None:
        """Refuse anchors that are there twice, and contrasts of anchors that will not be there.

        Ids alone are read, and none where nothing comes or goes: what is there passed this check as it came.
        """
        domains = sorted({domain_of(key) for key in want if not key.startswith("rejects/")})
        for domain in domains:
            self._check_domain(domain, current, {key: files for key, files in want.items() if domain_of(key) == domain})

    def _check_domain(
        self, domain: str, current: Mapping[str, Sequence[TableFile]], want: Mapping[str, Sequence[StagedFile]]
    ) -> None:
        key = f"anchors/domain={domain}"
        there = [file for file in current["anchors"] if file.key == key]
        kept: Sequence[StagedFile | TableFile] = want.get(key, there)
        active = {file.path for file in [*there, *current["contrasts"]]}
        new = {each for each in (_find_end(file) for file in kept) if each not in active}
        gone = {file.path for file in there} - {_find_end(file) for file in kept}
        families = {
            each: [file for file in files if gone or file.table_path not in active]
            for each, files in want.items()
            if each.startswith("contrasts/")
        }
        referring = {each: files for each, files in families.items() if files}
        if not new and not referring:
            return
        with SpilledRows() as ids:
            for number, files in enumerate([kept, *referring.values()]):
                for found in self._read_each(files):
                    ids.add(pa.table({"anchor_id": found, "of": pa.array([number] * len(found), pa.int32())}))
            problems = count_problems(ids.parts(), len(referring))
        if problems[0].count:
            twice = problems[0]
            raise StorageError(
                f"anchor {twice.example} and {twice.count - 1} others are in {key} twice: keep each anchor once"
            )
        for each, absent in zip(referring, problems[1:], strict=True):
            if absent.count:
                raise ConflictError(
                    f"{absent.count} anchors that {each} refers to (such as {absent.example}) are not in "
                    f"{self.store.url}: another run replaced them since this one began. Run it again"
                )

    def _read_each(self, files: Sequence[StagedFile | TableFile]) -> Iterator[pa.Array]:
        """The ids of each file, many files at once."""
        for start in range(0, len(files), WINDOW):
            yield from self.store.map(self._read_ids, files[start : start + WINDOW])

    def _read_ids(self, file: StagedFile | TableFile) -> pa.Array:
        """The distinct anchor ids of a contrasts file, or all ids of an anchors file."""
        paths = (file.path,) if isinstance(file, TableFile) else (file.staged_path, file.table_path)
        for path in paths:
            try:
                column = read_columns(self.store, path, ["anchor_id"], file.size)["anchor_id"].combine_chunks()
            except FileNotFoundError:
                continue
            return column if file.key.startswith("anchors/") else pc.unique(column)
        raise StorageError(f"{paths[-1]} is gone from {self.store.url}: run again to make it anew")

    def _place(self, files: Sequence[StagedFile]) -> None:
        """Move staged files into their tables' folders; those that moved before stay."""
        sizes = self.store.measure(path for file in files for path in (file.staged_path, file.table_path))
        for file in files:
            if file.staged_path not in sizes and sizes.get(file.table_path) != file.size:
                raise StorageError(f"{file.table_path} is gone from {self.store.url}: run again to make it anew")
        staged = {file.staged_path: file for file in files if file.staged_path in sizes}
        self.store.move_all([(file.staged_path, file.table_path) for file in staged.values()])

    def _hash_file(self, path: str) -> str:
        digest = hashlib.sha256()
        with self.store.open(path) as source:
            while block := source.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()


def _find_end(file: StagedFile | TableFile) -> str:
    """Where the file lies once it is published."""
    return file.path if isinstance(file, TableFile) else file.table_path


def _of_table(placed: Mapping[str, tuple[TableFile, ...]], table: str) -> dict[str, tuple[TableFile, ...]]:
    return {key: files for key, files in placed.items() if split_key(key)[0] == table}


def _new_id() -> str:
    import uuid

    return uuid.uuid4().hex
