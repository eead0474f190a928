"""Packs: one file of a table that holds the rows of many small staged files, and where each of them lies in it.

A pack is named by the files that it holds, in order, and these by what they hold: the same shards give the same pack,
byte for byte, whoever writes it. Beside it ``work/packs`` keeps a record of it, by which a shard whose file went into a
pack is found, verified and read as if it still lay by itself.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property

import pyarrow as pa

from counterfoil.storage.parquet import hash_bytes, read_columns, read_rows
from counterfoil.storage.store import Store

log = logging.getLogger("counterfoil.storage")

PACK_VERSION = 1
FOLDER = "work/packs"
_REMEMBERED = 4


@dataclass(frozen=True, slots=True)
class Part:
    """A staged file in a pack: its name in the table (fingerprint and content), and its rows there."""

    name: str
    first: int
    rows: int


@dataclass(frozen=True)
class Pack:
    """One file of a table. ``tag`` is the object store's own checksum of it."""

    path: str
    size: int
    sha256: str
    tag: str | None
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        """The rows of all parts."""
        return sum(part.rows for part in self.parts)

    @cached_property
    def by_name(self) -> dict[str, Part]:
        """The parts by their names."""
        return {part.name: part for part in self.parts}


def name_pack(key: str, names: Sequence[str]) -> str:
    """The path of the pack of these parts.

    >>> name_pack("anchors/domain=geometry", ["ab12-cd34", "ef56-0789"])
    'anchors/domain=geometry/pack-545ade5ecdca7f956f1340230f924677.parquet'
    """
    listed = json.dumps([PACK_VERSION, key, *names])
    return f"{key}/pack-{hash_bytes(listed.encode())[:32]}.parquet"


@dataclass
class Packs:
    """The packs of one dataset. Records are never changed, so each is read once; safe to use from several threads."""

    store: Store
    _by_path: dict[str, Pack] = field(default_factory=dict)
    _by_part: dict[str, dict[str, Pack]] = field(default_factory=dict)
    """Partition to the name of a part to its pack: a shard's files of two families may be of equal content."""
    _read: set[str] = field(default_factory=set)
    _whole: set[str] = field(default_factory=set)
    """Paths of packs whose bytes were found to be whole."""
    _columns: dict[tuple[str, ...], pa.Table] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def refresh(self) -> None:
        """Read the records that others wrote since."""
        with self._lock:
            names = sorted({each for each in self.store.list_names(FOLDER) if each.endswith(".json")} - self._read)
            for name, pack in zip(names, self.store.map(self._read_record, names), strict=True):
                self._read.add(name)
                if pack is not None:
                    self._take_in(pack)

    def get(self, path: str) -> Pack | None:
        """The pack at a path; None for any other file, and where the record is gone."""
        return self._by_path.get(path)

    def find(self, key: str, name: str) -> Pack | None:
        """A pack of the partition that holds the part, among those that are known."""
        return self._by_part.get(key, {}).get(name)

    def find_whole(self, key: str, name: str) -> Pack | None:
        """A known pack that holds the part, if its bytes are what they were; one that is damaged is forgotten."""
        with self._lock:
            pack = self.find(key, name)
            if pack is None or pack.path in self._whole:
                return pack
            problem = self._check(pack)
            if problem is None:
                self._whole.add(pack.path)
                return pack
            log.warning("%s of %s %s: its shards are made again", pack.path, self.store.url, problem)
            self.forget(pack)
            return None

    def add(self, pack: Pack) -> None:
        """Record a pack that was written."""
        body = json.dumps({"version": PACK_VERSION, **asdict(pack)}, sort_keys=True)
        self.store.write(_record_path(pack), f"{hash_bytes(body.encode())}\n{body}\n".encode())
        with self._lock:
            self._read.add(_record_path(pack).rpartition("/")[2])
            self._take_in(pack)
            self._whole.add(pack.path)

    def forget(self, pack: Pack) -> None:
        """Remove the record of a pack that is gone or damaged."""
        self.store.remove(_record_path(pack))
        with self._lock:
            self._by_path.pop(pack.path, None)
            self._whole.discard(pack.path)
            # A record that is written anew has the old one's name.
            self._read.discard(_record_path(pack).rpartition("/")[2])
            known = self._by_part.get(_key_of(pack), {})
            for part in pack.parts:
                if known.get(part.name) is pack:
                    del known[part.name]

    def all(self) -> list[Pack]:
        """The packs that are known, by path."""
        return [self._by_path[path] for path in sorted(self._by_path)]

    def read(self, pack: Pack, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A part's rows, from the row groups that hold them; page checksums are verified.

        Raises:
            FileNotFoundError: the pack is gone.
            pyarrow.ArrowInvalid, OSError: its bytes are not whole.
        """
        part = pack.by_name[name]
        return read_rows(self.store, pack.path, part.first, part.rows, columns)

    def pick(self, pack: Pack, name: str, columns: Sequence[str]) -> pa.Table:
        """Small columns of a part. Those of the whole pack are fetched, and serve the parts that are asked for next."""
        part, asked = pack.by_name[name], (pack.path, *columns)
        with self._lock:
            if asked not in self._columns:
                while len(self._columns) >= _REMEMBERED:
                    del self._columns[next(iter(self._columns))]
                self._columns[asked] = read_columns(self.store, pack.path, list(columns), pack.size)
            return self._columns[asked].slice(part.first, part.rows)

    def _check(self, pack: Pack) -> str | None:
        told = self.store.describe(pack.path)
        if told is None:
            return "is gone"
        if told.size != pack.size:
            return f"has {told.size} bytes and not {pack.size}"
        if pack.tag is not None and told.tag == pack.tag:
            return None
        with self.store.open(pack.path) as source:
            digest = hashlib.file_digest(source, "sha256").hexdigest()
        return None if digest == pack.sha256 else "does not have its checksum"

    def _read_record(self, name: str) -> Pack | None:
        path = f"{FOLDER}/{name}"
        try:
            head, _, body = self.store.read(path).partition(b"\n")
        except FileNotFoundError:
            return None
        body = body.removesuffix(b"\n")
        if head.decode("ascii", "replace") != hash_bytes(body):
            log.warning("%s of %s is damaged and is removed: its shards are made again", path, self.store.url)
            self.store.remove(path)
            return None
        values = json.loads(body)
        if values.pop("version") != PACK_VERSION:
            return None
        return Pack(**values | {"parts": tuple(Part(**part) for part in values["parts"])})

    def _take_in(self, pack: Pack) -> None:
        self._by_path[pack.path] = pack
        self._by_part.setdefault(_key_of(pack), {}).update(dict.fromkeys(pack.by_name, pack))


def _key_of(pack: Pack) -> str:
    return pack.path.rpartition("/")[0]


def _record_path(pack: Pack) -> str:
    return f"{FOLDER}/{hash_bytes(pack.path.encode())[:32]}.json"
