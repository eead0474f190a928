"""The gradients that residuals of duals carry are those that differences of the same residuals of floats show."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.facts import residuals as r
from counterfoil.tasks.geometry.facts.duals import Dual
from counterfoil.tasks.geometry.facts.predicates import PREDICATES

STEP = 1e-6
CIRCLES = {r.on_circle: 1, r.radius: 0, r.tangent_at: 2, r.tangent: 2, r.chord: 2, r.arc: 2, r.centre: 1, r.diameter: 2}
TWO_CIRCLES = {r.externally_tangent, r.internally_tangent}
CIRCLES |= {r.circle_equation: 0, r.radial: 2, r.outside_circle: 1, r.inside_circle: 1}
"""Facts whose last argument is a circle, with the number of points before it."""
POINTS = {2: [r.length], 8: [r.congruent], 6: [r.equal_angle, r.similar, r.angle_sum], 5: [r.altitude, r.median]}
POINTS[3] = [r.angle, r.right_angle, r.midpoint, r.equilateral, r.isosceles, r.right_triangle, r.scalene, r.acute]
POINTS[3] += [r.obtuse]
POINTS[4] = [r.equal_length, r.parallel, r.perpendicular, r.bisector, r.parallelogram, r.rectangle, r.rhombus, r.square]
POINTS[4] += [r.trapezoid, r.isosceles_trapezoid, r.right_trapezoid, r.kite, r.orthocentre, r.ratio]
POINTS[4] += [r.perpendicular_bisector]
POINTS[5] += [r.intersection]
SEVERAL = {
    r.collinear: (3, 5),
    r.side_length: (3, 4, 6),
    r.perimeter: (3, 5),
    r.area: (3, 4, 6),
    r.midsegment: (5, 6),
    r.centroid: (4, 5),
    r.circumcentre: (4, 6),
    r.incentre: (4, 5),
    r.regular_polygon: (3, 5),
    r.concyclic: (4, 6),
    r.at: (1,),
    r.on_x_axis: (1,),
    r.on_y_axis: (1,),
    **dict.fromkeys((r.slope, r.y_intercept, r.x_intercept, r.line_equation, r.horizontal, r.vertical), (2,)),
    r.quadratic: (2,),
}
SEVERAL |= {residual: (count,) for count, residuals in POINTS.items() for residual in residuals}
"""Facts of points alone, with the numbers of points that they are tried with."""
ON_AXES: dict[r.Residual, tuple[float, ...]] = {
    **dict.fromkeys((r.slope, r.y_intercept, r.x_intercept), (0.6,)),
    **dict.fromkeys((r.at, r.line_equation), (0.6, -0.3)),
    **dict.fromkeys((r.quadratic, r.circle_equation), (0.6, -0.3, 0.4)),
}
"""Targets that are several numbers."""
Place = tuple[float, ...]


def list_counts(residual: r.Residual) -> list[tuple[int, int]]:
    """(points, circles) of the facts that a residual is tried on."""
    if residual in TWO_CIRCLES:
        return [(0, 2)]
    return [(CIRCLES[residual], 1)] if residual in CIRCLES else [(count, 0) for count in SEVERAL[residual]]


def differentiate(residual: r.Residual, places: Sequence[Place], target: float) -> tuple[list[float], np.ndarray]:
    """The residuals (m,) of places of duals, and their gradients (m, n) by all coordinates in order."""
    unknowns = [[Dual(value, {}) for value in place] for place in places]
    flat = [unknown for place in unknowns for unknown in place]
    for i, unknown in enumerate(flat):
        unknown.slope = {i: 1.0}
    parts = residual([tuple(place) for place in unknowns], target)
    duals = [part if isinstance(part, Dual) else Dual(part, {}) for part in parts]
    return [dual.value for dual in duals], np.array(
        [[dual.slope.get(i, 0.0) for i in range(len(flat))] for dual in duals]
    )


def difference(residual: r.Residual, places: Sequence[Place], target: float) -> np.ndarray:
    """The gradients (m, n) by central differences."""
    columns = []
    for i, place in enumerate(places):
        for axis in range(len(place)):
            ends = []
            for step in (STEP, -STEP):
                moved = (*place[:axis], place[axis] + step, *place[axis + 1 :])
                ends.append(np.array(residual([*places[:i], moved, *places[i + 1 :]], target)))
            columns.append((ends[0] - ends[1]) / (2 * STEP))
    return np.array(columns).T


def test_every_residual_of_a_predicate_is_tried() -> None:
    assert {predicate.residual for predicate in PREDICATES.values()} - {r.none} <= {*CIRCLES, *SEVERAL, *TWO_CIRCLES}


@pytest.mark.parametrize(
    "residual", [*CIRCLES, *SEVERAL, r.externally_tangent, r.internally_tangent], ids=lambda each: each.__name__
)
def test_duals_agree_with_differences_of_the_residual(residual: r.Residual) -> None:
    rng = generator(5, residual.__name__)
    for points, circles in list_counts(residual):
        for _ in range(20):
            places: list[Place] = [tuple(rng.uniform(-1, 1, 2).tolist()) for _ in range(points)]
            places += [(*rng.uniform(-1, 1, 2).tolist(), rng.uniform(0.3, 1)) for _ in range(circles)]
            target: r.Target = 70.0 if residual in (r.angle, r.arc, r.angle_sum) else 0.6
            target = ON_AXES.get(residual, target)
            values, slopes = differentiate(residual, places, target)
            assert values == list(residual(places, target))
            assert slopes == pytest.approx(difference(residual, places, target), abs=1e-6, rel=1e-5)


def test_a_point_that_is_named_twice_has_one_derivative() -> None:
    (p, q), target = [(0.3, -0.2), (0.9, 0.4)], 0.0
    there = tuple(Dual(value, {i: 1.0}) for i, value in enumerate(p))
    here = tuple(Dual(value, {2 + i: 1.0}) for i, value in enumerate(q))
    (twice,) = r.equal_length((there, here, here, there), target)
    assert isinstance(twice, Dual)
    assert twice.value == 0.0 and list(twice.slope.values()) == pytest.approx([0.0] * 4)


def test_an_inequality_that_holds_has_no_gradient() -> None:
    far: list[Place] = [(5.0, 0.0), (0.0, 0.0, 1.0)]
    values, slopes = differentiate(r.outside_circle, far, 0.0)
    assert values == [0.0] and not slopes.any()


def test_a_best_of_several_ways_is_taken_with_the_gradient_of_that_way() -> None:
    right_at_last: list[Place] = [(0.0, 1.0), (1.01, 0.0), (0.0, 0.0)]
    (value,), (slope,) = differentiate(r.right_triangle, right_at_last, 0.0)
    assert value == pytest.approx(0.0)
    # Only turning the legs matters: along them nothing changes.
    assert slope[1] == slope[2] == pytest.approx(0.0)
    assert slope[0] == pytest.approx(1.0)
    assert slope[3] == pytest.approx(1 / 1.01)


def test_places_that_coincide_have_finite_gradients() -> None:
    for residual in (r.length, r.equal_length, r.on_circle, r.midpoint, r.parallel, r.angle):
        places: list[Place] = [(0.0, 0.0), (0.0, 0.0, 0.5)] if residual is r.on_circle else [(0.0, 0.0)] * 4
        values, slopes = differentiate(residual, places[:3] if residual is r.midpoint else places, 1.0)
        assert all(map(math.isfinite, values)) and np.isfinite(slopes).all()


def test_of_ways_that_are_equally_near_the_mean_gradient_is_taken() -> None:
    symmetric: list[Place] = [(0.0, 0.0), (6.0, 0.0), (3.0, 7.0)]
    _, (slope,) = differentiate(r.right_triangle, symmetric, 0.0)
    assert slope == pytest.approx(difference(r.right_triangle, symmetric, 0.0)[0], abs=1e-4)
    assert slope[0] == pytest.approx(-slope[2])
    assert slope[1] == pytest.approx(slope[3])
