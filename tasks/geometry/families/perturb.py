"""``geometry.caption`` and ``geometry.image``: a negative caption and the picture that is true of it, made together.

The road of MMCLIP's PERTURB-IMG (Fig. 8 and 9): edit the anchor's caption, make the figure follow, draw it. The pair
stands or falls as one: a caption without its picture, or a picture whose caption is not false of the anchor, is no
negative of either family.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from counterfoil.renderers.results import Outcome
from counterfoil.storage.rows import Anchor, Contrast, Modality, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family, Verifier
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.geometry.author import negatives as author
from counterfoil.tasks.geometry.checks import (
    check_code,
    check_differs,
    check_edits,
    check_negative_text,
    check_own_claims,
    check_picture,
    check_same_look,
    check_script,
    is_ours,
    look_at_anchor,
    read_anchor,
    tell_labels,
)
from counterfoil.tasks.geometry.drawing.layout import lay_out
from counterfoil.tasks.geometry.drawing.script import write_layout
from counterfoil.tasks.geometry.drawing.sheet import write_sheet
from counterfoil.tasks.geometry.edits.negatives import propose_world
from counterfoil.tasks.geometry.edits.opening import OpeningError, open_anchor
from counterfoil.tasks.geometry.edits.search import Found, Negative, Search
from counterfoil.tasks.geometry.edits.unexplained import find_unexplained, name_whole_lines
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.refuting import find_false
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.styles import choose_style

CAPTION = "geometry.caption"
IMAGE = "geometry.image"


def make_perturbed(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """Pairs of negative caption and negative picture, kinds of edit mixed, in order of preference."""
    try:
        readings, scene = open_anchor(anchor)
    except OpeningError as error:
        yield reject_contrast(CAPTION, anchor, str(error))
        yield reject_contrast(IMAGE, anchor, str(error))
        return
    _draw_anchor(anchor, scene, context)
    settings = context.settings
    found, rng = Found(), context.rng(CAPTION, anchor.anchor_id)
    searches = [Search(reading, scene, rng, settings.caption_style, found) for reading in readings]
    wanted = settings.negatives + settings.count_spare()
    negatives = propose_world(searches, wanted + 2)
    while some := list(islice(negatives, wanted)):
        yield from _draw_perturbed(anchor, scene, some, context)
        # Most pass: what is drawn beyond those that are missing is drawn in vain.
        wanted = 1
    for family in (CAPTION, IMAGE):
        yield reject_contrast(family, anchor, f"exhausted: {found.describe()}")


def _draw_anchor(anchor: Anchor, scene: Scene, context: Context[GeometrySettings]) -> None:
    """Have the anchor's picture drawn as those of its negatives are: its script would take a process of its own."""
    layout = lay_out(scene, choose_style(context, anchor.source, anchor.source_id))
    if write_layout(layout) == anchor.code:
        context.renderer.render_together([anchor.code], [write_sheet(layout)])


def _draw_perturbed(
    anchor: Anchor, scene: Scene, found: Sequence[Negative], context: Context[GeometrySettings]
) -> Iterator[Candidate | Reject]:
    """Render the figures of negative captions together; one that would be read otherwise, or whose script fails, is a
    reject."""
    odd = [_find_misread(negative, anchor, scene) for negative in found]
    yield from (reject_contrast(IMAGE, anchor, f"own_claims_shown: {why}") for why in odd if why)
    negatives = [negative for negative, why in zip(found, odd, strict=True) if why is None]
    style = choose_style(context, anchor.source, anchor.source_id)
    layouts = [lay_out(negative.scene, style) for negative in negatives if negative.scene is not None]
    scripts = [write_layout(layout) for layout in layouts]
    renderings = context.renderer.render_together(scripts, [write_sheet(layout) for layout in layouts])
    for negative, script, rendering in zip(negatives, scripts, renderings, strict=True):
        if rendering.outcome != Outcome.OK or rendering.png is None:
            why = rendering.error.message if rendering.error else rendering.log[-200:]
            yield reject_contrast(IMAGE, anchor, f"render: {rendering.outcome} {why}".strip())
            continue
        yield (
            Draft(text=negative.text, code=script, edits=negative.edits, family=CAPTION),
            Draft(text=negative.text, image=rendering.png, code=script, edits=negative.edits, family=IMAGE),
        )


def _find_misread(negative: Negative, anchor: Anchor, scene: Scene) -> str | None:
    """What the picture of a negative would show that no edit asks for: told before it is drawn where arrowheads of a
    part of a line would be read as the whole line's."""
    if negative.scene is None:
        return None
    read = name_whole_lines(negative.scene)
    if read is negative.scene:
        return None
    return find_unexplained(read, name_whole_lines(scene), negative.claims, read_anchor(anchor))


def write_perturbed(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """Pairs of negative caption and negative picture by a language model (Fig. 8 and 9).

    Raises:
        AuthorError: the author cannot go on.
    """
    return author.write_pairs(anchor, context, CAPTION, IMAGE)


@checked
def verify_caption(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """False of the anchor's drawing, true of its own."""
    checks.require("no_picture", contrast.image is None, "a negative caption carries no picture")
    check_edits(checks, contrast, anchor)
    anchored = look_at_anchor(anchor, context)
    claims = check_negative_text(checks, contrast.text, anchor, anchored, drastic=False)
    check_own_claims(checks, claims, check_code(checks, contrast.code, context, is_ours(contrast.provenance)))
    check_script(checks, contrast, anchor, context)


@checked
def verify_image(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """Its caption is true of it, the anchor's visibly is not."""
    check_edits(checks, contrast, anchor)
    figure = check_picture(checks, contrast.code, contrast.image, context, is_ours(contrast.provenance))
    anchored = look_at_anchor(anchor, context)
    check_same_look(checks, contrast, anchor, context)
    check_script(checks, contrast, anchor, context)
    checks.require("same_letters", set(figure.points) == set(anchored.points), lambda: tell_labels(anchored, figure))
    claims = check_negative_text(checks, contrast.text, anchor, anchored, drastic=False)
    check_own_claims(checks, claims, figure)
    if is_ours(contrast.provenance):
        odd = find_unexplained(figure, anchored, claims, read_anchor(anchor))
        checks.require("own_claims_shown", odd is None, odd or "")
    broken = find_false(anchor.caption or "", figure)
    checks.require("anchor_broken", bool(broken), "no claim of the anchor's caption visibly fails in the picture")
    check_differs(checks, contrast, anchor)


def _make_family(
    name: str, modality: Modality, verify: Verifier[GeometrySettings], paper: str, how: str
) -> Family[GeometrySettings]:
    """One of the two families that are made together: they differ in what a row shows and in how it is judged."""
    return Family(
        name,
        "negative",
        modality,
        paper=paper,
        how=how,
        make=make_perturbed,
        verify=verify,
        count=lambda settings: settings.negatives,
        spare=GeometrySettings.count_spare,
        quotas=GeometrySettings.list_quotas,
        version=33,
        uses=("negatives", "spare", "markings", "legible_at", "style", "caption_style"),
        make_llm=write_perturbed,
        prompts=author.PERTURB_PROMPTS,
        looked_at=True,
    )


FAMILIES = (
    _make_family(CAPTION, "text", verify_caption, "MMCLIP Fig. 8", "the captions that drive geometry.image"),
    _make_family(IMAGE, "image", verify_image, "MMCLIP Fig. 6-10", "negative caption, edited script, sandbox"),
)
