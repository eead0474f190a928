"""The worker processes: they last as long as the pool, whoever asked for the first job."""

from __future__ import annotations

import subprocess
import sys
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


LEFT = """
from multiprocessing import resource_tracker
from counterfoil.tasks.engine.workers import WorkerPool

if __name__ == "__main__":
    with WorkerPool(1):
        resource_tracker.register("/gone-already", "semaphore")
"""


def test_what_was_cleared_up_twice_is_not_written_after_a_runs_last_line(tmp_path):
    (tmp_path / "left.py").write_text(LEFT)
    done = subprocess.run([sys.executable, tmp_path / "left.py"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
