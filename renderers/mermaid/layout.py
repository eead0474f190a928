"""A chart as an engine has placed it, before it is written as SVG. Pixels, y down, origin top left."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

from counterfoil.renderers.mermaid.labels import Line
from counterfoil.renderers.mermaid.protocol import MermaidError

Attributes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """One SVG shape of a node or cluster: its tag, geometry and the paint that differs from the style's."""

    tag: str
    geometry: Attributes
    paint: Attributes = ()
    dx: float = 0.0
    dy: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A label centred at (x, y): wrapped lines of runs, font size and colour (None: the style's)."""

    x: float
    y: float
    lines: tuple[Line, ...]
    size: float = 16.0
    line_height: float = 24.0
    fill: str | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A node or a cluster (subgraph)."""

    identifier: str
    x: float
    y: float
    shapes: tuple[Shape, ...]
    label: Text | None = None


@dataclass(frozen=True, slots=True)
class ArrowPath:
    """An arrow from border to border. ``start`` and ``end`` are its heads: '', point, circle or cross."""

    identifier: str
    path: tuple[Segment, ...]
    start: str = ""
    end: str = ""
    line: str = "normal"
    paint: Attributes = ()
    label: Text | None = None
    label_box: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Layout:
    width: float
    height: float
    nodes: tuple[Box, ...] = ()
    clusters: tuple[Box, ...] = ()
    arrows: tuple[ArrowPath, ...] = ()
    origin: tuple[float, float] = (0.0, 0.0)


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of a path: ``M`` (1 point), ``L`` (1) or ``C`` (3)."""

    command: str
    points: tuple[Point, ...] = field(default=())


_TOKEN = re.compile(r"([A-Za-z])|(-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_ARITY = {"M": 1, "L": 1, "C": 3}


def parse_path(d: str) -> tuple[Segment, ...]:
    """The segments of an absolute path of M, L and C commands.

    Raises:
        MermaidError: ``engine``, for another command or a malformed list.
    """
    segments: list[Segment] = []
    command = ""
    numbers: list[float] = []
    for letter, number in _TOKEN.findall(d):
        if letter:
            if numbers or letter not in _ARITY:
                raise MermaidError("engine", f"an arrow's path has a command we do not draw: {letter}")
            command = letter
        elif not command:
            raise MermaidError("engine", "an arrow's path does not begin with M")
        else:
            numbers.append(float(number))
            if len(numbers) == 2 * _ARITY[command]:
                points = tuple(zip(numbers[::2], numbers[1::2], strict=True))
                segments.append(Segment(command, points))
                numbers = []
                command = "L" if command == "M" else command
    if numbers or len(segments) < 2 or segments[0].command != "M":
        raise MermaidError("engine", "an arrow's path is too short or malformed")
    return tuple(segments)


_TRANSLATE = re.compile(r"translate\(\s*(-?[\d.eE+-]+)(?:[ ,]+(-?[\d.eE+-]+))?\s*\)")


def parse_translation(element: ElementTree.Element, engine: str) -> tuple[float, float]:
    """Where an element's ``transform`` moves it, in pixels; (0, 0) without one.

    Raises:
        MermaidError: ``engine``, for a transform that is no plain translation.
    """
    transform = element.get("transform")
    if not transform:
        return 0.0, 0.0
    match = _TRANSLATE.fullmatch(transform.strip())
    if match is None:
        raise MermaidError("engine", f"{engine} placed a shape by {transform[:60]!r}, which we do not draw")
    return float(match.group(1)), float(match.group(2) or 0)


def format_number(value: float) -> str:
    """Two decimals at most, no trailing zeros, no minus zero.

    >>> format_number(-0.001), format_number(12.5)
    ('0', '12.5')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def format_path(path: tuple[Segment, ...]) -> str:
    """The path as SVG path data."""
    return "".join(s.command + " ".join(f"{format_number(x)},{format_number(y)}" for x, y in s.points) for s in path)


def reverse_path(path: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """The same curve walked from its end to its start."""
    pen = [s.points[-1] for s in path]
    turned = [Segment("M", (pen[-1],))]
    for index in range(len(path) - 1, 0, -1):
        segment, target = path[index], pen[index - 1]
        inner = segment.points[:-1][::-1]
        turned.append(Segment(segment.command, (*inner, target)))
    return tuple(turned)


def move_end(path: tuple[Segment, ...], delta: float) -> tuple[Segment, ...]:
    """Lengthen (``delta`` > 0) or shorten the path at its end, along the curve; its direction there is kept."""
    if delta == 0:
        return path
    before, end = _last_direction(path)
    if delta > 0:
        length = math.dist(before, end) or 1.0
        ux, uy = (end[0] - before[0]) / length, (end[1] - before[1]) / length
        tip = (end[0] + ux * delta, end[1] + uy * delta)
        if path[-1].command == "L":
            return (*path[:-1], Segment("L", (tip,)))
        return (*path, Segment("L", (tip,)))
    return _shorten(path, -delta)


def _last_direction(path: tuple[Segment, ...]) -> tuple[Point, Point]:
    end = path[-1].points[-1]
    flat = [p for s in path for p in s.points]
    for point in reversed(flat[:-1]):
        if math.dist(point, end) > 1e-6:
            return point, end
    return (end[0], end[1] - 1.0), end


def _shorten(path: tuple[Segment, ...], amount: float) -> tuple[Segment, ...]:
    while len(path) > 1:
        last, pen = path[-1], path[-2].points[-1]
        hull = (pen, *last.points)
        length = math.dist(pen, last.points[-1]) if last.command == "L" else _cubic_length(hull)
        if length > amount:
            t = 1 - amount / length
            if last.command == "L":
                end = last.points[-1]
                cut: tuple[Point, ...] = ((pen[0] + (end[0] - pen[0]) * t, pen[1] + (end[1] - pen[1]) * t),)
            else:
                cut = _split_cubic(hull, t)
            return (*path[:-1], Segment(last.command, cut))
        amount -= length
        path = path[:-1]
    raise MermaidError("engine", "an arrow is shorter than its head")


def _cubic_length(hull: tuple[Point, ...]) -> float:
    points = flatten_cubic(hull, 8)
    return sum(math.dist(a, b) for a, b in itertools.pairwise(points))


def _split_cubic(hull: tuple[Point, ...], t: float) -> tuple[Point, ...]:
    def mix(a: Point, b: Point) -> Point:
        return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)

    p0, p1, p2, p3 = hull
    a, b, c = mix(p0, p1), mix(p1, p2), mix(p2, p3)
    d, e = mix(a, b), mix(b, c)
    return (a, d, mix(d, e))


def flatten_cubic(hull: tuple[Point, ...], steps: int) -> list[Point]:
    """``steps`` + 1 points on the cubic with the control points ``hull``."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = hull
    points = []
    for i in range(steps + 1):
        t = i / steps
        u = 1 - t
        a, b, c, d = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
        points.append((a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3))
    return points


def flatten_path(path: tuple[Segment, ...], steps: int = 8) -> list[Point]:
    """Points along the path, a few pixels apart, for distances."""
    points: list[Point] = []
    for segment in path:
        if segment.command == "C":
            points.extend(flatten_cubic((points[-1], *segment.points), steps)[1:])
        elif points:
            (x0, y0), (x1, y1) = points[-1], segment.points[-1]
            pieces = max(1, math.ceil(math.dist((x0, y0), (x1, y1)) / 8.0))
            points.extend((x0 + (x1 - x0) * i / pieces, y0 + (y1 - y0) * i / pieces) for i in range(1, pieces + 1))
        else:
            points.append(segment.points[-1])
    return points
