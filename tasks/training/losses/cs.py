"""CS-CLIP: the units of a caption, each against a foil of its own (Kargi et al. 2026, "Half-Truths")."""

from __future__ import annotations

from torch import Tensor

from counterfoil.tasks.training.losses.clic import average_sets


def units_loss(similarity: Tensor, foils: Tensor, owner: Tensor, place: Tensor, scale: Tensor | float) -> Tensor:
    """A NegCLIP of units in which a picture meets the batch's units and the foil of its own unit alone.

    Args:
        similarity: [N, U], cosines of N pictures with U units.
        foils: [U], cosines of each unit's picture with the unit's foil.
        owner: [U], the picture that each unit is true of. place: [U], its number among its picture's units: each
            number is a batch of its own, so that no picture meets two of its own units.
        scale: exp(logit_scale).

    Returns:
        The mean over numbers of (picture to [B units; its own foil] + unit to picture) / 2, in nats; 0 without units.
        A foil has no picture, so it is no row of the other direction; another picture's foil may be true of this one,
        so it is no column.

    >>> import torch
    >>> similarity = torch.tensor([[0.9, 0.1], [0.2, 0.8]], dtype=torch.float64)
    >>> own = torch.tensor([0, 1])
    >>> foils = torch.tensor([0.7, 0.6], dtype=torch.float64)
    >>> round(units_loss(similarity, foils, own, torch.zeros_like(own), 10.0).item(), 10)
    0.0645388209
    """
    return average_sets(similarity, owner, place, scale, foils)
