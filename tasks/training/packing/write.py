"""Rows to shuffled shards in two passes: to a bucket for each shard, then each bucket shuffled and written."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.storage.parquet import hash_bytes
from counterfoil.storage.store import Store
from counterfoil.tasks.training.packing.gather import Place
from counterfoil.tasks.training.packing.manifest import PICTURES, ROWS, Shard

PARKED = pa.schema([*ROWS, ("pictures", pa.list_(pa.binary()))])
"""A row in its bucket: its pictures with it, which ``image`` numbers."""


@dataclass
class Buckets:
    """The first pass: rows by split and shard, in files on this machine's disk."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="counterfoil-pack-")))
    parts: dict[tuple[str, int], list[Path]] = field(default_factory=dict)

    def add(self, rows: Sequence[tuple[Place, dict[str, Any]]]) -> None:
        """Park rows."""
        sorted_rows: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for place, row in rows:
            sorted_rows.setdefault((place.split, place.shard), []).append(row)
        for key, found in sorted_rows.items():
            parts = self.parts.setdefault(key, [])
            path = self.folder / f"{key[0]}-{key[1]:05d}-{len(parts):05d}.arrow"
            batch = pa.RecordBatch.from_pylist(found, schema=PARKED)
            with pa.ipc.new_stream(str(path), PARKED) as writer:
                writer.write_batch(batch)
            parts.append(path)

    def read(self, key: tuple[str, int]) -> list[dict[str, Any]]:
        """The rows of one shard, by anchor id: their order does not depend on how they came."""
        rows: list[dict[str, Any]] = []
        for path in self.parts[key]:
            with pa.ipc.open_stream(str(path)) as reader:
                rows += reader.read_all().to_pylist()
        return sorted(rows, key=lambda row: str(row["anchor_id"]))

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def write_shards(buckets: Buckets, store: Store, group_rows: int, seed: int) -> Iterator[tuple[str, Shard]]:
    """The second pass: each bucket as a shard, its rows shuffled. Yields splits with their shards, in order."""
    numbers: Counter[str] = Counter()
    for split, shard in sorted(buckets.parts):
        rows = buckets.read((split, shard))
        rng = np.random.default_rng([seed, shard, *split.encode()])
        shuffled = [rows[place] for place in rng.permutation(len(rows))]
        name = f"{split}-{numbers[split]:05d}"
        numbers[split] += 1
        yield split, _write_shard(name, shuffled, store, group_rows)


def _write_shard(name: str, rows: Sequence[dict[str, Any]], store: Store, group_rows: int) -> Shard:
    parts = [rows[start : start + group_rows] for start in range(0, len(rows), group_rows)]
    row_sink, picture_sink = pa.BufferOutputStream(), pa.BufferOutputStream()
    pictures = 0
    with (
        pq.ParquetWriter(row_sink, ROWS, compression="ZSTD", compression_level=3) as row_writer,
        # WebP does not shrink; raw pictures do, several times.
        pq.ParquetWriter(picture_sink, PICTURES, compression="ZSTD", compression_level=1, use_dictionary=False) as pics,
    ):
        for part in parts:
            moved, unique = _number_pictures(part)
            pictures += len(unique)
            row_writer.write_table(pa.Table.from_pylist(moved, schema=ROWS), row_group_size=len(moved))
            pics.write_table(pa.table({"bytes": pa.array(unique, pa.binary())}), row_group_size=max(1, len(unique)))
    contents = [sink.getvalue().to_pybytes() for sink in (row_sink, picture_sink)]
    shard = Shard(name, tuple(map(len, parts)), pictures, (hash_bytes(contents[0]), hash_bytes(contents[1])))
    store.write(shard.rows_path, contents[0])
    store.write(shard.pictures_path, contents[1])
    return shard


def _number_pictures(rows: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The rows with pictures numbered in one list for the row group, where equal ones stand once."""
    places: dict[bytes, int] = {}
    unique: list[bytes] = []

    def find(content: bytes) -> int:
        digest = hashlib.sha256(content).digest()
        if digest not in places:
            places[digest] = len(unique)
            unique.append(content)
        return places[digest]

    moved = []
    for row in rows:
        row = dict(row)
        pictures = [find(content) for content in row.pop("pictures")]
        row["image"] = pictures[row["image"]] if row["image"] >= 0 else -1
        row["contrasts"] = [
            {**each, "image": pictures[each["image"]] if each["image"] >= 0 else -1} for each in row["contrasts"]
        ]
        moved.append(row)
    # A row group of no rows cannot be written: texts alone have one empty picture.
    return moved, unique or [b""]
