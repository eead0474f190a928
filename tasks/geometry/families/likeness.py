"""How alike two figures are, from their scenes alone: where the strokes run, and how much there is to see.

The strokes, brought to one square, are counted in 24 x 24 cells and by direction in 4 x 4. Values are whole numbers
from 0 to 63, so that squared distances are sums of small integers, exact in float32 and the same on every machine and
with every linear algebra library. What makes a picture dense (letters, strokes, numbers, marks) is counted beside, so
that figures as dense as the query come before those that are merely of its shape.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from counterfoil.tasks.geometry.facts.predicates import NUMBER_MARKS
from counterfoil.tasks.geometry.figure.scene import Scene

GRID = 24
CELLS = 4
DIRECTIONS = 8
LEVELS = 63
LENGTH = GRID * GRID + CELLS * CELLS * DIRECTIONS
_STEPS = 384
"""Steps of a stroke as long as the square's side."""
COUNTED = ("points", "segments", "circles", "mark_length", "mark_angle", "mark_arc", "mark_right", "ticks")
_COSTS = np.array([1, 1, 2, 1, 1, 1, 1, 1], dtype=np.int64) * 12_000
"""What one letter, stroke or mark more or fewer counts, as a squared distance."""
_THINNED = tuple(name in NUMBER_MARKS.values() for name in COUNTED)
"""Counts that may be too large, since numbers can be left away."""


def extract_feature(scene: Scene) -> np.ndarray:
    """The shape of a figure, ``uint8`` of shape (``LENGTH``,); its place, size and letters do not matter."""
    places, turns = _trace(scene)
    if not len(places):
        return np.zeros(LENGTH, dtype=np.uint8)
    low, high = places.min(axis=0), places.max(axis=0)
    side = float((high - low).max()) or 1.0
    unit = np.clip((places - (low + high) / 2) / side + 0.5, 0, 1 - 1e-9)
    fine, coarse = (unit * GRID).astype(np.int64), (unit * CELLS).astype(np.int64)
    cells = np.bincount(fine[:, 1] * GRID + fine[:, 0], minlength=GRID * GRID).reshape(GRID, GRID)
    padded = np.pad(cells, 1)
    blurred = sum(padded[i : i + GRID, j : j + GRID] for i in range(3) for j in range(3))
    bins = (coarse[:, 1] * CELLS + coarse[:, 0]) * DIRECTIONS + turns
    directions = np.bincount(bins, minlength=CELLS * CELLS * DIRECTIONS)
    return np.concatenate([_quantise(np.asarray(blurred).ravel()), _quantise(directions)]).astype(np.uint8)


def count_parts(scene: Scene) -> np.ndarray:
    """How much there is to see, ``int64``, one for each of ``COUNTED``."""
    marks = Counter(mark.predicate for mark in scene.marks)
    ticks = marks["mark_ticks"] + marks["mark_arcs"] + marks["mark_parallel"]
    numbers = [marks[name] for name in ("mark_length", "mark_angle", "mark_arc", "mark_right")]
    return np.array([len(scene.points), len(scene.segments), len(scene.circles), *numbers, ticks])


def measure_distances(features: np.ndarray, apart: np.ndarray, query: np.ndarray, thinned: bool = False) -> np.ndarray:
    """Distance of ``query`` to each row of ``features`` (``float32``), with ``apart`` its counts less the query's:
    whole numbers, as ``int64``.

    Where figures will be ``thinned``, numbers that are too many cost nothing. Products of features stay below 2^24,
    where ``float32`` is exact in any order of adding up.
    """
    point = query.astype(np.float32)
    lengths = np.einsum("ij,ij->i", features, features)
    distances = (lengths + point @ point - 2 * (features @ point)).astype(np.int64)
    if thinned:
        apart = np.where(np.array(_THINNED) & (apart > 0), 0, apart)
    return np.asarray(distances + apart**2 @ _COSTS)


def measure_similarity(first: np.ndarray, second: np.ndarray) -> float:
    """Cosine of two features, to six decimals."""
    a, b = first.astype(np.int64), second.astype(np.int64)
    norm = float(int((a * a).sum()) * int((b * b).sum())) ** 0.5
    return round(float(int((a * b).sum())) / norm, 6) if norm else 0.0


def _trace(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Points along all strokes, in even steps, and the direction of the stroke at each (modulo 180 degrees)."""
    extent = scene.extent or 1.0
    places, turns = [np.zeros((0, 2))], [np.zeros(0, dtype=np.int64)]
    for p, q in scene.segments:
        (x0, y0), (x1, y1) = scene.points[p], scene.points[q]
        steps = max(int(math.hypot(x1 - x0, y1 - y0) / extent * _STEPS), 1)
        along = (np.arange(steps) + 0.5) / steps
        places.append(np.stack([x0 + along * (x1 - x0), y0 + along * (y1 - y0)], axis=1))
        turns.append(np.full(steps, _find_direction(math.atan2(y1 - y0, x1 - x0))))
    for x, y, radius in scene.circles.values():
        steps = max(int(2 * math.pi * radius / extent * _STEPS), 8)
        angles = [(step + 0.5) / steps * 2 * math.pi for step in range(steps)]
        places.append(np.array([(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]))
        turns.append(np.array([_find_direction(angle + math.pi / 2) for angle in angles]))
    return np.concatenate(places), np.concatenate(turns)


def _find_direction(angle: float) -> int:
    return int(round(angle / math.pi * DIRECTIONS, 6) // 1) % DIRECTIONS


def _quantise(values: np.ndarray) -> np.ndarray:
    top = int(values.max())
    return values.astype(np.int64) * LEVELS // top if top else values.astype(np.int64)
