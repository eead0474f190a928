"""Lines that lay level or stood upright before an edit run as they did after it, as many as can.

People draw a figure on its base. The solver moves points as little as it must, which leaves a base that was level a
few degrees off, and a picture whose lines run nowhere level is known as edited at a glance. Of all figures of which the
facts are true, this finds one near the solved one with the least sum of ``|sin|`` of the turn times length over those
lines: a sum of absolute values keeps some exactly and lets others go, where squares would tilt all of them a little. It
is minimised by least squares with weights that follow the values (iteratively reweighted least squares).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.residuals import TINY, Point
from counterfoil.tasks.geometry.figure.least_squares import minimise
from counterfoil.tasks.geometry.figure.motions import turn_scene
from counterfoil.tasks.geometry.figure.scene import Scene, Segment
from counterfoil.tasks.geometry.figure.solve import System, find_flaw, list_failing, put_places

_LEVEL = 2.0
"""Degrees within which a line is level or upright: problems were drawn by hand and eye."""
_KEPT = 0.2
"""Degrees within which it runs as it did."""
_ROUNDS = 4
_WEIGHT = 3e-3
"""Of lines beside facts: so small that no fact gives way."""
_LEAST = 1e-4
"""Share of the extent below which an offset counts as none."""
_PULL = 1e-5
_FLAT = 1e-3
"""Share of the cost by which a step must lower it: what is found is weighed anew in the next round."""


@dataclass(frozen=True)
class _Line:
    """A segment that ran along an axis, and its direction: a vector of length 1."""

    segment: Segment
    direction: Point
    is_level: bool
    length: float


def stand_upright(old: Scene, new: Scene, facts: Sequence[Fact], tolerance: float) -> Scene:
    """``new``, of which ``facts`` are true, with level and upright lines as they ran in ``old``, as many as can."""
    lines = [] if new.axes else _list_lines(old, new)
    if not lines:
        return new
    settled = _settle(new, lines, facts)
    if list_failing(settled, facts, tolerance) or find_flaw(new, settled):
        settled = new
    return turn_scene(settled, -_find_tilt(settled, lines)).rounded()


def _list_lines(old: Scene, new: Scene) -> list[_Line]:
    kept = {frozenset(segment) for segment in new.segments}
    least = math.sin(math.radians(_LEVEL))
    lines = []
    for p, q in old.segments:
        across, up = (b - a for a, b in zip(old.points[p], old.points[q], strict=True))
        length = math.hypot(across, up)
        if frozenset((p, q)) in kept and 0 < min(abs(across), abs(up)) + TINY < length * least:
            lines.append(_Line((p, q), (across / length, up / length), abs(up) < abs(across), length))
    return lines


def _settle(scene: Scene, lines: Sequence[_Line], facts: Sequence[Fact]) -> Scene:
    system = System(scene, facts)
    if not system.terms:
        return scene
    slopes = np.zeros((len(lines), len(system.start)))
    for row, line in zip(slopes, lines, strict=True):
        for sign, name in zip((-1.0, 1.0), line.segment, strict=True):
            x_at, y_at = system.slots["p", name]
            row[x_at] -= sign * line.direction[1]
            row[y_at] += sign * line.direction[0]
    x = system.start
    for _ in range(_ROUNDS):
        weighted = (_WEIGHT / np.sqrt(np.abs(slopes @ x) + _LEAST))[:, None] * slopes

        def linearise(x: np.ndarray, weighted: np.ndarray = weighted) -> tuple[np.ndarray, np.ndarray]:
            values, jacobian = system.linearise(x)
            return np.concatenate([values, weighted @ x]), np.concatenate([jacobian, weighted])

        before, x = x, minimise(linearise, x, system.start, _PULL, _FLAT)
        if np.abs(x - before).max() < _LEAST / 10:
            break
    return put_places(scene, system, x)


def _find_tilt(scene: Scene, lines: Sequence[_Line]) -> float:
    """Degrees by which the line has turned that the figure stands on: of those that kept their direction, if any did,
    a level one rather than an upright one, and the longest."""
    turns = [_measure_turn(scene, line) for line in lines]
    ranks = [(abs(turn) > _KEPT, not line.is_level, -line.length) for turn, line in zip(turns, lines, strict=True)]
    return turns[ranks.index(min(ranks))]


def _measure_turn(scene: Scene, line: _Line) -> float:
    """Degrees, counter-clockwise, from -90 to 90."""
    (x, y), (u, v) = (scene.points[name] for name in line.segment)
    turn = math.degrees(math.atan2(v - y, u - x) - math.atan2(line.direction[1], line.direction[0]))
    return (turn + 90.0) % 180.0 - 90.0
