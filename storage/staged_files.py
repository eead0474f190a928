"""One file of a staged shard, wherever it lies: in ``work/``, in its table by itself, or in a pack with others.

On an object store a request costs more than small files' bytes, so the small files of one shard lie there together, one
behind the other, in one object: a *bundle*. It is the shard's manifest with the files behind it (`storage.manifests`);
older versions wrote an object beside the manifest, which is read still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from counterfoil.storage.packs import Pack, Packs
from counterfoil.storage.parquet import decode_table, hash_bytes, read_columns
from counterfoil.storage.schemas import PARTITION_COLUMN, SCHEMAS
from counterfoil.storage.store import Described, Store

GONE = "is gone"


class DamagedError(Exception):
    """The file is gone or damaged; the message says which, with the file as its subject."""


@dataclass(frozen=True, slots=True)
class StagedFile:
    """One file of a staged shard. ``tag`` is the object store's own checksum of the object that it is or lies in."""

    key: str
    name: str
    rows: int
    size: int
    sha256: str
    tag: str | None = None
    bundle: str | None = None
    """The name of the object that it shares with others of its shard; None: it is one by itself."""
    first: int = 0
    """Where it begins in the bundle, in bytes."""
    published: bool = False
    """Its rows left ``work/`` for tables, and were seen there as its manifest was folded."""

    @property
    def staged_path(self) -> str:
        """Where the file, or the bundle that it is in, lies until it is published."""
        return f"work/{self.name[:2]}/{self.bundle or self.name}"

    @property
    def in_manifest(self) -> bool:
        """Whether its bundle is its shard's manifest."""
        return self.bundle is not None and self.bundle.endswith(".json")

    @property
    def places(self) -> tuple[str, ...]:
        """Where it may lie by itself, in the order in which to look: files only move from ``work/`` into tables."""
        return (self.table_path,) if self.published else (self.staged_path, self.table_path)

    @property
    def span(self) -> slice | None:
        """The bytes of the object at `staged_path` that are the file's; None: all of them."""
        return slice(self.first, self.first + self.size) if self.bundle else None

    @property
    def part(self) -> str:
        """What the file is called in a table: its fingerprint and its content."""
        return self.name.partition(".")[0]

    @property
    def table_path(self) -> str:
        """Where the file lies once it is published by itself."""
        return f"{self.key}/{self.part}.parquet"


def find_problem(packs: Packs, file: StagedFile, seen: dict[str, Described | None]) -> str | None:
    """What is wrong with a file, or None. In a pack it is as whole as the pack, which is looked at once.

    ``seen`` keeps what was told of objects, as files of one shard may share one.
    """
    if packs.find_whole(file.key, file.part) is not None:
        return None
    problem = _check_alone(packs.store, file, seen)
    if problem == GONE:
        packs.refresh()
        return None if packs.find_whole(file.key, file.part) is not None else GONE
    return problem


def read_file(packs: Packs, file: StagedFile, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a staged file with their partition column; of ``columns`` alone where they are given.

    Raises:
        DamagedError: it is gone, or its bytes are not what they were.
    """
    problem = GONE
    for pack in _list_places(packs, file):
        if pack is not None:
            try:
                return read_part(packs, pack, file.part, columns)
            except (OSError, pa.ArrowInvalid) as error:
                problem = f"cannot be read from {pack.path} ({error})"
                packs.forget(pack)
        else:
            try:
                return decode_file(read_alone(packs.store, file), file.key, columns)
            except DamagedError as error:
                problem = str(error)
    raise DamagedError(problem)


def cut_bundled(bundle: bytes, file: StagedFile) -> memoryview | None:
    """A file's bytes out of those of its bundle; None where they are not what they were."""
    content = memoryview(bundle)[file.span] if file.span else memoryview(bundle)
    return content if hash_bytes(content) == file.sha256 else None


def pick_columns(packs: Packs, file: StagedFile, columns: Sequence[str], size: int | None = None) -> pa.Table:
    """Some small columns of a staged file, without the rest of it; or with it, where ``size`` says that it is small.

    Raises:
        DamagedError: it is gone.
    """
    for pack in _list_places(packs, file):
        if pack is not None:
            return packs.pick(pack, file.part, columns)
        for path in file.places:
            try:
                if path == file.staged_path and file.span:
                    return decode_table(_read_whole(packs.store, file, path), list(columns))
                return read_columns(packs.store, path, list(columns), size)
            except FileNotFoundError:
                continue
    raise DamagedError(GONE)


def read_part(packs: Packs, pack: Pack, part: str, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of one part of a pack, as `read_file` gives those of a file.

    Raises:
        FileNotFoundError: the pack is gone.
        pyarrow.ArrowInvalid, OSError: its bytes are not whole.
    """
    key = pack.path.rpartition("/")[0]
    name, _, value = key.partition("/")
    schema = list_stored(name)
    wanted = schema.names if columns is None else [each for each in columns if each in schema.names]
    found = packs.read(pack, part, wanted)
    arrays = [
        found[each] if each in found.column_names else pa.nulls(found.num_rows, schema.field(each).type)
        for each in wanted
    ]
    whole = pa.table(arrays, schema=pa.schema([schema.field(each) for each in wanted]))
    return _add_partition(whole, name, value.partition("=")[2], columns)


def decode_file(content: bytes | memoryview, key: str, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows in a staged file's bytes, with their partition column."""
    table, _, value = key.partition("/")
    column = PARTITION_COLUMN.get(table)
    wanted = None if columns is None else [name for name in columns if name != column]
    if column is None:
        return decode_table(content, wanted)
    return _add_partition(decode_table(content, wanted, list_stored(table)), table, value.partition("=")[2], columns)


def list_stored(name: str) -> pa.Schema:
    """The columns that a table's files hold: all but the one that is in their path."""
    schema = SCHEMAS[name]
    return schema.remove(schema.get_field_index(PARTITION_COLUMN[name]))


def _add_partition(table: pa.Table, name: str, value: str, columns: Sequence[str] | None) -> pa.Table:
    column = PARTITION_COLUMN[name]
    if columns is not None and column not in columns:
        return table
    whole = table.append_column(column, pa.array([value] * table.num_rows, pa.string()))
    return whole.select(list(columns) if columns is not None else SCHEMAS[name].names)


def _list_places(packs: Packs, file: StagedFile) -> Iterator[Pack | None]:
    """Where to look: in a pack that is known, alone (None), and in a pack that another process wrote since."""
    if (known := packs.find(file.key, file.part)) is not None:
        yield known
    yield None
    packs.refresh()
    if (fresh := packs.find(file.key, file.part)) is not None:
        yield fresh


def _check_alone(store: Store, file: StagedFile, seen: dict[str, Described | None]) -> str | None:
    """What is wrong with a file by itself. An object store's own tag stands for the checksum where there is one."""
    for path in file.places:
        if path not in seen:
            seen[path] = store.describe(path)
        told = seen[path]
        if told is None:
            continue
        span = file.span if path == file.staged_path else None
        if span is None and told.size != file.size:
            return f"has {told.size} bytes and not {file.size}"
        if file.tag is not None and told.tag == file.tag:
            return None
        try:
            _read_whole(store, file, path)
        except FileNotFoundError:
            continue
        except DamagedError as error:
            return str(error)
        return None
    return GONE


def read_alone(store: Store, file: StagedFile) -> bytes:
    """The bytes from ``work/`` or, once published, from the table.

    Raises:
        DamagedError: the file is gone, or its bytes are not what they were.
    """
    for path in file.places:
        try:
            return _read_whole(store, file, path)
        except FileNotFoundError:
            continue
    raise DamagedError(GONE)


def _read_whole(store: Store, file: StagedFile, path: str) -> bytes:
    """The bytes from one of the file's places, if they are what they were."""
    content = store.read(path, file.span if path == file.staged_path else None)
    if hash_bytes(content) != file.sha256:
        raise DamagedError("does not have its checksum")
    return content
