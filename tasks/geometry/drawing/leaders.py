"""Places for a number away from its thing, with a leader: a thin line that ends in an arrowhead at the thing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.geometry.drawing.board import Board, find_unit, turn_left
from counterfoil.tasks.geometry.drawing.labels import Text, count_crossings, estimate_extent, measure_gap

_TURNS = tuple(2 * math.pi * step / 24 for step in range(24))
_REACHES = (20.0, 28.0, 38.0, 50.0, 64.0, 80.0, 98.0)
_START = 14.0
"""What a leader costs, whatever its length: a number beside its thing reads more easily."""
_CROSSING, _NEAR = 14.0, 30.0
HEAD = 7.0


def offer_led(board: Board, text: str, tips: Sequence[np.ndarray], own: np.ndarray) -> Text:
    """Places around each of ``tips``, from near to far; ``own`` are the rows that a leader may end on."""
    size = board.style.number_size
    width, height, _ = estimate_extent(text, size)
    half = np.array([width, height]) / 2
    rows, costs = [], []
    for rank, tip in enumerate(tips):
        for turn in _TURNS:
            u = np.array([math.cos(turn), math.sin(turn)])
            edge = float(np.min(half / np.maximum(np.abs(u), 1e-6)))
            for reach in _REACHES:
                middle = tip + u * (reach + edge)
                rows.append(np.concatenate([middle, middle - u * (edge + 3.0), tip]))
                costs.append(_START + 0.5 * reach + 3 * rank)
    found = np.array(rows)
    places, ties = found[:, :2], found[:, 2:]
    foreign = np.array([row for row in board.things if not any(np.array_equal(row, each) for each in own)])
    cost = np.array(costs)
    # Just short of its tip, where it touches its own thing.
    short = np.hstack([ties[:, :2], ties[:, 2:] + 2.5 * (ties[:, :2] - ties[:, 2:]) / _measure_lengths(ties)])
    cost = cost + _CROSSING * count_crossings(short, np.vstack([board.things, board.list_marks()]))
    cost = cost + _NEAR * _count_passed(ties, board.places)
    if len(foreign):
        cost = cost + 12.0 * (measure_gap(places, half, foreign[:, :2]) < 4)
    return Text(text, size, places, cost, ties)


def _measure_lengths(rows: np.ndarray) -> np.ndarray:
    lengths: np.ndarray = np.hypot(rows[:, 2] - rows[:, 0], rows[:, 3] - rows[:, 1])[:, None]
    return lengths


def _count_passed(ties: np.ndarray, points: np.ndarray) -> np.ndarray:
    """How many labelled points each leader passes so near that it would seem to end there."""
    start, along = ties[:, None, :2], ties[:, None, 2:] - ties[:, None, :2]
    square = (along**2).sum(axis=2)
    share = np.clip(((points[None] - start) * along).sum(axis=2) / np.maximum(square, 1e-9), 0, 1)
    feet = start + share[..., None] * along
    passed: np.ndarray = (np.hypot(*np.moveaxis(feet - points[None], 2, 0)) < 9).sum(axis=1)
    return passed


def draw_leader(board: Board, tie: np.ndarray, gid: str) -> None:
    """The leader of a chosen place."""
    start, tip = tie[:2], tie[2:]
    u = find_unit(tip - start)
    across = turn_left(u)
    board.draw((start, tip), gid, thin=True)
    board.draw((tip - HEAD * u + 0.4 * HEAD * across, tip, tip - HEAD * u - 0.4 * HEAD * across), gid, thin=True)
