"""Who hears what a run does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterfoil.storage.staged import StagedShards
    from counterfoil.tasks.engine.shards import ShardResult, StageJob, Totals
    from counterfoil.tasks.llm.store.tables import Spending


class Observer:
    """Hears what the run does. This one is silent."""

    def begin(self, run_id: str, name: str, dataset: str) -> None:
        """A run begins: its id and name, its dataset."""

    def start(self, stage: str, rows: int) -> None:
        """A stage begins, with this many input rows."""

    def advance(self, stage: str, rows: int) -> None:
        """Input rows are done."""

    def shard(self, job: StageJob, result: ShardResult, waited_s: float) -> None:
        """A shard is made, after so many seconds in which it waited for a worker, or was found made."""

    def made(self, name: str, totals: Totals, staged: StagedShards, jobs: Sequence[StageJob]) -> None:
        """The anchors of a stage, or the contrasts of a family, are whole; of a family ``jobs`` lead to its rows."""

    def finish(self, stage: str, *lines: str) -> None:
        """A stage has ended; ``lines`` say what came of it."""

    def through(self, domain: str) -> None:
        """All stages of a domain have ended; those of others may go on."""

    def say(self, line: str) -> None:
        """A line for the user."""

    def watch_spending(self, read: Callable[[], Sequence[Spending]]) -> None:
        """The run costs: ``read`` tells what the dataset has cost so far."""

    def end(self, succeeded: bool) -> None:
        """The run is over."""


class HeldBack(Observer):
    """Keeps what it hears of a stage, for another observer or for nobody."""

    def __init__(self) -> None:
        self._heard: list[Callable[[Observer], None]] = []

    def start(self, stage: str, rows: int) -> None:
        self._heard.append(lambda other: other.start(stage, rows))

    def advance(self, stage: str, rows: int) -> None:
        self._heard.append(lambda other: other.advance(stage, rows))

    def shard(self, job: StageJob, result: ShardResult, waited_s: float) -> None:
        self._heard.append(lambda other: other.shard(job, result, waited_s))

    def made(self, name: str, totals: Totals, staged: StagedShards, jobs: Sequence[StageJob]) -> None:
        self._heard.append(lambda other: other.made(name, totals, staged, jobs))

    def finish(self, stage: str, *lines: str) -> None:
        self._heard.append(lambda other: other.finish(stage, *lines))

    def say(self, line: str) -> None:
        self._heard.append(lambda other: other.say(line))

    def tell(self, other: Observer) -> None:
        """Let ``other`` hear it."""
        for each in self._heard:
            each(other)
