"""The table of predicates: arguments, orders that say the same, residuals, and the words for each."""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil.tasks.geometry.facts.predicate import Predicate
from counterfoil.tasks.geometry.facts.relations import read_rows
from counterfoil.tasks.geometry.facts.shapes import list_shapes

PREDICATES: Mapping[str, Predicate] = {
    row.name: row for row in (*read_rows("marks"), *list_shapes(), *read_rows("claims"))
}
"""Every predicate by its name, in the order in which captions state facts."""


def _select(group: str, signature: str | None = None) -> frozenset[str]:
    rows = (row for row in PREDICATES.values() if row.group == group)
    return frozenset(row.name for row in rows if signature in (None, row.signature))


DRAWN = _select("drawn")
MARKS = _select("mark")
SHAPES = _select("shape")
BARE = frozenset(("triangle", "quadrilateral"))
"""Shapes of no special sort."""
MEASURES = _select("measure")
INCIDENCES = _select("incidence") | {"segment"}
"""Claims about where a point or line is."""
PLANE = _select("plane")
"""Claims about coordinates, which only a figure with axes shows."""
TRIANGLE_KINDS = _select("shape", "ABC") - {"triangle"}
QUADRILATERAL_KINDS = _select("shape", "ABCD")
CENTRES = frozenset(("incentre", "centroid", "circumcentre"))
NUMERIC = frozenset(("length", "angle", "area", "ratio"))
"""Sorts of values that are numbers or expressions."""
NUMBER_MARKS = {
    str(row.states): row.name for row in PREDICATES.values() if row.group == "mark" and row.value in NUMERIC
}
"""The mark that shows each claim of a number."""
GROUP_MARKS = {row.name: str(row.states) for row in PREDICATES.values() if row.group == "mark" and row.value == "text"}
"""What two marks of one group (the same value) say of the things that bear them."""
