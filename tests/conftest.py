"""The order of the files, by which neither cores nor a worker at the end are idle.

Examples of properties are the same in every run, on a machine of any speed; other ones are drawn by
``--hypothesis-profile=default``.
"""

from __future__ import annotations

import atexit
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
WAITING = ("tests/test_compose.py", "tests/flows/")
"""What waits for processes, servers and time-outs as long as it computes."""
FIRST = (*TOGETHER, "tests/test_compose.py", "tests/tasks/audit/test_audit.py", "tests/tasks/sft/")
"""What takes minutes."""


def name_unit(nodeid: str) -> str:
    """What one worker takes whole: the test's file, or its folder where that stays `TOGETHER`."""
    file = nodeid.partition("::")[0]
    return next((folder for folder in TOGETHER if file.startswith(folder)), file)


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
        atexit.register(gc.unfreeze)  # extensions complain at exit of what of theirs is still there
        gc.set_threshold(20_000, 20, 50)  # as the command does
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread what waits among what computes, so that cores are busy, and let it end before. Begin with what lasts."""
    units: dict[str, list[pytest.Item]] = {}
    for item in items:
        units.setdefault(name_unit(item.nodeid), []).append(item)
    places: dict[str, float] = {}
    for waits, ends in ((True, 0.8), (False, 1.0)):
        alike = sorted(
            (each for each in units if each.startswith(WAITING) == waits), key=lambda u: not u.startswith(FIRST)
        )
        count, before = sum(len(units[each]) for each in alike), 0
        for each in alike:
            places[each] = ends * before / count
            before += len(units[each])
    items[:] = [item for unit in sorted(units, key=places.__getitem__) for item in units[unit]]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In place of ``--dist loadfile``: a worker takes a file, or a folder of those that stay `TOGETHER`."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return name_unit(nodeid)

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish(session: pytest.Session) -> None:  # noqa: ARG001 - the hook's form
    """Let the workers of all tests be forked from one process that has imported all domains."""
    if "counterfoil.tasks.engine.workers" in sys.modules:
        from tests.warm_workers import keep_warm

        keep_warm()
