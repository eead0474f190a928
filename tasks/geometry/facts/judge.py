"""The facts of plane geometry: what can be asked of a fact, and of the places it names.

`canonicalise` gives all the names of one thing the same form (AB and BA, ABCD and CDAB), `residual` says how far
coordinates are from a fact, `judge` whether they show it, visibly break it, or neither, and `is_implied` whether a
fact says no more than others do. Nothing here knows of pictures; `measure` adds what only a drawing can show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.conditions import DISTINCT, compare_parts
from counterfoil.tasks.geometry.facts.expressions import is_symbolic, read_number, write_latex
from counterfoil.tasks.geometry.facts.orders import Arguments, one_angle
from counterfoil.tasks.geometry.facts.plane import PLANE_KINDS, normalise_plane, read_plane
from counterfoil.tasks.geometry.facts.predicates import MARKS, NUMERIC, PREDICATES, SHAPES
from counterfoil.tasks.geometry.facts.residuals import Circle, Place, Point, Residuals, Target

_REMEMBERED = 8192
"""Facts whose form and consequences are kept: work on one anchor asks for the same few over and over."""
TOLERANCE = 0.02
"""What counts as holding: 1.1 degrees or 2 % of a length."""
NUMERIC_SLACK = 1.5
"""Stated numbers are rounded: a length or an angle holds within this many times the tolerance."""
VISIBLE = 0.096
"""What a viewer sees: 5.5 degrees or 10 % of a length. Between the two a claim is neither shown nor broken."""


@dataclass(frozen=True)
class Coordinates:
    """Where the named points and circles are. ``unit`` is the coordinate length of one stated length unit."""

    points: Mapping[str, Point]
    circles: Mapping[str, Circle] = field(default_factory=dict)
    unit: float = 1.0

    @cached_property
    def extent(self) -> float:
        """The longer side of the box around all points and circles."""
        xs = [p[0] for p in self.points.values()] + [c[0] + s * c[2] for c in self.circles.values() for s in (-1, 1)]
        ys = [p[1] for p in self.points.values()] + [c[1] + s * c[2] for c in self.circles.values() for s in (-1, 1)]
        return max(max(xs) - min(xs), max(ys) - min(ys)) if xs else 0.0

    @cached_property
    def judged(self) -> dict[tuple[Fact, float, float], bool | None]:
        """What `judge` has said of this figure: many edits of one caption share most of their claims."""
        return {}


class FactError(ValueError):
    """A fact is malformed: unknown predicate, wrong number of arguments, or points named twice."""


def list_broader(shape: str) -> frozenset[str]:
    """The shapes that every ``shape`` also is, itself included: a square is a rectangle is a parallelogram."""
    found = {shape}
    for broader in PREDICATES[shape].broader:
        found |= list_broader(broader)
    return frozenset(found)


@lru_cache(maxsize=_REMEMBERED)
def find_problem(fact: Fact) -> str | None:
    """Why ``fact`` is malformed (fit for an error message), or None.

    >>> find_problem(Fact("length", ("A", "A"), "8"))
    'length(A, A) = 8: the same point is named twice'
    """
    predicate = PREDICATES.get(fact.predicate)
    if predicate is None:
        return f"{fact}: no such predicate"
    if not predicate.accepts(len(fact.arguments)):
        return f"{fact}: {len(fact.arguments)} arguments, expected {', '.join(predicate.roles)}"
    if predicate.value is not None and fact.value is None:
        return f"{fact}: needs a value"
    if predicate.value in PLANE_KINDS and read_plane(str(predicate.value), fact.value) is None:
        return f"{fact}: {fact.value!r} is no value of {predicate.name.replace('_', ' ')}"
    points = tuple(label for i, label in enumerate(fact.arguments) if predicate.role(i) == "p")
    if not predicate.differ(points):
        return f"{fact}: the same point is named twice"
    return None


@lru_cache(maxsize=_REMEMBERED)
def canonicalise(fact: Fact) -> Fact:
    """The one form of all the facts that say the same of the same things.

    Numbers are normalised too: ``8.0`` is ``8``.

    >>> canonicalise(Fact("square", ("C", "D", "A", "B")))
    Fact(predicate='square', arguments=('A', 'B', 'C', 'D'), value=None)

    Raises:
        FactError: the predicate is not in the table.
    """
    predicate = PREDICATES.get(fact.predicate)
    if predicate is None:
        raise FactError(find_problem(fact))
    value = fact.value
    if value is not None and predicate.value in PLANE_KINDS:
        value = normalise_plane(str(predicate.value), value)
    elif value is not None and predicate.value in NUMERIC:
        number = read_number(value)
        value = f"{number:.10g}" if number is not None else write_latex(value) if is_symbolic(value) else value
    if predicate.name == "mark_right":
        return Fact(predicate.name, min(one_angle(fact.arguments)))
    return Fact(predicate.name, min(predicate.forms(fact.arguments)), value)


def locate(fact: Fact, figure: Coordinates) -> list[Place] | None:
    """The places of the fact's arguments, or None where the figure lacks one of them."""
    roles = PREDICATES[fact.predicate].roles
    last = len(roles) - 1
    places: list[Place] = []
    for i, name in enumerate(fact.arguments):
        place = (figure.points if roles[min(i, last)][0] == "p" else figure.circles).get(name)
        if place is None:
            return None
        places.append(place)
    return places


def read_target(fact: Fact, unit: float = 1.0) -> Target | None:
    """The fact's number as residuals take it (lengths times ``unit``), 0 where it needs none, None for a symbol."""
    kind = PREDICATES[fact.predicate].value
    if kind in PLANE_KINDS:
        return read_plane(str(kind), fact.value)
    if kind not in NUMERIC:
        return 0.0
    number = read_number(fact.value)
    if number is None or number <= 0:
        return None
    return number * {"length": unit, "area": unit * unit}.get(str(kind), 1.0)


def residual(fact: Fact, figure: Coordinates) -> Residuals:
    """How far ``figure`` is from ``fact``: radians and logarithms of ratios; empty for a claim about a mark only.

    Raises:
        FactError: the fact is malformed or names what the figure does not have.
    """
    problem = find_problem(fact)
    places = locate(fact, figure) if problem is None else None
    if places is None:
        raise FactError(problem or f"{fact}: the figure has no such point or circle")
    target = read_target(fact, figure.unit)
    return () if target is None else PREDICATES[fact.predicate].residual(places, target)


def judge(fact: Fact, figure: Coordinates, tolerance: float = TOLERANCE, visible: float = VISIBLE) -> bool | None:
    """True where ``figure`` shows the fact, False where it visibly breaks it, None where neither can be said.

    A fact that names points which coincide or are not there is neither. A symbolic value is a claim about the
    drawn mark, which `figure.claims` judges; here it is neither.
    """
    key = (fact, tolerance, visible)
    try:
        # Asked for once: a fact's hash costs as much as a short judgement.
        return figure.judged[key]
    except KeyError:
        found = figure.judged[key] = _judge(fact, figure, tolerance, visible)
        return found


def _judge(fact: Fact, figure: Coordinates, tolerance: float, visible: float) -> bool | None:
    places = locate(fact, figure) if find_problem(fact) is None else None
    if places is None or _is_degenerate(fact, places, figure.extent):
        return None
    target = read_target(fact, figure.unit)
    if target is None:
        return None
    predicate = PREDICATES[fact.predicate]
    if predicate.truth is not None:
        return predicate.truth(places, target, tolerance, visible)
    if predicate.value in NUMERIC:
        tolerance *= NUMERIC_SLACK
    verdict = compare_parts(predicate.residual(places, target), tolerance, visible)
    if predicate.condition is None or verdict is None:
        return verdict
    condition = predicate.condition(places, target)
    if verdict is False:
        return False
    return condition


def holds(fact: Fact, figure: Coordinates, tolerance: float = TOLERANCE) -> bool:
    """Whether ``figure`` shows the fact within ``tolerance``."""
    return judge(fact, figure, tolerance) is True


def _is_degenerate(fact: Fact, places: Sequence[Place], extent: float) -> bool:
    near = DISTINCT * extent
    seen: dict[str, Place] = {}
    for name, place in zip(fact.arguments, places, strict=True):
        if len(place) == 3:
            if place[2] < near:
                return True
        elif name not in seen:
            for other in seen.values():
                if math.hypot(place[0] - other[0], place[1] - other[1]) < near:
                    return True
            seen[name] = place
    return False


@lru_cache(maxsize=_REMEMBERED)
def list_consequences(fact: Fact) -> frozenset[Fact]:
    """Facts in canonical form that ``fact`` says in other words or as a broader claim, itself included.

    Direct readings only (a square's rectangle, a mark's length, a right angle's perpendicular lines): not a prover.
    """
    found: set[Fact] = set()
    waiting = [canonicalise(fact)]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found.add(current)
        waiting += [canonicalise(further) for further in _list_direct(current)]
    return frozenset(found)


def _list_direct(fact: Fact) -> Iterator[Fact]:
    name, a, value = fact.predicate, fact.arguments, fact.value
    if name in SHAPES:
        yield from (Fact(broader, a) for broader in list_broader(name) - {name})
    if name == "regular_polygon" and len(a) in (3, 4):
        yield Fact("equilateral" if len(a) == 3 else "square", a)
    if name == "square":
        yield Fact("regular_polygon", a)
    if name == "equilateral":
        yield Fact("regular_polygon", a)
    if name in MARKS and PREDICATES[name].value in NUMERIC:
        yield Fact(str(PREDICATES[name].states), a, value)
    if name == "mark_right":
        yield Fact("angle", a, "90")
    if name == "angle" and value == "90":
        yield Fact("perpendicular", (a[0], a[1], a[1], a[2]))
    if name == "perpendicular" and len(shared := set(a[:2]) & set(a[2:])) == 1:
        (corner,) = shared
        p, q = sorted(set(a) - shared)
        yield Fact("angle", (p, corner, q), "90")
    yield from _list_parts(name, a)


def _list_parts(name: str, a: Arguments) -> Iterator[Fact]:
    """What the named relations say of lengths, lines and circles."""
    match name:
        case "midpoint":
            yield Fact("collinear", a)
            yield Fact("equal_length", (a[1], a[0], a[0], a[2]))
        case "diameter":
            yield Fact("chord", a)
        case "chord":
            yield Fact("on_circle", (a[0], a[2]))
            yield Fact("on_circle", (a[1], a[2]))
        case "bisector":
            yield Fact("equal_angle", (a[1], a[2], a[0], a[0], a[2], a[3]))
        case "median":
            b, c = (p for p in a[2:] if p != a[0])
            yield Fact("midpoint", (a[1], b, c))
        case "altitude":
            b, c = (p for p in a[2:] if p != a[0])
            yield Fact("perpendicular", (a[0], a[1], b, c))
        case "congruent":
            yield Fact("similar", a)
            half = len(a) // 2
            for i in range(half):
                j = (i + 1) % half
                if {a[i], a[j]} != {a[half + i], a[half + j]}:
                    yield Fact("equal_length", (a[i], a[j], a[half + i], a[half + j]))


def list_said(fact: Fact) -> Iterator[Fact]:
    """What a claim of a midpoint, a median, an altitude or a bisector says by its name: who says it besides says it
    twice. The lines of a right angle run to the foot from either end of the side.

    >>> [str(each) for each in list_said(Fact("median", ("C", "D", "A", "B", "C")))]
    ['midpoint(D, A, B)', 'equal_length(A, D, D, B)']
    """
    a = fact.arguments
    match fact.predicate:
        case "midpoint":
            yield Fact("equal_length", (a[1], a[0], a[0], a[2]))
        case "median":
            b, c = (p for p in a[2:] if p != a[0])
            yield Fact("midpoint", (a[1], b, c))
            yield Fact("equal_length", (b, a[1], a[1], c))
        case "altitude":
            yield from (Fact("perpendicular", (a[0], a[1], a[1], p)) for p in a[2:] if p not in a[:2])
        case "bisector":
            yield Fact("equal_angle", (a[1], a[2], a[0], a[0], a[2], a[3]))


def is_implied(fact: Fact, facts: Iterable[Fact]) -> bool:
    """Whether one of ``facts`` already says what ``fact`` says, under any name."""
    wanted = canonicalise(fact)
    return any(wanted in list_consequences(known) for known in facts)
