"""Staged shards: what a stage made of one shard, kept under ``work/`` by its fingerprint and never made twice.

A shard is one Parquet file per table (``anchors/domain=geometry``, ``rejects/family=geometry.rule``, ``sources``) and
a manifest that is written last: a shard without one is not finished. `find` trusts nothing: a manifest or a file that
is cut short, changed or gone is reported and removed, so that the stage makes it again.

A publish moves a file from ``work/`` into its table's folder; the manifest holds for both places.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from storage.errors import StorageError
from storage.parquet import decode_table, encode_table, hash_bytes, read_columns
from storage.schemas import PARTITION_COLUMN, SCHEMAS
from storage.store import PARALLEL, Store, run_parallel

log = logging.getLogger("counterfoil.storage")

MANIFEST_VERSION = 1
WINDOW = 256
"""Shards that `find_all` looks at before it hands on the first."""
CHECKED_AT_ONCE = min(8, os.cpu_count() or 1)
"""Local files hashed at once: reading and hashing both leave the interpreter to others."""
_FINGERPRINT = re.compile(r"[0-9a-f]{8,64}")
_KEY = re.compile(r"[a-z][a-z0-9_]*|(anchors/domain|contrasts/family|rejects/family)=([a-z0-9][a-z0-9_.-]*)")


@dataclass(frozen=True, slots=True)
class StagedFile:
    """One file of a staged shard. ``tag`` is the object store's own checksum of it."""

    key: str
    name: str
    rows: int
    size: int
    sha256: str
    tag: str | None = None

    @property
    def staged_path(self) -> str:
        """Where the file lies until it is published."""
        return f"work/{self.name[:2]}/{self.name}"

    @property
    def table_path(self) -> str:
        """Where the file lies once it is published: named by its fingerprint and its content."""
        return f"{self.key}/{self.name.partition('.')[0]}.parquet"


@dataclass(frozen=True)
class StagedShard:
    """A finished shard: its files by key, and what the stage noted beside them. Rows are read on demand."""

    store: Store = field(repr=False)
    fingerprint: str
    files: Mapping[str, StagedFile]
    meta: Mapping[str, Any]

    def rows(self, key: str) -> int:
        """How many rows the shard has under ``key``; 0 where it has no such file."""
        return self.files[key].rows if key in self.files else 0

    def read(self, key: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows under ``key`` with their partition column; of ``columns`` alone where they are given.

        Raises:
            StorageError: the shard has no such file, or the file is damaged (it is removed: run again).
        """
        if key not in self.files:
            raise StorageError(
                f"shard {self.fingerprint[:12]} has no {key}; it has {', '.join(self.files) or 'nothing'}"
            )
        file = self.files[key]
        content = _read_either(self.store, file)
        if content is None or hash_bytes(content) != file.sha256:
            _discard(self.store, self.fingerprint, [file], f"{key} is {'gone' if content is None else 'damaged'}")
            raise StorageError(f"{key} of shard {self.fingerprint[:12]} is gone or damaged: run again to make it anew")
        table, _, value = key.partition("/")
        column = PARTITION_COLUMN.get(table)
        wanted = None if columns is None else [name for name in columns if name != column]
        if column is None:
            return decode_table(content, wanted)
        found = decode_table(content, wanted, _list_stored(table))
        return _add_partition(found, table, value.partition("=")[2], columns)

    def pick(self, key: str, columns: Sequence[str]) -> pa.Table:
        """Some columns of the rows under ``key``, without the rest of the file: its pages' checksums are verified.

        Raises:
            StorageError: the shard has no such file, or it is gone.
        """
        if key not in self.files:
            raise StorageError(f"shard {self.fingerprint[:12]} has no {key}; it has {', '.join(self.files)}")
        for path in (self.files[key].staged_path, self.files[key].table_path):
            try:
                return read_columns(self.store, path, list(columns))
            except FileNotFoundError:
                continue
        raise StorageError(f"{key} of shard {self.fingerprint[:12]} is gone: run again to make it anew")


class StagedShards:
    """The staged shards of one dataset, a local folder or an fsspec URL."""

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        self.store = Store(str(url), options or {})

    def write(
        self, fingerprint: str, tables: Mapping[str, pa.Table], meta: Mapping[str, Any] | None = None
    ) -> StagedShard:
        """Stage a shard: each table a file, durably, and the manifest last. Writing it again replaces it.

        Keys are ``anchors/domain=D``, ``contrasts/family=F``, ``rejects/family=F`` or a plain word for rows that
        never reach a table. ``meta`` is plain JSON data, such as counts.

        Raises:
            StorageError: a full disk, a key or fingerprint of the wrong form, rows of another partition or schema.
        """
        _check_fingerprint(fingerprint)
        files = {key: self._write_file(fingerprint, key, tables[key]) for key in sorted(tables)}
        manifest = {
            "version": MANIFEST_VERSION,
            "fingerprint": fingerprint,
            "files": [asdict(file) for file in files.values()],
            "meta": dict(meta or {}),
        }
        body = json.dumps(manifest, sort_keys=True, ensure_ascii=False)
        self.store.write(_manifest_path(fingerprint), f"{hash_bytes(body.encode())}\n{body}\n".encode())
        return StagedShard(self.store, fingerprint, files, json.loads(body)["meta"])

    def find(self, fingerprint: str) -> StagedShard | None:
        """The finished shard, every file verified by size and checksum; None where it must be made (again)."""
        shard = self.peek(fingerprint)
        if shard is None:
            return None
        for file in shard.files.values():
            problem = _check_file(self.store, file)
            if problem:
                _discard(self.store, fingerprint, [file], f"{file.key} {problem}")
                return None
        return shard

    def find_all(self, fingerprints: Iterable[str]) -> Iterator[StagedShard | None]:
        """`find` of each, in order, many at once; a bounded number of them is held."""
        rest = iter(fingerprints)
        at_once = PARALLEL if self.store.folder is None else CHECKED_AT_ONCE
        while window := list(itertools.islice(rest, WINDOW)):
            yield from run_parallel(self.find, window, at_once)

    def peek(self, fingerprint: str) -> StagedShard | None:
        """The shard as its manifest says, its files not looked at."""
        _check_fingerprint(fingerprint)
        try:
            head, _, body = self.store.read(_manifest_path(fingerprint)).partition(b"\n")
        except FileNotFoundError:
            return None
        body = body.removesuffix(b"\n")
        if head.decode("ascii", "replace") != hash_bytes(body):
            _discard(self.store, fingerprint, [], "its manifest is damaged")
            return None
        manifest = json.loads(body)
        if manifest["version"] != MANIFEST_VERSION or manifest["fingerprint"] != fingerprint:
            _discard(self.store, fingerprint, [], "its manifest is of another version or shard")
            return None
        files = [StagedFile(**file) for file in manifest["files"]]
        return StagedShard(self.store, fingerprint, {file.key: file for file in files}, manifest["meta"])

    def remove(self, shard: StagedShard) -> None:
        """Remove a staged shard that nobody needs any more."""
        self.store.remove(_manifest_path(shard.fingerprint))
        for file in shard.files.values():
            self.store.remove(file.staged_path)

    def adopt(self, path: str) -> str:
        """Give a table's file whose manifest is gone a shard of its own, and return its fingerprint.

        Raises:
            StorageError: the file is gone or is not what its name says.
        """
        key, _, name = path.rpartition("/")
        try:
            content = self.store.read(path)
        except FileNotFoundError:
            raise StorageError(
                f"{path} is in the table's log but not in its folder: make its partition again"
            ) from None
        sha256 = hash_bytes(content)
        staged = _name_file(name.partition("-")[0], key, sha256)
        file = StagedFile(key, staged, 0, len(content), sha256)
        if file.table_path != path:
            raise StorageError(
                f"{path} is damaged: its bytes are not those that its name says; make its partition again"
            )
        adopted = hash_bytes(f"adopted {path}".encode())
        table, _, value = key.partition("/")
        whole = _add_partition(decode_table(content, None, _list_stored(table)), table, value.partition("=")[2], None)
        if self.find(adopted) is None:
            self.write(adopted, {key: whole}, {"adopted": path})
        return adopted

    def vacuum(self, active: Collection[str], retention_hours: float, dry_run: bool) -> list[str]:
        """Remove shards of that age of which no file is ``active`` in a table; the paths of what is removed."""
        kept: set[str] = set()
        old = []
        for path in self.store.list("work"):
            fingerprint = path.rpartition("/")[2].removesuffix(".json")
            is_manifest = path == _manifest_path(fingerprint)
            if path.startswith("work/tmp/") or not (is_manifest or path.endswith(".parquet")):
                continue
            shard = self.peek(fingerprint) if is_manifest else None
            files = shard.files.values() if shard is not None else ()
            if is_manifest and (
                self.store.age_hours(path) < retention_hours or any(file.table_path in active for file in files)
            ):
                kept.update([path, *(file.staged_path for file in files)])
            elif self.store.age_hours(path) >= retention_hours:
                old.append(path)
        removed = [path for path in old if path not in kept]
        if not dry_run:
            for path in removed:
                self.store.remove(path)
        return removed

    def _write_file(self, fingerprint: str, key: str, table: pa.Table) -> StagedFile:
        content = encode_table(_strip_partition(key, table))
        sha256 = hash_bytes(content)
        file = StagedFile(key, _name_file(fingerprint, key, sha256), table.num_rows, len(content), sha256)
        self.store.write(file.staged_path, content)
        return replace(file, tag=self.store.tag(file.staged_path))


def split_key(key: str) -> tuple[str, str]:
    """The table and the partition value of a key such as ``contrasts/family=geometry.rule``.

    Raises:
        StorageError: the key has another form.
    """
    match = _KEY.fullmatch(key)
    if match is None or match.group(2) is None:
        raise StorageError(
            f"'{key}' is no partition: it must be anchors/domain=D, contrasts/family=F or rejects/family=F"
        )
    return key.partition("/")[0], match.group(2)


def _strip_partition(key: str, table: pa.Table) -> pa.Table:
    if _KEY.fullmatch(key) is None:
        raise StorageError(f"'{key}' cannot be staged: use table/column=value with lower-case words, or a plain word")
    name, _, _ = key.partition("/")
    if name not in PARTITION_COLUMN:
        return table
    column, (_, value) = PARTITION_COLUMN[name], split_key(key)
    if not table.schema.equals(SCHEMAS[name]):
        raise StorageError(f"the table for {key} has not the schema of {name}: make it with storage.schemas.to_table")
    others = [each for each in pc.unique(table[column]).to_pylist() if each != value]
    if others:
        raise StorageError(f"the table for {key} holds rows of {column} {', '.join(map(str, others))}")
    return table.drop_columns([column])


def _list_stored(name: str) -> pa.Schema:
    """The columns that a table's files hold: all but the one that is in their path."""
    schema = SCHEMAS[name]
    return schema.remove(schema.get_field_index(PARTITION_COLUMN[name]))


def _add_partition(table: pa.Table, name: str, value: str, columns: Sequence[str] | None) -> pa.Table:
    column = PARTITION_COLUMN[name]
    if columns is not None and column not in columns:
        return table
    whole = table.append_column(column, pa.array([value] * table.num_rows, pa.string()))
    return whole.select(list(columns) if columns is not None else SCHEMAS[name].names)


def _check_file(store: Store, file: StagedFile) -> str | None:
    """What is wrong with a file, or None. An object store's own tag stands for the checksum where there is one."""
    for path in (file.staged_path, file.table_path):
        size = store.size(path)
        if size is None:
            continue
        if size != file.size:
            return f"has {size} bytes and not {file.size}"
        try:
            if file.tag is not None and store.tag(path) == file.tag:
                return None
            return None if hash_bytes(store.read(path)) == file.sha256 else "does not have its checksum"
        except FileNotFoundError:
            continue
    return "is gone"


def _read_either(store: Store, file: StagedFile) -> bytes | None:
    """The bytes from ``work/`` or, once published, from the table; in this order, as files move only that way."""
    for path in (file.staged_path, file.table_path):
        try:
            return store.read(path)
        except FileNotFoundError:
            continue
    return None


def _discard(store: Store, fingerprint: str, files: Sequence[StagedFile], why: str) -> None:
    log.warning("staged shard %s of %s: %s; it is removed and made again", fingerprint[:12], store.url, why)
    store.remove(_manifest_path(fingerprint))
    for file in files:
        store.remove(file.staged_path)


def _check_fingerprint(fingerprint: str) -> None:
    if _FINGERPRINT.fullmatch(fingerprint) is None:
        raise StorageError(f"'{fingerprint}' is no fingerprint: 8 to 64 hex digits are needed")


def _manifest_path(fingerprint: str) -> str:
    return f"work/{fingerprint[:2]}/{fingerprint}.json"


def _name_file(fingerprint: str, key: str, sha256: str) -> str:
    """Named by content too: two runs at once whose authors answer differently do not write over each other."""
    return f"{fingerprint}-{sha256[:16]}.{key.replace('/', '.')}.parquet"
