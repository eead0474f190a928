"""Pictures and captions in JSONL, CSV, TSV, Parquet, Arrow or WebDataset tar files, or a folder of such files.

Among them Flickr30k's ``results.csv`` and ``results.token``, Flickr8k's ``captions.txt``, and Conceptual Captions' TSV
of captions and addresses (nothing is fetched from there: the captions alone are read).
"""

from __future__ import annotations

import csv
import json
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.files import MAX_TEXT, FileError, list_files, locate, open_source
from counterfoil.tasks.caption.sources.missing import read_with_pictures
from counterfoil.tasks.caption.sources.records import (
    CAPTION_FIELDS,
    PICTURE_FIELDS,
    Record,
    make_reject,
    make_row,
    read_record,
    take,
)
from counterfoil.tasks.contract.columns import Columns, Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif")
MAX_FILE = 2**50
IMAGE_COLUMNS = (*PICTURE_FIELDS, "picture", "img", "image_name", "image_path")
CAPTION_COLUMNS = (*CAPTION_FIELDS, "title", "comment")
NAME_COLUMNS = ("id", "key", "source_id", "split", "comment_number", "caption_number", "sentid", "cocoid")
_ADDRESS = re.compile(r"https?://")
Found = Record | Reject | Remark


@dataclass(frozen=True)
class Table:
    """A file of a source: its name there, and the names of its columns where the recipe says them."""

    file: Path
    name: str
    named: Mapping[str, str]
    columns: Columns

    def find(self, part: str, known: Sequence[str], there: Sequence[str]) -> str | None:
        """The column of ``part``: the recipe's, or the first known one.

        Raises:
            SourceError: the recipe names one that is not there.
        """
        if part in self.named:
            if self.named[part] not in there:
                raise SourceError(
                    f"{self.file}: no column {self.named[part]!r}, which [caption] columns names for {part}; "
                    f"there are: {', '.join(there) or 'none'}"
                )
            return self.named[part]
        return next((each for each in known if each in there), None)


def read_pairs(
    path: str, settings: CaptionSettings, _seed: int, limit: int | None, kind: str = "pairs"
) -> Iterator[SourceRow | Reject | Remark]:
    """The rows of a file, or of all files of known kinds in a folder, in the order of their names. Of a folder, a file
    that cannot be read is one reject.

    Raises:
        SourceError: nothing is there, or the file cannot be read.
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
        if root.suffix.lower() not in SINGLE:
            raise SourceError(f"{root}: no file of captions; known are {', '.join(SINGLE)}")
    named: dict[str, str] = {str(part): column for part, column in settings.columns.items()}
    columns = Columns((*IMAGE_COLUMNS, *CAPTION_COLUMNS, *NAME_COLUMNS, *named.values()))

    def read() -> Iterator[SourceRow | Reject | Remark]:
        for file in files:
            name = file.name if file == root else str(file.relative_to(root))
            try:
                if file != root:
                    locate(root, name, MAX_FILE)
                for found in SINGLE[file.suffix.lower()](Table(file, name, named, columns)):
                    yield make_row(kind, found) if isinstance(found, Record) else found
            except (FileError, OSError) as error:
                yield make_reject(name, f"file_refused: {error}", name)
            except SourceError as error:
                if file == root:
                    raise
                yield make_reject(name, f"file_unreadable: {error}", name)

    yield from take(read_with_pictures(read(), root, settings.images, least=5), limit)


def _rename(table: Table, data: Any) -> Any:
    """A record with the columns that the recipe names under the names that we know."""
    if not table.named or not isinstance(data, Mapping):
        return data
    renamed = {part: data[name] for part, name in table.named.items() if name in data}
    hidden = {*CAPTION_FIELDS} if "captions" in renamed else set()
    hidden |= {*PICTURE_FIELDS} if "image" in renamed else set()
    return {**{key: value for key, value in data.items() if key not in hidden}, **renamed}


def _read_jsonl(table: Table) -> Iterator[Found]:
    try:
        with table.file.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                where = f"{table.name}:{number}"
                try:
                    data = parse_json(line)
                    yield from table.columns.see(data, where)
                    yield read_record(_rename(table, data), where)
                except json.JSONDecodeError as error:
                    yield make_reject(where, f"bad_json: {error.msg} (column {error.colno})", line)
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{table.file}: cannot be read: {error}") from error


def _read_csv(table: Table, delimiter: str = ",") -> Iterator[Found]:
    """One row a caption; rows with one picture are one record, wherever they stand."""
    grouped: dict[str, list[str]] = {}
    splits: dict[str, str] = {}
    file, name = table.file, table.name
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            first = lines.readline()
            lines.seek(0)
            if "|" in first and delimiter not in first:
                delimiter = "|"
            if delimiter == "\t" and len(parts := first.rstrip("\r\n").split("\t")) == 2 and _ADDRESS.match(parts[1]):
                yield from _read_addresses(table, lines)
                return
            reader = csv.DictReader(lines, delimiter=delimiter)
            fields = [str(each).strip() for each in reader.fieldnames or []]
            reader.fieldnames = fields
            image = table.find("image", IMAGE_COLUMNS, fields)
            caption = table.find("captions", CAPTION_COLUMNS, fields)
            split = table.find("split", ("split",), fields) or "split"
            if image is None or caption is None:
                raise SourceError(
                    f"{file}: no columns 'image' and 'caption'; there are: {', '.join(fields) or 'none'}. [caption] "
                    'columns = {image = "NAME", captions = "NAME"} says what they are called'
                )
            for row in reader:
                yield from table.columns.see(row, f"{name}:{reader.line_num}")
                if not (row.get(image) or "").strip():
                    yield make_reject(f"{name}:{reader.line_num}", "bad_record: no picture is named", json.dumps(row))
                    continue
                grouped.setdefault(row[image].strip(), []).append(row.get(caption) or "")
                splits.setdefault(row[image].strip(), row.get(split) or "")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SourceError(f"{file}: cannot be read: {error}") from error
    for path, captions in grouped.items():
        yield read_record({"image": path, "captions": captions, "split": splits[path]}, path)


def _read_addresses(table: Table, lines: Iterable[str]) -> Iterator[Found]:
    """Conceptual Captions: a caption and the address of its picture, without a first line of names."""
    yield Remark(
        f"{table.name} names pictures by their addresses, and nothing is fetched: its captions alone are read (a tool "
        "such as img2dataset fetches pictures into tar files, which are read with them)"
    )
    for number, line in enumerate(lines, 1):
        caption, _, address = line.rstrip("\r\n").partition("\t")
        yield read_record({"caption": caption, "id": address or None}, f"{table.name}:{number}")


def _read_tsv(table: Table) -> Iterator[Found]:
    return _read_csv(table, "\t")


def _read_token(table: Table) -> Iterator[Found]:
    """Flickr's: ``1000092795.jpg#0``, a tab, and the caption."""
    grouped: dict[str, list[str]] = {}
    try:
        for number, line in enumerate(table.file.read_text(encoding="utf-8-sig").splitlines(), 1):
            key, tab, caption = line.partition("\t")
            picture, _, _ = key.rpartition("#")
            if not tab or not picture:
                if line.strip():
                    yield make_reject(
                        f"{table.name}:{number}", "bad_record: not PICTURE#NUMBER, a tab, a caption", line
                    )
                continue
            grouped.setdefault(picture, []).append(caption)
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{table.file}: cannot be read: {error}") from error
    for picture, captions in grouped.items():
        yield read_record({"image": picture, "captions": captions}, picture)


def _read_parquet(table: Table) -> Iterator[Found]:
    """A column of pictures (paths, bytes, or Hugging Face's struct of both) and one of captions."""
    try:
        opened = pq.ParquetFile(table.file)
        names = opened.schema_arrow.names
        for group in range(opened.num_row_groups):
            image = _find_column(table, names)[0]
            wanted = [each for each in names if each != image or _is_text(opened.schema_arrow.field(image).type)]
            rows = opened.read_row_group(group, columns=wanted).to_pylist()
            yield from _read_batch(table, names, rows, f"#{group}", {"parquet": table.name, "group": group})
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{table.file}: cannot be read as Parquet: {error}") from error


def _read_arrow(table: Table) -> Iterator[Found]:
    """As Hugging Face's `save_to_disk` writes it."""
    try:
        with pa.memory_map(str(table.file)) as mapped, pa.ipc.open_stream(mapped) as batches:
            names = batches.schema.names
            image = _find_column(table, names)[0]
            wanted = [each for each in names if each != image or _is_text(batches.schema.field(image).type)]
            for number, batch in enumerate(batches):
                rows = batch.select(wanted).to_pylist()
                yield from _read_batch(table, names, rows, f"#{number}", {"arrow": table.name, "group": number})
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{table.file}: cannot be read as an Arrow stream: {error}") from error


def _find_column(table: Table, names: Sequence[str]) -> tuple[str | None, str]:
    """The columns of pictures and of captions.

    Raises:
        SourceError: there is none of captions.
    """
    caption = table.find("captions", CAPTION_COLUMNS, names)
    if caption is None:
        raise SourceError(
            f"{table.file}: no column 'captions' or 'caption'; there are: {', '.join(names)}. [caption] columns = "
            '{captions = "NAME"} says what it is called'
        )
    return table.find("image", IMAGE_COLUMNS, names), caption


def _read_batch(
    table: Table, names: Sequence[str], rows: Sequence[Mapping[str, Any]], mark: str, place: Mapping[str, Any]
) -> Iterator[Found]:
    image, caption = _find_column(table, names)
    identifier = table.find("id", ("id",), names) or "id"
    split = table.find("split", ("split",), names) or "split"
    for index, row in enumerate(rows):
        where = f"{table.name}{mark}.{index}"
        yield from table.columns.see(row, where)
        # A picture's path is no name for the row: others may show the same.
        said = {"captions": row[caption], "id": row.get(identifier), "split": row.get(split)}
        shown = row.get(image) if image is not None else None
        found = read_record(said if shown is None else {**said, "image": shown}, where)
        if isinstance(found, Record) and not row.get(identifier):
            found = replace(found, source_id=where)
        if isinstance(found, Record) and image is not None and image not in row:
            found = replace(found, picture={**place, "row": index, "column": image})
        yield found


def _is_text(column: pa.DataType) -> bool:
    return bool(pa.types.is_string(column) or pa.types.is_large_string(column))


def _read_webdataset(table: Table) -> Iterator[Found]:
    """Members with one stem are one sample: a picture, and its captions as .txt, .caption or .json."""
    file, name = table.file, table.name
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
        yield Record(key, found.captions, place) if isinstance(found, Record) else found


def _read_text(data: bytes, name: str) -> Record | Reject:
    """The captions of a text or JSON member."""
    if len(data) > MAX_TEXT:
        return make_reject(name, f"bad_record: {name}: over {MAX_TEXT:,} bytes", name)
    try:
        text = data.decode("utf-8-sig")
        return read_record(parse_json(text) if name.endswith(".json") else {"captions": text.splitlines()}, name)
    except ValueError as error:
        return make_reject(name, f"bad_record: {name}: {error}", data[:500].decode("utf-8", "replace"))


READERS: dict[str, Callable[[Table], Iterator[Found]]] = {
    ".jsonl": _read_jsonl,
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".token": _read_token,
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".tar": _read_webdataset,
}
SINGLE = {**READERS, ".txt": _read_csv}
"""What is read where the recipe names the file itself: in a folder, a text file may be anything."""
