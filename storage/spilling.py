"""Rows laid apart by their key, so that equal keys are found whatever their number: in memory while they are few, on
disk beyond that.

Rows whose keys end alike fall into one *part*, so that all rows of a key are in one. Our keys are content hashes, of
which the last two digits make 256 parts of about equal size; each is looked at by itself (a Grace hash join's
partitioning: Kitsuregawa, Tanaka and Moto-oka 1983).
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

HELD_ROWS = 1 << 20
"""Rows that are held before they are written: some 100 MB."""
_SUFFIX = 2
_TOGETHER = 256


class SpilledRows:
    """Tables of one schema whose first column is the key. A context manager: what it wrote is removed at the end.

    >>> with SpilledRows(held_rows=2) as rows:
    ...     rows.add(pa.table({"key": ["x1a", "y2b", "z1a"], "at": [0, 1, 2]}))
    ...     rows.add(pa.table({"key": ["x1a"], "at": [3]}))
    ...     [part["at"].to_pylist() for part in rows.parts()]
    [[0, 2, 3], [1]]
    """

    def __init__(self, held_rows: int = HELD_ROWS) -> None:
        self._held_rows = held_rows
        self._held: list[pa.Table] = []
        self._small: list[pa.Table] = []
        self._count = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files: dict[str, list[Path]] = defaultdict(list)

    def add(self, table: pa.Table) -> None:
        """Take in rows; their order within a key is kept."""
        self._small.append(table)
        self._count += table.num_rows
        if len(self._small) >= _TOGETHER:
            self._gather()
        if self._count > self._held_rows:
            self._spill()

    def parts(self) -> Iterator[pa.Table]:
        """The parts, one in memory at a time. Where nothing was written there is one, of all rows."""
        if self._folder is None:
            self._gather()
            if self._count:
                yield pa.concat_tables(self._held)
            return
        if self._count:
            self._spill()
        for suffix in sorted(self._files):
            yield pa.concat_tables([_read(path) for path in self._files[suffix]])

    def blocks(self, least: int) -> Iterator[pa.Table]:
        """Parts together, of ``least`` rows or more but for the last; which rows are in which depends on them alone."""
        held: list[pa.Table] = []
        for part in self.parts():
            held.append(part)
            if sum(each.num_rows for each in held) >= least:
                yield pa.concat_tables(held)
                held = []
        if held:
            yield pa.concat_tables(held)

    def __enter__(self) -> SpilledRows:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._held.clear()
        self._small.clear()
        if self._folder is not None:
            self._folder.cleanup()

    def _gather(self) -> None:
        """Make one table of many small ones: a table of four rows takes as much as one of a hundred."""
        if self._small:
            self._held.append(pa.concat_tables(self._small).combine_chunks())
            self._small = []

    def _spill(self) -> None:
        self._gather()
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="counterfoil-spill-")
        whole = pa.concat_tables(self._held)
        self._held, self._count = [], 0
        ends = pc.utf8_slice_codeunits(whole.column(0), -_SUFFIX).combine_chunks().dictionary_encode()
        codes = ends.indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        whole, bounds = whole.take(order), np.searchsorted(codes[order], np.arange(len(ends.dictionary) + 1))
        for number, suffix in enumerate(ends.dictionary.to_pylist()):
            files = self._files[suffix]
            # By number, not by suffix: a key may end in a slash.
            place = list(self._files).index(suffix)
            files.append(Path(self._folder.name) / f"{place}-{len(files)}.arrow")
            piece = whole.slice(bounds[number], bounds[number + 1] - bounds[number])
            with pa.OSFile(str(files[-1]), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
                writer.write_table(piece)


def _read(path: Path) -> pa.Table:
    with pa.OSFile(str(path), "rb") as source:
        return pa.ipc.open_file(source).read_all()


def group_by_key(part: pa.Table) -> tuple[pa.Table, np.ndarray]:
    """The rows of a part with equal keys together, in the order in which they came, and for each whether the row before
    has its key.

    >>> rows, again = group_by_key(pa.table({"key": ["b", "a", "b"], "at": [0, 1, 2]}))
    >>> rows["at"].to_pylist(), again.tolist()
    ([0, 2, 1], [False, True, False])
    """
    codes = part.column(0).combine_chunks().dictionary_encode().indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    again = np.zeros(len(codes), bool)
    again[1:] = codes[order][1:] == codes[order][:-1]
    return part.take(order), again
