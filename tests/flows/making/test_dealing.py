"""How the shards of a stage are dealt out to task runs."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from prefect import flow
from prefect._internal.concurrency import services
from prefect.events.worker import EventsWorker

from counterfoil.flows.making import dealing
from counterfoil.flows.process.server import open_server
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.engine.shards import ShardResult, StageJob

READ = """
from prefect.settings import get_current_settings
server = get_current_settings().server
vacuum = server.services.db_vacuum
print(server.events.retention_period.days, *sorted(vacuum.enabled_vacuum_types), vacuum.retention_period.days)
"""


def end_services() -> None:
    """In a child that another test forks later, Prefect 3.8's services have no thread, and their exit would fail."""
    for service in list(services._active_services):
        service._done_event = asyncio.Event()
        service._done_event.set()


os.register_at_fork(after_in_child=end_services)


@dataclass
class Dealt:
    """What a stage came to: the names of its task runs, the shards that were made, what failed, the shards counted."""

    task_runs: list[str]
    made: list[int]
    errors: list[str]
    counted: int


@pytest.fixture
def dealt(tmp_path, monkeypatch) -> Iterator[Callable[..., Dealt]]:
    """Deals shards out to workers that answer by a function, on a Prefect server of its own."""

    def deal(shards: int, workers: int, answer: Callable[[StageJob], None] = lambda _: None) -> Dealt:
        class Pool:
            def __init__(self) -> None:
                self.workers = workers

            def run(self, job: StageJob) -> ShardResult:
                answer(job)
                return ShardResult(job.stage, job.index, job.fingerprint, 1, {"toy": 1}, {})

        job = StageJob("anchors", str(tmp_path), "toy", "toy.anchors", {}, {}, 7, "", 0)
        jobs = [replace(job, fingerprint=fingerprint("dealt", shards, n), index=n) for n in range(shards)]
        names: list[str] = []
        submit = dealing.run_shards.submit

        def note(stage: str, number: str, share: dealing.Share) -> Any:
            names.append(number)
            return submit(stage, number, share)

        monkeypatch.setattr(dealing.run_shards, "submit", note)

        @flow(name="dealing")
        def stage() -> Dealt:
            done = [*dealing.deal_to_task_runs(Pool(), "toy.anchors", deque(jobs), shards)]
            made = sorted(job.index for job, outcome, _ in done if isinstance(outcome, ShardResult))
            return Dealt(names, made, [str(each) for _, each, _ in done if isinstance(each, Exception)], len(done))

        return stage()

    with open_server():
        yield deal
        EventsWorker.drain_all()


def test_a_stage_has_as_many_task_runs_as_workers_and_each_shard_is_made_once(dealt):
    all_began = threading.Barrier(3, timeout=60)

    def answer(job: StageJob) -> None:
        if job.index < 3:
            all_began.wait()

    found = dealt(200, 3, answer)
    assert found == Dealt(["0000", "0001", "0002"], [*range(200)], [], 200)


def test_a_task_run_that_had_its_time_leaves_the_rest_to_another(dealt, monkeypatch):
    monkeypatch.setattr(dealing, "LASTS_S", 0.0)
    found = dealt(5, 2)
    assert sorted(found.task_runs) == [f"{number:04d}" for number in range(5)]
    assert found.made == [*range(5)]


def test_a_shard_that_fails_is_told_and_the_others_are_made(dealt):
    def answer(job: StageJob) -> None:
        if job.index == 4:
            raise OSError("no disk")

    found = dealt(12, 2, answer)
    assert found.made == [number for number in range(12) if number != 4]
    assert found.errors == ["no disk"]


def test_what_the_documentation_sets_to_trim_the_server_is_what_prefect_reads():
    text = (Path(__file__).parents[3] / "docs" / "prefect.md").read_text()
    settings = dict(re.findall(r"export (PREFECT_SERVER_\w+)=(\S+)", text))
    done = subprocess.run(
        [sys.executable, "-c", READ], env=os.environ | settings, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2", "events", "flow_runs", "orphans", "30"]
