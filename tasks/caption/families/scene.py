"""``caption.scene``: captions of the scenes that form a world with the anchor's (objects, attributes, counts,
relations, who holds and who does what); ``caption.edit`` is their pictures."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.caption.anchors import SPARE, seed_words
from counterfoil.tasks.caption.checks import (
    check_false_of_scene,
    check_kept,
    check_written,
    draw_anew,
    is_scene,
    open_sight,
    read_scene_code,
    read_text,
)
from counterfoil.tasks.caption.scenes.changes import compare_scenes, find_stated
from counterfoil.tasks.caption.scenes.graph import Scene, write_scene
from counterfoil.tasks.caption.scenes.language.write import list_seeds, write_caption
from counterfoil.tasks.caption.scenes.sight.judge import judge
from counterfoil.tasks.caption.scenes.worlds import Member, draw_members
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked

NAME = "caption.scene"


def make_scene(anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Candidate | Reject]:
    """The captions of the anchor's world; of photographs nobody knows one."""
    if not is_scene(anchor):
        return
    members = list_members(anchor, context, lambda _: True)
    for member in members:
        yield draft_member(anchor, member)
    if len(members) < context.settings.negatives:
        reason = f"exhausted: {context.settings.negatives - len(members)} missing: its caption states too little"
        yield reject_contrast(NAME, anchor, reason)


def list_members(anchor: Anchor, context: Context[CaptionSettings], is_seen: Callable[[Member], bool]) -> list[Member]:
    """The members of the anchor's world beside itself: their captions are false of its picture, and what ``is_seen``
    asks of one holds."""
    scene, sight = read_scene_code(anchor.code), open_sight(anchor.vector or "")
    rng = seed_words(anchor.source_id, context.seed)
    seeds = list_seeds(rng, 20 * SPARE * context.settings.captions)
    seed = next((seed for seed in seeds if write_caption(scene, seed) == anchor.caption), None)
    if seed is None:
        return []
    drawn = random.Random(int(context.rng("caption.world", anchor.anchor_id).integers(2**62)))

    def is_false(member: Member) -> bool:
        return judge(read_text(member.caption), sight).holds is False

    return draw_members(scene, anchor.caption or "", seed, context.settings.negatives, drawn, is_false, is_seen)


def draft_member(anchor: Anchor, member: Member) -> Draft:
    differences = compare_scenes(read_scene_code(anchor.code), member.scene)
    edits = tuple(each.edit for each in differences)
    return Draft(text=member.caption, code=write_scene(member.scene), edits=edits)


@checked
def verify_scene(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """The caption of another scene that can be drawn, false of the anchor's picture."""
    del context
    checks.require("of_scene", is_scene(anchor), "a photograph has no scene")
    check_kept(checks, contrast, has_scene=True)
    scene = check_member(checks, contrast, anchor)
    try:
        draw_anew(scene, anchor.source_id)
    except CheckError as error:
        raise CheckError(f"can_be_drawn: {error}") from error
    checks.require("can_be_drawn", True, "")
    check_false_of_scene(checks, contrast.text, anchor)


def check_member(checks: Checks, contrast: Contrast, anchor: Anchor) -> Scene:
    """The row's scene is the anchor's but for what its edits name, all of which both captions state; its own caption
    states nothing else. The scene."""
    checks.require("scene_edited", bool(contrast.code), "there is no scene beside the caption")
    before, after = read_scene_code(anchor.code), read_scene_code(contrast.code)
    check_written(checks, after, contrast.code)
    frames = [(len(scene.things), len(scene.relations)) for scene in (before, after)]
    checks.require("same_frame", frames[0] == frames[1], "it is a scene of another number of things or relations")
    differences = compare_scenes(before, after)
    named = tuple(each.edit for each in differences)
    checks.require("edits_measured", bool(named) and contrast.edits == named, lambda: f"what differs is {named}")
    own = find_stated(read_text(contrast.text), after)
    checks.require("code_agrees", own is not None, "its caption does not say what its scene is")
    told = set().union(*(find_stated(read_text(text), before) or () for text in anchor.captions))
    said = {each.where[:2] for each in differences if each.where in told & (own or set())}
    silent = [each.edit for each in differences if each.where[:2] not in said]
    checks.require("change_stated", not silent, lambda: f"the captions are silent about {silent[0]}")
    return after


FAMILIES = (
    Family[CaptionSettings](
        NAME,
        "negative",
        "text",
        paper="Winoground; SugarCrepe",
        how="a scene's caption with its facts crossed: object, attribute, count, relation, who holds and who does what",
        make=make_scene,
        verify=verify_scene,
        count=lambda _: None,
        uses=("negatives", "captions"),
        version=2,
    ),
)
