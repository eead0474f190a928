"""``geometry.template``: the nearest pictures among procedurally made ones (RULE-IMG, MMCLIP Table 4).

The paper draws 100K pictures from hand-made templates and takes the most similar as hard negatives. Here the bank
comes from the sampler, similarity is a plain image feature, and a picture of which the anchor's caption happens to be
true, or that is nearly the anchor itself, is no negative.
"""

from __future__ import annotations

from collections.abc import Iterator

from storage.rows import Anchor, Contrast, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import Checks, checked
from tasks.geometry.checks import (
    check_differs,
    check_own_claims,
    check_picture,
    check_same_look,
    look_at_anchor,
    read_anchor,
    read_text,
)
from tasks.geometry.families.bank import BANK
from tasks.geometry.families.features import extract_feature, measure_similarity
from tasks.geometry.figure.claims import find_broken, find_unknown
from tasks.geometry.measuring.pixels import PictureError
from tasks.geometry.settings import GeometrySettings

TEMPLATE = "geometry.template"
_SPARE = 4
"""Candidates per wanted negative: a few of the nearest may fail their checks."""


def make_template(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """Pictures of the bank, nearest first."""
    try:
        query = extract_feature(anchor.image.bytes if anchor.image else b"")
    except PictureError as error:
        yield reject_contrast(TEMPLATE, anchor, f"picture: {error}")
        return
    bank = BANK.of(context)
    for sample in map(bank.get, bank.find_nearest(query, _SPARE * context.settings.negatives)):
        similarity = measure_similarity(query, sample.feature)
        yield Draft(text=sample.caption, image=sample.picture, code=sample.code, similarity=similarity)


@checked
def verify_template(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """Another picture, true to its own caption, of which the anchor's is visibly false."""
    figure = check_picture(checks, contrast.code, contrast.image, context)
    check_own_claims(checks, read_text(checks, contrast.text or "", figure), figure)
    look_at_anchor(anchor, context)
    check_same_look(checks, contrast, anchor, context)
    claims = read_anchor(anchor)
    broken = find_broken(claims, figure) or find_unknown(claims, figure)
    checks.require("anchor_broken", bool(broken), "no claim of the anchor's caption visibly fails in the picture")
    check_differs(checks, contrast, anchor)


FAMILIES = (
    Family(
        TEMPLATE,
        "negative",
        "image",
        paper="MMCLIP Table 4 (RULE-IMG)",
        how="nearest pictures among procedurally made ones",
        make=make_template,
        verify=verify_template,
        count=lambda settings: settings.negatives,
        version=8,
        uses=("negatives", "markings", "legible_at", "caption_style", "template_bank"),
        looked_at=True,
        prepare=BANK,
    ),
)
