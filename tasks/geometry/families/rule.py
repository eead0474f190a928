"""``geometry.rule``: negative captions by rule, without pictures (MMCLIP Fig. 11).

Four kinds of error that LMMs make when they read figures: the order of letters, shapes, relations, numbers; one to
four edits in a caption, spread over it. Here, other than for pictures, parallel may become perpendicular.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.geometry.author import negatives as author
from counterfoil.tasks.geometry.checks import KINDS, check_edits, check_negative_text, check_possible, look_at_anchor
from counterfoil.tasks.geometry.edits.opening import OpeningError, open_anchor
from counterfoil.tasks.geometry.edits.search import Found, Search
from counterfoil.tasks.geometry.edits.texts import MOST_EDITS, propose_text_world
from counterfoil.tasks.geometry.settings import GeometrySettings

RULE = "geometry.rule"
FEW = 5
"""Rules that are made one by one beyond those that are wanted, as some fall."""


def make_rule(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """Negative captions with one to four edits each, in order of preference."""
    try:
        readings, scene = open_anchor(anchor)
    except OpeningError as error:
        yield reject_contrast(RULE, anchor, str(error))
        return
    found, rng = Found(), context.rng(RULE, anchor.anchor_id)
    style = context.settings.caption_style
    searches = [Search(reading, scene, rng, style, found) for reading in readings]
    wanted = context.settings.negatives
    for negative in propose_text_world(searches, wanted + context.settings.count_spare() + 1, wanted + FEW):
        yield Draft(text=negative.text, edits=tuple(_name_kind(edit) for edit in negative.edits))
    yield reject_contrast(RULE, anchor, f"exhausted: {found.describe()}")


def _name_kind(edit: Edit) -> Edit:
    """Fig. 11 knows no edits of position: a point said to be elsewhere is an error of letters."""
    return replace(edit, kind="label") if edit.kind == "position" else edit


def write_rule(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """Negative captions by a language model.

    Raises:
        AuthorError: the author cannot go on.
    """
    return author.write_captions(anchor, context, RULE)


@checked
def verify_rule(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """One to four edits, false of the anchor's drawing, and true of some other."""
    alone = contrast.image is None and contrast.code is None
    checks.require("text_alone", alone, "a rule negative is text alone")
    check_edits(checks, contrast, anchor, KINDS - {"position"}, MOST_EDITS)
    anchored = look_at_anchor(anchor, context)
    claims = check_negative_text(checks, contrast.text, anchor, anchored, drastic=True)
    check_possible(checks, claims, anchored)


FAMILIES = (
    Family(
        RULE,
        "negative",
        "text",
        paper="MMCLIP Fig. 11",
        how="four kinds of error, one to four edits each",
        make=make_rule,
        verify=verify_rule,
        count=lambda settings: settings.negatives,
        spare=GeometrySettings.count_spare,
        quotas=GeometrySettings.list_quotas,
        version=26,
        uses=("negatives", "spare", "caption_style"),
        make_llm=write_rule,
        prompts=author.RULE_PROMPTS,
        looked_at=True,
    ),
)
