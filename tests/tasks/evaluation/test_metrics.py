"""Ranks, recall, MRR and nDCG, strict on ties; beside an implementation of another make."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.tasks.evaluation.metrics import ndcg_at, rank_relevant, reciprocal
from counterfoil.tasks.evaluation.tasks import DEPTHS, _expect_ranks

KNOWN = np.array([[0.9, 0.9, 0.1], [0.2, 0.8, 0.3], [0.5, 0.6, 0.4]], dtype=np.float32)
DIAGONAL = [np.array([row]) for row in range(3)]


def test_the_known_matrix_gives_its_known_figures():
    ranks = rank_relevant(KNOWN, DIAGONAL)
    assert (ranks.strict <= 1).mean() == pytest.approx(1 / 3)
    assert (ranks.optimistic <= 1).mean() == pytest.approx(2 / 3)
    assert reciprocal(ranks.strict).mean() == pytest.approx(0.611, abs=5e-4)
    assert reciprocal(ranks.optimistic).mean() == pytest.approx(0.778, abs=5e-4)
    assert ranks.tied.tolist() == [True, False, False]


def test_ndcg_of_two_relevant_at_2_and_4_is_its_known_value():
    scores = np.array([[0.5, 0.9, 0.1, 0.3, 0.4]], dtype=np.float32)
    ranks = rank_relevant(scores, [np.array([0, 3])])
    assert ranks.ndcg[0] == pytest.approx(0.6509209298, abs=1e-10)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=6).filter(
        lambda rows: any(g for _, g in rows)
    )
)
def test_ndcg_of_graded_relevance_is_that_of_the_worst_order_of_what_ties(rows):
    """``rows``: a document's score and its gain, 0 for one that is not relevant."""
    scores, gains = np.array([[s for s, _ in rows]], dtype=np.float32), np.array([g for _, g in rows], dtype=float)
    relevant = np.flatnonzero(gains)
    orders = [
        order
        for order in itertools.permutations(range(len(rows)))
        if all(scores[0, a] >= scores[0, b] for a, b in itertools.pairwise(order))
    ]
    discount = 1 / np.log2(np.arange(len(rows)) + 2)
    worst = min(float((gains[list(order)] * discount).sum()) for order in orders)
    best = float((np.sort(gains)[::-1] * discount).sum())
    found = rank_relevant(scores, [relevant], [gains[relevant]]).ndcg[0]
    assert found == pytest.approx(worst / best)


def test_what_lies_beyond_the_tenth_place_gives_no_ndcg():
    scores = -np.arange(20, dtype=np.float32)[None]
    assert rank_relevant(scores, [np.array([10])]).ndcg[0] == 0
    assert rank_relevant(scores, [np.array([9])]).ndcg[0] == pytest.approx(1 / np.log2(11))


def test_a_constant_score_finds_nothing_though_argmax_would_call_it_right():
    ranks = rank_relevant(np.ones((4, 4), dtype=np.float32), [np.array([0])] * 4)
    assert np.ones((4, 4)).argmax(axis=1).tolist() == [0, 0, 0, 0]
    assert (ranks.strict <= 1).mean() == 0 and (ranks.optimistic <= 1).mean() == 1
    assert ranks.tied.all()


def test_scores_that_only_half_precision_makes_equal_are_no_tie_in_float32():
    scores = np.array([[0.50001, 0.5]], dtype=np.float32)
    assert scores.astype(np.float16)[0, 0] == scores.astype(np.float16)[0, 1]
    assert not rank_relevant(scores, [np.array([0])]).tied[0]


def test_scores_of_another_precision_are_refused():
    with pytest.raises(TypeError, match="float16"):
        rank_relevant(KNOWN.astype(np.float16), DIAGONAL)


def test_mrr_is_the_mean_of_1_over_the_rank_once_whatever_the_depths_of_recall():
    ranks = np.array([1, 2, 4])
    # A released evaluator adds 1 / rank anew for each k of R@1, R@5 and R@10: three times too much.
    assert reciprocal(ranks).mean() == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)


def test_within_a_depth_a_later_rank_counts_nought():
    assert reciprocal(np.array([1, 3, 4]), 3).tolist() == [1.0, pytest.approx(1 / 3), 0.0]


def place_by_hand(row: list[float], relevant: set[int]) -> list[int]:
    """Places of the relevant in a list sorted by score, the irrelevant first among equals: plain Python."""
    order = sorted(range(len(row)), key=lambda i: (-row[i], i in relevant))
    return [place for place, column in enumerate(order, 1) if column in relevant]


@given(st.data())
def test_ranks_and_ndcg_equal_an_independent_sort_on_matrices_with_ties(data):
    columns = data.draw(st.integers(2, 14))
    row = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=columns, max_size=columns))
    relevant = data.draw(st.sets(st.integers(0, columns - 1), min_size=1, max_size=columns - 1))
    ranks = rank_relevant(np.array([row], dtype=np.float32), [np.array(sorted(relevant))])
    places = place_by_hand(row, relevant)
    assert ranks.strict[0] == places[0]
    gain = sum(1 / np.log2(place + 1) for place in places if place <= 10)
    ideal = sum(1 / np.log2(place + 1) for place in range(1, min(10, len(relevant)) + 1))
    assert ranks.ndcg[0] == pytest.approx(gain / ideal)


def test_graded_gains_are_linear_and_their_ideal_is_the_best_order():
    scores = np.array([[0.9, 0.8, 0.7]], dtype=np.float32)
    ranks = rank_relevant(scores, [np.array([0, 2])], [np.array([1.0, 3.0])])
    assert ranks.ndcg[0] == pytest.approx((1 + 3 / 2) / (3 + 1 / np.log2(3)))
    assert ndcg_at(np.array([1, 2]), np.array([3.0, 1.0]), np.array([3.0, 1.0])) == 1


@pytest.mark.parametrize(("relevant", "total"), [(1, 14), (2, 13), (3, 5), (4, 4)])
def test_what_chance_reaches_is_the_mean_over_all_orders(relevant, total):
    best = np.array([1 + min(places) for places in itertools.combinations(range(total), relevant)])
    expected = [
        *((best <= depth).mean() for depth in DEPTHS),
        (1 / best).mean(),
        np.where(best <= 10, 1 / best, 0).mean(),
    ]
    found = _expect_ranks(relevant, total)
    assert found[: len(expected)] == pytest.approx(expected)
    assert np.isnan(found[-2]) and found[-1] == pytest.approx(best.mean())
