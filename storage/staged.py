"""Staged shards: what a stage made of one shard, kept under ``work/`` by its fingerprint and never made twice.

A shard is one Parquet file per table (``anchors/domain=geometry``, ``rejects/family=geometry.rule``, ``sources``) and
a manifest that is written last: a shard without one is not finished. `find` trusts nothing: a manifest or a file that
is cut short, changed or gone is reported and removed, so that the stage makes it again.

A publish moves a file from ``work/`` into its table's folder, or writes its rows into a file that holds many
(`storage.packs`); the manifest holds wherever it lies. On an object store the small files of a shard lie behind its
manifest until then, and manifests of published shards by the hundred in one object (`counterfoil.storage.manifests`).
"""

from __future__ import annotations

import itertools
import logging
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import StorageError
from counterfoil.storage.manifests import (
    Folded,
    Manifest,
    ManifestError,
    decode_manifest,
    encode_manifest,
    manifest_path,
)
from counterfoil.storage.packs import Packs
from counterfoil.storage.parquet import SMALL, encode_table, hash_bytes
from counterfoil.storage.schemas import PARTITION_COLUMN, SCHEMAS
from counterfoil.storage.staged_files import (
    DamagedError,
    StagedFile,
    cut_bundled,
    decode_file,
    find_problem,
    pick_columns,
    read_file,
    read_part,
)
from counterfoil.storage.store import PARALLEL, Described, Store, run_parallel

log = logging.getLogger("counterfoil.storage")

BUNDLE_BYTES = 512 << 10
"""What may lie behind a manifest at most: a publish holds those of some 64 shards."""
WINDOW = 256
"""Shards that `find_all` looks at before it hands on the first."""
CHECKED_AT_ONCE = min(8, os.cpu_count() or 1)
"""Local files hashed at once: reading and hashing both leave the interpreter to others."""
_FINGERPRINT = re.compile(r"[0-9a-f]{8,64}")
_KEY = re.compile(r"[a-z][a-z0-9_]*|(anchors/domain|contrasts/family|rejects/family)=([a-z0-9][a-z0-9_.-]*)")


@dataclass(frozen=True)
class StagedShard:
    """A finished shard: its files by key, and what the stage noted beside them. Rows are read on demand."""

    packs: Packs = field(repr=False)
    fingerprint: str
    files: Mapping[str, StagedFile]
    meta: Mapping[str, Any]
    folded: Folded = field(repr=False)
    is_folded: bool = False
    """Whether its manifest lies with others' in a record."""

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
        try:
            return read_file(self.packs, file, columns)
        except DamagedError as error:
            _discard(self.folded, self.fingerprint, [file], f"{key} {error}")
            raise StorageError(
                f"{key} of shard {self.fingerprint[:12]} is gone or damaged: run again to make it anew"
            ) from error

    def pick(self, key: str, columns: Sequence[str]) -> pa.Table:
        """Some small columns of the rows under ``key``, without the rest: their pages' checksums are verified.

        Raises:
            StorageError: the shard has no such file, or it is gone.
        """
        if key not in self.files:
            raise StorageError(f"shard {self.fingerprint[:12]} has no {key}; it has {', '.join(self.files)}")
        try:
            return pick_columns(self.packs, self.files[key], columns)
        except DamagedError as error:
            raise StorageError(f"{key} of shard {self.fingerprint[:12]} {error}: run again to make it anew") from error


class StagedShards:
    """The staged shards of one dataset, a local folder or an fsspec URL."""

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        self.store = Store(str(url), options or {})
        self.packs = Packs(self.store)
        self.folded = Folded(self.store)
        self._knows_packs = False

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
        files, inside = self._write_files(fingerprint, tables)
        content, files = encode_manifest(fingerprint, Manifest(files, meta or {}), inside)
        self.folded.forget([fingerprint])
        self.store.write(manifest_path(fingerprint), content)
        return StagedShard(self.packs, fingerprint, files, decode_manifest(content, fingerprint).meta, self.folded)

    def find(self, fingerprint: str) -> StagedShard | None:
        """The finished shard, every file verified by size and checksum; None where it must be made (again)."""
        shard, content = self._load(fingerprint)
        if shard is None:
            return None
        seen: dict[str, Described | None] = {}
        for file in shard.files.values():
            if file.in_manifest and cut_bundled(content, file) is not None:
                continue
            problem = self._find_problem(file, seen)
            if problem:
                _discard(self.folded, fingerprint, [file], f"{file.key} {problem}")
                return None
        return shard

    def find_all(self, fingerprints: Iterable[str]) -> Iterator[StagedShard | None]:
        """`find` of each, in order, many at once; a bounded number of them is held."""
        self.folded.refresh()
        rest = iter(fingerprints)
        at_once = PARALLEL if self.store.folder is None else CHECKED_AT_ONCE
        while window := list(itertools.islice(rest, WINDOW)):
            yield from run_parallel(self.find, window, at_once)

    def peek(self, fingerprint: str, hold: bool = False) -> StagedShard | None:
        """The shard as its manifest says, its files not looked at; ``hold`` keeps what came with it (`Store.hold`)."""
        shard, content = self._load(fingerprint)
        if shard is None and self.store.folder is None:
            # Another process may have folded it since.
            self.folded.refresh()
            shard, content = self._load(fingerprint)
        if hold and shard is not None and any(file.in_manifest for file in shard.files.values()):
            self.store.hold(manifest_path(fingerprint), content)
        return shard

    def _load(self, fingerprint: str) -> tuple[StagedShard | None, bytes]:
        """`peek`, with the object that the manifest begins, where it lies by itself."""
        _check_fingerprint(fingerprint)
        manifest, content = self.folded.get(fingerprint), b""
        is_folded = manifest is not None
        if manifest is None:
            try:
                content = self.store.read(manifest_path(fingerprint))
                manifest = decode_manifest(content, fingerprint)
            except FileNotFoundError:
                return None, b""
            except ManifestError as error:
                _discard(self.folded, fingerprint, [], f"its manifest {error}")
                return None, b""
        return StagedShard(self.packs, fingerprint, manifest.files, manifest.meta, self.folded, is_folded), content

    def remove(self, shard: StagedShard) -> None:
        """Remove a staged shard that nobody needs any more."""
        _remove(self.folded, shard.fingerprint, shard.files.values())

    def discard(self, file: StagedFile, problem: str) -> None:
        """Forget the shard of a file that is of no more use, so that its stage makes it again."""
        _discard(self.folded, file.part.partition("-")[0], [file], f"{file.key} {problem}")

    def list_parts(self, path: str) -> list[str]:
        """What the staged files are called whose rows a table's file holds: of most files the one that it was."""
        pack = self.packs.get(path)
        if pack is None:
            return [path.rpartition("/")[2].removesuffix(".parquet")]
        return [part.name for part in pack.parts]

    def adopt(self, path: str, part: str | None = None) -> str:
        """Give a table's file whose manifest is gone, or a part of it, a shard of its own, and return its fingerprint.

        Raises:
            StorageError: the file is gone or is not what its name says.
        """
        key, _, name = path.rpartition("/")
        pack = self.packs.get(path)
        if pack is not None and part is not None:
            table, adopted = read_part(self.packs, pack, part), hash_bytes(f"adopted {key} {part}".encode())
        else:
            table, adopted = self._read_alone(path, key, name), hash_bytes(f"adopted {path}".encode())
        if self.find(adopted) is None:
            self.write(adopted, {key: table}, {"adopted": path})
        return adopted

    def _read_alone(self, path: str, key: str, name: str) -> pa.Table:
        try:
            content = self.store.read(path)
        except FileNotFoundError:
            raise StorageError(
                f"{path} is in the table's log but not in its folder: make its partition again"
            ) from None
        staged = _name_file(name.partition("-")[0], key, hash_bytes(content))
        # The name of a pack is of its parts, not of its bytes: of it the pages' checksums are verified.
        if not name.startswith("pack-") and StagedFile(key, staged, 0, 0, "").table_path != path:
            raise StorageError(
                f"{path} is damaged: its bytes are not those that its name says; make its partition again"
            )
        return decode_file(content, key)

    def vacuum(self, active: Collection[str], retention_hours: float, dry_run: bool) -> list[str]:
        """Remove shards of that age of which no file is ``active`` in a table; the paths of what is removed."""
        self.packs.refresh()
        self.folded.refresh()
        old, kept = self._judge_folded(active, retention_hours)
        ended = [path.rpartition("/")[2].removesuffix(".json") for path in old]
        for path in self.store.list("work"):
            fingerprint = path.rpartition("/")[2].removesuffix(".json")
            is_manifest = path == manifest_path(fingerprint)
            if path.startswith("work/tmp/") or not (is_manifest or path.endswith((".parquet", ".bundle"))):
                continue
            shard = self.peek(fingerprint) if is_manifest else None
            files = shard.files.values() if shard is not None else ()
            if is_manifest and (
                self.store.age_hours(path) < retention_hours or any(self._is_active(file, active) for file in files)
            ):
                kept.update([path, *(file.staged_path for file in files)])
            elif self.store.age_hours(path) >= retention_hours:
                old.append(path)
        removed = [path for path in old if path not in kept]
        if not dry_run:
            for path in removed:
                self.store.remove(path)
            self.folded.forget(ended)
            self._forget_vacuumed()
        return removed

    def _judge_folded(self, active: Collection[str], retention_hours: float) -> tuple[list[str], set[str]]:
        """Of folded manifests: where those of old shards would lie, and what is kept of others in ``work/``."""
        old: list[str] = []
        kept: set[str] = set()
        for path, shards in self.folded.list_records().items():
            young = self.store.age_hours(path) < retention_hours
            for fingerprint, manifest in shards.items():
                if young or any(self._is_active(file, active) for file in manifest.files.values()):
                    kept.update(file.staged_path for file in manifest.files.values())
                else:
                    old.append(manifest_path(fingerprint))
        return old, kept

    def _is_active(self, file: StagedFile, active: Collection[str]) -> bool:
        pack = self.packs.find(file.key, file.part)
        return file.table_path in active or (pack is not None and pack.path in active)

    def _forget_vacuumed(self) -> None:
        """Remove the records of packs that are gone from their tables."""
        present = self.store.measure(pack.path for pack in self.packs.all())
        for pack in self.packs.all():
            if pack.path not in present:
                self.packs.forget(pack)

    def _find_problem(self, file: StagedFile, seen: dict[str, Described | None]) -> str | None:
        if not self._knows_packs:
            self.packs.refresh()
            self._knows_packs = True
        return find_problem(self.packs, file, seen)

    def _write_files(
        self, fingerprint: str, tables: Mapping[str, pa.Table]
    ) -> tuple[dict[str, StagedFile], dict[StagedFile, bytes]]:
        """Write the shard's files, each as it is encoded; and the bytes of those that go behind the manifest."""
        files: dict[str, StagedFile] = {}
        inside: dict[StagedFile, bytes] = {}
        for key in sorted(tables):
            content = encode_table(_strip_partition(key, tables[key]))
            sha256 = hash_bytes(content)
            file = StagedFile(key, _name_file(fingerprint, key, sha256), tables[key].num_rows, len(content), sha256)
            files[key] = file
            if self._is_bundled(file, sum(map(len, inside.values()))):
                inside[file] = content
            else:
                files[key] = replace(file, tag=self.store.write(file.staged_path, content))
        return files, inside

    def _is_bundled(self, file: StagedFile, before: int) -> bool:
        """Small rows of a table's partition: they leave ``work/`` when they are published, others and none stay."""
        return (
            self.store.folder is None
            and "=" in file.key
            and file.rows > 0
            and file.size <= SMALL
            and before + file.size <= BUNDLE_BYTES
        )


@lru_cache(maxsize=4096)
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
        raise StorageError(
            f"the table for {key} has not the schema of {name}: make it with counterfoil.storage.schemas.to_table"
        )
    others = [each for each in pc.unique(table[column]).to_pylist() if each != value]
    if others:
        raise StorageError(f"the table for {key} holds rows of {column} {', '.join(map(str, others))}")
    return table.drop_columns([column])


def _discard(folded: Folded, fingerprint: str, files: Sequence[StagedFile], why: str) -> None:
    log.warning("staged shard %s of %s: %s; it is removed and made again", fingerprint[:12], folded.store.url, why)
    _remove(folded, fingerprint, files)


def _remove(folded: Folded, fingerprint: str, files: Iterable[StagedFile]) -> None:
    folded.forget([fingerprint])
    # The manifest first: without one a shard does not exist.
    for path in dict.fromkeys([manifest_path(fingerprint), *(file.staged_path for file in files)]):
        folded.store.remove(path)


def _check_fingerprint(fingerprint: str) -> None:
    if _FINGERPRINT.fullmatch(fingerprint) is None:
        raise StorageError(f"'{fingerprint}' is no fingerprint: 8 to 64 hex digits are needed")


def _name_file(fingerprint: str, key: str, sha256: str) -> str:
    """Named by content too: two runs at once whose authors answer differently do not write over each other."""
    return f"{fingerprint}-{sha256[:16]}.{key.replace('/', '.')}.parquet"
