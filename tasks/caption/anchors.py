"""Anchors: a captioned picture, or a caption alone; and how one is checked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from counterfoil.storage.rows import Anchor, Fact, Image, Reject, content_id
from counterfoil.tasks.caption.checks import (
    SCENE,
    check_scene_drawn,
    is_scene,
    look,
    open_sight,
    paint_png,
    read_scene_code,
    read_text,
)
from counterfoil.tasks.caption.scenes.graph import Scene, write_scene
from counterfoil.tasks.caption.scenes.language.read import read_caption
from counterfoil.tasks.caption.scenes.language.write import write_captions
from counterfoil.tasks.caption.scenes.layout import LayoutError
from counterfoil.tasks.caption.scenes.picture import draw_scene, seed_drawing
from counterfoil.tasks.caption.scenes.sample import sample_scene
from counterfoil.tasks.caption.scenes.sight.judge import Sight, judge
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.fetch import fetch_picture
from counterfoil.tasks.caption.sources.hub import fetch_dataset
from counterfoil.tasks.caption.sources.pictures import PictureError, check_picture
from counterfoil.tasks.caption.sources.records import clean
from counterfoil.tasks.caption.sources.scenes import SCENES
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked

SPARE = 3
"""Captions written for each that is wanted: one whose truth cannot be seen is left out."""


def make_scene_anchors(row: SourceRow, context: Context[CaptionSettings]) -> Iterator[Anchor | Reject]:
    """A scene of our own with its picture, and of its captions those that are seen to be true."""
    scene, vector = _draw_sampled(row, context.seed)
    wanted = context.settings.captions
    written = write_captions(scene, seed_words(row.source_id, context.seed), SPARE * wanted)
    try:
        sight = open_sight(vector)
    except CheckError as error:
        yield reject_source("caption", row, str(error), raw=write_scene(scene))
        return
    # A caption that is not seen to be true is left out, and another written in its place.
    seen = (caption for caption in written if judge(read_caption(caption), sight).holds)
    true = list(islice(seen, wanted))
    if not true:
        finding = judge(read_caption(written[0]), sight)
        yield reject_source("caption", row, f"caption_true: not to be told: {finding.claim}", raw=written[0])
        return
    png = paint_png(vector, context.settings.size)
    # Not by their number alone: the pictures of one seed and another's differ.
    anchor_id = _name_scene(vector, context.settings.size, true)
    yield Anchor(
        anchor_id=anchor_id,
        domain="caption",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(png, f"{anchor_id}.png"),
        vector=vector,
        caption=true[0],
        captions=tuple(true),
        code=write_scene(scene),
        code_language=SCENE,
        facts=state_facts(scene, sight),
    )


def _draw_sampled(row: SourceRow, seed: int, *again: int) -> tuple[Scene, str]:
    """The row's scene and its SVG. One of some 2,000 does not fit as its own drawing lays it out, and is sampled anew.

    Raises:
        LayoutError: neither it nor the next three fit.
    """
    scene = sample_scene(generator(seed, "caption.scene", row.payload["scene"], *again))
    try:
        return scene, draw_scene(scene, seed_drawing(row.source_id))
    except LayoutError:
        if len(again) == 3:
            raise
        return _draw_sampled(row, seed, *again, 1)


def make_pair_anchors(row: SourceRow, context: Context[CaptionSettings]) -> Iterator[Anchor | Reject]:
    """A picture from outside with its captions, or captions alone; a picture that cannot be trusted is a reject."""
    captions = tuple(row.payload["captions"])
    reference = row.payload["picture"]
    image, data = None, b""
    if reference is not None:
        kind, _, target = context.settings.source.partition(":")
        root = fetch_dataset(target) if kind == "hub" else Path(target)
        folder = Path(context.settings.images) if context.settings.images else None
        try:
            data, ending = check_picture(fetch_picture(reference, root, folder))
        except PictureError as error:
            yield reject_source("caption", row, str(error))
            return
    anchor_id = _name_pair(data, captions)
    if data:
        image = Image(data, f"{anchor_id}.{ending}")
    yield Anchor(
        anchor_id=anchor_id,
        domain="caption",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=image,
        caption=choose_anchor(captions),
        captions=captions,
    )


def name_anchor(anchor: Anchor, context: Context[CaptionSettings]) -> str:
    """The id that an anchor has by its picture and captions."""
    if is_scene(anchor):
        return _name_scene(anchor.vector or "", context.settings.size, anchor.captions)
    return _name_pair(anchor.image.bytes if anchor.image else b"", anchor.captions)


def _name_scene(vector: str, size: int, captions: Sequence[str]) -> str:
    return content_id("caption", vector, size, captions)


def _name_pair(data: bytes, captions: Sequence[str]) -> str:
    return content_id("caption", data, captions)


def seed_words(source_id: str, seed: int) -> np.random.Generator:
    """What decides the words of a scene's captions."""
    return generator(seed, "caption.words", source_id)


def choose_anchor(captions: tuple[str, ...] | list[str]) -> str:
    """One of the captions, drawn by what they say: near misses are made of each of them, and where the anchor's were
    the longest (Concrete Jungle, App. A.1) its length would tell it from those of the others."""
    return captions[int(content_id("anchor", *captions), 16) % len(captions)]


def state_facts(scene: Scene, sight: Sight) -> tuple[Fact, ...]:
    """What is seen of a scene: of each thing its noun, number and looks, the relations, and the setting.

    A thing is ``thing-0``, ``thing-1``, ... in the scene's order. A fact that cannot be told from the picture is left
    out.
    """
    facts: list[Fact] = []
    for index, thing in enumerate(scene.things):
        name = f"thing-{index}"
        seen = sight.things[index]
        facts += [Fact("noun", (name,), thing.noun), Fact("count", (name,), str(len(seen.copies)))]
        if len(seen.noun.colours) > 1 and seen.has_colour(thing.colour):
            facts.append(Fact("colour", (name,), thing.colour))
        if thing.size != "medium" and seen.has_size(thing.size):
            facts.append(Fact("size", (name,), thing.size))
    for relation in sorted(scene.relations):
        if sight.relates(relation.name, relation.subject, relation.object):
            facts.append(Fact(relation.name, (f"thing-{relation.subject}", f"thing-{relation.object}")))
    if sight.place == scene.place:
        facts.append(Fact("place", (), scene.place))
    if sight.weather == scene.weather:
        facts.append(Fact("weather", (), scene.weather))
    if sight.time == scene.time:
        facts.append(Fact("time", (), scene.time))
    return tuple(facts)


@checked
def verify_anchor(checks: Checks, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """The caption that is drawn is the anchor's, of a scene the first; a scene's captions and facts are seen in its
    picture."""
    checks.require("complete", bool(anchor.caption and anchor.captions), "an anchor needs captions")
    if is_scene(anchor):
        checks.require("first_caption", anchor.caption == anchor.captions[0], "it is not the first of its captions")
    else:
        plain = anchor.captions == tuple(dict.fromkeys(filter(None, map(clean, anchor.captions))))
        checks.require("plain_captions", plain, "a caption stands twice, is empty, or has stray spaces")
        checks.require("drawn_caption", anchor.caption == choose_anchor(anchor.captions), "it is not the one drawn")
    asked = (anchor.question, anchor.answer, anchor.solution)
    checks.require("nothing_else", asked == (None,) * 3 and not anchor.views, "it has a question, or views")
    if not is_scene(anchor):
        checks.require("scene_stored", anchor.source != SCENES, "a scene of our own is stored without its scene")
        beside = anchor.vector or anchor.code or anchor.code_language or anchor.facts
        checks.require("photograph_alone", not beside, "a photograph has no code, no SVG and no facts")
        if anchor.image is not None:
            _check_photograph(checks, anchor.image)
        return
    scene = read_scene_code(anchor.code)
    sight = look(checks, anchor.vector, anchor.image.bytes if anchor.image else None, context.settings.size)
    shown = [thing.noun.name for thing in sight.things]
    checks.require(
        "things_named", shown == [thing.noun for thing in scene.things], "scene and picture name other things"
    )
    check_scene_drawn(checks, anchor.vector, anchor.code, anchor.source_id)
    for caption in anchor.captions:
        finding = judge(read_text(caption), sight)
        checks.require("caption_true", bool(finding.holds), lambda: f"{caption} ({finding.claim})")  # noqa: B023
    checks.require("facts_agree", anchor.facts == state_facts(scene, sight), "the facts are not what is seen")


@checked
def verify_picture(checks: Checks, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    """The picture is sound; a scene's is what its SVG paints."""
    checks.require("picture_stored", anchor.image is not None, "the row has no picture")
    assert anchor.image is not None
    if is_scene(anchor):
        look(checks, anchor.vector, anchor.image.bytes, context.settings.size)
    else:
        _check_photograph(checks, anchor.image)


def _check_photograph(checks: Checks, image: Image) -> None:
    try:
        data, _ = check_picture(image.bytes)
    except PictureError as error:
        raise CheckError(f"picture_sound: {error}") from error
    checks.require("picture_sound", data == image.bytes, "the picture is not as pictures are stored")
