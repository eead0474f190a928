"""CLIP: every other pair of the batch is a negative (Radford et al. 2021, Fig. 3)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def clip_loss(similarity: Tensor, scale: Tensor | float) -> Tensor:
    """The symmetric cross-entropy of matching pairs.

    Args:
        similarity: [N, N], cosines; images are rows, texts are columns, pairs are on the diagonal.
        scale: exp(logit_scale), the inverse of the temperature.

    Returns:
        The mean of both directions, in nats: (image to text + text to image) / 2.

    SaCLIP Eq. 5 as printed has no exp in its denominators and can be negative; it is this that it means.

    >>> similarity = torch.tensor([[0.9, 0.1], [0.2, 0.8]], dtype=torch.float64)
    >>> round(clip_loss(similarity, 10.0).item(), 10)
    0.0011585061
    """
    logits = scale * similarity
    gold = torch.arange(len(logits), device=logits.device)
    return (functional.cross_entropy(logits, gold) + functional.cross_entropy(logits.T, gold)) / 2
