"""What the papers plot of a model beside its accuracy: where the gradient goes, and how far embeddings lie apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import torch
from torch import Tensor

from counterfoil.tasks.training.batch import Contrasts, Features, join_layouts
from counterfoil.tasks.training.losses.ahnpl import shift_images
from counterfoil.tasks.training.losses.ragged import score_own
from counterfoil.tasks.training.objectives import measure_shares
from counterfoil.tasks.training.settings import TrainingSettings

_LEAST = 8
"""Anchors of the smallest batch of a sweep."""
_TENSORS = ("images", "negative_images", "positive_images", "texts", "negative_texts", "positive_texts")


def measure_distances(features: Features) -> dict[str, float]:
    """AHNPL Table 5: mean cosine distances (1 - cosine) among image, caption, negative text and perturbed image.

    The perturbed image of a negative text is the image moved by what the text differs in from the caption
    (`counterfoil.tasks.training.losses.ahnpl.shift_images`). Nothing where there is no picture or no negative text.

    For e_I = (1, 0), e_T = (.6, .8), e_Tn = (.8, .6): image to caption .4, to negative text .2, to perturbed image
    .013606; caption to negative text .04, to perturbed image .539683; negative text to perturbed image .309524.
    """
    own = features.layout.negative_texts.owner
    if not features.layout.pictured or not len(own):
        return {}
    images, texts, negatives = features.images[own], features.texts[own], features.negative_texts
    shifted = shift_images(features.images, features.texts, negatives, own)
    pairs = {
        "image_caption": (images, texts),
        "image_negative": (images, negatives),
        "caption_negative": (texts, negatives),
        "image_perturbed": (images, shifted),
        "caption_perturbed": (texts, shifted),
        "negative_perturbed": (negatives, shifted),
    }
    return {name: float(1 - (one * other).sum(-1).mean()) for name, (one, other) in pairs.items()}


def sweep_batches(features: Features, scale: Tensor, settings: TrainingSettings) -> dict[str, float]:
    """Concrete Jungle Fig. 3 and 6: the hard negatives' share of the gradient on negatives, by batch size.

    Of the same features, cut into batches of 8, 16, 32, ... anchors; the easy negatives' share is what is left of 1.

    Returns:
        Batch size to the mean share over batches; sizes of which no batch is full are left out.
    """
    anchors = features.layout.anchors
    found: dict[str, float] = {}
    size = _LEAST
    while size <= anchors:
        shares = [
            measure_shares(take_anchors(features, start, start + size), scale, settings)["hard_gradient_share"]
            for start in range(0, anchors - size + 1, size)
        ]
        told = [share for share in shares if not math.isnan(share)]
        if told:
            found[str(size)] = sum(told) / len(told)
        size *= 2
    return found


def join_features(parts: Sequence[Features]) -> Features:
    """Several batches' features as those of one batch."""
    joined = {name: torch.cat([getattr(part, name) for part in parts]) for name in _TENSORS}
    return Features(**joined, layout=join_layouts([part.layout for part in parts]))


def take_anchors(features: Features, start: int, stop: int) -> Features:
    """The features of the anchors from ``start`` to before ``stop``, and of their contrasts."""
    layout = features.layout
    kept = {
        name: (getattr(layout, name).owner >= start) & (getattr(layout, name).owner < stop)
        for name in ("negative_images", "positive_images", "negative_texts", "positive_texts")
    }
    places = torch.cumsum(kept["negative_texts"], 0) - 1

    def take(own: Contrasts, mask: Tensor) -> Contrasts:
        part = Contrasts(*(getattr(own, each.name)[mask] for each in fields(Contrasts)))
        linked = part.own_text.clone()
        linked[linked >= 0] = places[linked[linked >= 0]]
        return replace(part, owner=part.owner - start, own_text=linked)

    contrasts: dict[str, Any] = {name: take(getattr(layout, name), mask) for name, mask in kept.items()}
    views = None if layout.views is None else layout.views[start:stop]
    cut = replace(layout, anchors=stop - start, statements=layout.statements[start:stop], views=views, **contrasts)
    anchors = {name: getattr(features, name)[start:stop] for name in ("images", "texts")}
    return Features(**anchors, **{name: getattr(features, name)[mask] for name, mask in kept.items()}, layout=cut)


def bin_concreteness(features: Features) -> dict[str, tuple[float, float]]:
    """Concrete Jungle Fig. 4: half a point of concreteness to the mean cosine of pairs and of their negative texts.

    A negative text that nobody rated counts nowhere. With a pair of cosine .6 and negatives of cosine .8 rated 4.2 and
    0 rated 4.7: {"4.0": (.6, .8), "4.5": (.6, 0)}.
    """
    own = features.layout.negative_texts
    if not len(own):
        return {}
    pairs = (features.images * features.texts).sum(-1)[own.owner]
    around = score_own(features.images, features.negative_texts, own.owner)
    lows = torch.floor(own.concreteness * 2) / 2
    return {
        f"{low:.1f}": (float(pairs[lows == low].mean()), float(around[lows == low].mean()))
        for low in sorted(set(lows[~lows.isnan()].tolist()))
    }
