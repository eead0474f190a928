"""Gradients in closed form are those that differences of the residuals show."""

from __future__ import annotations

import math

import pytest

from tasks.contract.context import generator
from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.gradients import CLOSED, difference, find_linear

CIRCLE_LAST = {r.on_circle: 1, r.radius: 0, r.tangent_at: 2, r.chord: 2, r.arc: 2}
POINTS = {
    r.length: 2,
    r.equal_length: 4,
    r.angle: 3,
    r.equal_angle: 6,
    r.parallel: 4,
    r.perpendicular: 4,
    r.right_angle: 3,
    r.midpoint: 3,
    r.bisector: 4,
    r.congruent: 8,
    r.similar: 6,
}


def list_counts(residual: r.Residual) -> list[tuple[int, int]]:
    """(points, circles) of the facts that a residual is tried on."""
    if residual in CIRCLE_LAST:
        return [(CIRCLE_LAST[residual], 1)]
    return [(3, 0), (5, 0)] if residual is r.collinear else [(POINTS[residual], 0)]


@pytest.mark.parametrize("residual", CLOSED, ids=lambda each: each.__name__)
def test_a_closed_form_agrees_with_differences_of_the_residual(residual: r.Residual) -> None:
    rng = generator(5, residual.__name__)
    for points, circles in list_counts(residual):
        for _ in range(20):
            places = [tuple(rng.uniform(-1, 1, 2).tolist()) for _ in range(points)]
            places += [(*rng.uniform(-1, 1, 2).tolist(), rng.uniform(0.3, 1)) for _ in range(circles)]
            target = 70.0 if residual in (r.angle, r.arc) else 0.6
            found, wanted = find_linear(residual)(places, target), difference(residual, places, target)
            assert [value for value, _ in found] == pytest.approx([value for value, _ in wanted], abs=1e-9)
            for (_, slope), (_, other) in zip(found, wanted, strict=True):
                assert slope == pytest.approx(other, abs=1e-3, rel=1e-4)


def test_a_fact_without_a_closed_form_is_differentiated_all_the_same() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    linear = find_linear(r.parallelogram)(square, 0.0)
    assert [value for value, _ in linear] == [0.0, 0.0]
    # Half of what moves in the diagonals' middles, over the mean of half diagonals.
    assert linear[0][1][0] == pytest.approx(0.5 / (math.sqrt(2) / 2), rel=1e-6)


def test_places_that_coincide_have_finite_gradients() -> None:
    for residual in (r.length, r.equal_length, r.on_circle):
        places = [(0.0, 0.0), (0.0, 0.0, 0.5)] if residual is r.on_circle else [(0.0, 0.0)] * 4
        for value, slope in find_linear(residual)(places, 1.0):
            assert math.isfinite(value) and all(map(math.isfinite, slope))
