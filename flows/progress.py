"""Progress bars of a run in the terminal, fed by the worker processes row by row."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as Remaining


class Observer:
    """Hears what the run does. This one is silent; `TerminalObserver` shows it."""

    def start(self, stage: str, rows: int) -> None:
        """A stage begins, with this many input rows."""

    def advance(self, stage: str, rows: int) -> None:
        """Input rows are done."""

    def finish(self, stage: str, summary: str) -> None:
        """A stage has ended."""

    def say(self, line: str) -> None:
        """A line for the user."""


class LoggingObserver(Observer):
    """Lines in the log that Prefect shows of a run."""

    def finish(self, stage: str, summary: str) -> None:
        self.say(f"{stage}: {summary}")

    def say(self, line: str) -> None:
        from prefect.logging import get_run_logger

        get_run_logger().info(line)


class TerminalObserver(Observer):
    """Bars on a terminal; plain lines, one per stage, where the output is a file or a pipe."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._bars: dict[str, TaskID] = {}
        self._began: dict[str, float] = {}
        self._lock = threading.Lock()
        self._progress = Progress(
            TextColumn("{task.description:<34}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            Remaining(),
            TextColumn("{task.fields[note]}"),
            console=console,
            disable=not console.is_terminal,
        )

    @contextmanager
    def live(self) -> Iterator[None]:
        """Show the bars until the block ends."""
        with self._progress:
            yield

    def start(self, stage: str, rows: int) -> None:
        with self._lock:
            self._began[stage] = time.perf_counter()
            self._bars[stage] = self._progress.add_task(stage, total=rows, note="")

    def advance(self, stage: str, rows: int) -> None:
        with self._lock:
            if stage in self._bars:
                self._progress.advance(self._bars[stage], rows)

    def finish(self, stage: str, summary: str) -> None:
        with self._lock:
            if stage in self._bars:
                self._progress.update(self._bars[stage], note=summary)
            seconds = time.perf_counter() - self._began.get(stage, time.perf_counter())
        if not self.console.is_terminal:
            self.console.print(f"{stage}: {summary} in {seconds:.1f} s", highlight=False, soft_wrap=True)

    def say(self, line: str) -> None:
        self.console.print(line, highlight=False, soft_wrap=True, markup=False)


@contextmanager
def show_bars(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Bars of what the block does: it calls what it gets with a title, how many are done since, how many there are."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        Remaining(),
        console=console,
        disable=not console.is_terminal,
    )
    tasks: dict[str, TaskID] = {}
    with bar:

        def advance(title: str, done: int, total: int) -> None:
            if title not in tasks:
                tasks[title] = bar.add_task(title, total=total)
            bar.update(tasks[title], advance=done)

        yield advance
