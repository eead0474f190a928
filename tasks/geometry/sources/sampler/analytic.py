"""Figures on axes: points at whole places, lines, segments, parabolas, circles, graphs of several pieces.

A figure is one thing after another, each beside or on what is there; some of what it shows is stated, the rest is read
off the axes. What can be asked is in `analytic_questions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.drawing.axes import trace_parabola
from counterfoil.tasks.geometry.facts.plane import QUADRANTS, write_expanded, write_plane
from counterfoil.tasks.geometry.facts.residuals import measure_distance, measure_gap
from counterfoil.tasks.geometry.figure.lattice import find_outside
from counterfoil.tasks.geometry.figure.scene import Scene, Segment, Window

Place = tuple[Fraction, Fraction]
LETTERS = "ABCDEFGHKLMNPQRSTUVW"
STATED = 0.55
"""How often the place of a point is stated; else it is read off the axes."""
_CLEAR = 0.75
"""Units that a point keeps from lines and curves that it is not on."""
_SLOPES = tuple((across, up) for across in (1, 2, 3) for up in (-3, -2, -1, 1, 2, 3) if math.gcd(across, up) == 1)
_FACTORS = (Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(-1, 2), Fraction(2), Fraction(-2))


@dataclass
class Chart:
    """A figure on axes while it is being drawn."""

    rng: np.random.Generator
    window: Window
    places: dict[str, Place] = field(default_factory=dict)
    segments: list[Segment] = field(default_factory=list)
    lines: list[Segment] = field(default_factory=list)
    parabolas: list[Segment] = field(default_factory=list)
    circles: dict[str, str] = field(default_factory=dict)
    """By the centre, a point on each."""
    graphs: list[tuple[str, ...]] = field(default_factory=list)
    triangles: list[tuple[str, ...]] = field(default_factory=list)
    middles: dict[str, Segment] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)

    @classmethod
    def open(cls, rng: np.random.Generator) -> Chart:
        """Axes of 9 to 14 units each way."""
        spans = []
        for _ in range(2):
            size = int(rng.integers(9, 15))
            low = -int(rng.integers(3, size - 2))
            spans += [low, low + size]
        return cls(rng, (spans[0], spans[1], spans[2], spans[3]))

    def pick(self, low: int, high: int) -> int:
        """A whole number, the last among them."""
        return int(self.rng.integers(low, high + 1))

    def toss(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def add_point(self, place: Place | None = None, letter: str = "") -> str:
        """A point at a place, or anywhere."""
        left, right, low, high = self.window
        x, y = place or (Fraction(self.pick(left + 1, right - 1)), Fraction(self.pick(low + 1, high - 1)))
        free = [each for each in LETTERS if each not in self.places]
        name = letter if letter and letter not in self.places else free[int(self.rng.integers(min(6, len(free))))]
        self.places[name] = (x, y)
        return name

    def join(self, p: str, q: str) -> None:
        if (p, q) not in self.segments and (q, p) not in self.segments:
            self.segments.append((p, q))

    def step(self, p: str) -> str:
        """A point some steps of a slope away from another."""
        x, y = self.places[p]
        across, up = _SLOPES[int(self.rng.integers(len(_SLOPES)))]
        times = self.pick(1, 3) * (1 if self.toss(0.5) else -1)
        return self.add_point((x + across * times, y + up * times))

    def find_slope(self, p: str, q: str) -> Fraction | None:
        (x, y), (u, v) = self.places[p], self.places[q]
        return None if x == u else (v - y) / (u - x)

    def find_level(self, p: str, q: str) -> Fraction | None:
        slope = self.find_slope(p, q)
        return None if slope is None else self.places[p][1] - slope * self.places[p][0]

    def state(self, predicate: str, *arguments: str, value: str | None = None) -> None:
        self.facts.append(Fact(predicate, arguments, value))

    def state_place(self, name: str) -> None:
        """Where a point is, or in which quadrant or on which axis, or nothing."""
        x, y = self.places[name]
        if self.toss(STATED):
            self.state("at", name, value=write_plane("place", (float(x), float(y))))
        elif x and y and self.toss(0.4):
            quadrant = (0 if x > 0 else 1) if y > 0 else (2 if x < 0 else 3)
            self.state("quadrant", name, value=QUADRANTS[quadrant])
        elif (x == 0) != (y == 0):
            self.state("on_y_axis" if x == 0 else "on_x_axis", name)

    def to_scene(self) -> Scene:
        points = {name: (float(x), float(y)) for name, (x, y) in sorted(self.places.items())}
        circles = {
            centre: (*points[centre], measure_distance(points[centre], points[rim]))
            for centre, rim in self.circles.items()
        }
        return Scene(
            points,
            tuple(self.segments),
            circles,
            (),
            tuple(dict.fromkeys(self.facts)),
            self.window,
            tuple(self.lines),
            tuple(self.parabolas),
        )


# Things


def line(chart: Chart) -> None:
    """A line through two points, with its slope, its equation, an intercept or nothing said of it."""
    p = chart.add_point()
    q = chart.step(p)
    chart.join(p, q)
    chart.lines.append((p, q))
    _state_line(chart, p, q)


def _state_line(chart: Chart, p: str, q: str) -> None:
    slope, level = chart.find_slope(p, q), chart.find_level(p, q)
    assert slope is not None and level is not None
    root = -level / slope
    left, right, low, high = chart.window
    way = chart.pick(0, 4)
    if way == 0:
        chart.state("slope", p, q, value=write_plane("signed", (float(slope),)))
    elif way == 1 and level.denominator == 1 and low <= level <= high:
        chart.state("line_equation", p, q, value=write_plane("line", (float(slope), float(level))))
        return
    elif way == 2 and level.denominator == 1 and low <= level <= high:
        chart.state("y_intercept", p, q, value=write_plane("signed", (float(level),)))
    elif way == 3 and root.denominator == 1 and left <= root <= right:
        chart.state("x_intercept", p, q, value=write_plane("signed", (float(root),)))
    chart.state_place(p)
    if way == 4:
        chart.state_place(q)


def segment(chart: Chart) -> None:
    p = chart.add_point()
    q = chart.step(p)
    chart.join(p, q)
    chart.state_place(p)
    chart.state_place(q)


def level_segment(chart: Chart) -> None:
    """A segment along one of the axes' directions."""
    p = chart.add_point()
    x, y = chart.places[p]
    reach = chart.pick(2, 6) * (1 if chart.toss(0.5) else -1)
    level = chart.toss(0.5)
    q = chart.add_point((x + reach, y) if level else (x, y + reach))
    chart.join(p, q)
    chart.state("horizontal" if level else "vertical", p, q)
    chart.state_place(p)


def triangle(chart: Chart) -> None:
    p = chart.add_point()
    q = chart.step(p)
    r = chart.step(p if chart.toss(0.5) else q)
    for one, other in combinations((p, q, r), 2):
        chart.join(one, other)
    chart.triangles.append((p, q, r))
    chart.state("triangle", p, q, r)
    for name in (p, q, r):
        chart.state_place(name)


def parallelogram(chart: Chart) -> None:
    p = chart.add_point()
    q, s = chart.step(p), chart.step(p)
    (x, y), (u, v), (a, b) = (chart.places[name] for name in (p, q, s))
    r = chart.add_point((u + a - x, v + b - y))
    for one, other in ((p, q), (q, r), (r, s), (s, p)):
        chart.join(one, other)
    chart.state("parallelogram", p, q, r, s)
    for name in (p, q, s):
        chart.state_place(name)


def circle(chart: Chart) -> None:
    """A circle about a point through another."""
    centre = chart.add_point(letter="O" if "O" not in chart.places else "")
    x, y = chart.places[centre]
    options = [(0, 2), (0, 3), (0, 4), (3, 4), (4, 3), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3)]
    dx, dy = options[int(chart.rng.integers(len(options)))]
    dx, dy = (dx, dy) if chart.toss(0.5) else (dy, dx)
    signs = [1 if chart.toss(0.5) else -1 for _ in range(2)]
    rim = chart.add_point((x + signs[0] * dx, y + signs[1] * dy))
    chart.circles[centre] = rim
    radius = math.isqrt(dx * dx + dy * dy)
    if radius * radius == dx * dx + dy * dy and chart.toss(0.5):
        chart.state("circle_equation", centre, value=write_plane("round", (float(x), float(y), radius)))
    else:
        chart.state_place(centre)
    chart.state("on_circle", rim, centre)
    if chart.toss(0.4):
        chart.join(centre, rim)
    chart.state_place(rim)


def parabola(chart: Chart) -> None:
    """A parabola of upright axis by its vertex and a point of it."""
    vertex = chart.add_point(letter="V")
    x, y = chart.places[vertex]
    factor = _FACTORS[int(chart.rng.integers(len(_FACTORS)))]
    reach = 2 * (1 if chart.toss(0.5) else -1)
    point = chart.add_point((x + reach, y + factor * 4), letter="P")
    chart.parabolas.append((vertex, point))
    if factor.denominator == 1 and chart.toss(0.5):
        expanded = write_expanded(int(factor), int(x), int(y))
        text = expanded if chart.toss(0.5) else write_plane("quadratic", (float(factor), float(x), float(y)))
        chart.state("quadratic", vertex, point, value=text)
    else:
        chart.state_place(vertex)
        chart.state_place(point)


def graph(chart: Chart) -> None:
    """The graph of a function of several straight pieces."""
    left, right, low, high = chart.window
    count = chart.pick(3, 4)
    xs = sorted(int(x) for x in chart.rng.choice(range(left + 1, right), count, replace=False))
    ys = [chart.pick(low + 1, high - 1) for _ in xs]
    names = [chart.add_point((Fraction(x), Fraction(y))) for x, y in zip(xs, ys, strict=True)]
    for one, other in pairwise(names):
        chart.join(one, other)
    chart.graphs.append(tuple(names))
    chart.state("graph", *names)
    for name in names:
        if chart.toss(0.5):
            chart.state_place(name)


def middle(chart: Chart) -> bool:
    """The midpoint of a segment."""
    free = [each for each in chart.segments if each not in chart.middles.values() and each not in chart.lines]
    if not free:
        return False
    p, q = free[int(chart.rng.integers(len(free)))]
    (x, y), (u, v) = chart.places[p], chart.places[q]
    name = chart.add_point(((x + u) / 2, (y + v) / 2), letter="M")
    chart.middles[name] = (p, q)
    chart.state("midpoint", name, p, q)
    return True


def parallel(chart: Chart) -> bool:
    return _lean(chart, "parallel")


def perpendicular(chart: Chart) -> bool:
    return _lean(chart, "perpendicular")


def _lean(chart: Chart, relation: str) -> bool:
    """A line through a new point, parallel or perpendicular to one that is there."""
    sloped = [each for each in chart.segments if chart.find_slope(*each) not in (None, 0)]
    if not sloped:
        return False
    p, q = sloped[int(chart.rng.integers(len(sloped)))]
    (x, y), (u, v) = chart.places[p], chart.places[q]
    whole = math.gcd(int(u - x), int(v - y)) or 1
    across, up = (u - x) / whole, (v - y) / whole
    if relation == "perpendicular":
        across, up = -up, across
    first = chart.add_point()
    a, b = chart.places[first]
    times = chart.pick(1, 3) * (1 if chart.toss(0.5) else -1)
    last = chart.add_point((a + across * times, b + up * times))
    chart.join(first, last)
    if chart.toss(0.6):
        chart.lines.append((first, last))
    chart.state(relation, p, q, first, last)
    chart.state_place(first)
    return True


def point(chart: Chart) -> None:
    chart.state_place(chart.add_point())


Thing = Callable[[Chart], bool | None]
THINGS: Mapping[Thing, float] = {
    line: 0.28,
    segment: 0.08,
    level_segment: 0.05,
    triangle: 0.13,
    parallelogram: 0.06,
    circle: 0.15,
    parabola: 0.15,
    graph: 0.1,
}
"""What starts a figure, and may be added to one, with how often."""
ADDED: tuple[Thing, ...] = (middle, parallel, perpendicular, point)
"""What needs something that is there, or no room."""


def draw_chart(rng: np.random.Generator, constructions: tuple[int, int]) -> tuple[Chart, list[str]] | None:
    """A figure of so many things, and their names; None where they found no room."""
    chart = Chart.open(rng)
    wanted = min(int(rng.integers(constructions[0], constructions[1] + 1)), 4)
    things, weights = list(THINGS), np.array(list(THINGS.values()))
    used: list[str] = []
    for at in range(wanted):
        pool = things if at == 0 or rng.random() < 0.45 else list(ADDED)
        odds = weights / weights.sum() if pool is things else None
        thing = pool[int(rng.choice(len(pool), p=odds))]
        if thing in (parabola, graph) and thing.__name__ in used:
            continue
        if thing(chart) is not False:
            used.append(thing.__name__)
    if len(used) < min(constructions[0], 2) or not is_clear(chart):
        return None
    return chart, used


def is_clear(chart: Chart) -> bool:
    """Whether all is within the axes, and no point next to another or to a line or curve that it is not on."""
    scene = chart.to_scene()
    if find_outside(scene) or not 2 <= len(scene.points) <= 9 or len(set(chart.places.values())) < len(chart.places):
        return False
    if any(measure_distance(p, q) < 1 for p, q in combinations(scene.points.values(), 2)):
        return False
    return all(_is_apart(name, chart, scene) for name in scene.points) and not _has_twins(chart)


def _is_apart(name: str, chart: Chart, scene: Scene) -> bool:
    place = scene.points[name]
    for p, q in scene.segments:
        if name in (p, q) or chart.middles.get(name) == (p, q):
            continue
        (x, y), (u, v) = scene.points[p], scene.points[q]
        if measure_gap(place, (x, y), (u, v)) < _CLEAR:
            return False
        runs_on = (p, q) in scene.lines
        if runs_on and abs((place[0] - x) * (v - y) - (place[1] - y) * (u - x)) / math.hypot(u - x, v - y) < _CLEAR:
            return False
    for centre, (x, y, radius) in scene.circles.items():
        on_it = name == chart.circles[centre]
        if not on_it and name != centre and abs(math.hypot(place[0] - x, place[1] - y) - radius) < _CLEAR:
            return False
    assert scene.axes is not None
    for vertex, other in scene.parabolas:
        trace = trace_parabola(scene.points[vertex], scene.points[other], scene.axes)
        if name not in (vertex, other) and min(measure_distance(place, each) for each in trace) < _CLEAR:
            return False
    return True


def _has_twins(chart: Chart) -> bool:
    """Whether two drawn lines lie on one another."""
    for (p, q), (s, t) in combinations(chart.segments, 2):
        (x, y), (u, v) = chart.places[p], chart.places[q]

        def side(name: str, x: Fraction = x, y: Fraction = y, u: Fraction = u, v: Fraction = v) -> Fraction:
            a, b = chart.places[name]
            return (a - x) * (v - y) - (b - y) * (u - x)

        if side(s) == side(t) == 0:
            return True
    return any(_is_flat(chart, each) for each in chart.triangles)


def _is_flat(chart: Chart, corners: tuple[str, ...]) -> bool:
    (x, y), (u, v), (a, b) = (chart.places[name] for name in corners)
    return abs((u - x) * (b - y) - (v - y) * (a - x)) < 3


def list_straight(chart: Chart) -> Iterator[Segment]:
    """The drawn lines that have a slope."""
    yield from (each for each in chart.segments if chart.find_slope(*each) is not None)
