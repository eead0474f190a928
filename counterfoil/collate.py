"""Batches of anchors with unlike numbers of negatives, for a DataLoader of `counterfoil.Triplets` with ``n=None``.

Importing this module imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counterfoil.tasks.packages import import_package

if TYPE_CHECKING:
    import torch

    from counterfoil.triplets import Triplet
else:
    torch = import_package("torch", "counterfoil.collate")


@dataclass(frozen=True, slots=True)
class Ragged:
    """N anchors and all of their negatives, flat: M captions and K pictures, each with the number of its anchor.

    ``images`` and ``negative_images`` are what the Triplets' ``transform`` made, stacked where they are tensors.
    """

    images: Any
    """[N, ...] or a list of N."""
    captions: list[str]
    negative_captions: list[str]
    """M texts."""
    caption_owner: torch.Tensor
    """[M] int64: the place of each negative caption's anchor."""
    negative_images: Any
    """[K, ...] or a list of K."""
    image_owner: torch.Tensor
    """[K] int64: the place of each negative picture's anchor."""


def collate_ragged(triplets: Sequence[Triplet]) -> Ragged:
    """A batch of triplets, each with as many negatives as it has.

    >>> from counterfoil import Triplet
    >>> one = Triplet(torch.zeros(3, 2, 2), "a cat", ["a dog", "a cow"], [])
    >>> two = Triplet(torch.zeros(3, 2, 2), "a bus", [], [torch.zeros(3, 2, 2)])
    >>> batch = collate_ragged([one, two])
    >>> batch.images.shape, batch.negative_captions, batch.caption_owner.tolist(), batch.image_owner.tolist()
    (torch.Size([2, 3, 2, 2]), ['a dog', 'a cow'], [0, 0], [1])
    """
    return Ragged(
        _stack([each.image for each in triplets]),
        [each.caption for each in triplets],
        [text for each in triplets for text in each.negative_captions],
        _own([len(each.negative_captions) for each in triplets]),
        _stack([image for each in triplets for image in each.negative_images]),
        _own([len(each.negative_images) for each in triplets]),
    )


def with_processor(processor: Callable[..., Any]) -> Callable[[Sequence[Triplet]], dict[str, Any]]:
    """A collator for `transformers.Trainer`: triplets of PIL pictures to what a CLIP's processor makes of them.

    A batch has ``input_ids`` and ``attention_mask`` of the captions and then of all negative captions,
    ``pixel_values`` of the pictures and then of all negative pictures, and ``caption_owner`` and ``image_owner`` as
    `Ragged` has them.
    """

    def collate(triplets: Sequence[Triplet]) -> dict[str, Any]:
        batch = collate_ragged(triplets)
        made = processor(
            text=[*batch.captions, *batch.negative_captions],
            images=[*batch.images, *batch.negative_images],
            return_tensors="pt",
            padding=True,
            truncation=True,
        )
        return {**made, "caption_owner": batch.caption_owner, "image_owner": batch.image_owner}

    return collate


def _stack(shown: list[Any]) -> Any:
    return torch.stack(shown) if shown and isinstance(shown[0], torch.Tensor) else shown


def _own(counts: Sequence[int]) -> torch.Tensor:
    return torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts, dtype=torch.int64))
