"""A layout as a sheet: what its script draws, with the numbers as the script writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from counterfoil.renderers.sheet import Disc, Ink, Letters, Line, Round, Sheet
from counterfoil.tasks.geometry.drawing.axes import GRID_INK, GRID_WIDTH
from counterfoil.tasks.geometry.drawing.board import AngleArc, Stroke
from counterfoil.tasks.geometry.drawing.crowding import MATH_FONTS
from counterfoil.tasks.geometry.drawing.preview import Layout
from counterfoil.tasks.geometry.drawing.script import find_region
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import count_digits


def write_sheet(layout: Layout) -> Sheet:
    """What the script of a layout draws (`script.write_layout`), in the order in which it does."""
    writer = _Writer(layout)
    style, scene = layout.style, layout.scene
    x0, y0, wide, tall = layout.page.window
    digits = writer.digits
    return Sheet(
        layout.page.canvas,
        (_round(x0, digits), _round(x0 + wide, digits), _round(y0, digits), _round(y0 + tall, digits)),
        style.paper,
        tuple(writer.place(scene.points[name]) for name in find_region(scene)) if style.fill else (),
        style.fill,
        tuple(writer.list_lines()),
        tuple(writer.list_rounds()),
        tuple(Disc(writer.place(scene.points[n]), style.dot, style.ink, f"dot {n}") for n in layout.dots),
        tuple(writer.list_letters()),
        MATH_FONTS[style.font] if any("$" in text.text for text in layout.texts) else "dejavusans",
    )


class _Writer:
    """The numbers of one layout as its script has them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.digits = count_digits(layout.scene.extent)

    def place(self, p: Sequence[float]) -> Point:
        return (_round(p[0], self.digits), _round(p[1], self.digits))

    def list_lines(self) -> Iterator[Line]:
        layout, style, scene = self.layout, self.layout.style, self.layout.scene
        for start, end in layout.grid:
            yield Line((self.place(start), self.place(end)), Ink(GRID_INK, GRID_WIDTH, "grid", behind=True))
        yield from self._list_strokes(layout.curves, style.line)
        for p, q in scene.segments:
            ink = Ink(style.ink, style.line, f"segment {p} {q}", style.sway, round_ends=True)
            yield Line((self.place(scene.points[p]), self.place(scene.points[q])), ink)
        yield from self._list_strokes([stroke for stroke in layout.strokes if not stroke.thin], style.mark)
        yield from self._list_strokes([stroke for stroke in layout.strokes if stroke.thin], style.aid)

    def _list_strokes(self, strokes: Sequence[Stroke], width: float) -> Iterator[Line]:
        for stroke in strokes:
            yield Line(tuple(map(self.place, stroke.points)), Ink(self.layout.style.ink, width, stroke.gid))

    def list_rounds(self) -> Iterator[Round]:
        layout, style = self.layout, self.layout.style
        for name, (x, y, r) in layout.scene.circles.items():
            ink = Ink(style.ink, style.line, f"circle {name}", style.sway)
            yield Round(self.place((x, y)), _round(r, self.digits), ink)
        yield from self._list_arcs([arc for arc in layout.arcs if not arc.thin], style.mark)
        yield from self._list_arcs([arc for arc in layout.arcs if arc.thin], style.aid)

    def _list_arcs(self, arcs: Sequence[AngleArc], width: float) -> Iterator[Round]:
        for arc in arcs:
            ends = (float(f"{arc.start:.2f}"), float(f"{arc.end:.2f}"))
            ink = Ink(self.layout.style.ink, width, arc.gid)
            yield Round(self.place(arc.centre), _round(arc.radius, self.digits), ink, ends)

    def list_letters(self) -> Iterator[Letters]:
        style = self.layout.style
        named = [text.gid.startswith("label ") for text in self.layout.texts]
        for names in (True, False):
            size = style.name_size if names else style.number_size
            for text, is_name in zip(self.layout.texts, named, strict=True):
                if is_name is names:
                    slanted = names and style.slanted_names
                    place = self.place(text.position)
                    yield Letters(text.text, place, size, style.font, slanted, style.letters, text.gid)


def _round(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0
