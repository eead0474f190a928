"""TripletCLIP: negative captions and negative images, linked in pairs (Patel et al. 2024)."""

from __future__ import annotations

from torch import Tensor

from counterfoil.tasks.training.losses.negclip import negclip_loss

__all__ = ["triplet_clip_loss"]


def triplet_clip_loss(
    similarity: Tensor, texts: Tensor, linked: Tensor, captions: Tensor, scale: Tensor | float
) -> Tensor:
    """NegCLIP on (image, caption, negative captions) plus NegCLIP on (negative image, its caption, captions).

    Args:
        similarity: [N, N], S(I, T): images and captions, pairs on the diagonal.
        texts: [N, M], S(I, T'): images and all hard negative captions of the batch.
        linked: [P, P], S(I', T'): negative images and their own captions, pairs on the diagonal; P is 0 where no
            negative image has a caption of its own, and then the second term is 0.
        captions: [P, N], S(I', T): negative images and the anchors' captions.
        scale: exp(logit_scale).

    Returns:
        The sum of both terms, in nats. It asks for linked pairs: without them it is NegCLIP.

    >>> import torch
    >>> def take(*rows): return torch.tensor(rows, dtype=torch.float64)
    >>> round(triplet_clip_loss(take([0.9, 0.1], [0.2, 0.8]), take([0.7, 0.0], [0.1, 0.6]),
    ...     take([0.85, 0.05], [0.15, 0.75]), take([0.65, 0.05], [0.1, 0.55]), 10.0).item(), 10)
    0.129709038
    """
    of_images = negclip_loss(similarity, texts, scale)
    if not len(linked):
        return of_images
    return of_images + negclip_loss(linked, captions, scale)
