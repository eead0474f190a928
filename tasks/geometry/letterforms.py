"""Letters as ink: how far they reach above and below their line, and when two texts are crammed.

A J has a tail, a + is taller than an x. Of two texts it is the ink that says whether they touch or read as one, never
their boxes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

TAILS = re.compile(r"[gjpqyJQ,;()\[\]{}|/_βγζημξρφχψς]")
"""What goes below the baseline; the J does in the fonts that figures are lettered in."""
TALL = re.compile(r"[^acegmnopqrsuvwxyz−\-\s]")
"""What is higher than an x."""
APART, LEAST_APART = 0.1, 1.5
"""Ems of the smaller text, and pixels, of white between the ink of two texts; those that are nearer touch."""
REACH = 0.35
"""Ems within which one text goes on where another on its line ends: a word space and some."""
SHARED = 0.3
"""Share of the lower text's height from which two stand on one line."""


@dataclass(frozen=True)
class Ink:
    """A drawn text: ``places`` (n, 2) are the middles of its inked pixels, y down, ``em`` is its size in pixels and
    ``turn`` by how many degrees it leans, counter-clockwise."""

    places: np.ndarray
    em: float
    turn: float = 0.0


def are_crammed(first: Ink, second: Ink) -> bool:
    """Whether the ink of two texts touches, or one stands so close beside the other that both read as one text."""
    if not len(first.places) or not len(second.places):
        return False
    from scipy.spatial import KDTree

    em = min(first.em, second.em)
    if (first.turn - second.turn) % 360 == 0 and _read_as_one(first, second, em):
        return True
    # Between neighbouring pixels there is no white, and their middles are one pixel apart.
    limit = max(APART * em, LEAST_APART) + 1
    ends = [(each.places.min(axis=0), each.places.max(axis=0)) for each in (first, second)]
    if (ends[1][0] - ends[0][1] > limit).any() or (ends[0][0] - ends[1][1] > limit).any():
        return False
    away, _ = KDTree(first.places).query(second.places, distance_upper_bound=limit)
    return bool(np.isfinite(away).any())


def _read_as_one(first: Ink, second: Ink, em: float) -> bool:
    """Whether both stand on one line with no more than a space between."""
    angle = math.radians(first.turn)
    ahead, up = np.array([math.cos(angle), -math.sin(angle)]), np.array([-math.sin(angle), -math.cos(angle)])
    lowest = min(float(np.ptp(each.places @ up)) for each in (first, second)) + 1.0
    shared = -_measure_gap(first.places @ up, second.places @ up)
    return shared >= SHARED * lowest and _measure_gap(first.places @ ahead, second.places @ ahead) < REACH * em


def _measure_gap(first: np.ndarray, second: np.ndarray) -> float:
    """Free pixels between two spans of pixels on an axis; below 0 by how many they share."""
    return float(max(first.min() - second.max(), second.min() - first.max())) - 1.0
