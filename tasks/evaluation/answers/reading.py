"""Readers of question files: LLaVA's conversations, and benchmarks in their published layouts.

A row without a picture file, a question or an answer is an error that names it: a score without it would be of another
benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import parse_json
from counterfoil.tasks.evaluation.answers.items import Item
from counterfoil.tasks.evaluation.answers.layouts import LAYOUTS, Row
from counterfoil.tasks.evaluation.errors import EvaluationError

FORMATS = {
    "llava": "LLaVA's conversations (JSON), as `counterfoil export DATASET --format llava --to FOLDER` writes them"
} | {name: layout.told for name, layout in LAYOUTS.items()}


def read_items(named: str, images: Path | None = None) -> list[Item]:
    """The questions of ``FORMAT:FILE``; pictures are beside the file, or in the folder ``images``.

    Raises:
        EvaluationError: the format is unknown, or the file, a row or a picture cannot be read.
    """
    name, _, target = named.partition(":")
    if name not in FORMATS or not target:
        raise EvaluationError(f"{named!r} names no questions: give FORMAT:FILE with one of {', '.join(FORMATS)}")
    path = Path(target)
    folder = images or (path.parent / "image" if path.is_dir() else path.parent)
    read = _read_llava if name == "llava" else LAYOUTS[name].read
    rows = enumerate(_read_rows(path))
    items = [item for number, row in rows for item in read(Row(row, number, f"{path}, row {number}", folder))]
    if not items:
        raise EvaluationError(f"{path} holds no questions")
    if len({item.item_id for item in items}) != len(items):
        raise EvaluationError(f"{path} has two questions with one id")
    return items


def _read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """A JSON list, a JSON object of rows by id, a JSON object a line, or a folder of a JSON object a file.

    Raises:
        EvaluationError: it is none of these. A pickle, as which GeoQA is released too, is not read: it could run code.
    """
    if path.is_dir():
        for file in sorted(path.glob("*.json"), key=lambda each: (len(each.stem), each.stem)):
            yield {"id": file.stem, **_parse(file)[0]}
        return
    if path.suffix in (".pk", ".pkl"):
        raise EvaluationError(f"{path} is a pickle, which may run code: give the JSON files of the same release")
    yield from _parse(path)


def _parse(path: Path) -> list[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        rows = _parse_text(text)
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{path} is no JSON of questions: {error}") from error
    if not all(isinstance(row, dict) for row in rows):
        raise EvaluationError(f"{path} is no JSON of questions: a row is not an object")
    return rows


def _parse_text(text: str) -> list[Any]:
    lines = text.strip().splitlines()
    if len(lines) > 1 and lines[0].lstrip()[:1] == "{" and lines[0].rstrip().endswith("}"):
        return [parse_json(line) for line in lines if line.strip()]
    whole = parse_json(text)
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict) and whole and all(isinstance(row, dict) for row in whole.values()):
        return [{"id": key, **row} for key, row in whole.items()]
    return [whole]


def _read_llava(row: Row) -> Iterator[Item]:
    try:
        turns = row.fields["conversations"]
        prompt, response = turns[0]["value"], turns[1]["value"]
    except (KeyError, IndexError, TypeError) as error:
        raise EvaluationError(f"{row.where}: no conversation of a question and its answer") from error
    shown = row.fields.get("image") or []
    names = [shown] if isinstance(shown, str) else list(shown)
    kind = str(row.fields.get("kind", ""))
    yield Item(
        str(row.fields.get("id", row.number)),
        (kind,) if kind else (),
        prompt.replace("<image>", "").strip("\n"),
        str(row.fields.get("answer") or response),
        tuple(row.find(name) for name in names),
        free=kind in ("caption", "differs"),
    )
