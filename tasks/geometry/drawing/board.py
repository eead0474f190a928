"""A scene in pixels while it is being laid out: lines, rims, and the strokes and texts that are added."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from counterfoil.tasks.geometry.drawing.labels import Text
from counterfoil.tasks.geometry.drawing.page import Page
from counterfoil.tasks.geometry.drawing.style import Style
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance
from counterfoil.tasks.geometry.figure.scene import Scene

_ALONG = 0.05
"""How far apart directions of length 1 are at most that look like one."""


@dataclass(frozen=True)
class Stroke:
    """A polyline in data coordinates; ``gid`` says which mark it belongs to. Thin ones tie a number to its thing."""

    points: tuple[Point, ...]
    gid: str
    thin: bool = False


@dataclass(frozen=True)
class AngleArc:
    """An arc: radius in data units, directions in degrees, counter-clockwise."""

    centre: Point
    radius: float
    start: float
    end: float
    gid: str
    thin: bool = False


@dataclass
class Board:
    """The figure in pixels and what is drawn on it. Rows of arrays are (x0, y0, x1, y1)."""

    scene: Scene
    page: Page
    style: Style
    strokes: list[Stroke] = field(default_factory=list)
    arcs: list[AngleArc] = field(default_factory=list)
    texts: list[tuple[Text, str]] = field(default_factory=list)
    """With the group id of each."""

    def __post_init__(self) -> None:
        self.pixels = {name: self.page.to_pixels(p) for name, p in self.scene.points.items()}
        self.places = np.array(list(self.pixels.values()))
        self.lines = as_rows(np.concatenate([self.pixels[p], self.pixels[q]]) for p, q in self.scene.segments)
        rims = [
            break_arc(self.page.to_pixels(circle[:2]), circle[2] * self.page.scale, 0, 360, 60)
            for circle in self.scene.circles.values()
        ]
        self.rims = np.vstack(rims) if rims else np.zeros((0, 4))
        self.middle = self.places.mean(axis=0)
        self.things = np.vstack([self.lines, self.rims])
        """All that is in the way of an eye that goes from a number to its thing."""

    def draw(self, points: Sequence[np.ndarray], gid: str, thin: bool = False) -> None:
        """Add a stroke through pixel positions."""
        self.strokes.append(Stroke(tuple(self.page.to_data(p) for p in points), gid, thin))

    def draw_arc(
        self, centre: np.ndarray, radius: float, start: float, end: float, gid: str, thin: bool = False
    ) -> None:
        """Add an arc with its radius in pixels."""
        self.arcs.append(AngleArc(self.page.to_data(centre), radius / self.page.scale, start, end, gid, thin))

    def list_inner(self, p: str, q: str) -> list[str]:
        """Labelled points between P and Q on their line, in order."""
        a, b = self.scene.points[p], self.scene.points[q]
        inner = [name for name, x in self.scene.points.items() if name not in (p, q) and lies_between(x, a, b)]
        return sorted(inner, key=lambda name: measure_distance(a, self.scene.points[name]))

    def list_marks(self) -> np.ndarray:
        """The strokes and arcs that were added, as rows."""
        rows: list[np.ndarray] = []
        for arc in self.arcs:
            steps = max(8, int((arc.end - arc.start) / 10))
            rows.extend(
                break_arc(self.page.to_pixels(arc.centre), arc.radius * self.page.scale, arc.start, arc.end, steps)
            )
        for stroke in self.strokes:
            pixels = [self.page.to_pixels(p) for p in stroke.points]
            rows += [np.concatenate([a, b]) for a, b in pairwise(pixels)]
        return as_rows(rows)


def as_rows(rows: Iterable[np.ndarray]) -> np.ndarray:
    """Rows of four as one array, (0, 4) where there are none."""
    listed = list(rows)
    return np.array(listed) if listed else np.zeros((0, 4))


def break_arc(centre: np.ndarray, radius: float, start: float, end: float, count: int) -> np.ndarray:
    """An arc as ``count`` chords, one to a row."""
    angles = np.radians(np.linspace(start, end, count + 1))
    points = centre + radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.hstack([points[:-1], points[1:]])


def lies_between(x: Point, p: Point, q: Point) -> bool:
    """Whether X lies on the segment PQ."""
    return measure_distance(p, x) + measure_distance(x, q) <= measure_distance(p, q) * 1.0008


def list_dots(scene: Scene) -> Iterator[str]:
    """Points that no line's end, no corner and no crossing shows: centres, points on a line or a circle, and where
    lines end that lie along one another."""
    for label, place in scene.points.items():
        ways = list(_list_ways(scene, label, place))
        if not any(_is_shown(ways, way) for way in ways):
            yield label


def _list_ways(scene: Scene, label: str, place: Point) -> Iterator[Point]:
    """The directions of length 1 in which lines leave a point; two where one runs through it."""
    for p, q in scene.segments:
        if label not in (p, q) and not lies_between(place, scene.points[p], scene.points[q]):
            continue
        for name in (p, q):
            end = scene.points[name]
            far = measure_distance(place, end)
            if far:
                yield (end[0] - place[0]) / far, (end[1] - place[1]) / far


def _is_shown(ways: Sequence[Point], way: Point) -> bool:
    """Whether a line that leaves in this direction ends, as none goes on the other way, or another crosses it."""
    alone = all(measure_distance((-way[0], -way[1]), other) > _ALONG for other in ways)
    return alone or any(abs(way[0] * other[1] - way[1] * other[0]) > _ALONG for other in ways)


def find_unit(v: np.ndarray) -> np.ndarray:
    """The vector of length 1 in the direction of ``v``."""
    unit: np.ndarray = v / (np.hypot(*v) or 1.0)
    return unit


def turn_left(v: np.ndarray) -> np.ndarray:
    """``v`` turned by a right angle."""
    return np.array([-v[1], v[0]])


def point_at(centre: np.ndarray, radius: float, degrees: float) -> np.ndarray:
    """The point in a direction."""
    turn = math.radians(degrees)
    place: np.ndarray = centre + radius * np.array([math.cos(turn), math.sin(turn)])
    return place


def find_direction(v: np.ndarray) -> float:
    """The direction of a vector in degrees."""
    return math.degrees(math.atan2(v[1], v[0]))


def find_sweep(u: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """The start direction and sweep (up to 180) in degrees of the angle between two rays."""
    first, second = find_direction(u), find_direction(v)
    sweep = (second - first) % 360
    return (first, sweep) if sweep <= 180 else (second, 360 - sweep)


def measure_reach(direction: np.ndarray, width: float, height: float) -> float:
    """How far a box's middle must be from a line, across which ``direction`` points, for the box to touch it."""
    return float(abs(direction[0]) * width / 2 + abs(direction[1]) * height / 2)


def measure_way_out(direction: np.ndarray, width: float, height: float) -> float:
    """How far it is from a box's middle to its edge in a direction."""
    across, up = np.maximum(np.abs(direction), 1e-6)
    return float(min(width / 2 / across, height / 2 / up))
