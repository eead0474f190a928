"""Reads plain problem files: JSONL or CSV with id, question, answer, and optionally solution, picture and split.

Such a problem says in words what its figure is. A language-model author draws it; the procedural author cannot, and
says so for every row.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.columns import Columns, Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.geometry.sources.text_files import find_bad_text, iterate_lines, make_printable, open_text

REQUIRED = ("id", "question", "answer")
OPTIONAL = ("solution", "picture", "split")
NEEDS_LLM = "needs_llm: a plain problem has no formal statement to draw from; choose an LLM author in [author]"


def read_problems(path: str, source: str, limit: int | None = None) -> Iterator[SourceRow | Reject | Remark]:
    """Stream the problems of a ``.jsonl`` or ``.csv`` file; a bad row is a `Reject` that names its line.

    Raises:
        SourceError: the file cannot be opened, is of another kind, holds no row, or is a CSV without the required
            columns.
    """
    suffix = Path(path).suffix.lower()
    readers = {".jsonl": _read_json_lines, ".csv": _read_csv}
    if suffix not in readers:
        raise SourceError(f"problems:{path}: is {suffix or 'without suffix'}; give a .jsonl or .csv file")
    seen: set[str] = set()
    columns = Columns((*REQUIRED, *OPTIONAL))
    for number, row in islice(readers[suffix](path), limit):
        yield from columns.see(row, f"line {number}")
        yield _check_row(row, number, source, seen)


def _read_json_lines(path: str) -> Iterator[tuple[int, Any]]:
    for number, line in iterate_lines(path, "problems"):
        try:
            row = parse_json(line)
        except ValueError as error:
            row = find_bad_text(line) or f"not JSON ({error})"
        else:
            row = "not a JSON object" if isinstance(row, str) else row
        yield number, row


def _read_csv(path: str) -> Iterator[tuple[int, Any]]:
    empty = True
    with open_text(path, "problems", newline="") as stream:
        reader = csv.DictReader(stream)
        try:
            missing = [name for name in REQUIRED if name not in (reader.fieldnames or ())]
            if missing:
                raise SourceError(f"problems:{path}: the first line lacks the column {', '.join(missing)}")
            for row in reader:
                empty = False
                yield reader.line_num, (row if None not in row else "more fields than columns")
        except csv.Error as error:
            raise SourceError(f"problems:{path}: line {reader.line_num} is no CSV ({error})") from error
    if empty:
        raise SourceError(f"problems:{path}: no row follows the first line")


def _check_row(row: Any, number: int, source: str, seen: set[str]) -> SourceRow | Reject:
    problem = _find_problem(row, seen)
    if problem:
        raw = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, default=str)
        reasons = (f"bad_row: line {number}: {problem}",)
        return Reject("geometry.anchor", reasons, source, f"line-{number}", raw=make_printable(raw))
    seen.add(str(row["id"]))
    payload = {name: row[name] for name in (*REQUIRED, *OPTIONAL) if row.get(name)}
    return SourceRow(source, str(row["id"]), str(row.get("split") or ""), payload)


def _find_problem(row: Any, seen: set[str]) -> str | None:
    if isinstance(row, str):
        return row
    if not isinstance(row, Mapping):
        return "not a JSON object"
    bad = find_bad_text(json.dumps(row, ensure_ascii=False, default=str))
    if bad:
        return bad
    missing = [name for name in REQUIRED if not str(row.get(name) or "").strip()]
    if missing:
        return f"without {', '.join(missing)}"
    return f"the id {row['id']} is there already" if str(row["id"]) in seen else None
