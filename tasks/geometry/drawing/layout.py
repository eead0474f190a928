"""A scene laid out on the page: window, strokes, marks and placed texts, after the drawing rules of MMCLIP Fig. 6.

Only what the scene states is drawn. Marks have sizes in pixels, so that they look the same whatever the unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from storage.rows import Fact
from tasks.geometry.drawing.labels import PIXELS_PER_POINT, Text, estimate_extent, place_texts
from tasks.geometry.facts.expressions import is_symbolic
from tasks.geometry.facts.residuals import Circle, Point, measure_distance
from tasks.geometry.figure.scene import Scene

SIZE = 512
"""Pixels of the picture's side."""
MARGIN = 58.0
NAME_SIZE, NUMBER_SIZE = 14.0, 11.0
ARC_RADIUS, ARC_STEP, SQUARE, TICK, DOT = 24.0, 4.5, 11.0, 6.0, 4.0
NUMBERS = ("mark_length", "mark_angle", "mark_arc")
"""The marks that ``markings = false`` leaves out (MMCLIP Table 5)."""

_DIRECTIONS = tuple((turn, math.cos(turn), math.sin(turn)) for turn in (2 * math.pi * step / 24 for step in range(24)))
"""The ways in which a name may stand from its point: radians, cosine, sine."""


@dataclass(frozen=True)
class Stroke:
    """A polyline in data coordinates; ``gid`` says which mark it belongs to."""

    points: tuple[Point, ...]
    gid: str


@dataclass(frozen=True)
class AngleArc:
    """An arc at a vertex: radius in data units, directions in degrees, counter-clockwise."""

    centre: Point
    radius: float
    start: float
    end: float
    gid: str


@dataclass(frozen=True)
class PlacedText:
    """A text and the centre of its box in data coordinates."""

    text: str
    position: Point
    size: float
    italic: bool
    gid: str


@dataclass(frozen=True)
class Layout:
    """All that a script draws. ``window`` is (x0, y0, side) in data coordinates."""

    window: tuple[float, float, float]
    scene: Scene
    strokes: tuple[Stroke, ...] = ()
    arcs: tuple[AngleArc, ...] = ()
    dots: tuple[str, ...] = ()
    texts: tuple[PlacedText, ...] = ()


def lay_out(scene: Scene, markings: bool = True) -> Layout:
    """Lay ``scene`` out. Without ``markings``, lengths, angles and arc measures are left out."""
    page = _Page.fit(scene)
    marks = [mark for mark in scene.marks if markings or mark.predicate not in NUMBERS]
    artist = _Artist(scene, page)
    for mark in sorted(marks, key=lambda mark: mark.predicate not in ("mark_right",)):
        artist.add_mark(mark)
    dots = tuple(_list_dots(scene))
    names = [artist.offer_name(label, label in dots) for label in scene.points]
    texts = names + [text for text, _ in artist.numbers]
    places = place_texts(texts, artist.list_obstacles(dots), SIZE)
    kinds = [(f"label {name}", True) for name in scene.points] + [(gid, False) for _, gid in artist.numbers]
    placed = tuple(
        PlacedText(text.text, page.to_data(place), text.size, italic, gid)
        for text, place, (gid, italic) in zip(texts, places, kinds, strict=True)
    )
    return Layout(page.window, scene, tuple(artist.strokes), tuple(artist.arcs), dots, placed)


@dataclass(frozen=True)
class _Page:
    """The map between data coordinates and pixels (y up)."""

    x0: float
    y0: float
    scale: float
    """Pixels per data unit."""

    @classmethod
    def fit(cls, scene: Scene) -> _Page:
        xs = [p[0] for p in scene.points.values()] + [c[0] + s * c[2] for c in scene.circles.values() for s in (-1, 1)]
        ys = [p[1] for p in scene.points.values()] + [c[1] + s * c[2] for c in scene.circles.values() for s in (-1, 1)]
        width, height = max(xs) - min(xs), max(ys) - min(ys)
        scale = (SIZE - 2 * MARGIN) / (max(width, height) or 1.0)
        x0 = (min(xs) + max(xs)) / 2 - SIZE / 2 / scale
        y0 = (min(ys) + max(ys)) / 2 - SIZE / 2 / scale
        return cls(x0, y0, scale)

    @property
    def window(self) -> tuple[float, float, float]:
        return (self.x0, self.y0, SIZE / self.scale)

    def to_pixels(self, p: Point) -> np.ndarray:
        return np.array([(p[0] - self.x0) * self.scale, (p[1] - self.y0) * self.scale])

    def to_data(self, pixels: Sequence[float] | np.ndarray) -> Point:
        return (float(pixels[0]) / self.scale + self.x0, float(pixels[1]) / self.scale + self.y0)


@dataclass
class _Artist:
    """Collects the strokes of marks and the texts that are to be placed."""

    scene: Scene
    page: _Page
    strokes: list[Stroke] = field(default_factory=list)
    arcs: list[AngleArc] = field(default_factory=list)
    numbers: list[tuple[Text, str]] = field(default_factory=list)
    radii: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    """Arcs already drawn at a vertex: (start, sweep, outer radius)."""

    def __post_init__(self) -> None:
        self.pixels = {name: self.page.to_pixels(p) for name, p in self.scene.points.items()}

    def add_mark(self, mark: Fact) -> None:
        gid = f"{mark.predicate.removeprefix('mark_')} {' '.join(mark.arguments)}"
        match mark.predicate:
            case "mark_length":
                self.numbers.append((self._offer_length(mark), gid))
            case "mark_angle":
                self._add_angle(mark, gid)
            case "mark_arcs":
                self._add_arcs(mark.arguments, max(1, int(mark.value or 1)), gid)
            case "mark_arc":
                self.numbers.append((self._offer_arc(mark), gid))
            case "mark_right":
                self._add_square(mark.arguments, gid)
            case "mark_ticks":
                self._add_ticks(mark.arguments, int(mark.value or 1), gid)
            case "mark_parallel":
                self._add_arrows(mark.arguments, int(mark.value or 1), gid)

    def _stroke(self, points: Sequence[np.ndarray], gid: str) -> None:
        self.strokes.append(Stroke(tuple(self.page.to_data(p) for p in points), gid))

    def _add_square(self, corner: Sequence[str], gid: str) -> None:
        p, q, r = (self.pixels[label] for label in corner)
        side = min(SQUARE, 0.35 * float(np.hypot(*(p - q))), 0.35 * float(np.hypot(*(r - q))))
        u, v = side * _unit(p - q), side * _unit(r - q)
        self._stroke((q + u, q + u + v, q + v), gid)
        start, sweep = _read_sweep(u, v)
        self.radii.setdefault(corner[1], []).append((start, sweep, side * 1.42))

    def _add_ticks(self, pair: Sequence[str], count: int, gid: str) -> None:
        p, q = (self.pixels[label] for label in pair)
        along = _unit(q - p)
        across = np.array([-along[1], along[0]]) * TICK
        for i in range(count):
            middle = (p + q) / 2 + along * (i - (count - 1) / 2) * 5
            self._stroke((middle - across, middle + across), gid)

    def _add_arrows(self, pair: Sequence[str], count: int, gid: str) -> None:
        p, q = sorted((self.pixels[label] for label in pair), key=lambda v: (round(v[0], 1), v[1]))
        along = _unit(q - p)
        across = np.array([-along[1], along[0]])
        # Beside the middle, where ticks are.
        for i in range(count):
            shift = (10 if np.hypot(*(q - p)) > 70 else 3) + 6 * (i - (count - 1) / 2) + 3
            tip = (p + q) / 2 + along * shift
            self._stroke((tip - 7 * along + 4.5 * across, tip, tip - 7 * along - 4.5 * across), gid)

    def _add_arcs(self, corner: Sequence[str], count: int, gid: str) -> float:
        """Draw ``count`` arcs and return the outermost radius, clear of arcs already at this vertex."""
        p, q, r = (self.pixels[label] for label in corner)
        start, sweep = _read_sweep(p - q, r - q)
        legs = min(float(np.hypot(*(p - q))), float(np.hypot(*(r - q))))
        narrow = 1.0 + max(0.0, (40 - sweep) / 40)
        radius = min(ARC_RADIUS * narrow, max(10.0, 0.4 * legs))
        for other_start, other_sweep, outer in self.radii.get(corner[1], ()):
            if _overlap(start, sweep, other_start, other_sweep) > 1:
                radius = max(radius, min(outer + ARC_STEP + 2, max(10.0, 0.75 * legs)))
        for i in range(count):
            size = (radius + i * ARC_STEP) / self.page.scale
            self.arcs.append(AngleArc(self.scene.points[corner[1]], size, start, start + sweep, gid))
        outer = radius + (count - 1) * ARC_STEP
        self.radii.setdefault(corner[1], []).append((start, sweep, outer))
        return outer

    def _add_angle(self, mark: Fact, gid: str) -> None:
        equal = next((m for m in self.scene.marks if m.predicate == "mark_arcs" and _same_angle(m, mark)), None)
        right = any(m.predicate == "mark_right" and _same_angle(m, mark) for m in self.scene.marks)
        if equal is not None or right:
            known = self.radii.get(mark.arguments[1], [])
            outer = known[-1][2] if known else ARC_RADIUS
        else:
            outer = self._add_arcs(mark.arguments, 1, gid)
        self.numbers.append((self._offer_angle(mark, outer), gid))

    def _offer_angle(self, mark: Fact, radius: float) -> Text:
        """Places along the bisector, from just outside the arc to where a narrow angle is wide enough."""
        text = write_number(mark.value or "", "angle")
        p, q, r = (self.pixels[label] for label in mark.arguments)
        start, sweep = _read_sweep(p - q, r - q)
        width, height = estimate_extent(text, NUMBER_SIZE)
        candidates, costs = [], []
        for turn in (0.5, 0.4, 0.6, 0.28, 0.72):
            direction = math.radians(start + turn * sweep)
            u = np.array([math.cos(direction), math.sin(direction)])
            reach = abs(u[0]) * width / 2 + abs(u[1]) * height / 2
            for further in (3, 7, 12, 18, 26, 36, 48, 62, 80, 100, 122, 146):
                candidates.append(q + u * (radius + reach + further))
                costs.append(further + 24 * abs(turn - 0.5))
            if radius > 1.6 * reach + 4:
                candidates.append(q + u * (radius * 0.55))
                costs.append(10 + 24 * abs(turn - 0.5))
        return Text(text, NUMBER_SIZE, np.array(candidates), np.array(costs, float))

    def _offer_length(self, mark: Fact) -> Text:
        """Places on both sides of the segment, near its middle first."""
        text = write_number(mark.value or "", "length")
        p, q = (self.pixels[label] for label in mark.arguments)
        along = _unit(q - p)
        across = np.array([-along[1], along[0]])
        width, height = estimate_extent(text, NUMBER_SIZE)
        reach = abs(across[0]) * width / 2 + abs(across[1]) * height / 2
        (px, py), (dx, dy), (ax, ay) = p.tolist(), (q - p).tolist(), across.tolist()
        candidates, costs = [], []
        inward = {side: 2 if self._is_inward(p, q, side * across) else 0 for side in (1, -1)}
        for share in (0.5, 0.44, 0.56, 0.37, 0.63, 0.3, 0.7, 0.24, 0.76):
            for side in (1, -1):
                for gap in (4, 7, 11, 16):
                    off = side * (reach + gap)
                    candidates.append((px + dx * share + ax * off, py + dy * share + ay * off))
                    costs.append(gap + 60 * abs(share - 0.5) + inward[side])
        return Text(text, NUMBER_SIZE, np.array(candidates), np.array(costs, float))

    def _is_inward(self, p: np.ndarray, q: np.ndarray, direction: np.ndarray) -> bool:
        middle = np.mean(list(self.pixels.values()), axis=0)
        return bool(np.dot(middle - (p + q) / 2, direction) > 0)

    def _offer_arc(self, mark: Fact) -> Text:
        """Places outside the circle beside the middle of the arc from P to Q, counter-clockwise."""
        text = write_number(mark.value or "", "angle")
        p, q, name = mark.arguments
        x, y, radius = self.scene.circles[name]
        centre, size = self.page.to_pixels((x, y)), radius * self.page.scale
        start = math.degrees(math.atan2(*(self.pixels[p] - centre)[::-1]))
        sweep = (math.degrees(math.atan2(*(self.pixels[q] - centre)[::-1])) - start) % 360
        width, height = estimate_extent(text, NUMBER_SIZE)
        candidates, costs = [], []
        for turn in (0.5, 0.42, 0.58, 0.34, 0.66, 0.25, 0.75):
            direction = math.radians(start + turn * sweep)
            u = np.array([math.cos(direction), math.sin(direction)])
            reach = abs(u[0]) * width / 2 + abs(u[1]) * height / 2
            for gap in (4, 8, 13, -reach * 2 - 4, -reach * 2 - 9):
                candidates.append(centre + u * (size + reach + gap))
                costs.append(abs(gap) + 40 * abs(turn - 0.5) + (6 if gap < 0 else 0))
        return Text(text, NUMBER_SIZE, np.array(candidates), np.array(costs, float))

    def offer_name(self, label: str, dotted: bool) -> Text:
        """Places around the point; those that point away from its lines first."""
        place = self.pixels[label]
        width, height = estimate_extent(label, NAME_SIZE)
        away = self._find_free_direction(label)
        (x, y), dot = place.tolist(), DOT / 2 if dotted else 0
        farthest = math.hypot(width, height) / 2
        candidates, costs = [], []
        for direction, cosine, sine in _DIRECTIONS:
            reach = min(width / 2 / max(abs(cosine), 1e-6), height / 2 / max(abs(sine), 1e-6), farthest)
            turned = abs((direction - away + math.pi) % (2 * math.pi) - math.pi)
            for gap in (3.5, 6, 9, 13, 18, 25, 33):
                off = reach + gap + dot
                candidates.append((x + cosine * off, y + sine * off))
                costs.append(1.6 * gap + 5 * turned)
        return Text(label, NAME_SIZE, np.array(candidates), np.array(costs, float))

    def _find_free_direction(self, label: str) -> float:
        """The middle of the widest gap between the lines at a point, in radians."""
        here = self.scene.points[label]
        directions = []
        for segment in self.scene.segments:
            ends = [self.scene.points[end] for end in segment]
            if label in segment or _lies_between(here, ends[0], ends[1]):
                directions += [math.atan2(e[1] - here[1], e[0] - here[0]) for e in ends if e != here]
        for circle in self.scene.circles.values():
            directions += list(_list_tangents(here, circle))
        if not directions:
            return math.pi / 4
        directions.sort()
        gaps = [(b - a, a) for a, b in zip(directions, [*directions[1:], directions[0] + 2 * math.pi], strict=True)]
        width, start = max(gaps)
        return start + width / 2

    def list_obstacles(self, dots: Sequence[str]) -> np.ndarray:
        """All strokes as segments (m, 4) in pixels: lines, circles, marks, and dots as small crosses."""
        rows: list[np.ndarray] = []
        for p, q in self.scene.segments:
            rows.append(np.concatenate([self.pixels[p], self.pixels[q]]))
        for circle in self.scene.circles.values():
            rows += _break_arc(self.page.to_pixels(circle[:2]), circle[2] * self.page.scale, 0, 360, 60)
        for arc in self.arcs:
            rows += _break_arc(self.page.to_pixels(arc.centre), arc.radius * self.page.scale, arc.start, arc.end, 8)
        for stroke in self.strokes:
            pixels = [self.page.to_pixels(p) for p in stroke.points]
            rows += [np.concatenate([a, b]) for a, b in pairwise(pixels)]
        for label in dots:
            reach = np.array([DOT / 2, 0])
            rows.append(np.concatenate([self.pixels[label] - reach, self.pixels[label] + reach]))
        return np.array(rows) if rows else np.zeros((0, 4))


def write_number(value: str, kind: str) -> str:
    r"""The text that is drawn for a value: ``60°``, ``(4y−10)°``, ``x+21``, ``$5\sqrt{3}$``."""
    if "\\" in value or "^" in value:
        degree = r"^{\circ}" if kind == "angle" else ""
        body = f"({value})" if kind == "angle" and is_symbolic(value) else value
        return f"${body}{degree}$"
    text = value.replace("-", "−")
    if kind != "angle":
        return text
    compound = is_symbolic(value) and any(sign in value for sign in "+-/")
    return f"({text})°" if compound else f"{text}°"


def _list_dots(scene: Scene) -> Iterator[str]:
    """Points that no line's end and no crossing shows: centres, points on a line or a circle."""
    for label, place in scene.points.items():
        through = 0
        for segment in scene.segments:
            if label in segment:
                through += 2
            elif _lies_between(place, scene.points[segment[0]], scene.points[segment[1]]):
                through += 1
        if through < 2:
            yield label


def _lies_between(x: Point, p: Point, q: Point) -> bool:
    return measure_distance(p, x) + measure_distance(x, q) <= measure_distance(p, q) * 1.0008


def _list_tangents(x: Point, circle: Circle) -> Iterator[float]:
    """Both directions of the circle at a point on it."""
    if abs(measure_distance(x, circle) - circle[2]) < 0.01 * circle[2]:
        radial = math.atan2(x[1] - circle[1], x[0] - circle[0])
        # The circle bends inwards, so the free side is outside.
        yield (radial + math.pi / 2 + 0.15 + math.pi) % (2 * math.pi) - math.pi
        yield (radial - math.pi / 2 - 0.15 + math.pi) % (2 * math.pi) - math.pi


def _unit(v: np.ndarray) -> np.ndarray:
    unit: np.ndarray = v / (np.hypot(*v) or 1.0)
    return unit


def _read_sweep(u: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """The start direction and sweep (under 180) in degrees of the angle between two rays."""
    first, second = (math.degrees(math.atan2(w[1], w[0])) for w in (u, v))
    sweep = (second - first) % 360
    return (first, sweep) if sweep <= 180 else (second, 360 - sweep)


def _overlap(start: float, sweep: float, other_start: float, other_sweep: float) -> float:
    """Degrees that two angles at one vertex share."""
    offset = (other_start - start) % 360
    shared = max(0.0, min(sweep, offset + other_sweep) - offset) if offset < sweep else 0.0
    return max(shared, min(sweep, offset + other_sweep - 360))


def _same_angle(first: Fact, second: Fact) -> bool:
    a, b = first.arguments, second.arguments
    return a[1] == b[1] and {a[0], a[2]} == {b[0], b[2]}


def _break_arc(centre: np.ndarray, radius: float, start: float, end: float, count: int) -> list[np.ndarray]:
    angles = np.radians(np.linspace(start, end, count + 1))
    points = centre + radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return [np.concatenate([a, b]) for a, b in pairwise(points)]


__all__ = ["PIXELS_PER_POINT", "SIZE", "AngleArc", "Layout", "PlacedText", "Stroke", "lay_out", "write_number"]
