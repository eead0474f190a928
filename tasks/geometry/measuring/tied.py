"""What leaders and dimension lines say in a measured drawing: marks by themselves, or where else a number stands."""

from __future__ import annotations

import math
from collections.abc import Sequence

from renderers.results import Label
from storage.rows import Fact
from tasks.geometry.facts.residuals import Point, measure_distance, measure_turn
from tasks.geometry.measuring.aids import Aid
from tasks.geometry.measuring.boxes import Box
from tasks.geometry.measuring.mark_texts import read_size, read_value
from tasks.geometry.measuring.marks import Board

ALONG = 60.0
"""Pixels from a dimension line within which the line or arc that it runs along must lie."""
SQUARE = 0.06
"""Radians by which the way from a dimension line's end to the point may be off a right angle, at most."""


def read_tied(
    board: Board, texts: Sequence[tuple[Label, Box]], aids: Sequence[tuple[Label | None, Aid]]
) -> tuple[list[Fact], list[tuple[Label, Box]]]:
    """The marks that dimension lines make, and the other texts; a number with a leader stands at the leader's tip."""
    marks: list[Fact] = []
    tips: dict[int, Point] = {}
    done: set[int] = set()
    for label, aid in aids:
        if aid.tip is not None:
            tips[id(label)] = aid.tip
            continue
        found = _read_dimension(board, label, aid)
        if found:
            marks += found
            done.add(id(label))
    left = []
    for text, box in texts:
        if id(text) not in done:
            tip = tips.get(id(text))
            left.append((text, box if tip is None else (*tip, *tip)))
    return marks, left


def _read_dimension(board: Board, label: Label | None, aid: Aid) -> list[Fact]:
    if aid.round is not None and label is not None:
        size, centre, radius = read_size(label.text), aid.round.centre, aid.round.radius
        ends = [
            (centre[0] + radius * math.cos(math.radians(turn)), centre[1] + radius * math.sin(math.radians(turn)))
            for turn in (aid.round.start, aid.round.start + aid.round.sweep)
        ]
        name = next((name for name, c in board.circles.items() if measure_distance(c, centre) <= 3), None)
        labels = [None if name is None else _find_along_rim(board, name, end) for end in ends]
        if name is None or size is None or labels[0] is None or labels[1] is None or labels[0] == labels[1]:
            return []
        return [Fact("mark_arc", (labels[0], labels[1], name), size)]
    if aid.span is None:
        return []
    pair = _find_pair_along(board, *aid.span)
    if pair is None:
        return []
    marks = [Fact("mark_length", pair, read_value(label.text))] if label is not None else []
    return marks + ([Fact("mark_ticks", pair, str(aid.ticks))] if aid.ticks else [])


def _find_along_rim(board: Board, circle: str, end: Point) -> str | None:
    x, y, radius = board.circles[circle]
    near = [
        (measure_distance(end, place), name)
        for name, place in board.points.items()
        if abs(measure_distance(place, (x, y)) - radius) <= 3 and measure_distance(end, place) <= ALONG
    ]
    return min(near)[1] if near else None


def _find_pair_along(board: Board, start: Point, end: Point) -> tuple[str, str] | None:
    """The two points of one line straight across from the ends of a dimension line, the nearest ones."""
    found = []
    for pair in board.list_pairs():
        for p, q in (pair, pair[::-1]):
            gaps = [measure_distance(start, board.points[p]), measure_distance(end, board.points[q])]
            turns = [
                abs(abs(measure_turn(board.points[p], start, end)) - math.pi / 2),
                abs(abs(measure_turn(board.points[q], end, start)) - math.pi / 2),
            ]
            if max(gaps) <= ALONG and (max(turns) <= SQUARE or max(gaps) < 4):
                found.append((sum(gaps), pair))
    return min(found)[1] if found else None
