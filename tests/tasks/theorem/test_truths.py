"""What says the same, less, or a part of it is never called false; what is false is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.theorem.checks import refutes
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.settings import TheoremSettings
from tests.tasks.theorem.truths import FALSE, NEAR, PAIRS, TRUTHS
from tests.tasks.theorem.variants import list_variants

Make = Callable[..., Anchor]


ALL = TRUTHS | NEAR


@pytest.mark.parametrize(("anchor", "text"), [(anchor, text) for anchor, texts in ALL.items() for text in texts])
def test_a_truth_is_not_refuted(anchor: str, text: str, make_anchor: Make, context: Context[Any]) -> None:
    assert refutes(text, make_anchor(anchor), context) is not True


@pytest.mark.parametrize(("words", "lean", "text"), PAIRS)
def test_a_lean_view_that_claims_more_or_supposes_less_refutes_no_truth(
    words: str, lean: str, text: str, make_anchor: Make, context: Context[Any]
) -> None:
    assert refutes(text, make_anchor(words, lean), context) is not True


@pytest.mark.parametrize(("anchor", "text"), [(anchor, text) for anchor, texts in FALSE.items() for text in texts])
def test_what_is_false_is_refuted(anchor: str, text: str, make_anchor: Make, context: Context[Any]) -> None:
    assert refutes(text, make_anchor(anchor), context) is True


def test_no_truth_becomes_a_negative_row(make_anchor: Make) -> None:
    """The families' verifier asks the same judge."""
    kept: Context[TheoremSettings] = Context(
        TheoremSettings(source="procedural:1", grades=("refuted", "tested", "contradicts")),
        7,
        None,  # type: ignore[arg-type]
    )
    passed = []
    for informal, texts in ALL.items():
        anchor = make_anchor(informal)
        for text in texts:
            row = Contrast(
                anchor.anchor_id, "theorem.negative", "negative", "text", text, edits=(Edit("number", "1", "2"),)
            )
            if DOMAIN.families[row.family].verify(row, anchor, kept).passed:
                passed.append((informal, text))
    assert passed == []


def test_many_truths_are_seen_to_be_true(make_anchor: Make, context: Context[Any]) -> None:
    """Normal forms see what is only said otherwise: half of the list written by hand."""
    told = [refutes(text, make_anchor(anchor), context) for anchor, texts in TRUTHS.items() for text in texts]
    assert told.count(False) >= 0.45 * len(told)


def test_variants_made_by_rule_are_told_apart(anchors: list[Anchor], context: Context[Any]) -> None:
    """Of statements of our own: their rewordings and what follows from them are not refuted, what is false is."""
    truths, negatives = [], []
    for anchor in anchors:
        for text, true in list_variants(anchor.caption or "", seed=3):
            (truths if true else negatives).append((anchor.caption, text, refutes(text, anchor, context)))
    assert len(truths) >= 150
    assert len(negatives) >= 40
    assert [each for each in truths if each[2] is True] == []
    assert sum(each[2] is True for each in negatives) >= 0.95 * len(negatives)
