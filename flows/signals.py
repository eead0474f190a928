"""Ctrl-C and SIGTERM: what a command hears, and how it ends in seconds with one line and nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from threading import Thread
from types import FrameType
from typing import NoReturn, TypeVar

Returned = TypeVar("Returned")
LAST_S = 30
"""Within so many seconds a command that was told to end has ended, whatever it waits for; most take a few."""


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


def heed_signals() -> None:
    """Raise `Interrupted` or `Terminated` in the main thread; a second signal ends this process at once, and so does
    the clock after `LAST_S`, should something under way have swallowed the first or wait for ever.

    A Ctrl-C that is ignored already, as in a shell script's background job, stays ignored.
    """

    def raise_interrupted(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - the handler's form
        raised = Terminated() if number == signal.SIGTERM else Interrupted()
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda *_: _leave_at_once(raised.code))
        signal.signal(signal.SIGALRM, lambda *_: _leave_at_once(raised.code, f"{raised.told}{raised.advice}\n"))
        signal.alarm(LAST_S)
        raise raised

    signal.signal(signal.SIGTERM, raise_interrupted)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, raise_interrupted)


def _leave_at_once(code: int, last: str = "") -> NoReturn:
    if os.isatty(2):
        os.write(2, b"\x1b[?25h\r\n")  # bars hide the cursor
    os.write(2, last.encode())
    _remove_semaphores()
    os._exit(code)


_stops: list[Callable[[], None]] = []


@contextmanager
def stopped_by(stop: Callable[[], None]) -> Iterator[None]:
    """If the command is interrupted while the block runs in `run_watched`, ``stop`` ends what the block has started."""
    _stops.append(stop)
    try:
        yield
    finally:
        _stops.remove(stop)


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

    Thread(target=call, daemon=True, name="flow").start()
    try:
        return future.result()
    except Interrupted as interrupted:
        interrupted.advice = ": what is finished is kept; run the same command again to go on"
        for stop in [*_stops]:
            stop()
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
