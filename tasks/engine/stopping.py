"""A worker that is told to stop does so between two rows, so that what it has made can be kept."""

from __future__ import annotations

import signal
import threading

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
