"""A dataset: three Delta tables and the staged shards beside them, in a folder or at an fsspec URL.

>>> dataset = Dataset("data/night")                                             # doctest: +SKIP
>>> began = dataset.begin()                                                     # doctest: +SKIP
>>> dataset.publish({"contrasts/family=geometry.rule": fingerprints}, expect=began)  # doctest: +SKIP
>>> for contrast in dataset.contrasts("geometry.rule"): ...                     # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
import logging
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake.exceptions import DeltaError

from counterfoil.storage.errors import ConflictError, StorageError
from counterfoil.storage.locks import WAIT_S, hold_publish_lock
from counterfoil.storage.logs import (
    check_log,
    explain_torn,
    find_torn_logs,
    has_table,
    head_version,
    is_torn,
    mend_logs,
)
from counterfoil.storage.losing import Change, find_changes
from counterfoil.storage.manifests import manifest_path
from counterfoil.storage.owners import describe_owner
from counterfoil.storage.packing import (
    Placed,
    describe_files,
    fold_shards,
    list_leftovers,
    place_alone,
    place_packs,
    plan_files,
)
from counterfoil.storage.publish import (
    Intent,
    TableFile,
    carry_out,
    create_tables,
    diff_files,
    domain_of,
    list_files,
    open_table,
    read_intent,
    write_intent,
    write_note,
)
from counterfoil.storage.reading import BATCH_ROWS, Counts, Snapshot
from counterfoil.storage.referring import check_rows, name_parts
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.storage.schemas import TABLES, TableName
from counterfoil.storage.seals import seal_logs
from counterfoil.storage.staged import StagedShard, StagedShards, split_key
from counterfoil.storage.store import run_parallel
from counterfoil.storage.versions import Commit, Difference, check_present, diff_snapshots, find_state, list_kept

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


def newest_first(commits: Iterable[Commit]) -> list[Commit]:
    """Commits in the order of a history."""
    return sorted(commits, key=lambda commit: (commit.timestamp_ms, commit.table, commit.version), reverse=True)


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

    def history(self, tables: Sequence[str] = TABLES) -> list[Commit]:
        """Every commit of the tables, newest first.

        Raises:
            StorageError: a commit of a table is damaged.
        """
        commits = []
        for table in tables:
            for entry in self._list_entries(table):
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
                        entry.get("root"),
                    )
                )
        return newest_first(commits)

    def _list_entries(self, table: str) -> list[dict[str, Any]]:
        if not has_table(self.store, table):
            return []
        try:
            return open_table(self.store, table).history()
        except DeltaError as error:
            torn = find_torn_logs(self.store, table) or {f"{table}/_delta_log": str(error)}
            raise explain_torn(self.store, table, *max(torn.items())) from error

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
        """The published shards of a partition: a fingerprint that `StagedShards.find` finds, and its rows.

        Those of a pack follow each other as they did when it was made, so what is made of them is packed alike.
        """
        key = f"{table}/{'domain' if table == 'anchors' else 'family'}={partition}"
        files = self.snapshot().files(table, partition)
        self.staged.packs.refresh()
        packed = {file.path: pack for file in files if (pack := self.staged.packs.get(file.path)) is not None}
        alone = [file for file in files if file.path not in packed]
        found = [
            (self._find_shard(key, path, part.name), part.rows) for path, pack in packed.items() for part in pack.parts
        ]
        return found + [(self._find_shard(key, file.path), file.rows) for file in alone]

    def _find_shard(self, key: str, path: str, part: str | None = None) -> str:
        """The fingerprint of the shard that a table's file, or a part of a pack, was staged by."""
        name = part or path.rpartition("/")[2].removesuffix(".parquet")
        fingerprint = name.partition("-")[0]
        shard = self.staged.find(fingerprint) if fingerprint != "pack" else None
        if shard is None or key not in shard.files or shard.files[key].part != name:
            return self.staged.adopt(path, part)
        return fingerprint

    def begin(self, wait_s: float = WAIT_S) -> dict[str, int]:
        """Finish a publish that died, and return the versions for `publish`'s ``expect``. Call it as a run begins.

        A table's newest commit that a disk lost the end of is set aside.

        Raises:
            ConflictError: another run is publishing.
            StorageError: a table's log is torn where later commits build on it.
        """
        if read_intent(self.store) is not None or is_torn(self.store):
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
        guard: Callable[[Sequence[Change]], None] | None = None,
        wait_s: float = WAIT_S,
    ) -> Published:
        """Replace the partitions of ``replacements`` by the files of staged shards, all at once for readers.

        A family's rejects are taken from the same shards unless ``rejects/family=...`` is given apart. Where anchors
        of a domain go away, families of that domain that are not replaced too are stale and are removed; `Published`
        names them. ``expect`` is what `begin` returned. ``guard`` sees what becomes of rows that are there before
        anything is replaced; what it raises ends the publish. The same files again change nothing and commit nothing.

        Raises:
            ConflictError: another run publishes now, has replaced the same partitions since ``expect``, or has
                replaced the anchors that the contrasts refer to.
            StorageError: a shard is not staged, an anchor is there twice, or the disk is full.
        """
        try:
            return self._publish(replacements, dict(metadata or {}), expect, guard, wait_s)
        finally:
            self.store.let_go()

    def _publish(
        self,
        replacements: Replacements,
        metadata: dict[str, Any],
        expect: Mapping[str, int] | None,
        guard: Callable[[Sequence[Change]], None] | None,
        wait_s: float,
    ) -> Published:
        shards = self._peek_all(replacements)
        want = gather(replacements, shards)
        with hold_publish_lock(self.store, wait_s):
            messages = self._finish_dead()
            create_tables(self.store)
            self.store.sweep_temporaries()
            self.staged.packs.refresh()
            current: dict[str, list[TableFile]] = {table: list_files(open_table(self.store, table)) for table in TABLES}
            kept = name_parts(self.staged, (placed for files in want.values() for placed in files))
            replaced = [file for file in current["anchors"] if file.key in want]
            losing = {domain_of(f.key) for f in replaced if not kept.issuperset(self.staged.list_parts(f.path))}
            stale = sorted(
                {split_key(file.key)[1] for file in current["contrasts"] if domain_of(file.key) in losing}
                - {split_key(key)[1] for key in want if key.startswith("contrasts/")}
            )
            for family in stale:
                messages.append(
                    f"{family} is removed: anchors of {family.partition('.')[0]} that it refers to went away, "
                    "and this run did not make it anew. "
                    f"`counterfoil regenerate {family} --dataset {shlex.quote(self.store.url)}` does"
                )
                want[f"contrasts/family={family}"] = []
                want.setdefault(f"rejects/family={family}", [])
            planned = describe_files(want, {})
            changed = any(any(diff_files(current[table], _of_table(planned, table))) for table in TABLES)
            if changed:
                self._check_expected(expect, current, want)
                if guard is not None:
                    guard(find_changes(self.staged, current, want))
            every = [placed for files in want.values() for placed in files]
            packs = [placed for placed in every if placed.is_pack]
            parts = [part for placed in every for part in placed.parts]
            sizes = self.store.measure(
                [each.path for each in packs]
                + [path for part in parts for path in (part.staged_path, part.table_path)]
                + [manifest_path(each) for each in shards if self.store.folder is None]
            )
            packed = place_packs(self.staged, packs, sizes)
            if changed:
                check_rows(self.staged, current, want)
            tags = place_alone(self.staged, [placed.parts[0] for placed in every if not placed.is_pack], sizes)
            versions = self._heads()
            if changed:
                intent = Intent(
                    _new_id(),
                    describe_owner(),
                    versions,
                    describe_files(want, packed),
                    metadata,
                    tuple(sorted(losing)),
                )
                write_intent(self.store, intent)
                versions = carry_out(self.store, intent)
            seal_logs(self.store)
            leftovers = list_leftovers(self.staged, shards.values(), every, sizes)
            self.store.remove_all(leftovers + fold_shards(self.staged, shards, every, tags, sizes))
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
            seal_logs(self.store)
            return self._heads()

    def restore(self, version: int, table: TableName = "contrasts", wait_s: float = WAIT_S) -> Published:
        """Bring all tables back, together, to what they were when ``table`` had ``version``.

        A publish of old files: each table that differs gets new commits (one, and the contrasts of domains that lose
        anchors one more before it), so that what was there before the restore can be restored in its turn.

        Raises:
            StorageError: there was no such version, or a vacuum removed files of it.
            ConflictError: another run publishes now.
        """
        with hold_publish_lock(self.store, wait_s):
            messages = self._finish_dead()
            state = find_state(self.store.url, self.history(), table, version)
            then, heads = self.snapshot(state.versions), self._heads()
            want: dict[str, tuple[TableFile, ...]] = {}
            for name in TABLES:
                for file in list_files(open_table(self.store, name)):
                    want.setdefault(file.key, ())
                for file in then.files(name):
                    want[file.key] = (*want.get(file.key, ()), file)
            current = {name: list_files(open_table(self.store, name)) for name in TABLES}
            changed = any(any(diff_files(current[name], _of_table(want, name))) for name in TABLES)
            if changed:
                metadata = {"restored": {"versions": dict(state.versions), "until_ms": state.until_ms}}
                intent = Intent(_new_id(), describe_owner(), heads, want, metadata)
                write_intent(self.store, intent)
                heads = carry_out(self.store, intent)
            seal_logs(self.store)
        rows = {key: sum(file.rows for file in files) for key, files in want.items()}
        return Published(heads, changed, rows, (), tuple(messages))

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
            for table, version in self.versions().items():
                check_log(self.store, table, version)  # What a torn commit names would be removed.
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
        """Under the lock: mend the tables' logs, and finish the publish that a dead process left, if there is one."""
        mended = mend_logs(self.store)
        for message in mended:
            log.warning("%s: %s", self.store.url, message)
        seal_logs(self.store)
        intent = read_intent(self.store)
        if intent is None:
            return mended
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
        return [*mended, message]

    def _peek_all(self, replacements: Replacements) -> dict[str, StagedShard]:
        """The shards that are named, as their manifests say, by fingerprint."""
        named = list(dict.fromkeys(each for fingerprints in replacements.values() for each in fingerprints))
        return dict(zip(named, self.store.map(self._peek, named), strict=True))

    def _peek(self, fingerprint: str) -> StagedShard:
        shard = self.staged.peek(fingerprint, hold=True)
        if shard is None:
            raise StorageError(f"shard {fingerprint[:12]} is not staged in {self.store.url}: run its stage first")
        return shard

    def _check_expected(
        self,
        expect: Mapping[str, int] | None,
        current: Mapping[str, Sequence[TableFile]],
        want: Collection[str],
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

    def _hash_file(self, path: str) -> str:
        digest = hashlib.sha256()
        with self.store.open(path) as source:
            while block := source.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()


def gather(replacements: Replacements, shards: Mapping[str, StagedShard]) -> dict[str, list[Placed]]:
    """The files of each partition, from the shards' manifests.

    Raises:
        StorageError: a shard has none of a partition that it is named for.
    """
    want: dict[str, list[Placed]] = {}
    for key, fingerprints in replacements.items():
        table, value = split_key(key)
        keys = [(key, table != "rejects")]
        rejects = f"rejects/family={value}.anchor" if table == "anchors" else f"rejects/family={value}"
        if table != "rejects" and rejects not in replacements:
            keys.append((rejects, False))
        wanted = [shards[fingerprint] for fingerprint in dict.fromkeys(fingerprints)]
        for each, required in keys:
            absent = next((shard for shard in wanted if each not in shard.files), None)
            if required and absent is not None:
                raise StorageError(f"shard {absent.fingerprint[:12]} has no {each}; it has {', '.join(absent.files)}")
            want[each] = plan_files(each, [shard.files.get(each) for shard in wanted])
    return want


def _of_table(placed: Mapping[str, tuple[TableFile, ...]], table: str) -> dict[str, tuple[TableFile, ...]]:
    return {key: files for key, files in placed.items() if split_key(key)[0] == table}


def _new_id() -> str:
    import uuid

    return uuid.uuid4().hex
