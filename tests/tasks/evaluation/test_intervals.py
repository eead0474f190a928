"""Intervals: Wilson's of each share, put together over parts and for gains; by drawing blocks for what is no share."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.audit.review.intervals import wilson_interval
from counterfoil.tasks.evaluation.intervals import Term, bound


def test_a_share_of_independent_items_has_wilsons_interval():
    values = np.array([1.0] * 30 + [0.0] * 10)
    found = bound(values, np.arange(40), [Term(np.arange(40), 1.0)])
    assert found == pytest.approx(wilson_interval(30, 40))


def test_items_that_share_a_picture_make_the_interval_wider():
    values = np.repeat(np.random.default_rng(0).integers(0, 2, 40).astype(float), 10)
    alone = bound(values, np.arange(400), [Term(np.arange(400), 1.0)])
    together = bound(values, np.repeat(np.arange(40), 10), [Term(np.arange(400), 1.0)])
    assert together[1] - together[0] > 2 * (alone[1] - alone[0])


def test_the_interval_of_a_mean_holds_it_in_about_95_of_100_samples():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        low, high = bound(rng.random(80), np.arange(80), [Term(np.arange(80), 1.0)])
        held += low <= 0.5 <= high
    assert 180 <= held <= 199


def test_a_macro_figure_weighs_parts_not_items():
    values = np.array([1.0] * 90 + [0.0] * 10)
    parts = [Term(np.arange(90), 0.5), Term(np.arange(90, 100), 0.5)]
    low, high = bound(values, np.arange(100), parts)
    # Nothing of the first part was lost, nothing of the second found: what the few of the second leave open is most.
    assert low == pytest.approx(0.5 - 0.5 * (1 - wilson_interval(90, 90)[0]), abs=1e-9)
    assert high == pytest.approx(0.5 + 0.5 * wilson_interval(0, 10)[1], abs=1e-9)


@pytest.mark.parametrize("blocks", [np.arange(45), np.arange(45) // 3])
def test_all_right_is_not_known_for_sure(blocks):
    low, high = bound(np.ones(45), blocks, [Term(np.arange(45), 1.0)])
    assert high == 1 and low == pytest.approx(wilson_interval(len(set(blocks)), len(set(blocks)))[0])


def test_all_right_in_every_part_is_not_known_for_sure_either():
    parts = [Term(np.arange(start, start + 45), 1 / 3) for start in (0, 45, 90)]
    low, high = bound(np.ones(135), np.arange(135), parts)
    one = 1 - wilson_interval(45, 45)[0]
    assert high == 1 and low == pytest.approx(1 - one / np.sqrt(3))


def test_parts_of_the_same_pictures_rise_and_fall_together():
    values = np.tile(np.random.default_rng(0).integers(0, 2, 60).astype(float), 2)
    parts = [Term(np.arange(60), 0.5), Term(np.arange(60, 120), 0.5)]
    apart = bound(values, np.arange(120), parts)
    together = bound(values, np.tile(np.arange(60), 2), parts)
    assert together[1] - together[0] == pytest.approx(np.sqrt(2) * (apart[1] - apart[0]), rel=0.01)


def test_no_gain_among_few_items_is_not_known_for_sure():
    low, high = bound(np.zeros(40), np.arange(40), [Term(np.arange(40), 1.0)], gains=True)
    few = wilson_interval(0, 40)[1]
    assert low == pytest.approx(-few * np.sqrt(2)) or low == pytest.approx(-few)
    assert high == -low


@pytest.mark.parametrize(("share", "size"), [(0.5, 1), (0.95, 1), (0.9, 4)])
def test_the_interval_of_a_macro_share_holds_it_in_about_95_of_100_samples(share, size):
    rng = np.random.default_rng(3)
    parts = [Term(np.arange(0, 60 * size), 0.5), Term(np.arange(60 * size, 100 * size), 0.5)]
    held = 0
    for _ in range(400):
        each = (rng.random(100) < share).astype(float)
        low, high = bound(np.repeat(each, size), np.repeat(np.arange(100), size), parts)
        held += low <= share <= high
    assert 368 <= held <= 398


def test_the_interval_of_a_gain_holds_it_in_about_95_of_100_samples():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        first, second = rng.random(80) < 0.9, rng.random(80) < 0.7
        low, high = bound(first * 1.0 - second, np.arange(80), [Term(np.arange(80), 1.0)], gains=True)
        held += low <= 0.2 <= high
    assert 368 <= held <= 396


def test_a_mean_rank_is_bounded_by_drawing_again():
    ranks = np.random.default_rng(5).integers(1, 50, 80).astype(float)
    low, high = bound(ranks, np.arange(80), [Term(np.arange(80), 1.0)])
    assert 1 < low < ranks.mean() < high < 50


def test_a_mean_that_is_drawn_again_is_known_as_well_as_means_are():
    ranks = np.random.default_rng(5).integers(1, 50, 2000).astype(float)
    error = ranks.std() / np.sqrt(len(ranks))
    low, high = bound(ranks, np.arange(2000), [Term(np.arange(2000), 1.0)])
    assert [(ranks.mean() - low) / error, (high - ranks.mean()) / error] == pytest.approx([1.96, 1.96], abs=0.1)


def test_what_is_a_little_more_than_a_share_is_none():
    values = np.linspace(1, 1.5, 50)
    low, high = bound(values, np.arange(50), [Term(np.arange(50), 1.0)])
    assert 1.1 < low < values.mean() < high < 1.4


def test_the_same_items_give_the_same_interval():
    values, blocks = np.random.default_rng(2).random(50), np.arange(50) // 2
    assert bound(values, blocks, [Term(np.arange(50), 1.0)]) == bound(values, blocks, [Term(np.arange(50), 1.0)])
