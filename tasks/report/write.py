"""From a dataset to its report file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from storage.dataset import Dataset
from storage.reading import Snapshot
from storage.rows import Anchor, Contrast, Reject
from tasks.report.collect import collect
from tasks.report.page import Progress, redact_url, render_page

T = TypeVar("T")
TOLD_ROWS = 100
"""Rows between two calls of a report's progress."""


class ReportError(Exception):
    """The report cannot be made. The message says what to do."""


@dataclass(frozen=True)
class DatasetTables:
    """A dataset as `tasks.report.collect` reads it: all of one moment, whatever is published meanwhile."""

    name: str
    snapshot: Snapshot
    making: Mapping[str, Any]
    progress: Progress

    def list_families(self) -> list[str]:
        return self.snapshot.partitions("contrasts")

    def anchors(self) -> Iterator[Anchor]:
        return self._tell(self.snapshot.anchors())

    def contrasts(self, family: str) -> Iterator[Contrast]:
        return self._tell(self.snapshot.contrasts(family))

    def rejects(self) -> Iterator[Reject]:
        return self._tell(self.snapshot.rejects())

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
    progress: Progress = lambda *_: None,
) -> Path:
    """Write the dataset's report: one HTML file that needs nothing else. Returns where it is.

    ``dataset`` is a folder or an fsspec URL. ``to`` is the file; left out, it is ``report.html`` in the dataset's
    folder. ``sample`` anchors are shown beside their contrasts, the same ones for the same ``seed``. The same dataset
    gives the same bytes.

    Raises:
        ReportError: there is no dataset, or it is on an object store and ``to`` is missing.
        storage.errors.StorageError: a table cannot be read.
    """
    url = str(dataset)
    opened = Dataset(url)
    if not opened.exists():
        raise ReportError(f"there is no dataset at {redact_url(url)}: make one with `counterfoil run RECIPE`")
    if to is None:
        if opened.store.folder is None:
            raise ReportError(f"{redact_url(url)} is no local folder: say where the report goes with `--to FILE.html`")
        to = opened.store.folder / "report.html"
    tables = DatasetTables(url, opened.snapshot(), _find_making(opened), progress)
    _write_whole(to, render_page(collect(tables, sample, seed), progress=progress))
    return to


def _find_making(dataset: Dataset) -> Mapping[str, Any]:
    """What the newest run that made rows said of itself."""
    for commit in dataset.history():
        if commit.metadata:
            return commit.metadata
    return {}


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
