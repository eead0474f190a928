"""Worker processes of tests: they are forked from one process that has imported all domains, whichever the first of a
test process's many pools is for."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
from collections.abc import Sequence
from typing import Any

from counterfoil.tasks.engine import workers
from counterfoil.tasks.engine.registry import DOMAIN_MODULES

_own = workers.list_imported
IMPORTED = [*workers.list_imported([*DOMAIN_MODULES])]


def keep_warm() -> None:
    """Let all workers of this process begin so."""

    def list_imported(domains: Sequence[str]) -> list[str]:  # noqa: ARG001 - of any
        return IMPORTED

    workers.list_imported = list_imported
    multiprocessing.set_forkserver_preload(IMPORTED)


def fork_with(*modules: str) -> Any:
    """The context of processes that are forked from one which has imported these modules as well: there is one such for
    all tests of a test process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*(IMPORTED if workers.list_imported is not _own else ()), *modules])
    return context


def let_lie() -> None:
    """Look for no garbage among what is there by now, in this process and in those that are forked from it: a look at
    all of it copies its pages, half a second for each of them."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # extensions complain at exit of what of theirs is still there
