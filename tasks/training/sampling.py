"""Contrasts made on the fly, through the registry: a family's own sampler draws them anew in every epoch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from counterfoil.storage.rows import find_beside
from counterfoil.storage.store import Store
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.engine.prepare import open_gathered
from counterfoil.tasks.engine.registry import load_family
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.training.packing.gather import load_anchor
from counterfoil.tasks.training.packing.manifest import Manifest
from counterfoil.tasks.training.packing.pictures import pack_picture, unpack_picture
from counterfoil.tasks.training.packing.sampled import read_sampled
from counterfoil.tasks.training.settings import TrainingSettings

COUNT = 1
"""Contrasts of a family and anchor in a step, where the recipe does not say how many."""


@dataclass
class Sampler:
    """The families of a manifest that are sampled, opened at first use in each loader process."""

    manifest: Manifest
    url: str
    """Where what was packed lies."""
    _open: dict[str, tuple[Family[Any], Context[Any]]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """What another process opens anew."""
        return {"manifest": self.manifest, "url": self.url, "_open": {}}

    def draw(
        self, anchor: str, rng: np.random.Generator, settings: TrainingSettings
    ) -> Iterator[tuple[int, str | None, np.ndarray | None, float, int, str | None]]:
        """What `counterfoil.tasks.training.data.Drawn` has, of each contrast of an anchor (its row as JSON)."""
        row = load_anchor(anchor)
        for name in sorted(self.manifest.sampled):
            if name.partition(".")[0] != row.domain or (
                settings.learn_from is not None and name not in settings.learn_from
            ):
                continue
            family, context = self._find(name)
            most = settings.negative_images if family.modality == "image" else settings.negative_texts
            assert family.sample is not None
            for draft in family.sample(row, rng, COUNT if most is None else most, context):
                picture = None
                if draft.image is not None:
                    packed = pack_picture(draft.image, self.manifest.resolution, "raw")
                    picture = unpack_picture(packed, self.manifest.resolution, "raw")
                rated = float("nan") if draft.concreteness is None else draft.concreteness
                yield self.manifest.families.index(name), draft.text, picture, rated, -1, find_beside(draft.edits)

    def _find(self, name: str) -> tuple[Family[Any], Context[Any]]:
        if name not in self._open:
            domain, family = load_family(name)
            made = self.manifest.sampled[name]
            settings = domain.settings_type.model_validate(dict(made["settings"]))
            context = Context(settings, int(made["seed"]), MemoRenderer())
            if family.sample_prepare is not None:
                context = open_gathered(family.sample_prepare, read_sampled(Store(self.url), name), context)
            self._open[name] = (family, context)
        return self._open[name]
