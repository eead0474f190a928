"""Move a scene's points as little as possible so that its facts hold.

Used for reading (stated facts become exact) and after an edit (a perturbed figure looks like the original). The
residuals of `facts` are minimised by least squares from the old coordinates, with a weak pull towards them that is
then let go. Values with unknowns (``2x-14``) are claims about a mark and put no constraint on the figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median
from typing import NamedTuple

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts import residuals as r
from counterfoil.tasks.geometry.facts.duals import Dual
from counterfoil.tasks.geometry.facts.judge import TOLERANCE, canonicalise, judge, locate, read_target, residual
from counterfoil.tasks.geometry.facts.predicates import PREDICATES
from counterfoil.tasks.geometry.facts.residuals import Circle, Point, measure_gap
from counterfoil.tasks.geometry.figure.components import part_components
from counterfoil.tasks.geometry.figure.lattice import find_outside, settle
from counterfoil.tasks.geometry.figure.least_squares import FLAT, minimise
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError


class Stage(NamedTuple):
    """One least-squares search of several, each from where the one before it ended.

    ``pull`` is the weight of staying near, ``flat`` the share of the cost by which a step must lower it. Where the
    worst residual is still more than ``hopeless`` times the tolerance, the search is given up.
    """

    pull: float
    flat: float = FLAT
    hopeless: float = math.inf


NEAREST = (Stage(0.05), Stage(1e-3), Stage(1e-5))
"""Staying near counts first along with the facts, at last only where they leave a choice."""
EDITED = (Stage(0.05, 1e-3, hopeless=20.0), Stage(1e-3, 1e-3, hopeless=4.0), Stage(1e-5, 1e-3))
"""The same for facts of which many cannot be: of 2,003 edited captions the limits gave up none that has a figure. Steps
that hardly help end a stage: those are the ones of facts that cannot be, which would take all trials."""
ANY = (Stage(0.05, flat=1e-2, hopeless=20.0), Stage(1e-4, flat=1e-4))
"""Some figure, near or not: finds as many as `EDITED`, in two thirds of the time."""
_FAR = 0.4
_LEVEL = 1e-3
"""A fact that is off by more than the one and changes by less than the other per extent that a point moves."""
_KEPT = 4
"""Places of which the residuals are remembered."""
NUMERIC_WEIGHT = 0.5
"""Stated numbers are rounded, relations are not: where both cannot hold exactly, numbers give way."""


@dataclass(frozen=True)
class Solution:
    """A solved scene. ``failing`` lists the facts that still do not hold, worst first, with their residual."""

    scene: Scene
    failing: tuple[tuple[Fact, float], ...] = ()
    flaw: str | None = None
    """Why the figure is unusable although its facts may hold: points fell together, lines cross anew."""

    @property
    def solved(self) -> bool:
        return not self.failing and self.flaw is None

    @property
    def reason(self) -> str:
        """One line for a reject: the worst facts with their residuals, or the flaw."""
        if self.failing:
            return "; ".join(
                f"{fact} is {f'off by {off:.3f}' if off > 0.005 else 'degenerate'}" for fact, off in self.failing[:3]
            )
        return self.flaw or ""


def solve(
    scene: Scene,
    facts: Iterable[Fact] | None = None,
    tolerance: float = TOLERANCE,
    keep_layout: bool = True,
    restarts: int = 2,
    stages: Sequence[Stage] = NEAREST,
) -> Solution:
    """The scene with ``facts`` (by default its own facts and marks) made true, near its old coordinates.

    The result carries ``scene``'s facts and marks unchanged; pass an edited scene to solve for its edited facts.
    With ``keep_layout`` a figure whose lines cross where they did not, or whose points fall on foreign lines, is
    reported as a flaw. ``restarts`` is how often a dead end is shaken: none where a failure costs only time, but
    for a start from which no step leads on.
    ``stages`` says how near the figure must be.

    Raises:
        SceneError: a fact names what the scene does not have.
    """
    wanted = tuple(scene.claims if facts is None else facts)
    scene.check()
    if scene.axes:
        settled = settle(scene, lambda figure, facts: list_failing(figure, facts, tolerance), wanted)
        return Solution(settled, list_failing(settled, wanted, tolerance), find_flaw(scene, settled, keep_layout))
    start = _scale(scene, wanted)
    failing = list_failing(start, wanted, tolerance / 4)
    if not failing:
        return Solution(start.rounded())
    best: Scene | None = None
    least = float("inf")
    system = System(start, wanted)
    for spread in (0.0, 0.03, 0.1)[: 1 + max(restarts, system.is_stuck())]:
        moved = _minimise(start, system, spread, stages, tolerance)
        failing = list_failing(moved, wanted, tolerance)
        total = sum(off for _, off in failing)
        if best is None or total < least:
            best, least = moved, total
        if not failing:
            break
    assert best is not None
    best = part_components(start, best, wanted)
    solved = scene.with_coordinates(best.points, best.circles)
    flaw = find_flaw(start, solved, keep_layout)
    return Solution(solved, list_failing(solved, wanted, tolerance), flaw)


def list_failing(scene: Scene, facts: Iterable[Fact], tolerance: float = TOLERANCE) -> tuple[tuple[Fact, float], ...]:
    """Facts that the coordinates do not show, with their largest residual, worst first.

    Claims about marks alone (``mark_ticks``, symbolic values) cannot fail here.
    """
    failing = []
    for fact in facts:
        predicate = PREDICATES[fact.predicate]
        if read_target(fact) is None or predicate.group == "drawn":
            continue
        if predicate.residual is r.none and predicate.truth is None:
            continue
        if judge(fact, scene.coordinates, tolerance) is not True:
            parts = residual(fact, scene.coordinates)
            failing.append((fact, max((abs(part) for part in parts), default=0.0)))
    return tuple(sorted(failing, key=lambda pair: -pair[1]))


def find_flaw(old: Scene, new: Scene, keep_layout: bool = True) -> str | None:
    """Why ``new`` is no longer a readable figure of the kind that ``old`` is, or None."""
    extent = new.extent
    outside = find_outside(new)
    if outside:
        return f"{outside} leaves the axes"
    flat = next((curve for curve in new.parabolas if _is_flat(*(new.points[name] for name in curve))), None)
    if flat is not None:
        return f"no parabola has vertex {flat[0]} and passes through {flat[1]}"
    for (p, x), (q, y) in combinations(new.points.items(), 2):
        apart = 0.025 * extent
        if r.measure_distance(x, y) < min(apart, 0.5 * _relative(old, p, q) * extent + 1e-9):
            return f"points {p} and {q} fall together"
    for name, circle in new.circles.items():
        if not 0.02 * extent < circle[2] < 5 * extent:
            return f"circle {name} collapses"
    if min(_span(new, 0), _span(new, 1)) < 0.04 * extent <= 0.3 * min(_span(old, 0), _span(old, 1)):
        return "the figure collapses to a line"
    if not keep_layout:
        return None
    fresh = list_crossings(new) - list_crossings(old)
    if fresh:
        (p, q), (s, t) = sorted(fresh)[0]
        return f"{p}{q} and {s}{t} cross, which they did not"
    touching = list_touching(new) - list_touching(old, 0.03) - _list_stated_touches(new)
    if touching:
        label, (p, q) = sorted(touching)[0]
        return f"{label} falls on {p}{q}"
    return None


def _is_flat(vertex: Point, point: Point) -> bool:
    """Whether no upright parabola with this vertex runs through a point: it lies level with it, or above or below."""
    return min(abs(point[0] - vertex[0]), abs(point[1] - vertex[1])) < r.TINY


def list_crossings(scene: Scene) -> frozenset[tuple[tuple[str, str], tuple[str, str]]]:
    """Pairs of drawn segments without a common end that cross inside both."""
    places = scene.points
    found = set()
    for first, second in combinations(sorted(scene.segments), 2):
        if set(first) & set(second):
            continue
        p, q, s, t = (places[label] for label in (*first, *second))
        sides = (_side(p, q, s), _side(p, q, t), _side(s, t, p), _side(s, t, q))
        if sides[0] * sides[1] < 0 and sides[2] * sides[3] < 0 and min(map(abs, sides)) > 0.01:
            found.add((first, second))
    return frozenset(found)


def list_touching(scene: Scene, near: float = 0.012) -> frozenset[tuple[str, tuple[str, str]]]:
    """Points that lie on a drawn segment of which they are no end, within ``near`` of the extent."""
    limit = near * scene.extent
    return frozenset(
        (label, segment)
        for label, place in scene.points.items()
        for segment in scene.segments
        if label not in segment and measure_gap(place, *(scene.points[end] for end in segment)) < limit
    )


def _list_stated_touches(scene: Scene) -> frozenset[tuple[str, tuple[str, str]]]:
    """Points that a fact of the scene puts on the line of a segment."""
    chains = [set(fact.arguments) for fact in scene.facts if fact.predicate in ("collinear", "midpoint")]
    chains += [set(fact.arguments[:2]) | {fact.arguments[2]} for fact in scene.facts if fact.predicate == "diameter"]
    return frozenset(
        (label, segment)
        for segment in scene.segments
        for chain in chains
        if set(segment) <= chain
        for label in chain - set(segment)
    )


def _side(p: Point, q: Point, x: Point) -> float:
    """On which side of PQ X lies, as its distance in lengths of PQ."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    return (dx * (x[1] - p[1]) - dy * (x[0] - p[0])) / (dx * dx + dy * dy + r.TINY)


def _relative(scene: Scene, p: str, q: str) -> float:
    return r.measure_distance(scene.points[p], scene.points[q]) / (scene.extent + r.TINY)


def _span(scene: Scene, axis: int) -> float:
    numbers = [p[axis] for p in scene.points.values()]
    numbers += [c[axis] + sign * c[2] for c in scene.circles.values() for sign in (-1, 1)]
    return max(numbers) - min(numbers)


def _scale(scene: Scene, facts: Sequence[Fact]) -> Scene:
    """The figure in the unit that its stated lengths give (their median), unchanged where it states none."""
    ratios = []
    for fact in facts:
        if PREDICATES[fact.predicate].value != "length" or fact.predicate == "arc":
            continue
        target = read_target(fact)
        places = locate(fact, scene.coordinates)
        if target is None or not places:
            continue
        drawn = places[0][2] if len(places) == 1 else r.measure_distance(places[0], places[1])
        if drawn > 0:
            ratios.append(target / drawn)
    return rescale(scene, median(ratios)) if ratios else scene


def rescale(scene: Scene, factor: float) -> Scene:
    """All coordinates times ``factor``; stated values are left as they are."""
    points = {name: (p[0] * factor, p[1] * factor) for name, p in scene.points.items()}
    circles = {name: (c[0] * factor, c[1] * factor, c[2] * factor) for name, c in scene.circles.items()}
    return replace(scene, points=points, circles=circles)


class _Term(NamedTuple):
    """A fact in a system: its residuals, the places that it names, and its weight."""

    residual: r.Residual
    places: list[tuple[Dual, ...]]
    target: float
    weight: float


class System:
    """The residuals of a scene's facts and their Jacobian over one vector of unknown coordinates."""

    def __init__(self, scene: Scene, facts: Sequence[Fact]) -> None:
        self.extent = scene.extent or 1.0
        self.slots: dict[tuple[str, str], tuple[int, ...]] = {}
        values: list[float] = []
        for name, place in scene.points.items():
            self.slots["p", name] = (len(values), len(values) + 1)
            values += [place[0] / self.extent, place[1] / self.extent]
        for name, circle in scene.circles.items():
            if name in scene.points:
                self.slots["c", name] = (*self.slots["p", name], len(values))
                values.append(circle[2] / self.extent)
            else:
                self.slots["c", name] = (len(values), len(values) + 1, len(values) + 2)
                values += [part / self.extent for part in circle]
        self.start = np.array(values)
        self._known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        self.unknowns = [Dual(value, {i: 1.0}, i) for i, value in enumerate(values)]
        self.terms = list(self._list_terms(facts))

    def _list_terms(self, facts: Sequence[Fact]) -> Iterator[_Term]:
        """One term for facts that are the same equation, such as a length and its mark, with the weight of all."""
        places = {key: tuple(self.unknowns[i] for i in slot) for key, slot in self.slots.items()}
        squares: dict[tuple[r.Residual, tuple[tuple[str, str], ...], float], float] = {}
        for fact in dict.fromkeys(facts):
            predicate = PREDICATES[fact.predicate]
            target = read_target(fact, 1 / self.extent)
            if target is None or predicate.residual is r.none:
                continue
            function, arguments = predicate.residual, canonicalise(fact).arguments
            if fact.predicate == "tangent":
                function, arguments = _pick_tangent(fact, facts)
            elif fact.predicate == "perpendicular" and len(set(arguments)) == 3:
                function, arguments = r.right_angle, _find_corner(arguments)
            equation = (function, tuple((predicate.role(i), name) for i, name in enumerate(arguments)), target)
            weight = NUMERIC_WEIGHT if predicate.value in ("length", "angle") else 1.0
            squares[equation] = squares.get(equation, 0.0) + weight * weight
        for (function, keys, target), square in squares.items():
            yield _Term(function, [places[key] for key in keys], target, math.sqrt(square))

    def is_stuck(self) -> bool:
        """Whether a fact is as far from true at the start as can be, so that no small step makes it truer: a line that
        should be at right angles to itself."""
        if not self.terms:
            return False
        values, jacobian = self.linearise(self.start)
        return bool(np.any((np.abs(values) > _FAR) & (np.abs(jacobian).max(axis=1) < _LEVEL)))

    def linearise(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The residuals (m,) at ``x`` (n,) and their Jacobian (m, n), not to be written to: the last few are kept, as
        each stage starts where the one before it ended."""
        key = x.tobytes()
        known = self._known.get(key)
        if known is None:
            if len(self._known) == _KEPT:
                del self._known[next(iter(self._known))]
            known = self._known[key] = self._linearise(x)
        return known

    def _linearise(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for unknown, value in zip(self.unknowns, x.tolist(), strict=True):
            unknown.value = value
        width = len(x)
        parts: list[float] = []
        slopes: list[float] = []
        cells: list[int] = []
        for term in self.terms:
            weight = term.weight
            for part in term.residual(term.places, term.target):
                if type(part) is Dual:
                    row = len(parts) * width
                    cells += [row + i for i in part.slope]
                    slopes += [weight * share for share in part.slope.values()]
                    parts.append(weight * part.value)
                else:
                    # An inequality that holds.
                    parts.append(weight * part)
        jacobian = np.zeros(len(parts) * width)
        jacobian[cells] = slopes
        return np.array(parts), jacobian.reshape(len(parts), width)


def _find_corner(lines: tuple[str, ...]) -> tuple[str, str, str]:
    """The angle between two lines that share an end."""
    (corner,) = set(lines[:2]) & set(lines[2:])
    first, second = sorted(name for name in lines if name != corner)
    return first, corner, second


def _pick_tangent(fact: Fact, facts: Sequence[Fact]) -> tuple[r.Residual, tuple[str, ...]]:
    """Where a fact says in which point a tangent touches, its angle there; `residuals.tangent` would have to guess."""
    p, q, circle = fact.arguments
    for touching, other in ((p, q), (q, p)):
        if Fact("on_circle", (touching, circle)) in facts:
            return r.tangent_at, (touching, other, circle)
    return r.tangent, fact.arguments


def _minimise(scene: Scene, system: System, spread: float, stages: Sequence[Stage], tolerance: float) -> Scene:
    """Least squares in stages; ``spread`` first shakes the points (a share of the extent) out of a dead end."""
    if not system.terms:
        return scene
    origin = system.start
    x = origin.copy()
    if spread:
        x = x + np.random.Generator(np.random.PCG64(len(x))).normal(0.0, spread, len(x))
    for stage in stages:
        x = minimise(system.linearise, x, origin, stage.pull, stage.flat)
        if stage.hopeless < math.inf and np.abs(system.linearise(x)[0]).max() > stage.hopeless * tolerance:
            break
    return put_places(scene, system, x)


def put_places(scene: Scene, system: System, x: np.ndarray) -> Scene:
    """``scene`` with the coordinates of the unknowns ``x`` of ``system``."""
    values = (x * system.extent).tolist()
    points: dict[str, Point] = {}
    circles: dict[str, Circle] = {}
    for (kind, name), slot in system.slots.items():
        if kind == "p":
            points[name] = (values[slot[0]], values[slot[1]])
        else:
            circles[name] = (values[slot[0]], values[slot[1]], abs(values[slot[2]]))
    return replace(scene, points=points, circles=circles)


__all__ = [
    "SceneError",
    "Solution",
    "System",
    "find_flaw",
    "list_crossings",
    "list_failing",
    "list_touching",
    "put_places",
    "rescale",
    "solve",
]
