"""A shard that was stopped between two rows goes on with the next row, and ends up with the same bytes."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Provenance, Reject, content_id
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine import registry, resuming, stopping
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.resuming import Parts, make_rows
from counterfoil.tasks.engine.runner import run_job
from counterfoil.tasks.engine.stopping import StoppedError
from tests.patience import PATIENCE_S
from tests.tasks.toy_domain import ToySettings

ROWS = 8


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    monkeypatch.setitem(registry.DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    registry.load_domain.cache_clear()
    yield
    registry.load_domain.cache_clear()
    stopping._stop.clear()


@pytest.fixture
def context():
    return Context(settings=ToySettings(), seed=7, renderer=MemoRenderer())


def open_job(path):
    section = ToySettings(source=f"count:{ROWS}").model_dump()
    procedural = {"kind": "procedural"}
    work = Pipeline(str(path), {"toy": section}, procedural, procedural, seed=7, shard_size=ROWS)
    (job,) = work.anchor_jobs("toy", None, DomainRun("toy"))
    return job, work.staged


def stop_after(rows: int):
    """Progress that sends this process SIGTERM, as the run's main process does to its workers."""
    left = [rows]

    def progress(done: int) -> None:
        left[0] -= done
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGTERM)

    return progress


@pytest.fixture
def _heeding():
    before = signal.getsignal(signal.SIGTERM)
    stopping.heed_stop()
    yield
    signal.signal(signal.SIGTERM, before)


def describe(shard) -> dict[str, str]:
    return {key: file.sha256 for key, file in shard.files.items()}


@pytest.mark.usefixtures("_heeding")
def test_a_shard_stopped_twice_ends_with_the_bytes_of_a_calm_one(tmp_path, context):
    calm, calm_store = open_job(tmp_path / "calm")
    run_job(calm, context, calm_store)
    job, store = open_job(tmp_path / "rough")
    for rows in (3, 5):
        with pytest.raises(StoppedError, match="run the same command again"):
            run_job(job, context, store, stop_after(rows))
        assert store.find(job.fingerprint) is None
        stopping._stop.clear()
    done: list[int] = []
    run_job(job, context, store, done.append)
    assert done == [5, 1, 1, 1]
    assert describe(store.find(job.fingerprint)) == describe(calm_store.find(calm.fingerprint))
    assert count_files(tmp_path / "rough") == count_files(tmp_path / "calm")


@pytest.mark.usefixtures("_heeding")
def test_a_worker_that_was_told_to_stop_begins_no_shard(tmp_path, context):
    job, store = open_job(tmp_path)
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(StoppedError):
        run_job(job, context, store)


def test_a_long_shard_is_kept_now_and_then(tmp_path, monkeypatch, context):
    monkeypatch.setattr(resuming, "KEEP_EVERY_S", 0.0)
    job, store = open_job(tmp_path)
    rows: list[int] = []

    def die_at_the_fifth(done: int) -> None:
        rows.append(done)
        if len(rows) == 5:
            raise MemoryError  # no more than a kill would leave time for

    with pytest.raises(MemoryError):
        run_job(job, context, store, die_at_the_fifth)
    done: list[int] = []
    run_job(job, context, store, done.append)
    assert done == [4, 1, 1, 1, 1]


def test_parts_of_other_code_are_not_taken(tmp_path):
    job, store = open_job(tmp_path)
    Parts(job, store, "anchors").keep(0, [[anchor(1)]])
    assert Parts(job, store, "anchors").read() == (1, [anchor(1)], [])
    assert Parts(replace(job, code_version="2"), store, "anchors").read() == (0, [], [])


def test_part_with_a_row_that_was_not_asked_is_made_again(tmp_path):
    job, store = open_job(tmp_path)
    parts = Parts(job, store, "anchors")
    parts.keep(0, [[anchor(1)]])
    unasked = Reject("toy.anchor", ("llm_request: 400: no",), provenance=Provenance(request_sha256="a" * 64))
    parts.keep(1, [[unasked], [anchor(2)]])
    assert parts.read() == (1, [anchor(1)], [])


def test_rows_that_wait_in_threads_do_not_hold_up_a_stop(tmp_path):
    """Rows 0 and 1 are through, row 2 waits for an answer that does not come: the two are kept, at once."""
    job, store = open_job(tmp_path)
    answer = threading.Event()

    def make(number: int) -> list[Contrast | Reject]:
        if number == 2:
            stopping._stop.set()
            answer.wait(PATIENCE_S)
        contrast = Contrast(content_id("a", number), "toy.word", "negative", "text", text=str(number))
        return [contrast, Reject("toy.word", ("unformed: a word",), anchor_id=contrast.anchor_id)]

    parts = Parts(job, store, "contrasts")
    began = time.monotonic()
    with pytest.raises(StoppedError):
        make_rows(parts, make, range(6), 2, lambda _: None)
    assert time.monotonic() - began < PATIENCE_S / 2
    answer.set()
    done, rows, rejects = parts.read()
    assert (done, [row.text for row in rows], len(rejects)) == (2, ["0", "1"], 2)


def test_an_error_between_two_rows_waits_for_none_and_leaves_no_thread(tmp_path):
    """The disk is full as row 0 is counted, while row 1 waits for an answer: nothing is left to the collector."""
    job, store = open_job(tmp_path)
    answer = threading.Event()

    def make(number: int) -> list[Contrast | Reject]:
        if number:
            answer.wait(PATIENCE_S)
        return []

    def fail(_: int) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left") as caught:
        make_rows(Parts(job, store, "contrasts"), make, range(6), 2, fail)
    rows = [each for each in threading.enumerate() if each.name.startswith("row")]
    answer.set()
    for each in rows:
        each.join(PATIENCE_S)
    assert rows and not any(each.is_alive() for each in rows), caught


def anchor(number: int) -> Anchor:
    return Anchor(content_id("toy", number), "toy", "count", str(number), "train", caption=str(number))


def count_files(path) -> int:
    return len(StagedShards(str(path)).store.list("work"))
