"""A brush that writes SVG: shapes with an outline of one width, limbs, smooth blobs, and patterned main surfaces.

Its strokes are named, and take what they take, as the elements of assets do (see `tasks.caption.scenes.assets`).
Things are drawn in units of their own: the ground is y = 0, up is negative, and an upright thing is about 100 high.
What has the thing's own colour is painted with ``MAIN`` (and its ``LIGHT`` and ``DARK`` shades); all else names a
colour. So a red ball is red where a ball is red, and the drawing says nothing twice.

Points are given as ``"x,y x,y ..."`` or as pairs; paths in SVG's syntax, with absolute commands alone.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from counterfoil.tasks.caption.scenes.palette import Shades, mix, shade

MAIN, LIGHT, DARK = "main", "light", "dark"
Point = tuple[float, float]
Points = str | Sequence[Point]

_ROUND = 0.5523
"""Handles of Bezier curves that make a quarter of a circle."""
_PATTERNS = {
    "striped": '<pattern id="{id}" width="15" height="15" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(18)"><path d="M0 0H7V15H0Z" fill="{fill}"/></pattern>',
    "spotted": '<pattern id="{id}" width="17" height="17" patternUnits="userSpaceOnUse">'
    '<circle cx="4.5" cy="4.5" r="3.7" fill="{fill}"/><circle cx="13" cy="13" r="3.7" fill="{fill}"/></pattern>',
    "checked": '<pattern id="{id}" width="16" height="16" patternUnits="userSpaceOnUse">'
    '<path d="M0 0H8V8H0ZM8 8H16V16H8Z" fill="{fill}"/></pattern>',
}
_COMMANDS = re.compile(r"([MLQCTSAHVZ])([^MLQCTSAHVZ]*)")


@dataclass(frozen=True)
class Brush:
    """Collects the SVG of one thing.

    Attributes:
        colour: shades of the thing's own colour.
        pattern: of its main surfaces (a key of the patterns), or None for plain.
        pen: width of outlines in the thing's own units, so that all outlines of a picture are alike.
        name: makes the ids of this thing's patterns unique in the picture.
        rng: for the small differences between one dog and the next.
        looks: words for how the thing looks: its colour, pattern (or plain), posture and mood, and holding.
        origin, unit, mirrored: where this brush's (0, 0) is, how long its 1 is, and whether its right is the left.
    """

    colour: Shades
    pattern: str | None
    pen: float
    name: str
    rng: np.random.Generator
    looks: frozenset[str] = frozenset({"plain"})
    parts: list[str] = field(default_factory=list)
    defs: list[str] = field(default_factory=list)
    origin: Point = (0.0, 0.0)
    unit: float = 1.0
    mirrored: bool = False

    def at(self, x: float, y: float, unit: float = 1.0) -> Brush:
        """A brush for a part of the thing: its (0, 0) is this brush's (x, y), its 1 is ``unit`` of this one's."""
        return replace(self, origin=self._map(x, y), unit=self.unit * unit)

    def halves(self) -> Iterator[Brush]:
        """A brush for the left, mirrored, then one for the right: ears, eyes, wings."""
        yield replace(self, mirrored=not self.mirrored)
        yield self

    def path(self, d: str, fill: str = MAIN, stroke_width: float = 1.0) -> None:
        """A closed shape in SVG path syntax; ``stroke_width`` is the outline's in pens (0: none)."""
        self._write("".join(self._map_command(name, values) for name, values in _read_path(d)), fill, stroke_width)

    def ellipse(self, cx: float, cy: float, rx: float, ry: float, fill: str = MAIN, stroke_width: float = 1.0) -> None:
        x, y = self._map(cx, cy)
        rx, ry = rx * self.unit, ry * self.unit
        hx, hy = rx * _ROUND, ry * _ROUND
        self._write(
            f"M{_n(x - rx)} {_n(y)}C{_n(x - rx)} {_n(y - hy)} {_n(x - hx)} {_n(y - ry)} {_n(x)} {_n(y - ry)}"
            f"S{_n(x + rx)} {_n(y - hy)} {_n(x + rx)} {_n(y)}S{_n(x + hx)} {_n(y + ry)} {_n(x)} {_n(y + ry)}"
            f"S{_n(x - rx)} {_n(y + hy)} {_n(x - rx)} {_n(y)}Z",
            fill,
            stroke_width,
        )

    def circle(self, cx: float, cy: float, r: float, fill: str = MAIN, stroke_width: float = 1.0) -> None:
        self.ellipse(cx, cy, r, r, fill, stroke_width)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = MAIN,
        rx: float = 0,
        stroke_width: float = 1.0,
    ) -> None:
        """A rectangle whose top left corner is (x, y), with corners rounded by ``rx``."""
        ax, ay = self._map(x + width if self.mirrored else x, y)
        w, h = width * self.unit, height * self.unit
        r = min(rx * self.unit, w / 2, h / 2)
        if r:
            d = (
                f"M{_n(ax + r)} {_n(ay)}h{_n(w - 2 * r)}q{_n(r)} 0 {_n(r)} {_n(r)}v{_n(h - 2 * r)}"
                f"q0 {_n(r)} {_n(-r)} {_n(r)}h{_n(2 * r - w)}q{_n(-r)} 0 {_n(-r)} {_n(-r)}v{_n(2 * r - h)}"
                f"q0 {_n(-r)} {_n(r)} {_n(-r)}Z"
            )
        else:
            d = f"M{_n(ax)} {_n(ay)}h{_n(w)}v{_n(h)}h{_n(-w)}Z"
        self._write(d, fill, stroke_width)

    def polygon(self, points: Points, fill: str = MAIN, stroke_width: float = 1.0) -> None:
        self._write("M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in self._points(points)) + "Z", fill, stroke_width)

    def blob(self, points: Points, fill: str = MAIN, stroke_width: float = 1.0) -> None:
        """A smooth closed shape through the points (Catmull-Rom, as Bezier curves)."""
        placed = self._points(points)
        count = len(placed)
        d = [f"M{_n(placed[0][0])} {_n(placed[0][1])}"]
        d += [_smooth(*(placed[(i + k) % count] for k in (-1, 0, 1, 2))) for i in range(count)]
        self._write("".join(d) + "Z", fill, stroke_width)

    def cloud(
        self,
        cx: float,
        cy: float,
        rx: float,
        ry: float,
        bumps: int,
        fill: str = MAIN,
        stroke_width: float = 1.0,
        vary: float = 0.0,
    ) -> None:
        """A scalloped oval: wool, foliage, smoke; it may be wider or narrower by the share ``vary``."""
        if vary:
            rx *= 1 + vary * (2 * self.rng.random() - 1)
        x, y = self._map(cx, cy)
        rx, ry = rx * self.unit, ry * self.unit
        step = 2 * math.pi / bumps
        turn = self.rng.random() * step
        ring = [(x + rx * math.cos(turn + i * step), y + ry * math.sin(turn + i * step)) for i in range(bumps + 1)]
        d = [f"M{_n(ring[0][0])} {_n(ring[0][1])}"]
        for a, b in itertools.pairwise(ring):
            reach = 0.62 * math.dist(a, b)
            d.append(f"A{_n(reach)} {_n(reach)} 0 0 1 {_n(b[0])} {_n(b[1])}")
        self._write("".join(d) + "Z", fill, stroke_width)

    def limb(self, points: Points, width: float, fill: str = MAIN) -> None:
        """A leg, an arm, a pole: a thick line with round ends and an outline, smooth through its points."""
        shape = f'd="{_through(self._points(points))}" fill="none" stroke-linecap="round"'
        width *= self.unit
        self.parts.append(f'<path {shape} stroke="{self._ink(fill)}" stroke-width="{_n(width + self.pen)}"/>')
        self.parts.append(f'<path {shape} stroke="{self._paint(fill)}" stroke-width="{_n(width - self.pen)}"/>')

    def curve(self, points: Points, stroke: str = "ink", stroke_width: float = 1.0) -> None:
        """A line through the points, its width in pens: a mouth, a whisker, a string."""
        paint = self.colour.ink if stroke == "ink" else self._paint(stroke)
        self.parts.append(
            f'<path d="{_through(self._points(points))}" fill="none" stroke="{paint}" '
            f'stroke-width="{_n(stroke_width * self.pen)}" stroke-linecap="round"/>'
        )

    def shine(self, cx: float, cy: float, rx: float, ry: float, opacity: float = 0.4) -> None:
        """A soft highlight."""
        x, y = self._map(cx, cy)
        self.parts.append(
            f'<ellipse cx="{_n(x)}" cy="{_n(y)}" rx="{_n(rx * self.unit)}" ry="{_n(ry * self.unit)}" fill="#ffffff" '
            f'opacity="{opacity:g}"/>'
        )

    def take(self) -> str:
        """What was painted since the last take."""
        painted = "".join(self.parts)
        self.parts.clear()
        return painted

    def _map(self, x: float, y: float) -> Point:
        return self.origin[0] + (-x if self.mirrored else x) * self.unit, self.origin[1] + y * self.unit

    def _points(self, points: Points) -> list[Point]:
        pairs = _read_points(points) if isinstance(points, str) else points
        return [self._map(x, y) for x, y in pairs]

    def _map_command(self, name: str, values: tuple[float, ...]) -> str:
        if name == "A":
            rx, ry, turn, large, sweep, x, y = values
            ax, ay = self._map(x, y)
            sweep = 1 - sweep if self.mirrored else sweep
            return f"A{_n(rx * self.unit)} {_n(ry * self.unit)} {_n(turn)} {large:.0f} {sweep:.0f} {_n(ax)} {_n(ay)}"
        if name == "H":
            return f"H{_n(self._map(values[0], 0)[0])}"
        if name == "V":
            return f"V{_n(self._map(0, values[0])[1])}"
        pairs = (self._map(x, y) for x, y in zip(values[::2], values[1::2], strict=True))
        return name + " ".join(f"{_n(x)} {_n(y)}" for x, y in pairs)

    def _write(self, d: str, fill: str, width: float) -> None:
        paint = self._paint(fill)
        stroke = f' stroke="{self._ink(fill)}" stroke-width="{_n(self.pen * width)}"' if width else ""
        self.parts.append(f'<path d="{d}" fill="{paint}"{stroke}/>')
        if self.pattern and fill == MAIN:
            self.parts.append(f'<path d="{d}" fill="url(#{self._pattern_id()})"{stroke}/>')

    def _paint(self, fill: str) -> str:
        own = {MAIN: self.colour.base, LIGHT: self.colour.light, DARK: self.colour.dark}
        return own.get(fill) or shade(fill).base

    def _ink(self, fill: str) -> str:
        return self.colour.ink if fill in (MAIN, LIGHT, DARK) else shade(fill).ink

    def _pattern_id(self) -> str:
        assert self.pattern is not None
        identifier = f"{self.name}-{self.pattern}"
        if not self.defs:
            bright = sum(int(self.colour.base[i : i + 2], 16) for i in (1, 3, 5)) > 600
            fill = mix(self.colour.base, "#5a4a52", 0.5) if bright else mix(self.colour.base, "#ffffff", 0.82)
            self.defs.append(_PATTERNS[self.pattern].format(id=identifier, fill=fill))
        return identifier


@lru_cache(maxsize=4096)
def _read_points(text: str) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in (pair.split(",") for pair in text.split()))


@lru_cache(maxsize=1024)
def _read_path(d: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return tuple((name, tuple(map(float, values.split()))) for name, values in _COMMANDS.findall(d))


def _smooth(before: Point, a: Point, b: Point, after: Point) -> str:
    """The Bezier curve from ``a`` to ``b`` of a Catmull-Rom spline."""
    c1 = (a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6)
    c2 = (b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6)
    return f"C{_n(c1[0])} {_n(c1[1])} {_n(c2[0])} {_n(c2[1])} {_n(b[0])} {_n(b[1])}"


def _through(points: Sequence[Point]) -> str:
    """An open path: straight for two points, a quadratic bend for three, smooth through more."""
    head = f"M{_n(points[0][0])} {_n(points[0][1])}"
    if len(points) == 2:
        return f"{head}L{_n(points[1][0])} {_n(points[1][1])}"
    if len(points) == 3:
        (x0, y0), (x1, y1), (x2, y2) = points
        # The curve passes through the middle point at its half.
        cx, cy = 2 * x1 - (x0 + x2) / 2, 2 * y1 - (y0 + y2) / 2
        return f"{head}Q{_n(cx)} {_n(cy)} {_n(x2)} {_n(y2)}"
    padded = [points[0], *points, points[-1]]
    return head + "".join(_smooth(*padded[i : i + 4]) for i in range(len(points) - 1))


def _n(value: float) -> str:
    """A coordinate, short and without a negative zero."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
