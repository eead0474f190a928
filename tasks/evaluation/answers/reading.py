"""Readers of question files: LLaVA and messages files, and benchmarks in their published layouts.

A benchmark is a table of which fields hold what; the layouts are those of the authors' releases. A row without a
picture file, a question or an answer is an error that names it: a score without it would be of another benchmark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.evaluation.errors import EvaluationError

BOXED = "Give the final answer in \\boxed{}."
CHOOSE = "Answer with the option's letter. " + BOXED


@dataclass(frozen=True)
class Item:
    """One question."""

    item_id: str
    part: str
    """What it is counted under: a kind, a subject, a difficulty."""
    prompt: str
    answer: str
    pictures: tuple[Path, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Layout:
    """Which fields of a benchmark's rows hold what; the first that a row has counts."""

    told: str
    question: tuple[str, ...]
    answer: tuple[str, ...]
    picture: tuple[str, ...]
    options: tuple[str, ...] = ()
    part: tuple[str, ...] = ()
    item_id: tuple[str, ...] = ("id", "pid", "ID", "problem_id")


LAYOUTS: Mapping[str, _Layout] = {
    "mmmath": _Layout(
        "MM-Math: free answers, by difficulty",
        ("question",),
        ("answer",),
        ("image", "file_name"),
        (),
        ("difficult", "difficulty"),
    ),
    "mathvista": _Layout(
        "MathVista: choices and numbers, by task (GPS, ALG)",
        ("question", "query"),
        ("answer",),
        ("image",),
        ("choices",),
        ("task",),
    ),
    "geoqa": _Layout(
        "GeoQA: choices", ("question", "subject"), ("answer", "label"), ("image", "image_path"), ("choices",), ("type",)
    ),
    "wemath": _Layout(
        "We-Math: choices, by step (S1, S2, S3)",
        ("question",),
        ("answer",),
        ("image_path", "image"),
        ("option", "options"),
        ("key",),
    ),
    "flowvqa": _Layout(
        "FlowVQA: free answers, by kind",
        ("Q", "question"),
        ("A", "answer"),
        ("image", "image_path", "flowchart"),
        (),
        ("type",),
    ),
}
FORMATS = {"llava": "LLaVA's conversations (JSON), such as `counterfoil export --format llava` writes"} | {
    name: layout.told for name, layout in LAYOUTS.items()
}


def read_items(named: str, images: Path | None = None) -> list[Item]:
    """The questions of ``FORMAT:FILE``; pictures are beside the file, or in the folder ``images``.

    Raises:
        EvaluationError: the format is unknown, or the file, a row or a picture cannot be read.
    """
    name, _, target = named.partition(":")
    if name not in FORMATS or not target:
        raise EvaluationError(f"{named!r} names no questions: give FORMAT:FILE with one of {', '.join(FORMATS)}")
    path = Path(target)
    folder = images or path.parent
    rows = list(_read_rows(path))
    if not rows:
        raise EvaluationError(f"{path} holds no questions")
    items = [
        _read_llava(row, number, path, folder) if name == "llava" else _read_laid_out(row, number, path, folder, name)
        for number, row in enumerate(rows)
    ]
    if len({item.item_id for item in items}) != len(items):
        raise EvaluationError(f"{path} has two questions with one id")
    return items


def _read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """A JSON list, a JSON object of rows by id, or a JSON object a line."""
    try:
        text = path.read_text(encoding="utf-8")
        if text.lstrip()[:1] == "[":
            yield from json.loads(text)
            return
        lines = text.strip().splitlines()
        if len(lines) > 1 and lines[0].rstrip().endswith("}"):
            yield from (json.loads(line) for line in lines if line.strip())
            return
        whole = json.loads(text)
        yield from (
            ({"id": key, **row} for key, row in whole.items())
            if all(isinstance(row, dict) for row in whole.values())
            else (whole,)
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise EvaluationError(f"{path} is no JSON of questions: {error}") from error


def _read_llava(row: Mapping[str, Any], number: int, path: Path, folder: Path) -> Item:
    where = f"{path}, row {number}"
    try:
        turns = row["conversations"]
        prompt, response = turns[0]["value"], turns[1]["value"]
    except (KeyError, IndexError, TypeError) as error:
        raise EvaluationError(f"{where}: no conversation of a question and its answer") from error
    shown = row.get("image") or []
    names = [shown] if isinstance(shown, str) else list(shown)
    return Item(
        str(row.get("id", number)),
        str(row.get("kind", "")),
        prompt.replace("<image>", "").strip("\n"),
        str(row.get("answer") or response),
        tuple(_find(folder, name, where) for name in names),
    )


def _read_laid_out(row: Mapping[str, Any], number: int, path: Path, folder: Path, name: str) -> Item:
    layout, where = LAYOUTS[name], f"{path}, row {number}"
    question, answer = _take(row, layout.question), _take(row, layout.answer)
    picture = _take(row, layout.picture)
    if question is None or answer is None or picture is None:
        needed = ", ".join(" or ".join(each) for each in (layout.question, layout.answer, layout.picture))
        raise EvaluationError(f"{where}: needs {needed} for {name}")
    options = _read_options(_take(row, layout.options))
    if isinstance(answer, int) and not isinstance(answer, bool) and options and "label" in row:
        answer = "ABCDEFGH"[answer]
    lines = [str(question), *(f"{'ABCDEFGH'[i]}. {option}" for i, option in enumerate(options))]
    prompt = "\n".join([*lines, CHOOSE if options else BOXED])
    item_id = _take(row, layout.item_id)
    names = [picture] if isinstance(picture, str) else list(picture)
    return Item(
        str(number if item_id is None else item_id),
        str(_take(row, layout.part) or ""),
        prompt,
        str(answer),
        tuple(_find(folder, each, where) for each in names),
        options,
    )


def _read_options(value: Any) -> tuple[str, ...]:
    """A list of options, or one text with letters (We-Math: ``A. 3; B. 4``)."""
    if not value:
        return ()
    if isinstance(value, str):
        value = re.split(r"[;\n]\s*", value.strip().rstrip(";"))
        return tuple(re.sub(r"^\(?[A-H][.):]\s*", "", each.strip()) for each in value if each.strip())
    return tuple(map(str, value))


def _take(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The first of these fields that the row has; ``metadata`` is looked into as well (MathVista)."""
    inner = row.get("metadata")
    for place in (row, inner if isinstance(inner, dict) else {}):
        for name in names:
            if place.get(name) is not None:
                return place[name]
    return None


def _find(folder: Path, name: str, where: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise EvaluationError(f"{where}: picture {path} is not there; name the pictures' folder with --images")
    return path
