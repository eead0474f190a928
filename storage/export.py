"""A dataset written for other tools: Parquet for Hugging Face, triplets, or WebDataset tar shards, with a dataset card.

There is one folder per table and partition (``contrasts/geometry.rule/``) with files per split; a contrast is in the
split of its anchor. ``hf`` keeps anchors and contrasts as two tables, joined on ``anchor_id``; ``triplets`` has one row
an anchor, with lists of its contrasts. Rows stream through, so memory holds a batch and the anchors' ids. The folder
appears under its name only when it is whole.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from counterfoil.storage.card import LIES_PATH, CardFacts, Tally, describe_dataset, write_card
from counterfoil.storage.croissant import write_croissant
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.exported import Exported, describe_exported, open_target
from counterfoil.storage.grades import GRADES
from counterfoil.storage.hub import CITATION, check_licence
from counterfoil.storage.parquet_files import ParquetFiles
from counterfoil.storage.pictures import PictureChange, change_batch, change_image
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import UNVOUCHED
from counterfoil.storage.samples import write_samples
from counterfoil.storage.schemas import DOCS, SCHEMAS, TableName
from counterfoil.storage.triplets import TRIPLET_DOCS, TRIPLETS, join_triplets
from counterfoil.storage.webdataset import TarFiles, choose_ending, list_samples

FORMATS = ("hf", "triplets", "webdataset")
FILE_BYTES = 256 << 20
"""About where a file of an export ends and the next begins."""
UNKNOWN_SPLIT = "all"
"""The split of a reject that never became an anchor, and of rows whose source names none."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it since the last call, and how many there are in all."""


def export(
    dataset: Dataset | str,
    to: str | Path,
    format: str = "hf",
    *,
    rotate: float | None = None,
    scale: float | None = None,
    rejects: bool = False,
    licence: str | None = None,
    source_licences: Mapping[str, str] | None = None,
    descriptions: Mapping[str, str] | None = None,
    tasks: Mapping[str, Sequence[str]] | None = None,
    title: str | None = None,
    grades: Sequence[str] | None = None,
    file_bytes: int = FILE_BYTES,
    progress: Progress = lambda *_: None,
) -> Exported:
    """Write the dataset as it is now into the new or empty folder ``to``.

    ``rotate`` (degrees clockwise) and ``scale`` change every picture (MMCLIP Table 7); the SVG column is then empty,
    as it would show the unchanged picture. ``licence`` is the card's licence id (None: apache-2.0 where all sources
    are our own, else unknown), ``source_licences`` maps sources to theirs, ``descriptions`` families to a line on how
    they are made, ``tasks`` domains to the Hub's task categories.

    ``grades``: those of the contrasts that are written (None: all but what nobody judged); what has no grade, in tables
    of before, is written. How many of which grade were written and left out is told by what is returned.

    Raises:
        StorageError: the format or a grade is unknown, the target is not empty, the dataset is, or the disk is full.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset(str(dataset))
    if format not in FORMATS:
        raise StorageError(f"there is no export format '{format}': use {', '.join(FORMATS)}")
    unknown = sorted(set(grades or ()) - set(GRADES))
    if unknown:
        raise StorageError(f"there is no grade {unknown[0]!r}: use {', '.join(GRADES)}")
    without = UNVOUCHED if grades is None else tuple(grade for grade in GRADES if grade not in grades)
    change = PictureChange(rotate, scale)
    given = check_licence(licence) if licence is not None else None
    if rejects and format != "hf":
        raise StorageError(f"--format {format} has no form for rejects: export them with --format hf")
    snapshot = dataset.snapshot()
    tables: tuple[TableName, ...] = ("anchors", "contrasts", "rejects") if rejects else ("anchors", "contrasts")
    if not any(snapshot.files(table) for table in tables):
        raise StorageError(f"{dataset.store.url} has no rows to export: make some with `counterfoil run RECIPE`")
    with open_target(to) as folder:
        tally = Tally()
        total = snapshot.count_rows(*tables)
        job = _Job(
            format, change, file_bytes, tally, lambda done: progress("rows written", done, total), without=without
        )
        rows = job.write(snapshot, folder, tables)
        name = title or f"{Path(dataset.store.url.rstrip('/')).name}: hard negatives that passed their checks"
        own = all(source == "procedural" for _, source in tally.sources)
        facts = CardFacts(
            title=name,
            licence=given or ("apache-2.0" if own else "unknown"),
            source_licences=source_licences or {},
            format=format,
            pictures=str(change),
            counts=snapshot.counts(),
            versions=snapshot.versions,
            runs=_list_runs(dataset, snapshot),
            descriptions=descriptions or {},
            tables=tables,
            tally=tally,
            samples=write_samples(snapshot, folder, change),
            tasks=tasks or {},
            lies=_read_lies(dataset),
        )
        if format != "webdataset":
            described = describe_dataset(facts)
            croissant = write_croissant(folder, name, facts.licence, described, CITATION, {**DOCS, **TRIPLET_DOCS})
            (folder / "croissant.json").write_text(croissant, encoding="utf-8")
        (folder / "README.md").write_text(write_card(facts), encoding="utf-8")
    return describe_exported(to, rows, job.left_out, sum(tally.grades.values(), Counter()))


@dataclass(frozen=True)
class _Job:
    """What the steps of one export share."""

    format: str
    change: PictureChange
    file_bytes: int
    tally: Tally
    progress: Callable[[int], None]
    without: tuple[str, ...] = ()
    """Grades of contrasts that are left out."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Rows that are not written, by reason."""
    splits: dict[bytes, str] = field(default_factory=dict)
    """Anchor id, as bytes, to its split: the one thing that grows with the dataset."""

    def write(self, snapshot: Snapshot, folder: Path, tables: tuple[TableName, ...]) -> dict[str, int]:
        """Write the rows of all tables and tell how many there are of each."""
        rows: dict[str, int] = {}
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="picture") as pool:
            if self.format == "triplets":
                domains = sorted({family.partition(".")[0] for family in snapshot.partitions("contrasts")})
                return {"triplets": sum(_write_triplets(snapshot, folder, each, self, pool) for each in domains)}
            ending = choose_ending(snapshot) if self.format == "webdataset" and not self.change.changes else "png"
            for table in tables:
                for partition in snapshot.partitions(table):
                    if self.format == "webdataset":
                        count = _write_samples_of(snapshot, folder, table, partition, self, ending)
                    else:
                        count = _write_partition(snapshot, folder, table, partition, self, pool)
                    rows[table] = rows.get(table, 0) + count
        return rows


def _write_triplets(snapshot: Snapshot, folder: Path, domain: str, job: _Job, pool: ThreadPoolExecutor) -> int:
    join, batches = join_triplets(snapshot, domain, job.without)
    rows = 0
    place = folder / "triplets" / domain
    with _open_files(lambda split: ParquetFiles(place, split, TRIPLETS, job.file_bytes)) as files:
        for batch, anchors, contrasts in batches:
            if job.change.changes:
                batch = change_batch(batch, job.change, pool)
            rows += batch.num_rows
            splits = [clean_split(split) for split in batch["split"].to_pylist()]
            for split, part in _divide(batch, splits):
                files(split).write(part)
                job.tally.splits.setdefault(("triplets", domain), Counter())[split] += part.num_rows
            for row in anchors:
                job.tally.add("anchors", domain, row)
            for row in contrasts:
                job.tally.add("contrasts", row["family"], row)
            job.progress(batch.num_rows + len(contrasts))
    job.left_out.update({f"anchors {reason}": count for reason, count in join.left_out.items()})
    job.left_out.update({f"contrasts of grade {grade}": count for grade, count in join.passed_over.items()})
    return rows


def _write_samples_of(
    snapshot: Snapshot, folder: Path, table: TableName, partition: str, job: _Job, ending: str
) -> int:
    rows = 0
    with _open_files(lambda split: TarFiles(folder / table / partition, split, ending, job.file_bytes)) as files:
        for row in list_samples(snapshot, table, partition, job.without, job.left_out):
            split = clean_split(row["split"])
            if job.change.changes and row["image"] is not None:
                row["image"] = change_image(row["image"], job.change)
                row["vector"] = None
            files(split).write(row)
            job.tally.splits.setdefault((table, partition), Counter())[split] += 1
            job.tally.add(table, partition, row)
            rows += 1
            job.progress(1)
    return rows


W = TypeVar("W", ParquetFiles, TarFiles)


@contextmanager
def _open_files(make: Callable[[str], W]) -> Iterator[Callable[[str], W]]:
    """Gives the writer of a split, made when the first row of it comes; all are closed at the end."""
    opened: dict[str, W] = {}

    def find(split: str) -> W:
        if split not in opened:
            opened[split] = make(split)
        return opened[split]

    try:
        yield find
    finally:
        for each in opened.values():
            each.close()


def _write_partition(
    snapshot: Snapshot, folder: Path, table: TableName, partition: str, job: _Job, pool: ThreadPoolExecutor
) -> int:
    rows = 0
    with _open_files(
        lambda split: ParquetFiles(folder / table / partition, split, SCHEMAS[table], job.file_bytes)
    ) as files:
        for whole in snapshot.scan(table, partition=partition):
            batch = _pass_over(whole, job) if table == "contrasts" else whole
            if job.change.changes:
                batch = change_batch(batch, job.change, pool)
            for split, part in _divide(batch, _find_splits(batch, table, job)):
                files(split).write(part)
                job.tally.splits.setdefault((table, partition), Counter())[split] += part.num_rows
            for row in batch.select(_TALLIED[table]).to_pylist():
                job.tally.add(table, partition, row)
            rows += batch.num_rows
            job.progress(whole.num_rows)
    return rows


def _pass_over(batch: pa.RecordBatch, job: _Job) -> pa.RecordBatch:
    """The batch without contrasts of grades that are not wanted."""
    if not job.without:
        return batch
    gone = [grade in job.without for grade in batch["grade"].to_pylist()]
    job.left_out.update(
        f"contrasts of grade {g}" for g, out in zip(batch["grade"].to_pylist(), gone, strict=True) if out
    )
    return batch.filter(pa.array([not each for each in gone]))


_TALLIED: Mapping[str, list[str]] = {
    "anchors": ["source", "provenance"],
    "contrasts": ["role", "modality", "checks", "grade", "changes", "provenance"],
    "rejects": ["provenance"],
}


def _find_splits(batch: pa.RecordBatch, table: TableName, job: _Job) -> list[str]:
    """The split of each row, noting the anchors' splits as they pass."""
    ids = batch["anchor_id"].to_pylist()
    if table != "anchors":
        return [job.splits.get(_shorten(each), UNKNOWN_SPLIT) if each else UNKNOWN_SPLIT for each in ids]
    splits = [clean_split(split) for split in batch["split"].to_pylist()]
    job.splits.update({_shorten(anchor_id): split for anchor_id, split in zip(ids, splits, strict=True)})
    return splits


def _divide(batch: pa.RecordBatch, splits: list[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The batch by split."""
    for split in dict.fromkeys(splits):
        mask = [each == split for each in splits]
        yield split, batch if all(mask) else batch.filter(pa.array(mask))


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


def _read_lies(dataset: Dataset) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = json.loads(dataset.store.read(LIES_PATH))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise StorageError(f"{LIES_PATH} of {dataset.store.url} is damaged ({error}): remove it") from error
    return found


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
