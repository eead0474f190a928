"""A dataset's tables as Arrow, pandas, polars or DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from counterfoil.storage import dataset as stored
from counterfoil.storage.dataset import Commit
from counterfoil.storage.errors import StorageError
from counterfoil.storage.reading import BATCH_ROWS, Counts, Snapshot
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.storage.schemas import PARTITION_COLUMN, SCHEMAS, TABLES, TableName, from_table
from counterfoil.tasks.packages import import_package

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow.dataset as pads
    from pyarrow.dataset import Expression


def open(path: str, *, versions: Mapping[str, int] | None = None, options: Mapping[str, Any] | None = None) -> Dataset:
    """The dataset in a folder or at an object store's URL, as it is now.

    What others publish later does not show: open it again. ``versions`` sets tables to older versions, such as
    ``{"contrasts": 3}``. ``options`` go to fsspec, such as ``{"key": ..., "secret": ...}`` for S3.

    Raises:
        StorageError: there is no dataset, no such version of a table, or it was vacuumed.
    """
    dataset = stored.Dataset(path, options)
    if not dataset.exists():
        raise StorageError(f"{path} holds no dataset: make one with counterfoil.run(RECIPE)")
    return Dataset(path, dataset.snapshot(versions), dataset)


@dataclass(frozen=True)
class Dataset:
    """A dataset at fixed versions of its three tables."""

    path: str
    snapshot: Snapshot
    _stored: stored.Dataset

    @property
    def versions(self) -> dict[str, int]:
        """Table to the version that is read."""
        return dict(self.snapshot.versions)

    @property
    def anchors(self) -> Table:
        """The positives."""
        return Table(self.snapshot, "anchors")

    @property
    def contrasts(self) -> Table:
        """The hard negatives and hard positives."""
        return Table(self.snapshot, "contrasts")

    @property
    def rejects(self) -> Table:
        """What was thrown away, and why."""
        return Table(self.snapshot, "rejects")

    @property
    def domains(self) -> list[str]:
        """The domains that have anchors."""
        return self.snapshot.partitions("anchors")

    @property
    def families(self) -> list[str]:
        """The families that have contrasts."""
        return self.snapshot.partitions("contrasts")

    def counts(self) -> Counts:
        """Rows by domain, split, family and reason."""
        return self.snapshot.counts()

    def history(self) -> list[Commit]:
        """Every version of every table, newest first, with the recipe and figures of the run that made it."""
        return self._stored.history()

    def find(self, row_id: str) -> Anchor | Contrast | Reject:
        """The one row whose id begins with ``row_id``.

        Raises:
            StorageError: no row or several rows match.
        """
        return self.snapshot.find_row(row_id)

    def __repr__(self) -> str:
        rows = ", ".join(f"{len(Table(self.snapshot, table))} {table}" for table in TABLES)
        return f"<counterfoil.Dataset {self.path}: {rows}>"


@dataclass(frozen=True)
class Table:
    """Rows and columns of one table. Nothing is read before one of its methods is called.

    Pictures are ``struct<bytes, path>``; the bytes are a PNG or JPEG file.
    """

    snapshot: Snapshot
    name: TableName
    names: tuple[str, ...] | None = None
    where: Expression | None = None
    partition: str | None = None

    def select(
        self,
        columns: Sequence[str] | None = None,
        *,
        where: Expression | None = None,
        domain: str | None = None,
        family: str | None = None,
    ) -> Table:
        """Some columns, some rows: those of one ``family`` (of anchors: ``domain``), or for which ``where`` holds.

        ``where`` is a pyarrow expression, such as ``pyarrow.dataset.field("split") == "train"``; it may use any column.

        Raises:
            StorageError: there is no such column, domain or family.
        """
        unknown = [name for name in columns or () if name not in SCHEMAS[self.name].names]
        if unknown:
            raise StorageError(
                f"{self.name} has no column {', '.join(unknown)}; it has {', '.join(SCHEMAS[self.name].names)}"
            )
        given = {"domain": domain, "family": family}
        partition = given.pop(PARTITION_COLUMN[self.name])
        for other, value in given.items():
            if value is not None:
                raise StorageError(f"{self.name} is not divided by {other} but by {PARTITION_COLUMN[self.name]}")
        there = self.snapshot.partitions(self.name)
        if partition is not None and partition not in there:
            raise StorageError(f"{self.name} has no {partition}: it has {', '.join(there) or 'no rows'}")
        both = where if self.where is None else self.where if where is None else self.where & where
        return replace(
            self,
            names=tuple(columns) if columns is not None else self.names,
            where=both,
            partition=partition or self.partition,
        )

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.names if self.names is not None else SCHEMAS[self.name].names)

    def __len__(self) -> int:
        if self.where is None:
            return sum(file.rows for file in self.snapshot.files(self.name, self.partition))
        return int(self.dataset().count_rows())

    def dataset(self) -> pads.Dataset:
        """The selected rows, with all columns, as a pyarrow dataset, which other libraries read in place."""
        whole = self.snapshot.arrow(self.name, self.partition)
        return whole if self.where is None else whole.filter(self.where)

    def batches(self, rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        """The rows in batches of at most ``rows``; memory holds about one row group."""
        return self.snapshot.scan(self.name, self.columns, self.where, rows, self.partition)

    def rows(self) -> Iterator[Anchor | Contrast | Reject]:
        """The rows as dataclasses, with all columns."""
        for batch in self.snapshot.scan(self.name, None, self.where, partition=self.partition):
            yield from from_table(batch, self.name)

    def arrow(self) -> pa.Table:
        """The rows as one Arrow table in memory."""
        return pa.Table.from_batches(
            list(self.batches(4096)), pa.schema([SCHEMAS[self.name].field(each) for each in self.columns])
        )

    def pandas(self) -> pandas.DataFrame:
        """The rows as a pandas data frame; a picture is a dictionary of ``bytes`` and ``path``.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        import_package("pandas", "Table.pandas()")
        return self.arrow().to_pandas()

    def polars(self) -> polars.DataFrame:
        """The rows as a polars data frame; a picture is a struct of ``bytes`` and ``path``.

        Raises:
            MissingPackageError: polars is not installed.
        """
        frame = import_package("polars", "Table.polars()").from_arrow(self.arrow())
        return frame

    def duckdb(self, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation, which reads the files as a query needs them.

        Raises:
            MissingPackageError: duckdb is not installed.
        """
        connection = connection or import_package("duckdb", "Table.duckdb()").connect()
        relation = connection.from_arrow(self.dataset())
        return relation.select(*(f'"{name}"' for name in self.columns)) if self.names is not None else relation
