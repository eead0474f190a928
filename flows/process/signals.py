"""Ctrl-C and SIGTERM: what a command hears, and how it ends in seconds with one line and nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from types import FrameType
from typing import NoReturn, TypeVar

from counterfoil.tasks.engine.stopping import stop_all

Returned = TypeVar("Returned")
LAST_S = 30.0
"""Within so many seconds a command that was told to end has ended, whatever it waits for; most take a few."""
AGAIN_S = 1.0
"""So often a command that was told to end, and goes on as if it were not, is told again."""


class Interrupted(BaseException):
    """Ctrl-C. No `KeyboardInterrupt`, which typer and others would catch and word in their own way."""

    told = "interrupted"
    code = 130
    advice = ""
    """What to say besides, where something was under way."""


class Terminated(Interrupted):
    """SIGTERM: a scheduler, or `kill`, wants this process to end."""

    told = "terminated"
    code = 143


_heard: Interrupted | None = None
"""What this process was told by a signal, until it forgets it."""


def find_heard() -> Interrupted | None:
    """The signal that came. A command that ends by another error after it was interrupted all the same."""
    return _heard


def heed_signals() -> None:
    """Raise `Interrupted` or `Terminated` in the main thread; a second signal ends this process at once.

    Python drops what is raised while it runs a finalizer or a weak reference's callback, and runs one at the end of
    nearly every import: with the exception the signal is lost, and at times the import lock stays taken, so that the
    next to import waits for ever. So the exception is raised again every `AGAIN_S` until it is on its way, and after
    `LAST_S` the process ends, whatever it waits for.

    Called again, as by a command whose usual end is Ctrl-C, it forgets the signal that came. A Ctrl-C that is ignored
    already, as in a shell script's background job, stays ignored.
    """

    def raise_interrupted(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - the handler's form
        global _heard
        raised = _heard = Terminated() if number == signal.SIGTERM else Interrupted()
        last = time.monotonic() + LAST_S

        def raise_again(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the handler's form
            if time.monotonic() > last:
                _leave_at_once(raised.code, f"{raised.told}{raised.advice}\n")
            if not _is_ending():
                raise raised

        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda *_: _leave_at_once(raised.code))
        signal.signal(signal.SIGALRM, raise_again)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
        raise raised

    global _heard
    _heard = None
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, raise_interrupted)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, raise_interrupted)


def _is_ending() -> bool:
    """Whether the main thread, in whose signal handler this is asked, is cleaning up after an `Interrupted`."""
    handled = sys.exc_info()[1]
    while handled is not None and not isinstance(handled, Interrupted):
        handled = handled.__context__
    return handled is not None


def _leave_at_once(code: int, last: str = "") -> NoReturn:
    if os.isatty(2):
        os.write(2, b"\x1b[?25h\r\n")  # bars hide the cursor
    os.write(2, last.encode())
    _remove_semaphores()
    os._exit(code)


def run_watched(function: Callable[[], Returned]) -> Returned:
    """Call ``function`` in a thread and wait for it here, in the main thread, where signals are heard.

    A signal then breaks into this wait and never into the libraries under ``function``, whose clean-up would take
    minutes and print pages. What `stopped_by` names is called, and the thread is left to itself: a command that was
    interrupted ends by `leave`, which waits for no thread.
    """
    future: Future[Returned] = Future()
    context = copy_context()

    def call() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
            future.set_exception(error)

    try:
        Thread(target=call, daemon=True, name="flow").start()
        return future.result()
    except Interrupted as interrupted:
        interrupted.advice = ": what is finished is kept; run the same command again to go on"
        stop_all()
        raise


def leave(code: int) -> NoReturn:
    """End this process without waiting for its threads; its workers and servers are tied to it."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    _remove_semaphores()
    os._exit(code)


def _remove_semaphores() -> None:
    """Those of our queues, by name. Python's resource tracker would remove them too, with a warning after our line."""
    synchronize = sys.modules.get("multiprocessing.synchronize")
    util = sys.modules.get("multiprocessing.util")
    if synchronize is None or util is None:
        return
    clean = synchronize.SemLock._cleanup
    for finalizer in [*getattr(util, "_finalizer_registry", {}).values()]:
        if getattr(finalizer, "_callback", None) is clean:
            finalizer()
