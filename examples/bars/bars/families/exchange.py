"""``bars.caption`` and ``bars.image``: the heights of two bars exchanged, in words and in the picture."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from bars.chart import Bars, BarsSettings, draw_chart, measure_chart, read_caption, write_caption
from counterfoil.storage.rows import Anchor, Contrast, Edit, Modality, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family, Verifier
from counterfoil.tasks.contract.verdict import Checks, checked

CAPTION, IMAGE = "bars.caption", "bars.image"


def make_exchanged(anchor: Anchor, context: Context[BarsSettings]) -> Iterator[Candidate | Reject]:
    """Every two bars exchanged, in an order by chance: a negative caption, and the picture of which it is true."""
    bars = read_caption(anchor.caption or "") or ()
    pairs = list(combinations(range(len(bars)), 2))
    for place in context.rng("bars.exchange", anchor.anchor_id).permutation(len(pairs)):
        one, other = pairs[place]
        heights = [height for _, height in bars]
        heights[one], heights[other] = heights[other], heights[one]
        made = tuple((colour, height) for (colour, _), height in zip(bars, heights, strict=True))
        text, edits = write_caption(made), list_edits(bars, made)
        yield Draft(text, edits=edits, family=CAPTION), Draft(text, draw_chart(made), edits=edits, family=IMAGE)


def list_edits(before: Bars, after: Bars) -> tuple[Edit, ...]:
    return tuple(
        Edit("exchange", f"{colour} {old}", f"{colour} {new}")
        for (colour, old), (_, new) in zip(before, after, strict=False)
        if old != new
    )


@checked
def verify_caption(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[BarsSettings]) -> None:
    del context
    checks.require("no_picture", contrast.image is None, "a negative caption has none of its own")
    check_exchanged(checks, read_caption(contrast.text or ""), contrast, anchor)


@checked
def verify_image(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[BarsSettings]) -> None:
    del context
    shown = measure_chart(checks, contrast.image.bytes if contrast.image else b"")
    checks.require("own_caption_true", contrast.text == write_caption(shown), "its caption is not what it shows")
    check_exchanged(checks, shown, contrast, anchor)


def check_exchanged(checks: Checks, bars: Bars | None, contrast: Contrast, anchor: Anchor) -> None:
    """The bars are those of the anchor's picture with two heights exchanged, and the row says just that."""
    drawn = measure_chart(checks, anchor.image.bytes if anchor.image else b"")
    checks.require("caption_read", bars is not None, "the text is no caption of a chart")
    edits = list_edits(drawn, bars or ())
    same = [colour for colour, _ in drawn] == [colour for colour, _ in bars or ()]
    kept = sorted(height for _, height in drawn) == sorted(height for _, height in bars or ())
    checks.require("two_exchanged", same and kept and len(edits) == 2, "not two bars of the anchor exchanged")
    checks.require("edits_told", contrast.edits == edits, "its edits are not what differs")
    rest = (contrast.vector, contrast.code, contrast.concreteness, contrast.similarity)
    checks.require("nothing_else", rest == (None,) * 4, "it has fields that this family does not fill")


def _family(name: str, modality: Modality, how: str, verify: Verifier[BarsSettings]) -> Family[BarsSettings]:
    count, uses = (lambda settings: settings.negatives), ("negatives",)
    return Family(name, "negative", modality, "ours", how, make_exchanged, verify, count, uses=uses)


FAMILIES = (
    _family(CAPTION, "text", "two bars' heights exchanged in the caption", verify_caption),
    _family(IMAGE, "image", "two bars' heights exchanged in the picture", verify_image),
)
