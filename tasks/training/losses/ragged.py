"""Anchors with unlike numbers of negatives: a flat list with owners, and the padded matrix that the losses read."""

from __future__ import annotations

import torch
from torch import Tensor


def count_places(owner: Tensor) -> Tensor:
    """The place of each negative among those of its owner: of ``owner`` [M] (int64) the same shape.

    >>> count_places(torch.tensor([0, 0, 2, 0, 2])).tolist()
    [0, 1, 0, 2, 1]
    """
    order = torch.argsort(owner, stable=True)
    kept = owner[order]
    starts = torch.searchsorted(kept, kept)
    places = torch.empty_like(owner)
    places[order] = torch.arange(len(owner), device=owner.device) - starts
    return places


def pad_own(values: Tensor, owner: Tensor, anchors: int, fill: float = float("-inf")) -> Tensor:
    """The flat ``values`` [M] as [anchors, K], K the most that one anchor has (at least 1); the rest is ``fill``.

    A fill of -inf leaves a logsumexp untouched; a product with a mask of 0 would leave exp(0) in it.

    >>> pad_own(torch.tensor([0.6, 0.3, 0.4]), torch.tensor([0, 0, 1]), 2).tolist()
    [[0.6000000238418579, 0.30000001192092896], [0.4000000059604645, -inf]]
    """
    places = count_places(owner)
    width = int(places.max()) + 1 if len(places) else 1
    padded = values.new_full((anchors, width), fill)
    return padded.index_put((owner, places), values)


def score_own(anchors: Tensor, negatives: Tensor, owner: Tensor) -> Tensor:
    """Each negative's similarity to its own anchor: of [N, D], [M, D] and owners [M], [M]."""
    return (anchors.index_select(0, owner) * negatives).sum(-1)


def scale_logits(similarity: Tensor, scale: Tensor | float) -> Tensor:
    """``scale`` times ``similarity``, -inf staying so: times -inf, the scale's own gradient would be 0 * inf, NaN.

    >>> scale = torch.tensor(2.0, requires_grad=True)
    >>> torch.logsumexp(scale_logits(torch.tensor([0.5, float("-inf")]), scale), 0).backward()
    >>> scale.grad.item()
    0.5
    """
    absent = torch.isneginf(similarity)
    return (scale * similarity.masked_fill(absent, 0.0)).masked_fill(absent, float("-inf"))


def find_there(similarity: Tensor) -> Tensor:
    """Where a negative is: everywhere but where the padding of -inf stands. What is no number is there, and is told.

    >>> find_there(torch.tensor([0.5, float("-inf"), float("nan"), float("inf")])).tolist()
    [True, False, True, True]
    """
    return ~torch.isneginf(similarity)


def average(values: Tensor, counted: Tensor) -> Tensor:
    """The mean of ``values`` where ``counted`` (bool, the same shape) holds; 0 where it nowhere does.

    A value that is no number counts wherever it stands: no loss tells 0 of features that are none.

    >>> average(torch.tensor([1.0, float("nan")]), torch.tensor([True, False])).item()
    nan
    """
    counted = counted | values.isnan()
    return values[counted].sum() / counted.sum().clamp(min=1)
