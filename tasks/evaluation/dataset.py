"""The rows of a Counterfoil dataset that are asked about, and retrieval over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import UNVOUCHED, Anchor, Contrast, Modality, Role, fingerprint
from counterfoil.tasks.evaluation.benchmark import DataFile
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.pairs import retrieve_pairs
from counterfoil.tasks.evaluation.tasks import MRR, Retrieval

TEST = "test"


@dataclass(frozen=True)
class Rows:
    """The anchors that are asked about, and what was read."""

    anchors: tuple[Anchor, ...]
    """In the order of their ids."""
    snapshot: Snapshot
    files: tuple[DataFile, ...]
    notes: tuple[str, ...]

    @property
    def domains(self) -> list[str]:
        """The domains of the anchors."""
        return sorted({anchor.domain for anchor in self.anchors})

    def list_families(self, domain: str) -> list[str]:
        """The domain's families that have contrasts."""
        return [each for each in self.snapshot.partitions("contrasts") if each.partition(".")[0] == domain]

    def contrasts(self, family: str, role: Role, modality: Modality) -> dict[str, list[Contrast]]:
        """Anchor to its contrasts of a family, by rank, without those that nobody vouches for; anchors that have none
        are left out."""
        wanted = {anchor.anchor_id for anchor in self.anchors}
        found: dict[str, list[Contrast]] = {}
        for contrast in self.snapshot.contrasts(family):
            fits = contrast.anchor_id in wanted and (contrast.role, contrast.modality) == (role, modality)
            if fits and contrast.grade not in UNVOUCHED:
                found.setdefault(contrast.anchor_id, []).append(contrast)
        return {
            anchor_id: sorted(found[anchor_id], key=lambda each: (each.rank, each.contrast_id))
            for anchor_id in sorted(found)
        }


def name_block(anchor: Anchor) -> str:
    """Anchors of one block are not independent."""
    return anchor.group or f"{anchor.source}/{anchor.source_id}"


def read_rows_of(place: str, split: str | None) -> Rows:
    """The anchors of a split, by default of test where there is one.

    Raises:
        EvaluationError: there is no dataset, or none of its anchors is of the split.
    """
    dataset = Dataset(place)
    if not dataset.exists():
        raise EvaluationError(f"{place} holds no dataset: make one with `counterfoil run RECIPE`")
    snapshot = dataset.snapshot()
    counted = Counter(
        name for batch in snapshot.scan("anchors", ["split"], batch_size=8192) for name in batch["split"].to_pylist()
    )
    if split is not None and not counted[split]:
        raise EvaluationError(f"{place} has no anchors of split {split!r}: it has {', '.join(sorted(counted))}")
    chosen = split or (TEST if counted[TEST] else None)
    anchors = [anchor for anchor in snapshot.anchors() if chosen in (None, anchor.split)]
    if not anchors:
        raise EvaluationError(f"{place} has no anchors")
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(counted.items()))
    notes = (
        [f"{len(anchors):,} anchors of split {chosen} (the dataset has {told})"]
        if chosen
        else [f"no split is called test: all anchors count ({told}), also those that a model may have trained on"]
    )
    # Their names hold the hash of what is in them.
    listed = [*snapshot.files("anchors"), *snapshot.files("contrasts")]
    files = [DataFile(file.path, fingerprint(file.path)) for file in listed]
    return Rows(tuple(sorted(anchors, key=lambda each: each.anchor_id)), snapshot, tuple(files), tuple(notes))


def list_overall(domain: str, anchors: Sequence[Anchor], material: Material, mrr: str = MRR) -> list[Retrieval]:
    """Retrieval over all pictures and captions of a domain, both ways; nothing where it has no pictures."""
    shown = [anchor for anchor in anchors if anchor.image is not None and anchor.caption]
    if len(shown) < 2:
        return []
    images = np.array([material.add_picture(take_picture(anchor)) for anchor in shown], dtype=np.int64)
    texts, owners = [], []
    for number, anchor in enumerate(shown):
        for text in dict.fromkeys([anchor.caption or "", *anchor.captions]):
            texts.append(material.add_text(text))
            owners.append(number)
    names = [anchor.anchor_id for anchor in shown]
    groups = [anchor.group or anchor.anchor_id for anchor in shown]
    found = retrieve_pairs(images, np.array(texts), np.array(owners), names, groups, mrr)
    return [replace(task, name=f"{domain}: {task.name}") for task in found]


def take_picture(anchor: Anchor) -> Picture:
    """The anchor's picture."""
    assert anchor.image is not None
    return Picture(anchor.anchor_id, content=anchor.image.bytes)
