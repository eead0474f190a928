"""Cement: a hard negative's logit is raised by a margin that its concreteness decides (Concrete Jungle Eq. 4-5)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

CENTRE, STEEPNESS = 4.0, 0.15
"""The paper's threshold of concreteness and its steepness; its margins are -2 and 2."""


def find_margins(concreteness: Tensor, mode: str = "adaptive", least: float = -2.0, most: float = 2.0) -> Tensor:
    """The margin of each hard negative from its concreteness (1 to 5; NaN for no rating, whose margin is 0).

    Args:
        concreteness: any shape.
        mode: ``adaptive`` as in Eq. 4; ``inverse`` with the order turned round; ``static``: ``most`` for every one,
            rated or not (the paper's ablations).

    >>> rated = torch.tensor([3.8, 4.0, 4.2, 5.0, float("nan")], dtype=torch.float64)
    >>> [round(value, 10) for value in find_margins(rated).tolist()]
    [-1.1655658907, 0.0, 1.1655658907, 1.9949159349, 0.0]
    """
    if mode == "static":
        return torch.full_like(concreteness, most)
    sign = {"adaptive": 1.0, "inverse": -1.0}[mode]
    rated = ~torch.isnan(concreteness)
    filled = concreteness.masked_fill(~rated, CENTRE)
    margin = least + (most - least) * torch.sigmoid(sign * (filled - CENTRE) / STEEPNESS)
    return margin.masked_fill(~rated, 0.0)


def cement_loss(logits: Tensor, margins: Tensor, pairs: int, *, halved: bool = False) -> Tensor:
    """CLIP over anchors and linked negatives, with margins on the hard ones (Concrete Jungle Eq. 5).

    Args:
        logits: [V, T], scale times cosine; images are rows, texts columns. The first ``pairs`` of both are pairs: the
            anchors, then the negative images with their own captions (each has its anchor's pair as hard negative).
            Further columns (rows) are hard negative texts (images) without a partner: negatives of all, no anchors.
        margins: [V, T], the margin where column and row are each other's hard negative, else 0; added after scaling.
        pairs: the number of paired rows, 2N where every anchor has one linked negative.
        halved: CLIP's half, which the paper does not print.

    Returns:
        The mean over pairs of both directions' cross-entropy, added (or averaged, if ``halved``), in nats.

    >>> logits = torch.tensor([[25.0, 24.0], [23.0, 26.0]], dtype=torch.float64)
    >>> margin = find_margins(torch.tensor(4.2, dtype=torch.float64))
    >>> margins = margin * (1 - torch.eye(2, dtype=torch.float64))
    >>> [round(cement_loss(logits, margins, 2, halved=half).item(), 10) for half in (False, True)]
    [0.8243101736, 0.4121550868]
    >>> round(cement_loss(logits, 0 * margins, 2).item(), 10)
    0.3078525306
    """
    raised = logits + margins
    gold = torch.arange(pairs, device=logits.device)
    both = functional.cross_entropy(raised[:pairs], gold) + functional.cross_entropy(raised.T[:pairs], gold)
    return both / 2 if halved else both


def share_of_hard(logits: Tensor, margins: Tensor, hard: Tensor, pairs: int) -> Tensor:
    """The share of the gradient on negatives that falls on hard ones (Concrete Jungle Eq. 3; Fig. 3 and 6).

    For a row, the pull of its pair, 1 - p_ii, is the push p_ii' of its hard negatives plus that of the easy ones.

    Args:
        logits, margins, pairs: as in `cement_loss`. hard: [V, T] bool, where column is a hard negative of row.

    Returns:
        The mean over image rows that have a hard negative of push on hard / pull of the pair; NaN where none has.
    """
    chances = torch.softmax((logits + margins)[:pairs].detach(), dim=1)
    pull = 1 - chances.diagonal()
    rows = hard[:pairs].any(1) & (pull > 0)
    push = (chances * hard[:pairs]).sum(1)
    return (push[rows] / pull[rows]).mean() if rows.any() else logits.new_full((), float("nan"))
