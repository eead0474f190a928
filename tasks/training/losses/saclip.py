"""SaCLIP: a structure-aware contrastive term and a term on distinct factors (SaCLIP Eq. 6-14)."""

from __future__ import annotations

import torch
from torch import Tensor

from tasks.training.losses.ragged import average


def sc_loss(positives: tuple[Tensor, ...], negatives: tuple[Tensor, ...], tau: Tensor | float) -> Tensor:
    """Hard positives against hard negatives, within and across modalities (SaCLIP Eq. 6-8).

    The expectations of Eq. 6 and 7 run over pairs of an image and a text, but each summand depends on one of the two,
    so they are four means of exponentials: logsumexp with a weight of -log K, without a Cartesian product.

    Args:
        positives: four matrices [N, K] of cosines, -inf where an anchor has fewer: anchor image with hard positive
            images, anchor text with those images, anchor text with hard positive texts, anchor image with those texts.
        negatives: the same with hard negatives.
        tau: the temperature. The paper omits it; CLIP's own is 1 / exp(logit_scale).

    Returns:
        The mean of -log(S+ / (S+ + S-)) over anchors with a positive and a negative, in nats. A kind that an anchor
        lacks leaves its sum.

    >>> def take(*values): return torch.tensor([values], dtype=torch.float64)
    >>> positives = (take(0.9), take(0.7), take(0.8), take(0.6))
    >>> negatives = (take(0.85, 0.75), take(0.5, 0.4), take(0.7, 0.6, 0.5), take(0.4, 0.3, 0.2))
    >>> round(sc_loss(positives, negatives, 1.0).item(), 10), round(sc_loss(positives, negatives, 0.07).item(), 9)
    (0.5984445909, 0.224934049)
    """
    drawn, pushed = _log_sum_means(positives, tau), _log_sum_means(negatives, tau)
    counted = torch.isfinite(drawn) & torch.isfinite(pushed)
    drawn, pushed = drawn[counted], pushed[counted]
    return average(torch.logaddexp(drawn, pushed) - drawn, torch.ones_like(drawn, dtype=torch.bool))


def _log_sum_means(kinds: tuple[Tensor, ...], tau: Tensor | float) -> Tensor:
    """The log of the sum over kinds of the mean over K of exp(cosine / tau): [N], -inf where an anchor has none."""
    columns = []
    for similarity in kinds:
        there = torch.isfinite(similarity)
        weight = -torch.log(there.sum(1, keepdim=True).clamp(min=1).to(similarity.dtype))
        columns.append((similarity.masked_fill(~there, 0.0) / tau + weight).masked_fill(~there, float("-inf")))
    joined = torch.cat(columns, dim=1)
    has = torch.isfinite(joined).any(1)
    # A row without any would have a gradient of NaN.
    return torch.logsumexp(joined.masked_fill(~has[:, None], 0.0), dim=1).masked_fill(~has, float("-inf"))


def do_loss_as_printed(anchor: Tensor, negatives: Tensor) -> Tensor:
    """The distinct factor orthogonal term of one anchor in one modality, as printed (SaCLIP Eq. 12-14).

    It is the residual of a linear system solved by least squares, so it is 0 whenever the negatives are affinely
    independent: always, with eight negatives in 768 dimensions. Its right-hand side has a wrong sign besides (Eq. 11
    gives c^2 - r^2). It is here to be compared with; `orthogonal_loss` is what it set out to be.

    Args:
        anchor: [D]. negatives: [K, D], K of at least 2; neither need be normalised.

    Returns:
        The norm of the residual.

    >>> corners = torch.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, -1.0]], dtype=torch.float64)
    >>> round(do_loss_as_printed(torch.tensor([1.0, 0.0], dtype=torch.float64), corners).item(), 10)
    0.3015113446
    """
    radii = ((anchor - negatives) / 2).square().sum(-1)
    centres = ((anchor + negatives) / 2).square().sum(-1)
    right = (radii + centres).diff()
    steps = negatives.diff(dim=0)
    shared = torch.linalg.pinv(steps) @ right
    return torch.linalg.vector_norm(steps @ shared - right)


def orthogonal_loss(anchor: Tensor, negatives: Tensor) -> Tensor:
    """Ours, of what SaCLIP's Eq. 9-11 ask: what is distinct in the anchor and in its negatives is orthogonal.

    The shared part is the solution of the corrected system (right-hand side c^2 - r^2) that is nearest to the centroid
    of the anchor and its negatives; that system leaves all directions free which the negatives do not span.

    Args:
        anchor: [D]. negatives: [K, D], K of at least 2. With one, the shared part is their midpoint and the angle a
            straight one, whatever they are.

    Returns:
        The mean of |cos(anchor - shared, negative - shared)|, between 0 and 1.

    >>> one, two, three = torch.eye(3, dtype=torch.float64)
    >>> round(orthogonal_loss(one, torch.stack([two, three])).item(), 10)
    0.5
    """
    centroid = torch.cat([anchor[None], negatives]).mean(0)
    steps = negatives.diff(dim=0)
    shared = centroid + torch.linalg.pinv(steps) @ (steps @ (anchor - centroid))
    return torch.cosine_similarity((anchor - shared)[None], negatives - shared, dim=-1).abs().mean()
