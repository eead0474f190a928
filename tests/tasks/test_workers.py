"""The worker processes: they last as long as the pool, whoever asked for the first job, and not longer than the run."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from pathlib import Path

import pytest

from counterfoil.tasks.engine.workers import WorkerDiedError, WorkerPool
from tests.patience import PATIENCE_S


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


def look(name: str) -> tuple[str | None, bool]:
    """A job of a worker: a variable of its environment, and whether sentences can be parsed at once."""
    return os.environ.get(name), "spacy" in sys.modules


def test_workers_begin_with_the_environment_of_now_and_what_their_domains_need(monkeypatch) -> None:
    for value in ("first", "second"):
        monkeypatch.setenv("COUNTERFOIL_LOOKED_AT", value)
        with WorkerPool(1, domains=["caption"]) as pool:
            assert pool.call(look, "COUNTERFOIL_LOOKED_AT", "looking") == (value, True)


KILLED = """
import json, os, sys, time
from counterfoil.tasks.engine.workers import WorkerPool

def tell(_):
    return os.getpid(), os.getppid()

if __name__ == "__main__":
    pool = WorkerPool(1)
    first = pool.call(tell, None, "telling")
    os.kill(first[1], 15)
    print(json.dumps([*first, *pool.call(tell, None, "telling")]), flush=True)
    time.sleep(600)
"""


def test_what_workers_are_forked_from_outlives_sigterm_and_ends_with_its_workers_when_the_run_is_killed(tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    run = subprocess.Popen([sys.executable, tmp_path / "killed.py"], stdout=subprocess.PIPE)
    assert run.stdout is not None
    worker, server, *again = json.loads(run.stdout.readline())
    assert again == [worker, server] != [run.pid, run.pid]
    run.send_signal(signal.SIGKILL)
    run.wait()
    until = time.monotonic() + PATIENCE_S
    while (left := [each for each in (worker, server) if is_there(each)]) and time.monotonic() < until:
        time.sleep(0.02)
    assert left == []


BUSY = """
import time
from counterfoil.tasks.engine.workers import WorkerPool

def work(_):
    until = time.process_time() + 1.0
    while time.process_time() < until:
        pass

if __name__ == "__main__":
    with WorkerPool(1) as pool:
        pool.call(work, None, "working")
"""


def test_who_times_a_run_sees_what_its_workers_took(tmp_path):
    (tmp_path / "idle.py").write_text(BUSY.replace("1.0", "0.0"))
    (tmp_path / "busy.py").write_text(BUSY)
    took = []
    for name in ("idle.py", "busy.py"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, tmp_path / name], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(sum(after[:2]) - sum(before[:2]))
    assert took[1] - took[0] > 0.5


def is_there(process: int) -> bool:
    """Whether a process is there, and no mere entry that nobody has asked for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


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


def test_a_pool_that_was_stopped_starts_no_worker_more() -> None:
    with WorkerPool(1) as pool:
        pool.stop(PATIENCE_S)
        with pytest.raises(WorkerDiedError, match="the workers were ended before dividing"):
            pool.call(divide, 1, "dividing")
        assert not active_children()


STARTING = """
import sys, threading, time
from contextlib import suppress
from counterfoil.tasks.engine.workers import WorkerDiedError, WorkerPool

def wait(_):
    time.sleep(0.1)

def ask(pool):
    with suppress(WorkerDiedError):
        while True:
            pool.call(wait, None, "waiting")

if __name__ == "__main__":
    with WorkerPool(2) as pool:
        pool.call(wait, None, "waiting")
        threads = [threading.Thread(target=ask, args=(pool,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(float(sys.argv[1]))
        pool.stop(10)
        for thread in threads:
            thread.join()
"""


def test_a_worker_that_starts_as_a_run_ends_says_nothing(tmp_path):
    (tmp_path / "starting.py").write_text(STARTING)
    for moment in (0.0, 0.002, 0.004, 0.008, 0.016):
        done = subprocess.run([sys.executable, tmp_path / "starting.py", str(moment)], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), moment


BEGUN = """
import multiprocessing
from counterfoil.tasks.engine.workers import WorkerPool

if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["json"])
    process = context.Process(target=abs, args=(1,))
    process.start()
    process.join()
    with WorkerPool(1, domains=["flowchart"]) as pool:
        print(pool.call(abs, -3, "counting"))
"""


def test_a_program_may_have_forked_workers_of_its_own_before(tmp_path):
    """Then they come from a process that has not imported us."""
    (tmp_path / "begun.py").write_text(BEGUN)
    done = subprocess.run([sys.executable, tmp_path / "begun.py"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "")
