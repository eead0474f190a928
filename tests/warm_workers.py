"""Worker processes of tests: forked from one process that has imported us, where a run's own are spawned.

What a worker does is the same; its start costs hundredths of a second in place of one second of imports. Tests of how
workers begin and end ask for `spawned_workers`; commands that tests run as processes spawn.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from counterfoil.tasks.engine import workers
from counterfoil.tasks.engine.registry import DOMAIN_MODULES

IMPORTED = [*DOMAIN_MODULES.values(), "scipy.ndimage", "scipy.optimize", "tests.warmed"]
SPAWN = workers.WorkerPool._start


def _begin(ticks: Any, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    workers._start_worker(ticks, os.getppid())


def _start(pool: workers.WorkerPool) -> ProcessPoolExecutor:
    """In place of `WorkerPool._start`: workers with the environment of who asks for them, as spawned ones have."""
    context = multiprocessing.get_context("forkserver")
    given = pool._ticks, dict(os.environ)
    return ProcessPoolExecutor(pool.workers, mp_context=context, initializer=_begin, initargs=given)


def keep_warm() -> None:
    """Let all workers of this process begin so."""
    multiprocessing.set_forkserver_preload(IMPORTED)
    workers.WorkerPool._start = _start  # type: ignore[method-assign]


def let_lie() -> None:
    """Look for no garbage among what is there by now, in this process and in those that are forked from it: a look at
    all of it copies its pages, half a second for each of them."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # extensions complain at exit of what of theirs is still there
