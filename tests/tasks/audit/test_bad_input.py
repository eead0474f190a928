"""Tables that no run writes: whatever is wrong with a column, the file or a row is named, and nothing falls over."""

from __future__ import annotations

import io
import random
import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.schemas import ID_COLUMN, TABLES
from counterfoil.tasks.audit import verify

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[theorem]
source = "procedural:5"
families = ["rephrase", "negative", "translate"]
"""
TEXTS = ["", "x" * 1_000_000, "[" * 20_000, '{"a":' * 5_000, "\0", "NaN", "-1", "../../etc", "<svg>" * 3_000]
WHOLE = [-1, 2**63 - 1, -(2**63), 10**12]
REAL = [float("nan"), float("inf"), -1e308]
TYPES = {
    pa.int64(): 1,
    pa.string(): "a",
    pa.float64(): 1.5,
    pa.bool_(): True,
    pa.binary(): b"\xff\xfe",
    pa.list_(pa.int64()): [1],
    pa.list_(pa.list_(pa.string())): [["a"]],
    pa.struct([("a", pa.int64())]): {"a": 1},
    pa.map_(pa.string(), pa.int64()): [("a", 1)],
    pa.timestamp("us"): 5,
    pa.null(): None,
}


class HerePool:
    """This process in place of workers: hundreds of verifications start none."""

    workers = 1

    def __init__(self, _: int) -> None:
        pass

    def __enter__(self) -> HerePool:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def call(self, work: Callable[[Any], Any], task: Any, _: str) -> Any:
        return work(task)


@dataclass
class Column:
    """One column of a table, and chance."""

    table: pa.Table
    name: str
    rng: random.Random

    @property
    def type(self) -> pa.DataType:
        return self.table[self.name].type

    def put(self, values: Any, kind: pa.DataType | None = None) -> pa.Table:
        at = self.table.column_names.index(self.name)
        field = pa.field(self.name, kind) if kind is not None else self.table.schema.field(at)
        values = values if isinstance(values, pa.Array) else pa.array(values, field.type)
        return self.table.set_column(at, field, values)

    def change(self, new: Callable[[Any], Any], *, every: bool = False) -> pa.Table:
        values = self.table[self.name].to_pylist()
        one = self.rng.randrange(len(values))
        return self.put([new(value) if every or at == one else value for at, value in enumerate(values)])


def drop(column: Column) -> pa.Table:
    return column.table.drop_columns([column.name])


def rename(column: Column) -> pa.Table:
    return column.table.rename_columns([f"{c}_x" if c == column.name else c for c in column.table.column_names])


def repeat(column: Column) -> pa.Table:
    return column.table.append_column(column.name, column.table[column.name])


def empty(column: Column) -> pa.Table:
    return column.table.slice(0, 0)


def put_null(column: Column) -> pa.Table:
    return column.change(lambda _: None, every=column.rng.random() < 0.5)


def retype(column: Column) -> pa.Table:
    kind = column.rng.choice([each for each in TYPES if each != column.type])
    return column.put([TYPES[kind]] * len(column.table), kind)


def put_value(column: Column) -> pa.Table:
    """A value of the type that no row has."""
    kind, rng = column.type, column.rng
    if pa.types.is_string(kind):
        value: Any = rng.choice(TEXTS)
    elif pa.types.is_integer(kind):
        value = rng.choice(WHOLE)
    elif pa.types.is_floating(kind):
        value = rng.choice(REAL)
    elif pa.types.is_list(kind):
        return column.change(lambda old: rng.choice([[], [None, *(old or [])], (old or [None]) * 3_000]))
    else:
        names = [each.name for each in kind]
        odd = {"bytes": rng.choice([huge_picture(), b"", b"GIF89a"])} if "bytes" in names else {}
        odd = odd or {rng.choice(names): None}
        return column.change(lambda old: {**(old or dict.fromkeys(names)), **odd})
    return column.change(lambda _: value, every=rng.random() < 0.3)


def spoil_letters(column: Column) -> pa.Table:
    """Text that is no UTF-8."""
    if not pa.types.is_string(column.type):
        return drop(column)
    raw = pa.array(
        [(each or "a").encode() + b"\xff\xc3" for each in column.table[column.name].to_pylist()], pa.binary()
    )
    return column.put(pa.StringArray.from_buffers(len(raw), *raw.buffers()[1:]))


def drop_field(column: Column) -> pa.Table:
    """A struct without one of its fields."""
    if not pa.types.is_struct(column.type):
        return rename(column)
    gone = column.rng.choice([each.name for each in column.type])
    kind = pa.struct([each for each in column.type if each.name != gone])
    rows = column.table[column.name].to_pylist()
    return column.put([row and {name: value for name, value in row.items() if name != gone} for row in rows], kind)


WAYS = [drop, rename, repeat, empty, put_null, retype, put_value, put_value, put_value, spoil_letters, drop_field]


def huge_picture() -> bytes:
    """A PNG whose header says 2^31 - 1 by 2^31 - 1 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 9)) + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad-input")
    (folder / "r.toml").write_text(RECIPE.format(path=folder / "data"))
    run_plainly(folder / "r.toml", here=True)
    return folder / "data"


@pytest.mark.parametrize("table", ["anchors", "contrasts", "rejects"])
@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_whatever_a_column_holds_is_told_by_file_or_row(made, tmp_path, monkeypatch, table, count):
    monkeypatch.setattr(verify, "WorkerPool", HerePool)
    data = tmp_path / "data"
    shutil.copytree(made, data)
    snapshot = Dataset(str(data)).snapshot()
    ids = {row_id for name in TABLES for batch in snapshot.scan(name) for row_id in batch[ID_COLUMN[name]].to_pylist()}
    files = snapshot.files(table)
    paths = [file.path for name in TABLES for file in snapshot.files(name)]
    rng = random.Random(f"{table} {count}")
    for _ in range(count):
        path = data / rng.choice(files).path
        before = path.read_bytes()
        whole = pq.read_table(io.BytesIO(before))
        # Digests are looked at with hashes alone.
        name = rng.choice([each for each in whole.column_names if each != "digest"])
        way = rng.choice(WAYS)
        changed = way(Column(whole, name, rng))
        sink = io.BytesIO()
        pq.write_table(changed, sink)
        path.write_bytes(sink.getvalue())
        failures = verify.verify_dataset(str(data), workers=1).failures
        # What was thrown away may hold anything that can be stored.
        free = table == "rejects" and way in (put_value, put_null)
        assert failures or changed.equals(whole) or free, (way.__name__, name)
        own = ID_COLUMN[table]
        named = ids | set(changed[own].to_pylist() if way is put_value and own == name else ())
        assert all(isinstance(each.row_id, str) and each.row_id for each in failures), (way.__name__, name)
        known = [each for each in failures if each.row_id in named or each.row_id.startswith(tuple(paths))]
        assert known or not failures, (way.__name__, name, failures[:3])
        path.write_bytes(before)
