"""Where a point's letter stands: around the point, away from its lines and nearer to it than to any other."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from counterfoil.tasks.geometry.drawing.board import Board, lies_between
from counterfoil.tasks.geometry.drawing.labels import Text, estimate_extent, measure_gap
from counterfoil.tasks.geometry.facts.residuals import Circle, Point, measure_distance

_TURNS = 2 * math.pi * np.arange(24) / 24
_WAYS = np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])
"""The ways in which a name may stand from its point."""
_AWAY = np.maximum(np.abs(_WAYS), 1e-6)
_GAPS = np.array([3.0, 5.5, 8.5, 12.5, 17.0, 22.0])
_NEAR_COST = 1.6 * _GAPS[None]
_RIVALLED = 40.0


def offer_name(board: Board, label: str, dotted: bool) -> Text:
    """Places around the point; those that point away from its lines first."""
    size = board.style.name_size
    width, height, _ = estimate_extent(label, size)
    dot = board.style.dot / 2 if dotted else 0.0
    sides = np.minimum(width / 2 / _AWAY[:, 0], height / 2 / _AWAY[:, 1])
    reaches = np.minimum(sides, math.hypot(width, height) / 2)
    turned = np.abs((_TURNS - _find_free_direction(board, label) + math.pi) % (2 * math.pi) - math.pi)
    off = reaches[:, None] + _GAPS[None] + dot
    middles = (board.pixels[label] + off[..., None] * _WAYS[:, None]).reshape(-1, 2)
    cost = (_NEAR_COST + 5 * turned[:, None]).ravel()
    gaps = np.tile(_GAPS + dot, len(_TURNS))
    others = np.array([place for name, place in board.pixels.items() if name != label])
    if len(others):
        nearest = measure_gap(middles, np.array([width, height]) / 2, others)
        cost = cost + _RIVALLED * (nearest < gaps + 5)
    return Text(label, size, middles, cost)


def _find_free_direction(board: Board, label: str) -> float:
    """The middle of the widest gap between the lines at a point, in radians."""
    scene = board.scene
    here = scene.points[label]
    directions = []
    for segment in scene.segments:
        ends = [scene.points[end] for end in segment]
        if label in segment or lies_between(here, ends[0], ends[1]):
            directions += [math.atan2(e[1] - here[1], e[0] - here[0]) for e in ends if e != here]
    for circle in scene.circles.values():
        directions += list(_list_tangents(here, circle))
    if not directions:
        return math.pi / 4
    directions.sort()
    gaps = [(b - a, a) for a, b in zip(directions, [*directions[1:], directions[0] + 2 * math.pi], strict=True)]
    width, start = max(gaps)
    return start + width / 2


def _list_tangents(x: Point, circle: Circle) -> Iterator[float]:
    """Both directions of the circle at a point on it."""
    if abs(measure_distance(x, circle) - circle[2]) < 0.01 * circle[2]:
        radial = math.atan2(x[1] - circle[1], x[0] - circle[0])
        # The circle bends inwards, so the free side is outside.
        yield (radial + math.pi / 2 + 0.15 + math.pi) % (2 * math.pi) - math.pi
        yield (radial - math.pi / 2 - 0.15 + math.pi) % (2 * math.pi) - math.pi
