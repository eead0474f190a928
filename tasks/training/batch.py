"""A batch as the loader makes it and its features as the objectives read them: flat lists with owners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor

from counterfoil.storage.rows import fingerprint


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
    """[M] int64, the place among the batch's negative texts of a negative picture's own caption, of the false text
    that a true one stands beside, and of a negative text the near miss that it says in other words; else -1."""
    view: Tensor
    """[M] int64, for a text the kind of its anchor's view that it was made of; -1: of the caption."""
    text: Tensor
    """[M] int64, a number that equal texts share, in every process; -1 for a picture."""

    def __len__(self) -> int:
        return len(self.owner)

    def to(self, device: torch.device) -> Contrasts:
        """The same on a device."""
        return Contrasts(*(getattr(self, each.name).to(device, non_blocking=True) for each in fields(self)))


def list_contrasts(
    rows: Sequence[tuple[int, int, float, int]],
    views: Sequence[int] | None = None,
    texts: Sequence[str] | None = None,
) -> Contrasts:
    """Contrasts from (owner, kind, concreteness, own_text), what views they were made of (None: of captions), texts."""
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    return Contrasts(
        torch.tensor(columns[0], dtype=torch.int64),
        torch.tensor(columns[1], dtype=torch.int64),
        torch.tensor(columns[2], dtype=torch.float32),
        torch.tensor(columns[3], dtype=torch.int64),
        torch.tensor([-1] * len(rows) if views is None else views, dtype=torch.int64),
        torch.tensor([-1] * len(rows) if texts is None else list(map(_number, texts)), dtype=torch.int64),
    )


def _number(text: str) -> int:
    """63 bits of the hash of a text's words."""
    return int(fingerprint(" ".join(text.casefold().split()))[:16], 16) >> 1


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
    views: Tensor | None = None
    """[N] int64, the kind of each caption among its anchor's views, -1 for none; None: no anchor has views."""

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
            if each.name not in ("anchors", "pictured") and getattr(self, each.name) is not None
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
class Views:
    """Texts that say the same as their anchors, captions first."""

    texts: Tensor
    """[V, D], L2-normalised."""
    owner: Tensor
    """[V] int64."""
    kind: Tensor
    """[V] int64, the place of the view (or family) among the run's kinds; -1: a caption that is no view."""

    def find(self, owner: Tensor, kind: Tensor) -> Tensor:
        """[M], the row of each owner's text of a kind [M]; of its caption where the kind is -1 or not there."""
        there = (self.owner[None] == owner[:, None]) & (self.kind[None] == kind[:, None]) & (kind >= 0)[:, None]
        return torch.where(there.any(dim=1), there.int().argmax(dim=1), owner)


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
    patches: Tensor | None = None
    """[N, P, D], the anchors' patches in the shared space, L2-normalised, where an objective reads them."""

    def join_views(self) -> Views:
        """All texts that say what an anchor says: captions, then views and positive texts."""
        layout, own = self.layout, self.layout.positive_texts
        anchors = torch.arange(layout.anchors, device=own.owner.device)
        first = torch.full_like(anchors, -1) if layout.views is None else layout.views
        # What stands beside a false text may say less than its anchor.
        whole = own.own_text < 0
        texts = torch.cat([self.texts, self.positive_texts[whole]])
        return Views(texts, torch.cat([anchors, own.owner[whole]]), torch.cat([first, own.kind[whole]]))

    def to(self, device: torch.device) -> Features:
        """The same on a device."""
        parts = (getattr(self, each.name) for each in fields(self))
        return Features(*(None if part is None else part.to(device) for part in parts))  # type: ignore[arg-type]


def split_features(pictures: Tensor, texts: Tensor, layout: Layout) -> Features:
    """The features of a batch by role.

    Args:
        pictures: [V, D], or [V, (1 + P) * D] where each has its patches behind it.
    """
    size, patches = texts.shape[1], None
    if pictures.shape[1:] != texts.shape[1:] and len(pictures):
        patches = pictures[: layout.picture_sizes[0], size:].unflatten(1, (-1, size))
        pictures = pictures[:, :size]
    images, negative_images, positive_images = torch.split(pictures, list(layout.picture_sizes))
    captions, negative_texts, positive_texts = torch.split(texts, list(layout.text_sizes))
    return Features(images, negative_images, positive_images, captions, negative_texts, positive_texts, layout, patches)


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
    views = None if all(each.views is None for each in layouts) else torch.cat([_list_views(each) for each in layouts])
    return Layout(anchors, layouts[0].pictured, statements, **joined, views=views)


def _list_views(layout: Layout) -> Tensor:
    return torch.full_like(layout.statements, -1) if layout.views is None else layout.views


_ROLES = ("negative_images", "positive_images", "negative_texts", "positive_texts")
