"""The shards of one stage under Prefect: what is staged is taken as it is, the rest is dealt out to task runs.

Prefect's database grows with each task run, by 20 KB and more with its events, and its client holds each one's future.
So a finished shard has no task run, and a task run is no shard but a worker's time: as many run as there are workers,
and each takes the next shard until none is left. All workers end together, and what the server keeps and what this
process holds do not grow with the number of shards.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from queue import SimpleQueue
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.context import TagsContext
from prefect.futures import PrefectFuture
from prefect.states import Completed

from flows.making.session import Session, current_session
from flows.showing.artifacts import StageProgress
from storage.versions import list_numbers
from tasks.engine.runner import describe_shard
from tasks.engine.shards import ShardResult, StageJob, Totals
from tasks.llm.errors import AuthorError

LASTS_S = 1800.0
"""A task run takes no further shard after so many seconds: it shows that one of its shards failed when it ends."""

Outcome = tuple[StageJob, ShardResult | Exception, float]
"""A shard, what came of it, and the seconds that it waited for a worker."""


class Share:
    """What a task run makes: a shard to begin with, and then whichever is next of those that all task runs take from.

    No dataclass: Prefect looks for futures in the fields of those, shard by shard.
    """

    def __init__(
        self, first: StageJob, left: deque[StageJob], outcomes: SimpleQueue[Outcome | PrefectFuture[Any]]
    ) -> None:
        self.left = left
        self.outcomes = outcomes
        self.began = time.monotonic()
        self.under_way: StageJob | None = first

    def take(self) -> StageJob | None:
        """The next shard; None where none is left, or this task run has had its time."""
        self.under_way = take(self.left) if time.monotonic() - self.began < LASTS_S else None
        return self.under_way


@task(task_run_name="{stage}[{number}]", cache_policy=NO_CACHE, persist_result=False)
def run_shards(stage: str, number: str, share: Share) -> Any:  # noqa: ARG001 - stage and number name the task run
    """Shards of one stage, one after another, on this run's workers; its state's message names them.

    Raises:
        Exception: what the first shard that failed raised, once the others had their turn.
    """
    pool = current_session().pool
    failures: list[Exception] = []
    made: list[int] = []
    job = share.under_way
    while job is not None:
        outcome: ShardResult | Exception
        began = time.monotonic()
        try:
            outcome = pool.run(job)
        except Exception as error:  # noqa: BLE001 - raised below, and told by the stage
            outcome = error
            failures.append(error)
        worked_s = outcome.wall_s if isinstance(outcome, ShardResult) else 0.0
        share.outcomes.put((job, outcome, max(0.0, time.monotonic() - began - worked_s)))
        made.append(job.index)
        job = share.take()
    if failures:
        raise failures[0]
    return Completed(message=f"shards {list_numbers(made)}")


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
    outcomes: SimpleQueue[Outcome | PrefectFuture[Any]] = SimpleQueue()
    under_way: dict[PrefectFuture[Any], Share] = {}
    while left or under_way or not outcomes.empty():
        while len(under_way) < session.pool.workers and (first := take(left)) is not None:
            share = Share(first, left, outcomes)
            # A tag of a task run is in the database sixteen times over, and its flow run has the same ones.
            with TagsContext(current_tags=set()):
                future = run_shards.submit(stage, f"{first.index:04d}", share)
            under_way[future] = share
            future.add_done_callback(outcomes.put)
        with session.heeding_end():
            said = outcomes.get()
        if isinstance(said, tuple):
            yield said
            continue
        lost = under_way.pop(said).under_way
        if lost is not None:
            # The task run ended in the middle of this shard, or before it: the server or a cancellation ended it.
            ended = said.result(raise_on_failure=False)
            yield (
                lost,
                ended if isinstance(ended, Exception) else RuntimeError(f"the task run ended: {said.state.name}"),
                0.0,
            )


def take(left: deque[StageJob]) -> StageJob | None:
    """The next of the shards that several threads take from, None where another thread has just taken the last."""
    try:
        return left.popleft()
    except IndexError:
        return None
