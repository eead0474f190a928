"""The shards of one stage under Prefect: what is staged is taken as it is, the rest is dealt out to task runs.

Prefect's database grows with each task run and its client holds each one's future. So a finished shard has no task run,
a task run of a long stage takes several shards, and task runs are submitted as others end: what the server keeps and
what this process holds do not grow with the number of shards.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from queue import SimpleQueue

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture

from flows.artifacts import StageProgress
from flows.session import Session, current_session
from tasks.engine.runner import describe_shard
from tasks.engine.shards import ShardResult, StageJob, Totals
from tasks.llm.errors import AuthorError

MOST = 64
"""Shards of one task run at most: what is watched in the UI still moves."""
SPARE = 1
"""Task runs more than workers: the next shard is queued while a finished one is being noted."""

Outcome = tuple[StageJob, ShardResult | Exception, float]
"""A shard, what came of it, and the seconds that it waited for a worker."""


class Batch:
    """The shards of one task run, and where each one's outcome goes.

    No dataclass: Prefect looks for futures in the fields of those, shard by shard.
    """

    def __init__(self, jobs: Sequence[StageJob], outcomes: SimpleQueue[Outcome | PrefectFuture[int]]) -> None:
        self.jobs = jobs
        self.outcomes = outcomes


@task(task_run_name="{stage}[{numbers}]", cache_policy=NO_CACHE, persist_result=False)
def run_shards(stage: str, numbers: str, batch: Batch) -> int:  # noqa: ARG001 - stage and numbers name the task run
    """Some shards of one stage, one after another, on this run's workers; how many were made.

    Raises:
        Exception: what the first shard that failed raised, once the others had their turn.
    """
    pool = current_session().pool
    failures: list[Exception] = []
    for job in batch.jobs:
        outcome: ShardResult | Exception
        began = time.monotonic()
        try:
            outcome = pool.run(job)
        except Exception as error:  # noqa: BLE001 - raised below, and told by the stage
            outcome = error
            failures.append(error)
        worked_s = outcome.wall_s if isinstance(outcome, ShardResult) else 0.0
        batch.outcomes.put((job, outcome, max(0.0, time.monotonic() - began - worked_s)))
    if failures:
        raise failures[0]
    return len(batch.jobs)


def run_jobs(session: Session, stage: str, jobs: Sequence[StageJob]) -> tuple[Totals, list[ShardResult], list[str]]:
    """Run the jobs of a stage that are not staged yet; counts, what was made, and why shards failed.

    Of a result without counts is kept what the next stage needs: its number and its fingerprint.
    """
    totals = session.totals[stage] = Totals()
    results: list[ShardResult] = []
    missing: deque[StageJob] = deque()

    def note(job: StageJob, result: ShardResult, waited_s: float = 0.0) -> None:
        totals.add(result)
        results.append(result.strip_counts())
        if session.shown:
            session.observer.shard(job, result, waited_s)

    for job, shard in zip(jobs, session.pipeline.staged.find_all(job.fingerprint for job in jobs), strict=True):
        if shard is None:
            missing.append(job)
        else:
            note(job, describe_shard(job, shard, reused=True))
    if session.shown:
        session.observer.advance(stage, totals.rows_in)
    if not missing:
        return totals, results, []
    if not session.shown:
        for job in missing:
            note(job, session.pool.run(job))
        return totals, results, []
    progress = StageProgress(session.recipe.dataset.path, stage, len(jobs), done=len(results))
    errors: list[str] = []
    for job, outcome, waited_s in _deal(session, stage, missing):
        progress.advance()
        if isinstance(outcome, ShardResult):
            note(job, outcome, waited_s)
        else:
            # An author's message is made to be read alone; others need their kind.
            author = isinstance(outcome, AuthorError)
            errors.append(str(outcome) if author else f"{type(outcome).__name__}: {outcome}")
    progress.finish()
    return totals, results, errors


def _deal(session: Session, stage: str, left: deque[StageJob]) -> Iterable[Outcome]:
    """Outcomes in the order in which shards end. The workers are counted again each time: a cluster may grow."""
    outcomes: SimpleQueue[Outcome | PrefectFuture[int]] = SimpleQueue()
    under_way: dict[PrefectFuture[int], dict[int, StageJob]] = {}
    while left or under_way:
        while left and len(under_way) < session.pool.workers + SPARE:
            size = choose_size(len(left), session.pool.workers)
            jobs = [left.popleft() for _ in range(size)]
            future = run_shards.submit(stage, name_shards(jobs), Batch(jobs, outcomes))
            under_way[future] = {job.index: job for job in jobs}
            future.add_done_callback(outcomes.put)
        with session.heeding_end():
            said = outcomes.get()
        if isinstance(said, tuple):
            job = said[0]
            next(each for each in under_way.values() if each.get(job.index) is job).pop(job.index)
            yield said
            continue
        for job in under_way.pop(said).values():
            # The task run ended before it came to this shard: the server or a cancellation ended it.
            ended = said.result(raise_on_failure=False)
            lost = ended if isinstance(ended, Exception) else RuntimeError(f"the task run ended: {said.state.name}")
            yield job, lost, 0.0


def choose_size(left: int, workers: int) -> int:
    """How many shards the next task run takes: a half of each worker's share of what is left (guided
    self-scheduling: Polychronopoulos and Kuck 1987), so that all workers end together; at most `MOST`.

    >>> [choose_size(left, 2) for left in (3, 8, 100, 10_000)]
    [1, 2, 25, 64]
    """
    return max(1, min(MOST, left // (2 * workers)))


def name_shards(jobs: Sequence[StageJob]) -> str:
    """The numbers of a task run's shards as its name shows them.

    >>> from dataclasses import replace
    >>> job = StageJob("anchors", "d", "toy", "toy.anchors", {}, {}, 7, "ab", 3)
    >>> name_shards([job]), name_shards([job, replace(job, index=9)])
    ('0003', '0003-0009')
    """
    ends = [f"{job.index:04d}" for job in (jobs[0], jobs[-1])]
    return ends[0] if len(jobs) == 1 else "-".join(ends)
