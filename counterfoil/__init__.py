"""Counterfoil from Python: read a dataset, make one, check it, train on it; audit and check what others made.

>>> import counterfoil
>>> data = counterfoil.open("data/demo")                                        # doctest: +SKIP
>>> data.contrasts.select(["family", "text"], family="geometry.rule").polars()  # doctest: +SKIP
>>> counterfoil.run("recipes/demo.toml", {"geometry.negatives": 5})             # doctest: +SKIP
>>> counterfoil.verify("data/demo").failures                                    # doctest: +SKIP
>>> counterfoil.check("triplets.jsonl")[0].standing                             # doctest: +SKIP
>>> counterfoil.Triplets("data/demo", ["geometry.image"], n=3)                  # doctest: +SKIP

`Triplets` needs torch. Each name's module is imported when the name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfoil.contrasts import audit, check, clean
    from counterfoil.making import Run, RunError, run, verify
    from counterfoil.storage.errors import StorageError
    from counterfoil.storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance, Reject
    from counterfoil.tables import Dataset, Table, open
    from counterfoil.tasks.packages import MissingPackageError
    from counterfoil.triplets import Triplet, Triplets

_HOMES = {
    "contrasts": ("audit", "check", "clean"),
    "making": ("Run", "RunError", "run", "verify"),
    "storage.errors": ("StorageError",),
    "storage.rows": ("Anchor", "Contrast", "Edit", "Fact", "Image", "Provenance", "Reject"),
    "tables": ("Dataset", "Table", "open"),
    "tasks.packages": ("MissingPackageError",),
    "triplets": ("Triplet", "Triplets"),
}
"""Where each name lives. It is imported when it is first used, as every module of the package imports this one."""

__all__ = [
    "Anchor",
    "Contrast",
    "Dataset",
    "Edit",
    "Fact",
    "Image",
    "MissingPackageError",
    "Provenance",
    "Reject",
    "Run",
    "RunError",
    "StorageError",
    "Table",
    "Triplet",
    "Triplets",
    "audit",
    "check",
    "clean",
    "open",
    "run",
    "verify",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"counterfoil.{home}"), name)
            return found
    raise AttributeError(f"module 'counterfoil' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
