"""NegCLIP: hard negative captions are further columns for every image (Yuksekgonul et al. 2023)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def negclip_loss(similarity: Tensor, negatives: Tensor, scale: Tensor | float) -> Tensor:
    """CLIP with hard negative captions among the texts of the image's side.

    Args:
        similarity: [N, N], cosines of images (rows) and captions, pairs on the diagonal.
        negatives: [N, M], cosines of the images with all hard negative captions of the batch, every anchor's; with M of
            0 this is CLIP.
        scale: exp(logit_scale).

    Returns:
        (image to [captions; negatives] + caption to image) / 2, in nats. A negative caption has no image, so it is no
        row of the other direction.

    >>> similarity = torch.tensor([[0.9, 0.1], [0.2, 0.8]], dtype=torch.float64)
    >>> negatives = torch.tensor([[0.7, 0.0], [0.1, 0.6]], dtype=torch.float64)
    >>> round(negclip_loss(similarity, negatives, 10.0).item(), 10)
    0.0647662642
    """
    logits = scale * similarity
    gold = torch.arange(len(logits), device=logits.device)
    wide = torch.cat([logits, scale * negatives], dim=1)
    return (functional.cross_entropy(wide, gold) + functional.cross_entropy(logits.T, gold)) / 2
