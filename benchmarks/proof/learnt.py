"""What a model learnt of rows that it trained on: the first place to look when held-out figures do not move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch

from counterfoil.tasks.training.batch import Contrasts, Features
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.losses.ragged import score_own
from counterfoil.tasks.training.order import Ref
from counterfoil.tasks.training.packing.manifest import Manifest
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.step import encode_batch
from counterfoil.tasks.training.towers import open_towers

ROWS = 256
_AT_ONCE = 64


def score_training_rows(model: Path, packed: str, manifest: Manifest, settings: TrainingSettings) -> dict[str, float]:
    """Family of negatives to the share of them that score under the pair, of the first `ROWS` training anchors.

    Args:
        model: folder of an exported model; it reads the shards with its own tokenizer.
    """
    towers = open_towers(settings.model_copy(update={"model": str(model)})).eval()
    wanted = settings.model_copy(
        update={
            "negative_texts": None,
            "negative_images": None,
            "learn_from": None,
            "streams": 1,
            "objective": "negclip",
        }
    )
    maker = BatchMaker(packed, replace(manifest, sampled={}), wanted, towers.tokens, "train")
    refs = [
        Ref(number, group, row)
        for number, shard in maker.reader.shards.items()
        for group, rows in enumerate(shard.groups)
        for row in range(rows)
    ][:ROWS]
    told: list[torch.Tensor] = []
    for start in range(0, len(refs), _AT_ONCE):
        batch = maker.collate([maker.draw(ref, 0) for ref in refs[start : start + _AT_ONCE]])
        told += _tell(encode_batch(towers, batch, torch.device("cpu"), wanted))
    kinds, under = torch.cat(told).T
    return {manifest.families[int(kind)]: under[kinds == kind].mean().item() for kind in kinds.unique()}


def _tell(features: Features) -> list[torch.Tensor]:
    """[M, 2] of each sort of negatives: its kind, and 1 where it scores under its anchor's pair."""
    positive = (features.images * features.texts).sum(-1)
    texts, images = features.layout.negative_texts, features.layout.negative_images
    sorts: list[tuple[Contrasts, torch.Tensor]] = [
        (texts, score_own(features.images, features.negative_texts, texts.owner)),
        (images, score_own(features.texts, features.negative_images, images.owner)),
    ]
    return [torch.stack([each.kind.float(), (score < positive[each.owner]).float()], 1) for each, score in sorts]
