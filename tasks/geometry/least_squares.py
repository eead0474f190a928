"""Levenberg-Marquardt for small dense systems.

A figure has some twenty unknowns. At that size a general solver spends its time in its own bookkeeping, so this one
does the few products that a step needs and no more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MOST_STEPS = 40
_CLOSE = 1e-8
"""A step below this (unknowns are shares of the figure's extent) ends the search: coordinates keep five decimals."""
_FLAT = 1e-10
"""A step that lowers the cost by less than this share ends it too."""
_STIFFEST = 1e6
"""Damping beyond which no step is worth trying."""


def minimise(
    linearise: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    start: np.ndarray,
    origin: np.ndarray,
    pull: float,
) -> np.ndarray:
    """The ``x`` near ``start`` with the least ``|f(x)|^2 + pull^2 |x - origin|^2``.

    ``linearise`` gives the residuals ``f`` (m,) at ``x`` (n,) and their Jacobian (m, n).
    """
    x = start
    weight = pull * pull
    values, jacobian = linearise(x)
    cost = _measure_cost(values, x - origin, weight)
    damping = 0.1 * weight
    for _ in range(MOST_STEPS):
        curvature = jacobian.T @ jacobian
        downhill = -(jacobian.T @ values) - weight * (x - origin)
        while True:
            step = _find_step(curvature, downhill, weight + damping)
            if step is not None:
                moved = x + step
                trial, slope = linearise(moved)
                lowered = _measure_cost(trial, moved - origin, weight)
                if lowered < cost:
                    break
                if np.abs(step).max() < _CLOSE:
                    return x
            if damping > _STIFFEST:
                return x
            damping = max(10 * damping, 1e-6)
        gain, cost = cost - lowered, lowered
        x, values, jacobian = moved, trial, slope
        damping *= 0.1
        if np.abs(step).max() < _CLOSE or gain < _FLAT * cost:
            break
    return x


def _find_step(curvature: np.ndarray, downhill: np.ndarray, damping: float) -> np.ndarray | None:
    """The damped Gauss-Newton step, None where points so close that numbers overflow leave none."""
    damped = curvature.copy()
    damped.flat[:: len(damped) + 1] += damping
    try:
        step: np.ndarray = np.linalg.solve(damped, downhill)
    except np.linalg.LinAlgError:
        return None
    return step if np.isfinite(step).all() else None


def _measure_cost(values: np.ndarray, away: np.ndarray, weight: float) -> float:
    return float(values @ values + weight * (away @ away))
