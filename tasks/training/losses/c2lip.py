"""C2LIP: captions and their phrases against pictures by a sigmoid, with no hard negatives (CVPR 2026)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

TEMPERATURE = 0.1
"""Of the softmax over patches. The paper's is not known to us: ours, to be set by `training.phrase_tau`."""


def sigmoid_loss(
    similarity: Tensor,
    matches: Tensor,
    scale: Tensor | float,
    bias: Tensor | float = 0.0,
    hidden: Tensor | None = None,
) -> Tensor:
    """SigLIP's loss: every picture and text is a pair of its own, true or false.

    Args:
        similarity: [N, M], cosines. matches: [N, M] bool, where the text is the picture's own.
        scale: exp(logit_scale). bias: logit_bias.
        hidden: [N, M] bool, pairs that count for nothing: a phrase that the picture's caption has as well.

    Returns:
        The sum over pairs of softplus(-l) where they match and softplus(l) elsewhere, for each text: divided by M. With
        captions M is N, as SigLIP has it.

    >>> similarity = torch.tensor([[0.9, 0.1], [0.2, 0.8]], dtype=torch.float64)
    >>> round(sigmoid_loss(similarity, torch.eye(2, dtype=torch.bool), 10.0, -5.0).item(), 10)
    0.0667372795
    """
    logits = scale * similarity + bias
    each = functional.softplus(torch.where(matches, -logits, logits))
    if hidden is not None:
        each = each.masked_fill(hidden & ~each.isnan(), 0.0)
    return each.sum() / max(1, similarity.shape[1])


def attend(phrases: Tensor, patches: Tensor, tau: float = TEMPERATURE) -> Tensor:
    """Cosines of phrases with pictures that are pooled for each phrase, by an attention that has no parameters.

    Args:
        phrases: [M, D], L2-normalised. patches: [N, P, D], a picture's patches in the shared space, L2-normalised.
        tau: the temperature of the softmax over a picture's patches.

    Returns:
        [N, M]: the cosine of a phrase with the sum over patches of softmax(phrase . patch / tau) * patch. The pooled
        vectors [N, M, D] are not laid out: their lengths follow from the patches' products with each other.

    >>> phrases = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    >>> patches = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]], dtype=torch.float64)
    >>> [round(attend(phrases, patches, tau).item(), 10) for tau in (1.0, 0.1)]
    [0.9385078998, 0.999999999]
    """
    products = torch.einsum("md,npd->nmp", phrases, patches)
    weights = torch.softmax(products / tau, dim=-1)
    among = torch.einsum("npd,nqd->npq", patches, patches)
    length = torch.einsum("nmp,npq,nmq->nm", weights, among, weights).clamp(min=1e-12).sqrt()
    return (weights * products).sum(-1) / length
