"""A scene laid out on the page: window, strokes, marks and placed texts, after the drawing rules of MMCLIP Fig. 6.

Only what the scene states is drawn. Marks have sizes in pixels, so that they look the same whatever the unit, and the
figure fills the frame. Numbers stand beside what they measure; the layout reads itself as a stranger would, and a
number that would be taken for another thing's is led to its own by a thin line, or says by itself what it measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from itertools import pairwise

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.drawing import angles, lengths, signs
from counterfoil.tasks.geometry.drawing.angles import Corners
from counterfoil.tasks.geometry.drawing.axes import draw_axes, list_curves, list_grid
from counterfoil.tasks.geometry.drawing.board import Board, as_rows, break_arc, list_dots
from counterfoil.tasks.geometry.drawing.crowding import Face, are_texts_crammed, find_limits
from counterfoil.tasks.geometry.drawing.labels import (
    PIXELS_PER_POINT,
    Text,
    estimate_extent,
    measure_cover,
    place_texts,
)
from counterfoil.tasks.geometry.drawing.leaders import draw_leader
from counterfoil.tasks.geometry.drawing.lengths import NoRoom
from counterfoil.tasks.geometry.drawing.names import offer_name
from counterfoil.tasks.geometry.drawing.page import Margins, Page, find_box
from counterfoil.tasks.geometry.drawing.preview import Layout, PlacedText, preview
from counterfoil.tasks.geometry.drawing.style import PLAIN, Style
from counterfoil.tasks.geometry.drawing.values import write_number, write_statement
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.axes import AxesError
from counterfoil.tasks.geometry.measuring.look import find_misread_numbers
from counterfoil.tasks.geometry.measuring.reading import look

NUMBERS = ("mark_length", "mark_angle", "mark_arc")
"""The marks that ``markings = false`` leaves out (MMCLIP Table 5)."""
FIRST_MARGINS: Margins = (62.0, 62.0, 62.0, 62.0)
_ATTEMPTS = 4
_ROUNDS = 5
"""Pages that are tried until all is inside: the larger the letters, the more a page of another size moves them."""
_BEYOND = 5.5
"""Pixels by which a text's line may lie nearer to the frame than its letters."""
_REMEMBERED = 256
"""Layouts that are kept: as many as a shard has rows."""
_COVERED = 5.0
"""Pixels of a line inside a number from which it is seen to run through it."""
_CORNERS = ("mark_right", "mark_arcs", "mark_angle")


class Mode(Enum):
    """How a number says what it measures, from the plainest on."""

    BESIDE = 1
    LED = 2
    STATED = 3


_CLOSER = {Mode.BESIDE: Mode.LED, Mode.LED: Mode.STATED}


def lay_out(scene: Scene, style: Style = PLAIN, markings: bool = True) -> Layout:
    """Lay ``scene`` out. Without ``markings``, lengths, angles and arc measures are left out.

    Raises:
        SceneError: a fact of it is malformed or names what is not there.
    """
    scene = Scene.from_facts(scene.to_facts())
    drawn = replace(scene, facts=(), marks=tuple(sorted(scene.marks, key=_find_turn)))
    return replace(_lay_out(drawn.to_facts(), style, markings), scene=scene)


def _find_turn(mark: Fact) -> int:
    """Sorts of marks in one order, so that a figure read back from its script is known to be laid out already."""
    return 0 if mark.predicate in NUMBERS else 1 + (mark.predicate in _CORNERS)


@lru_cache(maxsize=_REMEMBERED)
def _lay_out(drawn: tuple[Fact, ...], style: Style, markings: bool) -> Layout:
    """Remembered by what is drawn: a figure is laid out to see that it reads, to be drawn, and as a check reads it.

    What a figure states moves nothing on its page.
    """
    scene = Scene.from_facts(drawn)
    marks = [mark for mark in scene.marks if markings or mark.predicate not in NUMBERS]
    modes: dict[str, Mode] = {}
    # The first layout only tells how far texts reach: how it reads is asked of what is drawn.
    first = Board(replace(scene, marks=tuple(marks)), Page.fit(scene, FIRST_MARGINS, style.canvas), style)
    layout = _Arrangement(first, modes).finish()
    room: Margins = (0.0, 0.0, 0.0, 0.0)
    for turn in range(_ROUNDS):
        left, bottom, right, top = _measure_margins(layout)
        if turn > 1:  # texts that go to and fro between two sides get room on both
            left, bottom, right, top = max(left, room[0]), max(bottom, room[1]), max(right, room[2]), max(top, room[3])
        room = (left, bottom, right, top)
        layout = _settle(layout.scene, Page.fit(scene, room, style.canvas), style, modes)
        if _is_inside(layout):
            break
    return layout


def _settle(scene: Scene, page: Page, style: Style, modes: dict[str, Mode]) -> Layout:
    """The layout on ``page`` in which each number that would be misread is tied to its thing more closely."""
    names: dict[str, Text] = {}
    for _ in range(_ATTEMPTS):
        board = Board(scene, page, style)
        arrangement = _Arrangement(board, modes, names)
        layout = arrangement.finish()
        unclear = {write_gid(mark) for mark in list_misread(layout)} | set(_list_covered(layout, board.things))
        unclear |= {gid for gid in arrangement.crammed if not gid.startswith("label ")}
        unclear -= {gid for gid in unclear if gid.startswith(("numeral ", "name "))}
        closer = {gid: _CLOSER[modes.get(gid, Mode.BESIDE)] for gid in unclear if modes.get(gid) is not Mode.STATED}
        if not closer:
            break
        modes |= closer
    return layout


def write_gid(mark: Fact) -> str:
    """The group id of a mark's strokes and number."""
    return f"{mark.predicate.removeprefix('mark_')} {' '.join(mark.arguments)}"


@dataclass
class _Arrangement:
    """The marks of one figure being drawn on a board, and its texts placed."""

    board: Board
    modes: dict[str, Mode]
    names: dict[str, Text] = field(default_factory=dict)
    """The places of points' letters, which no mark moves."""
    corners: Corners = field(default_factory=Corners)
    crammed: set[str] = field(default_factory=set)
    """The group ids of texts that found no place away from another's ink."""

    def finish(self) -> Layout:
        """Draw all marks and place all texts."""
        board, scene = self.board, self.board.scene
        for mark in scene.marks:
            if mark.predicate in ("mark_ticks", "mark_parallel"):
                self._add_sign(mark)
        for mark in angles.order_by_sweep(board, [m for m in scene.marks if m.predicate in _CORNERS]):
            self._add_corner(mark)
        for mark in scene.marks:
            if mark.predicate in NUMBERS:
                self._add_number(mark)
        curves = tuple(list_curves(scene))
        dots = tuple(scene.points if board.style.all_dotted or scene.axes else list_dots(scene))
        run_on = as_rows(
            np.concatenate([board.page.to_pixels(p), board.page.to_pixels(q)])
            for curve in curves
            for p, q in pairwise(curve.points)
        )
        draw_axes(board, np.vstack([board.things, run_on, self._list_dots(dots)]))
        grid = tuple(list_grid(board))
        for label in scene.points:
            if label not in self.names:
                self.names[label] = offer_name(board, label, label in dots)
        texts = [(self.names[label], f"label {label}") for label in scene.points]
        texts += board.texts
        ruled = as_rows(np.concatenate([board.page.to_pixels(p), board.page.to_pixels(q)]) for p, q in grid)
        fixed = np.vstack([board.things, board.list_marks(), self._list_dots(dots), ruled, run_on])
        names, numbers = Face(board.style.font, board.style.slanted_names), Face(board.style.font, False)

        def are_crammed(i: int, j: int, offset: np.ndarray) -> bool:
            faces = (names if i < len(scene.points) else numbers, names if j < len(scene.points) else numbers)
            return are_texts_crammed(texts[i][0], texts[j][0], faces, offset)

        limits = find_limits([text for text, _ in texts])
        chosen = place_texts([text for text, _ in texts], fixed, board.page.canvas, limits, are_crammed)
        places = np.array([text.candidates[i] for (text, _), i in zip(texts, chosen, strict=True)])
        near = (np.abs(places - places[:, None]) < limits).all(axis=2)
        for i, j in np.argwhere(np.triu(near, 1)).tolist():
            if are_crammed(i, j, places[j] - places[i]):
                self.crammed |= {texts[i][1], texts[j][1]}
        placed = [self._put(text, gid, i) for (text, gid), i in zip(texts, chosen, strict=True)]
        letters = [(text, i) for (text, gid), i in zip(texts, chosen, strict=True) if gid.startswith("label ")]
        grid = tuple(list_grid(board, letters))
        strokes, arcs = tuple(board.strokes), tuple(board.arcs)
        return Layout(board.page, scene, board.style, strokes, arcs, dots, tuple(placed), curves, grid)

    def _put(self, text: Text, gid: str, choice: int) -> PlacedText:
        if text.ties is not None:
            draw_leader(self.board, text.ties[choice], gid)
        x, y = text.candidates[choice]
        return PlacedText(text.text, self.board.page.to_data((x, y - text.extent.rise)), text.size, gid)

    def _list_dots(self, dots: Sequence[str]) -> np.ndarray:
        reach = np.array([self.board.style.dot / 2, 0])
        return as_rows(
            np.concatenate([self.board.pixels[label] - reach, self.board.pixels[label] + reach]) for label in dots
        )

    def _add_sign(self, mark: Fact) -> None:
        p, q = mark.arguments
        count, gid = int(mark.value or 1), write_gid(mark)
        if mark.predicate == "mark_parallel":
            signs.draw_arrows(self.board, p, q, count, gid)
        elif not self.board.list_inner(p, q):
            signs.draw_ticks(self.board, p, q, count, gid)
        elif not any(_measures_same(mark, other) for other in self.board.scene.marks):
            self._add_dimension(mark, None, count)

    def _add_corner(self, mark: Fact) -> None:
        """Arcs for equal angles and for angles with a number; a right angle's number stands at its square."""
        marks, name, gid = self.board.scene.marks, angles.name_angle(mark), write_gid(mark)
        same = {m.predicate: m for m in marks if m.predicate in _CORNERS and angles.name_angle(m) == name}
        if mark.predicate == "mark_right":
            angles.draw_square(self.board, self.corners, mark, gid)
        elif mark.predicate == "mark_arcs":
            number = same.get("mark_angle")
            text = write_number(number.value or "", "angle") if number is not None else ""
            angles.draw_arcs(self.board, self.corners, mark, max(1, int(mark.value or 1)), gid, text)
        elif not {"mark_arcs", "mark_right"} & set(same) and self._find_mode(mark) is not Mode.STATED:
            angles.draw_arcs(self.board, self.corners, mark, 1, gid, write_number(mark.value or "", "angle"))

    def _find_mode(self, mark: Fact) -> Mode:
        return self.modes.get(write_gid(mark), Mode.BESIDE)

    def _add_number(self, mark: Fact) -> None:
        text = self._offer(mark)
        if text is not None:
            self.board.texts.append((text, write_gid(mark)))

    def _offer(self, mark: Fact) -> Text | None:
        mode, value = self._find_mode(mark), mark.value or ""
        if mode is Mode.STATED and mark.predicate != "mark_arc":
            kind = mark.predicate.removeprefix("mark_")
            return self._offer_anywhere(write_statement("".join(mark.arguments), value, kind), mark)
        match mark.predicate:
            case "mark_angle" if mode is Mode.BESIDE:
                return angles.offer_inside(self.board, self.corners, mark)
            case "mark_angle":
                return angles.offer_leading_in(self.board, self.corners, mark)
            case "mark_arc":
                return self._offer_arc(mark, mode)
        p, q = mark.arguments
        if self.board.list_inner(p, q):
            return self._add_dimension(mark, value, self._count_ticks(mark))
        if mode is Mode.BESIDE:
            return lengths.offer_beside(self.board, p, q, value)
        return lengths.offer_leading_to(self.board, p, q, value)

    def _offer_arc(self, mark: Fact, mode: Mode) -> Text:
        if lengths.list_inner_rim(self.board, mark):
            try:
                return lengths.place_round_dimension(self.board, mark, write_gid(mark))
            except NoRoom:
                return lengths.offer_beside_rim(self.board, mark)
        if mode is Mode.BESIDE:
            return lengths.offer_beside_rim(self.board, mark)
        return lengths.offer_leading_to_rim(self.board, mark)

    def _add_dimension(self, mark: Fact, value: str | None, ticks: int) -> Text | None:
        """A dimension line for a line that points divide; a statement where there is no room for one."""
        p, q = mark.arguments
        gid = write_gid(mark)
        try:
            return lengths.place_dimension(self.board, p, q, value, ticks, gid)
        except NoRoom:
            if value is None:
                return None
            self.modes[gid] = Mode.STATED
            return self._offer_anywhere(write_statement(f"{p}{q}", value, "length"), mark)

    def _count_ticks(self, mark: Fact) -> int:
        ticks = [m for m in self.board.scene.marks if m.predicate == "mark_ticks" and _measures_same(m, mark)]
        return int(ticks[0].value or 1) if ticks else 0

    def _offer_anywhere(self, text: str, mark: Fact) -> Text:
        """Places all over the frame, nearest to the thing first, for a text that says what it is about."""
        board = self.board
        wide, tall = board.page.canvas
        middles = np.array([(x, y) for x in np.arange(24, wide - 12, 16.0) for y in np.arange(24, tall - 12, 16.0)])
        thing = np.mean([board.pixels[label] for label in mark.arguments if label in board.pixels], axis=0)
        return Text(text, board.style.number_size, middles, 10 + 0.3 * np.hypot(*(middles - thing).T))


def _measures_same(first: Fact, second: Fact) -> bool:
    """Whether one is the length of what the other ticks."""
    kinds = {first.predicate, second.predicate}
    return kinds == {"mark_ticks", "mark_length"} and set(first.arguments) == set(second.arguments)


def list_misread(layout: Layout) -> list[Fact]:
    """The numbers of the scene that a stranger would not read, or read as of another thing.

    None where the axes cannot be read: no other place of a number mends that, and whoever measures the picture
    refuses it.
    """
    places = {name: _to_pixels(layout, p) for name, p in layout.scene.points.items()}
    try:
        return find_misread_numbers(layout.scene, look(preview(layout), places))
    except AxesError:
        return []


def _list_covered(layout: Layout, things: np.ndarray) -> Iterator[str]:
    """Numbers that found no place where none of ``things``, rows of lines and rims, runs through them."""
    numbers = [text for text in layout.texts if not text.gid.startswith("label ")]
    if numbers:
        middles = np.array([_to_pixels(layout, text.position) for text in numbers])
        extents = [estimate_extent(text.text, text.size) for text in numbers]
        middles[:, 1] += [extent.rise for extent in extents]
        half = np.array([extent[:2] for extent in extents]) / 2 - 1
        covered = measure_cover(middles - half, middles + half, things).sum(axis=1)
        yield from (text.gid for text, length in zip(numbers, covered, strict=True) if length > _COVERED)


def _to_pixels(layout: Layout, p: Point) -> tuple[float, float]:
    page = layout.page
    return ((p[0] - page.x0) * page.scale, (p[1] - page.y0) * page.scale)


def _measure_margins(layout: Layout) -> Margins:
    """How far texts and marks reach beyond the figure's own box, in pixels: left, bottom, right, top."""
    low, high = (np.array(_to_pixels(layout, (p[0], p[1]))) for p in find_box(layout.scene))
    reached = np.array([low, *_list_reached(layout)])
    left, bottom = np.clip(low - reached.min(axis=0), 0, None)
    right, top = np.clip(reached.max(axis=0) - high, 0, None)
    return (float(left), float(bottom), float(right), float(top))


def _list_reached(layout: Layout) -> Iterator[tuple[float, float]]:
    for text in layout.texts:
        x, y = _to_pixels(layout, text.position)
        width, height, rise = estimate_extent(text.text, text.size)
        # A recorded box is as high as its line, which reaches far beyond large letters.
        line = text.size * PIXELS_PER_POINT / 2 - _BEYOND
        yield (x - width / 2 - 1, min(y + rise - height / 2 - 1, y - line))
        yield (x + width / 2 + 1, max(y + rise + height / 2 + 1, y + line))
    for stroke in layout.strokes:
        yield from (_to_pixels(layout, p) for p in stroke.points)
    for arc in layout.arcs:
        if arc.thin:
            centre = np.array(_to_pixels(layout, arc.centre))
            for row in break_arc(centre, arc.radius * layout.page.scale, arc.start, arc.end, 24):
                yield (float(row[0]), float(row[1]))


def _is_inside(layout: Layout) -> bool:
    wide, tall = layout.page.canvas
    return all(4 <= x <= wide - 4 and 4 <= y <= tall - 4 for x, y in _list_reached(layout))
