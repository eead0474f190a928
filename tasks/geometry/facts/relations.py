r"""The rows of the table of predicates that are no shapes: ``marks.toml`` and ``claims.toml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.geometry.facts import conditions, orders, residuals
from counterfoil.tasks.geometry.facts.predicate import Predicate

_FUNCTIONS: Mapping[str, ModuleType] = {
    **dict.fromkeys(("forms", "differ", "fits"), orders),
    **dict.fromkeys(("condition", "truth"), conditions),
    "residual": residuals,
}


def read_rows(table: str) -> Iterator[Predicate]:
    """The predicates of ``TABLE.toml``, in its order; a column that names a function holds that function."""
    for name, row in read_toml(Path(__file__).with_name(f"{table}.toml")).items():
        yield Predicate(name, **{column: _read(column, value) for column, value in row.items()})


def _read(column: str, value: str | list[str]) -> Any:
    if isinstance(value, list):
        return "; ".join(value)
    return getattr(_FUNCTIONS[column], value) if column in _FUNCTIONS else value
