"""A layout, and what a recorder would say of the picture that its script draws, as far as it can be told beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from counterfoil.renderers.results import Arc, Dot, Drawing, Label, Panel, Polyline
from counterfoil.tasks.geometry.drawing.board import AngleArc, Stroke
from counterfoil.tasks.geometry.drawing.labels import PIXELS_PER_POINT, estimate_extent
from counterfoil.tasks.geometry.drawing.page import Page
from counterfoil.tasks.geometry.drawing.style import PLAIN, Style
from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import Scene


@dataclass(frozen=True)
class PlacedText:
    """A text and the middle of its line in data coordinates."""

    text: str
    position: Point
    size: float
    gid: str


@dataclass(frozen=True)
class Layout:
    """All that a script draws."""

    page: Page
    scene: Scene
    style: Style = PLAIN
    strokes: tuple[Stroke, ...] = ()
    arcs: tuple[AngleArc, ...] = ()
    dots: tuple[str, ...] = ()
    texts: tuple[PlacedText, ...] = ()
    curves: tuple[Stroke, ...] = ()
    """Lines that run on to the edges of the axes, and parabolas."""
    grid: tuple[tuple[Point, Point], ...] = ()


def preview(layout: Layout) -> Drawing:
    """The layout as a drawing, its texts with estimated boxes."""
    x0, y0, wide, tall = layout.page.window
    canvas = layout.page.canvas
    scene, style = layout.scene, layout.style
    lines = (Polyline((scene.points[p], scene.points[q]), width=style.line) for p, q in scene.segments)
    marks = (Polyline(stroke.points, width=style.aid if stroke.thin else style.mark) for stroke in layout.strokes)
    curves = (Polyline(stroke.points, width=style.line) for stroke in layout.curves)
    circles = (Arc((x, y), 2 * r, 2 * r, line_width=style.line) for x, y, r in scene.circles.values())
    arcs = (
        Arc(
            arc.centre,
            2 * arc.radius,
            2 * arc.radius,
            0.0,
            arc.start,
            arc.end,
            line_width=style.aid if arc.thin else style.mark,
        )
        for arc in layout.arcs
    )
    panel = Panel(
        (x0, x0 + wide),
        (y0, y0 + tall),
        (0.0, 0.0, float(canvas[0]), float(canvas[1])),
        (*lines, *curves, *marks),
        (*circles, *arcs),
        tuple(Dot(scene.points[name], style.dot) for name in layout.dots),
        tuple(_list_labels(layout)),
    )
    return Drawing((panel,), *canvas)


def _list_labels(layout: Layout) -> Iterator[Label]:
    per_pixel = 1 / layout.page.scale
    for text in layout.texts:
        (x, y), (width, height, _) = text.position, estimate_extent(text.text, text.size)
        # A recorded box is as high as the line of text, or higher where its letters are.
        half = max(height, text.size * PIXELS_PER_POINT) / 2 * per_pixel
        box = (x - width / 2 * per_pixel, y - half, x + width / 2 * per_pixel, y + half)
        yield Label(text.text, text.position, box, size=text.size)
