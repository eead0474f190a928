"""The Parquet files of an export, with what Hugging Face reads of their columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from counterfoil.storage.parquet import ROW_GROUP_BYTES, ROW_GROUP_ROWS, open_writer
from counterfoil.storage.schemas import IMAGE


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
    return {each.name: _describe_type(each.type) for each in schema}


def _describe_type(kind: pa.DataType) -> dict[str, Any]:
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_struct(kind):
        return {each.name: _describe_type(each.type) for each in kind}
    if pa.types.is_list(kind):
        return {"feature": _describe_type(kind.value_type), "_type": "List"}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind)), "_type": "Value"}
