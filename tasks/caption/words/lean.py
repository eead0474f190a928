"""Import a library without the optional ones that it would bring along: seconds in every process, for nothing used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import ModuleType
from typing import Any


def import_without(name: str, *others: str) -> Any:
    """Import the module ``name`` as it is where the packages ``others`` are not installed.

    What is imported already stays in sight, and threads beside this one see all that there is.

    Raises:
        ImportError: there is no such module, or it needs one of the others.
    """
    screen = _Screen(others)
    sys.meta_path.insert(0, screen)
    try:
        return importlib.import_module(name)
    finally:
        sys.meta_path.remove(screen)


class _Screen:
    """A finder before all others that knows of some packages that they are not there."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = frozenset(packages)
        self._thread = get_ident()

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        del path, target
        if name.partition(".")[0] in self._packages and get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None
