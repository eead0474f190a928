"""The sampled anchors with their contrasts, read from the tables a page at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.report.collect import Tables

SHOWN_PER_FAMILY = 16
"""Contrasts of one anchor and family that the page shows; further ones are counted."""


@dataclass(frozen=True)
class Sample:
    """A sampled anchor with its contrasts, by family and rank."""

    anchor: Anchor
    contrasts: tuple[Contrast, ...]
    more: Mapping[str, int] = field(default_factory=dict)
    """Family to the number of contrasts that are not shown."""


def read_samples(tables: Tables, anchor_ids: Sequence[str]) -> tuple[Sample, ...]:
    """The anchors of these ids, in this order, each with its contrasts. All are held in memory together."""
    anchors = tables.get_anchors(anchor_ids)
    shown: dict[str, dict[str, list[Contrast]]] = {anchor_id: {} for anchor_id in anchor_ids}
    more: dict[str, Counter[str]] = {anchor_id: Counter() for anchor_id in anchor_ids}
    for family in tables.list_families():
        for contrast in tables.contrasts(family, anchor_ids):
            rows = shown[contrast.anchor_id].setdefault(family, [])
            rows.append(contrast)
            rows.sort(key=lambda row: (row.rank, row.contrast_id))
            if len(rows) > SHOWN_PER_FAMILY:
                rows.pop()
                more[contrast.anchor_id][family] += 1
    return tuple(
        Sample(
            anchors[anchor_id],
            tuple(row for family in sorted(shown[anchor_id]) for row in shown[anchor_id][family]),
            dict(more[anchor_id]),
        )
        for anchor_id in anchor_ids
    )
