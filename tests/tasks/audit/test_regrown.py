"""Anchors of rows made up by number are those that these rows make, in every column, whatever their ids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Fact, Provenance
from counterfoil.tasks.audit.regrown import Regrower
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer

LIES = {
    "answer": {"answer": "999"},
    "question": {"question": "How many are there?"},
    "solution": {"solution": "It is 7."},
    "facts": {"facts": (Fact("node", ("A",), "Start"),)},
    "captions": {"captions": ()},
}


@pytest.fixture(scope="module", params=["geometry", "flowchart", "caption", "theorem"])
def grown(request):
    domain = load_domain(request.param)
    context = Context(domain.settings_type.model_validate({"source": "procedural:2"}), 7, MemoRenderer())
    rows = list(domain.sources["procedural"].read("2", context.settings, 7, None))
    anchors = domain.sources["procedural"].make_anchors(rows[1], context)
    yield Regrower(domain, context), [each for each in anchors if isinstance(each, Anchor)]
    context.renderer.close()


def test_what_a_row_makes_is_not_refused(grown):
    regrower, anchors = grown
    assert anchors and not [each for anchor in anchors for each in regrower.find_difference(anchor)]


@pytest.mark.parametrize("name", LIES)
def test_a_forged_column_is_named_whatever_the_id(grown, name):
    regrower, anchors = grown
    forged = replace(anchors[0], **LIES[name])
    assert any(name in reason for reason in regrower.find_difference(forged))
    renamed = replace(forged, anchor_id="0" * 32)
    assert [each.partition(":")[0] for each in regrower.find_difference(renamed)] == ["not_made"]


def test_a_row_that_nobody_makes_has_no_anchors(grown):
    regrower, anchors = grown
    own = anchors[0].source_id
    for odd in ("elsewhere", own.replace("1", "\uff11"), f"0{own}", own[:-1]):
        assert [each.partition(":")[0] for each in regrower.find_difference(replace(anchors[0], source_id=odd))]


def test_what_a_model_wrote_is_not_made_again(grown):
    regrower, anchors = grown
    written = replace(anchors[0], answer="999", provenance=Provenance(author="openai"))
    assert not [*regrower.find_difference(written)]
