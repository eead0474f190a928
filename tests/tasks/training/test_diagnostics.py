from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from counterfoil.tasks.training.batch import Features, Layout, list_contrasts
from counterfoil.tasks.training.diagnostics import (
    bin_concreteness,
    join_features,
    measure_distances,
    sweep_batches,
    take_anchors,
)
from counterfoil.tasks.training.objectives import measure_shares
from tests.tasks.training import tiny

NONE = list_contrasts([])
EMPTY = torch.zeros(0, 2, dtype=torch.float64)


def rows(*vectors: tuple[float, float]) -> torch.Tensor:
    return torch.tensor(vectors, dtype=torch.float64)


def one_anchor() -> Features:
    """AHNPL's example: two negative texts, rated 4.2 and 4.7."""
    texts = list_contrasts([(0, 0, 4.2, -1), (0, 0, 4.7, -1)])
    layout = Layout(1, True, torch.arange(1), NONE, NONE, texts, NONE)
    return Features(rows((1, 0)), EMPTY, EMPTY, rows((0.6, 0.8)), rows((0.8, 0.6), (0, 1)), EMPTY, layout)


def many(anchors: int) -> Features:
    """Random features: each anchor has a negative text, and a negative picture with a caption of its own."""
    generator = torch.Generator().manual_seed(1)

    def draw(count: int) -> torch.Tensor:
        return torch.nn.functional.normalize(torch.randn(count, 6, generator=generator, dtype=torch.float64), dim=-1)

    texts = list_contrasts([(i // 2, 0, 4.0, -1) for i in range(2 * anchors)])
    images = list_contrasts([(i, 1, 4.0, 2 * i + 1) for i in range(anchors)])
    layout = Layout(anchors, True, torch.arange(anchors), images, NONE, texts, NONE)
    return Features(draw(anchors), draw(anchors), draw(0), draw(anchors), draw(2 * anchors), draw(0), layout)


def test_distances_are_those_of_the_example():
    features = one_anchor()
    alone = replace(
        features,
        negative_texts=features.negative_texts[:1],
        layout=replace(features.layout, negative_texts=list_contrasts([(0, 0, 4.2, -1)])),
    )
    assert measure_distances(alone) == pytest.approx(
        {
            "image_caption": 0.4,
            "image_negative": 0.2,
            "caption_negative": 0.04,
            "image_perturbed": 0.0136060761,
            "caption_perturbed": 0.5396828355,
            "negative_perturbed": 0.3095242533,
        },
        abs=1e-8,
    )


def test_distances_are_means_over_negative_texts():
    assert measure_distances(one_anchor())["image_negative"] == pytest.approx((0.2 + 1.0) / 2)


def test_without_pictures_or_negative_texts_there_are_no_distances():
    features = one_anchor()
    assert measure_distances(replace(features, layout=replace(features.layout, pictured=False))) == {}
    bare = replace(features, negative_texts=EMPTY, layout=replace(features.layout, negative_texts=NONE))
    assert measure_distances(bare) == {}
    assert bin_concreteness(bare) == {}


def test_cosines_by_concreteness_are_those_of_the_example():
    found = bin_concreteness(one_anchor())
    assert found.keys() == {"4.0", "4.5"}
    assert found["4.0"] == pytest.approx((0.6, 0.8))
    assert found["4.5"] == pytest.approx((0.6, 0.0))


def test_parts_of_a_batch_joined_are_the_batch():
    whole = many(8)
    again = join_features([take_anchors(whole, 0, 3), take_anchors(whole, 3, 8)])
    assert torch.equal(again.negative_texts, whole.negative_texts)
    for name in ("negative_texts", "negative_images"):
        for column in ("owner", "kind", "own_text"):
            ours = getattr(getattr(again.layout, name), column)
            assert torch.equal(ours, getattr(getattr(whole.layout, name), column))


def test_hard_negatives_lose_their_share_of_the_gradient_as_batches_grow():
    scale = torch.tensor(1.0, dtype=torch.float64)
    found = sweep_batches(many(64), scale, tiny.choose())
    assert list(found) == ["8", "16", "32", "64"]
    shares = list(found.values())
    assert shares == sorted(shares, reverse=True)
    # All logits are about equal: of the 3 N columns but the pair's own two are an anchor's hard negatives.
    assert shares[-1] < 0.05 < shares[0] < 0.3


def test_the_whole_batch_of_a_sweep_is_the_share_that_is_logged():
    features, scale = many(8), torch.tensor(10.0, dtype=torch.float64)
    told = measure_shares(features, scale, tiny.choose())
    assert sweep_batches(features, scale, tiny.choose())["8"] == told["hard_gradient_share"]
    assert told["easy_gradient_share"] == pytest.approx(1 - told["hard_gradient_share"])
