"""A scene: what a figure consists of, before and apart from any picture of it.

Coordinates are in the problem's own length unit (y up), so that AB = 8 is eight coordinate units long; a problem that
states no length is scaled to an extent of about ten. A scene is fully held in its facts, and so in an anchor's row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.judge import Coordinates, find_problem
from counterfoil.tasks.geometry.facts.predicates import MARKS, MEASURES, NUMBER_MARKS, PREDICATES
from counterfoil.tasks.geometry.facts.residuals import Circle, Point, measure_distance

Segment = tuple[str, str]
Window = tuple[int, int, int, int]
"""The least and the largest x, the least and the largest y."""


class SceneError(ValueError):
    """Facts do not make a scene: a malformed fact, or one that names what is not there."""


@dataclass(frozen=True)
class Scene:
    """Labelled points, drawn segments and circles, marks (``mark_*`` facts) and relational facts.

    A circle's name is its centre's label where the centre is labelled, otherwise ``c1``, ``c2``, ... . A segment is
    drawn once: where A, B, C lie on one line in this order, AC is a segment and AB and BC need not be.
    """

    points: Mapping[str, Point]
    segments: tuple[Segment, ...] = ()
    circles: Mapping[str, Circle] = field(default_factory=dict)
    marks: tuple[Fact, ...] = ()
    facts: tuple[Fact, ...] = ()
    axes: Window | None = None
    """The whole numbers between which axes are drawn; coordinates are then theirs, and nothing turns or shifts them."""
    lines: tuple[Segment, ...] = ()
    """Segments that run on at both ends, to the edges of the axes."""
    parabolas: tuple[Segment, ...] = ()
    """Parabolas of upright axis, each by its vertex and a point of it."""

    @cached_property
    def coordinates(self) -> Coordinates:
        """The places that `facts.judge` and `facts.residual` take."""
        return Coordinates(self.points, self.circles)

    @property
    def extent(self) -> float:
        """The longer side of the box around the figure, in coordinate units."""
        return self.coordinates.extent

    @property
    def claims(self) -> tuple[Fact, ...]:
        """All that the scene states and draws as a mark: facts first, then marks."""
        return self.facts + self.marks

    def drop_numbers(self) -> Scene:
        """The scene without lengths, angles and arc measures (``markings = false``); its shape stays."""
        marks = tuple(mark for mark in self.marks if mark.predicate not in NUMBER_MARKS.values())
        facts = tuple(fact for fact in self.facts if fact.predicate not in MEASURES)
        return replace(self, marks=marks, facts=facts)

    def to_facts(self) -> tuple[Fact, ...]:
        """The whole scene as facts; `from_facts` gives it back exactly."""
        return (
            *(Fact("point", (name,), write_numbers(place)) for name, place in self.points.items()),
            *(Fact("segment", segment) for segment in self.segments),
            *(Fact("circle", (name,), write_numbers(place)) for name, place in self.circles.items()),
            *([Fact("axes", (), write_numbers(self.axes))] if self.axes else ()),
            *(Fact("line", line) for line in self.lines),
            *(Fact("parabola", curve) for curve in self.parabolas),
            *self.marks,
            *self.facts,
        )

    @classmethod
    def from_facts(cls, facts: Iterable[Fact]) -> Scene:
        """The scene that `to_facts` wrote.

        Raises:
            SceneError: a fact is malformed or names a point or circle that no other fact places.
        """
        points: dict[str, Point] = {}
        circles: dict[str, Circle] = {}
        segments: list[Segment] = []
        marks: list[Fact] = []
        rest: list[Fact] = []
        axes: Window | None = None
        curves: dict[str, list[Segment]] = {"segment": segments, "line": [], "parabola": []}
        for fact in facts:
            problem = find_problem(fact)
            if problem:
                raise SceneError(problem)
            if fact.predicate == "point":
                points[fact.arguments[0]] = _read_point(fact)
            elif fact.predicate == "circle":
                circles[fact.arguments[0]] = _read_circle(fact)
            elif fact.predicate in curves:
                curves[fact.predicate].append((fact.arguments[0], fact.arguments[1]))
            elif fact.predicate == "axes":
                axes = _read_window(fact)
            else:
                (marks if fact.predicate in MARKS else rest).append(fact)
        lines, parabolas = tuple(curves["line"]), tuple(curves["parabola"])
        scene = cls(points, tuple(segments), circles, tuple(marks), tuple(rest), axes, lines, parabolas)
        scene.check()
        return scene

    def check(self) -> None:
        """Raise `SceneError` where a segment, mark or fact names what the scene does not have."""
        for first, second in self.segments:
            if first not in self.points or second not in self.points or first == second:
                raise SceneError(f"segment {first}{second}: needs two points of the scene")
        for name, known in (("line", self.lines), ("parabola", self.parabolas)):
            for first, second in known:
                if self.axes is None or not {first, second} <= self.points.keys():
                    raise SceneError(f"{name} {first}{second}: needs axes, and two points of the scene")
        for fact in self.claims:
            problem = find_problem(fact) or self._find_unknown(fact)
            if problem:
                raise SceneError(problem)

    def _find_unknown(self, fact: Fact) -> str | None:
        predicate = PREDICATES[fact.predicate]
        for i, name in enumerate(fact.arguments):
            if name not in (self.points if predicate.role(i) == "p" else self.circles):
                return f"{fact.predicate}({', '.join(fact.arguments)}): the scene has no {name}"
        return None

    def with_facts(self, facts: Iterable[Fact], marks: Iterable[Fact] | None = None) -> Scene:
        """The same figure with other facts (and marks, where given). Call `solve.solve` to make them true."""
        return replace(self, facts=tuple(facts), marks=self.marks if marks is None else tuple(marks))

    def with_coordinates(self, points: Mapping[str, Point], circles: Mapping[str, Circle] | None = None) -> Scene:
        """The same scene elsewhere: new places, rounded to a hundred-thousandth of the extent."""
        moved = replace(self, points=dict(points), circles=dict(self.circles if circles is None else circles))
        return moved.rounded()

    def rounded(self) -> Scene:
        """Coordinates rounded to a hundred-thousandth of the extent, the same on every machine."""
        digits = count_digits(self.extent)
        points = {name: (_round(p[0], digits), _round(p[1], digits)) for name, p in self.points.items()}
        circles: dict[str, Circle] = {}
        for name, c in self.circles.items():
            x, y = points.get(name, (_round(c[0], digits), _round(c[1], digits)))
            circles[name] = (x, y, _round(c[2], digits))
        return replace(self, points=points, circles=circles)

    def has_line(self, p: str, q: str) -> bool:
        """Whether drawn segments, one or several end to end on one line, join P and Q."""
        if (p, q) in self.segments or (q, p) in self.segments:
            return True
        if p == q or p not in self.points or q not in self.points:
            return False
        return _covers(self.points[p], self.points[q], [(self.points[a], self.points[b]) for a, b in self.segments])


def count_digits(extent: float) -> int:
    """Decimals that keep a hundred-thousandth of ``extent``."""
    digits = 5
    while extent >= 10 and digits > 0:
        extent /= 10
        digits -= 1
    while 0 < extent < 1 and digits < 12:
        extent *= 10
        digits += 1
    return digits


def write_numbers(numbers: Iterable[float]) -> str:
    """Numbers as a fact's value, exactly: ``"0.5 3"``."""
    return " ".join(repr(int(number)) if number == int(number) else repr(float(number)) for number in numbers)


def _round(number: float, digits: int) -> float:
    return round(float(number), digits) + 0.0


def _covers(p: Point, q: Point, strokes: Iterable[tuple[Point, Point]]) -> bool:
    """Whether the strokes on the line PQ cover it from P to Q without a gap."""
    length = measure_distance(p, q)
    if length == 0:
        return False
    ux, uy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
    near = 0.006 * length
    spans = []
    for a, b in strokes:
        off = [abs((e[0] - p[0]) * uy - (e[1] - p[1]) * ux) for e in (a, b)]
        # A long stroke may leave the line beyond P and Q; what counts is where it passes them.
        if max(off) > near + 0.006 * measure_distance(a, b):
            continue
        spans.append(sorted((e[0] - p[0]) * ux + (e[1] - p[1]) * uy for e in (a, b)))
    reached = near
    for low, high in sorted(spans):
        if low <= reached + near:
            reached = max(reached, high)
    return reached >= length - near


def _read_window(fact: Fact) -> Window:
    low_x, high_x, low_y, high_y = _read_numbers(fact, 4)
    window = (round(low_x), round(high_x), round(low_y), round(high_y))
    if window != (low_x, high_x, low_y, high_y) or not (window[0] < 0 < window[1] and window[2] < 0 < window[3]):
        raise SceneError(f"axes: {fact.value!r} are not whole numbers on both sides of 0")
    return window


def _read_point(fact: Fact) -> Point:
    numbers = _read_numbers(fact, 2)
    return (numbers[0], numbers[1])


def _read_circle(fact: Fact) -> Circle:
    numbers = _read_numbers(fact, 3)
    if numbers[2] <= 0:
        raise SceneError(f"circle {fact.arguments[0]}: radius {numbers[2]} is not positive")
    return (numbers[0], numbers[1], numbers[2])


def _read_numbers(fact: Fact, count: int) -> list[float]:
    try:
        numbers = [float(part) for part in (fact.value or "").split()]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise SceneError(f"{fact.predicate}({''.join(fact.arguments)}): {fact.value!r} is not {count} numbers")
    return numbers
