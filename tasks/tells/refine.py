"""Refinement: dropping the negatives that give most away, until judges find nothing more (SugarCrepe, section 3.2).

SugarCrepe scores every pair of a caption and its negative by two models that see no picture, and keeps as many pairs
that a model gets right as pairs that it gets wrong, at every size of the gap between the two scores. Our judges learn
what tells in this very family and score rows that they did not learn from. A few of the negatives that they are surest
of go; then they learn anew from what is left, until they are right no more often than wrong.

Which rows are dropped depends on the rows alone: not on their order, shards or machine (see `tasks.tells.linear`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import content_id
from counterfoil.tasks.tells.compare import Comparison
from counterfoil.tasks.tells.judges import LinearJudge, score_folds

TELL = "tell"
"""The reason code of what refinement drops."""
GOAL = 0.51
"""A judge that tells this share of negatives from their anchors, or fewer, tells nothing."""
_ROUNDS = 40
_PART = 0.25
"""Share of the excess that goes in one round: what is left then looks otherwise to judges that learn anew."""
_SURE = 2.5
"""Spreads by which a judge must be right among its surest scores, to be no accident."""
_FEWEST = 20
"""Fewer of the surest scores say nothing."""
_DIGITS = 6


@dataclass(frozen=True)
class Side:
    """The negatives of one family and modality beside their anchors, and the judges that see them."""

    family: str
    comparison: Comparison
    judges: tuple[LinearJudge, ...]


def choose_dropped(sides: Sequence[Side]) -> dict[str, str]:
    """Row id of each negative that gives itself away to its reason, over families that are made together.

    Where one is dropped, those of the same anchor and rank in the other families go with it: they were made as one.
    """
    dropped: dict[str, str] = {}
    partners: dict[tuple[str, int], list[str]] = {}
    for side in sides:
        for row, own in zip(side.comparison.rows, side.comparison.items.own, strict=True):
            if not own:
                partners.setdefault((row.anchor_id, row.rank), []).append(row.row_id)
    for turn in range(1, _ROUNDS + 1):
        before = len(dropped)
        for side in sides:
            judge, told = _find_told(side, dropped)
            for row_id, place in told:
                dropped[row_id] = f"{TELL}: {judge} recognise it as the negative (round {turn})"
                for other in partners[place]:
                    dropped.setdefault(other, f"{TELL}: its partner can be recognised blind ({side.family})")
        if len(dropped) == before:
            break
    return dropped


def _find_told(side: Side, dropped: dict[str, str]) -> tuple[str, list[tuple[str, tuple[str, int]]]]:
    """The judge that tells most of what is left, and the negatives that go this time."""
    rows, items = side.comparison.rows, side.comparison.items
    kept = np.array([own or row.row_id not in dropped for row, own in zip(rows, items.own, strict=True)])
    left = np.nonzero(kept & ~items.own)[0]
    names = [rows[i].row_id for i in left]
    strongest, told = "", list[int]()
    for judge in side.judges:
        found = list_told(_measure_gaps(side, score_folds(items, judge, kept), left), names)
        if len(found) > len(told):
            strongest, told = judge.name, found
    return strongest, [(names[i], (rows[left[i]].anchor_id, rows[left[i]].rank)) for i in told]


def _measure_gaps(side: Side, scores: np.ndarray, left: np.ndarray) -> np.ndarray:
    """How much more its anchor scores than each negative, over the anchor's items; in spreads of the gaps."""
    items = side.comparison.items
    sums = np.bincount(items.owner[items.own], weights=scores[items.own], minlength=items.anchors)
    counts = np.bincount(items.owner[items.own], minlength=items.anchors)
    gaps = sums[items.owner[left]] / counts[items.owner[left]] - scores[left]
    # Machines may differ in the last digits of a sum; a decision must not.
    return np.asarray(np.round(gaps / (np.abs(gaps).mean() or 1.0), _DIGITS))


def list_told(gaps: np.ndarray, names: Sequence[str]) -> list[int]:
    """Positions of the negatives to drop this time, those of the widest gaps; none where the judge tells nothing.

    Negatives are taken by the size of their gaps. As long as the judge was right and wrong equally often, it knows
    nothing; where it was right more often, among all or among the surest so far, a part of those that it was right
    about beyond those that it was wrong about go.
    """
    order = sorted(range(len(gaps)), key=lambda i: (-abs(gaps[i]), content_id("tell", names[i])))
    excess = np.cumsum(np.sign(gaps[order]))
    if not len(order):
        return []
    surest = excess / np.sqrt(np.arange(len(order)) + 1)
    surest[: min(_FEWEST, len(order) - 1)] = -np.inf
    most = int(np.argmax(surest)) if surest.max() > _SURE else len(order) - 1
    if surest.max() <= _SURE and excess[-1] / len(order) <= 2 * GOAL - 1:
        return []
    return [i for i in order if gaps[i] > 0][: math.ceil(_PART * excess[most])]
