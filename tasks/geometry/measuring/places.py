"""The places of a figure that a label may name."""

from __future__ import annotations

import math

import numpy as np

from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.measuring.crossings import (
    list_crossings,
    list_curve_crossings,
    list_rim_crossings,
    list_round_crossings,
)
from counterfoil.tasks.geometry.measuring.ink import Ink

APART = 4.0
"""Pixels by which two places must be apart to be two."""
MANY = 4096
"""Places from which only those near a label count, and those in one spot of two pixels are one."""


def list_places(ink: Ink, boxes: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) that a label may name, each once, with a burden in pixels (n,): a dot or an end is named rather
    than a crossing of a line with a circle. Where there are many, only those within ``reach`` of one of the labels'
    ``boxes`` (m, 4)."""
    open_arcs = [arc for arc in ink.rounds if arc.sweep < 350]
    kinds: list[tuple[np.ndarray, float]] = [
        (_stack(ink.dots), 0.0),
        (_stack([p for line in ink.lines for p in (line.start, line.end)]), 0.0),
        (list_crossings(ink.lines), 1.0),
        (_stack([circle.centre for circle in ink.rounds]), 3.0),
        (list_rim_crossings(ink.lines, ink.rounds), 3.0),
        (_stack([p for arc in open_arcs for p in arc.ends]), 2.0),
        (list_round_crossings(ink.rounds), 3.0),
        *((list_curve_crossings(ink.lines, curve), 3.0) for curve in ink.curves),
        (_stack([p for curve in ink.curves for p in (curve[0], curve[-1])]), 6.0),
    ]
    places = np.vstack([group for group, _ in kinds])
    burdens = np.repeat([burden for _, burden in kinds], [len(group) for group, _ in kinds])
    if len(places) > MANY:
        near = np.zeros(len(places), bool)
        for box in boxes:
            near |= ((places >= box[:2] - reach) & (places <= box[2:] + reach)).all(axis=1)
        places, burdens = places[near], burdens[near]
        _, firsts = np.unique(np.floor(places / 2), axis=0, return_index=True)
        firsts.sort()
        places, burdens = places[firsts], burdens[firsts]
    kept = _choose_apart(places)
    return places[kept], burdens[kept]


def _choose_apart(places: np.ndarray) -> list[int]:
    """The places that are apart from all chosen before them, by cells of the page that hold few of them each."""
    cells: dict[tuple[int, int], list[Point]] = {}
    kept = []
    for i, (x, y) in enumerate(places.tolist()):
        column, row = math.floor(x / APART), math.floor(y / APART)
        around = [(column + a, row + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        if all(math.hypot(x - u, y - v) > APART for cell in around for u, v in cells.get(cell, ())):
            cells.setdefault((column, row), []).append((x, y))
            kept.append(i)
    return kept


def _stack(points: list[Point]) -> np.ndarray:
    return np.array(points).reshape(-1, 2)
