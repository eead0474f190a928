"""kill -9 in the middle of a run and of a batch: no answered request reaches the server again.

With a courier (``apart``), as workers have it, what was on the wire is kept as well. Without one it is as if the whole
machine had died: what nobody was there to receive is asked again, but a batch is found.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from counterfoil.tasks.llm.store.store import ResponseStore
from tests.patience import PATIENCE_S

from .conftest import MODELS
from .server import Fault, Server

ROOT = Path(__file__).parents[3]
RUN = """
import sys
from concurrent.futures import ThreadPoolExecutor
from counterfoil.tasks.llm import open_author
kind, model, url, work, mode, count, name = sys.argv[1:]
batch = "batch" if "batch" in mode else ""
section = {"kind": kind, "model": model, "base_url": url, "batch": batch == "batch", "concurrency": 8, "retries": 20,
           "batch_poll_s": 0.05, "batch_quiet_s": 0.1}
author = open_author(section, work=work, apart="apart" in mode)
def ask(i):
    return author.ask("geometry.script", {"question": f"{name}{i}", "answer": "", "markings": True}, family="f").code
with ThreadPoolExecutor(int(count) if batch == "batch" else 8) as pool:
    codes = list(pool.map(ask, range(int(count))))
assert len(codes) == int(count) and all(codes)
author.close()
"""


def start(
    kind: str, server: Server, work: Path, mode: str, count: int, name: str = "q", stderr: int | None = None
) -> subprocess.Popen[bytes]:
    url = server.anthropic_url if kind == "anthropic" else server.openai_url
    command = [sys.executable, "-c", RUN, kind, MODELS[kind], url, str(work), mode, str(count), name]
    return subprocess.Popen(command, cwd=ROOT, stderr=stderr)


def wait_for(condition, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.005)


@pytest.mark.slow
def test_killed_run_pays_no_request_twice(kind: str, server: Server, tmp_path: Path) -> None:
    server.delay_s = 0.3
    server.chance = [(0.05, Fault(status=503)), (0.05, Fault("reset"))]
    count, rng, kills = 60, random.Random(0), 2
    for kill in range(kills):
        process = start(kind, server, tmp_path, "apart", count)
        target = len(server.count_answered()) + rng.randrange(3, 15)
        wait_for(lambda target=target: len(server.count_answered()) >= target, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(server.count_answered()) < count, kill
    assert start(kind, server, tmp_path, "apart", count).wait(PATIENCE_S) == 0
    assert len(server.count_answered()) == count
    assert set(server.count_answered().values()) == {1}
    assert start(kind, server, tmp_path, "apart", count).wait(PATIENCE_S) == 0
    assert set(server.count_answered().values()) == {1}


def test_courier_of_a_killed_run_sends_nothing_more_and_ends(server: Server, tmp_path: Path) -> None:
    server.delay_s = 2.0
    process = start("openai", server, tmp_path, "apart", 40)
    wait_for(lambda: server.arrived >= 8, process)
    (courier,) = psutil.Process(process.pid).children()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert courier.is_running()
    assert psutil.wait_procs([courier], timeout=PATIENCE_S)[1] == []
    assert server.arrived == 8 and len(server.count_answered()) == 8
    with ResponseStore(tmp_path / "answers.sqlite").begin() as connection:
        kept = connection.exec_driver_sql("SELECT count(*) FROM llm_answers").scalar_one()
        claims = connection.exec_driver_sql("SELECT count(*) FROM llm_claims").scalar_one()
    assert (kept, claims) == (8, 0)


def test_courier_that_dies_ends_the_run_in_one_line(server: Server, tmp_path: Path) -> None:
    server.delay_s = 5.0
    process = start("openai", server, tmp_path, "apart", 8, stderr=subprocess.PIPE)
    wait_for(lambda: server.arrived >= 8, process)
    psutil.Process(process.pid).children()[0].kill()
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert b"AuthorUnavailable: the process that asks the author ended unexpectedly (exit code -9): run again" in said


@pytest.mark.slow
def test_killed_while_a_batch_is_in_progress(kind: str, server: Server, tmp_path: Path) -> None:
    server.polls_until_done = 10**9
    process = start(kind, server, tmp_path, "batch", 12)
    wait_for(lambda: any(batch.polls for batch in server.batches.values()), process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    server.polls_until_done = 1
    assert start(kind, server, tmp_path, "batch", 12).wait(PATIENCE_S) == 0
    assert len(server.batches) == 1
    assert sum(server.count_answered().values()) == 12


@pytest.mark.slow
def test_killed_between_handing_in_and_knowing_the_id(kind: str, server: Server, tmp_path: Path) -> None:
    """The batch arrives, its confirmation never does: the next run finds the batch instead of handing it in again."""
    confirm, taken = server._confirm, []

    def hold_back(writer, answer) -> None:
        if taken:
            confirm(writer, answer)
        taken.append(answer)

    server._confirm = hold_back
    process = start(kind, server, tmp_path, "batch", 6)
    wait_for(lambda: taken, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert start(kind, server, tmp_path, "batch", 6).wait(PATIENCE_S) == 0
    assert len(server.batches) == 1
    assert sum(server.count_answered().values()) == 6


@pytest.mark.slow
def test_two_workers_killed_while_handing_in_batches_of_one_size_pay_each_request_once(
    kind: str, server: Server, tmp_path: Path
) -> None:
    """Neither confirmation arrived and the batches are alike: which is whose, the custom ids alone tell."""
    confirm, held = server._confirm, []
    server._confirm = lambda _, answer: held.append(answer)
    server.polls_until_done = 3
    workers = [start(kind, server, tmp_path, "batch", 4, name) for name in "ab"]
    wait_for(lambda: len(held) == 2, workers[0])
    for worker in workers:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    server._confirm = confirm
    workers = [start(kind, server, tmp_path, "batch", 4, name) for name in "ba"]
    assert [worker.wait(PATIENCE_S) for worker in workers] == [0, 0]
    assert [len(batch.items) for batch in server.batches.values()] == [4, 4]
    assert sorted(server.count_answered().values()) == [1] * 8


@pytest.mark.slow
def test_killed_before_the_batch_is_handed_in(server: Server, tmp_path: Path) -> None:
    """Noted in the store but never arrived: the next run hands it in."""
    original, held = server._route_openai_batches, []

    def hold_back(method, path, headers, body, writer) -> None:
        if method == "POST" and not held:
            held.append(path)
            return
        original(method, path, headers, body, writer)

    server._route_openai_batches = hold_back
    process = start("openai", server, tmp_path, "batch", 6)
    wait_for(lambda: held, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert start("openai", server, tmp_path, "batch", 6).wait(PATIENCE_S) == 0
    assert len(server.batches) == 1
    assert sum(server.count_answered().values()) == 6
