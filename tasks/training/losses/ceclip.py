"""CE-CLIP: an intra-modal term and a ranking across modalities, beside NegCLIP (Zhang et al. 2024)."""

from __future__ import annotations

import torch
from torch import Tensor

from counterfoil.tasks.training.losses.ragged import average, find_there, scale_logits


def intra_modal_loss(positive: Tensor, texts: Tensor, scale: Tensor | float) -> Tensor:
    """Pushes the caption from its own hard negative captions.

    Args:
        positive: [N], cosines of the images and their captions.
        texts: [N, K], cosines of the *captions* with their own hard negative captions, -inf where there are fewer.
        scale: exp(logit_scale).

    Returns:
        The mean of logsumexp(scale * [positive, texts]) - scale * positive, over anchors with a negative. This is the
        paper's form; the released code contrasts every text with the first image of the batch.

    >>> positive = torch.tensor([0.8, 0.5], dtype=torch.float64)
    >>> texts = torch.tensor([[0.6, 0.3], [0.4, float("-inf")]], dtype=torch.float64)
    >>> round(intra_modal_loss(positive, texts, 1.0).item(), 10)
    0.7651679889
    """
    logits = scale_logits(torch.cat([positive[:, None], texts], dim=1), scale)
    return average(torch.logsumexp(logits, dim=1) - logits[:, 0], find_there(texts).any(dim=1))


def rank_loss(positive: Tensor, negatives: Tensor, thresholds: Tensor) -> Tensor:
    """Ranks the pair over each of its hard negative captions by a margin.

    Args:
        positive: [N], logits (scale times cosine) of the pairs.
        negatives: [N, K], logits of the images with their own negatives, one column a kind, -inf where absent.
        thresholds: [K], see `next_thresholds`; the first step has 0.

    Returns:
        The mean of max(0, negative - positive + threshold) over the negatives that are there.

    >>> positive = torch.tensor([3.0, 2.5], dtype=torch.float64)
    >>> negatives = torch.tensor([[2.8, 2.0], [2.7, 1.0]], dtype=torch.float64)
    >>> thresholds = next_thresholds(positive, negatives, torch.zeros(2, dtype=torch.float64))
    >>> [round(value, 10) for value in thresholds.tolist()]
    [0.0, 1.25]
    >>> round(rank_loss(positive, negatives, thresholds).item(), 10)
    0.1125
    """
    there = find_there(negatives)
    over = negatives.masked_fill(~there, 0.0) - positive[:, None] + thresholds
    return average(over.clamp(min=0).flatten(), there.flatten())


def next_thresholds(positive: Tensor, negatives: Tensor, before: Tensor, most: float = 10.0) -> Tensor:
    """The next step's thresholds: the pairs' mean lead over each kind of negative, from 0 to ``most``, detached.

    A kind that is absent from the batch keeps the threshold of ``before`` [K].
    """
    there = find_there(negatives)
    gap = (positive[:, None] - negatives.masked_fill(~there, 0.0)).masked_fill(~there, 0.0).detach()
    mean = gap.sum(0) / there.sum(0).clamp(min=1)
    return torch.where(there.any(0), mean.clamp(0.0, most), before)
