"""The triplets of an export: one row an anchor, with lists of its negatives and positives, a list for each kind.

Captions, code and pictures do not share a list: who reads ``negative_captions`` beside a caption must not find the code
of a chart there. An anchor without a negative is no triplet: it is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from counterfoil.storage.joining import Join, Joined
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.schemas import ANCHORS, IMAGE

_KEPT = (
    *("anchor_id", "domain", "source", "source_id", "split", "group", "image", "caption", "captions"),
    *("question", "answer", "code", "code_language"),
)
_LISTS: Mapping[str, tuple[str, str, str]] = {
    # column: the contrasts' role and kind (`find_kind`), and what is taken of each
    **{
        f"negative_{kind}s": ("negative", kind, "image" if kind == "image" else "text")
        for kind in ("caption", "code", "image")
    },
    "negative_image_captions": ("negative", "image", "text"),
    **{
        f"negative_{kind}_{name}": ("negative", kind, taken)
        for kind in ("caption", "code", "image")
        for name, taken in (("families", "family"), ("ids", "contrast_id"), ("grades", "grade"))
    },
    **{
        f"positive_{kind}s": ("positive", kind, "image" if kind == "image" else "text")
        for kind in ("caption", "code", "image")
    },
    **{f"positive_{kind}_families": ("positive", kind, "family") for kind in ("caption", "code", "image")},
}
_KINDS = {"caption": "caption", "code": "code", "image": "picture"}

TRIPLET_DOCS: Mapping[str, str] = {
    "negative_captions": "Captions and statements that are false of the anchor.",
    "negative_codes": "Code (Mermaid, Lean) that says another thing than the anchor's.",
    "negative_images": "Pictures of which the anchor's caption is false.",
    "negative_image_captions": "The caption that is true of each negative picture; null where the family writes none.",
    "positive_captions": "Other texts that are true of the anchor.",
    "positive_codes": "Code that says what the anchor says.",
    "positive_images": "Other pictures of which the anchor's caption is true.",
    **{f"negative_{kind}_families": f"The family of each negative {word}." for kind, word in _KINDS.items()},
    **{f"negative_{kind}_ids": f"The contrast id of each negative {word}." for kind, word in _KINDS.items()},
    **{
        f"negative_{kind}_grades": f"How far each negative {word} is shown to be one: proved, refuted, contradicts, "
        "undecided or unjudged; null in tables of before."
        for kind, word in _KINDS.items()
    },
    **{f"positive_{kind}_families": f"The family of each positive {word}." for kind, word in _KINDS.items()},
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
_CONTRAST_COLUMNS = ("contrast_id", "family", "text", "code", "image", "grade", "checks", "changes", "provenance")
NO_NEGATIVE = "without a negative"


Batches = Iterator[tuple[pa.RecordBatch, list[Mapping[str, Any]], list[Mapping[str, Any]]]]
"""Triplets, with the anchors and contrasts that they are of."""


def find_kind(contrast: Mapping[str, Any]) -> str:
    """What a contrast puts beside its anchor: an ``image``, ``code``, or a ``caption`` (any other text).

    >>> find_kind({"modality": "text", "text": "A dog.", "code": None})
    'caption'
    >>> find_kind({"modality": "text", "text": "A-->B", "code": "A-->B"})
    'code'
    """
    if contrast["modality"] == "image":
        return "image"
    return "code" if contrast["code"] is not None and contrast["code"] == contrast["text"] else "caption"


def join_triplets(snapshot: Snapshot, domain: str, without: Sequence[str] = ()) -> tuple[Join, Batches]:
    """The anchors of a domain that have contrasts of other grades than ``without``, and the triplets in batches of
    those that have a negative; the others are counted in the join's `left_out` as they are met."""
    families = [each for each in snapshot.partitions("contrasts") if each.partition(".")[0] == domain]
    join = Join(snapshot, families, without=without)

    def make() -> Batches:
        for block in join.blocks:
            rows = list(join.read(block, [*_KEPT, "provenance"], _CONTRAST_COLUMNS))
            kept = [row for row in rows if any(each["role"] == "negative" for each in row.contrasts)]
            if len(kept) < len(rows):
                join.left_out[NO_NEGATIVE] = join.left_out.get(NO_NEGATIVE, 0) + len(rows) - len(kept)
            batch = pa.RecordBatch.from_pylist([_flatten(row) for row in kept], schema=TRIPLETS)
            yield batch, [row.anchor for row in kept], [contrast for row in kept for contrast in row.contrasts]

    return join, make()


def _flatten(row: Joined) -> dict[str, Any]:
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in row.contrasts:
        found.setdefault((each["role"], find_kind(each)), []).append(each)
    lists = {
        name: [each[taken] for each in found.get((role, kind), ())] for name, (role, kind, taken) in _LISTS.items()
    }
    return {**{name: row.anchor[name] for name in _KEPT}, **lists}
