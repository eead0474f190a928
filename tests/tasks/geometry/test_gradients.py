"""Gradients in closed form are those that differences of the residuals show."""

from __future__ import annotations

import math
from functools import partial

import pytest

from tasks.contract.context import generator
from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.linear import CLOSED, difference, find_linear

CIRCLES = {r.on_circle: 1, r.radius: 0, r.tangent_at: 2, r.chord: 2, r.arc: 2, r.centre: 1, r.diameter: 2, r.radial: 2}
CIRCLES |= {r.outside_circle: 1, r.inside_circle: 1}
"""Facts whose last argument is a circle, with the number of points before it."""
POINTS = {2: [r.length], 8: [r.congruent], 6: [r.equal_angle, r.similar, r.angle_sum], 5: [r.altitude, r.median]}
POINTS[3] = [r.angle, r.right_angle, r.midpoint, r.equilateral, r.isosceles, r.right_triangle, r.scalene, r.acute]
POINTS[3] += [r.obtuse]
POINTS[4] = [r.equal_length, r.parallel, r.perpendicular, r.bisector, r.parallelogram, r.rectangle, r.rhombus, r.square]
POINTS[4] += [r.trapezoid, r.isosceles_trapezoid, r.right_trapezoid, r.kite, r.orthocentre, r.ratio]
POINTS[5] += [r.intersection]
SEVERAL = {
    r.collinear: (3, 5),
    r.side_length: (3, 4, 6),
    r.perimeter: (3, 5),
    r.area: (3, 4, 6),
    r.midsegment: (5, 6),
    r.centroid: (4, 5),
    r.circumcentre: (4, 6),
}
SEVERAL |= {residual: (count,) for count, residuals in POINTS.items() for residual in residuals}
"""Facts of points alone, with the numbers of points that they are tried with."""


def list_counts(residual: r.Residual) -> list[tuple[int, int]]:
    """(points, circles) of the facts that a residual is tried on."""
    return [(CIRCLES[residual], 1)] if residual in CIRCLES else [(count, 0) for count in SEVERAL[residual]]


@pytest.mark.parametrize("residual", CLOSED, ids=lambda each: each.__name__)
def test_a_closed_form_agrees_with_differences_of_the_residual(residual: r.Residual) -> None:
    rng = generator(5, residual.__name__)
    for points, circles in list_counts(residual):
        for _ in range(20):
            places = [tuple(rng.uniform(-1, 1, 2).tolist()) for _ in range(points)]
            places += [(*rng.uniform(-1, 1, 2).tolist(), rng.uniform(0.3, 1)) for _ in range(circles)]
            target = 70.0 if residual in (r.angle, r.arc, r.angle_sum) else 0.6
            found, wanted = find_linear(residual)(places, target), difference(residual, places, target)
            assert [value for value, _ in found] == pytest.approx([value for value, _ in wanted], abs=1e-9)
            for (_, slope), (_, other) in zip(found, wanted, strict=True):
                assert slope == pytest.approx(other, abs=1e-3, rel=1e-4)


def test_a_fact_without_a_closed_form_is_differentiated_all_the_same() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    assert r.regular_polygon not in CLOSED
    linear = find_linear(r.regular_polygon)(square, 0.0)
    assert [value for value, _ in linear] == pytest.approx([0.0] * 8)
    # The centre follows a corner that leaves it by a quarter of the step, and so does the mean: half is left, over the
    # radius.
    outwards = (linear[0][1][0] + linear[0][1][1]) / -math.sqrt(2)
    assert outwards == pytest.approx(0.5 / (math.sqrt(2) / 2), rel=1e-6)


def test_a_best_of_several_ways_is_taken_with_the_gradient_of_that_way() -> None:
    right_at_last = [(0.0, 1.0), (1.01, 0.0), (0.0, 0.0)]
    ((value, slope),) = find_linear(r.right_triangle)(right_at_last, 0.0)
    assert value == pytest.approx(0.0)
    # Only turning the legs matters: along them nothing changes.
    assert slope[1] == slope[2] == pytest.approx(0.0)
    assert slope[0] == pytest.approx(1.0)
    assert slope[3] == pytest.approx(1 / 1.01)


def test_places_that_coincide_have_finite_gradients() -> None:
    for residual in (r.length, r.equal_length, r.on_circle):
        places = [(0.0, 0.0), (0.0, 0.0, 0.5)] if residual is r.on_circle else [(0.0, 0.0)] * 4
        for value, slope in find_linear(residual)(places, 1.0):
            assert math.isfinite(value) and all(map(math.isfinite, slope))


def test_of_ways_that_are_equally_near_the_mean_gradient_is_taken() -> None:
    symmetric = [(0.0, 0.0), (6.0, 0.0), (3.0, 7.0)]
    ((value, slope),), ((other, wanted),) = (
        make(symmetric, 0.0) for make in (find_linear(r.right_triangle), partial(difference, r.right_triangle))
    )
    assert abs(value) == pytest.approx(abs(other))
    assert slope == pytest.approx(wanted, abs=1e-4)
    assert slope[0] == pytest.approx(-slope[2])
    assert slope[1] == pytest.approx(slope[3])
