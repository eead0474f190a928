"""Features that are no finite numbers end a run, by name: a mean of them, or a comparison, would say nothing."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from counterfoil.tasks.training.batch import Contrasts, Features
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.towers import Towers


def check_features(
    features: Features, anchor_ids: Sequence[str], towers: Towers, model: str, when: str, first: int = 0
) -> None:
    """That all features of a batch are finite.

    Args:
        features: of the whole batch. anchor_ids: of this process's anchors, which begin at the place ``first``.
        model, when: for the message, such as ``scratch`` and ``stopped after step 3``.

    Raises:
        TrainingError: they are not; with the model, when, the first such row, and a parameter that is none either.
    """
    layout = features.layout
    own = torch.arange(layout.anchors)
    roles: tuple[tuple[str, Tensor, Tensor | Contrasts], ...] = (
        ("the picture", features.images, own),
        ("the caption", features.texts, own),
        ("a negative picture", features.negative_images, layout.negative_images),
        ("a negative text", features.negative_texts, layout.negative_texts),
        ("a positive picture", features.positive_images, layout.positive_images),
        ("a positive text", features.positive_texts, layout.positive_texts),
    )
    if all(bool(torch.isfinite(rows).all()) for _, rows, _ in roles):
        return
    for role, rows, owner in roles:
        wrong = (~torch.isfinite(rows).all(dim=1)).nonzero()[:, 0].tolist()
        if wrong:
            owners = (owner.owner if isinstance(owner, Contrasts) else owner)[wrong].tolist()
            named = [anchor_ids[each - first] for each in owners if 0 <= each - first < len(anchor_ids)]
            whose = f"anchor {named[0]}" if named else "an anchor of another process"
            row = rows[wrong[0]].detach()
            raise TrainingError(
                f"{when}: the features of {role} of {whose} are no finite numbers, the first is "
                f"{float(row[~torch.isfinite(row)][0])} ({len(wrong)} of {len(rows)} such rows; training.model = "
                f"{model!r}): {_find_cause(towers)}"
            )


def _find_cause(towers: Towers) -> str:
    for name, each in towers.named_parameters():
        if not bool(torch.isfinite(each).all()):
            return f"its parameter {name} holds values that are none, so it is broken; begin from another model"
    return "its weights are finite, so a layer overflows. Lower training.learning_rate, or train in float32"
