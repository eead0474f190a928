"""Counterfoil from Python: read a dataset, make one, check it, train on it; audit and check what others made.

>>> import counterfoil
>>> data = counterfoil.open("data/demo")                                        # doctest: +SKIP
>>> data.contrasts.select(["family", "text"], family="geometry.rule").polars()  # doctest: +SKIP
>>> counterfoil.run("recipes/demo.toml", {"geometry.negatives": 5})             # doctest: +SKIP
>>> counterfoil.verify("data/demo").failures                                    # doctest: +SKIP
>>> counterfoil.check("triplets.jsonl")[0].standing                             # doctest: +SKIP
>>> counterfoil.Triplets("data/demo", ["geometry.image"], n=3)                  # doctest: +SKIP

`Triplets` needs torch, which is imported when the name is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterfoil.contrasts import audit, check, clean
from counterfoil.making import Run, RunError, run, verify
from counterfoil.tables import Dataset, Table, open
from storage.errors import StorageError
from storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance, Reject
from tasks.packages import MissingPackageError

if TYPE_CHECKING:
    from counterfoil.triplets import Triplet, Triplets

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
    if name in ("Triplet", "Triplets"):
        from counterfoil import triplets

        return getattr(triplets, name)
    raise AttributeError(f"module 'counterfoil' has no attribute {name!r}")
