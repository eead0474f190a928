"""Lies about scenes, in pixels, drawing, record or words, are refused by the verifiers alone."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from benchmarks.lies.scenes import KINDS
from counterfoil.storage.rows import Anchor
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.tasks.audit.verify import _judge
from counterfoil.tasks.caption.domain import DOMAIN
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.groups import name_group
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors

BY_ID = {"another colour, drawn so", "another count, drawn so", "another weather, drawn so"}
"""Where scene, drawing and picture agree, captions and facts tell; where those fit too, the id."""


@pytest.fixture(scope="module")
def context():
    settings = CaptionSettings(source="procedural:6", families=("edit",), captions=3)
    return Context(settings, 7, MemoRenderer(), bounds=DOMAIN.bounds)


@pytest.fixture(scope="module")
def anchors(context):
    rows = DOMAIN.read(context.settings, context.seed, None)
    made = [each for row in rows for each in make_anchors(DOMAIN, row, context) if isinstance(each, Anchor)]
    assert len(made) >= 4
    return [name_group(each) for each in made]


def lie(kind, row, other):
    """The anchor with the lie in it, or None where it does not apply."""
    given, stranger = (to_table([each], "anchors").to_pylist()[0] for each in (row, other))
    changed = KINDS[kind]({**given, "table": "anchors", "other": stranger, "sibling": None}, random.Random(3))
    if changed is None:
        return None
    schema = to_table([row], "anchors").schema
    table = pa.Table.from_pylist([{name: changed[name] for name in schema.names}], schema=schema)
    return from_table(table, "anchors")[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lie_about_a_scene_is_refused(kind, anchors, context):
    verdicts = []
    for anchor, other in zip(anchors, (*anchors[1:], anchors[0]), strict=True):
        changed = lie(kind, anchor, other)
        if changed not in (None, anchor):
            named = DOMAIN.name_anchor(changed, context) == anchor.anchor_id
            verdicts.append(named and _judge(DOMAIN.verify_anchor, changed, context).passed)
    if not verdicts:
        pytest.skip("no scene of these for it")
    assert not any(verdicts)


def test_honest_scenes_pass(anchors, context):
    assert all(DOMAIN.verify_anchor(each, context).passed for each in anchors)
