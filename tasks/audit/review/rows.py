"""Which rows are judged, and what a judge is shown of each: two sides and one question, nothing of what we say."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Anchor, Contrast, content_id
from counterfoil.storage.schemas import from_table
from counterfoil.tasks.audit.review.answers import Judgement
from counterfoil.tasks.audit.review.errors import ReviewError

ANCHOR = "anchor"
"""Stands for a family among the rows that are anchors themselves: ``geometry.anchor``."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two things that are set against each other: a picture, a text, or code."""

    picture: bytes | None = None
    text: str = ""
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A row to judge. What a judge may see is ``first``, ``second`` and ``question`` alone."""

    row_id: str
    family: str
    expected: Judgement
    """What the dataset says: ``wrong`` of a negative, ``right`` of a positive and of an anchor's own caption."""
    first: Side
    second: Side

    @property
    def question(self) -> str:
        """What is asked, the same for every family with such sides."""
        pictures = sum(side.picture is not None for side in (self.first, self.second))
        return ("Do both texts say the same?", "Is the text true of the picture?", "Do both pictures show the same?")[
            pictures
        ]


def choose_rows(snapshot: Snapshot, per_family: int, seed: int, families: Sequence[str] = ()) -> list[ReviewRow]:
    """``per_family`` rows of each family, and anchors with their own captions, mixed.

    Rows are those with the least hashes of (seed, id), so that more rows hold all of fewer, and every judge gets the
    same in the same order. Of each domain half as many anchors are among them as negatives, so that a judge cannot
    guess; anchors without a picture, which have nothing to be set against, are not.

    Raises:
        ReviewError: there is no such family, or nothing to judge.
    """
    known = snapshot.partitions("contrasts")
    unknown = sorted(set(families) - set(known))
    if unknown:
        raise ReviewError(
            f"the dataset has no rows of {', '.join(unknown)}; it has {', '.join(known) or 'none at all'}"
        )
    chosen: list[Contrast] = []
    for family in families or known:
        ids = _least(_read_ids(snapshot, "contrasts", family, "contrast_id"), per_family, seed)
        for batch in snapshot.scan(
            "contrasts", filter=pc.field("contrast_id").isin(pa.array(ids, pa.string())), partition=family
        ):
            chosen += from_table(batch, "contrasts")
    anchors = snapshot.get_anchors(sorted({row.anchor_id for row in chosen}))
    rows = [build_row(row, anchors[row.anchor_id]) for row in chosen if row.anchor_id in anchors]
    for domain in sorted({row.family.partition(".")[0] for row in chosen}):
        negatives = sum(row.role == "negative" for row in chosen if row.family.startswith(f"{domain}."))
        ids = _least(_read_ids(snapshot, "anchors", domain, "anchor_id"), -(-negatives // 2), seed)
        own = [build_anchor_row(anchor) for anchor in snapshot.get_anchors(ids, domain).values()]
        rows += [row for row in own if row is not None]
    rows = [row for row in rows if row.first != Side() and row.second != Side()]
    if not rows:
        raise ReviewError("there is nothing to judge: no contrast has a text or a picture to compare with its anchor's")
    return sorted(rows, key=lambda row: content_id(seed, row.row_id))


def build_row(row: Contrast, anchor: Anchor) -> ReviewRow:
    """A contrast in the place of its anchor's side, against the anchor's other one."""
    expected: Judgement = "wrong" if row.role == "negative" else "right"
    if row.modality == "image":
        shown = Side(row.image.bytes if row.image else None)
        against = Side(text=anchor.caption) if anchor.caption else _show_picture(anchor)
        return ReviewRow(row.contrast_id, row.family, expected, shown, against)
    text = Side(text=row.text or "", is_code=row.text is not None and row.text == row.code)
    against = _show_picture(anchor) if anchor.image else Side(text=anchor.caption or "")
    return ReviewRow(row.contrast_id, row.family, expected, against, text)


def build_anchor_row(anchor: Anchor) -> ReviewRow | None:
    """An anchor's picture against its own caption; None where one is missing."""
    if anchor.image is None or not anchor.caption:
        return None
    family = f"{anchor.domain}.{ANCHOR}"
    return ReviewRow(anchor.anchor_id, family, "right", _show_picture(anchor), Side(text=anchor.caption))


def _show_picture(anchor: Anchor) -> Side:
    return Side(anchor.image.bytes if anchor.image else None)


def _least(ids: Iterator[str], most: int, seed: int) -> list[str]:
    return heapq.nsmallest(most, ids, key=lambda row_id: content_id(seed, row_id))


def _read_ids(snapshot: Snapshot, table: str, partition: str, column: str) -> Iterator[str]:
    for batch in snapshot.scan(table, columns=[column], partition=partition, batch_size=8192):  # type: ignore[arg-type]
        yield from batch[column].to_pylist()
