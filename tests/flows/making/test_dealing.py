"""How the shards of a stage are dealt out to task runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from counterfoil.flows.making import artifacts, dealing
from counterfoil.flows.making.dealing import TaskRuns
from counterfoil.flows.making.runs import begin_run
from counterfoil.flows.process import api
from counterfoil.flows.process.server import open_server
from counterfoil.flows.showing.labels import make_key
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.engine import dealing as engine_dealing
from counterfoil.tasks.engine.dealing import Outcome
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from tests.patience import PATIENCE_S

READ = """
from prefect.settings import get_current_settings
server = get_current_settings().server
vacuum = server.services.db_vacuum
print(server.events.retention_period.days, *sorted(vacuum.enabled_vacuum_types), vacuum.retention_period.days)
"""


@dataclass
class Dealt:
    """What a stage came to: its task runs' names and states, the shards made, what failed, the shards counted."""

    task_runs: dict[str, str]
    made: list[int]
    errors: list[str]
    counted: int


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """A Prefect server, which knows no other runs than this module's."""
    with open_server():
        yield


@pytest.fixture
def dealt(tmp_path, server) -> Callable[..., Dealt]:  # noqa: ARG001 - it runs
    """Deals a stage's shards out, twice over, to workers that answer by a function."""

    def deal(shards: int, workers: int, answer: Callable[[StageJob], None] = lambda _: None) -> Dealt:
        class Pool:
            def __init__(self) -> None:
                self.workers = workers

            def run(self, job: StageJob) -> ShardResult:
                answer(job)
                return ShardResult(job.stage, job.index, job.fingerprint, 1, {"toy": 1}, {})

        job = StageJob("anchors", str(tmp_path), "toy", "toy.anchors", {}, {}, 7, "", 0)
        jobs = [replace(job, fingerprint=fingerprint("dealt", shards, n), index=n) for n in range(shards)]
        done: list[Outcome] = []
        with begin_run("dealing", "toy", {}, ["dataset:toy"]) as run:
            task_runs = TaskRuns(run)
            for stage in ("toy.bank", "toy.anchors"):
                done += task_runs.deal(Pool(), stage, deque(replace(each, stage=stage) for each in jobs), shards)
            task_runs.end()
        told = {
            each["name"]: f"{each['state_type']} {each['state']['message']}"
            for each in api.ask("POST", "/task_runs/filter", {"flow_runs": {"id": {"any_": [run.id]}}})
        }
        made = sorted(job.index for job, outcome, _ in done if isinstance(outcome, ShardResult))
        return Dealt(told, made, [str(each) for _, each, _ in done if isinstance(each, Exception)], len(done))

    return deal


@pytest.mark.slow
def test_a_stage_has_as_many_task_runs_as_workers_and_each_shard_is_made_once(dealt):
    all_began = threading.Barrier(3, timeout=PATIENCE_S)

    def answer(job: StageJob) -> None:
        if job.index < 3:
            all_began.wait()

    found = dealt(200, 3, answer)
    assert sorted(found.task_runs) == ["toy[0000]", "toy[0001]", "toy[0002]"]
    assert all(re.match(r"COMPLETED toy.bank \d.*, toy.anchors \d", state) for state in found.task_runs.values())
    assert (found.made, found.errors, found.counted) == (sorted([*range(200)] * 2), [], 400)


@pytest.mark.slow
def test_a_task_run_that_had_its_time_leaves_the_rest_to_another(dealt, monkeypatch):
    monkeypatch.setattr(engine_dealing, "LASTS_S", 0.0)
    found = dealt(5, 2)
    assert sorted(found.task_runs) == [f"toy[{number:04d}]" for number in range(10)]
    assert found.made == sorted([*range(5)] * 2)


@pytest.mark.slow
def test_a_shard_that_fails_is_told_and_the_others_are_made(dealt):
    def answer(job: StageJob) -> None:
        if job.index == 4 and job.stage == "toy.bank":
            raise OSError("no disk")

    found = dealt(12, 2, answer)
    assert found.made == sorted([*range(12), *(number for number in range(12) if number != 4)])
    assert found.errors == ["no disk"]
    assert [state for state in found.task_runs.values() if "COMPLETED" not in state] == ["FAILED OSError: no disk"]


@pytest.mark.slow
def test_the_progress_of_a_stage_that_lasts_is_one_artifact_that_ends_at_all_shards(dealt, monkeypatch, tmp_path):
    monkeypatch.setattr(artifacts, "TELL_EVERY_S", 0.0)
    assert dealt(3, 1).counted == 6
    shown = api.ask("POST", "/artifacts/filter", {"artifacts": {"type": {"any_": ["progress"]}}})
    keys = {make_key(str(tmp_path), stage, "progress") for stage in ("toy.bank", "toy.anchors")}
    told = [(each["key"], each["data"]) for each in shown if each["key"] in keys]
    assert sorted(told) == sorted((key, 100.0) for key in keys)


@pytest.mark.slow
def test_a_task_run_that_the_server_does_not_take_fails_its_shard_and_ends_the_stage(dealt, monkeypatch):
    def refuse(*given: object) -> None:
        raise api.RefusedError(409, f"no room for {given[-1]}")

    monkeypatch.setattr(dealing, "begin_task_run", refuse)
    found = dealt(3, 2)
    assert found.made == [] and len(found.errors) == found.counted == 6
    assert all(error.startswith("409: no room for toy[") for error in found.errors)


def test_what_the_documentation_sets_to_trim_the_server_is_what_prefect_reads():
    text = (Path(__file__).parents[3] / "docs" / "prefect.md").read_text()
    settings = dict(re.findall(r"export (PREFECT_SERVER_\w+)=(\S+)", text))
    done = subprocess.run(
        [sys.executable, "-c", READ], env=os.environ | settings, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2", "events", "flow_runs", "orphans", "30"]
