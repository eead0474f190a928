"""The worker processes: they last as long as the pool, whoever asked for the first job."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children

import pytest

from counterfoil.tasks.engine.workers import WorkerPool

pytestmark = pytest.mark.usefixtures("spawned_workers")


def test_workers_outlive_the_thread_that_started_them() -> None:
    """Each stage hands its jobs in from threads of its own; a worker keeps its sandbox from stage to stage."""
    with WorkerPool(1) as pool:
        with ThreadPoolExecutor(1) as stage:
            level = stage.submit(pool.probe, None).result()
        started = {child.pid for child in active_children()}
        assert pool.probe(None) == level
        assert {child.pid for child in active_children()} == started
        assert len(started) == 1


def test_what_a_mapped_function_raised_is_what_comes_out_of_the_pool() -> None:
    with pytest.raises(ZeroDivisionError), WorkerPool(1) as pool:
        list(pool.map(divide, [1, 0, 2], "dividing"))


def divide(number: int) -> float:
    """A job of a worker."""
    return 1 / number
