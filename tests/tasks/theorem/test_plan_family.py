"""A family that is planned over the corpus: what is proposed of a statement, how many sets of it are made, and what is
said where none is."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.theorem.families.plan import Proposals, plan_family

SETS = [
    (("Show that $x < 2$.", (Edit("relation", ">", "<"),)),),
    (("Show that $x = 2$.", (Edit("relation", ">", "="),)),),
]


def make(anchor: Anchor, context: Context[Any], sets: list[Any], **options: Any) -> list[Any]:
    planned, maker = plan_family(
        "theorem.toy", lambda *_: Proposals("Show that $x > 2$.", sets, "none is near"), (), **options
    )
    return list(maker(anchor, prepare_here(planned, [[anchor]], context)))


@pytest.mark.parametrize(("count", "expected"), [("", 1), ("negatives", 2)])
def test_one_set_is_made_or_as_many_as_the_settings_say(anchors, context, count, expected):
    made = make(anchors[0], context, SETS, count=count)
    proposed = {(text, edits) for each in SETS for text, edits in each}
    assert len(made) == expected and {(each.text, each.edits) for each in made} <= proposed


@pytest.mark.parametrize("in_lean", [True, False])
def test_texts_in_lean_are_code_as_well(anchors, context, in_lean):
    (made,) = make(anchors[0], context, SETS[:1], in_lean=in_lean)
    assert made.code == (made.text if in_lean else None)


def test_where_nothing_is_proposed_a_reject_says_why(anchors, context):
    (made,) = make(anchors[0], context, [])
    assert isinstance(made, Reject) and "none is near" in made.reasons[0]
