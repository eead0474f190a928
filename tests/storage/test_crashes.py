"""kill -9 at any moment, run again: the same rows and the same file bytes, and readers never saw a mixture."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.publish import read_intent
from tests.patience import PATIENCE_S
from tests.warm_workers import fork_with

SHARDS = 6
TAGS = ("one", "two")
KILLS = 24


@pytest.fixture(scope="module")
def processes():
    return fork_with("storage_cases", "counterfoil.storage.dataset")


def _finish(process):
    process.join(PATIENCE_S)
    assert process.exitcode is not None
    return process.exitcode


@pytest.mark.slow
def test_killed_at_random_moments_ends_as_undisturbed(processes, tmp_path):
    calm, killed = str(tmp_path / "calm"), str(tmp_path / "killed")
    started = processes.Event()
    first = processes.Process(target=cases.run_whole, args=(calm, TAGS, SHARDS, started))
    first.start()
    assert started.wait(PATIENCE_S)
    began = time.monotonic()
    assert _finish(first) == 0
    wall = time.monotonic() - began

    dice, kills = random.Random(20), 0
    while kills < KILLS:
        started = processes.Event()
        process = processes.Process(target=cases.run_whole, args=(killed, TAGS, SHARDS, started))
        process.start()
        assert started.wait(PATIENCE_S)
        # A life lasts over a part of the work, so that most of them begin where another was cut off.
        time.sleep(dice.uniform(0, wall * 0.4))
        if process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        if _finish(process) == 0:
            # It won the race: begin again, so that the next kill has work to interrupt.
            _forget_finished(killed, calm)
            continue
        kills += 1
        assert cases.find_mixture(Dataset(killed), shards=SHARDS) is None

    last = processes.Process(target=cases.run_whole, args=(killed, TAGS, SHARDS))
    last.start()
    assert _finish(last) == 0
    assert cases.describe(killed) == cases.describe(calm)
    assert read_intent(Dataset(killed).store) is None


@pytest.mark.slow
def test_killed_at_every_step_of_a_publish(processes, tmp_path):
    base, calm = str(tmp_path / "base"), str(tmp_path / "calm")
    Dataset(base).publish(cases.stage_run(base, "old", 2))
    old = cases.describe(base)
    shutil.copytree(base, calm)
    Dataset(calm).publish(cases.stage_run(calm, "new", 2))
    new = cases.describe(calm)

    step, deaths, unfinished = 0, 0, 0
    while True:
        step += 1
        url = str(tmp_path / f"step{step}")
        shutil.copytree(base, url)
        process = processes.Process(target=cases.publish_and_die, args=(url, "new", step, False, 2))
        process.start()
        if _finish(process) == 0:
            break
        deaths += 1
        seen = cases.describe(url)
        assert seen in (old, new)
        unfinished += read_intent(Dataset(url).store) is not None
        assert cases.find_dangling_heads(url) is None
        Dataset(url).publish(cases.stage_run(url, "new", 2))
        assert cases.describe(url) == new
        shutil.rmtree(url)
    assert deaths > 15
    assert unfinished >= 4


def test_a_dead_publish_is_told_and_finished_by_the_next_run_that_begins(processes, tmp_path):
    url = str(tmp_path / "data")
    Dataset(url).publish(cases.stage_run(url, "old"))
    # 3 anchor files, 6 contrast files and 6 reject files move, the intent is written, contrasts are withdrawn.
    process = processes.Process(target=cases.publish_and_die, args=(url, "new", 17, True))
    process.start()
    assert _finish(process) == -signal.SIGKILL
    dataset = Dataset(url)
    assert read_intent(dataset.store) is not None
    assert {anchor.source for anchor in dataset.anchors()} == {"old"}
    assert cases.find_mixture(dataset) is None

    assert "anchors/domain=geometry" in dataset.unfinished()

    began = dataset.begin()

    assert dataset.unfinished() is None
    assert began == dataset.versions()
    assert {anchor.source for anchor in dataset.anchors()} == {"new"}
    assert cases.find_mixture(dataset) is None


def _forget_finished(killed: str, calm: str) -> None:
    """A life that came to its end made what the undisturbed one made."""
    assert cases.describe(killed) == cases.describe(calm)
    shutil.rmtree(killed)
