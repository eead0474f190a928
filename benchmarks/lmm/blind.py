"""What a reader of the questions alone can tell: judges that never see a picture, on rows with few answers.

Each answer that a question allows is a candidate: an option, or yes and no, first and second. The audit's judges
(`tasks.tells`) learn on four fifths of the anchors which candidates are right, from their wording beside the question's
and from where they stand among the others (length, size, place), and choose on the rest. Chance is one over the number
of candidates; a kind that is chosen better teaches to ignore the picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.rows import LETTERS, Instruction
from counterfoil.tasks.tells.blocks import deal_folds, join_blocks
from counterfoil.tasks.tells.compare import FEWEST_BLOCKS, FOLDS
from counterfoil.tasks.tells.figures import Items, Share, measure_figures
from counterfoil.tasks.tells.judges import Judge, TreeJudge, judge_ngrams, judge_numbers, score_folds
from counterfoil.tasks.tells.wording import list_ngrams

_OPTION = re.compile(rf"^([{LETTERS}])\. (.*)$", re.MULTILINE)
_CLOSED = (("yes", "no"), ("first", "second"))
_SEED = 0


@dataclass(frozen=True)
class Told:
    """How often a blind judge chose the right answer of a kind of rows."""

    kind: str
    judge: str
    rows: int
    right: Share
    chance: float


def list_candidates(row: Instruction) -> tuple[str, ...]:
    """The answers that a row allows, as they stand in it; none where its answer is open."""
    options = _OPTION.findall(row.prompt)
    if options and row.answer in LETTERS:
        return tuple(text for _, text in options)
    return next((closed for closed in _CLOSED if row.answer in closed), ())


def read_blind(rows: Iterable[Instruction]) -> list[Told]:
    """Every judge on every kind of rows that has few answers, by domain and kind.

    Raises:
        SftError: no kind has enough anchors to learn from.
    """
    parts: dict[str, list[Instruction]] = {}
    for row in rows:
        if list_candidates(row):
            parts.setdefault(f"{row.domain} {row.kind}", []).append(row)
    told = [each for name, of in sorted(parts.items()) for each in _read_part(name, of)]
    if not told:
        raise SftError(f"no kind of rows with few answers has {FEWEST_BLOCKS} anchors: nothing can be told blind")
    return told


def _read_part(name: str, rows: Sequence[Instruction]) -> Iterator[Told]:
    blocks = np.array(join_blocks([[row.anchor_id] for row in rows]))
    if blocks.max() + 1 < FEWEST_BLOCKS:
        return
    candidates = [list_candidates(row) for row in rows]
    owner = np.repeat(np.arange(len(rows)), [len(each) for each in candidates])
    right = [_is_right(row, at, each) for row, of in zip(rows, candidates, strict=True) for at, each in enumerate(of)]
    folds = deal_folds(blocks, [row.row_id for row in rows], FOLDS, _SEED)
    items = Items(owner, np.array(right), blocks, folds)
    for judge in _list_judges(rows, candidates):
        figures = measure_figures(items, score_folds(items, judge), _SEED)
        yield Told(name, judge.name, len(rows), figures.picked, figures.chance)


def _is_right(row: Instruction, at: int, candidate: str) -> bool:
    return candidate == row.answer or (row.answer in LETTERS and LETTERS.index(row.answer) == at)


def _list_judges(rows: Sequence[Instruction], candidates: Sequence[tuple[str, ...]]) -> Iterator[Judge]:
    together = list(zip(rows, candidates, strict=True))
    yield judge_ngrams([grams for row, of in together for grams in _list_grams(row, of)])
    numbers = np.concatenate([_measure(row, of) for row, of in together])
    yield judge_numbers(numbers)
    yield TreeJudge(numbers)


def _list_grams(row: Instruction, candidates: tuple[str, ...]) -> Iterator[list[str]]:
    """A candidate's n-grams, and each of the question's words beside the candidate."""
    asked = _OPTION.split(row.prompt)[0] if row.answer in LETTERS else row.prompt
    words = sorted(set(list_ngrams(asked)))
    for at, candidate in enumerate(candidates):
        yield [*list_ngrams(candidate), f"place {at}", *(f"{word} | {candidate}" for word in words)]


def _measure(row: Instruction, candidates: tuple[str, ...]) -> np.ndarray:
    """Where each candidate stands among the others, ``float64`` of shape (candidates, 9)."""
    lengths = np.array([len(each) for each in candidates], dtype=np.float64)
    words = np.array([len(each.split()) for each in candidates], dtype=np.float64)
    values = np.array([_read_number(each) for each in candidates])
    shared = np.array([_count_shared(each, row.prompt) for each in candidates], dtype=np.float64)
    alike = np.array([np.mean([_count_shared(each, other) for other in candidates]) for each in candidates])
    places = np.arange(len(candidates), dtype=np.float64)
    return np.column_stack([lengths, _rank(lengths), words, _rank(words), values, _rank(values), shared, alike, places])


def _rank(values: np.ndarray) -> np.ndarray:
    return np.asarray((values[:, None] > values[None, :]).sum(axis=1) - (values[:, None] < values[None, :]).sum(axis=1))


def _read_number(text: str) -> float:
    found = re.search(r"-?\d+(?:\.\d+)?", text)
    return float(found[0]) if found else 0.0


def _count_shared(one: str, other: str) -> float:
    first, second = set(one.split()), set(other.split())
    return len(first & second) / max(len(first), 1)
