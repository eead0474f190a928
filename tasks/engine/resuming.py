"""Rows of a shard one after another, kept now and then, so that a run that is ended loses little of a long shard.

What is kept is staged in *parts*: the rows made since the part before, under a fingerprint of the shard's own, the code
that made them and the row at which they begin. The next run reads the parts and goes on with the row after them. They
are removed once the shard is whole.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal

from counterfoil.storage.rows import Reject, fingerprint
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.staged import StagedShard, StagedShards
from counterfoil.tasks.engine.rows import list_unasked
from counterfoil.tasks.engine.shards import StageJob
from counterfoil.tasks.engine.stopping import StoppedError, check_stop

Progress = Callable[[int], None]
"""Called with the number of input rows done since the last call."""

KEEP_EVERY_S = 60.0
"""At most this much work of a worker is lost to ``kill -9``; a stop that is heard loses none."""
LISTEN_S = 0.2
MADE, REFUSED = "made", "refused"


@dataclass(frozen=True)
class Parts:
    """The parts of one job's shard. ``table`` is what its rows are."""

    job: StageJob
    staged: StagedShards
    table: Literal["anchors", "contrasts"]

    def read(self) -> tuple[int, list[Any], list[Reject]]:
        """How many input rows are done, and the rows and rejects that came of them.

        A row whose requests were not answered is not done, and with it ends what is read.
        """
        rows: list[Any] = []
        rejects: list[Reject] = []
        done = 0
        for part in self._list():
            refused = from_table(part.read(REFUSED), "rejects")
            if list_unasked(refused):
                break
            rows += from_table(part.read(MADE), self.table)
            rejects += refused
            done += part.meta["rows_in"]
        return done, rows, rejects

    def keep(self, start: int, made: Sequence[Sequence[Any]]) -> None:
        """Stage what came of the input rows from ``start`` on."""
        if made:
            rows, rejects = split_rejects(made)
            tables = {MADE: to_table(rows, self.table), REFUSED: to_table(rejects, "rejects")}
            self.staged.write(self._name(start), tables, {"rows_in": len(made)})

    def remove(self) -> None:
        """Forget the parts: the shard is whole."""
        for part in [*self._list()]:
            self.staged.remove(part)

    def _list(self) -> Iterator[StagedShard]:
        start = 0
        while (part := self.staged.find(self._name(start))) is not None:
            yield part
            start += part.meta["rows_in"]

    def _name(self, start: int) -> str:
        return fingerprint("part of a shard", self.job.fingerprint, self.job.code_version, start)


def make_rows(
    parts: Parts, make: Callable[[Any], list[Any]], inputs: Sequence[Any], threads: int, progress: Progress
) -> tuple[list[Any], list[Reject]]:
    """What ``make`` gives for each input, in order: the rows, and the rejects among them. Parts are not made again.

    Raises:
        StoppedError: the run was told to stop; what was made is kept.
    """
    done, rows, rejects = parts.read()
    if done:
        progress(done)
    fresh: list[list[Any]] = []
    kept_at = time.monotonic()
    try:
        # Closed here: a collector that came upon it might run in one of its own threads, and wait for itself.
        with closing(_map_rows(make, inputs[done:], threads)) as mapped:
            for made in mapped:
                fresh.append(made)
                progress(1)
                if time.monotonic() - kept_at >= KEEP_EVERY_S:
                    parts.keep(done, fresh)
                    done, rows, rejects = _add(done, rows, rejects, fresh)
                    fresh, kept_at = [], time.monotonic()
    except StoppedError:
        parts.keep(done, fresh)
        raise
    _, rows, rejects = _add(done, rows, rejects, fresh)
    return rows, rejects


def split_rejects(made: Iterable[Sequence[Any]]) -> tuple[list[Any], list[Reject]]:
    """Rows and rejects apart, each in order."""
    rows: list[Any] = []
    rejects: list[Reject] = []
    for each in itertools.chain.from_iterable(made):
        (rejects if isinstance(each, Reject) else rows).append(each)
    return rows, rejects


def _add(
    done: int, rows: list[Any], rejects: list[Reject], fresh: Sequence[Sequence[Any]]
) -> tuple[int, list[Any], list[Reject]]:
    more, thrown = split_rejects(fresh)
    return done + len(fresh), rows + more, rejects + thrown


def _map_rows(make: Callable[[Any], list[Any]], inputs: Sequence[Any], threads: int) -> Generator[list[Any]]:
    """Apply ``make`` to each input, in order, in as many threads; stop between two of them."""
    if threads == 1:
        for each in inputs:
            check_stop()
            yield make(each)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="row")
    stopped = False
    try:
        for future in [pool.submit(make, each) for each in inputs]:
            yield _await(future)
    except (StoppedError, GeneratorExit):
        stopped = True
        raise
    finally:
        # A row that waits for a model's answer may wait for hours; what is answered is in the author's store.
        pool.shutdown(wait=not stopped, cancel_futures=True)


def _await(future: Future[list[Any]]) -> list[Any]:
    while True:
        try:
            return future.result(timeout=LISTEN_S)
        except TimeoutError:
            if future.done():
                raise  # the row's own
            check_stop()
