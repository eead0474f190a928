"""Training questions that a test has too are left out, with all that is asked about their pictures (MMCLIP Table 12).

A question is the anchor's own problem: what our rows ask beside it ("How many nodes does the flowchart have?") is asked
of every picture in the same words and tells nothing of the test. Questions are compared as `counterfoil overlap` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterfoil.tasks.encoders import Encoder
from counterfoil.tasks.mining.index import search
from counterfoil.tasks.mining.vectors import VectorTable

THRESHOLDS = (0.995, 0.99, 0.98, 0.97)
"""The paper's, of Table 12."""


@dataclass(frozen=True)
class Overlap:
    """How near the questions of a training set are to those of a test, before and after it was cleaned."""

    near: float
    """What is nearer was left out."""
    encoder: str
    train: int
    test: int
    dropped: tuple[str, ...]
    """Anchors whose question was left out."""
    below: tuple[tuple[float, float, float], ...]
    """Threshold, and the share of test questions without a training question nearer than it, before and after."""

    def describe(self) -> list[str]:
        """Lines for the user."""
        head = (
            f"{len(self.dropped):,} of {self.train:,} training questions are nearer than {self.near:g} to one of "
            f"{self.test:,} test questions ({self.encoder}): left out with all rows of their pictures"
        )
        table = [
            f"  test questions below {limit:g}: {100 * before:.2f} % before, {100 * after:.2f} % after"
            for limit, before, after in self.below
        ]
        return [head, *table]


def find_near(
    questions: Mapping[str, str], test: Sequence[str], encoder: Encoder, folder: Path, near: float = 0.995
) -> Overlap:
    """Which anchors' questions are nearer than ``near`` (a cosine) to a test question.

    Args:
        questions: anchor id to its question.
        test: questions of the test.
        folder: where vectors are kept.

    Raises:
        EncoderError: the encoder encodes no texts.
    """
    names = list(questions)
    if not names or not test:
        return Overlap(near, encoder.name, len(names), len(test), (), tuple((each, 1.0, 1.0) for each in THRESHOLDS))
    table = VectorTable(folder, encoder)
    train, other = table.encode("text", list(questions.values())), table.encode("text", list(test))
    nearest = search(train, other, 1).neighbours.scores[:, 0]
    left_out = nearest > near
    before = _find_nearest(other, train)
    after = _find_nearest(other, train[~left_out])
    below = tuple((each, float((before <= each).mean()), float((after <= each).mean())) for each in THRESHOLDS)
    dropped = tuple(name for name, out in zip(names, left_out, strict=True) if out)
    return Overlap(near, encoder.name, len(names), len(test), dropped, below)


def _find_nearest(rows: np.ndarray, among: np.ndarray) -> np.ndarray:
    if not len(among):
        return np.full(len(rows), -1.0)
    return search(rows, among, 1).neighbours.scores[:, 0]


def list_reasons(dropped: Iterable[str], near: float) -> dict[str, str]:
    """Anchor id to the reason for which its rows are rejects."""
    return dict.fromkeys(dropped, f"contaminated: its question is nearer than {near:g} to a test question")
