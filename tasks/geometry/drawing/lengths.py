"""Lengths and sizes of arcs on the page: beside a line or arc that no point divides, else along a dimension line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.drawing.board import (
    Board,
    break_arc,
    find_direction,
    find_unit,
    measure_reach,
    measure_way_out,
    point_at,
    turn_left,
)
from counterfoil.tasks.geometry.drawing.labels import Text, count_crossings, estimate_extent, measure_cover, measure_gap
from counterfoil.tasks.geometry.drawing.leaders import offer_led
from counterfoil.tasks.geometry.drawing.values import write_number
from counterfoil.tasks.geometry.facts.expressions import read_number

_SHARES, _SIDES, _GAPS = (
    grid.ravel()
    for grid in np.meshgrid(
        [0.5, 0.44, 0.56, 0.38, 0.62, 0.3, 0.7, 0.24, 0.76], [1.0, -1.0], [3.0, 6.0, 10.0, 15.0], indexing="ij"
    )
)
"""Of each place beside a line: the share of the line, the side of it, and the pixels between it and the number."""
_BESIDE_COSTS = _GAPS + 60 * np.abs(_SHARES - 0.5)
_ALONG = np.linspace(0.03, 0.97, 22)
"""Shares of a line at which points on it are taken."""
_RIVALLED, _BEHIND = 26.0, 60.0
_ARC_CLEAR = 19.0
"""Pixels beyond an angle's arc within which no length should stand."""
_PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78)
"""Shares of a dimension line at which its number may stand."""
_OFFSETS = (17.0, 24.0, 32.0, 42.0, 54.0)
"""Pixels between a line and its dimension line."""
BAR = 5.0
"""Half the length of the bars that end a dimension line."""
_CROSSED, _FULL = 38.0, 80.0
"""What a dimension line costs for each line that it crosses, and what it may cost: no more than one can be crossed."""


def offer_beside(board: Board, p: str, q: str, value: str) -> Text:
    """Places on both sides of the segment, near its middle first."""
    text, size = write_number(value, "length"), board.style.number_size
    start, end = board.pixels[p], board.pixels[q]
    along = find_unit(end - start)
    across = turn_left(along)
    width, height, _ = estimate_extent(text, size)
    reach = measure_reach(across, width, height)
    middles = start + (end - start) * _SHARES[:, None] + across * _SIDES[:, None] * (reach + _GAPS)[:, None]
    inward = float(np.dot(board.middle - (start + end) / 2, across))
    cost = _BESIDE_COSTS + 2.0 * (_SIDES * inward > 0)
    feet = middles - across * ((middles - start) @ across)[:, None]
    # The line itself is where the way ends.
    back = middles - feet
    ways = np.hstack([middles, feet + 1.5 * back / np.hypot(back[:, 0], back[:, 1])[:, None]])
    cost = cost + _BEHIND * (count_crossings(ways, board.things) > 0)
    rivals = _list_points_on_others(board, start, end)
    if len(rivals):
        nearest = measure_gap(middles, np.array([width, height]) / 2, rivals)
        cost = cost + _RIVALLED * (nearest < 1.5 * _GAPS + 4)
    for arc in board.arcs:
        # A number at an angle's arc would seem to be the angle's.
        away = middles - board.page.to_pixels(arc.centre)
        off = np.hypot(away[:, 0], away[:, 1])
        cost = cost + _RIVALLED * (off < arc.radius * board.page.scale + _ARC_CLEAR)
    return Text(text, size, middles, cost)


def _list_points_on_others(board: Board, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Points along all lines but those on the line of ``start`` and ``end``."""
    across = turn_left(find_unit(end - start))
    rows = board.lines
    off = np.abs(np.stack([(rows[:, i : i + 2] - start) @ across for i in (0, 2)]))
    others = rows[off.max(axis=0) > 2.5]
    points: np.ndarray = (
        others[:, None, :2] + _ALONG[None, :, None] * (others[:, None, 2:] - others[:, None, :2])
    ).reshape(-1, 2)
    return points


def offer_leading_to(board: Board, p: str, q: str, value: str) -> Text:
    """Places anywhere near, with a leader to the segment."""
    start, end = board.pixels[p], board.pixels[q]
    tips = [start + share * (end - start) for share in (0.5, 0.36, 0.64)]
    across = turn_left(find_unit(end - start))
    off = np.abs(np.stack([(board.lines[:, i : i + 2] - start) @ across for i in (0, 2)]))
    return offer_led(board, write_number(value, "length"), tips, board.lines[off.max(axis=0) <= 2.5])


class NoRoom(Exception):  # noqa: N818 - a finding about a figure, not an error
    """The figure has no room for a dimension line."""


@dataclass(frozen=True)
class _Rail:
    """A dimension line: its ends, the middle of its number and how far from there its pieces begin."""

    start: np.ndarray
    end: np.ndarray
    middle: np.ndarray
    gap: float


def place_dimension(board: Board, p: str, q: str, value: str | None, ticks: int, gid: str) -> Text | None:
    """Draw a dimension line beside PQ and return its number, with its one place; None where it bears ticks alone.

    Raises:
        NoRoom: PQ is too short for one, or lines and letters are everywhere.
    """
    start, end = sorted((board.pixels[p], board.pixels[q]), key=lambda v: (round(float(v[0]), 1), float(v[1])))
    text = "" if value is None else write_number(value, "length")
    width, height, _ = estimate_extent(text, board.style.number_size) if text else (0.0, 0.0, 0.0)
    rails = sorted(_list_rails(board, start, end, width, height), key=lambda pair: pair[0])
    taken, extent = np.vstack([board.things, board.list_marks()]), np.array([width, height])
    best, rail = _FULL, None
    for cost, each in rails:
        if cost >= best:
            # What it crosses adds to that; so do those behind it.
            break
        rated = cost + _rate_rail(board, each, extent, taken)
        if rated < best:
            best, rail = rated, each
    if rail is None:
        raise NoRoom(f"no room for a dimension line along {p}{q}")
    _draw_rail(board, rail, ticks, gid)
    if not text:
        return None
    return Text(text, board.style.number_size, rail.middle[None], np.zeros(1))


def _list_rails(
    board: Board, start: np.ndarray, end: np.ndarray, width: float, height: float
) -> Iterator[tuple[float, _Rail]]:
    """Dimension lines on both sides, nearest first, with what each costs by itself."""
    along = find_unit(end - start)
    across = turn_left(along)
    length = float(np.hypot(*(end - start)))
    gap = measure_way_out(along, width, height) + 4 if width else 0.0
    deep = max(0.0, measure_reach(across, width, height) - 6)
    for side in (1, -1):
        inward = 8.0 if np.dot(board.middle - (start + end) / 2, side * across) > 0 else 0.0
        for offset in _OFFSETS:
            shift = side * (offset + deep) * across
            for share in _PLACES if width else (0.5,):
                if gap and min(share, 1 - share) * length - gap < 12:
                    continue
                middle = start + share * (end - start) + shift
                yield 0.6 * offset + inward + 40 * abs(share - 0.5), _Rail(start + shift, end + shift, middle, gap)


def _rate_rail(board: Board, rail: _Rail, extent: np.ndarray, taken: np.ndarray) -> float:
    """What a dimension line costs by what it crosses and comes near."""
    line = np.concatenate([rail.start, rail.end])[None]
    half, middle = extent / 2 + 3, rail.middle[None]
    if extent[0] and (measure_cover(middle - half, middle + half, taken) > 0).any():
        return _FULL
    along = find_unit(rail.end - rail.start)
    share = np.clip((board.places - rail.start) @ along, 0, np.hypot(*(rail.end - rail.start)))
    near = float((np.hypot(*(board.places - rail.start - share[:, None] * along).T) < 13).sum())
    clashes = sum(
        bool((np.abs(text.candidates[0] - rail.middle) < (np.array(text.extent[:2]) + extent) / 2 + 4).all())
        for text, _ in board.texts
        if len(text.candidates) == 1
    )
    return _CROSSED * float(count_crossings(line, taken)[0]) + 30 * near + _FULL * clashes


def _draw_rail(board: Board, rail: _Rail, ticks: int, gid: str) -> None:
    along = find_unit(rail.end - rail.start)
    across, gap = turn_left(along), rail.gap * along
    pieces = [(rail.start, rail.middle - gap), (rail.middle + gap, rail.end)] if rail.gap else [(rail.start, rail.end)]
    for piece in pieces:
        board.draw(piece, gid, thin=True)
    for place in (rail.start, rail.end):
        board.draw((place - BAR * across, place + BAR * across), gid, thin=True)
    first, last = max(pieces, key=lambda piece: float(np.hypot(*(piece[1] - piece[0]))))
    for i in range(ticks):
        place = (first + last) / 2 + along * (i - (ticks - 1) / 2) * 5
        board.draw((place - BAR * across, place + BAR * across), gid, thin=True)


# Arcs of circles


def find_rim(board: Board, mark: Fact) -> tuple[np.ndarray, float, float, float]:
    """The centre, radius, start and sweep of the arc that a mark means: from P to Q counter-clockwise, but the other
    one where that is nearer to its number."""
    p, q, name = mark.arguments
    x, y, radius = board.scene.circles[name]
    centre = board.page.to_pixels((x, y))
    start, end = (find_direction(board.pixels[label] - centre) for label in (p, q))
    sweep = (end - start) % 360
    size = read_number(mark.value)
    if size is not None and abs(360 - sweep - size) < abs(sweep - size):
        start, sweep = end, 360 - sweep
    return centre, radius * board.page.scale, start, sweep


def list_inner_rim(board: Board, mark: Fact) -> list[str]:
    """Labelled points on the arc between its ends."""
    centre, radius, start, sweep = find_rim(board, mark)
    inner = []
    for name, place in board.pixels.items():
        if name in mark.arguments[:2] or abs(float(np.hypot(*(place - centre))) - radius) > 3:
            continue
        if 0 < (find_direction(place - centre) - start) % 360 < sweep:
            inner.append(name)
    return inner


def offer_beside_rim(board: Board, mark: Fact) -> Text:
    """Places along the arc, outside first, near its middle first."""
    text, size = write_number(mark.value or "", "angle"), board.style.number_size
    centre, radius, start, sweep = find_rim(board, mark)
    width, height, _ = estimate_extent(text, size)
    places, costs, feet = [], [], []
    for turn in (0.5, 0.42, 0.58, 0.34, 0.66, 0.25, 0.75):
        u = point_at(np.zeros(2), 1.0, start + turn * sweep)
        reach = measure_reach(u, width, height)
        for gap in (3.0, 6.0, 10.0, 15.0):
            for side in (1, -1):
                places.append(centre + u * (radius + side * (reach + gap)))
                feet.append(centre + u * radius)
                costs.append(gap + 40 * abs(turn - 0.5) + (6 if side < 0 else 0))
    middles, ends = np.array(places), np.array(feet)
    ways = np.hstack([middles, ends + 2.5 * (middles - ends) / np.hypot(*(middles - ends).T)[:, None]])
    cost = np.array(costs) + _BEHIND * (count_crossings(ways, board.things) > 0)
    return Text(text, size, middles, cost)


def offer_leading_to_rim(board: Board, mark: Fact) -> Text:
    """Places anywhere near, with a leader to the arc."""
    centre, radius, start, sweep = find_rim(board, mark)
    tips = [point_at(centre, radius, start + share * sweep) for share in (0.5, 0.36, 0.64)]
    return offer_led(board, write_number(mark.value or "", "angle"), tips, np.zeros((0, 4)))


def place_round_dimension(board: Board, mark: Fact, gid: str) -> Text:
    """Draw a curved dimension line outside the arc and return its number with its one place."""
    text = write_number(mark.value or "", "angle")
    centre, radius, start, sweep = find_rim(board, mark)
    width, height, _ = estimate_extent(text, board.style.number_size)
    u = point_at(np.zeros(2), 1.0, start + sweep / 2)
    outer = radius + 22 + measure_reach(u, width, height) - 6
    gap = np.degrees((measure_way_out(turn_left(u), width, height) + 5) / outer)
    if sweep / 2 - gap < 6:
        raise NoRoom(f"arc {''.join(mark.arguments[:2])} is too short for a dimension line")
    rows = break_arc(centre, outer, start, start + sweep, 24)
    if count_crossings(rows, np.vstack([board.lines, board.list_marks()])).sum() > 2:
        raise NoRoom(f"no room for a dimension line along arc {''.join(mark.arguments[:2])}")
    board.draw_arc(centre, outer, start, start + sweep / 2 - gap, gid, thin=True)
    board.draw_arc(centre, outer, start + sweep / 2 + gap, start + sweep, gid, thin=True)
    for turn in (start, start + sweep):
        board.draw((point_at(centre, outer - BAR, turn), point_at(centre, outer + BAR, turn)), gid, thin=True)
    return Text(text, board.style.number_size, (centre + u * outer)[None], np.zeros(1))
