"""MIRB (Ju and Dong, 2025), three of its tasks in MathLeap's Table 4: nDCG@10 on graded answers.

The authors' files are in BEIR's layout, a folder for each task (``MODupRetrieval``, ``MathlibRetrieval``,
``LeanPremiseRetrieval``, or one task's own folder): ``corpus.jsonl`` of ``{_id, title, text}``, ``queries.jsonl`` of
``{_id, text}`` and ``qrels/test.tsv`` of query, document and gain under a head line. A document is its title, a blank
and its text; a query without a positive gain is not asked. The gain is linear, and what lies beyond the tenth place
gives nothing (the released code of MathLeap's own benchmark forgets that).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import Field

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.outcomes import pool
from counterfoil.tasks.evaluation.reading import FileRow, read_rows
from counterfoil.tasks.evaluation.tasks import MRR, NDCG, Retrieval

_FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


class _Identified(FileRow):
    id: str | int = Field(alias="_id")
    text: str


class _Document(_Identified):
    title: str = ""


class _Query(_Identified):
    pass


_IdentifiedT = TypeVar("_IdentifiedT", bound=_Identified)


def load(place: str, options: Options) -> Benchmark:
    """The tasks of the folder.

    Raises:
        EvaluationError: there are none, or a file is not in BEIR's layout.
    """
    folder = Path(place)
    if not folder.is_dir():
        raise EvaluationError(f"mirb: {folder} is no folder: give the one that holds the tasks' folders")
    own = (
        [folder] if (folder / _FILES[0]).is_file() else sorted(p for p in folder.iterdir() if (p / _FILES[0]).is_file())
    )
    if not own:
        raise EvaluationError(f"mirb: {folder} holds no task: a task is a folder of {', '.join(_FILES)}")
    material = Material()
    tasks = tuple(_read(path, material, options.instruction) for path in own)
    return Benchmark(
        "mirb",
        "MIRB",
        "nDCG@10 over the queries that have an answer, linear gains; what ties with an answer stands before it.",
        material,
        tasks,
        hash_files([path / file for path in own for file in _FILES], folder),
    )


def _read(path: Path, material: Material, instruction: str) -> Retrieval:
    documents = _by_id(path / _FILES[0], _Document)
    queries = _by_id(path / _FILES[1], _Query)
    gains = _read_gains(path / _FILES[2], queries, documents)
    place = {name: number for number, name in enumerate(documents)}
    asked = [name for name in queries if name in gains]
    figures = [pool(NDCG, NDCG, [""]), pool("R@10", "R@10", [""]), pool(MRR, MRR, [""])]
    return Retrieval(
        path.name,
        tuple(asked),
        ("",) * len(asked),
        tuple(asked),
        tuple(figures),
        np.array([material.add_text(instruction + queries[name].text) for name in asked], dtype=np.int64),
        np.array([material.add_text(f"{each.title} {each.text}") for each in documents.values()], dtype=np.int64),
        tuple(np.array([place[each] for each in gains[name]], dtype=np.int64) for name in asked),
        tuple(np.array(list(gains[name].values()), dtype=np.float64) for name in asked),
    )


def _by_id(path: Path, kind: type[_IdentifiedT]) -> dict[str, _IdentifiedT]:
    found: dict[str, _IdentifiedT] = {}
    for number, row in read_rows(path, kind):
        name = str(row.id)
        if name in found:
            raise EvaluationError(f"{path}, {number}: _id: {name!r} stands there twice")
        found[name] = row
    return found


def _read_gains(path: Path, queries: dict[str, _Query], documents: dict[str, _Document]) -> dict[str, dict[str, float]]:
    """Query to the documents that answer it, with their gains."""
    found: dict[str, dict[str, float]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise EvaluationError(f"{path} is not there") from error
    for number, line in enumerate(csv.reader(lines[1:], delimiter="\t"), 2):
        if len(line) != 3:
            raise EvaluationError(f"{path}, line {number}: {len(line)} columns, not query-id, corpus-id and score")
        query, document, told = line
        try:
            gain = float(told)
        except ValueError as error:
            raise EvaluationError(f"{path}, line {number}: score: {told!r} is no number") from error
        for name, known, file in ((query, queries, _FILES[1]), (document, documents, _FILES[0])):
            if name not in known:
                raise EvaluationError(f"{path}, line {number}: {name!r} is not in {file}")
        if gain > 0:
            found.setdefault(query, {})[document] = gain
    return found
