"""The order of the files: those of minutes begin, so that no worker is left alone with one at the end.

Examples of properties are the same in every run, on a machine of any speed; other ones are drawn by
``--hypothesis-profile=default``.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from typing import Any

# Several workers share few cores, where threads that wait for each other by turning take ten times what one needs.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "same", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")

TOGETHER = ("tests/tasks/caption/", "tests/tasks/theorem/", "tests/tasks/flowchart/")
"""Folders whose files share anchors and contrasts that are dear to make: one worker takes all of a folder."""
FIRST = ("tests/test_compose.py", "tests/flows/", *TOGETHER, "tests/tasks/audit/test_audit.py", "tests/tasks/sft/")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while modules are imported and tests collected, and never again among what that made:
    none of it is any, and the search took a fifth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move these files to the front; within them, and after them, the order stays."""

    def find_place(item: pytest.Item) -> int:
        return next((place for place, path in enumerate(FIRST) if item.nodeid.startswith(path)), len(FIRST))

    items.sort(key=find_place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In place of ``--dist loadfile``: a worker takes a file, or a folder of those that stay `TOGETHER`."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return next((folder for folder in TOGETHER if file.startswith(folder)), file)

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish(session: pytest.Session) -> None:  # noqa: ARG001 - the hook's form
    """Let tests whose modules start workers fork them from one that has imported us."""
    if "counterfoil.tasks.engine.workers" in sys.modules:
        from tests.warm_workers import keep_warm

        keep_warm()


@pytest.fixture
def spawned_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers as a run starts them."""
    from tests.warm_workers import SPAWN

    monkeypatch.setattr("counterfoil.tasks.engine.workers.WorkerPool._start", SPAWN)
