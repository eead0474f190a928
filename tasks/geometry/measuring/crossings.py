"""Where strokes, circles and curves meet: places that a label may name without a dot. In pixels, all pairs at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.measuring.strokes import Line, Round

AT_ONCE = 200_000
"""Pairs that are looked at together: more would take too much memory."""
TOUCH = 2.5
"""Pixels within which a line or a circle touches a circle."""


def list_crossings(lines: Sequence[Line]) -> np.ndarray:
    """Where straight strokes meet or cross, (n, 2)."""
    rows = _stack(lines)
    found = [_cross(rows[i], rows[j])[1] for i, j in _pair_up(len(rows))]
    return np.vstack(found) if found else np.empty((0, 2))


def list_curve_crossings(lines: Sequence[Line], curve: Sequence[Point]) -> np.ndarray:
    """Where straight strokes cross a curve, (n, 2)."""
    rows, path = _stack(lines), np.array(curve)
    chords = np.hstack([path[:-1], path[1:]])
    found = []
    for chord in chords:
        _, places = _cross(rows, np.broadcast_to(chord, rows.shape))
        found.append(places[_measure_gaps(places, chord) < 0.5])
    return np.vstack(found) if found else np.empty((0, 2))


def list_rim_crossings(lines: Sequence[Line], rounds: Sequence[Round]) -> np.ndarray:
    """Where strokes meet circles, (n, 2); one point where one touches."""
    rows, circles = _stack(lines), np.array([(*each.centre, each.radius) for each in rounds]).reshape(-1, 3)
    if not len(rows) or not len(circles):
        return np.empty((0, 2))
    found = []
    for start in range(0, len(rows), step := max(1, AT_ONCE // len(circles))):
        part = rows[start : start + step]
        pairs = np.repeat(part, len(circles), axis=0), np.tile(circles, (len(part), 1))
        found.append(_cross_rims(*pairs))
    return np.vstack(found)


def list_round_crossings(rounds: Sequence[Round]) -> np.ndarray:
    """Where circles meet, (n, 2); one point where two touch."""
    circles = np.array([(*each.centre, each.radius) for each in rounds]).reshape(-1, 3)
    found = [_cross_rounds(circles[i], circles[j]) for i, j in _pair_up(len(circles))]
    return np.vstack(found) if found else np.empty((0, 2))


def _stack(lines: Sequence[Line]) -> np.ndarray:
    return np.array([(*line.start, *line.end) for line in lines]).reshape(-1, 4)


def _pair_up(count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The indices of all pairs, in order, some at a time."""
    first = 0
    while first < count - 1:
        last = first + 1
        pairs = count - 1 - first
        while last < count - 1 and pairs + count - 1 - last <= AT_ONCE:
            pairs += count - 1 - last
            last += 1
        heads = np.arange(first, last)
        i = np.repeat(heads, count - 1 - heads)
        yield i, np.concatenate([np.arange(head + 1, count) for head in heads])
        first = last


def _cross(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of pairs of strokes (n, 4) which meet, give or take three pixels, and where those do."""
    x1, y1, x2, y2 = first.T
    x3, y3, x4, y4 = second.T
    lengths, others = np.hypot(x2 - x1, y2 - y1), np.hypot(x4 - x3, y4 - y3)
    below = (x2 - x1) * (y4 - y3) - (y2 - y1) * (x4 - x3)
    slanting = np.abs(below) >= np.maximum(1e-3 * lengths * others, 1e-12)
    below = np.where(slanting, below, 1.0)
    t = ((x3 - x1) * (y4 - y3) - (y3 - y1) * (x4 - x3)) / below
    u = ((x3 - x1) * (y2 - y1) - (y3 - y1) * (x2 - x1)) / below
    slack_t, slack_u = 3 / np.where(lengths > 0, lengths, 1.0), 3 / np.where(others > 0, others, 1.0)
    met = slanting & (-slack_t <= t) & (t <= 1 + slack_t) & (-slack_u <= u) & (u <= 1 + slack_u)
    return met, np.column_stack([x1 + t * (x2 - x1), y1 + t * (y2 - y1)])[met]


def _measure_gaps(places: np.ndarray, chord: np.ndarray) -> np.ndarray:
    start, along = chord[:2], chord[2:] - chord[:2]
    square = float(along @ along)
    share = np.clip((places - start) @ along / square, 0.0, 1.0) if square else np.zeros(len(places))
    gaps: np.ndarray = np.hypot(*(places - start - share[:, None] * along).T)
    return gaps


def _cross_rims(rows: np.ndarray, circles: np.ndarray) -> np.ndarray:
    (x1, y1, x2, y2), (x, y, radius) = rows.T, circles.T
    dx, dy = x2 - x1, y2 - y1
    square = dx * dx + dy * dy
    drawn = square > 0
    square = np.where(drawn, square, 1.0)
    foot = ((x - x1) * dx + (y - y1) * dy) / square
    off = np.hypot(x1 + foot * dx - x, y1 + foot * dy - y)
    half = np.sqrt(np.clip(radius**2 - off**2, 0.0, None)) / np.sqrt(square)
    slack = 3 / np.sqrt(square)
    touching = np.abs(off - radius) <= TOUCH
    shares = np.where(touching[:, None], foot[:, None], np.column_stack([foot - half, foot + half]))
    met = (drawn & (off <= radius + TOUCH))[:, None] & (shares >= -slack[:, None]) & (shares <= 1 + slack[:, None])
    met[:, 1] &= ~touching
    places = np.stack([x1[:, None] + shares * dx[:, None], y1[:, None] + shares * dy[:, None]], axis=2)
    return places[met]


def _cross_rounds(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    (x1, y1, r1), (x2, y2, r2) = first.T, second.T
    apart = np.hypot(x2 - x1, y2 - y1)
    met = (apart >= 1) & (apart <= r1 + r2 + TOUCH) & (apart >= np.abs(r1 - r2) - TOUCH)
    safe = np.where(met, apart, 1.0)
    along = (safe**2 + r1**2 - r2**2) / (2 * safe)
    ux, uy = (x2 - x1) / safe, (y2 - y1) / safe
    half = np.sqrt(np.clip(r1**2 - along**2, 0.0, None))
    touching = (np.abs(apart - r1 - r2) <= TOUCH) | (np.abs(r1 - along) <= TOUCH)
    offs = np.where(touching[:, None], 0.0, np.column_stack([-half, half]))
    places = np.stack(
        [
            (x1 + along * ux)[:, None] - offs * uy[:, None],
            (y1 + along * uy)[:, None] + offs * ux[:, None],
        ],
        axis=2,
    )
    kept = np.column_stack([met, met & ~touching])
    return places[kept]
