"""Places for a number away from its thing, with a leader: a thin line that ends in an arrowhead at the thing."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from counterfoil.tasks.geometry.drawing.board import Board, find_unit, turn_left
from counterfoil.tasks.geometry.drawing.labels import Text, count_crossings, estimate_extent, measure_gap

_TURNS = tuple(2 * math.pi * step / 24 for step in range(24))
_WAYS = np.array([(math.cos(turn), math.sin(turn)) for turn in _TURNS])
_AWAY = np.maximum(np.abs(_WAYS), 1e-6)
_REACHES = np.array([20.0, 28.0, 38.0, 50.0, 64.0, 80.0, 98.0])
_START = 14.0
"""What a leader costs, whatever its length: a number beside its thing reads more easily."""
_CROSSING, _NEAR = 14.0, 30.0
HEAD = 7.0


def offer_led(board: Board, text: str, tips: Sequence[np.ndarray], own: np.ndarray) -> Text:
    """Places around each of ``tips``, from near to far; ``own`` are the rows that a leader may end on."""
    size = board.style.number_size
    width, height, _ = estimate_extent(text, size)
    half = np.array([width, height]) / 2
    edges = np.min(half / _AWAY, axis=1)
    # By tip, then by turn, then from near to far.
    middles = np.array(tips)[:, None, None] + _WAYS[:, None] * (_REACHES + edges[:, None])[..., None]
    places = middles.reshape(-1, 2)
    starts = middles - (_WAYS * (edges + 3.0)[:, None])[:, None]
    ties = np.hstack([starts.reshape(-1, 2), np.repeat(np.array(tips), len(_TURNS) * len(_REACHES), axis=0)])
    foreign = board.things[~(board.things[:, None] == own).all(axis=2).any(axis=1)]
    cost = np.add.outer(3 * np.arange(len(tips)), np.tile(_START + 0.5 * _REACHES, len(_TURNS))).ravel()
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
