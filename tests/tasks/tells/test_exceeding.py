"""When a family's negatives count as told: any judge over the limit, or the anchor picked out of its set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.tasks.tells.figures import Figures, Share
from counterfoil.tasks.tells.measure import FamilyAudit, JudgeFigures


def judge(told: float, picked: float = 0.25, low: float = 0.2) -> JudgeFigures:
    """A judge that tells this share of pairs, and picks the anchor of four so often, at least ``low``."""
    return JudgeFigures(
        "judge", Figures(Share(told, told, told), Share(told, told, told), Share(picked, low, 1.0), 0.25)
    )


UNTOLD = FamilyAudit("toy.near", "negative", "text", "caption", 50, 150, (judge(0.5),), (), "rows")


@pytest.mark.parametrize(
    ("found", "over"),
    [
        ({"judges": (judge(0.56), judge(0.5))}, True),
        ({"judges": (judge(0.55),)}, False),
        ({"halves": (judge(0.5), judge(0.56))}, True),
        ({"fluent": (judge(0.5), judge(0.56))}, True),
        ({"sets": (judge(0.9, picked=0.31, low=0.26),)}, True),
        ({"sets": (judge(0.9, picked=0.25, low=0.2), judge(0.9, picked=0.31, low=0.26))}, True),
        ({"sets": (judge(0.9, picked=0.31, low=0.25),)}, False),
        ({"sets": (judge(0.9, picked=0.3, low=0.26),)}, False),
        ({"judges": (judge(0.9),), "role": "positive"}, False),
        ({"judges": ()}, False),
    ],
    ids=str,
)
def test_a_family_is_told_where_any_judge_is_over_the_limit(found, over):
    assert replace(UNTOLD, **found).exceeds(0.55) is over
