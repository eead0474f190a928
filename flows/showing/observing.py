"""Who hears what a run does: several observers at once, JSON lines, and the counters of a run's metrics."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.showing.logs import log_event

if TYPE_CHECKING:
    from counterfoil.storage.staged import StagedShards
    from counterfoil.tasks.engine.shards import ShardResult, StageJob, Totals
    from counterfoil.tasks.llm.store.tables import Spending


class Observers(Observer):
    """Tells each of several observers."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self.observers = observers

    def begin(self, run_id: str, name: str, dataset: str) -> None:
        for each in self.observers:
            each.begin(run_id, name, dataset)

    def start(self, stage: str, rows: int) -> None:
        for each in self.observers:
            each.start(stage, rows)

    def advance(self, stage: str, rows: int) -> None:
        for each in self.observers:
            each.advance(stage, rows)

    def shard(self, job: StageJob, result: ShardResult, waited_s: float) -> None:
        for each in self.observers:
            each.shard(job, result, waited_s)

    def made(self, name: str, totals: Totals, staged: StagedShards, jobs: Sequence[StageJob]) -> None:
        for each in self.observers:
            each.made(name, totals, staged, jobs)

    def finish(self, stage: str, *lines: str) -> None:
        for each in self.observers:
            each.finish(stage, *lines)

    def through(self, domain: str) -> None:
        for each in self.observers:
            each.through(domain)

    def say(self, line: str) -> None:
        for each in self.observers:
            each.say(line)

    def watch_spending(self, read: Callable[[], Sequence[Spending]]) -> None:
        for each in self.observers:
            each.watch_spending(read)

    def end(self, succeeded: bool) -> None:
        for each in self.observers:
            each.end(succeeded)


class JsonObserver(Observer):
    """One JSON line for the run's begin and end, for each stage and for each shard."""

    def __init__(self) -> None:
        self._about: dict[str, Any] = {}

    def begin(self, run_id: str, name: str, dataset: str) -> None:
        self._about = {"run": run_id, "name": name, "dataset": dataset}
        log_event("run begins", self._about)

    def start(self, stage: str, rows: int) -> None:
        log_event("stage begins", {**self._about, "stage": stage, "rows": rows})

    def shard(self, job: StageJob, result: ShardResult, waited_s: float) -> None:
        fields = {
            **self._about,
            "stage": job.stage,
            "domain": job.domain,
            "families": [*job.families],
            "shard": job.index,
            "fingerprint": result.fingerprint,
            "rows": result.rows_in,
            "accepted": dict(result.accepted),
            "rejected": {family: dict(codes) for family, codes in result.rejected.items()},
            "reused": result.reused,
            "pictures": result.pictures,
            "sandbox_kills": result.kills,
            "wall_s": result.wall_s,
            "cpu_s": result.cpu_s,
            "waited_s": round(waited_s, 3),
        }
        log_event("shard reused" if result.reused else "shard made", fields)

    def finish(self, stage: str, *lines: str) -> None:
        for line in lines:
            log_event(line, {**self._about, "stage": stage})

    def say(self, line: str) -> None:
        log_event(line, self._about)

    def end(self, succeeded: bool) -> None:
        log_event("run ends", {**self._about, "succeeded": succeeded}, logging.INFO if succeeded else logging.ERROR)


class JsonLines(io.TextIOBase):
    """A stream that makes a JSON line of each line written to it, so that a log collector meets nothing else."""

    def __init__(self) -> None:
        self._rest = ""

    def write(self, text: str) -> int:
        *lines, self._rest = f"{self._rest}{text}".split("\n")
        for line in lines:
            if line.strip():
                log_event(line.rstrip(), {})
        return len(text)

    def isatty(self) -> bool:
        return False


def choose_observers(shown: Observer) -> Observer:
    """``shown``, and those that the environment asks for: COUNTERFOIL_LOG_FORMAT, COUNTERFOIL_METRICS."""
    from counterfoil.tasks.showing.logs import is_json

    observers = [shown]
    if is_json():
        observers.append(JsonObserver())
    place = os.environ.get("COUNTERFOIL_METRICS")
    if place:
        from counterfoil.flows.showing.metrics import MetricsObserver

        observers.append(MetricsObserver(place))
    return observers[0] if len(observers) == 1 else Observers(observers)
