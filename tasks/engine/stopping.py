"""What a run does that is told to stop: its workers end between two rows, so that what they have made can be kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_stops: list[Callable[[], None]] = []
_stop = threading.Event()


class StoppedError(Exception):
    """The run was told to stop. What this shard had is staged, and the next run goes on from there."""

    fatal = True


def heed_stop() -> None:
    """Take SIGTERM, in this worker process, as the word to stop after the row under way."""
    signal.signal(signal.SIGTERM, lambda *_: _stop.set())


def heed_cancel() -> None:
    """Take SIGINT as that word for what runs now: so Ray cancels a task in a process that goes on to others."""
    _stop.clear()
    signal.signal(signal.SIGINT, lambda *_: _stop.set())


def check_stop() -> None:
    """Call this between two rows.

    Raises:
        StoppedError: the word came.
    """
    if _stop.is_set():
        raise StoppedError("stopped: run the same command again to go on")


@contextmanager
def stopped_by(stop: Callable[[], None]) -> Iterator[None]:
    """If this process is told to end while the block runs, ``stop`` ends what the block has started."""
    _stops.append(stop)
    try:
        yield
    finally:
        _stops.remove(stop)


def stop_all() -> None:
    """Call what `stopped_by` names, in the order in which the blocks began; all of it, also where one fails.

    Raises:
        ExceptionGroup: what failed.
    """
    failed = []
    for stop in [*_stops]:
        try:
            stop()
        except Exception as error:  # noqa: BLE001 - raised below, once the others are stopped
            failed.append(error)
    if failed:
        raise ExceptionGroup("what was to be stopped failed", failed)
