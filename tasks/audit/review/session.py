"""The rows of one sitting, and what each judge has said of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from counterfoil.tasks.audit.review.answers import JUDGEMENTS, MOST_WHY, Answer, Book
from counterfoil.tasks.audit.review.errors import ReviewError
from counterfoil.tasks.audit.review.rows import ReviewRow, Side
from counterfoil.tasks.showing.pictures import PictureError, open_picture, show_picture
from counterfoil.tasks.showing.texts import clean, show_text

SIDE = 1024
"""Longest side in pixels of a picture that is judged."""


@dataclass(frozen=True)
class Place:
    """Where a judge is: the number of the row to show, from 0, and how many of all are judged."""

    number: int | None
    """None where all are judged."""
    judged: int
    total: int


class Sitting:
    """Hands rows to judges by their number alone: neither ids nor families reach a judge."""

    def __init__(self, rows: Sequence[ReviewRow], folder: Path) -> None:
        self._rows, self._folder = rows, folder
        self._books: dict[str, Book] = {}
        self._lock = threading.Lock()

    def find_place(self, judge: str) -> Place:
        """The first row that the judge has not judged.

        Raises:
            ReviewError: the judge's name or file is no good.
        """
        answered = self._book(judge).answers
        open_rows = [number for number, row in enumerate(self._rows) if row.row_id not in answered]
        return Place(open_rows[0] if open_rows else None, len(self._rows) - len(open_rows), len(self._rows))

    def show(self, judge: str, number: int) -> Mapping[str, Any]:
        """What a judge sees of a row, as plain data, with the judge's own earlier answer.

        Raises:
            ReviewError: there is no such row.
        """
        row = self._find(number)
        earlier = self._book(judge).answers.get(row.row_id)
        return {
            "number": number,
            "question": row.question,
            "sides": [_show_side(row.first), _show_side(row.second)],
            "answer": earlier.answer if earlier else "",
            "why": earlier.why if earlier else "",
        }

    def answer(self, judge: str, number: int, answer: str, why: str, seconds: float) -> Place:
        """Keep an answer.

        Raises:
            ReviewError: there is no such row, or no such answer.
        """
        row = self._find(number)
        if answer not in JUDGEMENTS:
            raise ReviewError(f"{answer!r} is no answer: {', '.join(JUDGEMENTS)} are")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        said = Answer(row.row_id, answer, why.strip()[:MOST_WHY], round(max(0.0, seconds), 1), now)
        self._book(judge).add(said)
        return self.find_place(judge)

    def _find(self, number: int) -> ReviewRow:
        if not 0 <= number < len(self._rows):
            raise ReviewError(f"there is no row {number}: there are {len(self._rows)}")
        return self._rows[number]

    def _book(self, judge: str) -> Book:
        with self._lock:
            if judge not in self._books:
                self._books[judge] = Book(self._folder, judge)
            return self._books[judge]


def _show_side(side: Side) -> Mapping[str, Any]:
    if side.picture is None:
        return {"text": clean(side.text) if side.is_code else show_text(side.text), "code": side.is_code}
    try:
        shown = show_picture(open_picture(side.picture), SIDE)
    except PictureError as error:
        return {"text": f"This picture cannot be shown: {error}", "code": False}
    return {"picture": shown.uri, "width": shown.width, "height": shown.height}
