"""How the residuals of a fact change with its places: in closed form for most facts, by differences for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.gradients import COMMON, Linear, Linearise
from tasks.geometry.facts.residuals import Place
from tasks.geometry.facts.shape_gradients import SHAPES

CLOSED: Mapping[r.Residual, Linearise] = {**COMMON, **SHAPES}
_STEP = 1e-6


def find_linear(residual: r.Residual) -> Linearise:
    """What gives each residual of a fact at its places with its gradient, in closed form where there is one."""
    return CLOSED.get(residual) or partial(difference, residual)


def difference(residual: r.Residual, places: Sequence[Place], target: float) -> Linear:
    """The residuals with their gradients by central differences, each coordinate of each argument on its own.

    Takes some twenty times as long as a closed form.
    """
    moved = list(places)
    columns: list[tuple[r.Residuals, r.Residuals]] = []
    for i, place in enumerate(places):
        for axis in range(len(place)):
            ends = []
            for step in (_STEP, -_STEP):
                moved[i] = (*place[:axis], place[axis] + step, *place[axis + 1 :])
                ends.append(residual(moved, target))
            moved[i] = place
            columns.append((ends[0], ends[1]))
    return [
        (value, [(up[row] - down[row]) / (2 * _STEP) for up, down in columns])
        for row, value in enumerate(residual(places, target))
    ]
