"""A Ray cluster on this machine: what its workers keep, what they are asked for, and nodes that come while it works."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'counterfoil[ray]'")

from ray.cluster_utils import Cluster

from counterfoil.tasks.engine.cluster import RayPool, wants_gpu
from counterfoil.tasks.engine.shards import StageJob
from counterfoil.tasks.engine.stopping import StoppedError, check_stop
from counterfoil.tasks.engine.workers import WorkerDiedError
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def cluster():
    """One node with a CPU and what passes for a GPU."""
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "num_gpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False},
    )
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def pool(cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    with_cluster = RayPool()
    yield with_cluster
    with_cluster.close()


def tell_where(wait_s: float) -> tuple[int, str, str, list]:
    time.sleep(wait_s)
    context = ray.get_runtime_context()
    return os.getpid(), context.get_node_id(), str(Path.cwd()), ray.get_gpu_ids()


def fail_with(message: str) -> None:
    raise FileNotFoundError(message)


def die_at(path: str) -> str:
    """Die at the first try, and be found at the second."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


def work_in_rows(path: str) -> str:
    Path(path).touch()
    try:
        for _ in range(600):
            check_stop()
            time.sleep(0.05)
    except StoppedError:
        Path(path).with_suffix(".kept").touch()
        raise
    return "not stopped"


def make_job(family: str, kind: str = "contrasts", **settings: object) -> StageJob:
    return StageJob(kind, "data", family.partition(".")[0], family, settings, {}, 7, "ab" * 32, 0, families=(family,))


def test_a_process_serves_one_shard_after_another(pool):
    assert len({pool.call(tell_where, 0.0, "asking")[0] for _ in range(4)}) == 1


def test_relative_paths_are_of_the_folder_of_the_run(pool, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert pool.call(tell_where, 0.0, "asking")[2] == str(tmp_path)


def test_what_runs_a_network_gets_a_gpu_and_nothing_else_does(pool):
    assert pool.call(tell_where, 0.0, "asking", gpus=1)[3] == [0]
    assert pool.call(tell_where, 0.0, "asking")[3] == []
    assert wants_gpu(make_job("caption.edit", editor="stabilityai/sdxl-turbo"))
    assert not wants_gpu(make_job("caption.edit", editor=None))
    assert not wants_gpu(make_job("caption.swap", editor="stabilityai/sdxl-turbo"))
    assert wants_gpu(make_job("caption.retrieval", "part", retrieval_model="openai/clip-vit-base-patch32"))
    assert not wants_gpu(make_job("caption.retrieval", "part", retrieval_model="hashed"))
    assert not wants_gpu(make_job("caption.retrieval", retrieval_model="openai/clip-vit-base-patch32"))


def test_an_error_comes_back_as_it_was_raised(pool):
    with pytest.raises(FileNotFoundError, match="no such picture"):
        pool.call(fail_with, "no such picture", "looking")


def test_a_shard_whose_worker_is_killed_is_run_again(pool, tmp_path):
    assert pool.call(die_at, str(tmp_path / "tried"), "dying") == "lived"


def test_a_node_that_joins_while_a_run_goes_on_is_used(cluster, pool):
    assert pool.workers == 1
    node = cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
    with ThreadPoolExecutor(6) as threads:
        told = list(threads.map(lambda _: pool.call(tell_where, 1.0, "asking"), range(6)))
    assert len({each[1] for each in told}) == 2
    assert pool.workers == 2
    cluster.remove_node(node)


def test_workers_that_are_told_to_stop_keep_what_they_have(pool, tmp_path):
    begun = tmp_path / "begun"
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(pool.call, work_in_rows, str(begun), "working")
        deadline = time.monotonic() + PATIENCE_S
        while not begun.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        pool.stop(PATIENCE_S)
        with pytest.raises((StoppedError, WorkerDiedError)):
            future.result(timeout=PATIENCE_S)
    assert begun.with_suffix(".kept").exists()
