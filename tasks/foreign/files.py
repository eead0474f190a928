"""Rows of files that others made, as they stand: JSON, JSONL, CSV, TSV, Parquet, folders of Hugging Face `datasets`.

All but a JSON file that is one array or object are streamed, and no row fills the memory. A row that cannot be read is
a `Broken`, and reading goes on behind it.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from counterfoil.tasks.foreign.errors import ForeignError
from counterfoil.tasks.foreign.pages import find_largest_page

MOST_BYTES = 16 * 2**20
"""A longer line is broken: no caption is so long, and one of a gigabyte must not fill the memory."""
_MOST_JSON = 256 * 2**20
_MOST_BATCH = 64 * 2**20
"""Of a Parquet file's rows so many bytes at once."""
_MOST_PAGE = 128 * 2**20
"""Of a Parquet file. A page is unpacked whole; writers cut them at 1 MB, but never within a cell."""
_KINDS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
}
_BATCH = 1024
_UTF8 = "utf-8"


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in its file."""

    file: Path
    number: int
    """From 1, in its file."""
    cells: dict[str, Any]
    key: str | None = None
    """Its key, where the file is a JSON object of rows."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that cannot be read, and why."""

    file: Path
    number: int
    why: str


def find_kind(path: Path) -> str | None:
    """How a file is written, by its name; None for a file of another kind.

    >>> find_kind(Path("a/train.jsonl")), find_kind(Path("test.jsonl.gz")), find_kind(Path("picture.png"))
    ('jsonl', 'jsonl', None)
    """
    if path.suffix.lower() != ".gz":
        return _KINDS.get(path.suffix.lower())
    kind = _KINDS.get(Path(path.stem).suffix.lower())
    return None if kind in ("parquet", "arrow") else kind


def open_bytes(path: Path, mode: Literal["rb", "wb"] = "rb") -> IO[bytes]:
    """The file, unpacked or packed as its name says."""
    return cast("IO[bytes]", gzip.open(path, mode)) if path.suffix.lower() == ".gz" else path.open(mode)


def find_delimiter(path: Path) -> str:
    """What stands between a table's cells: open_clip writes tabs into files that are called .csv, and spreadsheets of
    many countries semicolons."""
    with open_bytes(path) as file:
        first = file.readline(MOST_BYTES)
    if find_kind(path) == "tsv":
        return "\t"
    return next((sign for sign in ("\t", ";") if sign.encode() in first and b"," not in first), ",")


def list_files(target: Path) -> list[Path]:
    """The files of rows that ``target`` is or holds; in a folder of `datasets` those of all its splits.

    Raises:
        ForeignError: there are none.
    """
    kinds = f"files of rows end in {', '.join(_KINDS)}"
    if target.is_file():
        if find_kind(target) is None:
            raise ForeignError(f"{target}: not a file of rows by its name; {kinds}")
        return [target]
    if not target.is_dir():
        raise ForeignError(f"{target}: no such file or folder; {kinds}")
    state = ("dataset_info.json", "state.json", "dataset_dict.json")
    found = sorted(each for each in target.rglob("*") if each.is_file() and each.name not in state)
    rows = [each for each in found if find_kind(each) is not None and not each.name.startswith(("cache-", "."))]
    if not rows:
        seen = ", ".join(each.name for each in found[:5]) or "nothing"
        raise ForeignError(f"{target}: no file of rows in this folder, which holds {seen}; {kinds}")
    return rows


def has_rows(folder: Path) -> bool:
    """Whether a folder holds a file of rows."""
    return any(find_kind(each) is not None for each in folder.rglob("*"))


def read_rows(path: Path) -> Iterator[Row | Broken]:
    """The rows of one file, in order.

    Raises:
        ForeignError: the file as a whole cannot be read.
    """
    readers = {
        "json": _read_json,
        "jsonl": _read_lines,
        "csv": _read_table,
        "tsv": _read_table,
        "parquet": _read_parquet,
        "arrow": _read_arrow,
    }
    kind = find_kind(path) or "jsonl"
    try:
        if kind not in ("parquet", "arrow"):
            _refuse_utf16(path)
        yield from readers[kind](path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ForeignError(f"{path}: no whole gzip file ({error})") from error
    except UnicodeDecodeError as error:
        raise ForeignError(f"{path}: not UTF-8 ({error.reason} at byte {error.start}): convert it first") from error
    except (pa.ArrowException, OSError) as error:
        raise ForeignError(f"{path}: {(str(error).splitlines() or [type(error).__name__])[0]}") from error


def _refuse_utf16(path: Path) -> None:
    with open_bytes(path) as file:
        if file.read(2) in (b"\xff\xfe", b"\xfe\xff"):
            raise ForeignError(f"{path}: written in UTF-16: convert it to UTF-8 first")


def _read_json(path: Path) -> Iterator[Row | Broken]:
    with open_bytes(path) as file:
        raw = file.read(_MOST_JSON + 1)
    if len(raw) > _MOST_JSON:
        # Many who write a row a line call it .json, and that is streamed.
        if raw.lstrip()[:1] == b"{" and _is_row(raw.lstrip().partition(b"\n")[0]):
            del raw
            yield from _read_lines(path)
            return
        raise ForeignError(
            f"{path}: a JSON array or object is read whole, and this has over {_MOST_JSON >> 20} MB: write a row a "
            "line (`jq -c '.[]'`) into a file that ends in .jsonl"
        )
    text = raw.decode("utf-8-sig")
    del raw
    try:
        whole = _load(text)
    except _TwiceError as error:
        raise ForeignError(f"{path}: {error}") from error
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            # Many who write a row a line call it .json.
            yield from _read_lines(path)
            return
        raise ForeignError(f"{path}: no JSON ({error.msg}, line {error.lineno} column {error.colno})") from error
    rows: list[tuple[str | None, Any]]
    if isinstance(whole, list):
        rows = [(None, each) for each in whole]
    elif isinstance(whole, dict) and (columns := _read_columns(whole)) is not None:
        rows = [(None, dict(zip(whole, cells, strict=True))) for cells in zip(*columns, strict=True)]
    elif isinstance(whole, dict) and whole and all(isinstance(each, dict) for each in whole.values()):
        rows = list(whole.items())
    elif isinstance(whole, dict) and isinstance(whole.get("data"), list):
        rows = [(None, each) for each in whole["data"]]
    else:
        seen = f"an object of {type(next(iter(whole.values()))).__name__}" if whole and isinstance(whole, dict) else ""
        seen = seen or type(whole).__name__
        raise ForeignError(
            f"{path}: neither an array of rows nor an object of rows or columns, but {seen}: write an object a row, in "
            "an array or a line each"
        )
    for number, (key, cells) in enumerate(rows, 1):
        if isinstance(cells, dict):
            yield Row(path, number, cells, key)
        elif isinstance(cells, list) and cells and all(isinstance(each, str) for each in cells):
            # A triplet without names of its columns.
            yield Row(path, number, _name_cells(cells), key)
        else:
            yield Broken(path, number, f"a row is an object, and this is {type(cells).__name__}")


def _is_row(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _read_columns(whole: dict[str, Any]) -> list[list[Any]] | None:
    """The columns of an object of them: lists of one length, or as pandas writes them; None where it is none."""
    if len(whole) < 2:
        return None
    values = list(whole.values())
    if all(isinstance(each, list) and each for each in values):
        return values if len({len(each) for each in values}) == 1 else None
    # pandas: {"anchor": {"0": …, "1": …}, "negative": {"0": …, "1": …}}
    numbered = all(isinstance(each, dict) and each and all(map(str.isdecimal, each)) for each in values)
    if numbered and all(each.keys() == values[0].keys() for each in values):
        return [list(each.values()) for each in values]
    return None


class _TwiceError(ValueError):
    """A key stands twice in one object."""


def _load(text: str) -> Any:
    """JSON of which no key stands twice and each text is Unicode."""
    whole = json.loads(text, object_pairs_hook=_pair)
    if "\\ud" in text.lower():
        # Half of a pair of surrogates is no letter, and no file takes it.
        json.dumps(whole, ensure_ascii=False).encode(_UTF8)
    return whole


def _pair(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    cells = dict(pairs)
    if len(cells) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(f"the name {next(name for name in names if names.count(name) > 1)!r} stands twice in one row")
    return cells


def _name_cells(cells: Sequence[str]) -> dict[str, Any]:
    names = ["anchor", "positive", *(f"negative_{n}" for n in range(1, len(cells) - 1))]
    return dict(zip(["anchor", "negative"] if len(cells) == 2 else names, cells, strict=True))


def _read_lines(path: Path) -> Iterator[Row | Broken]:
    with open_bytes(path) as file:
        number = 0
        while line := file.readline(MOST_BYTES + 1):
            number += 1
            if len(line) > MOST_BYTES:
                while line and not line.endswith(b"\n"):
                    line = file.readline(MOST_BYTES)
                yield Broken(path, number, f"a line of over {MOST_BYTES >> 20} MB")
                continue
            if not line.strip():
                continue
            try:
                cells = _load(line.decode("utf-8-sig" if number == 1 else _UTF8))
            except _TwiceError as error:
                yield Broken(path, number, str(error))
                continue
            except (UnicodeError, json.JSONDecodeError, RecursionError) as error:
                yield Broken(path, number, f"no JSON ({str(error).partition(':')[0]})")
                continue
            if isinstance(cells, list) and cells and all(isinstance(each, str) for each in cells):
                cells = _name_cells(cells)
            if isinstance(cells, dict):
                yield Row(path, number, cells)
            else:
                yield Broken(path, number, f"a row is an object, and this is {type(cells).__name__}")


def _read_table(path: Path) -> Iterator[Row | Broken]:
    csv.field_size_limit(min(MOST_BYTES, sys.maxsize))
    delimiter = find_delimiter(path)
    with open_bytes(path) as file:
        cut: list[int] = []
        reader = csv.reader(_read_short(file, cut), delimiter=delimiter)
        try:
            names = next(reader, [])
        except csv.Error as error:
            raise ForeignError(f"{path}: its first line is no line of names ({error})") from error
        if not names or len(set(names)) < len(names):
            raise ForeignError(f"{path}: its first line should name the columns, each once; it holds {names[:8]}")
        number = 0
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                number += 1
                yield Broken(path, number, f"no line of a table ({error})")
                continue
            if not cells and not cut:
                continue
            number += 1
            if cut:
                cut.clear()
                yield Broken(path, number, f"a line of over {MOST_BYTES >> 20} MB")
                continue
            if len(cells) != len(names):
                yield Broken(path, number, f"{len(cells)} cells where {len(names)} columns are named")
                continue
            yield Row(path, number, dict(zip(names, cells, strict=True)))


def _read_short(file: IO[bytes], cut: list[int]) -> Iterator[str]:
    """The lines of a table; of one that is too long nothing, and ``cut`` says so."""
    first = True
    while line := file.readline(MOST_BYTES + 1):
        if len(line) > MOST_BYTES:
            while line and not line.endswith(b"\n"):
                line = file.readline(MOST_BYTES)
            cut.append(1)
            line = b"\n"
        yield line.decode("utf-8-sig" if first else _UTF8)
        first = False


def _read_parquet(path: Path) -> Iterator[Row | Broken]:
    # A part at a time: nothing is read ahead, so that rows of many pictures fill no memory.
    with pa.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise ForeignError(f"{path}: two of its columns have one name: {', '.join(names)}")
        number = 0
        for place in range(file.num_row_groups):
            group = file.metadata.row_group(place)
            if any(find_largest_page(path, group.column(n)) > _MOST_PAGE for n in range(group.num_columns)):
                why = f"in a row group with a page of over {_MOST_PAGE >> 20} MB, as a cell is too long"
                yield from (Broken(path, number + n, why) for n in range(1, group.num_rows + 1))
            else:
                size = max(1, min(_BATCH, _MOST_BATCH * group.num_rows // max(1, group.total_byte_size)))
                yield from _number(path, file.iter_batches(size, [place]), number)
            number += group.num_rows


def _read_arrow(path: Path) -> Iterator[Row | Broken]:
    with pa.memory_map(str(path)) as source:
        try:
            reader: Any = pa.ipc.open_stream(source)
            batches = iter(reader)
        except pa.ArrowInvalid:
            reader = pa.ipc.open_file(source)
            batches = (reader.get_batch(n) for n in range(reader.num_record_batches))
        yield from _number(path, batches)


def _number(path: Path, batches: Iterator[pa.RecordBatch], number: int = 0) -> Iterator[Row | Broken]:
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH):
            part = batch.slice(start, _BATCH)
            # One by one where they are long, and those that are too long not at all.
            some = (part,) if part.nbytes <= MOST_BYTES else (part.slice(n, 1) for n in range(part.num_rows))
            for rows in some:
                if rows.num_rows == 1 and rows.nbytes > MOST_BYTES:
                    number += 1
                    yield Broken(path, number, f"a row of over {MOST_BYTES >> 20} MB")
                    continue
                for cells in rows.to_pylist():
                    number += 1
                    yield Row(path, number, cells)
