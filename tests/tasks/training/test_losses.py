"""Every objective at its published or hand-computed value, in float64, and the properties that releases get wrong."""

from __future__ import annotations

import math

import pytest
import torch

from counterfoil.tasks.training.batch import Features, Layout, list_contrasts
from counterfoil.tasks.training.losses.ahnpl import (
    hard_negative_loss,
    negative_margin_loss,
    next_margins,
    positive_margin_loss,
    shift_images,
)
from counterfoil.tasks.training.losses.c2lip import attend, sigmoid_loss
from counterfoil.tasks.training.losses.ceclip import intra_modal_loss, next_thresholds, rank_loss
from counterfoil.tasks.training.losses.cement import cement_loss, find_margins, share_of_hard
from counterfoil.tasks.training.losses.clic import positive_sets_loss, separate_negatives_loss, unimodal_loss
from counterfoil.tasks.training.losses.clip import clip_loss
from counterfoil.tasks.training.losses.cs import units_loss
from counterfoil.tasks.training.losses.margin import paraphrase_margin_loss
from counterfoil.tasks.training.losses.mathleap import mathleap_loss
from counterfoil.tasks.training.losses.mmclip import mmclip_loss, mmclip_sigmoid_loss
from counterfoil.tasks.training.losses.negclip import negclip_loss
from counterfoil.tasks.training.losses.ragged import pad_own, score_own
from counterfoil.tasks.training.losses.saclip import orthogonal_loss, sc_loss
from counterfoil.tasks.training.losses.tripletclip import triplet_clip_loss
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import OBJECTIVES, TrainingSettings

NONE = float("-inf")


def take(*rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


SIMILARITY = take([0.9, 0.1], [0.2, 0.8])
TEXTS = take([0.7, 0.0], [0.1, 0.6])
LINKED = take([0.85, 0.05], [0.15, 0.75])
CAPTIONS = take([0.65, 0.05], [0.1, 0.55])
POSITIVE, NEGATIVES = take(0.8, 0.5), take([0.6, 0.3], [0.4, NONE])


def close(value: torch.Tensor, expected: float, digits: float = 1e-10) -> bool:
    return abs(value.item() - expected) < digits


def test_clip_negclip_and_tripletclip_have_their_values():
    assert close(clip_loss(SIMILARITY, 10.0), 0.0011585061)
    assert close(negclip_loss(SIMILARITY, TEXTS, 10.0), 0.0647662642)
    assert close(triplet_clip_loss(SIMILARITY, TEXTS, LINKED, CAPTIONS, 10.0), 0.1297090380)


def test_without_negatives_negclip_and_tripletclip_are_clip():
    none = torch.zeros(2, 0, dtype=torch.float64)
    assert close(negclip_loss(SIMILARITY, none, 10.0), clip_loss(SIMILARITY, 10.0).item())
    assert close(triplet_clip_loss(SIMILARITY, none, none[:0], none[:0], 10.0), clip_loss(SIMILARITY, 10.0).item())


@pytest.mark.parametrize(("scale", "value"), [(1.0, 0.7651679889), (20.0, 0.0725612607)])
def test_mmclip_has_its_value(scale, value):
    assert close(mmclip_loss(POSITIVE, NEGATIVES, scale), value)


def test_mmclips_gradient_on_the_pair_is_the_chance_of_the_negatives():
    positive = POSITIVE.clone().requires_grad_()
    (mmclip_loss(positive, NEGATIVES, 1.0) * 2).backward()
    assert close(positive.grad[0], -0.5876733144)


def test_mmclips_sigmoid_variant_has_its_value():
    assert close(mmclip_sigmoid_loss(POSITIVE, NEGATIVES, 1.0), 1.8250180487)


@pytest.mark.parametrize("loss", [mmclip_loss, mmclip_sigmoid_loss, intra_modal_loss])
def test_an_anchor_without_negatives_leaves_the_mean_and_gets_no_gradient(loss):
    positive = take(0.8, 0.5, 0.1).requires_grad_()
    negatives = take([0.6, 0.3], [0.4, NONE], [NONE, NONE]).requires_grad_()
    scale = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    value = loss(positive, negatives, scale)
    value.backward()
    assert torch.isfinite(scale.grad)
    assert close(value, loss(POSITIVE, NEGATIVES, 1.0).item())
    assert torch.isfinite(positive.grad).all()
    assert torch.isfinite(negatives.grad).all()
    assert positive.grad[2] == 0
    assert (negatives.grad[2] == 0).all()


def test_saclips_sc_term_has_its_values_and_is_the_cartesian_product():
    positives = tuple(take([value]) for value in (0.9, 0.7, 0.8, 0.6))
    negatives = (take([0.85, 0.75]), take([0.5, 0.4]), take([0.7, 0.6, 0.5]), take([0.4, 0.3, 0.2]))
    assert close(sc_loss(positives, negatives, 1.0), 0.5984445909)
    assert close(sc_loss(positives, negatives, 0.07), 0.2249340490, 2e-10)
    images = zip((0.85, 0.75), (0.5, 0.4), strict=True)
    texts = list(zip((0.7, 0.6, 0.5), (0.4, 0.3, 0.2), strict=True))
    pairs = [sum(map(math.exp, (*image, *text))) for image in images for text in texts]
    drawn = sum(map(math.exp, (0.9, 0.7, 0.8, 0.6)))
    assert close(sc_loss(positives, negatives, 1.0), -math.log(drawn / (drawn + sum(pairs) / len(pairs))))


def test_an_anchor_without_hard_positives_leaves_the_sc_term():
    positives = [take([value], [NONE]).requires_grad_() for value in (0.9, 0.7, 0.8, 0.6)]
    negatives = [take([0.85, 0.75], [0.1, 0.2]).requires_grad_() for _ in range(4)]
    value = sc_loss(tuple(positives), tuple(negatives), 0.1)
    value.backward()
    assert close(value, sc_loss(tuple(x[:1] for x in positives), tuple(x[:1] for x in negatives), 0.1).item())
    assert all(torch.isfinite(x.grad).all() for x in (*positives, *negatives))


def do_loss_as_printed(anchor: torch.Tensor, negatives: torch.Tensor) -> torch.Tensor:
    """The distinct factor orthogonal term of one anchor in one modality, as printed (SaCLIP Eq. 12-14).

    It is the residual of a linear system solved by least squares, so it is 0 whenever the negatives are affinely
    independent: always, with eight negatives in 768 dimensions. Of unit vectors it is 0 in any number of dimensions:
    r^2 + c^2 = (|z|^2 + |n|^2) / 2 = 1 for each negative, so the right-hand side is 0. (Its sign is wrong besides: Eq.
    11 gives c^2 - r^2.) No objective offers it, since towers give unit vectors.
    `orthogonal_loss` is what it set out to be. Shapes: [D], and [K, D] with K of at least 2.
    """
    radii = ((anchor - negatives) / 2).square().sum(-1)
    centres = ((anchor + negatives) / 2).square().sum(-1)
    right = (radii + centres).diff()
    steps = negatives.diff(dim=0)
    shared = torch.linalg.pinv(steps) @ right
    return torch.linalg.vector_norm(steps @ shared - right)


def test_saclips_do_term_as_printed_is_zero_for_independent_negatives():
    plane = take([0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, -1.0])
    assert close(do_loss_as_printed(take(1.0, 0.0), plane), 0.3015113446)
    torch.manual_seed(0)
    anchor, *negatives = torch.nn.functional.normalize(torch.randn(9, 768, dtype=torch.float64), dim=-1)
    assert do_loss_as_printed(anchor, torch.stack(negatives)) < 1e-12


def test_our_orthogonal_term_has_its_value_and_a_gradient_that_lowers_it():
    one, two, three = torch.eye(3, dtype=torch.float64)
    assert close(orthogonal_loss(one, torch.stack([two, three])), 0.5)
    torch.manual_seed(1)
    points = torch.randn(5, 16, dtype=torch.float64, requires_grad=True)
    before = orthogonal_loss(points[0], points[1:])
    (gradient,) = torch.autograd.grad(before, points)
    moved = points - 0.05 * gradient
    assert orthogonal_loss(moved[0], moved[1:]) < before


def test_ahnpls_terms_have_their_values():
    image, text = take([1.0, 0.0]), take([0.6, 0.8])
    negatives, owner = take([0.8, 0.6], [0.0, 1.0]), torch.tensor([0, 0])
    shifted = shift_images(image, text, negatives, owner)
    assert close(hard_negative_loss(pad_own(score_own(image, shifted, owner), owner, 1)), 1.6346146006)
    assert close(hard_negative_loss(pad_own(score_own(text, negatives, owner), owner, 1)), 1.5763437730)
    positive, scores = take(0.30, 0.25), take([0.28, 0.20], [0.27, 0.10])
    margins = next_margins(positive, scores, torch.zeros(2, dtype=torch.float64))
    assert torch.allclose(margins, take(0.0, 0.125))
    assert close(negative_margin_loss(positive, scores, margins, "sum"), 0.045)
    a = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    drawn = positive_margin_loss(positive, a, "sum")
    drawn.backward()
    assert close(drawn, 0.45)
    assert a.grad == 2


def test_ahnpls_shift_is_a_target_and_trains_no_text():
    image, text = take([1.0, 0.0]).requires_grad_(), take([0.6, 0.8]).requires_grad_()
    negatives, owner = take([0.8, 0.6]).requires_grad_(), torch.tensor([0])
    shift_images(image, text, negatives, owner).sum().backward()
    assert image.grad is not None
    assert text.grad is None
    assert negatives.grad is None


def test_a_kind_of_negative_that_is_absent_keeps_its_threshold():
    positive, scores, before = take(0.3, 0.25), take([0.2, NONE], [0.1, NONE]), take(0.0, 0.07)
    assert torch.allclose(next_margins(positive, scores, before), take(0.125, 0.07))
    assert torch.allclose(next_thresholds(positive, scores, before), take(0.125, 0.07))


def test_ceclip_ranks_by_thresholds_of_the_step_before_up_to_a_bound():
    positive, scores = take(3.0, 2.5), take([2.8, 2.0], [2.7, 1.0])
    thresholds = next_thresholds(positive, scores, torch.zeros(2, dtype=torch.float64))
    assert torch.allclose(thresholds, take(0.0, 1.25))
    assert close(rank_loss(positive, scores, thresholds), (0.2 + 0.25) / 4)
    assert next_thresholds(positive * 100, scores, thresholds).tolist() == [10.0, 10.0]


def test_cements_margins_follow_concreteness():
    rated = take(3.8, 4.0, 4.2, 5.0, float("nan"))
    expected = take(-1.1655658907, 0.0, 1.1655658907, 1.9949159349, 0.0)
    assert torch.allclose(find_margins(rated), expected, atol=1e-10)
    assert torch.allclose(find_margins(rated, "inverse"), -expected, atol=1e-10)
    assert find_margins(rated, "static").tolist() == [2.0] * 5


def test_cement_has_its_values():
    logits, crossed = take([25.0, 24.0], [23.0, 26.0]), 1 - torch.eye(2, dtype=torch.float64)
    margins = find_margins(take(4.2)) * crossed
    assert close(cement_loss(logits, margins, 2), 0.8243101736)
    assert close(cement_loss(logits, margins, 2, halved=True), 0.4121550868)
    assert close(cement_loss(logits, 0 * margins, 2), 0.3078525306)
    assert close(cement_loss(logits, 0 * margins, 2, halved=True), 0.1539262645, 1e-9)


def test_a_margin_raises_the_share_of_the_gradient_on_hard_negatives():
    torch.manual_seed(2)
    logits = torch.randn(8, 8, dtype=torch.float64) + 3 * torch.eye(8, dtype=torch.float64)
    hard = torch.eye(8, dtype=torch.bool).roll(4, 1)
    shares = [share_of_hard(logits, margin * hard, hard, 8).item() for margin in (-2.0, 0.0, 2.0)]
    assert shares[0] < shares[1] < shares[2]
    chances = torch.softmax(logits, 1)
    expected = (chances[hard] / (1 - chances.diagonal())).mean()
    assert close(share_of_hard(logits, 0.0 * hard, hard, 8), expected.item())


def test_mathleap_masks_the_other_views_of_a_statement():
    two = torch.tensor([0, 1])
    assert close(mathleap_loss(SIMILARITY, two, two), 3.1283643231e-06, 1e-15)
    further = torch.cat([SIMILARITY, LINKED], 1)
    assert close(mathleap_loss(further, two, torch.tensor([0, 1, -1, -1])), 0.3132648159)
    assert close(mathleap_loss(further, two, two.repeat(2)), 4.279220e-06, 1e-12)


def test_padding_keeps_each_negative_with_its_owner():
    owner = torch.tensor([2, 0, 2, 2])
    padded = pad_own(take(1.0, 2.0, 3.0, 4.0), owner, 4)
    assert padded.tolist() == [[2.0, NONE, NONE], [NONE] * 3, [1.0, 3.0, 4.0], [NONE] * 3]
    assert pad_own(take(1.0)[:0], owner[:0], 2).tolist() == [[NONE], [NONE]]


NAN = float("nan")


@pytest.mark.parametrize("at", ["positive", "negatives"])
@pytest.mark.parametrize(
    "loss",
    [
        lambda positive, negatives: mmclip_loss(positive, negatives, 20.0),
        lambda positive, negatives: mmclip_sigmoid_loss(positive, negatives, 20.0),
        lambda positive, negatives: intra_modal_loss(positive, negatives, 20.0),
        lambda positive, negatives: rank_loss(positive, negatives, take(0.0, 0.0)),
        lambda positive, negatives: negative_margin_loss(positive, negatives, take(0.0, 0.0)),
        lambda positive, negatives: negative_margin_loss(positive, negatives, take(0.0, 0.0), "sum"),
        lambda positive, negatives: hard_negative_loss(torch.cat([positive[:, None], negatives], 1)),
        lambda positive, negatives: positive_margin_loss(positive + negatives.sum(), 0.2),
        lambda positive, negatives: sc_loss((positive[:, None],) * 4, (negatives,) * 4, 0.1),
        lambda positive, negatives: sc_loss(
            (take([0.5], [0.5]),) * 4, (torch.cat([positive[:, None], negatives], 1),) * 4, 1
        ),
    ],
)
@pytest.mark.parametrize("also_none", [False, True])
def test_no_loss_tells_a_number_of_what_is_none(loss, at, also_none):
    """Also where the anchor has nothing else: what is no number is not absent."""
    positive, negatives = take(0.8, 0.5), take([NONE, NONE] if also_none else [0.6, 0.3], [0.4, 0.2])
    (positive if at == "positive" else negatives)[0].fill_(NAN)
    assert math.isnan(loss(positive, negatives).item())


def test_the_orthogonal_terms_gradient_is_bounded_wherever_the_points_lie():
    """By 3 / epsilon: also where a negative comes near its anchor, near another negative, or onto both."""
    torch.manual_seed(3)
    worst = 0.0
    for size in (2, 3, 8):
        for gap in (1.0, 0.1, 0.01, 1e-4, 1e-7, 0.0):
            for beside in (0, 1):
                for _ in range(4):
                    points = torch.nn.functional.normalize(torch.randn(size + 1, 12, dtype=torch.float64), dim=-1)
                    points[beside + 1] = points[beside] + gap * torch.randn(12, dtype=torch.float64) / 12**0.5
                    points.requires_grad_()
                    (gradient,) = torch.autograd.grad(orthogonal_loss(points[0], points[1:]), points)
                    assert torch.isfinite(gradient).all()
                    worst = max(worst, gradient.norm().item())
    assert 1 < worst <= 30


def test_the_orthogonal_term_is_the_cosine_of_what_is_distinct_where_that_is_no_shorter_than_epsilon():
    torch.manual_seed(4)
    anchor, *negatives = torch.nn.functional.normalize(torch.randn(6, 32, dtype=torch.float64), dim=-1)
    others = torch.stack(negatives)
    steps = others.diff(dim=0)
    centroid = torch.cat([anchor[None], others]).mean(0)
    shared = centroid + torch.linalg.pinv(steps) @ (steps @ (anchor - centroid))
    expected = torch.cosine_similarity((anchor - shared)[None], others - shared, dim=-1).abs().mean()
    assert close(orthogonal_loss(anchor, others), expected.item())


def test_the_do_term_as_printed_is_zero_on_unit_vectors_also_where_they_are_dependent():
    angles = torch.tensor([0.1, 0.5, 1.0, 2.0, 3.0], dtype=torch.float64)
    anchor, *negatives = torch.stack([angles.cos(), angles.sin()], dim=1)
    assert do_loss_as_printed(anchor, torch.stack(negatives)) < 1e-12


SETS = (torch.tensor([0, 1, 0]), torch.tensor([0, 0, 1]))
WIDE = take([0.9, 0.1, 0.7], [0.2, 0.8, 0.3])


def soften(row: list[float], at: int, scale: float = 10.0) -> float:
    """A cross-entropy by plain arithmetic."""
    return math.log(sum(math.exp(scale * each) for each in row)) - scale * row[at]


def test_clics_sets_are_clips_of_their_own_averaged():
    first = (soften([0.9, 0.1], 0) + soften([0.2, 0.8], 1) + soften([0.9, 0.2], 0) + soften([0.1, 0.8], 1)) / 4
    second = (soften([0.7], 0) + soften([0.7, 0.3], 0)) / 2
    assert close(positive_sets_loss(WIDE, *SETS, 10.0), (first + second) / 2)
    whole = torch.arange(2), torch.zeros(2, dtype=torch.int64)
    assert close(positive_sets_loss(SIMILARITY, *whole, 10.0), clip_loss(SIMILARITY, 10.0).item())


def test_clics_separate_negatives_are_two_logits_at_a_time():
    def pairs(*leads: float) -> float:
        return sum(soften([lead, 0.0], 0) for lead in leads) / len(leads)

    positive, negatives = take([0.8, 0.7], [0.5, NONE]), take([0.6], [0.4])
    assert close(separate_negatives_loss(positive, negatives, 10.0), pairs(0.2, 0.1, 0.1))
    assert close(separate_negatives_loss(positive, take([0.6], [NONE]), 10.0), pairs(0.2, 0.1))
    assert separate_negatives_loss(positive, take([NONE], [NONE]), 10.0).item() == 0


def test_clics_unimodal_term_sums_over_dimensions_and_averages_over_pairs():
    assert close(unimodal_loss(take([1.0, 0.0], [0.6, 0.8]), take([0.8, 0.6], [0.6, 0.8])), 0.2)
    assert unimodal_loss(take([1.0, 0.0])[:0], take([1.0, 0.0])[:0]).item() == 0


def test_a_units_foil_is_met_by_its_own_picture_alone():
    own, first = torch.tensor([0, 1]), torch.tensor([0, 0])
    to_units = (soften([0.9, 0.1, 0.7], 0) + soften([0.2, 0.8, 0.6], 1)) / 2
    to_images = (soften([0.9, 0.2], 0) + soften([0.1, 0.8], 1)) / 2
    assert close(units_loss(SIMILARITY, take(0.7, 0.6), own, first, 10.0), (to_units + to_images) / 2)
    two = torch.cat([SIMILARITY, SIMILARITY], 1), take(0.7, 0.6, 0.7, 0.6), own.repeat(2), torch.tensor([0, 0, 1, 1])
    assert close(units_loss(*two, 10.0), (to_units + to_images) / 2)


def test_a_units_foil_is_no_column_of_whole_captions():
    rows = torch.nn.functional.normalize(torch.randn(11, 4, generator=torch.Generator().manual_seed(0)), dim=-1)
    none = list_contrasts([])
    foils = [(0, 0, math.nan, -1), (1, 0, math.nan, -1), (0, 1, math.nan, -1)]

    def lose(terms: dict[str, float], negatives: int, units: int) -> float:
        linked = list_contrasts([(0, 1, math.nan, 2)][:units])
        layout = Layout(2, True, torch.arange(2), none, none, list_contrasts(foils[:negatives]), linked)
        features = Features(
            rows[:2], rows[:0], rows[:0], rows[2:4], rows[4 : 4 + negatives], rows[8 : 8 + units], layout
        )
        return Objective(TrainingSettings(objective=terms), 2)(features, torch.tensor(10.0))[0].item()

    whole, of_units = lose({"negclip": 1.0}, 2, 0), lose({"units": 1.0}, 3, 1)
    assert lose(OBJECTIVES["cs"], 3, 1) == pytest.approx(whole + 0.5 * of_units)
    assert lose({"negclip": 1.0}, 3, 0) != pytest.approx(whole)


def test_c2lips_sigmoid_has_its_value_and_hides_what_is_hidden():
    matches = torch.eye(2, dtype=torch.bool)
    expected = [math.log1p(math.exp(each)) for each in (-4.0, -4.0, -3.0, -3.0)]
    assert close(sigmoid_loss(SIMILARITY, matches, 10.0, -5.0), sum(expected) / 2)
    assert close(sigmoid_loss(SIMILARITY, matches, 10.0, -5.0, ~matches), (expected[0] + expected[2]) / 2)


def test_c2lips_attention_is_the_cosine_with_the_pooled_picture():
    torch.manual_seed(5)
    phrases, patches = torch.randn(3, 8, dtype=torch.float64), torch.randn(2, 5, 8, dtype=torch.float64)
    phrases, patches = (torch.nn.functional.normalize(each, dim=-1) for each in (phrases, patches))
    weights = torch.softmax(torch.einsum("md,npd->nmp", phrases, patches) / 0.1, -1)
    pooled = torch.nn.functional.normalize(torch.einsum("nmp,npd->nmd", weights, patches), dim=-1)
    assert torch.allclose(attend(phrases, patches, 0.1), (pooled * phrases[None]).sum(-1), atol=1e-12)


def test_the_margin_ends_where_the_paraphrase_leads_by_it():
    positive, negatives = take([0.8, 0.7], [0.5, NONE]), take([0.72], [0.4])
    assert close(paraphrase_margin_loss(positive, negatives), 0.06 / 3)
    assert paraphrase_margin_loss(positive, negatives - 0.1).item() == 0


@pytest.mark.parametrize(
    "loss",
    [
        lambda x: positive_sets_loss(x @ x.T, torch.tensor([0, 1, 2, 0]), torch.tensor([0, 0, 0, 1]), 5.0),
        lambda x: separate_negatives_loss(x[:, :2], x[:, 2:], 5.0),
        lambda x: unimodal_loss(x[:2], x[2:]),
        lambda x: units_loss(x @ x.T, x[:, 0], torch.tensor([0, 1, 2, 0]), torch.tensor([0, 0, 0, 1]), 5.0),
        lambda x: sigmoid_loss(x @ x.T, torch.eye(4, dtype=torch.bool), 5.0, -1.0),
        lambda x: attend(x[:2], x.view(2, 2, 6), 0.3).sum(),
        lambda x: paraphrase_margin_loss(x[:, :2], x[:, 2:], 0.5),
    ],
)
def test_gradients_of_the_newer_terms_are_those_of_finite_differences(loss):
    torch.manual_seed(6)
    points = torch.nn.functional.normalize(torch.randn(4, 6, dtype=torch.float64), dim=-1).requires_grad_()
    assert torch.autograd.gradcheck(loss, points)
