"""The missing shards of a stage under Prefect: a task run is no shard but a worker's time.

Prefect's database grows with each task run. So a finished shard has none, as many run as there are workers, and each
takes the next shard until none is left, of what the stage prepares, makes and sifts alike: what the server keeps does
not grow with the number of shards.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Lock

from counterfoil.flows.making.artifacts import StageProgress
from counterfoil.flows.making.runs import Run, begin_task_run
from counterfoil.storage.versions import list_numbers
from counterfoil.tasks.engine import dealing
from counterfoil.tasks.engine.dealing import Outcome, Pool, deal
from counterfoil.tasks.engine.shards import StageJob


@dataclass
class TaskRun:
    """A worker's time in a stage, as the server knows it."""

    open: AbstractContextManager[list[str]]
    said: list[str]
    began: float = field(default_factory=time.monotonic)
    made: dict[str, list[int]] = field(default_factory=dict)
    """Shards by what was made of them."""
    failed: Exception | None = None
    """The first failure."""

    def hear(self, outcome: Outcome) -> None:
        """Note what a shard came to."""
        self.made.setdefault(outcome[0].stage, []).append(outcome[0].index)
        if isinstance(outcome[1], Exception):
            self.failed = self.failed or outcome[1]

    def end(self) -> None:
        """Tell the server what was made, or why a shard failed.

        Raises:
            counterfoil.flows.process.api.ServerError: it cannot be told.
        """
        self.said += [f"{stage} {list_numbers(numbers)}" for stage, numbers in self.made.items()]
        error = self.failed
        self.open.__exit__(type(error) if error else None, error, None)


class TaskRuns:
    """The task runs of a stage: what deals its shards out (`deal`), and ends them with it (`end`)."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._idle: list[TaskRun] = []
        self._begun = 0
        self._lock = Lock()

    def deal(self, pool: Pool, stage: str, missing: deque[StageJob], shards: int) -> Iterator[Outcome]:
        """Outcomes in the order in which shards end.

        What gathers a stage's shards is one job of moments, which has no task run.
        """
        if missing[0].kind in ("gather", "chosen"):
            yield from deal(pool, stage, missing, shards)
            return
        progress = StageProgress(self.run, missing[0].dataset, stage, shards, done=shards - len(missing))
        for outcome in deal(pool, stage, missing, shards, self._share):
            progress.advance()
            yield outcome
        progress.finish()

    def end(self) -> None:
        """End those that are open.

        Raises:
            counterfoil.flows.process.api.ServerError: the server cannot be told.
        """
        while self._idle:
            self._idle.pop().end()

    @contextmanager
    def _share(self, _: StageJob) -> Iterator[Callable[[Outcome], None]]:
        task_run = self._take()
        try:
            yield task_run.hear
        finally:
            # It shows that one of its shards failed when it ends, and so ends in time.
            if task_run.failed or time.monotonic() - task_run.began >= dealing.LASTS_S:
                task_run.end()
            else:
                self._idle.append(task_run)

    def _take(self) -> TaskRun:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            number = self._begun
            self._begun += 1
        begun = begin_task_run(self.run, "run_shards", f"{self.run.name}[{number:04d}]")
        return TaskRun(begun, begun.__enter__())
