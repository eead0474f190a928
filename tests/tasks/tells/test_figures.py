"""Scores to figures, on cases worked out by hand, and with other ways of reckoning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.tasks.tells.figures import Items, measure_figures


def make_items(owner, own, anchors) -> Items:
    return Items(np.array(owner), np.array(own, dtype=bool), np.arange(anchors), np.zeros(anchors, dtype=np.int64))


def test_pairs_picks_and_ties_by_hand():
    # Anchor 0: 2.0 against 1.0 and 2.0. Anchor 1: captions 3.0 and 0.0 against 1.0.
    items = make_items([0, 0, 0, 1, 1, 1], [1, 0, 0, 1, 1, 0], 2)
    figures = measure_figures(items, np.array([2.0, 1.0, 2.0, 3.0, 0.0, 1.0]), seed=0)
    # Contrasts: 1.0 is told, 2.0 ties, 1.0 is told from one caption of two.
    assert figures.pairwise.value == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert figures.picked.value == pytest.approx((0.5 + 0.5) / 2)
    assert figures.chance == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_a_constant_score_is_chance_everywhere():
    items = make_items(np.repeat(np.arange(30), 4), [1, 0, 0, 0] * 30, 30)
    figures = measure_figures(items, np.zeros(120), seed=0)
    assert figures.pairwise.value == figures.auc.value == 0.5
    assert figures.picked.value == pytest.approx(figures.chance)


def test_of_one_anchor_and_one_contrast_every_figure_is_known():
    figures = measure_figures(make_items([0, 0], [1, 0], 1), np.array([2.0, 1.0]), seed=0)
    for share in (figures.pairwise, figures.auc, figures.picked):
        assert (share.value, share.low, share.high) == (1.0, 1.0, 1.0)
    assert figures.chance == 0.5


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_figures_agree_with_counting_one_by_one(seed):
    rng = np.random.default_rng(seed)
    own_of = rng.integers(1, 3, 7)
    owner = np.concatenate([[a] * (own_of[a] + 2) for a in range(7)])
    own = np.concatenate([[True] * own_of[a] + [False] * 2 for a in range(7)])
    scores = rng.integers(0, 4, len(owner)).astype(float)
    figures = measure_figures(make_items(owner, own, 7), scores, seed)
    won = [
        np.mean([(s > c) + 0.5 * (s == c) for s in scores[(owner == a) & own]])
        for a in range(7)
        for c in scores[(owner == a) & ~own]
    ]
    assert figures.pairwise.value == pytest.approx(np.mean(won))
    against = scores[~own]
    auc = [
        np.mean([np.mean((s > against) + 0.5 * (s == against)) for s in scores[(owner == a) & own]]) for a in range(7)
    ]
    assert figures.auc.value == pytest.approx(np.mean(auc))
    assert figures.pairwise.low <= figures.pairwise.value + 1e-9
    assert figures.pairwise.high >= figures.pairwise.value - 1e-9


def test_the_interval_is_wider_for_fewer_blocks():
    rng = np.random.default_rng(1)
    owner = np.repeat(np.arange(400), 3)
    own = np.tile([True, False, False], 400)
    scores = rng.normal(size=1200)
    alone = Items(owner, own, np.arange(400), np.zeros(400, dtype=np.int64))
    tied = Items(owner, own, np.arange(400) // 40, np.zeros(400, dtype=np.int64))
    scores += np.where(own, np.repeat(rng.normal(size=10), 120), 0)  # anchors of one block go wrong together
    wide, narrow = (measure_figures(items, scores, seed=0).pairwise for items in (tied, alone))
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
