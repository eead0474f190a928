"""The shards of one stage that are missing, dealt out to the workers: each takes the next until none is left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from counterfoil.tasks.engine.shards import ShardResult, StageJob

Outcome = tuple[StageJob, ShardResult | Exception, float]
"""A shard, what came of it, and the seconds that it waited for a worker."""


class Pool(Protocol):
    """Workers: this machine's processes, or a cluster's."""

    @property
    def workers(self) -> int:
        """How many there are now."""

    def run(self, job: StageJob) -> ShardResult:
        """Run a job in one of them and wait for it."""

    def probe(self, sandbox: str | None) -> str:
        """Open the sandbox in one of them; its level."""

    def stop(self, grace_s: float) -> None:
        """Let them stage what they have, and end them."""

    def close(self, wait: bool = True) -> None:
        """End them."""


Deal = Callable[[Pool, str, deque[StageJob], int], Iterable[Outcome]]
"""Runs the jobs of a stage that are missing: workers, stage, jobs, and how many shards the stage has. Outcomes come in
the order in which shards end."""


LASTS_S = 1800.0
"""A worker's share of a stage ends after so many seconds, and another begins."""
Share = Callable[[StageJob], AbstractContextManager[Callable[[Outcome], None]]]
"""Around what one worker makes, from its first shard on; it hears of each outcome."""


def deal(
    pool: Pool, stage: str, missing: deque[StageJob], shards: int, share: Share = lambda _: nullcontext(lambda _: None)
) -> Iterator[Outcome]:
    """A thread for each worker. They are counted again at each outcome: a cluster may grow."""
    del stage, shards
    outcomes: SimpleQueue[Outcome] = SimpleQueue()

    def work() -> None:
        while (job := take(missing)) is not None:
            under_way: StageJob | None = job
            until = time.monotonic() + LASTS_S
            try:
                with share(job) as hear:
                    while under_way is not None:
                        outcome = attempt(pool, under_way)
                        hear(outcome)
                        outcomes.put(outcome)
                        under_way = take(missing) if time.monotonic() < until else None
            except Exception as error:  # noqa: BLE001 - the stage tells it
                if under_way is not None:
                    outcomes.put((under_way, error, 0.0))

    threads: list[Thread] = []
    for _ in range(len(missing)):
        while len(threads) < pool.workers and missing:
            threads.append(Thread(target=work, daemon=True, name="shards"))
            threads[-1].start()
        yield outcomes.get()
    for thread in threads:
        thread.join()


def attempt(pool: Pool, job: StageJob) -> Outcome:
    """Run a job in a worker; one that fails is told, as the others have their turn."""
    began = time.monotonic()
    outcome: ShardResult | Exception
    try:
        outcome = pool.run(job)
    except Exception as error:  # noqa: BLE001 - the stage tells it
        outcome = error
    worked_s = outcome.wall_s if isinstance(outcome, ShardResult) else 0.0
    return job, outcome, max(0.0, time.monotonic() - began - worked_s)


def take(left: deque[StageJob]) -> StageJob | None:
    """The next of the shards that several threads take from, None where another thread has just taken the last."""
    try:
        return left.popleft()
    except IndexError:
        return None
