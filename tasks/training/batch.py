"""A batch as the loader makes it and its features as the objectives read them: flat lists with owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Contrasts:
    """Contrasts of one role and modality, flat: each of the M has an owner among the N anchors."""

    owner: Tensor
    """[M] int64."""
    kind: Tensor
    """[M] int64, the place of its family in the run's list."""
    concreteness: Tensor
    """[M] float32, NaN where there is no rating."""
    own_text: Tensor
    """[M] int64, for a negative picture the place of its own caption among the batch's negative texts; else -1."""

    def __len__(self) -> int:
        return len(self.owner)

    def to(self, device: torch.device) -> Contrasts:
        """The same on a device."""
        return Contrasts(*(getattr(self, each.name).to(device, non_blocking=True) for each in fields(self)))


def list_contrasts(rows: Sequence[tuple[int, int, float, int]]) -> Contrasts:
    """Contrasts from (owner, kind, concreteness, own_text)."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Contrasts(
        torch.tensor(columns[0], dtype=torch.int64),
        torch.tensor(columns[1], dtype=torch.int64),
        torch.tensor(columns[2], dtype=torch.float32),
        torch.tensor(columns[3], dtype=torch.int64),
    )


@dataclass(frozen=True)
class Layout:
    """Which rows of a batch are what.

    Pictures are anchors (if they have some), negatives, positives, in this order; texts are captions, negative texts,
    positive texts.
    """

    anchors: int
    pictured: bool
    statements: Tensor
    """[N] int64: anchors of one group have one number (they are no negatives of each other)."""
    negative_images: Contrasts
    positive_images: Contrasts
    negative_texts: Contrasts
    positive_texts: Contrasts

    @property
    def picture_sizes(self) -> tuple[int, int, int]:
        """Rows of anchors, negatives and positives among the pictures."""
        return self.anchors if self.pictured else 0, len(self.negative_images), len(self.positive_images)

    @property
    def text_sizes(self) -> tuple[int, int, int]:
        """Rows of captions, negatives and positives among the texts."""
        return self.anchors, len(self.negative_texts), len(self.positive_texts)

    def to(self, device: torch.device) -> Layout:
        """The same on a device."""
        moved = {
            each.name: getattr(self, each.name).to(device)
            for each in fields(self)
            if each.name not in ("anchors", "pictured")
        }
        return replace(self, **moved)


@dataclass(frozen=True)
class Batch:
    """What one process learns from in one step."""

    pictures: Tensor
    """[V, 3, R, R] uint8."""
    tokens: Tensor
    """[T, L] int64, padded."""
    mask: Tensor
    """[T, L] int64, 1 where a token stands."""
    layout: Layout
    anchor_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Features:
    """L2-normalised features of a batch (of all processes together), float32 or float64, [rows, D]."""

    images: Tensor
    negative_images: Tensor
    positive_images: Tensor
    texts: Tensor
    negative_texts: Tensor
    positive_texts: Tensor
    layout: Layout

    def to(self, device: torch.device) -> Features:
        """The same on a device."""
        return Features(*(getattr(self, each.name).to(device) for each in fields(self)))


def split_features(pictures: Tensor, texts: Tensor, layout: Layout) -> Features:
    """The features of a batch by role."""
    images, negative_images, positive_images = torch.split(pictures, list(layout.picture_sizes))
    captions, negative_texts, positive_texts = torch.split(texts, list(layout.text_sizes))
    return Features(images, negative_images, positive_images, captions, negative_texts, positive_texts, layout)


def join_layouts(layouts: Sequence[Layout]) -> Layout:
    """The layout of several processes' batches as one: owners and links are moved up by what stands before them."""
    anchors, texts = 0, 0
    parts: dict[str, list[Contrasts]] = {name: [] for name in _ROLES}
    for layout in layouts:
        for name in _ROLES:
            each: Contrasts = getattr(layout, name)
            linked = torch.where(each.own_text >= 0, each.own_text + texts, each.own_text)
            parts[name].append(replace(each, owner=each.owner + anchors, own_text=linked))
        anchors += layout.anchors
        texts += len(layout.negative_texts)
    joined = {
        name: Contrasts(*(torch.cat([getattr(part, each.name) for part in found]) for each in fields(Contrasts)))
        for name, found in parts.items()
    }
    statements = torch.cat([layout.statements for layout in layouts])
    return Layout(anchors, layouts[0].pictured, statements, **joined)


_ROLES = ("negative_images", "positive_images", "negative_texts", "positive_texts")
