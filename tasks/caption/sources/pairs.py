"""Pictures and captions in JSONL, CSV, TSV, Parquet or WebDataset tar files, or a folder of such files."""

from __future__ import annotations

import csv
import json
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.files import MAX_TEXT, FileError, list_files, locate, open_source
from counterfoil.tasks.caption.sources.records import Record, make_reject, make_row, read_record, take
from counterfoil.tasks.contract.domain import SourceError, SourceRow

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif")
INSIDE = "\0inside"
"""A picture that is in the table itself; no path holds a zero byte."""
MAX_FILE = 2**50
Found = Record | Reject


def read_pairs(path: str, _settings: CaptionSettings, _seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """The rows of a file, or of all files of known kinds in a folder, in the order of their names.

    Raises:
        SourceError: nothing is there, or a file cannot be read.
    """
    root = Path(path)
    if not root.exists():
        raise SourceError(f'{path}: no such file or folder: give [caption] source = "pairs:PATH" an existing path')
    if root.is_dir():
        files = list(list_files(root, tuple(READERS)))
        if not files:
            raise SourceError(f"{path}: the folder has no {', '.join(READERS)} file")
    else:
        files = [open_source(root, "pairs:PATH")]
        if root.suffix.lower() not in READERS:
            raise SourceError(f"{root}: no file of captions; known are {', '.join(READERS)}")

    def read() -> Iterator[SourceRow | Reject]:
        for file in files:
            name = file.name if file == root else str(file.relative_to(root))
            try:
                if file != root:
                    locate(root, name, MAX_FILE)
            except (FileError, OSError) as error:
                yield make_reject(name, f"file_refused: {error}", name)
                continue
            for found in READERS[file.suffix.lower()](file, name):
                yield found if isinstance(found, Reject) else make_row("pairs", found)

    yield from take(read(), limit)


def _read_jsonl(file: Path, name: str) -> Iterator[Found]:
    try:
        with file.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{name}:{number}"
                try:
                    yield read_record(parse_json(line), where)
                except json.JSONDecodeError as error:
                    yield make_reject(where, f"bad_json: {error.msg} (column {error.colno})", line)
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file}: cannot be read as UTF-8 text: {error}") from error


def _read_csv(file: Path, name: str, delimiter: str = ",") -> Iterator[Found]:
    """One row a caption; rows with one picture are one record, wherever they stand."""
    grouped: dict[str, list[str]] = {}
    splits: dict[str, str] = {}
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines, delimiter=delimiter)
            fields = reader.fieldnames or []
            image = next((f for f in ("image", "file_name", "filename", "filepath", "path") if f in fields), None)
            caption = next((f for f in ("caption", "captions", "text", "title", "comment") if f in fields), None)
            if image is None or caption is None:
                raise SourceError(f"{file}: no columns 'image' and 'caption'; there are: {', '.join(fields) or 'none'}")
            for row in reader:
                if not row.get(image):
                    yield make_reject(f"{name}:{reader.line_num}", "bad_record: no picture is named", json.dumps(row))
                    continue
                grouped.setdefault(row[image], []).append(row.get(caption) or "")
                splits.setdefault(row[image], row.get("split") or "")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{file}: cannot be read: {error}") from error
    for path, captions in grouped.items():
        yield read_record({"image": path, "captions": captions, "split": splits[path]}, path)


def _read_tsv(file: Path, name: str) -> Iterator[Found]:
    return _read_csv(file, name, "\t")


def _read_parquet(file: Path, name: str) -> Iterator[Found]:
    """A column of pictures (paths, bytes, or Hugging Face's struct of both) and one of captions."""
    try:
        table = pq.ParquetFile(file)
        names = table.schema_arrow.names
        image = next((c for c in ("image", "picture", "file_name", "path", "img") if c in names), None)
        caption = next((c for c in ("captions", "caption", "text", "sentences") if c in names), None)
        if caption is None:
            raise SourceError(f"{file}: no column 'captions' or 'caption'; there are: {', '.join(names)}")
        for group in range(table.num_row_groups):
            rows = table.read_row_group(group, columns=[c for c in (caption, "id", "split") if c in names]).to_pylist()
            stored = _find_stored(table, group, image)
            for index, row in enumerate(rows):
                where = f"{name}#{group}.{index}"
                picture = stored[index]
                named = {"image": picture} if picture != INSIDE else {}
                # A picture's path is no name for the row: others may show the same.
                found = read_record(
                    {**named, "captions": row[caption], "id": row.get("id"), "split": row.get("split")}, where
                )
                if isinstance(found, Record) and not row.get("id"):
                    found = replace(found, source_id=where)
                if isinstance(found, Record) and picture == INSIDE:
                    place = {"parquet": name, "group": group, "row": index, "column": image}
                    found = replace(found, picture=place)
                yield found
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{file}: cannot be read as Parquet: {error}") from error


def _find_stored(table: pq.ParquetFile, group: int, image: str | None) -> list[str | None]:
    """For each row the path of its picture, or `INSIDE`; None where it has none."""
    count = table.metadata.row_group(group).num_rows
    if image is None:
        return [None] * count
    column = table.schema_arrow.field(image).type
    if pa.types.is_string(column) or pa.types.is_large_string(column):
        return list(table.read_row_group(group, columns=[image])[image].to_pylist())
    return [INSIDE] * count


def _read_webdataset(file: Path, name: str) -> Iterator[Found]:
    """Members with one stem are one sample: a picture, and its captions as .txt, .caption or .json."""
    samples: dict[str, dict[str, str]] = {}
    places: dict[str, tuple[int, int]] = {}
    try:
        with tarfile.open(file) as archive:
            texts: dict[str, bytes] = {}
            for member in archive:
                if not member.isfile():
                    continue
                path = PurePosixPath(member.name)
                stem, _, ending = path.name.partition(".")
                key = str(path.with_name(stem))
                samples.setdefault(key, {})["." + ending.lower()] = member.name
                places[member.name] = member.offset_data, member.size
                if ending.lower() in ("txt", "caption", "json") and (content := archive.extractfile(member)):
                    texts[member.name] = content.read(MAX_TEXT + 1)
    except (OSError, tarfile.TarError) as error:
        raise SourceError(f"{file}: cannot be read as a tar file: {error}") from error
    for key, members in samples.items():
        picture = next((members[e] for e in PICTURES if e in members), None)
        text = next((members[e] for e in (".txt", ".caption", ".json") if e in members), None)
        if picture is None or text is None:
            missing = "picture" if picture is None else "caption (.txt, .caption or .json)"
            yield make_reject(f"{name}:{key}", f"bad_record: the sample has no {missing}", ", ".join(members.values()))
            continue
        offset, size = places[picture]
        place = {"tar": name, "member": picture, "offset": offset, "size": size}
        found = _read_text(texts[text], text)
        yield found if isinstance(found, Reject) else Record(key, found.captions, place)


def _read_text(data: bytes, name: str) -> Found:
    """The captions of a text or JSON member."""
    if len(data) > MAX_TEXT:
        return make_reject(name, f"bad_record: {name}: over {MAX_TEXT:,} bytes", name)
    try:
        text = data.decode("utf-8-sig")
        return read_record(parse_json(text) if name.endswith(".json") else {"captions": text.splitlines()}, name)
    except ValueError as error:
        return make_reject(name, f"bad_record: {name}: {error}", data[:500].decode("utf-8", "replace"))


READERS: dict[str, Callable[[Path, str], Iterator[Found]]] = {
    ".jsonl": _read_jsonl,
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".parquet": _read_parquet,
    ".tar": _read_webdataset,
}
