"""How the shards of a stage are dealt out to task runs."""

from __future__ import annotations

from flows.dealing import MOST, choose_size


def deal(shards: int, workers: int) -> list[int]:
    sizes = []
    while shards:
        sizes.append(choose_size(shards, workers))
        shards -= sizes[-1]
    return sizes


def test_a_small_stage_has_a_task_run_for_each_shard():
    assert deal(7, 2) == [1] * 7


def test_a_long_stage_has_few_task_runs_and_ends_with_single_shards():
    sizes = deal(10_000, 2)
    assert len(sizes) < 200
    assert max(sizes) == MOST
    assert sizes[-4:] == [1] * 4


def test_every_worker_of_a_large_cluster_gets_several_task_runs():
    assert len(deal(10_000, 256)) > 4 * 256
