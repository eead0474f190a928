"""The triplets of an export: one row an anchor, with lists of its negatives and positives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from storage.joining import Join, Joined
from storage.reading import Snapshot
from storage.schemas import ANCHORS, IMAGE

_KEPT = (
    *("anchor_id", "domain", "source", "source_id", "split", "group", "image", "caption", "captions"),
    *("question", "answer", "code", "code_language"),
)
_LISTS: Mapping[str, tuple[str, str, str]] = {
    # column: the contrasts' role and modality, and what is taken of each
    "negative_captions": ("negative", "text", "text"),
    "negative_caption_families": ("negative", "text", "family"),
    "negative_caption_ids": ("negative", "text", "contrast_id"),
    "negative_images": ("negative", "image", "image"),
    "negative_image_captions": ("negative", "image", "text"),
    "negative_image_families": ("negative", "image", "family"),
    "negative_image_ids": ("negative", "image", "contrast_id"),
    "positive_captions": ("positive", "text", "text"),
    "positive_caption_families": ("positive", "text", "family"),
    "positive_images": ("positive", "image", "image"),
    "positive_image_families": ("positive", "image", "family"),
}

TRIPLET_DOCS: Mapping[str, str] = {
    "negative_captions": "Texts that are false of the anchor's picture.",
    "negative_caption_families": "The family of each negative caption.",
    "negative_caption_ids": "The contrast id of each negative caption.",
    "negative_images": "Pictures of which the anchor's caption is false.",
    "negative_image_captions": "The caption that is true of each negative picture; null where the family writes none.",
    "negative_image_families": "The family of each negative picture.",
    "negative_image_ids": "The contrast id of each negative picture.",
    "positive_captions": "Other texts that are true of the anchor's picture.",
    "positive_caption_families": "The family of each positive text.",
    "positive_images": "Other pictures of which the anchor's caption is true.",
    "positive_image_families": "The family of each positive picture.",
}

TRIPLETS = pa.schema(
    [ANCHORS.field(name) for name in _KEPT]
    + [
        pa.field(
            name, pa.list_(IMAGE if taken == "image" else pa.string()), metadata={"description": TRIPLET_DOCS[name]}
        )
        for name, (_, _, taken) in _LISTS.items()
    ]
)
_CONTRAST_COLUMNS = ("contrast_id", "family", "text", "image", "checks", "provenance")


Batches = Iterator[tuple[pa.RecordBatch, list[Mapping[str, Any]], list[Mapping[str, Any]]]]
"""Triplets, with the anchors and contrasts that they are of."""


def join_triplets(snapshot: Snapshot, domain: str) -> tuple[int, Batches]:
    """How many anchors of a domain have contrasts, and their triplets in batches."""
    families = [each for each in snapshot.partitions("contrasts") if each.partition(".")[0] == domain]
    join = Join(snapshot, families)

    def make() -> Batches:
        for block in join.blocks:
            rows = list(join.read(block, [*_KEPT, "provenance"], _CONTRAST_COLUMNS))
            batch = pa.RecordBatch.from_pylist([_flatten(row) for row in rows], schema=TRIPLETS)
            yield batch, [row.anchor for row in rows], [contrast for row in rows for contrast in row.contrasts]

    return len(join), make()


def _flatten(row: Joined) -> dict[str, Any]:
    lists = {name: [each[taken] for each in row.find(role, kind)] for name, (role, kind, taken) in _LISTS.items()}
    return {**{name: row.anchor[name] for name in _KEPT}, **lists}
