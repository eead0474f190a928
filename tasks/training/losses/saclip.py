"""SaCLIP: a structure-aware contrastive term and a term on distinct factors (SaCLIP Eq. 6-14)."""

from __future__ import annotations

import torch
from torch import Tensor

from counterfoil.tasks.training.losses.ragged import average, find_there


def sc_loss(positives: tuple[Tensor, ...], negatives: tuple[Tensor, ...], tau: Tensor | float) -> Tensor:
    """Hard positives against hard negatives, within and across modalities (SaCLIP Eq. 6-8).

    The expectations of Eq. 6 and 7 run over pairs of an image and a text, but each summand depends on one of the two,
    so they are four means of exponentials: logsumexp with a weight of -log K, without a Cartesian product.

    Args:
        positives: four matrices [N, K] of cosines, -inf where an anchor has fewer: anchor image with positive images,
            anchor text with those images, anchor text with positive texts, anchor image with those texts. Sec. 3.3
            counts the original among the positives; `training.sc_positives` says whether it stands here.
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
    counted = (find_there(drawn) & find_there(pushed)) | drawn.isnan() | pushed.isnan()
    drawn, pushed = drawn[counted], pushed[counted]
    return average(torch.logaddexp(drawn, pushed) - drawn, torch.ones_like(drawn, dtype=torch.bool))


def _log_sum_means(kinds: tuple[Tensor, ...], tau: Tensor | float) -> Tensor:
    """The log of the sum over kinds of the mean over K of exp(cosine / tau): [N], -inf where an anchor has none."""
    columns = []
    for similarity in kinds:
        there = find_there(similarity)
        weight = -torch.log(there.sum(1, keepdim=True).clamp(min=1).to(similarity.dtype))
        columns.append((similarity.masked_fill(~there, 0.0) / tau + weight).masked_fill(~there, float("-inf")))
    joined = torch.cat(columns, dim=1)
    has = find_there(joined).any(1)
    # A row without any would have a gradient of NaN.
    return torch.logsumexp(joined.masked_fill(~has[:, None], 0.0), dim=1).masked_fill(~has, float("-inf"))


LEAST_DISTINCT = 0.1
"""The length under which `orthogonal_loss` no longer divides by what is distinct in a vector."""


def orthogonal_loss(anchor: Tensor, negatives: Tensor, epsilon: float = LEAST_DISTINCT) -> Tensor:
    """Ours, of what SaCLIP's Eq. 9-11 ask: what is distinct in the anchor and in its negatives is orthogonal.

    The shared part is the solution of the corrected system (right-hand side c^2 - r^2) that is nearest to the centroid
    of the anchor and its negatives; that system leaves all directions free which the negatives do not span.

    Args:
        anchor: [D]. negatives: [K, D], K of at least 2. With one, the shared part is their midpoint and the angle a
            straight one, whatever they are.
        epsilon: a length under it counts as it in the cosine's denominator. A cosine's gradient grows as one over the
            length, so a negative that comes near its anchor would without it pull without bound.

    Returns:
        The mean of |cos(anchor - shared, negative - shared)|, between 0 and 1. The norm of its gradient, over anchor
        and negatives together, is at most 3 / epsilon: 30. The directions in which the negatives differ are a target,
        as AHNPL's shift is, and get no gradient: that of a projector grows without bound where two negatives meet. So
        the shared part is linear in the points, a / max(|a|, epsilon) moves by at most 1 / epsilon of what a does, and
        a moves by at most once, the negative's distinct part by at most twice what the points do.

    >>> one, two, three = torch.eye(3, dtype=torch.float64)
    >>> round(orthogonal_loss(one, torch.stack([two, three])).item(), 10)
    0.5
    """
    centroid = torch.cat([anchor[None], negatives]).mean(0)
    steps = negatives.diff(dim=0)
    with torch.no_grad():
        spanned = torch.linalg.pinv(steps) @ steps
    shared = centroid + spanned @ (anchor - centroid)
    one, others = (
        each / each.norm(dim=-1, keepdim=True).clamp(min=epsilon) for each in (anchor - shared, negatives - shared)
    )
    return (others @ one).abs().mean()
