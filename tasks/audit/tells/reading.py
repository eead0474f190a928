"""What an audit compares, read from the tables alone: for each family, anchors beside their contrasts.

Which of an anchor's texts a family's contrasts stand beside is found by looking: captions or code, whichever shares
more words with them. Nothing is asked of the domain that made the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from storage.reading import Snapshot
from storage.rows import Anchor, Contrast, Modality, Role, content_id
from tasks.audit.tells.blocks import deal_folds, join_blocks, list_keys
from tasks.audit.tells.figures import Items
from tasks.audit.tells.wording import split_tokens

FOLDS = 5
_COMPARED = 200
"""Contrasts from which it is found what a family's texts stand beside."""
_TEXTS: Mapping[str, Callable[[Anchor], Sequence[str | None]]] = {
    "caption": lambda anchor: [anchor.caption, *anchor.captions],
    "code": lambda anchor: [anchor.code],
    "question": lambda anchor: [anchor.question],
    "solution": lambda anchor: [anchor.solution],
}


@dataclass(frozen=True)
class Row:
    """One contrast, or one of the ways in which an anchor shows itself."""

    row_id: str
    text: str = ""
    picture: bytes = b""


@dataclass(frozen=True)
class Comparison:
    """One family's rows beside their anchors. ``items`` and ``rows`` are in one order."""

    family: str
    role: Role
    modality: Modality
    beside: str
    """What of the anchors the contrasts stand beside: ``picture``, ``caption``, ``code``..."""
    rows: tuple[Row, ...]
    items: Items
    names: tuple[str, ...]
    """Ids of the anchors."""

    @property
    def contrasts(self) -> int:
        return int((~self.items.own).sum())


def compare_rows(anchors: Sequence[Anchor], contrasts: Sequence[Contrast], seed: int) -> Comparison | None:
    """The contrasts of one family and modality beside their anchors; None where no anchor shows itself as they do."""
    by_anchor: dict[str, list[Contrast]] = {}
    for contrast in sorted(contrasts, key=lambda each: (each.rank, each.contrast_id)):
        by_anchor.setdefault(contrast.anchor_id, []).append(contrast)
    wanted = sorted((each for each in anchors if each.anchor_id in by_anchor), key=lambda each: each.anchor_id)
    if not wanted:
        return None
    first = contrasts[0]
    beside = "picture" if first.modality == "image" else find_beside(wanted, by_anchor)
    shown = {anchor.anchor_id: _show_anchor(anchor, beside) for anchor in wanted}
    against = {each.anchor_id: _show_contrasts(by_anchor[each.anchor_id], first.modality) for each in wanted}
    wanted = [anchor for anchor in wanted if shown[anchor.anchor_id] and against[anchor.anchor_id]]
    if not wanted:
        return None
    rows: list[Row] = []
    owner: list[int] = []
    own: list[bool] = []
    for number, anchor in enumerate(wanted):
        for side, made in ((True, shown[anchor.anchor_id]), (False, against[anchor.anchor_id])):
            rows += made
            owner += [number] * len(made)
            own += [side] * len(made)
    blocks = np.array(join_blocks([list_keys(anchor) for anchor in wanted]), dtype=np.int64)
    names = tuple(anchor.anchor_id for anchor in wanted)
    folds = deal_folds(blocks, names, min(FOLDS, int(blocks.max()) + 1), seed)
    items = Items(np.array(owner, dtype=np.int64), np.array(own), blocks, folds)
    return Comparison(first.family, first.role, first.modality, beside, tuple(rows), items, names)


def find_beside(anchors: Sequence[Anchor], contrasts: Mapping[str, Sequence[Contrast]]) -> str:
    """What of their anchors the contrasts' texts are likest to: the kind of text that shares most words with them."""
    shared: dict[str, list[float]] = {kind: [] for kind in _TEXTS}
    pairs = ((anchor, contrast) for anchor in anchors for contrast in contrasts[anchor.anchor_id])
    for (anchor, contrast), _ in zip(pairs, range(_COMPARED), strict=False):
        words = set(split_tokens(contrast.text or ""))
        for kind, show in _TEXTS.items():
            others = [set(split_tokens(text)) for text in show(anchor) if text]
            shared[kind].append(max((len(words & other) / len(words | other or {""}) for other in others), default=0))
    return max(_TEXTS, key=lambda kind: float(np.mean(shared[kind])))


def _show_anchor(anchor: Anchor, beside: str) -> list[Row]:
    if beside == "picture":
        return [Row(anchor.anchor_id, picture=anchor.image.bytes)] if anchor.image is not None else []
    texts = dict.fromkeys(text for text in _TEXTS[beside](anchor) if text)
    return [Row(anchor.anchor_id, text=text) for text in texts]


def _show_contrasts(contrasts: Sequence[Contrast], modality: Modality) -> list[Row]:
    if modality == "image":
        return [Row(each.contrast_id, picture=each.image.bytes) for each in contrasts if each.image is not None]
    return [Row(each.contrast_id, text=each.text) for each in contrasts if each.text]


def choose_anchors(snapshot: Snapshot, family: str, most: int, seed: int) -> list[str]:
    """Ids of at most ``most`` anchors that have contrasts of ``family``: whole source rows, by their hashes."""
    having = {
        anchor_id
        for batch in snapshot.scan("contrasts", ["anchor_id"], batch_size=8192, partition=family)
        for anchor_id in batch["anchor_id"].to_pylist()
    }
    ids: list[str] = []
    keys: list[list[Hashable]] = []
    columns = ["anchor_id", "source", "source_id"]
    for batch in snapshot.scan("anchors", columns, batch_size=8192, partition=family.partition(".")[0]):
        for row in batch.to_pylist():
            if row["anchor_id"] in having:
                ids.append(row["anchor_id"])
                keys.append([(row["source"], row["source_id"])])
    members: dict[int, list[str]] = {}
    for anchor_id, block in zip(ids, join_blocks(keys), strict=True):
        members.setdefault(block, []).append(anchor_id)
    chosen: list[str] = []
    for block_ids in sorted(members.values(), key=lambda each: content_id("audited", seed, min(each))):
        if chosen and len(chosen) + len(block_ids) > most:
            continue
        chosen += block_ids
    return chosen
