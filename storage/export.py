"""A dataset written for other tools: a Hugging Face folder of Parquet, or WebDataset tar shards, with a dataset card.

Both have one folder per table and partition (``contrasts/geometry.rule/``) and files per split; a contrast is in the
split of its anchor. Anchors and contrasts stay two tables, joined on ``anchor_id``: joined rows would hold an anchor's
picture once per contrast. Rows stream through, so memory holds a batch and the anchors' ids. The folder appears under
its name only when it is whole.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from storage.card import CardFacts, Tally, write_card
from storage.dataset import Dataset
from storage.errors import StorageError
from storage.parquet import ROW_GROUP_BYTES, ROW_GROUP_ROWS, open_writer
from storage.pictures import PictureChange
from storage.reading import Snapshot
from storage.rows import Image
from storage.schemas import IMAGE, SCHEMAS, TableName
from storage.store import explain_os_error

FORMATS = ("hf", "webdataset")
FILE_BYTES = 256 << 20
"""About where a file of an export ends and the next begins."""
UNKNOWN_SPLIT = "all"
"""The split of a reject that never became an anchor, and of rows whose source names none."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it since the last call, and how many there are in all."""


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    folder: Path
    rows: Mapping[str, int]
    files: int
    size: int

    def __str__(self) -> str:
        rows = ", ".join(f"{count} {table}" for table, count in self.rows.items())
        return f"{rows} in {self.files} files, {self.size / 1e6:.1f} MB, in {self.folder}"


class Writer(Protocol):
    """Writes the rows of one table, partition and split as numbered files."""

    def write(self, batch: pa.RecordBatch) -> None: ...

    def close(self) -> None: ...


def export(
    dataset: Dataset | str,
    to: str | Path,
    format: str = "hf",
    *,
    rotate: float | None = None,
    scale: float | None = None,
    rejects: bool = False,
    licence: str = "unknown",
    source_licences: Mapping[str, str] | None = None,
    descriptions: Mapping[str, str] | None = None,
    title: str | None = None,
    file_bytes: int = FILE_BYTES,
    progress: Progress = lambda *_: None,
) -> Exported:
    """Write the dataset as it is now into the new or empty folder ``to``.

    ``rotate`` (degrees clockwise) and ``scale`` change every picture (MMCLIP Table 7); the SVG column is then empty,
    as it would show the unchanged picture. ``licence`` is the card's licence id, ``source_licences`` maps sources to
    theirs, ``descriptions`` families to a line on how they are made.

    Raises:
        StorageError: the format is unknown, the target is not empty, the dataset is, or the disk is full.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset(str(dataset))
    if format not in FORMATS:
        raise StorageError(f"there is no export format '{format}': use {' or '.join(FORMATS)}")
    change, target = PictureChange(rotate, scale), Path(to).absolute()
    snapshot = dataset.snapshot()
    tables: tuple[TableName, ...] = ("anchors", "contrasts", "rejects") if rejects else ("anchors", "contrasts")
    if not any(snapshot.files(table) for table in tables):
        raise StorageError(f"{dataset.store.url} has no rows to export: make some with `counterfoil run RECIPE`")
    _check_empty(target)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        tally = Tally()
        total = snapshot.count_rows(*tables)
        job = _Job(format, change, file_bytes, tally, lambda done: progress("rows written", done, total))
        rows = _write_tables(snapshot, temporary, tables, job)
        facts = CardFacts(
            title=title or f"{Path(dataset.store.url.rstrip('/')).name}: hard negatives that passed their checks",
            licence=licence,
            source_licences=source_licences or {},
            format=format,
            pictures=str(change),
            counts=snapshot.counts(),
            versions=snapshot.versions,
            runs=_list_runs(dataset, snapshot),
            descriptions=descriptions or {},
            tables=tables,
            tally=tally,
        )
        (temporary / "README.md").write_text(write_card(facts), encoding="utf-8")
        files = [path for path in temporary.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        temporary.rename(target)
    except OSError as error:
        raise explain_os_error(error, "exporting to", str(target)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return Exported(target, rows, len(files), size)


@dataclass(frozen=True)
class _Job:
    """What the steps of one export share."""

    format: str
    change: PictureChange
    file_bytes: int
    tally: Tally
    progress: Callable[[int], None]
    splits: dict[bytes, str] = field(default_factory=dict)
    """Anchor id, as bytes, to its split: the one thing that grows with the dataset."""

    def open_writer(self, folder: Path, split: str, schema: pa.Schema) -> Writer:
        kind = ParquetFiles if self.format == "hf" else TarFiles
        return kind(folder, split, schema, self.file_bytes)


def _check_empty(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise StorageError(f"{target} is not empty: give a new or empty folder to export to")


def _write_tables(snapshot: Snapshot, folder: Path, tables: tuple[TableName, ...], job: _Job) -> dict[str, int]:
    rows: dict[str, int] = {}
    folder.mkdir(parents=True)
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="picture") as pool:
        for table in tables:
            rows[table] = 0
            for partition in snapshot.partitions(table):
                rows[table] += _write_partition(snapshot, folder, table, partition, job, pool)
    return rows


def _write_partition(
    snapshot: Snapshot, folder: Path, table: TableName, partition: str, job: _Job, pool: ThreadPoolExecutor
) -> int:
    writers: dict[str, Writer] = {}
    rows = 0
    try:
        for batch in snapshot.scan(table, partition=partition):
            if job.change.changes:
                batch = _change_pictures(batch, job.change, pool)
            for split, part in _divide(batch, table, partition, job):
                if split not in writers:
                    writers[split] = job.open_writer(folder / table / partition, split, SCHEMAS[table])
                writers[split].write(part)
            _count(job.tally, table, partition, batch)
            rows += batch.num_rows
            job.progress(batch.num_rows)
    finally:
        for writer in writers.values():
            writer.close()
    return rows


def _divide(batch: pa.RecordBatch, table: TableName, partition: str, job: _Job) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The batch by split, noting the anchors' splits as they pass."""
    ids = batch["anchor_id"].to_pylist()
    if table == "anchors":
        splits = [clean_split(split) for split in batch["split"].to_pylist()]
        job.splits.update({_shorten(anchor_id): split for anchor_id, split in zip(ids, splits, strict=True)})
    else:
        splits = [job.splits.get(_shorten(each), UNKNOWN_SPLIT) if each else UNKNOWN_SPLIT for each in ids]
    for split in dict.fromkeys(splits):
        mask = [each == split for each in splits]
        part = batch if all(mask) else batch.filter(pa.array(mask))
        job.tally.splits.setdefault((table, partition), Counter())[split] += part.num_rows
        yield split, part


def clean_split(split: str | None) -> str:
    """A split's name as Hugging Face allows it.

    >>> clean_split("train"), clean_split("val 2017"), clean_split("")
    ('train', 'val_2017', 'all')
    """
    return re.sub(r"\W+", "_", split or "").strip("_") or UNKNOWN_SPLIT


def _shorten(anchor_id: str) -> bytes:
    try:
        return bytes.fromhex(anchor_id)
    except ValueError:
        return anchor_id.encode()


def _change_pictures(batch: pa.RecordBatch, change: PictureChange, pool: ThreadPoolExecutor) -> pa.RecordBatch:
    def change_one(value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is None:
            return None
        image = change.apply(Image(value["bytes"], value["path"]))
        return {"bytes": image.bytes, "path": image.path}

    images = pa.array(list(pool.map(change_one, batch["image"].to_pylist())), IMAGE)
    columns = {name: batch[name] for name in batch.schema.names}
    columns |= {"image": images, "vector": pa.nulls(batch.num_rows, pa.string())}
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)


def _count(tally: Tally, table: TableName, partition: str, batch: pa.RecordBatch) -> None:
    if table == "anchors":
        tally.sources.update((partition, source) for source in batch["source"].to_pylist())
    if table == "contrasts":
        kinds = zip(batch["modality"].to_pylist(), batch["role"].to_pylist(), strict=True)
        tally.kinds.setdefault(partition, Counter()).update(f"{role} {modality}" for modality, role in kinds)
    for provenance in batch["provenance"].to_pylist():
        tally.authors[(provenance["author"], provenance["model"] or "")] += 1


def _list_runs(dataset: Dataset, snapshot: Snapshot) -> list[Mapping[str, Any]]:
    """The metadata of the publishes that made what is exported, newest first, each once."""
    missing = {(table, name) for table in ("anchors", "contrasts") for name in snapshot.partitions(table)}
    runs: list[Mapping[str, Any]] = []
    for commit in dataset.history():
        made = {(commit.table, name) for name in commit.partitions} & missing
        if commit.step != "publish" or commit.version > snapshot.versions[commit.table] or not made:
            continue
        missing -= made
        if commit.metadata not in runs:
            runs.append(commit.metadata)
    return runs


class ParquetFiles:
    """Numbered Parquet files that say of themselves which columns are pictures."""

    def __init__(self, folder: Path, split: str, schema: pa.Schema, file_bytes: int) -> None:
        self.folder, self.split, self.file_bytes = folder, split, file_bytes
        self.schema = pa.schema(
            [pa.field(each.name, each.type) for each in schema],
            metadata={"huggingface": json.dumps({"info": {"features": describe_features(schema)}})},
        )
        self.number, self.written = 0, 0
        self.writer: Any = None
        self.waiting: list[pa.RecordBatch] = []
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, batch: pa.RecordBatch) -> None:
        self.waiting.append(batch)
        rows, size = sum(b.num_rows for b in self.waiting), sum(b.nbytes for b in self.waiting)
        if size >= ROW_GROUP_BYTES or rows >= ROW_GROUP_ROWS:
            self._flush()
        if self.written >= self.file_bytes:
            self._end_file()

    def close(self) -> None:
        self._flush()
        self._end_file()

    def _flush(self) -> None:
        if not self.waiting:
            return
        if self.writer is None:
            self.writer = open_writer(str(self.folder / f"{self.split}-{self.number:05d}.parquet"), self.schema)
        table = pa.Table.from_batches(self.waiting).cast(self.schema)
        self.writer.write_table(table, row_group_size=table.num_rows)
        self.written += table.nbytes
        self.waiting = []

    def _end_file(self) -> None:
        if self.writer is not None:
            self.writer.close()
            self.writer, self.number, self.written = None, self.number + 1, 0


def describe_features(schema: pa.Schema) -> dict[str, Any]:
    """The columns as Hugging Face's ``Features``, in the form that its Parquet files carry."""
    return {each.name: {"_type": "Image"} if each.type == IMAGE else _describe_type(each.type) for each in schema}


def _describe_type(kind: pa.DataType) -> dict[str, Any]:
    if pa.types.is_struct(kind):
        return {each.name: _describe_type(each.type) for each in kind}
    if pa.types.is_list(kind):
        return {"feature": _describe_type(kind.value_type), "_type": "List"}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind)), "_type": "Value"}


class TarFiles:
    """Numbered tar shards: for each row its picture, text and other columns, under the row's id."""

    def __init__(self, folder: Path, split: str, schema: pa.Schema, file_bytes: int) -> None:
        self.folder, self.split, self.file_bytes = folder, split, file_bytes
        self.is_anchors = "caption" in schema.names
        self.number, self.written, self.rows = 0, 0, 0
        self.tar: tarfile.TarFile | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, batch: pa.RecordBatch) -> None:
        for row in batch.to_pylist():
            if self.tar is None:
                path = self.folder / f"{self.split}-{self.number:06d}.tar"
                self.tar = tarfile.open(path, "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115 - closed by close()
            self._write_row(row)
            if self.written >= self.file_bytes:
                self.close()
                self.number += 1

    def close(self) -> None:
        if self.tar is not None:
            self.tar.close()
            self.tar, self.written = None, 0

    def _write_row(self, row: dict[str, Any]) -> None:
        image = row.pop("image")
        text = row["caption"] if self.is_anchors else row["text"]
        # A reject may have no id: its place in the export then names it.
        key = (row["anchor_id"] if self.is_anchors else row["contrast_id"]) or f"{self.split}-{self.rows:09d}"
        if image is not None:
            self._write_file(f"{key}.{_name_extension(image['bytes'])}", image["bytes"])
        if text is not None:
            self._write_file(f"{key}.txt", text.encode())
        self._write_file(f"{key}.json", json.dumps(row, ensure_ascii=False, sort_keys=True).encode())
        self.rows += 1

    def _write_file(self, name: str, content: bytes) -> None:
        assert self.tar is not None
        member = tarfile.TarInfo(name)
        member.size = len(content)
        self.tar.addfile(member, io.BytesIO(content))
        self.written += len(content)


def _name_extension(content: bytes) -> str:
    if content.startswith(b"\x89PNG"):
        return "png"
    if content.startswith(b"\xff\xd8"):
        return "jpg"
    return "webp" if content[8:12] == b"WEBP" else "bin"
