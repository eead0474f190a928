"""Imported by the process that workers are forked from, before the modules of domains: what that process is.

It begins as a new interpreter, with none of a run's threads, and does nothing but import and fork. It leaves signals to
the run and to the workers, and ends when the run does, however that ends. No garbage is looked for among what it has
imported, nor do the workers look there.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from multiprocessing.forkserver import get_inherited_fds

PR_SET_PDEATHSIG = 1
# Also those that it forks have its arguments; they inherit files as well, from the first.
_FORKS = any("multiprocessing.forkserver" in word for word in sys.orig_argv) and get_inherited_fds() is None
SERVER = os.getpid() if _FORKS else 0
"""The process that this one is, or that it was forked from; 0 where that did not import this."""


def end_with_parent() -> None:
    """Ask the kernel to end this process with the thread that started it."""
    # SIGKILL, not SIGTERM: the sandbox below a worker dies with it (bubblewrap --die-with-parent).
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _tie_child() -> None:
    # From its first instant: one that still starts as the run ends would tell of semaphores that are gone.
    if os.getppid() == SERVER:
        end_with_parent()


if _FORKS:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a whole group's: the workers stage what they have
    end_with_parent()
    os.register_at_fork(after_in_child=_tie_child)
    gc.disable()
