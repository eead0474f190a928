"""Reads the marks of a drawn figure: which length, angle or arc each number stands at, and what ticks, squares, arcs
and arrowheads mark. All in pixels, from shapes and places; see `measure`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import scipy

from renderers.results import Label
from storage.rows import Fact
from tasks.geometry.facts.residuals import Circle, Point, measure_distance, measure_gap
from tasks.geometry.measuring.ink import Ink
from tasks.geometry.measuring.mark_texts import STATEMENT, UNIT, read_degrees, read_size, read_value, split_names
from tasks.geometry.measuring.strokes import Line, Round, Sign, Square

Box = tuple[float, float, float, float]
NUMBER_REACH = 34.0
"""Pixels from a number's box within which the segment or arc that it measures must lie."""
ANGLE_REACH = 180.0
FAR = 1e6
RAIL_REACH = 90.0
"""Pixels from a segment within which a line of the same length beside it is its dimension line."""
SIDE_BY_SIDE = 9.0
"""Pixels from one tick or arrowhead of a mark to the next."""
HINT = 12.0
"""Pixels by which a group id may outweigh distance."""


@dataclass(frozen=True)
class Board:
    """The figure so far, in pixels: labelled points, merged lines, the labels along each, circles, and all ink."""

    points: Mapping[str, Point]
    lines: Sequence[Line]
    runs: Sequence[tuple[str, ...]]
    circles: Mapping[str, Circle]
    ink: Ink

    def list_pairs(self) -> list[tuple[str, str]]:
        """Pairs of labelled points that a line joins."""
        return sorted({pair for run in self.runs for pair in combinations(run, 2)})

    def find_ray(self, vertex: str, direction: float) -> list[str]:
        """Labels that a drawn line leads to from ``vertex`` in ``direction`` (degrees), nearest first."""
        found = []
        for run in self.runs:
            if vertex not in run:
                continue
            for other in run:
                if other != vertex and _turn_between(self.measure_direction(vertex, other), direction) < 7:
                    found.append(other)
        return sorted(found, key=lambda other: measure_distance(self.points[vertex], self.points[other]))

    def measure_direction(self, p: str, q: str) -> float:
        """The direction from P to Q in degrees, counter-clockwise from the right."""
        (x0, y0), (x1, y1) = self.points[p], self.points[q]
        return math.degrees(math.atan2(y1 - y0, x1 - x0)) % 360

    def find_label(self, p: Point, reach: float = 5.0) -> str | None:
        """The labelled point at a place."""
        near = [(measure_distance(p, place), name) for name, place in self.points.items()]
        gap, name = min(near, default=(FAR, ""))
        return name if gap <= reach else None


@dataclass(frozen=True)
class Corner:
    """A marked angle: its names (one for each pair of labels on its sides), its arcs and whether it is a square."""

    names: tuple[tuple[str, str, str], ...]
    vertex: Point
    start: float
    sweep: float
    radius: float
    count: int
    square: bool
    gids: frozenset[str]


def read_marks(board: Board, texts: Sequence[tuple[Label, Box]]) -> tuple[list[Fact], list[str]]:
    """The marks, and the texts that stand at nothing."""
    corners = _list_corners(board)
    marks = [Fact("mark_right", name) for corner in corners if corner.square for name in corner.names]
    marks += _read_signs(board)
    stated, texts, strays = _read_statements(board, corners, texts)
    marks += stated
    degrees = [(text, box, value) for text, box in texts if (value := read_size(text.text)) is not None]
    others = [(text, box) for text, box in texts if read_size(text.text) is None]
    placed, unplaced, valued = _place_degrees(board, corners, degrees)
    marks += placed
    marks += _read_equal_angles(corners, valued)
    lengths, lost = _place_lengths(board, corners, others)
    return _sort(marks + lengths), strays + unplaced + lost


def count_readings(board: Board, texts: int) -> int:
    """How many comparisons of a mark with what it may stand at `read_marks` would make at most."""
    pairs = sum(len(run) * (len(run) - 1) // 2 for run in board.runs)
    arms = [sum(len(run) - 1 for run in board.runs if vertex in run) for vertex in board.points]
    angles = sum(count * (count - 1) // 2 for count in arms) + len(board.ink.angle_arcs)
    rims = sum(
        sum(abs(measure_distance(at, (x, y)) - radius) <= 3 for at in board.points.values()) ** 2
        for x, y, radius in board.circles.values()
    )
    free = sum(not run for run in board.runs)
    return pairs * (texts + free + len(board.ink.signs)) + (angles + rims) * (texts + 1)


def _read_statements(
    board: Board, corners: Sequence[Corner], texts: Sequence[tuple[Label, Box]]
) -> tuple[list[Fact], list[tuple[Label, Box]], list[str]]:
    """What texts such as ``AB = 6`` and ``∠ABC = 60°`` say by themselves, the texts left, and what can be neither.

    ``r = 5`` goes on as ``5``; an equation such as ``y = 2x`` or ``AB = CD`` and words measure nothing.
    """
    marks: list[Fact] = []
    left: list[tuple[Label, Box]] = []
    strays: list[str] = []
    for text, box in texts:
        plain = text.text.replace("$", "")
        match = STATEMENT.match(plain)
        if match is None:
            words = re.sub(r"\\[a-zA-Z]+", " ", UNIT.sub("", plain.strip()))
            if "=" in plain or (re.search(r"[A-Za-z]{3,}", words) and read_degrees(text.text) is None):
                strays.append(text.text)
            else:
                left.append((text, box))
        elif re.search(r"[A-Z∠=]|\\angle", match["rest"]):
            strays.append(text.text)
        elif match["letter"]:
            left.append((replace(text, text=match["rest"]), box))
        elif match["pair"]:
            pair = tuple(sorted(split_names(match["pair"])))
            if pair in {tuple(sorted(each)) for each in board.list_pairs()}:
                marks.append(Fact("mark_length", pair, read_value(match["rest"])))
            else:
                strays.append(text.text)
        else:
            name = _find_stated_angle(board, corners, split_names(match["corner"]), text, box)
            value = read_degrees(match["rest"]) or read_value(match["rest"])
            if name is None:
                strays.append(text.text)
            else:
                marks.append(Fact("mark_angle", name, value))
    return marks, left, strays


def _find_stated_angle(
    board: Board, corners: Sequence[Corner], names: Sequence[str], text: Label, box: Box
) -> tuple[str, str, str] | None:
    """The drawn angle ``∠ABC``, or the one at A where the text names only that and stands in it."""
    drawn = [("corner", corner) for corner in corners] + [("bare", corner) for corner in _list_bare(board, corners)]
    if len(names) == 3:
        wanted = [name for _, corner in drawn for name in corner.names if name[1] == names[1]]
        return next((name for name in wanted if {name[0], name[2]} == {names[0], names[2]}), None)
    here = [(kind, corner) for kind, corner in drawn if corner.names[0][1] == names[0]]
    rated = sorted(((_rate_degrees(board, kind, corner, text, box), i) for i, (kind, corner) in enumerate(here)))
    return here[rated[0][1]][1].names[0] if rated and rated[0][0] < FAR / 2 else None


def _sort(marks: Sequence[Fact]) -> list[Fact]:
    return sorted(dict.fromkeys(marks), key=lambda mark: (mark.predicate, mark.arguments, mark.value or ""))


# Angles


def _list_corners(board: Board) -> list[Corner]:
    groups: dict[tuple[str, tuple[tuple[str, str, str], ...]], list[Round]] = {}
    for arc in board.ink.angle_arcs:
        vertex = board.find_label(arc.centre)
        names = _name_angle(board, vertex, arc.start, arc.start + arc.sweep) if vertex else ()
        if vertex and names:
            groups.setdefault((vertex, names), []).append(arc)
    corners = [
        Corner(
            names,
            board.points[vertex],
            arcs[0].start,
            arcs[0].sweep,
            max(arc.radius for arc in arcs),
            len({round(arc.radius, 1) for arc in arcs}),
            False,
            frozenset(arc.gid for arc in arcs if arc.gid),
        )
        for (vertex, names), arcs in groups.items()
    ]
    return corners + [corner for square in board.ink.squares if (corner := _read_square(board, square)) is not None]


def _read_square(board: Board, square: Square) -> Corner | None:
    vertex = board.find_label(square.corner)
    names = _name_angle(board, vertex, square.start, square.end) if vertex else ()
    if not vertex or not names:
        return None
    start, sweep = _order(square.start, square.end)
    return Corner(names, board.points[vertex], start, sweep, 16.0, 1, True, frozenset((square.gid,)))


def _name_angle(board: Board, vertex: str, start: float, end: float) -> tuple[tuple[str, str, str], ...]:
    first, second = board.find_ray(vertex, start % 360), board.find_ray(vertex, end % 360)
    return tuple((p, vertex, q) for p in first for q in second if p != q)


def _order(start: float, end: float) -> tuple[float, float]:
    sweep = (end - start) % 360
    return (start, sweep) if sweep <= 180 else (end, 360 - sweep)


def _turn_between(a: float, b: float) -> float:
    return abs((a - b + 180) % 360 - 180)


def _place_degrees(
    board: Board, corners: Sequence[Corner], texts: Sequence[tuple[Label, Box, str]]
) -> tuple[list[Fact], list[str], set[int]]:
    """Match texts with marked angles, bare angles and arcs of circles, each taken once."""
    targets: list[tuple[str, object]] = [("corner", corner) for corner in corners]
    targets += [("arc", arc) for arc in _list_rim_arcs(board)]
    targets += [("bare", corner) for corner in _list_bare(board, corners)]
    if not texts or not targets:
        return [], [text.text for text, _, _ in texts], set()
    costs = np.array(
        [[_rate_degrees(board, kind, target, text, box) for kind, target in targets] for text, box, _ in texts]
    )
    chosen = _assign(costs)
    marks: list[Fact] = []
    strays: list[str] = []
    valued: set[int] = set()
    for i, (text, _, value) in enumerate(texts):
        j = chosen.get(i)
        if j is None:
            strays.append(text.text)
            continue
        kind, target = targets[j]
        if isinstance(target, Corner):
            marks += [Fact("mark_angle", name, value) for name in target.names]
            if kind == "corner":
                valued.add(j)
        elif isinstance(target, _RimArc):
            marks.append(Fact("mark_arc", (target.p, target.q, target.circle), value))
    return marks, strays, valued


@dataclass(frozen=True)
class _RimArc:
    """The arc of a circle from P to Q, counter-clockwise."""

    p: str
    q: str
    circle: str
    middle: Point
    radius: float
    start: float
    sweep: float


def _list_rim_arcs(board: Board) -> list[_RimArc]:
    arcs = []
    for name, (x, y, radius) in board.circles.items():
        rim = [p for p, at in board.points.items() if abs(measure_distance(at, (x, y)) - radius) <= 3]
        for p in rim:
            for q in rim:
                if p == q:
                    continue
                start, end = (
                    math.degrees(math.atan2(board.points[e][1] - y, board.points[e][0] - x)) % 360 for e in (p, q)
                )
                sweep = (end - start) % 360
                turn = math.radians(start + sweep / 2)
                middle = (x + radius * math.cos(turn), y + radius * math.sin(turn))
                arcs.append(_RimArc(p, q, name, middle, radius, start, sweep))
    return arcs


def _list_bare(board: Board, corners: Sequence[Corner]) -> list[Corner]:
    """Angles between neighbouring lines at a vertex that bear no arc."""
    marked = {frozenset((name[0], name[2])) | {name[1] + "!"} for corner in corners for name in corner.names}
    bare = []
    for vertex in board.points:
        arms = sorted({other for run in board.runs if vertex in run for other in run if other != vertex})
        for p, q in combinations(arms, 2):
            if frozenset((p, q)) | {vertex + "!"} in marked:
                continue
            start, sweep = _order(board.measure_direction(vertex, p), board.measure_direction(vertex, q))
            if 3 < sweep < 177:
                names = ((p, vertex, q),)
                bare.append(Corner(names, board.points[vertex], start, sweep, 8.0, 0, False, frozenset()))
    return bare


def _rate_degrees(board: Board, kind: str, target: object, text: Label, box: Box) -> float:
    centre = _find_centre(box)
    hint = text.gid.split()
    if isinstance(target, _RimArc):
        place = board.circles[target.circle]
        gap = abs(measure_distance(centre, place) - target.radius)
        turn = math.degrees(math.atan2(centre[1] - place[1], centre[0] - place[0]))
        inside = (turn - target.start) % 360
        if gap > NUMBER_REACH + (box[2] - box[0]) / 2 or inside > target.sweep:
            return FAR
        hinted = hint[:1] == ["arc"] and set(hint[1:3]) == {target.p, target.q}
        return gap + 0.4 * measure_distance(centre, target.middle) + 12 - (HINT * 3 if hinted else 0)
    assert isinstance(target, Corner)
    away = measure_distance(centre, target.vertex)
    turn = math.degrees(math.atan2(centre[1] - target.vertex[1], centre[0] - target.vertex[0]))
    middle = target.start + target.sweep / 2
    beyond = max(0.0, _turn_between(turn, middle) - target.sweep / 2)
    if away > target.radius + ANGLE_REACH or beyond > 12:
        return FAR
    off = _turn_between(turn, middle) / max(target.sweep, 10.0)
    cost = abs(away - target.radius) + 30 * off + 4 * beyond
    if kind == "bare":
        # An angle without an arc is read only where nothing marked is near, the narrowest first.
        return cost + 150 + 0.2 * target.sweep
    hinted = hint[:1] == ["angle"] and any(set(hint[1:4]) == set(name) and hint[2] == name[1] for name in target.names)
    return cost - (HINT if hinted else 0) + (25 if target.square else 0)


def _read_equal_angles(corners: Sequence[Corner], valued: set[int]) -> list[Fact]:
    """Arcs that say that angles are equal: several in a row, or single ones that bear no number."""
    marks = []
    for j, corner in enumerate(corners):
        tagged = any(gid.startswith("arcs ") for gid in corner.gids)
        if corner.square or (corner.count == 1 and j in valued and not tagged):
            continue
        marks += [Fact("mark_arcs", name, str(corner.count)) for name in corner.names]
    return marks


# Lengths


def _place_lengths(
    board: Board, corners: Sequence[Corner], texts: Sequence[tuple[Label, Box]]
) -> tuple[list[Fact], list[str]]:
    pairs = board.list_pairs()
    if not texts or not pairs:
        return [], [text.text for text, _ in texts]
    rails = {pair: _list_rails(board, pair) for pair in pairs}
    costs = np.array([[_rate_length(pair, rails[pair], text, box) for pair in pairs] for text, box in texts])
    for i, (text, box) in enumerate(texts):
        if _names_an_angle(board, corners, text, box):
            costs[i] = FAR
    chosen = _assign(costs)
    marks = [Fact("mark_length", pairs[j], read_value(texts[i][0].text)) for i, j in chosen.items()]
    return marks, [text.text for i, (text, _) in enumerate(texts) if i not in chosen]


def _names_an_angle(board: Board, corners: Sequence[Corner], text: Label, box: Box) -> bool:
    """Whether a digit is the name of an angle, as in ``∠1``: it stands at an arc that bears no size."""
    return re.fullmatch(r"\s*\$?\s*[1-9]\s*\$?\s*", text.text) is not None and any(
        not corner.square
        and measure_distance(_find_centre(box), corner.vertex) < corner.radius + 16
        and _rate_degrees(board, "corner", corner, text, box) < 30
        for corner in corners
    )


def _find_centre(box: Box) -> Point:
    return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def _list_rails(board: Board, pair: tuple[str, str]) -> list[tuple[Point, Point]]:
    """The segment itself and its dimension lines: strokes beside it, just as long, that no point is on."""
    p, q = board.points[pair[0]], board.points[pair[1]]
    length = measure_distance(p, q) or 1.0
    ux, uy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
    rails = [(p, q)]
    for line, run in zip(board.lines, board.runs, strict=True):
        if run:
            continue
        ends = [
            ((e[0] - p[0]) * ux + (e[1] - p[1]) * uy, (e[0] - p[0]) * uy - (e[1] - p[1]) * ux)
            for e in (line.start, line.end)
        ]
        low, high = sorted(along for along, _ in ends)
        off = (abs(ends[0][1]) + abs(ends[1][1])) / 2
        if abs(low) < 5 and abs(high - length) < 5 and 8 < off < RAIL_REACH and abs(ends[0][1] - ends[1][1]) < 4:
            rails.append((line.start, line.end))
    return rails


def _rate_length(pair: tuple[str, str], rails: Sequence[tuple[Point, Point]], text: Label, box: Box) -> float:
    hint = text.gid.split()
    hinted = hint[:1] == ["length"] and set(hint[1:]) == set(pair)
    return min(_rate_rail(p, q, box) for p, q in rails) - (2 * HINT if hinted else 0)


def _rate_rail(p: Point, q: Point, box: Box) -> float:
    centre = _find_centre(box)
    length = measure_distance(p, q) or 1.0
    along = ((centre[0] - p[0]) * (q[0] - p[0]) + (centre[1] - p[1]) * (q[1] - p[1])) / length
    gap = _measure_gap_to_box(p, q, box)
    if gap > NUMBER_REACH or not -0.05 * length <= along <= 1.05 * length:
        return FAR
    return gap + 0.35 * abs(along - length / 2) + 0.01 * length


def _measure_gap_to_box(p: Point, q: Point, box: Box) -> float:
    """Pixels between a segment and a box, along the normal of the segment."""
    centre = _find_centre(box)
    length = measure_distance(p, q) or 1.0
    nx, ny = abs(q[1] - p[1]) / length, abs(q[0] - p[0]) / length
    reach = nx * (box[2] - box[0]) / 2 + ny * (box[3] - box[1]) / 2
    return max(0.0, measure_gap(centre, p, q) - reach)


def _assign(costs: np.ndarray) -> dict[int, int]:
    """The cheapest one-to-one choice, without pairs that are out of reach."""
    rows, columns = scipy.optimize.linear_sum_assignment(costs)
    return {int(i): int(j) for i, j in zip(rows, columns, strict=True) if costs[i, j] < FAR / 2}


# Ticks and arrowheads


def _read_signs(board: Board) -> list[Fact]:
    counts: dict[tuple[str, tuple[str, str]], int] = {}
    for group in _group_signs(board.ink.signs):
        places = [sign.place for sign in group]
        middle = (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))
        pair = _find_pair(board, replace(group[0], place=middle))
        if pair is not None:
            counts[group[0].kind, pair] = counts.get((group[0].kind, pair), 0) + len(group)
    return [Fact(f"mark_{kind}", pair, str(count)) for (kind, pair), count in counts.items()]


def _group_signs(signs: Sequence[Sign]) -> list[list[Sign]]:
    """Signs of a kind, side by side, are one mark: they stand on one thing, not each on its nearest."""
    groups: list[list[Sign]] = []
    for sign in signs:
        for group in groups:
            last = group[-1]
            if (last.kind, last.gid) == (sign.kind, sign.gid) and measure_distance(
                last.place, sign.place
            ) <= SIDE_BY_SIDE:
                group.append(sign)
                break
        else:
            groups.append([sign])
    return groups


def _find_pair(board: Board, sign: Sign) -> tuple[str, str] | None:
    hint = sign.gid.split()

    def rate(pair: tuple[str, str]) -> float:
        p, q = board.points[pair[0]], board.points[pair[1]]
        if measure_gap(sign.place, p, q) > 3:
            return FAR
        middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
        hinted = hint[:1] == [sign.kind] and set(hint[1:]) == set(pair)
        return measure_distance(sign.place, middle) - (2 * HINT if hinted else 0)

    pairs = board.list_pairs()
    best = min(pairs, key=rate, default=None)
    return best if best is not None and rate(best) < 60 else None
