"""The missing shards of one stage under Prefect: dealt out to task runs, as many as there are workers.

Prefect's database grows with each task run, by 20 KB and more with its events, and its client holds each one's future.
So a finished shard has no task run, and a task run is no shard but a worker's time: as many run as there are workers,
and each takes the next shard until none is left. All workers end together, and what the server keeps and what this
process holds do not grow with the number of shards.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.context import TagsContext
from prefect.futures import PrefectFuture
from prefect.states import Completed

from counterfoil.flows.making.artifacts import StageProgress
from counterfoil.storage.versions import list_numbers
from counterfoil.tasks.engine.dealing import Outcome, Pool, attempt, deal, take
from counterfoil.tasks.engine.shards import StageJob

LASTS_S = 1800.0
"""A task run takes no further shard after so many seconds: it shows that one of its shards failed when it ends."""


class Share:
    """What a task run makes: a shard to begin with, and then whichever is next of those that all task runs take from.

    No dataclass: Prefect looks for futures in the fields of those, shard by shard.
    """

    def __init__(
        self, pool: Pool, first: StageJob, left: deque[StageJob], outcomes: SimpleQueue[Outcome | PrefectFuture[Any]]
    ) -> None:
        self.pool = pool
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
    failures: list[Exception] = []
    made: list[int] = []
    job = share.under_way
    while job is not None:
        outcome = attempt(share.pool, job)
        if isinstance(outcome[1], Exception):
            failures.append(outcome[1])
        share.outcomes.put(outcome)
        made.append(job.index)
        job = share.take()
    if failures:
        raise failures[0]
    return Completed(message=f"shards {list_numbers(made)}")


def deal_to_task_runs(pool: Pool, stage: str, missing: deque[StageJob], shards: int) -> Iterator[Outcome]:
    """Outcomes in the order in which shards end. The workers are counted again each time: a cluster may grow.

    What gathers a stage's shards is one job of moments, which has no task run of its own.
    """
    if missing[0].kind in ("gather", "chosen"):
        yield from deal(pool, stage, missing, shards)
        return
    progress = StageProgress(missing[0].dataset, stage, shards, done=shards - len(missing))
    outcomes: SimpleQueue[Outcome | PrefectFuture[Any]] = SimpleQueue()
    under_way: dict[PrefectFuture[Any], Share] = {}
    while missing or under_way or not outcomes.empty():
        while len(under_way) < pool.workers and (first := take(missing)) is not None:
            share = Share(pool, first, missing, outcomes)
            # A tag of a task run is in the database sixteen times over, and its flow run has the same ones.
            with TagsContext(current_tags=set()):
                future = run_shards.submit(stage, f"{first.index:04d}", share)
            under_way[future] = share
            future.add_done_callback(outcomes.put)
        said = outcomes.get()
        if isinstance(said, tuple):
            progress.advance()
            yield said
            continue
        lost = under_way.pop(said).under_way
        if lost is not None:
            # The task run ended in the middle of this shard, or before it: the server or a cancellation ended it.
            ended = said.result(raise_on_failure=False)
            why = ended if isinstance(ended, Exception) else RuntimeError(f"the task run ended: {said.state.name}")
            progress.advance()
            yield lost, why, 0.0
    progress.finish()
