"""MathLeap: two views of a statement are a pair; the batch's other statements are its negatives (MELD Sec. 4)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

SCALE = 20.0
"""Sentence-transformers' default for its ranking losses, which the paper trains with."""


def mathleap_loss(similarity: Tensor, statements: Tensor, columns: Tensor, scale: Tensor | float = SCALE) -> Tensor:
    """The in-batch softmax over pairs of views, the other views of the same statement masked.

    Args:
        similarity: [N, M], cosines of N first views with M second views (and hard negatives); a row's pair is in the
            column of its own number.
        statements: [N], which statement a row is a view of. columns: [M], the same of the columns; -1 for a hard
            negative, which is a view of none.
        scale: the inverse of the temperature.

    Returns:
        The mean over rows of the cross-entropy, in nats; one direction. (Sentence-transformers takes further columns of
        the same statement as negatives: its extra views push what they should draw.)

    >>> similarity = torch.tensor([[0.9, 0.1], [0.2, 0.8]], dtype=torch.float64)
    >>> two = torch.tensor([0, 1])
    >>> f"{mathleap_loss(similarity, two, two).item():.10e}"
    '3.1283643231e-06'
    >>> further = torch.cat([similarity, torch.tensor([[0.85, 0.05], [0.15, 0.75]], dtype=torch.float64)], dim=1)
    >>> f"{mathleap_loss(further, two, two.repeat(2)).item():.6e}"
    '4.279220e-06'
    """
    own = torch.arange(len(similarity), device=similarity.device)
    same = statements[:, None] == columns[None]
    same[own, own] = False
    return functional.cross_entropy((scale * similarity).masked_fill(same, float("-inf")), own)
