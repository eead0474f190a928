"""Levenberg-Marquardt for small dense systems.

A figure has some twenty unknowns. At that size a general solver spends its time in its own bookkeeping, so this one
does the few products that a step needs and no more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MOST_TRIALS = 40
_CLOSE = 1e-8
"""A step below this (unknowns are shares of the figure's extent) ends the search: coordinates keep five decimals."""
FLAT = 1e-6
"""A step that lowers the cost by less than this share ends it too."""


@np.errstate(over="ignore", invalid="ignore")
def minimise(
    linearise: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    start: np.ndarray,
    origin: np.ndarray,
    pull: float,
    flat: float = FLAT,
) -> np.ndarray:
    """The ``x`` near ``start`` with the least ``|f(x)|^2 + pull^2 |x - origin|^2``.

    ``linearise`` gives the residuals ``f`` (m,) at ``x`` (n,) and their Jacobian (m, n). Points that fall
    together make slopes without bounds; a step that leads to such numbers is not taken. A step that lowers the cost by
    less than the share ``flat`` is the last.
    """
    x = start
    weight = pull * pull
    values, jacobian = linearise(x)
    cost = _measure_cost(values, x - origin, weight)
    damping = 0.1 * weight
    curvature, downhill = _build_model(values, jacobian, x - origin, weight)
    for _ in range(MOST_TRIALS):
        step = _find_step(curvature, downhill, weight + damping)
        if step is None:
            damping = max(10 * damping, 1e-6)
            continue
        moved = x + step
        trial, slope = linearise(moved)
        lowered = _measure_cost(trial, moved - origin, weight)
        gain = cost - lowered
        small = np.abs(step).max() < _CLOSE or 0 < gain < flat * lowered
        if gain > 0:
            # How much of what the linear model promised came true.
            share = gain / float(downhill @ step + damping * (step @ step))
            damping = damping * 0.1 if share > 0.7 else 4 * max(damping, 1e-6) if share < 0.25 else damping
            x, cost = moved, lowered
            curvature, downhill = _build_model(trial, slope, x - origin, weight)
        else:
            damping = max(10 * damping, 1e-6)
        if small:
            break
    return x


def _build_model(
    values: np.ndarray, jacobian: np.ndarray, away: np.ndarray, weight: float
) -> tuple[np.ndarray, np.ndarray]:
    """Half the second derivatives of the facts' part of the cost, and half the cost's gradient, downhill."""
    return jacobian.T @ jacobian, -(jacobian.T @ values) - weight * away


def _find_step(curvature: np.ndarray, downhill: np.ndarray, damping: float) -> np.ndarray | None:
    """The damped Gauss-Newton step, None where points so close that numbers overflow leave none."""
    damped = curvature.copy()
    damped.ravel()[:: len(damped) + 1] += damping
    try:
        step: np.ndarray = np.linalg.solve(damped, downhill)
    except np.linalg.LinAlgError:
        return None
    return step if np.isfinite(step).all() else None


def _measure_cost(values: np.ndarray, away: np.ndarray, weight: float) -> float:
    return float(values @ values + weight * (away @ away))
