"""Choosing among neighbours: SimANS by its formula, windows, limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.mining.choose import (
    UNPROVED,
    Choose,
    Limits,
    choose_places,
    draw_simans,
    find_limits,
    find_positive,
    fit_a,
    limit_kin,
    spread_evenly,
    take_turns,
    weigh,
)

SCORES = np.array([0.95, 0.9, 0.88, 0.8, 0.7, 0.5])


def draw_many(a: float, b: float, count: int, times: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([draw_simans(SCORES, 0.9, a, b, count, rng) for _ in range(times)])


@pytest.mark.parametrize(("a", "b"), [(50.0, 0.0), (50.0, -0.1), (0.0, 0.0)])
def test_the_first_draw_follows_the_formula(a: float, b: float) -> None:
    first = draw_many(a, b, 1, 20_000)[:, 0]
    likely = np.exp(weigh(SCORES, 0.9, a, b))
    expected = likely / likely.sum() * len(first)
    assert stats.chisquare(np.bincount(first, minlength=len(SCORES)), expected).pvalue > 0.001


def test_the_second_draw_is_of_what_is_left() -> None:
    drawn = draw_many(50.0, 0.0, 2, 20_000)
    after = drawn[drawn[:, 0] == 1, 1]
    likely = np.exp(weigh(SCORES, 0.9, 50.0, 0.0))
    likely[1] = 0
    kept = likely > 0
    counts = np.bincount(after, minlength=len(SCORES))
    assert counts[1] == 0
    assert stats.chisquare(counts[kept], (likely / likely.sum() * len(after))[kept]).pvalue > 0.001


def test_b_moves_the_likeliest_as_the_paper_says() -> None:
    assert SCORES[np.argmax(weigh(SCORES, 0.9, 50.0, 0.05))] == 0.95
    assert SCORES[np.argmax(weigh(SCORES, 0.9, 50.0, -0.2))] == 0.7


def test_nothing_underflows_however_sharp() -> None:
    drawn = draw_simans(np.linspace(-1, 1, 200), 1.0, 1e9, 0.0, 200, generator(1))
    assert sorted(drawn) == list(range(200))
    assert drawn[0] == 199


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50), st.integers(1, 60))
def test_no_draw_repeats(scores: list[float], count: int) -> None:
    drawn = draw_simans(np.array(scores), 0.5, 100.0, 0.0, count, generator(3))
    assert len(set(drawn.tolist())) == len(drawn) == min(count, len(scores))


def test_the_order_of_equal_scores_bears_on_no_draw() -> None:
    rng = np.random.default_rng(1)
    first = [draw_simans(np.full(4, 0.8), 0.9, 50.0, 0.0, 1, rng)[0] for _ in range(8000)]
    assert stats.chisquare(np.bincount(first)).pvalue > 0.001


def test_the_spread_decides_a_where_none_is_given() -> None:
    scores = np.random.default_rng(0).normal(0.8, 0.02, (50, 100))
    assert fit_a(scores) == pytest.approx(0.5 / 0.02**2, rel=0.1)
    assert fit_a(np.array([[0.5, np.nan], [0.5, 0.5]])) == 0.0
    assert fit_a(np.zeros((0, 3))) == 0.0
    # One neighbour has no spread, and bears on nothing.
    assert fit_a(np.array([[0.5, np.nan], [0.4, 0.6]])) == pytest.approx(50)


@pytest.mark.parametrize("choose", ["window", "random"])
def test_controls_take_any_neighbour_alike(choose: Choose) -> None:
    first = [choose_places(choose, SCORES, 0.9, 3, generator(i))[0] for i in range(3000)]
    assert stats.chisquare(np.bincount(first, minlength=len(SCORES))).pvalue > 0.001


def test_the_nearest_are_the_first() -> None:
    assert choose_places("top", SCORES, 0.9, 3, generator(0)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("given", "judged", "relative"), [(None, False, UNPROVED), (None, True, None), (0.2, False, 0.2), (0.2, True, 0.2)]
)
def test_where_nobody_judges_a_share_below_the_positive_keeps_positives_out(given, judged, relative) -> None:
    settings = DomainSettings(source="x", retrieval_relative=given, retrieval_absolute=0.3, retrieval_most=0.9)
    assert find_limits(settings, judged) == Limits(relative, 0.3, 0.9)
    assert UNPROVED == 0.05


def test_the_lowest_limit_counts() -> None:
    assert Limits().find_limit(0.5) == np.inf
    assert Limits(relative=0.05).find_limit(-0.4) == pytest.approx(-0.42)
    assert Limits(relative=0.05, absolute=0.3, most=0.9).find_limit(0.8) == pytest.approx(0.5)


def test_a_turn_takes_what_is_preferred_though_another_row_has_served_less():
    # In the second turn row 5 has served once, as often as there were turns before, and row 6 never: 5 is preferred.
    orders = [np.array([5, 8]), np.array([7, 5, 6])]
    assert spread_evenly(orders, 2) == [[0, 1], [0, 1]]


def test_where_all_have_served_too_often_the_one_that_served_least_does_and_no_row_twice():
    orders = [np.array([1]), np.array([1, 2]), np.array([2]), np.array([2, 1])]
    taken = spread_evenly(orders, 1)
    assert taken == [[0], [1], [0], [1]], "1 has served once and 2 twice"
    assert spread_evenly([np.array([4, 5]), np.array([4])], 3) == [[0, 1], [0]]


def test_a_row_says_each_of_its_things_in_turn_and_rows_begin_with_different_ones():
    taken = [np.array([0, 1]), np.array([1, 0]), np.array([1, 2])]
    said = take_turns(taken, np.array([3, 3, 3]))
    # In the order of turns row 1 serves second and third first, then the first anchor: 1, 2, then 0.
    assert [each.tolist() for each in said] == [[0, 0], [1, 1], [2, 2]]


def test_kin_are_taken_up_to_the_limit_and_others_always():
    order, kin = np.array([4, 2, 0, 1, 3]), np.array([True, False, True, False, True])
    assert [each.tolist() for each in limit_kin(order, kin, 2)] == [[4, 2, 1, 3], [0]]
    assert [each.tolist() for each in limit_kin(order, kin, 0)] == [[1, 3], [4, 2, 0]]


def test_positives_further_than_half_of_the_neighbours_do_not_count_and_of_none_the_anchor_does():
    scores = np.array([0.8, 0.5, 0.2])
    assert find_positive([0.9, 0.5, 0.49], scores) == pytest.approx(0.7)
    assert find_positive([0.4], scores) == find_positive([], scores) == 1.0
    assert find_positive([-0.5, 0.5], np.array([])) == pytest.approx(0.0), "of no neighbours all count"


def test_fewer_neighbours_than_wanted_are_all_taken():
    assert choose_places("top", SCORES[:2], 0.9, 3, generator(0)).tolist() == [0, 1]
