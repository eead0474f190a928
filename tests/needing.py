"""Tests that need a package of an extra are left out where it is missing, without importing it: four workers collect
all tests, and each of them would import what one of them runs."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def skip_without(package: str, reason: str = "") -> None:
    """Leave out the tests of the module that calls this as it is imported."""
    if find_spec(package) is None:
        pytest.skip(reason or f"{package} is not installed", allow_module_level=True)
