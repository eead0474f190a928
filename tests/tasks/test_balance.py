"""Edits chosen over the corpus so that neither side has more of anything."""

import numpy as np
import pytest

from tasks.contract.balance import LEAST_FREE, Change, Edits, choose_balanced, measure_change


def change(**amounts):
    return measure_change({}, amounts)


def choose(groups, most):
    return choose_balanced([Edits.of(group) for group in groups], most)


def total(groups, chosen, name):
    place = measure_change({}, {name: 1}).features[0]
    picked = [group[i] for group, own in zip(groups, chosen, strict=True) for i in own]
    return sum(int(each.amounts[each.features == place].sum()) for each in picked)


def test_what_one_edit_gains_another_loses():
    groups = [[change(end=4), change(end=-4), change(end=4, start=1)] for _ in range(200)]
    chosen = choose(groups, 1)
    assert all(len(own) == 1 for own in chosen)
    assert total(groups, chosen, "end") == 0


def test_an_edit_that_nothing_makes_up_for_is_left_out_but_for_what_is_free():
    groups = [[change(end=4), change(word=1), change(word=-1)] for _ in range(2000)]
    chosen = choose(groups, 3)
    assert {len(own) for own in chosen} == {2, 3}
    assert 0 < total(groups, chosen, "end") < 1.25 * LEAST_FREE


def test_an_anchor_with_any_edit_keeps_one():
    chosen = choose([[change(end=4)] for _ in range(500)] + [[]], 3)
    assert [len(own) for own in chosen] == [1] * 500 + [0]


def test_a_small_corpus_gets_all_that_it_asks_for():
    assert [len(own) for own in choose([[change(end=4), change(end=3), change(end=2)]] * 3, 2)] == [2, 2, 2]


@pytest.mark.parametrize("most", [0, 1, 4])
def test_no_edit_is_taken_twice_and_none_beyond_the_count(most):
    rng = np.random.default_rng(3)
    groups = [
        [Change(np.array([1, 2, 3]), rng.integers(-3, 4, 3)) for _ in range(int(rng.integers(0, 6)))] for _ in range(50)
    ]
    chosen = choose(groups, most)
    assert all(len(own) == len(set(own)) <= min(most, len(group)) for own, group in zip(chosen, groups, strict=True))
