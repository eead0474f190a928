"""Which files a partition shall have, and the writing of those that hold many shards.

Small files are what a table of many shards dies of: each costs every publish and every reader a request or two. So the
small files of 64 shards that follow each other are published as one pack; the last shards, up to 63 of them, and files
of a row group's size and more stay by themselves. What goes into which pack, and where its row groups end, follows from
the list of shards and their manifests alone: a rerun, another night or another host writes the same bytes, and more
shards at the end touch no pack that is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import pyarrow as pa

from counterfoil.storage.errors import StorageError
from counterfoil.storage.manifests import Manifest, manifest_path, settle_files
from counterfoil.storage.packs import Pack, Part, name_pack
from counterfoil.storage.parquet import (
    ROW_GROUP_BYTES,
    ROW_GROUP_ROWS,
    encode_table,
    hash_bytes,
    hash_file,
    open_writer,
)
from counterfoil.storage.publish import TableFile
from counterfoil.storage.schemas import PARTITION_COLUMN
from counterfoil.storage.staged import StagedShard, StagedShards
from counterfoil.storage.staged_files import (
    DamagedError,
    StagedFile,
    cut_bundled,
    decode_file,
    list_stored,
    read_alone,
    read_file,
)
from counterfoil.storage.store import run_parallel

TOGETHER = 64
"""Shards whose small files make one file of a table."""
SMALL_BYTES = ROW_GROUP_BYTES
"""A file of this size gains nothing by lying with others."""
_AT_ONCE = 3
"""Blocks of shards under way at once on an object store; each fetches many files at once."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One file that a partition shall have: a staged file by itself, or a pack of several."""

    path: str
    parts: tuple[StagedFile, ...]

    @property
    def is_pack(self) -> bool:
        """Whether it holds several staged files."""
        return len(self.parts) > 1

    @property
    def rows(self) -> int:
        """The rows of all parts."""
        return sum(part.rows for part in self.parts)

    @property
    def names(self) -> frozenset[str]:
        """What the parts are called in a table."""
        return frozenset(part.part for part in self.parts)


def plan_files(key: str, staged: Sequence[StagedFile | None]) -> list[Placed]:
    """The files of a partition whose shards have these staged files, in the shards' order; None: the shard has none.

    A file without rows is no file of the table.
    """
    planned = []
    for start in range(0, len(staged), TOGETHER):
        block = staged[start : start + TOGETHER]
        files = [file for file in block if file is not None and file.rows]
        small = [file for file in files if file.size < SMALL_BYTES] if len(block) == TOGETHER else []
        if len(small) > 1:
            planned.append(Placed(name_pack(key, [file.part for file in small]), tuple(small)))
            files = [file for file in files if file.size >= SMALL_BYTES]
        planned += [Placed(file.table_path, (file,)) for file in files]
    return planned


def place_packs(staged: StagedShards, packs: Iterable[Placed], sizes: Mapping[str, int]) -> dict[str, int]:
    """Write the packs that are not there (``sizes``: what is there), where no reader sees them yet; all packs' sizes.

    Raises:
        StorageError: a staged file is gone or damaged, or the disk is full.
    """
    wanted = list(packs)
    known = {placed.path: staged.packs.get(placed.path) for placed in wanted}
    absent = [
        placed for placed in wanted if (pack := known[placed.path]) is None or sizes.get(placed.path) != pack.size
    ]
    at_once = 1 if staged.store.folder is not None else _AT_ONCE
    written = run_parallel(lambda block: _write_block(staged, block), group_packs(absent), at_once)
    return {path: pack.size for path, pack in known.items() if pack is not None} | {
        pack.path: pack.size for block in written for pack in block
    }


def group_packs(packs: Sequence[Placed]) -> list[list[Placed]]:
    """The packs whose parts lie in the same bundles together, so that each bundle is fetched once for all of them."""
    blocks: list[list[Placed]] = []
    block_of: dict[str, int] = {}
    for placed in packs:
        bundles = [part.staged_path for part in placed.parts if part.bundle]
        at = next((block_of[path] for path in bundles if path in block_of), len(blocks))
        if at == len(blocks):
            blocks.append([])
        blocks[at].append(placed)
        block_of |= dict.fromkeys(bundles, at)
    return blocks


def _write_block(staged: StagedShards, block: Sequence[Placed]) -> list[Pack]:
    bundles = fetch_bundles(staged, [part for placed in block for part in placed.parts])
    return [write_pack(staged, placed, bundles) for placed in block]


def fetch_bundles(staged: StagedShards, files: Iterable[StagedFile]) -> dict[str, bytes]:
    """The bytes of the bundles that these files lie in, by path; without those that are gone."""

    def fetch(path: str) -> bytes | None:
        try:
            return staged.store.read(path)
        except FileNotFoundError:
            return None

    paths = sorted({file.staged_path for file in files if file.bundle})
    found = zip(paths, staged.store.map(fetch, paths), strict=True)
    return {path: content for path, content in found if content is not None}


def write_pack(staged: StagedShards, placed: Placed, bundles: Mapping[str, bytes]) -> Pack:
    """Write one pack and record it. Memory holds one row group, which the files of a group are read for at once, beside
    the bundles that some of them lie in."""
    key = placed.path.rpartition("/")[0]
    column = PARTITION_COLUMN[key.partition("/")[0]]
    schema = list_stored(key.partition("/")[0])
    with staged.store.open_scratch(placed.path.rpartition("/")[2]) as scratch:
        with open_writer(str(scratch), schema) as writer:
            for group in _group_rows(placed.parts):
                tables = [table.drop_columns([column]) for table in _read_parts(staged, group, bundles)]
                whole = pa.concat_tables(tables).cast(schema).combine_chunks()
                writer.write_table(whole, row_group_size=ROW_GROUP_ROWS)
        size, sha256 = scratch.stat().st_size, hash_file(scratch)
        tag = staged.store.upload(scratch, placed.path)
    parts, first = [], 0
    for file in placed.parts:
        parts.append(Part(file.part, first, file.rows))
        first += file.rows
    pack = Pack(placed.path, size, sha256, tag, tuple(parts))
    staged.packs.add(pack)
    return pack


def _group_rows(parts: Sequence[StagedFile]) -> Iterator[list[StagedFile]]:
    """The parts of each row group: by their sizes as staged, which do not depend on where they are read from."""
    group: list[StagedFile] = []
    size = rows = 0
    for part in parts:
        if group and (size + part.size > ROW_GROUP_BYTES or rows + part.rows > ROW_GROUP_ROWS):
            yield group
            group, size, rows = [], 0, 0
        group.append(part)
        size, rows = size + part.size, rows + part.rows
    if group:
        yield group


def _read_parts(
    staged: StagedShards, parts: Sequence[StagedFile], bundles: Mapping[str, bytes] = MappingProxyType({})
) -> list[pa.Table]:
    def read(file: StagedFile) -> pa.Table:
        try:
            return read_file(staged.packs, file)
        except DamagedError as error:
            raise _explain_lost(staged, file, str(error)) from error

    cut = [cut_bundled(bundles[file.staged_path], file) if file.staged_path in bundles else None for file in parts]
    found = [
        None if content is None else decode_file(content, file.key) for file, content in zip(parts, cut, strict=True)
    ]
    rest = iter(staged.store.map(read, [file for file, table in zip(parts, found, strict=True) if table is None]))
    return [next(rest) if table is None else table for table in found]


def place_alone(staged: StagedShards, files: Sequence[StagedFile], sizes: Mapping[str, int]) -> dict[str, str | None]:
    """Move staged files into their tables' folders; those that moved before stay. One that lies in a bundle is copied
    out of it, and one whose rows lie in a pack alone is written again, with the bytes that it had. The tags of what was
    copied out, by path.

    Raises:
        StorageError: a file is gone.
    """
    lost = [f for f in files if f.staged_path not in sizes and sizes.get(f.table_path) != f.size]
    moving = {file.staged_path: file for file in files if file.staged_path in sizes and not file.bundle}
    bundled = [f for f in files if f.bundle and f.staged_path in sizes and sizes.get(f.table_path) != f.size]
    for file in lost:
        _write_alone(staged, file)
    tags = staged.store.map(lambda file: _copy_out(staged, file), bundled)
    staged.store.move_all([(file.staged_path, file.table_path) for file in moving.values()])
    return dict(zip([file.table_path for file in bundled], tags, strict=True))


def _copy_out(staged: StagedShards, file: StagedFile) -> str | None:
    try:
        content = read_alone(staged.store, file)
    except DamagedError as error:
        raise _explain_lost(staged, file, str(error)) from error
    return staged.store.write(file.table_path, content)


def _write_alone(staged: StagedShards, file: StagedFile) -> None:
    pack = staged.packs.find_whole(file.key, file.part)
    if pack is None:
        raise _explain_lost(staged, file, "is gone")
    (table,) = _read_parts(staged, [file])
    content = encode_table(table.drop_columns([PARTITION_COLUMN[file.key.partition("/")[0]]]))
    if hash_bytes(content) != file.sha256:
        raise _explain_lost(staged, file, "was written by another version of pyarrow")
    staged.store.write(file.table_path, content)


def _explain_lost(staged: StagedShards, file: StagedFile, problem: str) -> StorageError:
    staged.discard(file, problem)
    return StorageError(f"{file.table_path} {problem} in {staged.store.url}: run again to make it anew")


def list_leftovers(
    staged: StagedShards, shards: Iterable[StagedShard], placed: Iterable[Placed], sizes: Mapping[str, int]
) -> list[str]:
    """What is left in ``work/`` of files whose rows readers see elsewhere; of a bundle all of its files. (A manifest
    with files behind it goes as it is folded: `fold_shards`.)"""
    wanted = list(placed)
    seen = {(file.key, file.part) for each in wanted for file in each.parts}
    left = {file.staged_path for each in wanted if each.is_pack for file in each.parts if not file.bundle}
    for shard in shards:
        bundled = [file for file in shard.files.values() if file.bundle and not file.in_manifest]
        if all((f.key, f.part) in seen or staged.packs.find(f.key, f.part) is not None for f in bundled):
            left |= {file.staged_path for file in bundled}
    return sorted(path for path in left if path in sizes)


def fold_shards(
    staged: StagedShards,
    shards: Mapping[str, StagedShard],
    placed: Iterable[Placed],
    tags: Mapping[str, str | None],
    sizes: Mapping[str, int],
) -> list[str]:
    """Fold the manifests of shards all of whose rows lie in tables by now; what that leaves of them in ``work/``.

    ``placed`` and ``tags`` are of this publish, ``shards`` and ``sizes`` of before. Dying on the way leaves a manifest
    twice, and the next publish of the shard removes the one in ``work/``.
    """
    if staged.store.folder is not None:
        return []
    seen = {(file.key, file.part) for each in placed for file in each.parts}
    ended: dict[str, Manifest] = {}
    for fingerprint, shard in shards.items():
        files = shard.files.values()
        there = {
            (f.key, f.part) for f in files if (f.key, f.part) in seen or staged.packs.find(f.key, f.part) is not None
        }
        if not shard.is_folded and all((f.key, f.part) in there or not f.rows or "=" not in f.key for f in files):
            ended[fingerprint] = Manifest(settle_files(files, there, tags), shard.meta)
    staged.folded.add(ended)
    both = [manifest_path(each) for each, shard in shards.items() if each in ended or shard.is_folded]
    return [path for path in both if path in sizes]


def describe_files(want: Mapping[str, Sequence[Placed]], sizes: Mapping[str, int]) -> dict[str, tuple[TableFile, ...]]:
    """The files of each partition as the tables' logs list them; ``sizes`` are of the packs."""
    return {
        key: tuple(TableFile(each.path, sizes.get(each.path, each.parts[0].size), each.rows) for each in files)
        for key, files in want.items()
    }
