"""The order of the files: those of minutes begin, so that no worker is left alone with one at the end.

Examples of properties are the same in every run, on a machine of any speed; other ones are drawn by
``--hypothesis-profile=default``.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "same", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")

FIRST = ("tests/test_compose.py", "tests/flows/", "tests/tasks/audit/test_audit.py", "tests/tasks/sft/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move these files to the front; within them, and after them, the order stays."""

    def find_place(item: pytest.Item) -> int:
        return next((place for place, path in enumerate(FIRST) if item.nodeid.startswith(path)), len(FIRST))

    items.sort(key=find_place)
