"""Ticks and arrowheads: where on its line each stands, clear of points and of lines that cross."""

from __future__ import annotations

import math

import numpy as np

from counterfoil.tasks.geometry.drawing.board import Board, find_unit, turn_left

_SHARES = (0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74, 0.2, 0.8)
_CLEAR = 12.0
"""Pixels that a group of ticks or arrowheads keeps from points and crossing lines, where it can."""
SPACING, ARROW_SPACING = 5.0, 6.0


def draw_ticks(board: Board, p: str, q: str, count: int, gid: str) -> None:
    """Ticks near the middle of the segment."""
    start, end = board.pixels[p], board.pixels[q]
    along = find_unit(end - start)
    lean = math.radians(board.style.tick_slant)
    across = (math.cos(lean) * turn_left(along) - math.sin(lean) * along) * board.style.tick
    middle = _find_clear(board, start, end, count * SPACING / 2)
    for i in range(count):
        place = middle + along * (i - (count - 1) / 2) * SPACING
        board.draw((place - across, place + across), gid)


def draw_arrows(board: Board, p: str, q: str, count: int, gid: str) -> None:
    """Arrowheads along the segment, all to the right (or up), beside the middle, where ticks are."""
    start, end = sorted((board.pixels[p], board.pixels[q]), key=lambda v: (round(float(v[0]), 1), float(v[1])))
    along = find_unit(end - start)
    across = turn_left(along)
    ticked = 10.0 if np.hypot(*(end - start)) > 70 else 3.0
    middle = _find_clear(board, start + 2 * ticked * along, end, count * ARROW_SPACING / 2 + 4)
    for i in range(count):
        tip = middle + along * (ARROW_SPACING * (i - (count - 1) / 2) + 3)
        board.draw((tip - 7 * along + 4.5 * across, tip, tip - 7 * along - 4.5 * across), gid)


def _find_clear(board: Board, start: np.ndarray, end: np.ndarray, half: float) -> np.ndarray:
    """The place on the segment nearest to its middle from which points and crossings are ``half`` and more away."""
    along, length = find_unit(end - start), float(np.hypot(*(end - start)))
    stops = [float((p - start) @ along) for p in board.pixels.values() if _is_on(p, start, along)]
    stops += _list_crossings(board, start, end)
    wanted = min(half + _CLEAR, 0.22 * length)
    best: tuple[float, float] | None = None
    for share in _SHARES:
        clear = min((abs(stop - share * length) for stop in stops), default=length)
        rating = (min(clear, wanted), -abs(share - 0.5))
        if best is None or rating > best:
            best, chosen = rating, share
    return start + chosen * (end - start)


def _is_on(p: np.ndarray, start: np.ndarray, along: np.ndarray) -> bool:
    return bool(abs((p - start) @ turn_left(along)) < 2)


def _list_crossings(board: Board, start: np.ndarray, end: np.ndarray) -> list[float]:
    """How far along the segment other lines and circles cross it."""
    along = find_unit(end - start)
    across = turn_left(along)
    found = []
    for row in board.things:
        off, other = float((row[:2] - start) @ across), float((row[2:] - start) @ across)
        if off * other < 0 and abs(off - other) > 1e-6:
            place = row[:2] + (row[2:] - row[:2]) * off / (off - other)
            found.append(float((place - start) @ along))
    return found
