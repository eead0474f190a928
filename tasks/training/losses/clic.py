"""CLIC: several true texts for a picture, each against one false text, and texts that say the same kept together.

Peleg et al. 2025, Eq. 4-7. The pictures are two put side by side, the false text has a word of either caption in the
other's place; the terms below do not ask how texts came about.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from counterfoil.tasks.training.losses.ragged import average, find_there

WEIGHTS = (0.5, 0.5, 1.0)
"""Of the contrastive, the separate and the unimodal term, as the authors' script has them (Eq. 7)."""


def positive_sets_loss(similarity: Tensor, owner: Tensor, place: Tensor, scale: Tensor | float) -> Tensor:
    """CLIP's two directions, once for each set of true texts, averaged over the sets (CLIC Eq. 4).

    Args:
        similarity: [N, M], cosines of N pictures with M true texts.
        owner: [M], the picture that each text is true of. place: [M], its number among its picture's texts: the texts
            of one number are a set, in which a picture stands at most once.
        scale: exp(logit_scale).

    Returns:
        The mean over sets, in nats. A text meets all pictures; a picture that has no text in a set meets none of it.

    >>> similarity = torch.tensor([[0.9, 0.1, 0.7], [0.2, 0.8, 0.3]], dtype=torch.float64)
    >>> owner, place = torch.tensor([0, 1, 0]), torch.tensor([0, 0, 1])
    >>> round(positive_sets_loss(similarity, owner, place, 10.0).item(), 10)
    0.005116735
    """
    return average_sets(similarity, owner, place, scale)


def average_sets(
    similarity: Tensor, owner: Tensor, place: Tensor, scale: Tensor | float, foils: Tensor | None = None
) -> Tensor:
    """The mean over sets of CLIP's two directions, in nats; 0 without a text. With ``foils`` [N], each picture's
    softmax over texts has its own foil besides."""
    if not len(owner):
        return similarity.sum() * 0.0
    logits, found = scale * similarity, []
    for number in place.unique():
        columns = (place == number).nonzero()[:, 0]
        rows = owner[columns]
        own = torch.arange(len(columns), device=logits.device)
        shown = logits[rows][:, columns]
        if foils is not None:
            shown = torch.cat([shown, scale * foils[columns][:, None]], dim=1)
        to_texts = functional.cross_entropy(shown, own)
        to_images = functional.cross_entropy(logits[:, columns].T, rows)
        found.append((to_texts + to_images) / 2)
    return torch.stack(found).mean()


def separate_negatives_loss(positive: Tensor, negatives: Tensor, scale: Tensor | float) -> Tensor:
    """Each true text against each false text of the same picture, two logits at a time (CLIC Eq. 5).

    Args:
        positive: [N, K], cosines of the pictures with their true texts, -inf where there are fewer.
        negatives: [N, L], the same with their own false texts.
        scale: exp(logit_scale).

    Returns:
        The mean over all pairs of softplus(scale * (negative - positive)), in nats; 0 where there is no pair.

    >>> positive = torch.tensor([[0.8, 0.7], [0.5, float("-inf")]], dtype=torch.float64)
    >>> negatives = torch.tensor([[0.6], [0.4]], dtype=torch.float64)
    >>> round(separate_negatives_loss(positive, negatives, 10.0).item(), 10)
    0.251150462
    """
    there = (find_there(positive)[:, :, None] & find_there(negatives)[:, None, :]).flatten()
    over = negatives.masked_fill(~find_there(negatives), 0.0)[:, None, :]
    over = over - positive.masked_fill(~find_there(positive), 0.0)[:, :, None]
    return average(functional.softplus(scale * over).flatten(), there)


def unimodal_loss(first: Tensor, second: Tensor) -> Tensor:
    """Draws two texts together that say the same (CLIC Eq. 6).

    Args:
        first, second: [P, D], L2-normalised.

    Returns:
        The mean over pairs of the squared distance, summed over dimensions; 0 where there is no pair.

    >>> first = torch.tensor([[1.0, 0.0], [0.6, 0.8]], dtype=torch.float64)
    >>> second = torch.tensor([[0.8, 0.6], [0.6, 0.8]], dtype=torch.float64)
    >>> round(unimodal_loss(first, second).item(), 10)
    0.2
    """
    distance = (first - second).square().sum(-1)
    return average(distance, torch.ones_like(distance, dtype=torch.bool))
