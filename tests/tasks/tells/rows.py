"""Small families that give themselves away, or do not: texts and pictures of no domain, made from a seed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Image, Role, content_id, fingerprint
from counterfoil.storage.schemas import to_table

WORDS = [
    "river",
    "stone",
    "cloud",
    "meadow",
    "lantern",
    "harbour",
    "copper",
    "willow",
    "ember",
    "orchard",
    "falcon",
    "tide",
]


def write_sentence(rng: np.random.Generator) -> str:
    first, second, third = rng.choice(WORDS, 3, replace=False)
    return f"The {first} near the {second} holds {int(rng.integers(2, 60))} of the {third}."


def draw_boxes(rng: np.random.Generator, count: int) -> bytes:
    """``count`` outlined boxes at random places, 120 x 120."""
    picture = Pillow.new("L", (120, 120), "white")
    pen = ImageDraw.Draw(picture)
    for _ in range(count):
        x, y = (int(value) for value in rng.integers(2, 80, 2))
        width, height = (int(value) for value in rng.integers(10, 36, 2))
        pen.rectangle((x, y, x + width, y + height), outline="black", width=2)
    sink = io.BytesIO()
    picture.save(sink, "PNG")
    return sink.getvalue()


def make_anchors(count: int, seed: int = 0, per_source: int = 1, captions: int = 1) -> list[Anchor]:
    """Anchors with a picture of three to five boxes and as many captions; ``per_source`` of one source row."""
    anchors = []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        texts = tuple(write_sentence(rng) for _ in range(captions))
        anchors.append(
            Anchor(
                content_id("audited", seed, number),
                "toy",
                "made",
                str(number // per_source),
                "train",
                image=Image(draw_boxes(rng, int(rng.integers(3, 6))), f"{number}.png"),
                caption=texts[0],
                captions=texts,
                code=f"plot({number})",
            )
        )
    return anchors


def make_texts(
    anchors: Sequence[Anchor], count: int = 3, told: float = 0.0, role: Role = "negative", family: str = "toy.text"
) -> list[Contrast]:
    """Fair sentences of the anchors' own kind, of which a share ``told`` says "past" for "near"."""
    rows = []
    for anchor in anchors:
        rng = np.random.default_rng(int(anchor.anchor_id[:8], 16))
        for rank in range(count):
            text = write_sentence(rng)
            if rng.random() < told:
                text = text.replace(" near ", " past ")
            rows.append(Contrast(anchor.anchor_id, family, role, "text", text=text).accept(rank, ("differs",)))
    return rows


def make_pictures(anchors: Sequence[Anchor], count: int = 3, more: int = 0) -> list[Contrast]:
    """Pictures of the anchors' own kind, with ``more`` boxes than theirs."""
    rows = []
    for anchor in anchors:
        rng = np.random.default_rng(int(anchor.anchor_id[:8], 16))
        for rank in range(count):
            image = Image(draw_boxes(rng, int(rng.integers(3, 6)) + more), f"{rank}.png")
            row = Contrast(anchor.anchor_id, "toy.picture", "negative", "image", text=anchor.caption, image=image)
            rows.append(row.accept(rank, ("differs",)))
    return rows


def store(folder: Path, anchors: Sequence[Anchor], contrasts: Sequence[Contrast]) -> Dataset:
    """A dataset of these rows."""
    dataset = Dataset(str(folder))
    tables = {"anchors/domain=toy": to_table(anchors, "anchors")}
    for family in sorted({row.family for row in contrasts}):
        tables[f"contrasts/family={family}"] = to_table([row for row in contrasts if row.family == family], "contrasts")
    keys = {key: [fingerprint(key, table.to_pylist())] for key, table in tables.items()}
    for key, (name,) in keys.items():
        dataset.staged.write(name, {key: tables[key]})
    dataset.publish(keys)
    return dataset
