"""Judges' answers: one file of JSON lines per judge, in the folder ``review`` of the dataset.

A line is ``{"row": ..., "answer": "right" | "wrong" | "doubtful", "why": ..., "seconds": ..., "at": ...}``; the last
line on a row holds. No line says what the dataset says of the row, so a judge who reads the file stays blind.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

from counterfoil.storage.plain import parse_json
from counterfoil.tasks.audit.review.errors import ReviewError

FOLDER = "review"
Judgement = Literal["right", "wrong", "doubtful"]
JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)
MOST_WHY = 2_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge said of one row."""

    row: str
    """A contrast's id, or an anchor's."""
    answer: Judgement
    why: str = ""
    seconds: float = 0.0
    """From showing the row to the answer."""
    at: str = ""
    """When, in UTC, by ISO 8601."""


class Book:
    """One judge's answers, which stay when the process ends at any moment."""

    def __init__(self, folder: Path, judge: str) -> None:
        """Open ``folder/judge.jsonl``; an answer that was half written when a machine went down is taken off.

        Raises:
            ReviewError: the name is no file name, or a line is no answer.
        """
        check_judge(judge)
        self.judge, self._path = judge, folder / f"{judge}.jsonl"
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._drop_unfinished()
        self.answers = dict(read_book(self._path)) if self._path.exists() else {}

    def add(self, answer: Answer) -> None:
        """Keep an answer, on disk before this returns."""
        line = json.dumps(asdict(answer), ensure_ascii=False) + "\n"
        with self._lock:
            # One write to the end of the file: two processes of one judge lose nothing of each other.
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                os.write(descriptor, line.encode("utf-8", "replace"))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            self.answers[answer.row] = answer

    def _drop_unfinished(self) -> None:
        if not self._path.exists():
            return
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self._path, whole)


def check_judge(name: str) -> None:
    """Refuse a judge's name that cannot be a file's.

    Raises:
        ReviewError: it is empty, too long, or has other signs than letters, digits, dots, dashes and underscores.
    """
    if not _NAME.fullmatch(name):
        raise ReviewError(f"{name!r} is no judge's name: up to 40 letters, digits, dots, dashes and underscores")


def read_books(folder: Path) -> Mapping[str, Mapping[str, Answer]]:
    """All judges' answers: judge to row to answer.

    Raises:
        ReviewError: a line is no answer.
    """
    return {path.stem: dict(read_book(path)) for path in sorted(folder.glob("*.jsonl"))}


def read_book(path: Path) -> Iterator[tuple[str, Answer]]:
    """The answers of one file in their order; an unfinished last line is left out.

    Raises:
        ReviewError: a line is no answer.
    """
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1], 1):
        try:
            fields = parse_json(line)
            if not isinstance(fields["row"], str) or fields["answer"] not in JUDGEMENTS:
                raise ValueError("no row, or no known answer")
            answer = Answer(**fields)
        except (ValueError, TypeError, KeyError) as error:
            raise ReviewError(f"{path}, line {number} is no answer ({error}): mend or remove the line") from error
        yield answer.row, answer
