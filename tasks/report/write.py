"""From a dataset to its report file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.storage.schemas import from_table
from counterfoil.tasks.audit.review.rates import Review, read_review
from counterfoil.tasks.audit.tells.stored import find_audits
from counterfoil.tasks.engine.history import find_last_run
from counterfoil.tasks.report.assemble import Progress, assemble_report
from counterfoil.tasks.report.likeness import NO_JUDGES, Judges
from counterfoil.tasks.report.page import redact_url
from counterfoil.tasks.report.parts import Shelf
from counterfoil.tasks.tells.measure import FamilyAudit

T = TypeVar("T")
TOLD_ROWS = 100
"""Rows between two calls of a report's progress."""


class ReportError(Exception):
    """The report cannot be made. The message says what to do."""


@dataclass(frozen=True)
class DatasetTables:
    """A dataset as `counterfoil.tasks.report.collect` reads it: all of one moment, whatever is published meanwhile."""

    name: str
    dataset: Dataset
    snapshot: Snapshot
    making: Mapping[str, Any]
    progress: Progress

    def list_families(self) -> list[str]:
        return self.snapshot.partitions("contrasts")

    def anchors(self) -> Iterator[Anchor]:
        return self._tell(self.snapshot.anchors())

    def get_anchors(self, anchor_ids: Sequence[str]) -> Mapping[str, Anchor]:
        return self.snapshot.get_anchors(anchor_ids)

    def contrasts(self, family: str, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        if anchor_ids is None:
            return self._tell(self.snapshot.contrasts(family))
        wanted = pc.field("anchor_id").isin(pa.array(anchor_ids, pa.string()))
        batches = self.snapshot.scan("contrasts", filter=wanted, partition=family)
        return (row for batch in batches for row in from_table(batch, "contrasts"))

    def rejects(self) -> Iterator[Reject]:
        return self._tell(self.snapshot.rejects())

    def read_review(self) -> Review | None:
        return read_review(self.dataset, self.snapshot)

    def read_audits(self) -> Sequence[FamilyAudit]:
        return find_audits(self.dataset, self.snapshot)

    def describe_making(self) -> Mapping[str, Any]:
        return self.making

    def _tell(self, rows: Iterator[T]) -> Iterator[T]:
        total, done = self.snapshot.count_rows(), 0
        for row in rows:
            yield row
            done += 1
            if done == TOLD_ROWS:
                self.progress("rows read", done, total)
                done = 0
        self.progress("rows read", done, total)


def write_report(
    dataset: str | Path,
    to: Path | None = None,
    *,
    sample: int = 60,
    seed: int = 0,
    judges: Judges = NO_JUDGES,
    progress: Progress = lambda *_: None,
) -> Path:
    """Write the dataset's report. Returns the HTML file to open, in a browser and without a server.

    ``dataset`` is a folder or an fsspec URL. ``to`` is the file; left out, it is ``report.html`` in the dataset's
    folder. ``sample`` anchors (0: all) are shown beside their contrasts, the same ones for the same ``seed``. Up to
    `tasks.report.parts.SINGLE_FILE` characters the file needs nothing else; beyond, the samples stand in a folder
    beside it, ``report-parts``, and are loaded as they come into view. The same dataset gives the same bytes.
    ``judges`` are the models of the table of likeness; without any it is left out.

    Raises:
        ReportError: there is no dataset, or it is on an object store and ``to`` is missing.
        counterfoil.tasks.encoders.EncoderError: a judge cannot be loaded.
        counterfoil.tasks.audit.review.errors.ReviewError: a judge's file of answers cannot be read.
        counterfoil.storage.errors.StorageError: a table cannot be read, or the report cannot be written.
    """
    url = str(dataset)
    opened = Dataset(url)
    if not opened.exists():
        raise ReportError(f"there is no dataset at {redact_url(url)}: make one with `counterfoil run RECIPE`")
    if to is None:
        if opened.store.folder is None:
            raise ReportError(f"{redact_url(url)} is no local folder: say where the report goes with `--to FILE.html`")
        to = opened.store.folder / "report.html"
    tables = DatasetTables(url, opened, opened.snapshot(), find_last_run(opened), progress)
    shelf = Shelf(to.parent / f"{to.stem}-parts")
    try:
        page = assemble_report(tables, shelf, sample, seed, progress, judges=judges)
    except BaseException:
        shelf.discard()
        raise
    _write_whole(to, page)
    shelf.sweep()
    return to


def _write_whole(path: Path, text: str) -> None:
    """Write beside the goal and rename, so that no reader meets half a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".report-", suffix=".html")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
