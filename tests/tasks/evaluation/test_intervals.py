"""Intervals: Wilson's where items are independent shares, and by drawing whole blocks elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.audit.review.intervals import wilson_interval
from tasks.evaluation.intervals import Term, bound


def test_a_share_of_independent_items_has_wilsons_interval():
    values = np.array([1.0] * 30 + [0.0] * 10)
    found = bound(values, np.arange(40), [Term(np.arange(40), 1.0)])
    assert found == wilson_interval(30, 40)


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
    assert bound(values, np.arange(100), parts) == (pytest.approx(0.5), pytest.approx(0.5))


def test_no_gain_anywhere_is_no_share_of_nought():
    assert bound(np.zeros(40), np.arange(40), [Term(np.arange(40), 1.0)], gains=True) == (0, 0)


def test_the_same_items_give_the_same_interval():
    values, blocks = np.random.default_rng(2).random(50), np.arange(50) // 2
    assert bound(values, blocks, [Term(np.arange(50), 1.0)]) == bound(values, blocks, [Term(np.arange(50), 1.0)])
