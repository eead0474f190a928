"""Starts child processes from a thread that lives as long as this process.

The children ask the kernel to end them with their parent (PR_SET_PDEATHSIG, bubblewrap's --die-with-parent), so that a
killed run leaves nothing behind. For the kernel the parent is the *thread* that started them: a child started by a
thread of a pool that is gone a moment later is killed with it, and everything that it had warmed up is lost.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def _new_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="lasting", initializer=_block_interrupts)


def _block_interrupts() -> None:
    """Children inherit this thread's mask: a terminal's Ctrl-C is for the command alone, which then ends them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


_thread = _new_thread()


def call_in_lasting_thread(
    function: Callable[Parameters, Returned], *args: Parameters.args, **options: Parameters.kwargs
) -> Returned:
    """Call ``function`` in this process's lasting thread and return its result, or raise what it raised.

    ``function`` must not call this one again.
    """
    return _thread.submit(function, *args, **options).result()


def _forget_thread() -> None:
    """A forked child has no threads but the one that forked."""
    global _thread
    _thread = _new_thread()


os.register_at_fork(after_in_child=_forget_thread)
