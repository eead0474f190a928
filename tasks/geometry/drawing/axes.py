"""Axes, their numerals and grid, and what runs to their edges: lines and parabolas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from counterfoil.tasks.geometry.drawing.board import Board, Stroke
from counterfoil.tasks.geometry.drawing.labels import Text, estimate_extent, measure_cover
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import Scene, Window

BEYOND = 0.7
"""Units by which an axis runs beyond its last tick."""
GRID_INK = "#b4b4b4"
GRID_WIDTH = 0.9
_TICK, _HEAD = 8.0, 9.0
"""Pixels of a tick and of the sides of an arrowhead."""
_CLEAR = 4.0
"""Pixels that a numeral keeps from what is drawn."""
_APART = 12.0
"""Pixels between two numerals of one axis at least."""
_SHORTEST = 0.2
"""Units of a piece of the grid at least."""
_STEP = 0.15
"""Units from one place of a curve to the next."""


def find_span(axis: int, window: Window) -> tuple[int, int]:
    """The least and the largest whole number of an axis: 0 is x, 1 is y."""
    return window[2 * axis], window[2 * axis + 1]


def draw_axes(board: Board, drawn: np.ndarray) -> None:
    """Both axes with arrowheads, ticks and numerals, and their names; ``drawn`` are rows of strokes and dots that no
    numeral may stand on."""
    window = board.scene.axes
    if window is None:
        return
    for axis, name in enumerate("xy"):
        low, high = find_span(axis, window)
        along = np.eye(2)[axis]
        start, end = (board.page.to_pixels(place * along) for place in (low - BEYOND, high + BEYOND))
        across = along[::-1] * np.array([-1.0, 1.0])
        board.draw([start, end], f"axis {name}")
        back = end - _HEAD * along
        board.draw([back + 0.4 * _HEAD * across, end, back - 0.4 * _HEAD * across], f"arrow {name}")
        aside = across if axis else -across
        sizes = [estimate_extent(_write_numeral(number), board.style.number_size)[axis] for number in (low, high)]
        every = next((step for step in (1, 2, 5) if step * board.page.scale >= max(sizes) + _APART), 10)
        for number in (each for each in range(low, high + 1) if each):
            middle = board.page.to_pixels(number * along)
            board.draw([middle - _TICK / 2 * across, middle + _TICK / 2 * across], f"tick {name} {number}")
            if number % every == 0:
                _write(board, _write_numeral(number), middle, aside, f"numeral {name} {number}", drawn)
        _write(board, name, end - 2 * along, -aside, f"name {name}", np.zeros((0, 4)))


def _write_numeral(number: int) -> str:
    return str(number).replace("-", "−")


def _write(board: Board, text: str, place: np.ndarray, aside: np.ndarray, gid: str, drawn: np.ndarray) -> None:
    """A text beside an axis, off its ticks; left out where something is drawn."""
    size = board.style.number_size
    extent = estimate_extent(text, size)
    reach = _TICK / 2 + 4 + (abs(aside[0]) * extent.width + abs(aside[1]) * extent.height) / 2
    middle = (place + reach * aside)[None, :]
    half = np.array(extent[:2]) / 2 + _CLEAR
    if not len(drawn) or not measure_cover(middle - half, middle + half, drawn).any():
        board.texts.append((Text(text, size, middle, np.zeros(1)), gid))


def list_grid(board: Board, letters: Sequence[tuple[Text, int]] = ()) -> list[tuple[Point, Point]]:
    """The lines of the grid, cut where numerals and names stand, and where they would run through ``letters``, texts
    with their places."""
    window = board.scene.axes
    if window is None:
        return []
    boxes = [_find_box(board, text, 0, _CLEAR) for text, _ in board.texts]
    covering = [(_find_box(board, text, place, -1.0), _find_box(board, text, place, _CLEAR)) for text, place in letters]
    lines: list[tuple[Point, Point]] = []
    for axis in (0, 1):
        bottom, top = find_span(1 - axis, window)
        for number in (each for each in range(find_span(axis, window)[0], find_span(axis, window)[1] + 1) if each):
            met = [(low, high) for low, high in boxes if low[axis] < number < high[axis]]
            met += [wide for (low, high), wide in covering if low[axis] < number < high[axis]]
            cuts = sorted((low[1 - axis], high[1 - axis]) for low, high in met)
            start = float(bottom)
            for low, high in (*cuts, (float(top), float(top))):
                if low - start > _SHORTEST:
                    ends = ((float(number), start), (float(number), min(low, float(top))))
                    lines.append(ends if axis == 0 else (ends[0][::-1], ends[1][::-1]))
                start = max(start, high)
    return lines


def _find_box(board: Board, text: Text, place: int, clear: float) -> tuple[Point, Point]:
    """The corners of a text at one of its places, so many pixels wider on each side."""
    half = np.array(text.extent[:2]) / 2 + clear
    low, high = (board.page.to_data(text.candidates[place] + sign * half) for sign in (-1, 1))
    return low, high


def list_curves(scene: Scene) -> Iterator[Stroke]:
    """What runs on to the edges: lines beyond their points, and parabolas."""
    if scene.axes is None:
        return
    for p, q in scene.lines:
        for start, end in ((p, q), (q, p)):
            edge = find_edge(scene.points[end], scene.points[start], scene.axes)
            if math.dist(edge, scene.points[start]) > 1e-6:
                yield Stroke((scene.points[start], edge), f"line {p} {q}")
    for vertex, point in scene.parabolas:
        yield Stroke(tuple(trace_parabola(scene.points[vertex], scene.points[point], scene.axes)), f"parabola {vertex}")


def find_edge(start: Point, end: Point, window: Window) -> Point:
    """Where the ray from a place through another leaves the axes."""
    shares = []
    for axis in (0, 1):
        step = end[axis] - start[axis]
        low, high = find_span(axis, window)
        if abs(step) > 1e-9:
            shares.append(((high if step > 0 else low) - start[axis]) / step)
    share = max(1.0, min(shares))
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def trace_parabola(vertex: Point, point: Point, window: Window) -> list[Point]:
    """Places along a parabola, from edge to edge of the axes."""
    (x, y), across, up = vertex, point[0] - vertex[0], point[1] - vertex[1]
    factor = up / (across * across)
    high = (window[3] if factor > 0 else window[2]) - y
    reach = math.sqrt(max(high / factor, 0.0))
    low, far = max(window[0] - x, -reach), min(window[1] - x, reach)
    fine = np.linspace(low, far, 2001)
    heights = factor * fine**2
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(fine), np.diff(heights)))])
    count = max(12, math.ceil(way[-1] / _STEP))
    places = np.interp(np.linspace(0.0, way[-1], count + 1), way, fine)
    return [(float(x + dx), float(y + factor * dx * dx)) for dx in places]
