"""Pictures and captions in JSONL, CSV, TSV, Parquet or WebDataset tar files, or a folder of such files."""

from __future__ import annotations

import csv
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from storage.rows import Reject
from tasks.caption.settings import CaptionSettings
from tasks.caption.sources.records import Record, make_reject, make_row, read_record, take
from tasks.contract.domain import SourceError, SourceRow

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif")
Found = Record | Reject


def read_pairs(path: str, settings: CaptionSettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """The rows of a file, or of all files of known kinds in a folder, in the order of their names.

    Raises:
        SourceError: nothing is there, or a file cannot be read.
    """
    root = Path(path)
    if not root.exists():
        raise SourceError(f'{path}: no such file or folder: give [caption] source = "pairs:PATH" an existing path')
    files = sorted(each for each in root.rglob("*") if each.suffix in READERS) if root.is_dir() else [root]
    if not files:
        raise SourceError(f"{path}: the folder has no {', '.join(READERS)} file")

    def read() -> Iterator[SourceRow | Reject]:
        for file in files:
            reader = READERS.get(file.suffix)
            if reader is None:
                raise SourceError(f"{file}: no file of captions; known are {', '.join(READERS)}")
            for found in reader(file, str(file.relative_to(root)) if root.is_dir() else file.name):
                yield found if isinstance(found, Reject) else make_row("pairs", found, settings.test_share, seed)

    yield from take(read(), limit)


def _read_jsonl(file: Path, name: str) -> Iterator[Found]:
    try:
        with file.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{name}:{number}"
                try:
                    yield read_record(json.loads(line), where)
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
        yield Record(path, tuple(captions), {"file": path}, splits[path])


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
                if picture == "inside":
                    reference: Any = {"parquet": name, "group": group, "row": index, "column": image}
                else:
                    reference = {"file": picture} if picture else None
                texts = row[caption] if isinstance(row[caption], list) else [row[caption]]
                captions = tuple(str(each) for each in texts if each is not None)
                identifier = str(row["id"]) if row.get("id") not in (None, "") else where
                yield Record(identifier, captions, reference, str(row.get("split") or ""))
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{file}: cannot be read as Parquet: {error}") from error


def _find_stored(table: pq.ParquetFile, group: int, image: str | None) -> list[str | None]:
    """For each row the path of its picture, or ``inside``; None where it has none."""
    count = table.metadata.row_group(group).num_rows
    if image is None:
        return [None] * count
    column = table.schema_arrow.field(image).type
    if pa.types.is_string(column) or pa.types.is_large_string(column):
        return list(table.read_row_group(group, columns=[image])[image].to_pylist())
    return ["inside"] * count


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
                    texts[member.name] = content.read()
    except (OSError, tarfile.TarError) as error:
        raise SourceError(f"{file}: cannot be read as a tar file: {error}") from error
    for key, members in samples.items():
        picture = next((members[e] for e in PICTURES if e in members), None)
        text = next((members[e] for e in (".txt", ".caption", ".json") if e in members), None)
        where = f"{name}:{key}"
        if picture is None or text is None:
            missing = "picture" if picture is None else "caption (.txt, .caption or .json)"
            yield make_reject(where, f"bad_record: the sample has no {missing}", ", ".join(members.values()))
            continue
        captions = _read_text(texts[text], text)
        if isinstance(captions, str):
            yield make_reject(where, captions, texts[text][:500].decode("utf-8", "replace"))
        else:
            offset, size = places[picture]
            yield Record(key, tuple(captions), {"tar": name, "member": picture, "offset": offset, "size": size})


def _read_text(data: bytes, name: str) -> list[str] | str:
    """The captions of a text or JSON member, or the reason why there are none."""
    try:
        text = data.decode("utf-8-sig")
        if not name.endswith(".json"):
            return text.splitlines()
        found = read_record(json.loads(text), name)
    except ValueError as error:
        return f"bad_record: {name}: {error}"
    return found.reasons[0] if isinstance(found, Reject) else list(found.captions)


READERS: dict[str, Callable[[Path, str], Iterator[Found]]] = {
    ".jsonl": _read_jsonl,
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".parquet": _read_parquet,
    ".tar": _read_webdataset,
}
