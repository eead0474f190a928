"""Axes as a stranger reads them: two arrows named x and y, ticks, numerals and a grid, and the curves between them.

They are told from the figure before anything else is read of it. Where the numerals belie the ticks, or one stands at
no tick, there are no axes that anybody could read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from counterfoil.renderers.results import Label, Panel, Polyline
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance
from counterfoil.tasks.geometry.figure.scene import Segment, Window
from counterfoil.tasks.geometry.measuring.boxes import find_centre, find_ink_box
from counterfoil.tasks.geometry.measuring.ink import PageMap

NEAR = 2.0
"""Pixels by which a tick, a grid line or a curve's place may be off."""
_OFF_TICK = 4.0
"""Pixels by which a numeral's middle may be off its tick."""
_ASIDE = 44.0
"""Pixels from an axis within which its numerals and its name stand."""
_LONGEST_TICK = 14.0
_LIGHT = 0x90
"""From this brightness on a stroke is the grid's and not the figure's."""
_NUMERAL = re.compile(r"\$?[-−–]?\d{1,3}\$?")


class AxesError(ValueError):
    """Axes that nobody could read. The message says why."""


@dataclass(frozen=True)
class Plane:
    """What axes say of a picture: where the origin is in pixels, how long a unit is, and how far they reach."""

    origin: Point
    unit: float
    window: Window
    curves: tuple[tuple[float, float, float], ...] = field(default=())
    """Parabolas as a, b, c of ax² + bx + c, in units of the axes."""

    def to_units(self, p: Sequence[float]) -> Point:
        return ((p[0] - self.origin[0]) / self.unit, (p[1] - self.origin[1]) / self.unit)

    def is_on_edge(self, p: Sequence[float]) -> bool:
        """Whether a place in pixels is on the edge of what the axes span."""
        return any(
            abs(part - edge) * self.unit <= NEAR
            for axis, part in enumerate(self.to_units(p))
            for edge in self.window[2 * axis : 2 * axis + 2]
        )

    def find_lines(self, lines: Iterable[tuple[Point, Point, Sequence[str]]]) -> tuple[Segment, ...]:
        """The lines, by their ends and the letters on them, that run from edge to edge beyond their letters."""
        return tuple(
            (on_it[0], on_it[-1])
            for start, end, on_it in lines
            if len(on_it) > 1 and self.is_on_edge(start) and self.is_on_edge(end)
        )

    def name_curves(self, points: dict[str, Point]) -> tuple[Segment, ...]:
        """Each parabola by the letter at its vertex and each other letter on it; places are in units.

        A parabola without a letter at its vertex, or on it, is not named.
        """
        found: list[Segment] = []
        for a, b, c in self.curves:
            x = -b / (2 * a)
            top = (x, c - b * b / (4 * a))
            near = NEAR / self.unit
            vertex = next((name for name, p in points.items() if measure_distance(p, top) <= 2 * near), None)
            others = [
                name
                for name, (u, v) in points.items()
                if name != vertex and abs(a * u * u + b * u + c - v) <= near * (1 + abs(2 * a * u + b))
            ]
            found += [(vertex, name) for name in others if vertex is not None]
        return tuple(found)


def take_axes(panel: Panel) -> tuple[Panel, Plane | None]:
    """A panel without its axes, and what they say; as it is where there are none.

    Raises:
        AxesError: there are axes, but they contradict themselves.
    """
    page = PageMap.of(panel)
    names = {text: label for label in panel.labels if (text := label.text.strip("$ ")) in ("x", "y")}
    numerals = [label for label in panel.labels if _NUMERAL.fullmatch(label.text.strip())]
    if len(names) < 2 or len(numerals) < 4:
        return panel, None
    strokes = [(shape, [page.to_pixels(p) for p in shape.points]) for shape in panel.polylines]
    arms = [_find_axis(strokes, axis, find_centre(find_ink_box(names[name], page))) for axis, name in enumerate("xy")]
    if arms[0] is None or arms[1] is None:
        return panel, None
    origin = (arms[1][1][0][0], arms[0][1][0][1])
    read = [_read_numeral(label, page, origin) for label in numerals]
    unit = median(offset / number for _, number, offset in read if number)
    for _axis, number, offset in read:
        if abs(offset - number * unit) > _OFF_TICK:
            raise AxesError(f"the numeral {number} stands where {offset / unit:.2f} is")
    ticks: list[set[int]] = [set(), set()]
    gone = {id(arm[0]) for arm in arms if arm is not None}
    ends = [points[at] for arm in arms if arm for points in (arm[1],) for at in (0, -1)]
    for shape, points in strokes:
        if id(shape) in gone:
            continue
        tick = _read_tick(points, origin, unit)
        if tick is not None:
            ticks[tick[0]].add(tick[1])
        light = _is_light(shape) and _is_ruled(points, origin, unit)
        head = len(points) == 3 and any(measure_distance(points[1], end) <= NEAR for end in ends)
        if tick is not None or light or head:
            gone.add(id(shape))
    window = _find_window(ticks)
    for axis, number, _ in read:
        if number not in ticks[axis]:
            raise AxesError(f"the numeral {number} stands at no tick")
    plane = Plane(origin, unit, window)
    curves = [_fit(points, plane) for shape, points in strokes if id(shape) not in gone and len(points) > 8]
    texts = {id(label) for label in (*names.values(), *numerals)}
    return (
        replace(
            panel,
            polylines=tuple(shape for shape in panel.polylines if id(shape) not in gone),
            labels=tuple(label for label in panel.labels if id(label) not in texts),
        ),
        replace(plane, curves=tuple(curve for curve in curves if curve is not None)),
    )


def _find_axis(
    strokes: Sequence[tuple[Polyline, list[Point]]], axis: int, name: Point
) -> tuple[Polyline, list[Point]] | None:
    """The longest level (axis 0) or upright (1) stroke that ends near its name."""
    fitting = [
        (shape, points)
        for shape, points in strokes
        if len(points) == 2
        and abs(points[0][1 - axis] - points[1][1 - axis]) < 1
        and min(measure_distance(p, name) for p in points) <= _ASIDE
    ]
    return max(fitting, key=lambda found: measure_distance(*found[1]), default=None)


def _read_numeral(label: Label, page: PageMap, origin: Point) -> tuple[int, int, float]:
    """The axis of a numeral, its number, and where along the axis it stands, in pixels from the origin."""
    number = int(re.sub("[−–]", "-", label.text.strip("$ ")))
    box = find_ink_box(label, page)
    x, y = find_centre(box)
    across, up = x - origin[0], y - origin[1]
    axis = 0 if abs(up) < abs(across) else 1
    # A large numeral's middle is far from its axis, though its edge is near.
    half = (box[3 - axis] - box[1 - axis]) / 2
    if min(abs(across), abs(up)) > max(_ASIDE, half + _ASIDE / 2):
        raise AxesError(f"the numeral {number} stands at no axis")
    # A minus sign is as wide as a digit, so a numeral's middle is its tick.
    return axis, number, (across, up)[axis]


def _read_tick(points: Sequence[Point], origin: Point, unit: float) -> tuple[int, int] | None:
    """The axis and the number of a tick."""
    if len(points) != 2 or measure_distance(*points) > _LONGEST_TICK:
        return None
    middle = [(a + b) / 2 - o for a, b, o in zip(*points, origin, strict=True)]
    for axis in (0, 1):
        number = round(middle[axis] / unit)
        level = abs(points[0][axis] - points[1][axis]) < 0.5
        if level and number and abs(middle[axis] - number * unit) <= NEAR and abs(middle[1 - axis]) <= NEAR:
            return axis, number
    return None


def _is_light(shape: Polyline) -> bool:
    return min(int(shape.color[i : i + 2], 16) for i in (1, 3, 5)) >= _LIGHT if shape.color[:1] == "#" else False


def _is_ruled(points: Sequence[Point], origin: Point, unit: float) -> bool:
    """Whether a stroke is level or upright, through a whole number."""
    if len(points) != 2:
        return False
    return any(
        abs(points[0][axis] - points[1][axis]) < 0.5
        and abs((off := (points[0][axis] - origin[axis]) / unit) - round(off)) * unit <= NEAR
        for axis in (0, 1)
    )


def _find_window(ticks: Sequence[set[int]]) -> Window:
    for name, numbers in zip("xy", ticks, strict=True):
        if not numbers or min(numbers) >= 0 or max(numbers) <= 0:
            raise AxesError(f"the {name}-axis has no ticks on both sides of the origin")
        missing = {*range(min(numbers), max(numbers) + 1)} - {0} - numbers
        if missing:
            raise AxesError(f"the {name}-axis has no tick at {min(missing)}")
    return (min(ticks[0]), max(ticks[0]), min(ticks[1]), max(ticks[1]))


def _fit(points: Sequence[Point], plane: Plane) -> tuple[float, float, float] | None:
    """The parabola of upright axis through the places, or None."""
    xs, ys = np.array([plane.to_units(p) for p in points]).T
    if np.ptp(xs) < 0.5:
        return None
    a, b, c = np.polyfit(xs, ys, 2)
    steep = np.hypot(1.0, 2 * a * xs + b)
    off = np.abs(a * xs * xs + b * xs + c - ys) / steep
    if abs(a) < 0.02 or off.max() * plane.unit > NEAR / 2:
        return None
    return (float(a), float(b), float(c))
