"""AHNPL: negatives in the image space, a multimodal hard negative term, and margins that move (AHNPL Eq. 5-11)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from counterfoil.tasks.training.losses.ragged import average, find_there


def shift_images(images: Tensor, texts: Tensor, negatives: Tensor, owner: Tensor) -> Tensor:
    """A negative image in the embedding space: the image moved by what tells the negative text from the text.

    Args:
        images, texts: [N, D], L2-normalised. negatives: [M, D], the hard negative texts. owner: [M].

    Returns:
        [M, D]: normalise(image + stopgrad(negative - text)). The paper's S is a cosine, so the sum is normalised (the
        released code does not), and the shift is a target, not something to be trained.
    """
    shift = (negatives - texts.index_select(0, owner)).detach()
    return functional.normalize(images.index_select(0, owner) + shift, dim=-1)


def hard_negative_loss(similarity: Tensor, reduction: str = "mean") -> Tensor:
    """Pushes an anchor from its own negatives in one modality (AHNPL Eq. 5 and 6).

    Args:
        similarity: [N, K], cosines of an anchor's image (text) with its own shifted images (negative texts), -inf where
            it has fewer.
        reduction: ``sum`` as printed, or ``mean`` over anchors with a negative, which does not grow with the batch.

    Returns:
        logsumexp over the anchor's own negatives, without a temperature, as printed.

    >>> image, text = torch.tensor([[[1.0, 0.0]], [[0.6, 0.8]]], dtype=torch.float64)
    >>> negatives, own = torch.tensor([[0.8, 0.6], [0.0, 1.0]], dtype=torch.float64), torch.tensor([0, 0])
    >>> shifted = shift_images(image, text, negatives, own)
    >>> [round(hard_negative_loss(each).item(), 10) for each in (image @ shifted.T, text @ negatives.T)]
    [1.6346146006, 1.576343773]
    """
    has = find_there(similarity).any(1)
    each = torch.logsumexp(similarity[has], dim=1)
    return each.sum() if reduction == "sum" else average(each, torch.ones_like(each, dtype=torch.bool))


def positive_margin_loss(positive: Tensor, margin: Tensor | float, reduction: str = "mean") -> Tensor:
    """Draws pairs together until their cosine is ``margin`` (AHNPL Eq. 8).

    Args:
        positive: [N], cosines. margin: the paper's a, at least 0.2. As a learned parameter its gradient is the share of
            pairs under it, so training can only lower it: `a_mode = "learned"` is the paper's, ``fixed`` the sober one.

    >>> margin = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    >>> loss = positive_margin_loss(torch.tensor([0.30, 0.25], dtype=torch.float64), margin, "sum")
    >>> loss.backward(); round(loss.item(), 10), margin.grad.item()
    (0.45, 2.0)
    """
    under = (margin - positive).clamp(min=0)
    return under.sum() if reduction == "sum" else under.mean()


def negative_margin_loss(positive: Tensor, negatives: Tensor, thresholds: Tensor, reduction: str = "mean") -> Tensor:
    """Keeps a pair over each of its negatives by the threshold of the negative's kind (AHNPL Eq. 9).

    Args:
        positive: [N], cosines. negatives: [N, K], cosines with the image, a column a kind, -inf where absent.
        thresholds: [K], of the step before, see `next_margins`.

    >>> positive = torch.tensor([0.30, 0.25], dtype=torch.float64)
    >>> negatives = torch.tensor([[0.28, 0.20], [0.27, 0.10]], dtype=torch.float64)
    >>> margins = next_margins(positive, negatives, torch.zeros(2, dtype=torch.float64))
    >>> [round(value, 10) for value in margins.tolist()]
    [0.0, 0.125]
    >>> round(negative_margin_loss(positive, negatives, margins, "sum").item(), 10)
    0.045
    """
    there = find_there(negatives)
    over = (negatives.masked_fill(~there, 0.0) - positive[:, None] + thresholds).clamp(min=0)
    mean = average(over.flatten(), there.flatten())
    return mean * there.sum() if reduction == "sum" else mean


def next_margins(positive: Tensor, negatives: Tensor, before: Tensor) -> Tensor:
    """The thresholds of the next step (AHNPL Eq. 10): the mean lead over each kind, at least 0, detached.

    A kind that is absent from the batch keeps that of ``before`` [K].
    """
    there = find_there(negatives)
    lead = (positive[:, None] - negatives.masked_fill(~there, 0.0)).masked_fill(~there, 0.0).detach()
    mean = lead.sum(0) / there.sum(0).clamp(min=1)
    return torch.where(there.any(0), mean.clamp(min=0.0), before)
