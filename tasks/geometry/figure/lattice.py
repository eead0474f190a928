"""Making facts true of a figure on axes: points move from one whole place to another, as near as can be.

Least squares would leave points between the lines of the grid, and a glance would tell such a figure from those that
problems draw. So each point that a failing fact names is tried at the whole places around it, the one that helps most
is moved, and what depends on it (midpoints, the rims of circles) goes with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.plane import read_plane
from counterfoil.tasks.geometry.facts.predicates import PREDICATES
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance
from counterfoil.tasks.geometry.figure.scene import Scene

_MARGIN = 0.5
"""Units that points keep from the edges: a line that runs on is told by that it ends there."""
REACH = 6
"""Units by which a point is moved at most."""
_MOST_MOVES = 8
_FAILS = 1.0
"""What a failing fact costs beside what it is off by."""
_NEAR = 0.004
"""What a unit of way costs."""
ListFailing = Callable[[Scene, Sequence[Fact]], Sequence[tuple[Fact, float]]]


def find_outside(scene: Scene) -> str | None:
    """A point or circle of the scene that is not within its axes, or None."""
    if scene.axes is None:
        return None
    left, right, low, high = scene.axes
    for name, (x, y) in scene.points.items():
        if not (left + _MARGIN <= x <= right - _MARGIN and low + _MARGIN <= y <= high - _MARGIN):
            return name
    for name, (x, y, radius) in scene.circles.items():
        if not (left <= x - radius and x + radius <= right and low <= y - radius and y + radius <= high):
            return f"circle {name}"
    return None


def settle(scene: Scene, list_failing: ListFailing, facts: Sequence[Fact]) -> Scene:
    """The scene with its points moved until no fact fails, or none can be helped."""
    current = _follow(scene)
    for _ in range(_MOST_MOVES):
        failing = list_failing(current, facts)
        if not failing:
            break
        movers = sorted({name for fact, _ in failing for name in fact.arguments if name in scene.points})
        best, gained = current, 1e-9
        for name in movers:
            touched = [fact for fact in facts if name in fact.arguments or _hangs_on(fact, name, current)]
            now = _weigh(list_failing(current, touched))
            for place in _list_places(current, name):
                moved = _follow(_move(current, name, place), name)
                cost = _weigh(list_failing(moved, touched)) + _NEAR * measure_distance(place, scene.points[name])
                if now - cost > gained and find_outside(moved) is None:
                    best, gained = moved, now - cost
        resized = [_resize(current, fact) for fact, _ in failing if fact.predicate in ("circle_equation", "radius")]
        for other in (each for each in resized if each is not None):
            gain = _weigh(list_failing(current, facts)) - _weigh(list_failing(other, facts))
            if gain > gained and find_outside(other) is None:
                best, gained = other, gain
        if best is current:
            break
        current = best
    return current.rounded()


def _weigh(failing: Sequence[tuple[Fact, float]]) -> float:
    return sum(_FAILS + min(off, 2.0) for _, off in failing)


def _list_places(scene: Scene, name: str) -> list[Point]:
    assert scene.axes is not None
    left, right, low, high = scene.axes
    x, y = scene.points[name]
    middle = (round(x), round(y))
    taken = {place for other, place in scene.points.items() if other != name}
    around = ((middle[0] + dx, middle[1] + dy) for dx, dy in _list_steps())
    return [p for p in around if left <= p[0] <= right and low <= p[1] <= high and p not in taken]


@lru_cache(maxsize=1)
def _list_steps() -> tuple[tuple[int, int], ...]:
    side = range(-REACH, REACH + 1)
    steps = [(dx, dy) for dx in side for dy in side if 0 < math.hypot(dx, dy) <= REACH]
    return tuple(sorted(steps, key=lambda step: (math.hypot(*step), step)))


def _move(scene: Scene, name: str, place: Point) -> Scene:
    points = {**scene.points, name: (float(place[0]), float(place[1]))}
    circles = dict(scene.circles)
    if name in circles:
        circles[name] = (*points[name], circles[name][2])
    return replace(scene, points=points, circles=circles)


def _resize(scene: Scene, fact: Fact) -> Scene | None:
    """A circle of the size that is stated of it."""
    circle = fact.arguments[-1]
    numbers = read_plane("round", fact.value) if fact.predicate == "circle_equation" else None
    if numbers is None or circle not in scene.circles:
        return None
    x, y, _ = scene.circles[circle]
    return replace(scene, circles={**scene.circles, circle: (x, y, numbers[2])})


def _hangs_on(fact: Fact, name: str, scene: Scene) -> bool:
    """Whether a fact is about what moves with a point: its midpoints, or the circle around it or through it."""
    names = {*fact.arguments}
    for known in scene.facts:
        if known.predicate == "midpoint" and name in known.arguments[1:] and known.arguments[0] in names:
            return True
        if known.predicate == "on_circle" and name in known.arguments and known.arguments[1] in names:
            return True
    return any(PREDICATES[fact.predicate].role(i) == "c" and each == name for i, each in enumerate(fact.arguments))


def _follow(scene: Scene, mover: str | None = None) -> Scene:
    """Midpoints and rims where the facts of the scene put them once a point has moved."""
    points, circles = dict(scene.points), dict(scene.circles)
    for fact in scene.facts:
        if fact.predicate == "midpoint" and mover in fact.arguments[1:]:
            middle, p, q = fact.arguments
            points[middle] = tuple((a + b) / 2 for a, b in zip(points[p], points[q], strict=True))  # type: ignore[assignment]
    for name, rim in _list_rims(scene):
        if mover in (name, rim) and name in points:
            circles[name] = (*points[name], measure_distance(points[name], points[rim]))
    return replace(scene, points=points, circles=circles)


def _list_rims(scene: Scene) -> Iterator[tuple[str, str]]:
    """For each circle the first point that is stated to be on it."""
    seen = set()
    for fact in scene.facts:
        if fact.predicate == "on_circle" and fact.arguments[1] not in seen:
            seen.add(fact.arguments[1])
            yield fact.arguments[1], fact.arguments[0]
