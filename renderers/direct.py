"""Sheets drawn by matplotlib's own rasteriser without its artists: the same pixels and the same record as the script's.

An artist costs more than its stroke. Here each stroke goes to Agg at once, as its artist would have sent it, and a
text's glyphs are laid out once for all pages. What a page of ours never has (a line that leaves it, a text beside it)
is not drawn here: the sandbox tells what becomes of that.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from counterfoil.renderers.raster import encode_png, is_blank
from counterfoil.renderers.results import Arc, Dot, Drawing, Face, Glyph, Label, Outcome, Panel, Polyline, Rendering
from counterfoil.renderers.sheet import Ink, Letters, Line, Round, Sheet

DPI = 100
SKETCH = (110, 3)
"""The length and the randomness of a stroke that sways."""
_EDGE = 0.5
"""Pixels by which a text's box may stick out of the picture, as the recorder has it."""
_UPRIGHT = np.array([[0x10000, 0], [0, 0x10000]])
_lock = threading.Lock()


def draw_sheet(sheet: Sheet, level: str) -> Rendering | None:
    """The picture and the record that the sheet's script gives; None where that is left to the script.

    ``level``: what the rendering says of where it was made.
    """
    with _lock:
        easel = _open_easel(*sheet.canvas)
        easel.turn_to(sheet)
        drawing = easel.record(sheet)
        if drawing is None:
            return None
        pixels = easel.paint(sheet)
        if is_blank(pixels):
            return None
        png = encode_png(pixels)
    return Rendering(Outcome.OK, level, png, *sheet.canvas, drawing=drawing)


class _Easel:
    """A figure with one Axes that takes all of it, and Agg's pixels: of one size, for any number of sheets."""

    def __init__(self, wide: int, tall: int) -> None:
        from matplotlib.backends.backend_agg import RendererAgg
        from matplotlib.figure import Figure

        self.size = (wide, tall)
        figure = Figure(figsize=(wide / DPI, tall / DPI), dpi=DPI)
        figure.subplots_adjust(left=0, right=1, bottom=0, top=1)
        self.axes: Any = figure.add_subplot()
        self.axes.set_aspect("equal")
        self.axes.set_autoscale_on(False)
        self.renderer: Any = RendererAgg(wide, tall, DPI)
        self.agg: Any = self.renderer._renderer
        self.sized: dict[int, float] = {}
        """The size that each font was set to for this sheet: setting it anew runs the font's own program."""
        self.to_pixels: Any = None
        self.to_data: Any = None

    def turn_to(self, sheet: Sheet) -> None:
        """Show the sheet's part of the plane."""
        x0, x1, y0, y1 = sheet.window
        self.axes.set_xlim(x0, x1)
        self.axes.set_ylim(y0, y1)
        self.axes.apply_aspect()
        self.to_pixels = self.axes.transData.frozen()
        self.to_data = self.axes.transData.inverted()

    # Pixels

    def paint(self, sheet: Sheet) -> np.ndarray:
        """The sheet's pixels (height, width, 4), which last until the next sheet."""
        from matplotlib.path import Path

        self.sized.clear()
        paper = np.array([round(255 * part) for part in _read_color(sheet.paper)], np.uint8)
        # Whole pixels: by channels numpy's loop is four long.
        np.asarray(self.agg).view(np.uint32)[:] = paper.view(np.uint32)
        if sheet.region:
            ring = Path([*sheet.region, sheet.region[0]], closed=True)
            face = _read_color(sheet.fill)
            self.agg.draw_path(self._take_pen((0, 0, 0, 0), 0, "butt", "miter"), ring, self.to_pixels, face)
        for line in sheet.lines:
            if line.ink.behind:
                self._draw_line(line)
        for each in sheet.rounds:
            self._draw_round(each)
        for line in sheet.lines:
            if not line.ink.behind:
                self._draw_line(line)
        for dot in sheet.dots:
            self._draw_dot(dot.centre, dot.size, _read_color(dot.color))
        places = self._list_places(sheet)
        for text, place in zip(sheet.letters, places, strict=True):
            self._draw_text(_set_text(text, sheet.mathematics, self.size), place, _read_color(text.color))
        return np.asarray(self.agg)

    def _take_pen(self, color: Any, width: float, cap: str, join: str, sway: float = 0.0) -> Any:
        gc = self.renderer.new_gc()
        gc.set_clip_rectangle(self.axes.bbox)
        gc.set_linewidth(width)
        gc.set_capstyle(cap)
        gc.set_joinstyle(join)
        gc.set_foreground(color, isRGBA=True)
        if sway:
            gc.set_sketch_params(sway, *SKETCH)
        return gc

    def _draw_line(self, line: Line) -> None:
        from matplotlib.path import Path

        ink = line.ink
        cap = "round" if ink.round_ends else "projecting"
        pen = self._take_pen(_read_color(ink.color), ink.width, cap, "round", ink.sway)
        self.agg.draw_path(pen, Path(line.points), self.to_pixels, None)

    def _draw_round(self, each: Round) -> None:
        from matplotlib.path import Path
        from matplotlib.transforms import Affine2D

        path = Path.unit_circle() if each.ends is None else Path.arc(*each.ends)
        place = Affine2D().scale(each.radius).translate(*each.centre) + self.to_pixels
        ink = each.ink
        pen = self._take_pen(_read_color(ink.color), ink.width, "butt", "miter", ink.sway)
        self.agg.draw_path(pen, path, place, None)

    def _draw_dot(self, centre: Any, size: float, color: Any) -> None:
        from matplotlib.path import Path

        path, scale, edge, snapped = _make_disc(size)
        pen = self._take_pen(color, edge, "butt", "round")
        pen.set_snap(snapped)
        self.agg.draw_markers(pen, path, scale, Path([centre]), self.to_pixels, color)

    def _draw_text(self, text: _SetText, place: np.ndarray, color: Any) -> None:
        from matplotlib.backends.backend_agg import get_hinting_flag
        from matplotlib.ft2font import RenderMode

        gc = self.renderer.new_gc()
        gc.set_foreground(color, isRGBA=True)
        flag, tall = get_hinting_flag(), self.size[1]
        x, y = text.x + place[0], tall - (text.y + place[1])
        for font, size, index, dx, dy in text.drawn:
            if self.sized.get(id(font)) != size:
                font.set_size(size, DPI)
                self.sized[id(font)] = size
            font._set_transform(_UPRIGHT, [round(0x40 * (x + dx)), round(0x40 * (tall - y + dy))])
            bitmap = font._render_glyph(index, flag, RenderMode.NORMAL)
            buffer = bitmap.buffer
            self.agg.draw_text_image(buffer, bitmap.left, tall - bitmap.top + buffer.shape[0], 0, gc)
        if text.bars:
            self.renderer._draw_text_glyphs_and_boxes(gc, x, y, 0.0, [], text.bars)

    def _list_places(self, sheet: Sheet) -> np.ndarray:
        """Where texts are centred, in pixels (n, 2)."""
        return np.asarray(self.to_pixels.transform(np.array([text.centre for text in sheet.letters]).reshape(-1, 2)))

    # Record

    def record(self, sheet: Sheet) -> Drawing | None:
        """What the sandbox's recorder would write of the sheet; None where something lies off the page."""
        wide, tall = self.size
        xlim, ylim = (tuple(map(float, limits)) for limits in (self.axes.get_xlim(), self.axes.get_ylim()))
        strokes = [point for line in sheet.lines for point in line.points] + [dot.centre for dot in sheet.dots]
        places = np.array(strokes).reshape(-1, 2)
        if not ((places >= (xlim[0], ylim[0])) & (places <= (xlim[1], ylim[1]))).all():
            return None
        for each in sheet.rounds:
            (x, y), r = each.centre, each.radius
            if x + r < xlim[0] or x - r > xlim[1] or y + r < ylim[0] or y - r > ylim[1]:
                return None
        labels = self._list_labels(sheet)
        if not all(label.inside for label in labels):
            return None
        view = [float(value) for value in self.axes.bbox.extents]
        box = (view[0], tall - view[3], view[2], tall - view[1])
        panel = Panel(
            (xlim[0], xlim[1]),
            (ylim[0], ylim[1]),
            box,
            tuple(_record_line(line) for line in sheet.lines),
            tuple(_record_round(each) for each in sheet.rounds),
            tuple(Dot(dot.centre, dot.size, "o", _to_hex(dot.color), dot.gid) for dot in sheet.dots),
            labels,
        )
        inks: list[Ink] = [*(line.ink for line in sheet.lines), *(each.ink for each in sheet.rounds)]
        return Drawing(
            (panel,),
            wide,
            tall,
            paper=_to_hex(sheet.paper),
            faces=self._list_faces(sheet, box),
            dpi=float(DPI),
            hinting=_name_hinting(),
            wobble=max((ink.sway for ink in inks), default=0.0),
        )

    def _list_faces(self, sheet: Sheet, box: tuple[float, float, float, float]) -> tuple[Face, ...]:
        if not sheet.region:
            return ()
        corners = self.to_pixels.transform(np.array(sheet.region))
        ring = np.column_stack([corners[:, 0], self.size[1] - corners[:, 1]]).round(3).tolist()
        return (Face((tuple((x, y) for x, y in ring),), _to_hex(sheet.fill), 1.0, box),)

    def _list_labels(self, sheet: Sheet) -> tuple[Label, ...]:
        wide, tall = self.size
        texts = [_set_text(text, sheet.mathematics, self.size) for text in sheet.letters]
        places = self._list_places(sheet)
        boxes = [text.box.translated(*place) for text, place in zip(texts, places, strict=True)]
        corners = [((box.x0, box.y0), (box.x1, box.y1), tuple(place)) for box, place in zip(boxes, places, strict=True)]
        data = self.to_data.transform(np.array(corners).reshape(-1, 2)).reshape(-1, 3, 2).tolist()
        labels = []
        for text, said, place, box, ((x0, y0), (x1, y1), anchor) in zip(
            texts, sheet.letters, places, boxes, data, strict=True
        ):
            inside = box.x0 >= -_EDGE and box.y0 >= -_EDGE and box.x1 <= wide + _EDGE and box.y1 <= tall + _EDGE
            left, base = text.x + place[0], tall - (text.y + place[1])
            glyphs = tuple(
                Glyph(name, size, char, index, round(float(left + dx), 4), round(float(base - dy), 4))
                for name, size, char, index, dx, dy in text.glyphs
            )
            bars = tuple(
                (float(left + x), float(base - (y + high)), float(left + (x + across)), float(base - y))
                for x, y, across, high in text.bars
            )
            labels.append(
                Label(
                    said.text,
                    (anchor[0], anchor[1]),
                    (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)),
                    size=float(said.size),
                    color=_to_hex(said.color),
                    gid=said.gid,
                    inside=bool(inside),
                    glyphs=(glyphs,),
                    bars=bars,
                )
            )
        return tuple(labels)


@cache
def _open_easel(wide: int, tall: int) -> _Easel:
    return _Easel(wide, tall)


def _record_line(line: Line) -> Polyline:
    points, ring = line.points, len(line.points) > 3 and line.points[0] == line.points[-1]
    ink = line.ink
    return Polyline(points[:-1] if ring else points, ring, False, "-", _to_hex(ink.color), ink.width, ink.gid)


def _record_round(each: Round) -> Arc:
    start, end = each.ends or (0.0, 360.0)
    wide, ink = float(2 * each.radius), each.ink
    return Arc(each.centre, wide, wide, 0.0, start, end, False, "-", _to_hex(ink.color), ink.width, ink.gid)


@cache
def _read_color(name: str) -> Any:
    from matplotlib.colors import to_rgba

    return to_rgba(name)


@cache
def _to_hex(name: str) -> str:
    from matplotlib.colors import to_hex

    return str(to_hex(name))


def _name_hinting() -> str:
    from matplotlib.backends.backend_agg import get_hinting_flag

    return get_hinting_flag().name or "DEFAULT"


@cache
def _make_disc(size: float) -> tuple[Any, Any, float, bool]:
    """The path of a round marker, what it is scaled by, the width of its edge, and whether it snaps to pixels."""
    from matplotlib import rcParams
    from matplotlib.markers import MarkerStyle

    marker: Any = MarkerStyle("o")
    pixels = size * DPI / 72
    snap = marker.get_snap_threshold()
    return marker.get_path(), marker.get_transform().scale(pixels), rcParams["lines.markeredgewidth"], pixels >= snap


class _SetText:
    """A text laid out: its box and the start of its line from its middle, its glyphs and bars from there."""

    def __init__(
        self, text: str, size: float, family: str, slanted: bool, mathematics: str, canvas: tuple[int, int]
    ) -> None:
        from matplotlib import rc_context
        from matplotlib.text import Text

        easel = _open_easel(*canvas)
        slant = "italic" if slanted else "normal"
        with rc_context({"mathtext.fontset": mathematics}):
            artist: Any = Text(0, 0, text, fontsize=size, family=family, style=slant, ha="center", va="center")
            artist.set_figure(easel.axes.figure)
            self.box, [(line, _, (x, y))], _ = artist._get_layout(easel.renderer)
            clean, is_math = artist._preprocess_math(line)
            prop = artist.get_fontproperties()
            glyphs, bars = _shape(easel.renderer, clean, bool(is_math), prop)
        self.x, self.y, self.bars = x, y, bars
        self.drawn = [(font, size, index, dx, dy) for font, size, _, index, dx, dy in glyphs]
        self.glyphs = [
            (FilePath(str(font.fname)).name, float(size), char, int(index), float(dx), float(dy))
            for font, size, char, index, dx, dy in glyphs
            if char.strip()
        ]


def _shape(renderer: Any, line: str, is_math: bool, prop: Any) -> tuple[list[Any], list[Any]]:
    """The glyphs of a line (font, size, character, index, x and y from its start, y up) and its bars."""
    from matplotlib.backends.backend_agg import get_hinting_flag

    if is_math:
        parse = renderer.mathtext_parser.parse(line, DPI, prop, antialiased=True)
        glyphs = [(font, size, chr(code), index, dx, dy) for font, size, code, index, dx, dy in parse.glyphs]
        return glyphs, [tuple(map(float, rect)) for rect in parse.rects]
    font, size = renderer._prepare_font(prop), prop.get_size_in_points()
    items = font._layout(line, flags=get_hinting_flag(), features=None, language=None)
    return [(item.ft_object, size, item.char, item.glyph_index, item.x, item.y) for item in items], []


_set = lru_cache(4096)(_SetText)


def _set_text(text: Letters, mathematics: str, canvas: tuple[int, int]) -> _SetText:
    return _set(text.text, text.size, text.family, text.slanted, mathematics, canvas)
