"""Refinement: dropping the negatives that give most away, until judges find nothing more (SugarCrepe, section 3.2).

SugarCrepe scores every pair of a caption and its negative by two models that see no picture, and keeps as many pairs
that a model gets right as pairs that it gets wrong, at every size of the gap between the two scores. We do the same
with judges that learn what tells in this very family, each scoring rows that it did not learn from, and do it again
with judges that learn from what is left, until none tells a negative from its anchor.

Which rows are dropped depends on the rows alone: not on their order, shards or machine (see `tasks.tells.linear`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storage.rows import content_id
from tasks.tells.compare import Comparison
from tasks.tells.judges import LinearJudge, score_folds

GOAL = 0.51
"""A judge that tells this share of negatives from their anchors, or fewer, tells nothing."""
_ROUNDS = 40
_PART = 0.25
"""Share of the excess that goes in one round: what is left then looks otherwise to judges that learn anew."""
_BIN = 60
"""Negatives of one size of gap: so many are compared at a time, by which side they fall on."""
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
                dropped[row_id] = f"tell: {judge} tell it from its anchor (round {turn})"
                for other in partners[place]:
                    dropped.setdefault(other, f"tell: what it was made with gives itself away ({side.family})")
        if len(dropped) == before:
            break
    return dropped


def _find_told(side: Side, dropped: dict[str, str]) -> tuple[str, list[tuple[str, tuple[str, int]]]]:
    """The strongest judge of what is left, and the negatives that must go for it to be wrong as often as right."""
    rows, items = side.comparison.rows, side.comparison.items
    kept = np.array([own or row.row_id not in dropped for row, own in zip(rows, items.own, strict=True)])
    left = np.nonzero(kept & ~items.own)[0]
    if not len(left):
        return "", []
    names = [rows[i].row_id for i in left]
    best, name, chosen = GOAL, "", np.zeros(0)
    for judge in side.judges:
        gaps = _measure_gaps(side, score_folds(items, judge, kept), left)
        share = float(((gaps > 0) + 0.5 * (gaps == 0)).mean())
        if share > best:
            best, name, chosen = share, judge.name, gaps
    told = list_excess(chosen, names) if name else []
    told = told[: -int(-len(told) * _PART // 1)]
    return name, [(names[i], (rows[left[i]].anchor_id, rows[left[i]].rank)) for i in told]


def _measure_gaps(side: Side, scores: np.ndarray, left: np.ndarray) -> np.ndarray:
    """How much more its anchor scores than each negative, over the anchor's items; in spreads of the gaps."""
    items = side.comparison.items
    sums = np.bincount(items.owner[items.own], weights=scores[items.own], minlength=items.anchors)
    counts = np.bincount(items.owner[items.own], minlength=items.anchors)
    gaps = sums[items.owner[left]] / counts[items.owner[left]] - scores[left]
    # Machines may differ in the last digits of a sum; a decision must not.
    return np.asarray(np.round(gaps / (np.abs(gaps).mean() or 1.0), _DIGITS))


def list_excess(gaps: np.ndarray, names: Sequence[str]) -> list[int]:
    """Positions of the negatives to drop so that at every size of gap as many are told as are mistaken.

    Gaps are cut by size into bins; of the told ones (gaps over 0) in a bin those go that are more than the mistaken
    ones. The widest gaps come first.
    """
    order = sorted(range(len(gaps)), key=lambda i: (-abs(gaps[i]), content_id("tell", names[i])))
    excess: list[int] = []
    for start in range(0, len(order), _BIN):
        part = order[start : start + _BIN]
        told = [i for i in part if gaps[i] > 0]
        mistaken = sum(1 for i in part if gaps[i] < 0)
        excess += told[: max(len(told) - mistaken, 0)]
    return excess
