"""``geometry.rule``: negative captions by rule, without pictures (MMCLIP Fig. 11).

Four kinds of error that LMMs make when they read figures: the order of letters, shapes, relations, numbers; one to
four edits in a caption, spread over it. Here, other than for pictures, parallel may become perpendicular.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from storage.rows import Anchor, Contrast, Edit, Provenance, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate
from tasks.geometry.edits.negatives import Search, propose_texts
from tasks.geometry.families.perturb import open_anchor, reject

RULE = "geometry.rule"


def make_rule(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Negative captions with one to four edits each, in order of preference."""
    opened = open_anchor(anchor)
    if isinstance(opened, str):
        yield reject(anchor, RULE, opened)
        return
    reading, scene = opened
    search = Search()
    for negative in propose_texts(reading, scene, context.rng(RULE, anchor.anchor_id), search):
        contrast = Contrast(
            anchor.anchor_id,
            RULE,
            "negative",
            "text",
            text=negative.text,
            edits=tuple(_name_kind(edit) for edit in negative.edits),
            provenance=Provenance(seed=context.seed),
        )
        yield (contrast,)
    yield reject(anchor, RULE, f"exhausted: {search.describe()}")


def _name_kind(edit: Edit) -> Edit:
    """Fig. 11 knows no edits of position: a point said to be elsewhere is an error of letters."""
    return replace(edit, kind="label") if edit.kind == "position" else edit
