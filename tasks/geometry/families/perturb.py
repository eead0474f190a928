"""``geometry.caption`` and ``geometry.image``: a negative caption and the picture that is true of it, made together.

The road of MMCLIP's PERTURB-IMG (Fig. 8 and 9): edit the anchor's caption, make the figure follow, draw it. The pair
stands or falls as one: a caption without its picture, or a picture whose caption is not false of the anchor, is no
negative of either family.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderers.results import Outcome
from storage.rows import Anchor, Contrast, Image, Provenance, Reject, fingerprint
from tasks.contract.context import Context
from tasks.contract.family import Candidate
from tasks.geometry.captions.read import ClaimError, ParsedCaption, parse_caption
from tasks.geometry.drawing.script import write_script
from tasks.geometry.edits.negatives import Negative, Search, propose_negatives
from tasks.geometry.figure.scene import Scene, SceneError

CAPTION = "geometry.caption"
IMAGE = "geometry.image"


def make_perturbed(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Pairs of negative caption and negative picture, kinds of edit mixed, in order of preference."""
    opened = open_anchor(anchor)
    if isinstance(opened, str):
        yield reject(anchor, CAPTION, opened)
        yield reject(anchor, IMAGE, opened)
        return
    reading, scene = opened
    search = Search()
    rng = context.rng(CAPTION, anchor.anchor_id)
    for negative in propose_negatives(reading, scene, rng, search):
        yield draw_negative(anchor, negative, context)
    for family in (CAPTION, IMAGE):
        yield reject(anchor, family, f"exhausted: {search.describe()}")


def draw_negative(anchor: Anchor, negative: Negative, context: Context) -> Candidate | Reject:
    """Render the figure of a negative caption; a script that fails is a reject."""
    if negative.scene is None:
        raise ValueError("a negative without a scene has no picture")
    script = write_script(negative.scene)
    rendering = context.renderer.render(script)
    if rendering.outcome != Outcome.OK or rendering.png is None:
        why = rendering.error.message if rendering.error else rendering.log[-200:]
        return reject(anchor, IMAGE, f"render: {rendering.outcome} {why}".strip())
    provenance = Provenance(seed=context.seed)
    caption = Contrast(
        anchor.anchor_id,
        CAPTION,
        "negative",
        "text",
        text=negative.text,
        code=script,
        edits=negative.edits,
        provenance=provenance,
    )
    image = Contrast(
        anchor.anchor_id,
        IMAGE,
        "negative",
        "image",
        text=negative.text,
        image=name_image(rendering.png),
        code=script,
        edits=negative.edits,
        provenance=provenance,
    )
    return (caption, image)


def open_anchor(anchor: Anchor) -> tuple[ParsedCaption, Scene] | str:
    """The anchor's caption and scene, or the reason why it has none that can be edited."""
    try:
        return parse_caption(anchor.caption or ""), Scene.from_facts(anchor.facts)
    except ClaimError as error:
        return f"caption: {error}"
    except SceneError as error:
        return f"scene: {error}"


def name_image(png: bytes) -> Image:
    """A picture under a name that follows from its content."""
    return Image(png, f"{fingerprint(png)[:16]}.png")


def reject(anchor: Anchor, family: str, reason: str) -> Reject:
    """What could not even be made a contrast of ``anchor``."""
    return Reject(
        family, (reason,), source=anchor.source, source_id=anchor.source_id, anchor_id=anchor.anchor_id
    )  # fmt: skip
