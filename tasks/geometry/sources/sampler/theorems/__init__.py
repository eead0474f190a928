"""The theorems that hold of a figure by what it states: of each kind of fact, of its triangles, lines and circles.

Each function gives equations between quantities (`deduce.Relation`). What merely comes out so in the coordinates is no
reason: an equation needs a fact, or values that were derived before.
"""

from __future__ import annotations

from collections.abc import Callable

from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.sources.sampler.deduce import Relation
from counterfoil.tasks.geometry.sources.sampler.figure import Plane
from counterfoil.tasks.geometry.sources.sampler.theorems.circles import (
    tell_of_circle,
    tell_of_diameter,
    tell_of_tangent,
)
from counterfoil.tasks.geometry.sources.sampler.theorems.equations import Relations
from counterfoil.tasks.geometry.sources.sampler.theorems.lines import (
    tell_of_bisector,
    tell_of_equal_angle,
    tell_of_equal_length,
    tell_of_lines,
    tell_of_midpoint,
    tell_of_parallels,
    tell_of_perpendicular,
)
from counterfoil.tasks.geometry.sources.sampler.theorems.polygons import (
    tell_of_isosceles_trapezoid,
    tell_of_kite,
    tell_of_parallelogram,
    tell_of_rectangle,
    tell_of_regular,
    tell_of_rhombus,
    tell_of_ring,
    tell_of_square,
    tell_of_trapezoid,
)
from counterfoil.tasks.geometry.sources.sampler.theorems.triangles import (
    list_triangles,
    tell_of_altitude,
    tell_of_any_triangle,
    tell_of_centroid,
    tell_of_congruent,
    tell_of_equilateral,
    tell_of_isosceles,
    tell_of_median,
    tell_of_midsegment,
    tell_of_similar,
    tell_of_triangle,
    unite_lengths,
)


def list_relations(plane: Plane) -> list[Relation]:
    """All theorems of the figure."""
    found = [relation for fact in plane.facts for relation in _tell_of_fact(plane, fact.predicate, fact.arguments)]
    found += tell_of_parallels(plane)
    for circle in plane.circles:
        found += tell_of_circle(plane, circle)
    found += tell_of_lines(plane)
    is_equal = unite_lengths(found)
    for ring in list_triangles(plane):
        found += tell_of_triangle(plane, ring, is_equal)
    return list(dict.fromkeys(found))


def _tell_of_fact(plane: Plane, predicate: str, a: tuple[str, ...]) -> Relations:
    if predicate in SHAPES:
        yield from tell_of_ring(plane, a)
    rule = _RULES.get(predicate)
    if rule is not None:
        yield from rule(plane, *a)


_RULES: dict[str, Callable[..., Relations]] = {
    "midpoint": tell_of_midpoint,
    "median": tell_of_median,
    "perpendicular": tell_of_perpendicular,
    "altitude": tell_of_altitude,
    "bisector": tell_of_bisector,
    "midsegment": tell_of_midsegment,
    "equal_length": tell_of_equal_length,
    "equal_angle": tell_of_equal_angle,
    "congruent": tell_of_congruent,
    "similar": tell_of_similar,
    "triangle": tell_of_any_triangle,
    "right_triangle": tell_of_any_triangle,
    "acute": tell_of_any_triangle,
    "obtuse": tell_of_any_triangle,
    "isosceles": tell_of_isosceles,
    "equilateral": tell_of_equilateral,
    "regular_polygon": tell_of_regular,
    "parallelogram": tell_of_parallelogram,
    "rhombus": tell_of_rhombus,
    "rectangle": tell_of_rectangle,
    "square": tell_of_square,
    "kite": tell_of_kite,
    "trapezoid": tell_of_trapezoid,
    "right_trapezoid": tell_of_trapezoid,
    "isosceles_trapezoid": tell_of_isosceles_trapezoid,
    "diameter": tell_of_diameter,
    "tangent": tell_of_tangent,
    "centroid": tell_of_centroid,
}
