"""Quotas of what negatives change."""

from __future__ import annotations

import numpy as np

from counterfoil.storage.rows import content_id
from counterfoil.tasks.contract.quotas import Quota
from counterfoil.tasks.tells.compare import CONTRAST, Shown, compare
from counterfoil.tasks.tells.spare import choose_spare

READING = Quota(("number", "letter"), 0.3)
SHAPE = Quota(("shape",), 0.4, least=True)


def test_a_quota_asks_for_no_more_than_there_is() -> None:
    assert READING.limit([["number"]] * 4, 3).leave([0, 1]).all()
    assert SHAPE.limit([["number"]] * 4, 3).leave([0, 1]).all()


def test_the_chooser_trades_no_shape_away_for_balance() -> None:
    """Of ten negatives two say what no caption says, which balance alone would drop."""
    shown, changes = [], {}
    for number in range(30):
        anchor = content_id("quota", number)
        shown.append(Shown(anchor, anchor, "caption", text=f"In triangle ABC, AB = {10 + number % 7}."))
        for rank in range(10):
            row_id = content_id("quota", number, rank)
            text = f"In {'kite ABCD' if rank < 2 else 'triangle ABC'}, AB = {20 + (number + rank) % 7}."
            shown.append(Shown(anchor, row_id, CONTRAST, rank, text=text))
            changes[row_id] = ("shape",) if rank < 2 else ("number",)
    comparison = compare(shown, {each.anchor_id: [each.anchor_id] for each in shown}, seed=1)
    assert comparison is not None

    def count_shapes(*quotas: Quota) -> list[int]:
        spare = choose_spare(comparison, 5, changes, quotas)
        kept = [row for row in comparison.rows if row.kind == CONTRAST and row.row_id not in spare]
        _, owners = np.unique([row.anchor_id for row in kept], return_inverse=True)
        assert np.bincount(owners).tolist() == [5] * 30
        return np.bincount(owners, [changes[row.row_id] == ("shape",) for row in kept]).astype(int).tolist()

    assert min(count_shapes()) < 2
    assert count_shapes(SHAPE) == [2] * 30
    assert count_shapes(READING, SHAPE) == [2] * 30
