"""MathLeap: views of a statement are pairs; the batch's other statements are their negatives (MELD Sec. 4)."""

from __future__ import annotations

import torch
from torch import Tensor

SCALE = 20.0
"""Sentence-transformers' default for its ranking losses, which the paper trains with."""


def mathleap_loss(
    similarity: Tensor,
    statements: Tensor,
    columns: Tensor,
    scale: Tensor | float = SCALE,
    pairs: Tensor | None = None,
    hidden: Tensor | None = None,
) -> Tensor:
    """The in-batch softmax over pairs of views, the other views of the same statement masked.

    Args:
        similarity: [N, M], cosines of N views with M views and hard negatives.
        statements: [N], which statement a row is a view of. columns: [M], the same of the columns; -1 for a hard
            negative, which is a view of none.
        scale: the inverse of the temperature.
        pairs: [P, 2], a row and the column of a view of the same statement; None: each row with the column of its own
            number.
        hidden: [N, M] bool, columns that are no negatives of a row: the near misses of another view of its statement.

    Returns:
        The mean over pairs of the cross-entropy, in nats; one direction each. (Sentence-transformers takes further
        columns of the same statement as negatives: its extra views push what they should draw.)

    >>> similarity = torch.tensor([[0.9, 0.1], [0.2, 0.8]], dtype=torch.float64)
    >>> two = torch.tensor([0, 1])
    >>> f"{mathleap_loss(similarity, two, two).item():.10e}"
    '3.1283643231e-06'
    >>> further = torch.cat([similarity, torch.tensor([[0.85, 0.05], [0.15, 0.75]], dtype=torch.float64)], dim=1)
    >>> f"{mathleap_loss(further, two, two.repeat(2)).item():.6e}"
    '4.279220e-06'
    """
    if pairs is None:
        own = torch.arange(len(similarity), device=similarity.device)
        pairs = torch.stack([own, own], dim=1)
    logits = scale * similarity
    others = statements[:, None] != columns[None]
    if hidden is not None:
        others = others & ~hidden
    has = others.any(dim=1)
    # A row without any would have a gradient of NaN.
    pushed = torch.logsumexp(logits.masked_fill(~others & has[:, None], float("-inf")), dim=1)
    pushed = pushed.masked_fill(~has, float("-inf"))[pairs[:, 0]]
    drawn = logits[pairs[:, 0], pairs[:, 1]]
    return (torch.logaddexp(pushed, drawn) - drawn).mean() if len(pairs) else logits.sum() * 0.0
