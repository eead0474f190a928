"""What says that a staged shard is finished: its manifest, by itself or among those of published shards.

A manifest is a line with the checksum of the next, and a line of JSON. On an object store, where a request costs more
than small files' bytes, the shard's small files follow in the same object. Once all rows of a shard lie in tables its
manifest is *folded*: it moves into a record under ``work/manifests`` with some hundred others, so that a rerun asks for
a few records instead of every shard's object, and a publish that comes again too.
"""

from __future__ import annotations

import itertools
import json
import logging
import threading
import zlib
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from counterfoil.storage.parquet import hash_bytes
from counterfoil.storage.staged_files import StagedFile
from counterfoil.storage.store import Store

log = logging.getLogger("counterfoil.storage")

VERSIONS = (1, 2, 3)
"""Of manifests: files by themselves; some in a bundle beside it, which is written no more; some behind the manifest.
What does not know a version makes the shard again."""
FOLDER = "work/manifests"
FOLDED_VERSION = 1
FOLDED_AT_ONCE = 256
"""Manifests in one record: some 300 KB."""
_PARSED = 8
"""Records that are kept parsed; the others wait compressed."""


class ManifestError(Exception):
    """A manifest that cannot be used; the message says why, with the manifest as its subject."""


@dataclass(frozen=True)
class Manifest:
    """What a shard has: files by key, and what its stage noted."""

    files: Mapping[str, StagedFile]
    meta: Mapping[str, Any]


def manifest_path(fingerprint: str) -> str:
    """Where a shard's manifest lies until it is folded."""
    return f"work/{fingerprint[:2]}/{name_manifest(fingerprint)}"


def name_manifest(fingerprint: str) -> str:
    """The name of a shard's manifest in its folder."""
    return f"{fingerprint}.json"


def encode_manifest(
    fingerprint: str, manifest: Manifest, inside: Mapping[StagedFile, bytes]
) -> tuple[bytes, dict[str, StagedFile]]:
    """A manifest's bytes with those of the files that lie ``inside`` behind it; and the files as they then are."""
    starts = itertools.accumulate(map(len, inside.values()), initial=0)
    placed = {
        file.key: replace(file, bundle=name_manifest(fingerprint), first=first)
        for file, first in zip(inside, starts, strict=False)
    }
    files = {**manifest.files, **placed}
    body = _dump(
        {
            "version": 3 if placed else 1,
            "fingerprint": fingerprint,
            "files": _describe_files(files),
            "meta": dict(manifest.meta),
        }
    )
    head = _seal(body)
    shifted = {key: replace(file, first=file.first + len(head)) for key, file in placed.items()}
    return b"".join([head, *inside.values()]), {**files, **shifted}


def decode_manifest(content: bytes, fingerprint: str) -> Manifest:
    """The manifest at the beginning of an object's bytes.

    Raises:
        ManifestError: it is damaged, or of another version or shard.
    """
    values, length = _unseal(content)
    if values["version"] not in VERSIONS or values["fingerprint"] != fingerprint:
        raise ManifestError("is of another version or shard")
    manifest = _parse(values)
    if values["version"] < 3:
        return manifest
    own = name_manifest(fingerprint)
    moved = {
        key: replace(file, first=file.first + length) if file.bundle == own else file
        for key, file in manifest.files.items()
    }
    return replace(manifest, files=moved)


@dataclass
class Folded:
    """The folded manifests of one dataset; safe to use from several threads. In a folder there are none."""

    store: Store
    _record_of: dict[str, str] = field(default_factory=dict)
    """Fingerprint to the name of the record that has its manifest."""
    _packed: dict[str, bytes] = field(default_factory=dict)
    _parsed: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    _known: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def get(self, fingerprint: str) -> Manifest | None:
        """A shard's folded manifest, among the records that are known; the first call reads them."""
        if self.store.folder is not None:
            return None
        with self._lock:
            if not self._known:
                self.refresh()
            name = self._record_of.get(fingerprint)
            return None if name is None else _parse(self._open(name)[fingerprint])

    def refresh(self) -> None:
        """Read the records that others wrote since, and forget those that are gone."""
        if self.store.folder is not None:
            return
        with self._lock:
            there = {each for each in self.store.list_names(FOLDER) if each.endswith(".json")}
            for name in self._packed.keys() - there:
                self._drop_record(name)
            names = sorted(there - self._packed.keys())
            for name, shards in zip(names, self.store.map(self._read, names), strict=True):
                self._take_in(name, shards)
            self._known = True

    def add(self, manifests: Mapping[str, Manifest]) -> None:
        """Fold the manifests of shards, by fingerprint."""
        shards = {
            each: {"files": _describe_files(manifest.files), "meta": dict(manifest.meta)}
            for each, manifest in manifests.items()
        }
        rest = iter(shards.items())
        parts = iter(lambda: dict(itertools.islice(rest, FOLDED_AT_ONCE)), {})
        self.store.map(self._write, parts)

    def forget(self, fingerprints: Collection[str]) -> None:
        """Take shards out of the records that are known: they are made again, or vacuumed."""
        with self._lock:
            for name in sorted({self._record_of[each] for each in fingerprints if each in self._record_of}):
                left = {each: shard for each, shard in self._open(name).items() if each not in fingerprints}
                if left:
                    self._write(left)
                self.store.remove(f"{FOLDER}/{name}")
                self._drop_record(name)

    def list_records(self) -> dict[str, dict[str, Manifest]]:
        """All records that are known: their paths to what they hold."""
        with self._lock:
            return {
                f"{FOLDER}/{name}": {each: _parse(shard) for each, shard in self._open(name).items()}
                for name in sorted(self._packed)
            }

    def _write(self, shards: Mapping[str, Any]) -> None:
        content = _seal(_dump({"version": FOLDED_VERSION, "shards": shards}))
        name = f"{hash_bytes(content)[:32]}.json"
        self.store.write(f"{FOLDER}/{name}", content)
        with self._lock:
            self._take_in(name, shards)

    def _read(self, name: str) -> Mapping[str, Any]:
        path = f"{FOLDER}/{name}"
        try:
            values, _ = _unseal(self.store.read(path))
        except FileNotFoundError:
            return {}
        except ManifestError as error:
            log.warning("%s of %s %s and is removed: its shards are made again", path, self.store.url, error)
            self.store.remove(path)
            return {}
        shards: Mapping[str, Any] = values["shards"] if values["version"] == FOLDED_VERSION else {}
        return shards

    def _take_in(self, name: str, shards: Mapping[str, Any]) -> None:
        self._packed[name] = zlib.compress(json.dumps(shards).encode(), 1)
        self._record_of |= dict.fromkeys(shards, name)

    def _drop_record(self, name: str) -> None:
        for each in [each for each, record in self._record_of.items() if record == name]:
            del self._record_of[each]
        self._packed.pop(name, None)
        self._parsed.pop(name, None)

    def _open(self, name: str) -> dict[str, Any]:
        if name not in self._parsed:
            while len(self._parsed) >= _PARSED:
                self._parsed.popitem(last=False)
            self._parsed[name] = json.loads(zlib.decompress(self._packed[name]))
        self._parsed.move_to_end(name)
        return self._parsed[name]


def settle_files(
    files: Iterable[StagedFile], seen: Collection[tuple[str, str]], tags: Mapping[str, str | None]
) -> dict[str, StagedFile]:
    """Files as a folded manifest has them: those in tables (``seen``, by key and part) lie there alone; ``tags`` are of
    those that were written there anew, by path."""
    settled = {}
    for file in files:
        if (file.key, file.part) in seen:
            tag = tags.get(file.table_path, None if file.bundle else file.tag)
            file = replace(file, bundle=None, first=0, tag=tag, published=True)
        settled[file.key] = file
    return settled


def _describe_files(files: Mapping[str, StagedFile]) -> Sequence[dict[str, Any]]:
    """Files as manifests have them, without what says nothing, as older versions wrote them."""

    def describe(file: StagedFile) -> dict[str, Any]:
        empty = {"bundle", "first"} if file.bundle is None else set()
        empty |= set() if file.published else {"published"}
        return {name: value for name, value in asdict(file).items() if name not in empty}

    return [describe(file) for file in files.values()]


def _parse(values: Mapping[str, Any]) -> Manifest:
    files = [StagedFile(**file) for file in values["files"]]
    return Manifest({file.key: file for file in files}, values["meta"])


def _dump(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def _seal(body: str) -> bytes:
    return f"{hash_bytes(body.encode())}\n{body}\n".encode()


def _unseal(content: bytes) -> tuple[Any, int]:
    """The JSON that is sealed at the beginning of the bytes, and how many of them that takes.

    Raises:
        ManifestError: it is damaged.
    """
    middle = content.find(b"\n")
    end = content.find(b"\n", middle + 1)
    if middle < 0 or end < 0 or content[:middle].decode("ascii", "replace") != hash_bytes(content[middle + 1 : end]):
        raise ManifestError("is damaged")
    return json.loads(content[middle + 1 : end]), end + 1
