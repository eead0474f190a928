"""A CLIP that knows a few pictures by their names: the real class in a tiny configuration, whose two projections are
solved for (ridge regression) so that each picture comes to lie where its text does. Nothing is trained by steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import transformers
from PIL import Image

from tests.tasks.encoders.tiny import save_clip

RIDGE = 1e-3


def save_taught(folder: Path, pictures: Sequence[np.ndarray], texts: Sequence[str], directions: np.ndarray) -> str:
    """A model for which the i-th picture and text both lie in the direction of the i-th row of ``directions``."""
    name = save_clip(folder, side=64, width=384, layers=1)
    model = transformers.CLIPModel.from_pretrained(name)
    processor = transformers.CLIPProcessor.from_pretrained(name)
    batch = processor(
        text=list(texts),
        images=[Image.fromarray(each) for each in pictures],
        return_tensors="pt",
        padding=True,
        truncation=True,
    )
    with torch.inference_mode():
        seen = model.vision_model(pixel_values=batch["pixel_values"]).pooler_output
        read = model.text_model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).pooler_output
    wanted = torch.tensor(directions, dtype=torch.float32)
    model.config.projection_dim = wanted.shape[1]
    for projection in (model.visual_projection, model.text_projection):
        projection.out_features = wanted.shape[1]
    model.visual_projection.weight.data = _solve(seen, wanted)
    model.text_projection.weight.data = _solve(read, wanted)
    model.save_pretrained(folder)
    return str(folder)


def _solve(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """The matrix (wanted's width, found's width) that takes each row of the one near to the other's."""
    square = found @ found.T
    level = RIDGE * square.diagonal().mean() * torch.eye(len(found))
    return (found.T @ torch.linalg.solve(square + level, wanted)).T.contiguous()
