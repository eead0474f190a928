"""Packages that only some users need: what is told where one is missing or does not fit, and imports without them.

It is about the machine and never about a row.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import ModuleType
from typing import Any

DISTRIBUTIONS = {
    "PIL": "pillow",
    "faiss": "faiss-cpu",
    "quickjs": "quickjs-ng",
    "sklearn": "scikit-learn",
    "z3": "z3-solver",
}
"""What is imported to what is installed, where the names differ."""


class MissingPackageError(ImportError):
    """A package cannot be imported. The message says what needs it, which it is, and how to get it."""

    fatal = True


def import_package(name: str, what: str = "this", extra: str = "") -> Any:
    """The module ``name`` of a package, which ``what`` needs and our extra ``extra`` installs.

    Raises:
        MissingPackageError: it is not installed, or cannot be used.
    """
    with explained(what, extra):
        return importlib.import_module(name)


@contextmanager
def explained(what: str = "this", extra: str = "") -> Iterator[None]:
    """Say of a package that the block does not find that ``what`` needs it, and how to get it.

    ``extra`` is the one of ours to name; left out, the smallest that has the package.

    Raises:
        MissingPackageError: a package is not installed, or cannot be used.
    """
    try:
        yield
    except ImportError as error:
        told = word_missing(error, what, extra)
        if told is None or isinstance(error, MissingPackageError):
            raise
        raise MissingPackageError(told, name=error.name) from error


def import_without(name: str, *others: str) -> Any:
    """The module ``name`` as it is where the packages ``others``, seconds of import for nothing, are not installed.

    Raises:
        ImportError: there is no such module, or it needs one of the others.
    """
    with hidden(*others):
        return importlib.import_module(name)


def spare_pandas() -> None:
    """For a process of our own: PyArrow asks at the first list that it takes whether there is pandas, and imports it,
    a quarter of a second for nothing. It asks again where it is to give a data frame."""
    import pyarrow as pa

    with hidden("pandas"):
        pa.array([0])


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Let imports of this thread not find packages that are not imported yet."""
    screen = _Screen(packages)
    sys.meta_path.insert(0, screen)
    try:
        yield
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


def word_missing(error: ImportError, what: str = "this", extra: str = "") -> str | None:
    """What is not installed and what installs it; None where it is a module of our own, which is a bug.

    >>> word_missing(ModuleNotFoundError("No module named 'numpy'", name="numpy")).partition(": ")[0]
    'this needs the package numpy, which is not installed'
    >>> word_missing(ModuleNotFoundError("No module named 'counterfoil.tasks.gone'", name="counterfoil.tasks.gone"))
    """
    if isinstance(error, MissingPackageError):
        return str(error)
    package = (error.name or "").partition(".")[0]
    if not package or package == "counterfoil":
        return None
    how = "is not installed"
    if not isinstance(error, ModuleNotFoundError):
        how = f"cannot be used ({' '.join(str(error).split())})"
    wanted = f"counterfoil[{extra}]" if extra else _find_requirement(package)
    return f"{what} needs the package {package}, which {how}: pip install '{wanted}'"


def _find_requirement(package: str) -> str:
    """What to give to pip: the version that we need, the smallest extra that has it, or the package's name."""
    wanted = _normalise(DISTRIBUTIONS.get(package, package))
    try:
        required = metadata.requires("counterfoil") or []
    except metadata.PackageNotFoundError:
        required = []
    extras: list[str] = []
    having = set()
    for line in required:
        requirement, _, marker = line.partition(";")
        extra = re.search(r"extra == ['\"]([^'\"]+)", marker)
        extras += [extra[1]] if extra else []
        if _normalise(re.split(r"[\s<>=!~\[(]", requirement, maxsplit=1)[0]) == wanted:
            if extra is None:
                return requirement.strip()
            having.add(extra[1])
    return f"counterfoil[{min(having, key=lambda each: (extras.count(each), each))}]" if having else wanted


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
