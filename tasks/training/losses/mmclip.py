"""MMCLIP: an anchor among its own negatives alone (MMGeoLM Eq. 1)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from counterfoil.tasks.training.losses.ragged import average, find_there, scale_logits


def mmclip_loss(positive: Tensor, negatives: Tensor, scale: Tensor | float) -> Tensor:
    """The cross-entropy of the anchor's pair among the anchor's own negatives (MMGeoLM Eq. 1).

    Negatives are texts around an image, or images around a text. There is no in-batch term: `IB+MM` adds CLIP's.

    Args:
        positive: [N], cosines of the pairs.
        negatives: [N, K], cosines with the anchor's own negatives, -inf where it has fewer than K.
        scale: exp(logit_scale). The paper prints none; without one the loss cannot fall under 0.856 at ten negatives,
            and the released code has one.

    Returns:
        The mean of logsumexp(scale * [positive, negatives]) - scale * positive over anchors that have a negative.

    >>> positive = torch.tensor([0.8, 0.5], dtype=torch.float64)
    >>> negatives = torch.tensor([[0.6, 0.3], [0.4, float("-inf")]], dtype=torch.float64)
    >>> [round(mmclip_loss(positive, negatives, scale).item(), 10) for scale in (1.0, 20.0)]
    [0.7651679889, 0.0725612607]
    """
    logits = scale_logits(torch.cat([positive[:, None], negatives], dim=1), scale)
    return average(torch.logsumexp(logits, dim=1) - logits[:, 0], _have_negatives(negatives))


def mmclip_sigmoid_loss(
    positive: Tensor, negatives: Tensor, scale: Tensor | float, bias: Tensor | float = 0.0
) -> Tensor:
    """MMCLIP as the released script for images has it: each pair by itself, as in SigLIP.

    Args:
        positive, negatives, scale: as in `mmclip_loss`.
        bias: SigLIP's logit_bias, added to each logit.

    Returns:
        The mean over anchors with a negative of softplus(-l+) + sum of softplus(l-), in nats.

    >>> positive = torch.tensor([0.8, 0.5], dtype=torch.float64)
    >>> negatives = torch.tensor([[0.6, 0.3], [0.4, float("-inf")]], dtype=torch.float64)
    >>> round(mmclip_sigmoid_loss(positive, negatives, 1.0).item(), 10)
    1.8250180487
    """
    there = find_there(negatives)
    logits = scale * negatives.masked_fill(~there, 0.0) + bias
    pushed = functional.softplus(logits).masked_fill(~there, 0.0).sum(1)
    return average(functional.softplus(-(scale * positive + bias)) + pushed, _have_negatives(negatives))


def _have_negatives(negatives: Tensor) -> Tensor:
    return find_there(negatives).any(dim=1)
