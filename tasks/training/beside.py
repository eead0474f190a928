"""Terms that learn from a true text beside each false one: CLIC, CS-CLIP, C2LIP and a margin against paraphrases.

Pictures with texts, or texts alone: there a caption stands where a picture would, and is no true text of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from counterfoil.tasks.training.batch import Features
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.losses.c2lip import attend, sigmoid_loss
from counterfoil.tasks.training.losses.clic import positive_sets_loss, separate_negatives_loss, unimodal_loss
from counterfoil.tasks.training.losses.clip import clip_loss
from counterfoil.tasks.training.losses.cs import units_loss
from counterfoil.tasks.training.losses.margin import paraphrase_margin_loss
from counterfoil.tasks.training.losses.ragged import count_places, pad_own, score_own
from counterfoil.tasks.training.settings import TrainingSettings

Term = Callable[[TrainingSettings, Features, Tensor, Tensor | float], Tensor]


def _in_batch(settings: TrainingSettings, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """CLIP, and of texts alone the same between captions and each number of their positives: no hard negatives."""
    del settings, bias
    if features.layout.pictured:
        return clip_loss(features.images @ features.texts.T, scale)
    shown, true, owner = _list_true(features)
    return positive_sets_loss(shown @ true.T, owner, count_places(owner), scale)


def _clic(settings: TrainingSettings, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """CLIC Eq. 7; in a batch without hard negatives, the step between, plain CLIP."""
    negatives = features.layout.negative_texts
    if not len(negatives):
        return _in_batch(settings, features, scale, bias)
    shown, true, owner = _list_true(features)
    anchors = features.layout.anchors
    positive = pad_own(score_own(shown, true, owner), owner, anchors)
    pushed = pad_own(score_own(shown, features.negative_texts, negatives.owner), negatives.owner, anchors)
    first = _find_further(features)
    contrastive, separate, unimodal = settings.clic_weights
    return (
        contrastive * positive_sets_loss(shown @ true.T, owner, count_places(owner), scale)
        + separate * separate_negatives_loss(positive, pushed, scale)
        + unimodal * unimodal_loss(features.texts[features.layout.positive_texts.owner[first]], _take(features, first))
    )


def _units(settings: TrainingSettings, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """CS-CLIP's second term: the units that stand beside their foils."""
    del settings, bias
    own = features.layout.positive_texts
    units = (own.own_text >= 0).nonzero()[:, 0]
    owner, shown = own.owner[units], _find_shown(features)
    foils = score_own(shown, features.negative_texts[own.own_text[units]], owner)
    return units_loss(shown @ features.positive_texts[units].T, foils, owner, count_places(owner), scale)


def _sigmoid(settings: TrainingSettings, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del settings
    similarity = features.images @ features.texts.T
    return sigmoid_loss(similarity, torch.eye(len(similarity), dtype=torch.bool, device=similarity.device), scale, bias)


def _phrases(settings: TrainingSettings, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """C2LIP's second term: phrases with the pictures as each phrase attends to them."""
    own = features.layout.positive_texts
    if features.patches is None:
        raise TrainingError("the term phrases reads a picture's patches, and these towers give none")
    if not len(own):
        return features.texts.sum() * 0.0
    similarity = attend(features.positive_texts, features.patches, settings.phrase_tau)
    anchors = torch.arange(len(similarity), device=similarity.device)
    matches = anchors[:, None] == own.owner[None]
    # A picture whose caption has the same phrase is no negative of it.
    equal = (own.text[:, None] == own.text[None]).to(similarity.dtype)
    has = (matches.to(similarity.dtype) @ equal) > 0
    return sigmoid_loss(similarity, matches, scale, bias, has & ~matches)


def _paraphrase(settings: TrainingSettings, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """The margin, around the picture (if there is one), the caption, and each paraphrase with its caption.

    A caption is no true text of itself: its negatives are measured against the texts that say the same in other words.
    A true text that stands beside a false one is measured against that one alone. Where captions have several views, as
    a picture has several captions, a near miss is measured beside the view that it was made of (`_measure_views`).
    """
    del scale, bias
    if features.layout.views is not None and not features.layout.pictured:
        return _measure_views(features, settings.margin)
    layout, own = features.layout, features.layout.positive_texts
    negatives, further = layout.negative_texts.owner, _find_further(features, all_of_them=True)
    owner, margin = own.owner[further], settings.margin

    def lose(around: Tensor, true: Tensor, owner: Tensor) -> Tensor:
        positive = pad_own(score_own(around, true, owner), owner, layout.anchors)
        pushed = pad_own(score_own(around, features.negative_texts, negatives), negatives, layout.anchors)
        return paraphrase_margin_loss(positive, pushed, margin)

    total = lose(features.texts, _take(features, further), owner)
    if layout.pictured:
        total = total + lose(*_list_true(features))
    # Around each paraphrase, which has its caption for a paraphrase.
    pairs = (owner[:, None] == negatives[None]).nonzero()
    paraphrases = _take(features, further)[pairs[:, 0]]
    drawn = (features.texts[owner[pairs[:, 0]]] * paraphrases).sum(-1)
    crossed = (paraphrases * features.negative_texts[pairs[:, 1]]).sum(-1)
    total = total + paraphrase_margin_loss(drawn[:, None], crossed[:, None], margin)
    beside = (own.own_text >= 0).nonzero()[:, 0]
    shown = _find_shown(features)[own.owner[beside]]
    drawn = (shown * _take(features, beside)).sum(-1)
    crossed = (shown * features.negative_texts[own.own_text[beside]]).sum(-1)
    return total + paraphrase_margin_loss(drawn[:, None], crossed[:, None], margin)


def _measure_views(features: Features, margin: float) -> Tensor:
    """The margin around the text that each near miss was made of, and around each other true text of its anchor: that
    text in other words, and what its other captions say. In words of its own nobody keeps the order of another."""
    layout, negatives, positives = features.layout, features.layout.negative_texts, features.layout.positive_texts
    views = features.join_views()
    made_of = views.find(negatives.owner, negatives.view)
    assert layout.views is not None
    view = torch.cat([layout.views, positives.view[positives.own_text < 0]])
    places = torch.arange(len(views.texts), device=view.device)
    others = (views.owner[None] == negatives.owner[:, None]) & (places[None] != made_of[:, None])
    reworded = others & (view[None] == negatives.view[:, None]) & (views.kind != view)[None]
    near, other = others.nonzero().unbind(1)
    missed, text, same = features.negative_texts[near], views.texts[made_of[near]], views.texts[other]
    total = _rank_over(text, same, missed, margin)
    # The other way round: a near miss and itself in other words, beside the text that it was made of and its like.
    twins = (negatives.own_text >= 0).nonzero()[:, 0]
    if not len(twins):
        return total
    miss, twin = features.negative_texts[negatives.own_text[twins]], features.negative_texts[twins]
    first = torch.where(reworded.any(dim=1), reworded.int().argmax(dim=1), made_of)[twins]
    against = (views.texts[made_of[twins]], views.texts[first])
    return (total + torch.stack([_rank_over(miss, twin, each, margin) for each in against]).mean()) / 2


def _rank_over(text: Tensor, same: Tensor, missed: Tensor, margin: float) -> Tensor:
    """A text and what says the same, each over both beside a near miss: both hinges' means, added."""
    drawn = (text * same).sum(-1)[:, None]
    crossed = ((each * missed).sum(-1)[:, None] for each in (text, same))
    return torch.stack([paraphrase_margin_loss(drawn, each, margin) for each in crossed]).sum()


TERMS: Mapping[str, Term] = {
    "in_batch": _in_batch,
    "clic": _clic,
    "units": _units,
    "sigmoid": _sigmoid,
    "phrases": _phrases,
    "paraphrase": _paraphrase,
}


def _find_shown(features: Features) -> Tensor:
    """What texts are compared with: pictures, or captions where there are texts alone."""
    return features.images if features.layout.pictured else features.texts


def _list_true(features: Features) -> tuple[Tensor, Tensor, Tensor]:
    """What is compared, the true texts [M, D] in the order of their sets, and whose they are [M].

    A unit beside its foil is less than a caption, and no set of its own (`_units`).
    """
    whole = _find_further(features, all_of_them=True)
    owner, true = features.layout.positive_texts.owner[whole], _take(features, whole)
    if features.layout.pictured:
        anchors = torch.arange(features.layout.anchors, device=owner.device)
        owner, true = torch.cat([anchors, owner]), torch.cat([features.texts, true])
    return _find_shown(features), true, owner


def _find_further(features: Features, *, all_of_them: bool = False) -> Tensor:
    """The places of positive texts that say what their captions say: each anchor's first, or all of them."""
    own = features.layout.positive_texts
    whole = (own.own_text < 0).nonzero()[:, 0]
    return whole if all_of_them else whole[count_places(own.owner[whole]) == 0]


def _take(features: Features, places: Tensor) -> Tensor:
    return features.positive_texts[places]
