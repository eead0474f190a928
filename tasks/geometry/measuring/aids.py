"""Thin strokes that tie a number to what it measures: leaders, and dimension lines beside a whole line or arc.

A leader runs from the number and ends in an arrowhead at the thing. A dimension line runs beside the whole thing, with
a bar at each end; its number stands in a gap of it, and ticks may sit on it. Both are told by their shape and by being
much thinner than the figure's lines, as a viewer tells them; neither is part of the figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from counterfoil.renderers.results import Arc, Panel, Polyline
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance
from counterfoil.tasks.geometry.measuring.boxes import Box, find_ink_box, measure_gap_to_point
from counterfoil.tasks.geometry.measuring.ink import PageMap
from counterfoil.tasks.geometry.measuring.strokes import Line, Round, find_direction, place_at

THIN = 0.6
"""Share of the widest stroke's width up to which a stroke is thin."""
ATTACHED = 7.0
"""Pixels from a number's letters within which a thin stroke that ends there belongs to it."""
MOST_THIN = 200
"""Thin strokes over which none is told from the others: a hatching, say."""
JOINED = 1.5
BAR = 16.0
"""Pixels: bars, ticks and arrowheads of these strokes are no longer than this."""


@dataclass(frozen=True)
class Aid:
    """``label`` is the index of the number in the panel's labels, None for a dimension line that bears ticks alone."""

    label: int | None
    tip: Point | None = None
    """Where a leader points."""
    span: tuple[Point, Point] | None = None
    """The ends of a straight dimension line."""
    round: Round | None = None
    """A dimension line around a circle."""
    ticks: int = 0


@dataclass(frozen=True)
class _Stroke(Line):
    """A thin straight stroke, in pixels; ``shape`` is the recorded one."""

    shape: Polyline | None = None


@dataclass
class _Thin:
    """The thin shapes of a panel that are not yet taken."""

    strokes: list[_Stroke]
    heads: list[tuple[Point, Polyline]]
    arcs: list[tuple[Round, Arc]]
    taken: list[object]

    def find_bar(self, place: Point, along: float) -> _Stroke | None:
        """A short stroke whose middle is at ``place``, across the direction ``along``."""
        for stroke in self.strokes:
            turn = find_direction(stroke.start, stroke.end) - along
            if (
                measure_distance(stroke.middle, place) <= JOINED
                and stroke.length <= BAR
                and abs(abs((turn + 90) % 180 - 90) - 90) < 20
            ):
                return stroke
        return None

    def take(self, *shapes: object) -> None:
        self.taken += shapes
        self.strokes = [each for each in self.strokes if not any(each.shape is shape for shape in shapes)]
        self.heads = [each for each in self.heads if not any(each[1] is shape for shape in shapes)]
        self.arcs = [each for each in self.arcs if not any(each[1] is shape for shape in shapes)]


def split_aids(panel: Panel) -> tuple[Panel, tuple[Aid, ...]]:
    """The panel without its leaders and dimension lines, and these."""
    widths = [shape.width for shape in panel.polylines] + [arc.line_width for arc in panel.arcs]
    most = THIN * max(widths, default=0.0)
    if not widths or min(widths) > most:
        return panel, ()
    page = PageMap.of(panel)
    thin = _collect(panel, page, most)
    if len(thin.strokes) > MOST_THIN:
        return panel, ()
    boxes = [find_ink_box(label, page) for label in panel.labels]
    aids = [*_find_numbered(thin, boxes), *_find_bare(thin)]
    gone = {id(shape) for shape in thin.taken}
    return (
        replace(
            panel,
            polylines=tuple(shape for shape in panel.polylines if id(shape) not in gone),
            arcs=tuple(arc for arc in panel.arcs if id(arc) not in gone),
        ),
        tuple(aids),
    )


def _collect(panel: Panel, page: PageMap, most: float) -> _Thin:
    thin = _Thin([], [], [], [])
    for shape in panel.polylines:
        if shape.width > most or shape.closed or shape.filled:
            continue
        points = [page.to_pixels(p) for p in shape.points]
        if len(points) == 2:
            thin.strokes.append(_Stroke(points[0], points[1], shape=shape))
        elif len(points) == 3 and max(measure_distance(points[1], p) for p in points) <= BAR:
            thin.heads.append((points[1], shape))
    for arc in panel.arcs:
        if arc.line_width <= most and not arc.filled:
            radius = abs(arc.width * page.per_x) / 2
            sweep = (arc.theta2 - arc.theta1) % 360
            thin.arcs.append((Round(page.to_pixels(arc.centre), radius, (arc.angle + arc.theta1) % 360, sweep), arc))
    return thin


def _find_numbered(thin: _Thin, boxes: Sequence[Box]) -> Iterator[Aid]:
    for index, box in enumerate(boxes):
        near = [stroke for stroke in thin.strokes if _attach(stroke, box) is not None]
        rounds = [pair for pair in thin.arcs if _attach_round(pair[0], box) is not None]
        aid = _read_span(thin, index, box, near) or _read_round(thin, index, box, rounds)
        if aid is None:
            aid = _read_leader(thin, index, box, near)
        if aid is not None:
            yield aid


def _attach(stroke: _Stroke, box: Box) -> Point | None:
    """The far end of a stroke whose near end is at the box."""
    near, far = sorted((stroke.start, stroke.end), key=lambda p: measure_gap_to_point(box, p))
    fits = measure_gap_to_point(box, near) <= ATTACHED < measure_gap_to_point(box, far)
    return far if fits else None


def _read_leader(thin: _Thin, index: int, box: Box, near: Sequence[_Stroke]) -> Aid | None:
    for stroke in near:
        far = _attach(stroke, box)
        for tip, shape in thin.heads:
            if far is not None and measure_distance(tip, far) <= JOINED:
                thin.take(stroke.shape, shape)
                return Aid(index, tip=tip)
    return None


def _read_span(thin: _Thin, index: int, box: Box, near: Sequence[_Stroke]) -> Aid | None:
    for i, first in enumerate(near):
        for second in near[i + 1 :]:
            start, end = _attach(first, box), _attach(second, box)
            if start is None or end is None:
                continue
            along = find_direction(start, end)
            straight = all(_is_along(stroke, along) for stroke in (first, second))
            bars = [bar for place in (start, end) if (bar := thin.find_bar(place, along)) is not None]
            if straight and len(bars) == 2:
                thin.take(first.shape, second.shape, *(bar.shape for bar in bars))
                return Aid(index, span=(start, end), ticks=_take_ticks(thin, (first, second)))
    return None


def _is_along(stroke: _Stroke, along: float) -> bool:
    turn = find_direction(stroke.start, stroke.end) - along
    return abs((turn + 90) % 180 - 90) < 3


def _find_bare(thin: _Thin) -> Iterator[Aid]:
    """Dimension lines in one piece, with ticks and no number."""
    for stroke in list(thin.strokes):
        along = find_direction(stroke.start, stroke.end)
        bars = [thin.find_bar(end, along) for end in (stroke.start, stroke.end)]
        if stroke.length > BAR and bars[0] is not None and bars[1] is not None:
            thin.take(stroke.shape, *(bar.shape for bar in bars if bar is not None))
            yield Aid(None, span=(stroke.start, stroke.end), ticks=_take_ticks(thin, (stroke,)))


def _take_ticks(thin: _Thin, pieces: Sequence[_Stroke]) -> int:
    """Short strokes across a dimension line, which mark the length that it measures."""
    ticks = [
        stroke
        for stroke in thin.strokes
        if stroke.length <= BAR
        and any(
            _lies_within(stroke.middle, piece) and not _is_along(stroke, find_direction(piece.start, piece.end))
            for piece in pieces
        )
    ]
    thin.take(*(tick.shape for tick in ticks))
    return len(ticks)


def _lies_within(p: Point, piece: _Stroke) -> bool:
    ways = measure_distance(piece.start, p) + measure_distance(p, piece.end)
    return ways - piece.length < 0.2


def _attach_round(arc: Round, box: Box) -> float | None:
    """The direction of the far end of an arc whose other end is at the box."""
    turns = (arc.start, arc.start + arc.sweep)
    near, far = sorted(turns, key=lambda turn: measure_gap_to_point(box, place_at(arc.centre, arc.radius, turn)))
    fits = measure_gap_to_point(box, place_at(arc.centre, arc.radius, near)) <= ATTACHED
    return far if fits and measure_gap_to_point(box, place_at(arc.centre, arc.radius, far)) > ATTACHED else None


def _read_round(thin: _Thin, index: int, box: Box, near: Sequence[tuple[Round, Arc]]) -> Aid | None:
    for i, (first, shape) in enumerate(near):
        for second, other in near[i + 1 :]:
            if measure_distance(first.centre, second.centre) > JOINED or abs(first.radius - second.radius) > JOINED:
                continue
            turns = (_attach_round(first, box), _attach_round(second, box))
            if turns[0] is None or turns[1] is None:
                continue
            bars = [
                thin.find_bar(place_at(first.centre, first.radius, turn), turn + 90) for turn in (turns[0], turns[1])
            ]
            if bars[0] is None or bars[1] is None:
                continue
            # Counter-clockwise the whole begins where the piece that does so begins.
            begins = first.start if abs((turns[0] - first.start + 180) % 360 - 180) < 0.1 else second.start
            ends = turns[1] if begins == first.start else turns[0]
            thin.take(shape, other, bars[0].shape, bars[1].shape)
            return Aid(index, round=Round(first.centre, first.radius, begins % 360, (ends - begins) % 360))
    return None
