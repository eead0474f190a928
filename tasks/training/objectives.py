"""A recipe's objective: the weighted sum of terms over the features of one batch, of all processes together.

Every process computes the whole batch's loss from gathered features and keeps the gradient of its own rows, so a term
sees the negatives, means and thresholds of all without further exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from counterfoil.tasks.training import beside
from counterfoil.tasks.training.batch import Contrasts, Features
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.losses.ahnpl import (
    hard_negative_loss,
    negative_margin_loss,
    next_margins,
    positive_margin_loss,
    shift_images,
)
from counterfoil.tasks.training.losses.ceclip import intra_modal_loss, next_thresholds, rank_loss
from counterfoil.tasks.training.losses.cement import cement_loss, find_margins, share_of_hard
from counterfoil.tasks.training.losses.clip import clip_loss
from counterfoil.tasks.training.losses.mathleap import mathleap_loss
from counterfoil.tasks.training.losses.mmclip import mmclip_loss, mmclip_sigmoid_loss
from counterfoil.tasks.training.losses.negclip import negclip_loss
from counterfoil.tasks.training.losses.ragged import pad_own, scale_logits, score_own
from counterfoil.tasks.training.losses.saclip import orthogonal_loss, sc_loss
from counterfoil.tasks.training.losses.tripletclip import triplet_clip_loss
from counterfoil.tasks.training.settings import TrainingSettings

LEAST_A = 0.2
"""AHNPL keeps its threshold of positives at or over this."""
NEEDS: Mapping[str, str] = {
    "tripletclip": "linked",
    "mutual": "linked",
    "linked": "linked",
    "negclip": "texts",
    "imc": "texts",
    "cmr": "texts",
    "mhnl": "texts",
    "margin_negative": "texts",
    "mmclip": "negatives",
    "mmclip_sigmoid": "negatives",
    "cement": "negatives",
    "orth": "negatives",
    "sc": "positives",
    "mathleap": "views",
    "clic": "texts",
    "units": "beside",
    "phrases": "beside",
    "paraphrase": "paraphrases",
}
"""What a term learns nothing without; `counterfoil.tasks.training.loop` refuses data that lacks it."""


class Objective(nn.Module):
    """The objective of ``settings`` with its state: thresholds by kind of negative, and AHNPL's threshold if it learns.

    Args:
        kinds: how many families of negatives there are.
    """

    thresholds: Tensor
    margins: Tensor
    a: Tensor

    def __init__(self, settings: TrainingSettings, kinds: int) -> None:
        super().__init__()
        self.settings, self.terms = settings, settings.terms
        self.register_buffer("thresholds", torch.zeros(max(kinds, 1)))
        self.register_buffer("margins", torch.zeros(max(kinds, 1)))
        a = torch.tensor(float(settings.margin_a))
        if settings.a_mode == "learned" and "margin_positive" in self.terms:
            self.a = nn.Parameter(a)
        else:
            self.register_buffer("a", a)

    def forward(
        self, features: Features, scale: Tensor, bias: Tensor | float = 0.0
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch, in nats, and each term's unweighted value. Thresholds then hold for the next call.

        Args:
            features: of the whole batch. scale: exp(logit_scale), a scalar. bias: SigLIP's logit_bias.
        """
        values = {name: _TERMS[name](self, features, scale, bias) for name in self.terms}
        total = torch.stack([weight * values[name] for name, weight in self.terms.items()]).sum()
        self._move_thresholds(features, scale)
        return total, {name: value.detach() for name, value in values.items()}

    def settle(self) -> None:
        """After a step: AHNPL's threshold stays at or over its least."""
        with torch.no_grad():
            self.a.clamp_(min=min(LEAST_A, self.settings.margin_a))

    def _move_thresholds(self, features: Features, scale: Tensor) -> None:
        if not len(features.layout.negative_texts) or not {"cmr", "margin_negative"} & set(self.terms):
            return
        with torch.no_grad():
            positive, scores = _score_by_kind(features, len(self.thresholds))
            moved = next_thresholds(scale * positive, scale * scores, self.thresholds.to(scores))
            self.thresholds.copy_(moved)
            self.margins.copy_(next_margins(positive, scores, self.margins.to(scores)))


def measure_shares(features: Features, scale: Tensor, settings: TrainingSettings) -> dict[str, float]:
    """What the log tells of a batch: the gradient's shares on hard and easy negatives (Concrete Jungle Eq. 3), cosines.

    Where the objective has Cement's margins, the share is the one under them.
    """
    with torch.no_grad():
        logits, margins, hard, pairs = _lay_out_pairs(features, scale, settings, linked=True)
        active = margins if "cement" in settings.terms else torch.zeros_like(margins)
        positive = (features.images * features.texts).sum(-1)
        share = share_of_hard(logits, active, hard, pairs).item()
        told = {
            "hard_gradient_share": share,
            "easy_gradient_share": 1 - share,
            "positive_cosine": positive.mean().item(),
        }
        texts = features.layout.negative_texts
        if len(texts):
            told["negative_cosine"] = score_own(features.images, features.negative_texts, texts.owner).mean().item()
        return told


def _clip(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del self, bias
    return clip_loss(features.images @ features.texts.T, scale)


def _mutual(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """Anchors and their linked negatives, each with its own caption, are rows of one batch (MMGeoLM Table 6)."""
    del self, bias
    pictures, captions, _ = _find_linked(features)
    images, texts = torch.cat([features.images, pictures]), torch.cat([features.texts, captions])
    return clip_loss(images @ texts.T, scale)


def _linked(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """Negative images with their own captions, under CLIP among themselves: further pairs, and nobody's negatives.

    TripletCLIP's second half without the anchors' captions as columns: the control that meets all its pairs.
    """
    del self, bias
    pictures, captions, _ = _find_linked(features)
    return clip_loss(pictures @ captions.T, scale) if len(pictures) else scale.new_zeros(())


def _negclip(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """A unit's foil is no column: another picture may be as it says (`beside`)."""
    del self, bias
    beside = features.layout.positive_texts.own_text
    whole = torch.ones(len(features.negative_texts), dtype=torch.bool, device=beside.device)
    whole[beside[beside >= 0]] = False
    negatives = features.negative_texts[whole]
    return negclip_loss(features.images @ features.texts.T, features.images @ negatives.T, scale)


def _tripletclip(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del self, bias
    pictures, captions, _ = _find_linked(features)
    return triplet_clip_loss(
        features.images @ features.texts.T,
        features.images @ features.negative_texts.T,
        pictures @ captions.T,
        pictures @ features.texts.T,
        scale,
    )


def _mmclip(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del self, bias
    positive, texts, images = _score_negatives(features)
    return mmclip_loss(positive, texts, scale) + mmclip_loss(positive, images, scale)


def _mmclip_sigmoid(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del self
    positive, texts, images = _score_negatives(features)
    return mmclip_sigmoid_loss(positive, texts, scale, bias) + mmclip_sigmoid_loss(positive, images, scale, bias)


def _imc(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del self, bias
    own = features.layout.negative_texts.owner
    texts = pad_own(score_own(features.texts, features.negative_texts, own), own, len(features.texts))
    return intra_modal_loss((features.images * features.texts).sum(-1), texts, scale)


def _cmr(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del bias
    positive, scores = _score_by_kind(features, len(self.thresholds))
    return rank_loss(scale * positive, scale_logits(scores, scale), self.thresholds.to(scores))


def _sc(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del bias
    layout = features.layout
    tau = 1 / scale if self.settings.sc_tau is None else self.settings.sc_tau

    def score(images: Tensor, of_images: Contrasts, texts: Tensor, of_texts: Contrasts) -> list[Tensor]:
        found = ((features.images, images, of_images), (features.texts, images, of_images))
        found += ((features.texts, texts, of_texts), (features.images, texts, of_texts))  # type: ignore[assignment]
        return [pad_own(score_own(a, b, own.owner), own.owner, layout.anchors) for a, b, own in found]

    drawn = score(features.positive_images, layout.positive_images, features.positive_texts, layout.positive_texts)
    if self.settings.sc_positives == "original":
        shown, said = features.images, features.texts
        own = ((shown, shown), (said, shown), (said, said), (shown, said))
        drawn = [torch.cat([(a * b).sum(-1)[:, None], hard], dim=1) for (a, b), hard in zip(own, drawn, strict=True)]
    pushed = score(features.negative_images, layout.negative_images, features.negative_texts, layout.negative_texts)
    return sc_loss(tuple(drawn), tuple(pushed), tau)


def _distinct(features: Features, measure: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Half of either modality's mean, over anchors with at least two negatives of it."""
    layout, total = features.layout, features.texts.new_zeros(())
    for anchors, negatives, own in (
        (features.images, features.negative_images, layout.negative_images),
        (features.texts, features.negative_texts, layout.negative_texts),
    ):
        several = (torch.bincount(own.owner, minlength=layout.anchors) > 1).nonzero()[:, 0].tolist()
        found = [measure(anchors[each], negatives[own.owner == each]) for each in several]
        total = total + (torch.stack(found).mean() / 2 if found else 0.0)
    return total


def _orth(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del self, scale, bias
    return _distinct(features, orthogonal_loss)


def _mhnl(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del scale, bias
    own, anchors = features.layout.negative_texts.owner, features.layout.anchors
    shifted = shift_images(features.images, features.texts, features.negative_texts, own)
    visual = pad_own(score_own(features.images, shifted, own), own, anchors)
    textual = pad_own(score_own(features.texts, features.negative_texts, own), own, anchors)
    return hard_negative_loss(visual, self.settings.reduction) + hard_negative_loss(textual, self.settings.reduction)


def _margin_positive(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del scale, bias
    return positive_margin_loss((features.images * features.texts).sum(-1), self.a, self.settings.reduction)


def _margin_negative(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del scale, bias
    positive, scores = _score_by_kind(features, len(self.margins))
    return negative_margin_loss(positive, scores, self.margins.to(scores), self.settings.reduction)


def _cement(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    del bias
    logits, margins, _, pairs = _lay_out_pairs(features, scale, self.settings, linked=True)
    return cement_loss(logits, margins, pairs, halved=self.settings.cement_halved)


def _mathleap(self: Objective, features: Features, scale: Tensor, bias: Tensor | float) -> Tensor:
    """Every view of a statement asks for each of its others, among all views of other statements and hard negatives.

    A hard negative is one of the view that it was made of, words of words and Lean of Lean, and of other statements'
    views; the other views of its own statement do not meet it.
    """
    del self, bias
    layout, negatives = features.layout, features.layout.negative_texts
    views = features.join_views()
    columns = torch.cat([views.texts, features.negative_texts])
    strangers = torch.full_like(negatives.owner, -1)
    made_of = views.find(negatives.owner, negatives.view)
    hidden = torch.zeros(len(views.texts), len(columns), dtype=torch.bool, device=columns.device)
    of_own = views.owner[:, None] == negatives.owner[None]
    hidden[:, len(views.texts) :] = of_own & (torch.arange(len(views.texts), device=made_of.device)[:, None] != made_of)
    pairs = (views.owner[:, None] == views.owner[None]).fill_diagonal_(False).nonzero()
    statements = layout.statements[views.owner]
    return mathleap_loss(views.texts @ columns.T, statements, torch.cat([statements, strangers]), scale, pairs, hidden)


def _wrap(term: beside.Term) -> _TermFunction:
    """A term that needs of the objective its settings alone."""
    return lambda self, features, scale, bias: term(self.settings, features, scale, bias)


_TermFunction = Callable[[Objective, Features, Tensor, Tensor | float], Tensor]
_TERMS: Mapping[str, _TermFunction] = {
    "clip": _clip,
    "mutual": _mutual,
    "linked": _linked,
    "negclip": _negclip,
    "tripletclip": _tripletclip,
    "imc": _imc,
    "cmr": _cmr,
    "mmclip": _mmclip,
    "mmclip_sigmoid": _mmclip_sigmoid,
    "sc": _sc,
    "orth": _orth,
    "mhnl": _mhnl,
    "margin_positive": _margin_positive,
    "margin_negative": _margin_negative,
    "cement": _cement,
    "mathleap": _mathleap,
    **{name: _wrap(term) for name, term in beside.TERMS.items()},
}


def _score_negatives(features: Features) -> tuple[Tensor, Tensor, Tensor]:
    """Cosines of pairs [N], of images with their own negative texts [N, K], of texts with their own negative images."""
    layout = features.layout
    texts, images = layout.negative_texts.owner, layout.negative_images.owner
    positive = (features.images * features.texts).sum(-1)
    around_image = pad_own(score_own(features.images, features.negative_texts, texts), texts, layout.anchors)
    around_text = pad_own(score_own(features.texts, features.negative_images, images), images, layout.anchors)
    return positive, around_image, around_text


def _score_by_kind(features: Features, kinds: int) -> tuple[Tensor, Tensor]:
    """Each negative text as a row: its anchor's cosine [M], and [M, kinds] with its own in the column of its kind."""
    own = features.layout.negative_texts
    positive = (features.images * features.texts).sum(-1)[own.owner]
    scores = score_own(features.images, features.negative_texts, own.owner)
    table = scores.new_full((len(own), kinds), float("-inf"))
    places = torch.arange(len(own), device=scores.device)
    return positive, table.index_put((places, own.kind), scores)


def _find_linked(features: Features) -> tuple[Tensor, Tensor, Tensor]:
    """Negative images that have a caption of their own, those captions, and which of the images they are."""
    linked = (features.layout.negative_images.own_text >= 0).nonzero()[:, 0]
    captions = features.layout.negative_images.own_text[linked]
    return features.negative_images[linked], features.negative_texts[captions], linked


def _lay_out_pairs(
    features: Features, scale: Tensor, settings: TrainingSettings, *, linked: bool
) -> tuple[Tensor, Tensor, Tensor, int]:
    """Logits, margins and hard pairs as `cement_loss` takes them, and how many rows are pairs.

    Rows: anchors' images, linked negative images, other negative images. Columns: captions, the linked images' own
    captions, other negative texts. Hard negatives of each other: an anchor's image and its negative texts, its caption
    and its negative images.
    """
    layout = features.layout
    pictures, captions, which = _find_linked(features)
    if not linked:
        which = which[:0]
    lone_images = torch.ones(len(layout.negative_images), dtype=torch.bool, device=which.device)
    lone_images[which] = False
    lone_texts = torch.ones(len(layout.negative_texts), dtype=torch.bool, device=which.device)
    lone_texts[layout.negative_images.own_text[which]] = False
    images = torch.cat([features.images, pictures, features.negative_images[lone_images]])
    texts = torch.cat([features.texts, captions, features.negative_texts[lone_texts]])
    pairs = layout.anchors + len(which)
    row_owner = torch.cat([layout.negative_images.owner[which], layout.negative_images.owner[lone_images]])
    text_rows = torch.cat([layout.negative_images.own_text[which], lone_texts.nonzero()[:, 0]])
    hard = torch.zeros(len(images), len(texts), dtype=torch.bool, device=images.device)
    rated = torch.full(hard.shape, float("nan"), dtype=images.dtype, device=images.device)
    rows = torch.arange(len(row_owner), device=images.device) + layout.anchors
    columns = torch.arange(len(text_rows), device=images.device) + layout.anchors
    text_owner = layout.negative_texts.owner[text_rows]
    hard[rows, row_owner] = True
    hard[text_owner, columns] = True
    ratings = torch.cat([layout.negative_images.concreteness[which], layout.negative_images.concreteness[lone_images]])
    rated[rows, row_owner] = ratings.to(images.dtype)
    rated[text_owner, columns] = layout.negative_texts.concreteness[text_rows].to(images.dtype)
    least, most = settings.cement_margins
    margins = find_margins(rated, settings.cement_mode, least, most).masked_fill(~hard, 0.0)
    return scale * images @ texts.T, margins, hard, pairs


def check_terms(terms: Mapping[str, float], there: Mapping[str, int]) -> None:
    """Refuse an objective that would learn nothing of what it is named for.

    Args:
        there: how many contrasts of each sort the data has: texts, images, linked, positives.

    Raises:
        TrainingError: a term needs what the data has none of.
    """
    sorts = {
        "texts": there.get("texts", 0),
        "linked": there.get("linked", 0),
        "negatives": there.get("texts", 0) + there.get("images", 0),
        "positives": there.get("positives", 0),
        "views": there.get("positive_texts", 0) + there.get("views", 0),
        "beside": there.get("beside", 0),
        "paraphrases": there.get("texts", 0)
        and sum(there.get(sort, 0) for sort in ("positive_texts", "views", "beside")),
    }
    words = {
        "texts": "negative texts",
        "linked": "negative pictures with captions of their own",
        "negatives": "negatives",
        "positives": "hard positives",
        "views": "positive texts",
        "beside": "negative texts that name the true text they stand beside (an edit of the kind `beside` in their "
        "column edits, as those of the families *.unit and *.halftruth)",
        "paraphrases": "negative texts with positive texts beside them",
    }
    for term in terms:
        need = NEEDS.get(term)
        if need is not None and not sorts[need]:
            raise TrainingError(
                f"the term {term} learns from {words[need]}, and the packed data has none: "
                "choose families that make them (training.families, training.positives), or another objective"
            )
