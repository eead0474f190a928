"""Reading a dataset as it was at one moment, in batches, with memory that does not grow with the dataset."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import StorageError, explain_vacuumed
from counterfoil.storage.logs import check_log, head_version
from counterfoil.storage.parquet import read_rows
from counterfoil.storage.publish import TableFile, list_files, open_table
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.storage.schemas import ID_COLUMN, PARTITION_COLUMN, SCHEMAS, TABLES, TableName, from_table
from counterfoil.storage.staged import split_key
from counterfoil.storage.store import Store

# Imported where it is used: it brings pandas along, which takes half a second of every process that only writes.
if TYPE_CHECKING:
    import pyarrow.dataset as pads
    from pyarrow.dataset import Expression

BATCH_ROWS = 256
SHORTEST_ID = 4
"""As few digits of an id as are taken for one."""


@dataclass(frozen=True)
class Counts:
    """How many rows there are. Reason codes are what stands before a reason's first colon."""

    anchors: Mapping[str, int]
    """Domain to anchors."""
    splits: Mapping[str, Mapping[str, int]]
    """Domain to split to anchors."""
    contrasts: Mapping[str, int]
    """Family to contrasts."""
    anchors_with: Mapping[str, int]
    """Family to the anchors that have at least one contrast of it."""
    rejects: Mapping[str, int]
    """Family to thrown-away rows."""
    reasons: Mapping[str, Mapping[str, int]]
    """Family to reason code to how often it was given."""


@dataclass(frozen=True)
class Snapshot:
    """A dataset at fixed versions of its tables (-1: no table). What others publish meanwhile does not show."""

    store: Store
    versions: Mapping[str, int]

    @cached_property
    def _files(self) -> dict[str, list[TableFile]]:
        return {}

    def files(self, table: TableName, partition: str | None = None) -> list[TableFile]:
        """The table's files, or those of one domain or family, sorted by path."""
        self._check_table(table)
        if table not in self._files:
            version = self.versions[table]
            check_log(self.store, table, version)
            self._files[table] = list_files(open_table(self.store, table, version)) if version >= 0 else []
        if partition is None:
            return self._files[table]
        return [file for file in self._files[table] if split_key(file.key)[1] == partition]

    def partitions(self, table: TableName) -> list[str]:
        """The domains or families that have rows."""
        return sorted({split_key(file.key)[1] for file in self.files(table)})

    def arrow(self, table: TableName, partition: str | None = None) -> pads.Dataset:
        """The table as a pyarrow dataset, which duckdb and polars read in place."""
        return self._join(table, self.files(table, partition))

    def _join(self, table: TableName, files: Sequence[TableFile]) -> pads.Dataset:
        import pyarrow.dataset as pads

        fragments = [self.fragment(table, file) for file in files]
        return pads.FileSystemDataset(fragments, SCHEMAS[table], pads.ParquetFileFormat(), self.store.arrow_filesystem)

    def fragment(self, table: TableName, file: TableFile) -> pads.ParquetFileFragment:
        """One of the table's files for pyarrow; its rows have the partition column."""
        import pyarrow.dataset as pads

        column = pc.field(PARTITION_COLUMN[table])
        return pads.ParquetFileFormat().make_fragment(
            self.store.locate(file.path), self.store.arrow_filesystem, column == split_key(file.key)[1]
        )

    def scan(
        self,
        table: TableName,
        columns: Sequence[str] | None = None,
        filter: Expression | None = None,
        batch_size: int = BATCH_ROWS,
        partition: str | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The table's rows in batches of up to ``batch_size``, in the order of the files' names.

        ``filter`` is a pyarrow expression (``pyarrow.dataset.field("split") == "train"``) and may use any column.
        Memory holds about one row group.
        """
        self._check_table(table)
        unknown = [name for name in columns or () if name not in SCHEMAS[table].names]
        if unknown:
            raise StorageError(f"{table} has no column {', '.join(unknown)}; it has {', '.join(SCHEMAS[table].names)}")
        yield from self.scan_files(table, self.files(table, partition), columns, filter, batch_size)

    def scan_files(
        self,
        table: TableName,
        files: Sequence[TableFile],
        columns: Sequence[str] | None = None,
        filter: Expression | None = None,
        batch_size: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """`scan` of some of the table's files."""
        scanner = self._join(table, files).scanner(
            columns=list(columns) if columns is not None else SCHEMAS[table].names,
            filter=filter,
            batch_size=batch_size,
            batch_readahead=0,
            fragment_readahead=0,
            use_threads=False,
        )
        with self.explain_absence(table):
            for batch in scanner.to_batches():
                if batch.num_rows:
                    yield batch

    def read_rows(self, table: TableName, file: TableFile, first: int, count: int) -> pa.Table:
        """Rows of one file, all columns: only the row groups that hold them are read, page checksums verified.

        Raises:
            OSError, pyarrow.ArrowInvalid: the file is gone or its bytes are not whole.
        """
        schema = SCHEMAS[table]
        found = read_rows(self.store, file.path, first, count)
        value = split_key(file.key)[1]
        arrays = [
            pa.array([value] * count, field.type)
            if field.name == PARTITION_COLUMN[table]
            else found[field.name].cast(field.type)
            if field.name in found.column_names
            else pa.nulls(count, field.type)
            for field in schema
        ]
        return pa.table(arrays, schema=schema)

    @contextlib.contextmanager
    def explain_absence(self, table: TableName) -> Iterator[None]:
        """Tells a reader of the table that a vacuum took the file that it wants.

        Raises:
            StorageError: what is done within meets a file that is gone; also one that the newest version has.
        """
        try:
            yield
        except FileNotFoundError as error:
            gone = next((file for file in self.files(table) if file.path in str(error)), None)
            partition = split_key(gone.key)[1] if gone is not None else "it"
            if gone is not None and self.versions[table] == head_version(self.store, table):
                raise StorageError(
                    f"{gone.path} of {self.store.url} is gone, though the newest version of {table} has it (a vacuum "
                    "takes no such file): run the recipe again, which makes it anew"
                ) from error
            raise explain_vacuumed(self.store.url, table, self.versions[table], partition) from error

    def anchors(self, domain: str | None = None) -> Iterator[Anchor]:
        """The anchors, or those of one domain."""
        for batch in self.scan("anchors", partition=domain):
            yield from from_table(batch, "anchors")

    def contrasts(self, family: str | None = None, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        """The contrasts, or those of one family, or of these anchors."""
        wanted = None if anchor_ids is None else pc.field("anchor_id").isin(pa.array(anchor_ids, pa.string()))
        for batch in self.scan("contrasts", filter=wanted, partition=family):
            yield from from_table(batch, "contrasts")

    def rejects(self, family: str | None = None) -> Iterator[Reject]:
        """What was thrown away, or what of one family."""
        for batch in self.scan("rejects", partition=family):
            yield from from_table(batch, "rejects")

    def get_anchors(self, anchor_ids: Sequence[str], domain: str | None = None) -> dict[str, Anchor]:
        """The anchors of these ids, by id; ids that no anchor has are absent."""
        wanted = pc.field("anchor_id").isin(pa.array(anchor_ids, pa.string()))
        found: dict[str, Anchor] = {}
        for batch in self.scan("anchors", filter=wanted, partition=domain):
            found |= {anchor.anchor_id: anchor for anchor in from_table(batch, "anchors")}
        return found

    def contrasts_of(self, anchor_id: str) -> list[Contrast]:
        """All contrasts of one anchor, by family and rank."""
        wanted = pc.field("anchor_id") == anchor_id
        rows = [row for b in self.scan("contrasts", filter=wanted) for row in from_table(b, "contrasts")]
        return sorted(rows, key=lambda row: (row.family, row.rank))

    def find_row(self, row_id: str) -> Anchor | Contrast | Reject:
        """The one row whose id is ``row_id`` or begins with it, or that came of the source row called so.

        Raises:
            StorageError: no row or several rows match.
        """
        found = self._find_ids(row_id) if len(row_id) >= SHORTEST_ID else {}
        if row_id in found:
            found = {row_id: found[row_id]}
        begin = f"begin with '{row_id}'"
        if not found:
            found, begin = self._find_of_source(row_id), f"came of the source row '{row_id}'"
        if len(found) > 1:
            some = ", ".join(sorted(found)[:5])
            raise StorageError(f"{len(found)} rows {begin} ({some}): give the id of one")
        if not found:
            raise StorageError(
                f"no row of {self.store.url} has an id that begins with '{row_id}' (its first {SHORTEST_ID} digits are "
                "enough), and no source row is called so"
            )
        ((match, table),) = found.items()
        for batch in self.scan(table, filter=pc.field(ID_COLUMN[table]) == match):
            rows: Sequence[Anchor | Contrast | Reject] = from_table(batch, table)
            return rows[0]
        raise StorageError(f"row {match} of {self.store.url} cannot be read: its file changed")

    def _find_ids(self, start: str) -> dict[str, TableName]:
        """The ids of all tables that begin with ``start``, with their table."""
        found: dict[str, TableName] = {}
        for table in TABLES:
            column = ID_COLUMN[table]
            for batch in self.scan(table, [column], pc.starts_with(pc.field(column), start), batch_size=4096):
                for match in batch[column].to_pylist():
                    found.setdefault(match, table)
        return found

    def _find_of_source(self, source_id: str) -> dict[str, TableName]:
        """The ids of the anchors, and of the rejects that became none, of one source row."""
        named = pc.field("source_id") == source_id
        found: dict[str, TableName] = {}
        for batch in self.scan("anchors", ["anchor_id"], named, batch_size=4096):
            found |= dict.fromkeys(batch["anchor_id"].to_pylist(), "anchors")
        for family in self.partitions("rejects"):
            if family.endswith(".anchor"):
                for batch in self.scan("rejects", ["reject_id"], named, batch_size=4096, partition=family):
                    found |= dict.fromkeys(batch["reject_id"].to_pylist(), "rejects")
        return found

    def count_rows(self, *tables: TableName) -> int:
        """The number of rows of ``tables``, all of them if none is named, from the tables' logs alone."""
        return sum(file.rows for table in tables or TABLES for file in self.files(table))

    def counts(self) -> Counts:
        """Count the rows of every table; only small columns are read."""
        splits: dict[str, Counter[str]] = {}
        for domain in self.partitions("anchors"):
            counted = splits.setdefault(domain, Counter())
            for batch in self.scan("anchors", ["split"], batch_size=8192, partition=domain):
                counted.update(batch["split"].to_pylist())
        reasons: dict[str, Counter[str]] = {}
        for family in self.partitions("rejects"):
            codes = reasons.setdefault(family, Counter())
            for batch in self.scan("rejects", ["reasons"], batch_size=8192, partition=family):
                codes.update(reason.partition(":")[0] for reason in pc.list_flatten(batch["reasons"]).to_pylist())
        families = self.partitions("contrasts")
        return Counts(
            anchors=self._sum_rows("anchors"),
            splits={domain: dict(sorted(counted.items())) for domain, counted in splits.items()},
            contrasts=self._sum_rows("contrasts"),
            anchors_with={family: self._count_anchors(family) for family in families},
            rejects=self._sum_rows("rejects"),
            reasons={family: dict(codes.most_common()) for family, codes in reasons.items()},
        )

    @staticmethod
    def _check_table(table: str) -> None:
        if table not in SCHEMAS:
            raise StorageError(f"there is no table '{table}': the tables are {', '.join(TABLES)}")

    def _sum_rows(self, table: TableName) -> dict[str, int]:
        totals: Counter[str] = Counter()
        for file in self.files(table):
            totals[split_key(file.key)[1]] += file.rows
        return dict(sorted(totals.items()))

    def _count_anchors(self, family: str) -> int:
        ids: set[str] = set()
        for batch in self.scan("contrasts", ["anchor_id"], batch_size=8192, partition=family):
            ids.update(batch["anchor_id"].to_pylist())
        return len(ids)
