"""Which kinds of lies there are for each domain."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.lies import (
    captions,
    careful,
    charts,
    composites,
    diagrams,
    disguises,
    fields,
    figures,
    fresh,
    geometry,
    photographs,
    rows,
    scenes,
    stages,
    statements,
    theorems,
)

Row = dict[str, Any]
"""A stored row: the columns of its table, and beside them ``table`` (``anchors`` or ``contrasts``), ``other``, another
row of the same partition where there is one, ``anchor``, whose a contrast is, ``sibling``, another contrast of the
same anchor and family, and ``cousin``, one of another family. A changed row may have keys more: ``gone`` (the row is
left out), ``twice`` (it is stored twice), ``small`` (a reader would not see the lie: it is counted apart) and ``also``
(the sibling or cousin, changed too)."""
Kind = Callable[[Row, random.Random], Row | None]
"""The row with one lie in it; None where this lie does not apply to it."""

MODULES: Mapping[str, tuple[Mapping[str, Kind], ...]] = {
    "geometry": (geometry.KINDS, figures.KINDS, rows.KINDS, disguises.KINDS, fields.KINDS, fresh.KINDS, careful.KINDS),
    "flowchart": (charts.KINDS, diagrams.KINDS, rows.KINDS, disguises.KINDS, fields.KINDS, fresh.KINDS, careful.KINDS),
    "caption": (
        scenes.KINDS,
        stages.KINDS,
        captions.KINDS,
        photographs.KINDS,
        rows.KINDS,
        disguises.KINDS,
        fields.KINDS,
        fresh.KINDS,
        careful.KINDS,
    ),
    "composite": (composites.KINDS, rows.KINDS, disguises.KINDS, fields.KINDS, fresh.KINDS, careful.KINDS),
    "theorem": (
        theorems.KINDS,
        statements.KINDS,
        rows.KINDS,
        disguises.KINDS,
        fields.KINDS,
        fresh.KINDS,
        careful.KINDS,
    ),
}


def list_kinds(domain: str) -> dict[str, Kind]:
    """The kinds of a domain by name, its own first."""
    return {name: kind for module in MODULES[domain] for name, kind in module.items()}
