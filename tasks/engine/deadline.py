"""A time limit for one row, so that a maker that hangs costs its row and not the night."""

from __future__ import annotations

import faulthandler
import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN_S = 5.0
"""The limit is told anew as often, since code that catches everything may swallow it."""
GRACE_S = 60.0
"""So long after the limit a worker ends itself whose row cannot be interrupted: a library's code that never returns."""

_alone = False


class OvertimeError(BaseException):
    """The row took longer than it may. No `Exception`, so that a maker's ``except Exception`` lets it through."""


def heed_overtime() -> None:
    """Let this process, a worker that is replaced when it dies, end itself where a row cannot be interrupted."""
    global _alone
    _alone = True


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Raise `OvertimeError` in the block after so many seconds. Only a process's main thread can be interrupted; in any
    other this limits nothing.

    Raises:
        OvertimeError: in the block.
    """
    if not math.isfinite(seconds) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise OvertimeError(f"{seconds:g} s")

    began = time.monotonic()
    handler = signal.signal(signal.SIGALRM, ring)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    if _alone:
        faulthandler.dump_traceback_later(seconds + GRACE_S, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if _alone:
            faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, handler)
        if left:
            # Someone else's alarm, as a test's: it rings when it would have.
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - began)), interval)
