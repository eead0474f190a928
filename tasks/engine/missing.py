"""A package that is not installed, or not in a version that fits: it is about the machine and never about a row."""

from __future__ import annotations

import re
from importlib import metadata

OURS = frozenset(("counterfoil", "flows", "prompts", "recipes", "renderers", "storage", "tasks"))
DISTRIBUTIONS = {
    "PIL": "pillow",
    "faiss": "faiss-cpu",
    "quickjs": "quickjs-ng",
    "sklearn": "scikit-learn",
    "z3": "z3-solver",
}
"""What is imported to what is installed, where the names differ."""


class MissingPackageError(Exception):
    """A package that a row needs cannot be imported. The message says which, and how to get it."""

    fatal = True


def word_missing(error: ImportError) -> str | None:
    """What is not installed and what installs it; None where it is a module of our own, which is a bug.

    >>> word_missing(ModuleNotFoundError("No module named 'numpy'", name="numpy")).partition(": ")[0]
    'the package numpy is not installed, and this cannot be done without it'
    >>> word_missing(ModuleNotFoundError("No module named 'tasks.gone'", name="tasks.gone"))
    """
    package = (error.name or "").partition(".")[0]
    if not package or package in OURS:
        return None
    how = "is not installed"
    if not isinstance(error, ModuleNotFoundError):
        how = f"cannot be used ({' '.join(str(error).split())})"
    wanted = _find_requirement(package)
    return f"the package {package} {how}, and this cannot be done without it: pip install '{wanted}'"


def explain_missing(error: ImportError) -> Exception:
    """The error to raise instead: ours, or ``error`` itself where it is a bug."""
    told = word_missing(error)
    return error if told is None else MissingPackageError(told)


def _find_requirement(package: str) -> str:
    """What to give to pip: the version that we need, the extra that has it, or the package's name."""
    wanted = _normalise(DISTRIBUTIONS.get(package, package))
    try:
        required = metadata.requires("counterfoil") or []
    except metadata.PackageNotFoundError:
        required = []
    for line in required:
        requirement, _, marker = line.partition(";")
        if _normalise(re.split(r"[\s<>=!~\[(]", requirement, maxsplit=1)[0]) == wanted:
            extra = re.search(r"extra == ['\"]([^'\"]+)", marker)
            return f"counterfoil[{extra[1]}]" if extra else requirement.strip()
    return wanted


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
