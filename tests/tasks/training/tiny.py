"""Small datasets, towers and settings for the tests of training: real tables, real models, little of both."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image as Pillow

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import BESIDE, Anchor, Contrast, Edit, Image, content_id, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.training.settings import TrainingSettings

COLOURS = ("red", "green", "blue", "black", "brown", "violet")
THINGS = ("square", "disc", "bar", "cross")
FAMILIES = ("geometry.caption", "geometry.image", "geometry.mirror")


def draw(colour: int, thing: int, number: int, size: tuple[int, int] = (24, 16)) -> bytes:
    """A picture that depends on all of its numbers."""
    pixels = np.full((size[1], size[0], 3), 255, np.uint8)
    pixels[2:8, 2 + thing : 8 + thing] = (40 * colour, 255 - 40 * colour, 13 * thing)
    pixels[10, : number % size[0]] = 0
    pixels[12, : number // size[0]] = 0
    sink = BytesIO()
    Pillow.fromarray(pixels).save(sink, "PNG")
    return sink.getvalue()


def say(colour: int, thing: int, number: int) -> str:
    return f"a {COLOURS[colour]} {THINGS[thing]} beside the number {number}"


def make_anchors(count: int, *, group_of: int = 1, per_source: int = 1) -> list[Anchor]:
    """Anchors; every ``group_of`` in a row share a group, every ``per_source`` a source row."""
    return [
        Anchor(
            content_id("tiny", i),
            "geometry",
            "tiny",
            f"row-{i // per_source}",
            "train",
            image=Image(draw(i % 6, i % 4, i), f"{i}.png"),
            caption=say(i % 6, i % 4, i),
            group=content_id("group", i // group_of),
        )
        for i in range(count)
    ]


def make_contrasts(anchors: list[Anchor], negatives: int = 2, *, beside: bool = True) -> list[Contrast]:
    """Negative texts with a rating, which name the true text that they stand ``beside``, negative pictures with
    captions of their own, and a mirrored positive."""
    made = []
    for i, anchor in enumerate(anchors):
        for rank in range(negatives):
            other = (i + rank + 1) % 6
            text = say(other, i % 4, i)
            made.append(_contrast(anchor, "geometry.caption", "negative", "text", rank, text, None, 3.5 + 0.5 * rank))
            picture = draw(other, i % 4, i)
            made.append(_contrast(anchor, "geometry.image", "negative", "image", rank, text, picture, 4.5))
        made.append(
            _contrast(
                anchor, "geometry.mirror", "positive", "image", 0, anchor.caption, draw(i % 6, i % 4 + 8, i), None
            )
        )
    return made if beside else [replace(each, edits=()) for each in made]


def _contrast(
    anchor: Anchor, family: str, role: Any, modality: Any, rank: int, text: str | None, png: bytes | None, rated: Any
) -> Contrast:
    image = None if png is None else Image(png, "n.png")
    beside = (Edit(BESIDE, (anchor.caption or "").partition(" beside")[0], text or ""),) if modality == "text" else ()
    return Contrast(
        anchor.anchor_id, family, role, modality, text=text, image=image, concreteness=rated, edits=beside
    ).accept(rank, ("differs",))


def publish(url: str, anchors: list[Anchor], contrasts: list[Contrast]) -> str:
    """A dataset of these rows."""
    key = fingerprint("tiny", [a.anchor_id for a in anchors], [c.contrast_id for c in contrasts])
    families = sorted({each.family for each in contrasts})
    tables = {f"contrasts/family={f}": to_table([c for c in contrasts if c.family == f], "contrasts") for f in families}
    place = f"anchors/domain={anchors[0].domain}"
    StagedShards(url).write(key, {place: to_table(anchors, "anchors"), **tables})
    Dataset(url).publish({place: [key], **{name: [key] for name in tables}})
    return url


def choose(**given: Any) -> TrainingSettings:
    """Settings for a run of seconds."""
    small: dict[str, Any] = {
        "resolution": 32,
        "patch": 8,
        "width": 32,
        "layers": 1,
        "heads": 2,
        "projection": 16,
        "vocabulary": 600,
        "context": 24,
        "batch_size": 8,
        "steps": 6,
        "learning_rate": 1e-3,
        "shard_rows": 16,
        "group_rows": 8,
        "shuffle_rows": 12,
        "streams": 2,
        "holdout": 0.2,
        "log_every": 1,
        "checkpoint_every": 2,
        "families": ["geometry.caption", "geometry.image"],
        "device": "cpu",
    }
    return TrainingSettings(**(small | given))
