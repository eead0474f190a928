"""Benchmarks in the layouts of their authors' releases: which fields of a row hold what, and how it is scored there.

- MM-Math (`MM_Math.jsonl`): the answer is what the solution puts in ``\\boxed{}``, every box of it; by difficulty.
- MathVista (`testmini.json`): by task and skill, in the abbreviations of the paper's tables (GPS, ALG); numbers are
  rounded to the row's precision, and the unit is told.
- GeoQA (`GeoQA3/json`): one file a problem, its picture in ``../image`` under its number; the label counts from 0.
- We-Math (`testmini.json`): several rows have one id, told apart by their key; S2 and S3 are the keys ``multi``.
- FlowVQA (`test_full.json`): questions are below the chart's key, which is its picture's name, with three answers each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.tasks.evaluation.answers.items import LETTERS, Item, list_choices
from counterfoil.tasks.evaluation.answers.scoring import list_boxed
from counterfoil.tasks.evaluation.errors import EvaluationError

_OPTION = re.compile(r"(?:^|[;\n])\s*\(?([A-H])\)?[.:)]\s*")
_TASKS = {
    "figure question answering": "FQA",
    "geometry problem solving": "GPS",
    "math word problem": "MWP",
    "textbook question answering": "TQA",
    "visual question answering": "VQA",
}
_SKILLS = {
    "algebraic reasoning": "ALG",
    "arithmetic reasoning": "ARI",
    "geometry reasoning": "GEO",
    "logical reasoning": "LOG",
    "numeric commonsense": "NUM",
    "scientific reasoning": "SCI",
    "statistical reasoning": "STA",
}
_ENDINGS = ("", ".png", ".jpg", ".jpeg")


@dataclass(frozen=True)
class Row:
    """A row of a benchmark's file, its number there, and the folder of its pictures."""

    fields: Mapping[str, Any]
    number: int
    where: str
    folder: Path

    def take(self, name: str) -> Any:
        """A field that must be there.

        Raises:
            EvaluationError: it is not, or is empty.
        """
        value = self.fields.get(name)
        if value is None or value == "":
            raise EvaluationError(f"{self.where}: no {name!r}; it has {', '.join(sorted(map(str, self.fields)))}")
        return value

    def find(self, name: str) -> Path:
        """A picture by its name, with or without its ending.

        Raises:
            EvaluationError: it is not there.
        """
        path = next((p for ending in _ENDINGS if (p := self.folder / f"{name}{ending}").is_file()), None)
        if path is None:
            raise EvaluationError(
                f"{self.where}: picture {self.folder / name} is not there; name the pictures' folder with --images"
            )
        return path


def read_mmmath(row: Row) -> Iterator[Item]:
    """A free answer, by difficulty. Its rows have no id: it is their number."""
    boxes = list_boxed(str(row.take("solution")))
    if not boxes:
        raise EvaluationError(f"{row.where}: its solution has no \\boxed{{}}")
    prompt = list_choices(str(row.take("question")), ())
    part = str(row.fields.get("difficult", ""))
    yield Item(str(row.number), (part,) if part else (), prompt, ", ".join(boxes), (row.find(row.take("file_name")),))


def read_mathvista(row: Row) -> Iterator[Item]:
    """A choice by its value, or a number, by task and skills."""
    told = row.fields.get("metadata") or {}
    skills = told.get("skills") or ()
    parts = [_TASKS.get(told.get("task", ""), told.get("task", "")), *(_SKILLS.get(each, each) for each in skills)]
    options = tuple(map(str, row.fields.get("choices") or ()))
    unit = f" (Unit: {row.fields['unit']})" if row.fields.get("unit") else ""
    precision = row.fields.get("precision")
    yield Item(
        str(row.take("pid")),
        tuple(part for part in parts if part),
        list_choices(f"{row.take('question')}{unit}", options),
        str(row.take("answer")),
        (row.find(row.take("image")),),
        options,
        decimals=int(precision) if row.fields.get("answer_type") == "float" and precision is not None else None,
    )


def read_geoqa(row: Row) -> Iterator[Item]:
    """A choice, whose label is a place counted from 0."""
    options, label = tuple(map(str, row.take("choices"))), row.take("label")
    if not isinstance(label, int) or not 0 <= label < len(options):
        raise EvaluationError(f"{row.where}: label {label!r} is no place among {len(options)} choices, from 0")
    name = str(row.fields.get("id", row.number))
    prompt = list_choices(str(row.take("subject")), options)
    yield Item(name, (), prompt, LETTERS[label], (row.find(name),), options)


def read_wemath(row: Row) -> Iterator[Item]:
    """A choice by its letter, by the number of steps: S1 for the steps alone, S2 and S3 for problems of as many."""
    key = str(row.take("key"))
    part = f"S{key[0]}" if key.endswith("multi") else "S1"
    options = tuple(split_options(str(row.take("option"))))
    answer = str(row.take("answer")).strip()
    if answer not in LETTERS[: len(options)]:
        raise EvaluationError(f"{row.where}: answer {answer!r} is no letter of its {len(options)} options")
    prompt = list_choices(str(row.take("question")), options)
    yield Item(f"{row.take('ID')}/{key}", (part,), prompt, answer, (row.find(row.take("image_path")),), options)


def read_flowvqa(row: Row) -> Iterator[Item]:
    """A chart's questions, by type, answered in words of which three wordings are given."""
    key = str(row.fields.get("key") or row.take("id"))
    picture = row.find(key)
    for number, asked in row.take("qa").items():
        wordings = [str(asked[name]) for name in ("A1", "A2", "A3") if asked.get(name)]
        if not asked.get("Q") or not wordings:
            raise EvaluationError(f"{row.where}, question {number}: needs Q and A1")
        prompt = f"{asked['Q']}\nAnswer in one sentence or less."
        part = (str(asked["type"]),) if asked.get("type") else ()
        yield Item(f"{key}/{number}", part, prompt, wordings[0], (picture,), (), tuple(wordings[1:]), free=True)


def split_options(text: str) -> Iterator[str]:
    """Options of one text, by their letters.

    >>> list(split_options("A. 3; B. x = 1; y = 2; C. No correct answer"))
    ['3', 'x = 1; y = 2', 'No correct answer']
    """
    found = list(_OPTION.finditer(text.strip()))
    ends = [*(each.start() for each in found[1:]), len(text.strip())]
    for each, end in zip(found, ends, strict=True):
        yield text.strip()[each.end() : end].strip().rstrip(";").strip()


@dataclass(frozen=True)
class Layout:
    """A benchmark: what it asks, and how a row is read."""

    told: str
    read: Callable[[Row], Iterator[Item]]


LAYOUTS: Mapping[str, Layout] = {
    "mmmath": Layout("MM-Math: free answers, by difficulty", read_mmmath),
    "mathvista": Layout("MathVista: choices and numbers, by task and skill (GPS, ALG)", read_mathvista),
    "geoqa": Layout("GeoQA: choices", read_geoqa),
    "wemath": Layout("We-Math: choices, by steps (S1, S2, S3)", read_wemath),
    "flowvqa": Layout("FlowVQA: texts, by type, with BERTScore", read_flowvqa),
}
