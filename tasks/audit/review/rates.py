"""What judges' answers come to: how often the dataset is wrong, per family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.reading import Snapshot
from counterfoil.tasks.audit.review.answers import FOLDER, Answer, Judgement, read_books
from counterfoil.tasks.audit.review.intervals import wilson_interval
from counterfoil.tasks.audit.review.rows import ANCHOR


@dataclass(frozen=True)
class Rate:
    """How often one family's rows are not what the dataset says, by the judges' majority on each row."""

    family: str
    role: str
    """``negative``, ``positive`` or ``anchor``."""
    rows: int
    """Rows that at least one judge has judged."""
    doubtful: int
    """Rows without a majority for right or wrong; they are in no share."""
    errors: int
    """Negatives found right (false negatives); positives and anchors found wrong."""

    @property
    def decided(self) -> int:
        return self.rows - self.doubtful

    @property
    def share(self) -> float | None:
        """The measured rate, 0 to 1: the false-negative rate of a family of negatives. None where none is decided."""
        return self.errors / self.decided if self.decided else None

    @property
    def interval(self) -> tuple[float, float]:
        """The rates that the judgement speaks for, at 95 % (Wilson)."""
        return wilson_interval(self.errors, self.decided)


@dataclass(frozen=True)
class Disagreement:
    """A row on which the judges and the dataset differ."""

    row_id: str
    family: str
    expected: Judgement
    said: Judgement
    why: tuple[str, ...]


@dataclass(frozen=True)
class Review:
    """All judgements of a dataset, as they stand."""

    rates: tuple[Rate, ...]
    judges: Mapping[str, int]
    """Judge to rows judged."""
    pairs: int
    """Pairs of judges' answers to one row."""
    equal_pairs: int
    disagreements: tuple[Disagreement, ...]
    gone: int
    """Judged rows that the dataset no longer has; they are in no count."""

    @property
    def agreement(self) -> float | None:
        """How often two judges of a row say the same, 0 to 1; None where no row has two."""
        return self.equal_pairs / self.pairs if self.pairs else None


def read_review(dataset: Dataset, snapshot: Snapshot | None = None) -> Review | None:
    """What was judged of a dataset so far; None where nothing was, or where it is on an object store.

    Raises:
        ReviewError: a file of answers cannot be read.
    """
    folder = dataset.store.folder
    if folder is None or not (folder / FOLDER).is_dir():
        return None
    books = read_books(folder / FOLDER)
    rows = sorted({row for book in books.values() for row in book})
    return tally_review(books, _find_roles(snapshot or dataset.snapshot(), rows)) if rows else None


def tally_review(books: Mapping[str, Mapping[str, Answer]], known: Mapping[str, tuple[str, str]]) -> Review:
    """The rates, from judges' answers by row and the (family, role) of each row that the dataset has."""
    said: dict[str, list[Answer]] = {}
    for book in books.values():
        for row, answer in book.items():
            said.setdefault(row, []).append(answer)
    counts: dict[tuple[str, str], Counter[str]] = {}
    disagreements = []
    for row, answers in sorted(said.items()):
        if row not in known:
            continue
        family, role = known[row]
        expected: Judgement = "wrong" if role == "negative" else "right"
        verdict = find_majority([answer.answer for answer in answers])
        wrong = verdict not in (expected, "doubtful")
        counts.setdefault((family, role), Counter()).update(
            {"rows": 1, "doubtful": int(verdict == "doubtful"), "errors": int(wrong)}
        )
        if wrong:
            why = tuple(answer.why for answer in answers if answer.why)
            disagreements.append(Disagreement(row, family, expected, verdict, why))
    pairs = [pair for row in said if row in known for pair in combinations(said[row], 2)]
    return Review(
        rates=tuple(
            Rate(family, role, tally["rows"], tally["doubtful"], tally["errors"])
            for (family, role), tally in sorted(counts.items())
        ),
        judges={judge: len(book) for judge, book in sorted(books.items()) if book},
        pairs=len(pairs),
        equal_pairs=sum(one.answer == other.answer for one, other in pairs),
        disagreements=tuple(disagreements),
        gone=sum(row not in known for row in said),
    )


def find_majority(answers: Sequence[Judgement]) -> Judgement:
    """What more judges say than say the other; doubtful where neither has more.

    >>> find_majority(["right", "wrong", "right"]), find_majority(["right", "wrong"]), find_majority(["doubtful"])
    ('right', 'doubtful', 'doubtful')
    """
    right, wrong = answers.count("right"), answers.count("wrong")
    if right == wrong:
        return "doubtful"
    return "right" if right > wrong else "wrong"


def _find_roles(snapshot: Snapshot, rows: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(family, role) of the contrasts and anchors of these ids that the tables have."""
    return dict([*_find_contrasts(snapshot, rows), *_find_anchors(snapshot, rows)])


def _find_contrasts(snapshot: Snapshot, rows: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    wanted = pc.field("contrast_id").isin(pa.array(rows, pa.string()))
    for batch in snapshot.scan("contrasts", ["contrast_id", "family", "role"], wanted):
        for row in batch.to_pylist():
            yield row["contrast_id"], (row["family"], row["role"])


def _find_anchors(snapshot: Snapshot, rows: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    wanted = pc.field("anchor_id").isin(pa.array(rows, pa.string()))
    for batch in snapshot.scan("anchors", ["anchor_id", "domain"], wanted):
        for row in batch.to_pylist():
            yield row["anchor_id"], (f"{row['domain']}.{ANCHOR}", ANCHOR)
