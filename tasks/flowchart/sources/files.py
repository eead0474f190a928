"""Read charts from files: Mermaid files, JSONL with a ``mermaid`` field, fenced Markdown, FlowVQA's JSON."""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject, keep_storable
from counterfoil.tasks.contract.columns import Columns, Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow

_FIELDS = ("mermaid", "code", "flowchart_code", "mermaid_code", "flowchart")
_IDS = ("key", "id", "source_id", "name")
_SPLITS = ("split", "partition", "subset")
_FENCE = re.compile(r"^([ \t]*)(```+|~~~+)[ \t]*mermaid[^\n]*\n(.*?)^[ \t]*\2[ \t]*$", re.M | re.S)
_SUFFIXES = (".mmd", ".mermaid", ".jsonl", ".json", ".md", ".markdown")


@dataclass(frozen=True, slots=True)
class SourceChart:
    """One chart's code with where it came from; ``split`` is '' where the source names none."""

    source_id: str
    code: str
    split: str = ""
    title: str | None = None


def read_charts(path: str) -> Iterator[SourceChart | Reject | Remark]:
    """The charts at ``path``: a file, or a folder with all its files of known kinds, in the order of their names.

    Of a folder, a file that cannot be read is one reject.

    Raises:
        SourceError: nothing is there, or the file cannot be read.
    """
    root, columns = Path(path), Columns((*_FIELDS, *_IDS, *_SPLITS, "title"))
    if root.is_dir():
        files = sorted(p for p in root.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
        if not files:
            raise SourceError(f"{path}: the folder has no {', '.join(_SUFFIXES)} file")
        for file in files:
            name = keep_storable(str(file.relative_to(root)))
            try:
                yield from _read_file(file, name, columns)
            except SourceError as error:
                yield _reject(name, f"file_unreadable: {error}", name)
        return
    if not root.exists():
        raise SourceError(f'{path}: no such file or folder: give [flowchart] source = "charts:PATH" an existing path')
    yield from _read_file(root, keep_storable(root.name), columns)


def _read_file(path: Path, name: str, columns: Columns) -> Iterator[SourceChart | Reject | Remark]:
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        yield from _read_jsonl(path, name, columns)
        return
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    if suffix == ".json":
        yield from _read_json(text, path, name, columns)
    elif suffix in (".md", ".markdown"):
        yield from _read_markdown(text, name)
    else:
        yield SourceChart(name, text)


def _read_jsonl(path: Path, name: str, columns: Columns) -> Iterator[SourceChart | Reject | Remark]:
    for where, record in _records(path, name):
        if isinstance(record, Reject):
            yield record
            continue
        yield from columns.see(record, where)
        yield _read_record(record, where)


def _records(path: Path, name: str = "") -> Iterator[tuple[str, Any]]:
    """Each line's place and its JSON, or a `Reject` for a line that is none."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                where = f"{name or path.name}:{number}"
                if line.strip():
                    yield where, _read_line(line.removeprefix(codecs.BOM_UTF8), number, where)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error}") from error


def _read_line(line: bytes, number: int, where: str) -> Any:
    try:
        return parse_json(line.decode())
    except UnicodeDecodeError as error:
        reason = f"bad_text: line {number} is not UTF-8 text: {error.reason} at byte {error.start}"
        return _reject(where, reason, line.decode(errors="backslashreplace"))
    except json.JSONDecodeError as error:
        reason = f"bad_json: line {number}: {error.msg} (column {error.colno})"
        return _reject(where, reason, line.decode())


def _read_json(text: str, path: Path, name: str, columns: Columns) -> Iterator[SourceChart | Reject | Remark]:
    """FlowVQA's JSON: an object of records by their key, or a list of records."""
    try:
        data = parse_json(text)
    except json.JSONDecodeError as error:
        raise SourceError(f"{path}: not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from error
    records = [(name, data)]
    if isinstance(data, dict) and not any(field in data for field in _FIELDS):
        records = [
            (f"{name}#{key}", {"key": key, **record} if isinstance(record, dict) else record)
            for key, record in data.items()
        ]
    elif isinstance(data, list):
        records = [(f"{name}#{index}", record) for index, record in enumerate(data)]
    for where, record in records:
        yield from columns.see(record, where)
        yield _read_record(record, where)


def _read_record(record: Any, where: str) -> SourceChart | Reject:
    if not isinstance(record, dict):
        return _reject(where, "bad_record: not an object with a 'mermaid' field", json.dumps(record)[:500])
    code = next((record[f] for f in _FIELDS if isinstance(record.get(f), str)), None)
    if code is None:
        fields = ", ".join(sorted(map(str, record))[:8])
        return _reject(where, f"no_code: no 'mermaid' field; there are: {fields}", json.dumps(record)[:500])
    if broken := _find_broken(record):
        return _reject(where, broken, json.dumps(record)[:500])
    fenced = _FENCE.search(code)
    identifier = next((str(record[f]) for f in _IDS if record.get(f) not in (None, "")), where)
    split = next((str(record[f]) for f in _SPLITS if isinstance(record.get(f), str)), "")
    title = record.get("title")
    return SourceChart(
        identifier, fenced.group(3) if fenced else code, split, title if isinstance(title, str) else None
    )


def _find_broken(record: dict[str, Any]) -> str | None:
    """Why a record's texts cannot be stored, if UTF-8 has no bytes for one of them."""
    for field, text in record.items():
        if any(isinstance(each, str) and keep_storable(each) != each for each in (field, text)):
            return f"bad_text: {keep_storable(field)!r} holds half a surrogate pair: save it as UTF-8 text"
    return None


def _read_markdown(text: str, name: str) -> Iterator[SourceChart | Reject | Remark]:
    for index, match in enumerate(_FENCE.finditer(text.replace("\r\n", "\n"))):
        indent = len(match.group(1))
        lines = match.group(3).split("\n")
        code = "\n".join(line if line[:indent].strip() else line[indent:] for line in lines)
        yield SourceChart(f"{name}#{index}", code)


def _reject(where: str, reason: str, row: str) -> Reject:
    return Reject("flowchart.anchor", (reason,), source="charts", source_id=keep_storable(where), source_row=row)


def read_descriptions(path: str) -> Iterator[SourceRow | Reject]:
    """Descriptions to write charts from: JSONL with a ``description`` (or ``text``) and perhaps a ``direction``.

    All are training rows: which triplets a chart will have is not known before it is written, so that nothing could
    keep the test charts' triplets out of the others.

    Raises:
        SourceError: the file is not there.
    """
    file = Path(path)
    if not file.is_file():
        raise SourceError(f'{path}: no such file: give [flowchart] source = "descriptions:FILE.jsonl"')
    for number, (where, record) in enumerate(_records(file), 1):
        if isinstance(record, Reject):
            yield record
            continue
        text = record.get("description") or record.get("text") if isinstance(record, dict) else None
        if not isinstance(text, str) or not text.strip():
            yield _reject(where, f"no_description: line {number} has no 'description'", json.dumps(record)[:500])
            continue
        if broken := _find_broken(record):
            yield _reject(where, broken, json.dumps(record)[:500])
            continue
        direction = record.get("direction")
        if direction not in (None, "TD", "TB", "BT", "LR", "RL"):
            yield _reject(
                where, f"bad_direction: {direction!r} is none of TD, TB, BT, LR, RL", json.dumps(record)[:500]
            )
            continue
        identifier = next((str(record[f]) for f in _IDS if record.get(f) not in (None, "")), where)
        yield SourceRow("descriptions", identifier, "", {"description": text.strip(), "direction": direction})


def assign_split(identifier: str, named: str, test_share: float, seed: int) -> str:
    """``train`` or ``test`` (or what the source says): by the chart's id and the seed, never by its place."""
    if named:
        return {"val": "validation", "valid": "validation", "dev": "validation"}.get(named.lower(), named.lower())
    return draw_split(identifier, test_share, seed)


def draw_split(identifier: str, test_share: float, seed: int) -> str:
    """``train`` or ``test`` by the chart's id and the seed alone: all pieces of one chart go together."""
    digest = hashlib.sha256(f"{seed}\x1fflowchart.split\x1f{identifier}".encode()).digest()
    return "test" if int.from_bytes(digest[:8], "big") / 2**64 < test_share else "train"
