"""The small solver finds the nearest solution, or the best compromise where there is none, and never makes it worse."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.geometry.figure.least_squares import minimise


def circle(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """On the unit circle."""
    return np.array([x @ x - 1]), 2 * x[None, :]


def test_of_many_solutions_the_nearest_is_found() -> None:
    origin = np.array([3.0, 4.0])
    found = minimise(circle, origin, origin, 1e-3)
    assert found == pytest.approx([0.6, 0.8], abs=1e-4)


def test_contradicting_residuals_are_balanced() -> None:
    def linearise(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.log(x[0] / np.array([1.0, 4.0])), np.full((2, 1), 1 / x[0])

    start = np.array([3.0])
    assert minimise(linearise, start, start, 1e-5) == pytest.approx([2.0], rel=1e-3)


def test_a_full_step_that_overshoots_is_damped() -> None:
    def linearise(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.arctan(x), np.diag(1 / (1 + x * x))

    # Newton's steps diverge from here.
    start = np.array([3.0])
    assert minimise(linearise, start, start, 1e-6) == pytest.approx([0.0], abs=1e-5)


def test_slopes_without_bounds_leave_the_start_as_it_is() -> None:
    start = np.array([1.0, 2.0])
    found = minimise(lambda x: (np.array([1.0]), np.full((1, 2), 1e300) * x), start, start, 1e-3)
    assert found.tolist() == start.tolist()
