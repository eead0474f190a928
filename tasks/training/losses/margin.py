"""A margin between what says the same and what is false: a hard negative need only stand under the paraphrase.

In a softmax a hard negative is pushed without end, and what pushes it fastest is attention to words: of captions that
mean the same, the one in other words is pushed with it. A margin ends where the order is right.
"""

from __future__ import annotations

from torch import Tensor

from counterfoil.tasks.training.losses.ragged import average, find_there

MARGIN = 0.04
"""A cosine; what kept retrieval best of those tried on texts alone."""


def paraphrase_margin_loss(positive: Tensor, negatives: Tensor, margin: float = MARGIN) -> Tensor:
    """Keeps each of an anchor's true texts over each of its false ones by ``margin``.

    Args:
        positive: [N, K], cosines of an anchor (a picture, or a text) with what says the same in other words, -inf where
            there is less.
        negatives: [N, L], cosines with its own hard negatives.
        margin: a cosine; no scale, so that what is learnt does not end by turning the temperature.

    Returns:
        The mean over pairs of max(0, margin + negative - positive); 0 where there is no pair.

    >>> import torch
    >>> positive = torch.tensor([[0.8, 0.7], [0.5, float("-inf")]], dtype=torch.float64)
    >>> negatives = torch.tensor([[0.72], [0.4]], dtype=torch.float64)
    >>> round(paraphrase_margin_loss(positive, negatives).item(), 10)
    0.02
    """
    left, right = find_there(positive), find_there(negatives)
    there = (left[:, :, None] & right[:, None, :]).flatten()
    over = margin + negatives.masked_fill(~right, 0.0)[:, None, :] - positive.masked_fill(~left, 0.0)[:, :, None]
    return average(over.clamp(min=0).flatten(), there)
