"""Progress of a run in the terminal, fed by the worker processes row by row."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from counterfoil.flows.process.steps import watch_progress
from counterfoil.tasks.engine.observing import Observer

if TYPE_CHECKING:
    from counterfoil.storage.staged import StagedShards
    from counterfoil.tasks.engine.shards import ShardResult, StageJob, Totals
    from counterfoil.tasks.llm.store.tables import Spending

T = TypeVar("T")
NAME_WIDTH = 17
SPEND_EVERY_S = 5.0
"""How often what was spent is read from the store while bars are shown."""


@dataclass
class _Through:
    """What the stages of a domain made so far, which is told in one line."""

    told: list[str] = field(default_factory=list)
    contrasts: int = 0
    rejected: int = 0
    shards: int = 0
    reused: int = 0
    seconds: float = 0.0

    def add(self, name: str, totals: Totals) -> None:
        domain, _, part = name.partition(".")
        if part == "anchors":
            self.rejected += totals.count_rejected(f"{domain}.anchor")
        else:
            self.contrasts += totals.accepted[name]
            self.rejected += totals.count_rejected(name)

    def __str__(self) -> str:
        reused = [f"{self.reused} of {self.shards} shards reused"] if self.reused else []
        counts = [f"{self.contrasts:,} contrasts", f"{self.rejected:,} rejected", *reused]
        return "; ".join([*self.told, *counts, _write_time(self.seconds)])


class TerminalObserver(Observer):
    """One bar for each stage under way, and one line for each domain that is through; lines alone in a file or pipe."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._bars: dict[str, TaskID] = {}
        self._began: dict[str, float] = {}
        self._through: dict[str, _Through] = {}
        self._lock = threading.Lock()
        self._spend = SpendColumn()
        self._progress = _open_bars(console, self._spend)

    @contextmanager
    def live(self) -> Iterator[None]:
        """Show the bars until the block ends; at once that something begins."""
        with self._progress:
            self.start("starting ...", 0)
            if not self.console.is_terminal:
                self.say("starting ...")
            try:
                yield
            finally:
                for domain in [*self._through]:
                    self.through(domain)

    def start(self, stage: str, rows: int) -> None:
        with self._lock:
            self._remove("starting ...")
            self._began[stage] = time.perf_counter()
            self._bars[stage] = self._progress.add_task(stage, total=rows or None)

    def advance(self, stage: str, rows: int) -> None:
        with self._lock:
            if stage in self._bars:
                self._progress.advance(self._bars[stage], rows)

    def finish(self, stage: str, *lines: str) -> None:
        """What a stage says of itself and of its domain is told with the domain, when that is through."""
        with self._lock:
            self._remove(stage)
            seconds = time.perf_counter() - self._began.get(stage, time.perf_counter())
            through = self._find(stage)
            through.seconds += seconds
        of = (*stage.split("+"), stage.partition(".")[0])
        for line in lines:
            name, _, told = line.partition(": ")
            if name not in of:
                self.say(line)
            elif name == of[-1]:
                through.told.append(told)

    def shard(self, job: StageJob, result: ShardResult, waited_s: float) -> None:  # noqa: ARG002
        with self._lock:
            through = self._find(job.stage)
            through.shards += 1
            through.reused += result.reused

    def made(self, name: str, totals: Totals, staged: StagedShards, jobs: Sequence[StageJob]) -> None:  # noqa: ARG002
        with self._lock:
            self._find(name).add(name, totals)

    def say(self, line: str) -> None:
        self.console.print(line, highlight=False, soft_wrap=True, markup=False)

    def watch_spending(self, read: Callable[[], Sequence[Spending]]) -> None:
        self._spend.read_usd = lambda: sum(each.cost_usd or 0.0 for each in read())

    def _find(self, stage: str) -> _Through:
        return self._through.setdefault(stage.partition(".")[0], _Through())

    def through(self, domain: str) -> None:
        """Tell what a domain made."""
        with self._lock:
            made = self._through.pop(domain, _Through())
        if made.shards and (made.told or made.contrasts or made.rejected):
            self.say(f"{domain}: {made}")

    def _remove(self, stage: str) -> None:
        if stage in self._bars:
            self._progress.remove_task(self._bars.pop(stage))
            self._progress.refresh()


class CountColumn(ProgressColumn):
    """How many rows are done, and of how many, where that is known."""

    def render(self, task: Task) -> Text:
        done = int(task.completed)
        told = f"{done:,}/{int(task.total):,}" if task.total else f"{done:,}" if done else ""
        return Text(told, style="progress.download")


class RateColumn(ProgressColumn):
    """Rows a second, over the last half minute."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if speed is None:
            return Text("")
        return Text(f"{speed:.0f}/s" if speed >= 10 else f"{speed:.1f}/s", style="progress.data.speed")


class LeftColumn(ProgressColumn):
    """The time that is left, as far as can be told; before that, the time that has passed."""

    def render(self, task: Task) -> Text:
        left = task.time_remaining
        if task.finished or left is None:
            return Text(_write_time(task.elapsed or 0.0), style="progress.elapsed")
        return Text(f"in {_write_time(left)}", style="progress.remaining")


class SpendColumn(ProgressColumn):
    """What the dataset has cost, where it costs anything."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True, justify="right"))
        self.read_usd: Callable[[], float] | None = None
        self._read_at = 0.0
        self._usd = 0.0

    def render(self, task: Task) -> Text:  # noqa: ARG002 - the same for every stage
        if self.read_usd is None:
            return Text("")
        if time.monotonic() - self._read_at > SPEND_EVERY_S:
            self._usd, self._read_at = self.read_usd(), time.monotonic()
        return Text(f"${self._usd:.2f}")


@contextmanager
def show_bars(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Bars of what the block does: it calls what it gets with a title, how many are done since, how many there are
    (0: nobody knows)."""
    tasks: dict[str, TaskID] = {}
    with _open_bars(console) as bar:

        def advance(title: str, done: int, total: int) -> None:
            if title not in tasks:
                tasks[title] = bar.add_task(title, total=total or None)
            bar.update(tasks[title], advance=done)

        yield advance


def call_with_bars(console: Console, call: Callable[[], T]) -> T:
    """Call a flow that tells `counterfoil.flows.process.steps` how far it is, with bars."""
    with show_bars(console) as progress:
        watch_progress(progress)
        return call()


def _open_bars(console: Console, *more: ProgressColumn) -> Progress:
    """Bars that fit a terminal of 60 columns: name, bar, count, rate, time left."""

    def narrow() -> Column:
        return Column(no_wrap=True, justify="right")

    return Progress(
        TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", max_width=NAME_WIDTH)),
        BarColumn(bar_width=None, table_column=Column(ratio=1, min_width=4)),
        CountColumn(narrow()),
        RateColumn(narrow()),
        LeftColumn(narrow()),
        *more,
        console=console,
        expand=True,
        transient=True,
        disable=not console.is_terminal or console.quiet,
    )


def _write_time(seconds: float) -> str:
    """Seconds as people write them.

    >>> [_write_time(each) for each in (4.26, 75, 3725)]
    ['4.3 s', '1:15', '1:02:05']
    """
    if seconds < 60:
        return f"{max(seconds, 0.0):.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
