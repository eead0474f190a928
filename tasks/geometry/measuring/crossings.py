"""Where strokes, circles and curves meet: places that a label may name without a dot. In pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tasks.geometry.facts.residuals import Point, measure_distance
from tasks.geometry.measuring.strokes import Line, Round, measure_gap_to_line


def iterate_crossings(lines: Sequence[Line]) -> Iterator[Point]:
    """Where straight strokes meet or cross."""
    for i, first in enumerate(lines):
        for second in lines[i + 1 :]:
            place = _cross(first, second)
            if place is not None:
                yield place


def _cross(first: Line, second: Line) -> Point | None:
    (x1, y1), (x2, y2) = first.start, first.end
    (x3, y3), (x4, y4) = second.start, second.end
    below = (x2 - x1) * (y4 - y3) - (y2 - y1) * (x4 - x3)
    if abs(below) < 1e-3 * first.length * second.length:
        return None
    t = ((x3 - x1) * (y4 - y3) - (y3 - y1) * (x4 - x3)) / below
    u = ((x3 - x1) * (y2 - y1) - (y3 - y1) * (x2 - x1)) / below
    slack_t, slack_u = 3 / (first.length or 1), 3 / (second.length or 1)
    if not (-slack_t <= t <= 1 + slack_t and -slack_u <= u <= 1 + slack_u):
        return None
    return (x1 + t * (x2 - x1), y1 + t * (y2 - y1))


def iterate_rim_crossings(line: Line, circle: Round) -> Iterator[Point]:
    """Where a stroke meets a circle; one point where it touches."""
    (x1, y1), (x2, y2) = line.start, line.end
    dx, dy = x2 - x1, y2 - y1
    square = dx * dx + dy * dy
    if square == 0:
        return
    foot = ((circle.centre[0] - x1) * dx + (circle.centre[1] - y1) * dy) / square
    px, py = x1 + foot * dx, y1 + foot * dy
    off = measure_distance((px, py), circle.centre)
    if off > circle.radius + 2.5:
        return
    half = math.sqrt(max(0.0, circle.radius**2 - off**2)) / math.sqrt(square)
    slack = 3 / math.sqrt(square)
    shares = (foot,) if abs(off - circle.radius) <= 2.5 else (foot - half, foot + half)
    for share in shares:
        if -slack <= share <= 1 + slack:
            yield (x1 + share * dx, y1 + share * dy)


def iterate_round_crossings(rounds: Sequence[Round]) -> Iterator[Point]:
    """Where two circles meet; one point where they touch."""
    for i, first in enumerate(rounds):
        for second in rounds[i + 1 :]:
            (x1, y1), (x2, y2) = first.centre, second.centre
            apart = measure_distance(first.centre, second.centre)
            if (
                apart < 1
                or apart > first.radius + second.radius + 2.5
                or apart < abs(first.radius - second.radius) - 2.5
            ):
                continue
            along = (apart**2 + first.radius**2 - second.radius**2) / (2 * apart)
            ux, uy = (x2 - x1) / apart, (y2 - y1) / apart
            half = math.sqrt(max(0.0, first.radius**2 - along**2))
            touching = abs(apart - first.radius - second.radius) <= 2.5 or abs(first.radius - along) <= 2.5
            for off in (0.0,) if touching else (-half, half):
                yield (x1 + along * ux - off * uy, y1 + along * uy + off * ux)


def iterate_curve_crossings(lines: Sequence[Line], curve: Sequence[Point]) -> Iterator[Point]:
    """Where straight strokes cross a curve."""
    for a, b in pairwise(curve):
        chord = Line(a, b)
        for line in lines:
            place = _cross(line, chord)
            if place is not None and measure_gap_to_line(place, chord) < 0.5:
                yield place
