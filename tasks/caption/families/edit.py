"""``caption.edit``: the picture of an exchanged caption (ConcretePlant). A photograph is edited by a diffusion model; a
scene of our own is drawn again, exactly as it is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.caption.checks import (
    check_false_of_scene,
    check_scene_drawn,
    draw_anew,
    is_scene,
    look,
    open_picture,
    open_sight,
    paint_png,
    read_scene_code,
    read_text,
)
from counterfoil.tasks.caption.families.exchange import check_exchange, draft_exchanges
from counterfoil.tasks.caption.families.likeness import measure_change, measure_similarity
from counterfoil.tasks.caption.families.photographs import (
    can_edit,
    check_photograph,
    draw_photograph,
    edit_shard,
    require_judge,
)
from counterfoil.tasks.caption.families.rewriting import PROMPTS, write_exchanges
from counterfoil.tasks.caption.families.scene import check_member, draft_member, list_members
from counterfoil.tasks.caption.families.wording import find_replaced
from counterfoil.tasks.caption.plan.preparation import PLAN
from counterfoil.tasks.caption.scenes.changes import compare_scenes
from counterfoil.tasks.caption.scenes.editing import EditError, edit_scene
from counterfoil.tasks.caption.scenes.graph import Scene, write_scene
from counterfoil.tasks.caption.scenes.sight.judge import judge
from counterfoil.tasks.caption.scenes.worlds import Member
from counterfoil.tasks.caption.settings import EDIT_KEYS, PLAN_KEYS, CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked

NAME = "caption.edit"
LEAST_CHANGE = 0.0015
"""Share of pixels that an edit must change: a face's mood changes few."""
LEAST_ALIKE = 0.25
"""Structural similarity below which the picture is another scene. Rain for sun changes nearly every pixel."""


def make_edit(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """Of each planned exchange its picture."""
    if not is_scene(anchor) and not can_edit(anchor, context.settings):
        lacks = "the recipe names no `editor`" if anchor.image else "the anchor has no picture"
        yield reject_contrast(NAME, anchor, f"no_model: a photograph is edited by a model: {lacks}")
        return
    if not is_scene(anchor):
        require_judge(context.settings)
    elif context.llm is None:
        yield from _draw_members(anchor, context)
        return
    for draft in _draft(anchor, context):
        if isinstance(draft, Reject):
            yield draft
        else:
            found = find_replaced(draft.text, draft.edits[0], anchor)
            own = found.anchor if found else anchor
            yield draw_exchange(own, draft, context) if is_scene(anchor) else draw_photograph(own, draft, context)


def _draw_members(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The pictures of the anchor's world: each is looked at as it is drawn, so that a world is whole."""

    def looks_right(member: Member) -> bool:
        try:
            sight = open_sight(draw_anew(member.scene, anchor.source_id))
        except CheckError:
            return False
        return bool(judge(read_text(member.caption), sight).holds) and (
            judge(read_text(anchor.caption), sight).holds is False
        )

    members = list_members(anchor, context, looks_right)
    for member in members:
        yield _paint(anchor, draft_member(anchor, member), member.scene, context)
    if len(members) < context.settings.negatives:
        yield reject_contrast(NAME, anchor, "exhausted: its caption states too little that could be otherwise and seen")


def begin_edits(anchors: Sequence[Anchor], context: Context[CaptionSettings]) -> Context[CaptionSettings]:
    """The photographs of a shard edited in batches, each as its first exchanges say."""
    photographs = [anchor for anchor in anchors if can_edit(anchor, context.settings)]
    if photographs:
        require_judge(context.settings)

    def list_first(anchor: Anchor) -> list[Draft]:
        made = (draft for draft in _draft(anchor, context) if isinstance(draft, Draft))
        return list(islice(made, context.settings.negatives))

    # What a model answers here is kept, and comes at once when the maker asks the same.
    with ThreadPoolExecutor(context.llm.parallel_anchors if context.llm else 1) as pool:
        drafts = list(pool.map(list_first, photographs))
    return edit_shard(
        [(anchor, each) for anchor, few in zip(photographs, drafts, strict=True) for each in few], context
    )


def _draft(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Draft | Reject]:
    if context.llm is not None:
        return write_exchanges(NAME, anchor, context)
    return draft_exchanges(NAME, anchor, PLAN.of(context).get(anchor.anchor_id, "concrete"), context)


def draw_exchange(anchor: Anchor, draft: Draft, context: Context[CaptionSettings]) -> Draft | Reject:
    """The scene drawn again as the caption says in which a model exchanged a word."""
    try:
        scene = read_scene_code(anchor.code)
        edited = edit_scene(scene, read_text(anchor.caption), read_text(draft.text))
        draw_anew(edited, anchor.source_id)
    except (CheckError, EditError) as error:
        return reject_contrast(NAME, anchor, f"cannot_draw: {error}", raw=draft.text)
    edits = tuple(each.edit for each in compare_scenes(scene, edited))
    return _paint(anchor, replace(draft, code=write_scene(edited), edits=edits), edited, context)


def _paint(anchor: Anchor, draft: Draft, scene: Scene, context: Context[CaptionSettings]) -> Draft:
    vector = draw_anew(scene, anchor.source_id)
    png = paint_png(vector, context.settings.size)
    assert anchor.image is not None
    alike = measure_similarity(open_picture(png), open_picture(anchor.image.bytes))
    return replace(draft, image=png, vector=vector, similarity=round(alike, 4))


@checked
def verify_edit(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """A photograph: changed and still the same scene. A scene: its own caption is seen to be true of the new picture
    and false of the anchor's; the anchor's caption is false of the new picture; what was changed is what both captions
    state, and nothing else."""
    if not is_scene(anchor):
        anchor = check_exchange(checks, contrast, anchor, context)
        check_photograph(checks, contrast, anchor, context.settings)
        return
    after = check_member(checks, contrast, anchor)
    check_false_of_scene(checks, contrast.text, anchor)
    image = contrast.image.bytes if contrast.image else None
    sight = look(checks, contrast.vector, image, context.settings.size)
    own = judge(read_text(contrast.text), sight)
    checks.require("own_caption_true", bool(own.holds), f"of the edited picture: {own.claim}")
    anchored = judge(read_text(anchor.caption), sight)
    checks.require("anchor_caption_false", anchored.holds is False, "the anchor's caption may be true of it")
    shown = [(thing.noun.name, len(thing.copies)) for thing in sight.things]
    named = [(thing.noun, thing.count) for thing in after.things]
    checks.require("code_agrees", shown == named, "the scene and the picture name other things")
    check_scene_drawn(checks, contrast.vector, contrast.code, anchor.source_id)
    assert image is not None and anchor.image is not None
    pixels, original = open_picture(image), open_picture(anchor.image.bytes)
    checks.require("size_kept", pixels.shape == original.shape, "the picture has another size than the anchor's")
    share = measure_change(pixels, original)
    checks.require("change_visible", share >= LEAST_CHANGE, f"{share:.2%} of the pixels differ")
    alike = measure_similarity(pixels, original)
    checks.require("same_scene", alike >= LEAST_ALIKE, f"a structural similarity of {alike:.2f}")
    stored = contrast.similarity is not None and abs(contrast.similarity - alike) < 0.001
    checks.require("similarity_measured", stored, f"{contrast.similarity} is stored, {alike:.4f} measured")


FAMILIES = (
    Family(
        NAME,
        "negative",
        "image",
        paper="Concrete Jungle, Sec. 2.2",
        how="the photograph edited, or the scene drawn again, as the exchanged caption says",
        make=make_edit,
        verify=verify_edit,
        count=lambda settings: settings.negatives,
        uses=(*PLAN_KEYS, *EDIT_KEYS, "size", "captions"),
        networks=("editor",),
        rates=("concreteness", "similarity"),
        prepare=PLAN,
        begin=begin_edits,
        version=15,
        make_llm=make_edit,
        prompts=PROMPTS,
    ),
)
