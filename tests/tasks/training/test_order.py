from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.tasks.training.order import Ref, Run, count_groups, cut_runs, shuffle_runs

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=12)


def make_runs(sizes: list[int]) -> list[Run]:
    return [Run(0, group, np.arange(size)) for group, size in enumerate(sizes)]


def list_refs(runs: list[Run]) -> list[Ref]:
    return [Ref(run.shard, run.group, int(row)) for run in runs for row in run.rows]


@given(SIZES, st.integers(1, 5))
def test_parts_are_the_rows_in_their_order_of_the_sizes_that_were_asked(sizes, parts):
    total = sum(sizes)
    ends = [total * part // parts for part in range(parts + 1)]
    cut = [list_refs(part) for part in cut_runs(make_runs(sizes), ends)]
    assert [len(each) for each in cut] == [stop - start for start, stop in itertools.pairwise(ends)]
    assert [ref for part in cut for ref in part] == list_refs(make_runs(sizes))


@given(SIZES, st.integers(1, 20))
def test_every_row_comes_once_and_each_row_group_in_one_window_alone(sizes, buffer):
    windows = list(shuffle_runs(make_runs(sizes), buffer, np.random.default_rng(0)))
    assert sorted(ref for window in windows for ref in window) == sorted(list_refs(make_runs(sizes)))
    assert sum(map(count_groups, windows)) == len(sizes)
    assert all(len(window) <= buffer or count_groups(window) == 1 for window in windows)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_window_mixes_its_row_groups_and_the_seed_decides_how(seed):
    runs = make_runs([8, 8, 8])
    (window,) = shuffle_runs(runs, 24, np.random.default_rng(seed))
    (again,) = shuffle_runs(runs, 24, np.random.default_rng(seed))
    (other,) = shuffle_runs(runs, 24, np.random.default_rng(seed + 2))
    assert window == again != other
    assert count_groups(window[:8]) > 1
