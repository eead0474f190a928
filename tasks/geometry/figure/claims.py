"""Whether a figure shows a claim, visibly breaks it, or neither: coordinates, strokes and written numbers together.

`facts.judge` measures coordinates. A claim of a caption is also about what is drawn: ``AB = 8`` is shown by the number
8 at AB and broken by the number 6 there, ``\\triangle ABC`` needs its three strokes, ``D lies on AB`` needs D between
A and B. The figure is a `Scene`: the one that wrote a script (for a cheap look ahead) or the one measured on a drawing
(for a verdict).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import is_symbolic, read_number
from counterfoil.tasks.geometry.facts.judge import VISIBLE, canonicalise, judge
from counterfoil.tasks.geometry.facts.names import find_meaning, list_named_segments
from counterfoil.tasks.geometry.facts.predicates import GROUP_MARKS, MEASURES, NUMBER_MARKS, PLANE, PREDICATES
from counterfoil.tasks.geometry.facts.residuals import compare, measure_angle, measure_distance
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.sizes import is_rounded, reads_same, state_in_degrees

_SAME = 1e-6
EQUAL_SIDED = frozenset(("equilateral", "rhombus", "square", "regular_polygon"))
CURVES = frozenset(("parabola", "quadratic"))
"""Claims about a parabola by its vertex and a point of it."""


def judge_claim(claim: Fact, figure: Scene) -> bool | None:
    """True where the figure shows ``claim``, False where a viewer sees that it is not so, None where neither is sure.

    A number counts as shown only where it is written in the figure.
    """
    if claim.predicate == "circle":
        return claim.arguments[0] in figure.circles
    if names_unknown(claim, figure):
        return None
    if lacks_circle(claim, figure):
        return False
    if any(name not in figure.points for i, name in enumerate(claim.arguments) if _is_point(claim, i)):
        return None
    if claim.predicate == "segment":
        return figure.has_line(claim.arguments[0], claim.arguments[1])
    if claim.predicate in MEASURES:
        return _judge_number(claim, figure)
    if claim.predicate in CURVES:
        return _judge_curve(claim, figure) if figure.axes else None
    if claim.predicate in PLANE and (figure.axes is None or not _is_drawn(claim, figure)):
        return None
    shown = judge(claim, figure.coordinates)
    if claim.predicate in ("triangle", "quadrilateral"):
        # Three points that are no polygon's drawn corners are the corners of one all the same.
        return None if shown and not _is_drawn(claim, figure) else shown
    if claim.predicate == "collinear" and len(claim.arguments) == 3 and shown:
        return _judge_between(claim, figure)
    if claim.predicate == "intersection" and shown and not _do_strokes_meet(claim, figure):
        return None
    return shown


def _judge_curve(claim: Fact, figure: Scene) -> bool | None:
    """A parabola is there, through the point and with its vertex, and is what is said of it."""
    vertex, point = claim.arguments
    if (vertex, point) not in figure.parabolas:
        return False if figure.parabolas else None
    return True if claim.predicate == "parabola" else judge(claim, figure.coordinates)


def _is_drawn(claim: Fact, figure: Scene) -> bool:
    """Whether the lines that a claim is about are there; one that names a point twice is about no line."""
    return all(len(pair) == 2 and figure.has_line(*sorted(pair)) for pair in list_named_segments(claim))


def find_broken(claims: Iterable[Fact], figure: Scene) -> tuple[Fact, ...]:
    """The claims that the figure visibly breaks."""
    return tuple(claim for claim in claims if judge_claim(claim, figure) is False)


def find_unshown(claims: Iterable[Fact], figure: Scene) -> tuple[Fact, ...]:
    """The claims that the figure does not show, be they broken or open."""
    return tuple(claim for claim in claims if judge_claim(claim, figure) is not True)


def list_marks_of(claim: Fact, figure: Scene) -> tuple[Fact, ...]:
    """The numbers written at what ``claim`` measures: a segment, angle or arc, a polygon's sides, a circle's radii."""
    lengths = [mark for mark in figure.marks if mark.predicate == "mark_length"]
    if claim.predicate == "side_length":
        return tuple(mark for mark in lengths if frozenset(mark.arguments) in list_named_segments(claim))
    if claim.predicate == "radius":
        return tuple(_list_radii(claim.arguments[0], lengths, figure))
    kind = NUMBER_MARKS.get(claim.predicate)
    if kind is None:
        return ()
    place = canonicalise(Fact(kind, claim.arguments, "1")).arguments
    return tuple(mark for mark in figure.marks if mark.predicate == kind and canonicalise(mark).arguments == place)


def _list_radii(circle: str, lengths: Iterable[Fact], figure: Scene) -> Iterator[Fact]:
    """The numbers at radii of the circle, and half of those at its diameters."""
    for mark in lengths:
        if judge(Fact("radial", (*mark.arguments, circle)), figure.coordinates):
            yield mark
        number = read_number(mark.value)
        if number is not None and judge(Fact("diameter", (*mark.arguments, circle)), figure.coordinates):
            yield replace(mark, value=f"{number / 2:.10g}")


def _is_point(claim: Fact, index: int) -> bool:
    return PREDICATES[claim.predicate].role(index) == "p"


def _judge_between(claim: Fact, figure: Scene) -> bool | None:
    start, inner, end = (figure.points[name] for name in claim.arguments)
    whole = measure_distance(start, end)
    beyond = max(measure_distance(start, inner), measure_distance(inner, end)) - whole
    return True if beyond <= 0.001 * whole else False if beyond > VISIBLE * whole else None


def _do_strokes_meet(claim: Fact, figure: Scene) -> bool:
    """Whether neither of two drawn lines ends before the point where they are said to meet."""
    meeting, *ends = claim.arguments
    for first, last in (ends[:2], ends[2:]):
        between = _judge_between(Fact("collinear", (first, meeting, last)), figure)
        drawn = figure.has_line(first, last) and (first, last) not in figure.lines and (last, first) not in figure.lines
        if drawn and not between and not figure.has_line(first, meeting) and not figure.has_line(last, meeting):
            return False
    return True


def _judge_number(claim: Fact, figure: Scene) -> bool | None:
    claim = state_in_degrees(claim)
    written = list_marks_of(claim, figure)
    if any(reads_same(mark.value, claim.value) for mark in written):
        return None if judge(claim, figure.coordinates) is False else True
    if any(_may_be(mark, claim) for mark in written):
        return None
    contradicted = any(_contradicts(mark, claim) for mark in written)
    if is_symbolic(claim.value):
        # Between things of one size expressions may be exchanged: each is then equal to the other, by what is shown.
        as_large = [_is_as_large(mark, claim, figure) for mark in _list_alike(claim, figure)]
        return None if (any(as_large) if contradicted else all(as_large)) else False
    if contradicted:
        return False
    if claim.predicate == "angle" and _has_right_mark(claim, figure) and read_number(claim.value) is not None:
        return judge(claim, figure.coordinates)
    if claim.predicate not in ("angle", "arc") and not _has_unit(figure):
        return None
    return False if judge(claim, figure.coordinates) is False else None


def _may_be(mark: Fact, claim: Fact) -> bool:
    """Whether what is written may be the number that is claimed: rounded, an expression of it, the rest of a turn."""
    number, written = read_number(claim.value), read_number(mark.value)
    if number is None:
        return False
    if written is None:
        return is_symbolic(mark.value)
    return is_rounded(mark.value, claim.value) or (claim.predicate == "arc" and abs(number + written - 360) < _SAME)


def _contradicts(mark: Fact, claim: Fact) -> bool:
    """Two readings of one thing disagree, unless one is a number and the other an expression that may equal it."""
    return is_symbolic(mark.value) == is_symbolic(claim.value)


def _has_right_mark(claim: Fact, figure: Scene) -> bool:
    place = canonicalise(Fact("mark_right", claim.arguments)).arguments
    return any(each.predicate == "mark_right" and canonicalise(each).arguments == place for each in figure.marks)


def _has_unit(figure: Scene) -> bool:
    return any(mark.predicate == "mark_length" and read_number(mark.value) is not None for mark in figure.marks)


def _list_alike(claim: Fact, figure: Scene) -> list[Fact]:
    """Where the figure writes what ``claim`` says of a length, angle or arc, be it at another one."""
    kind = NUMBER_MARKS.get(claim.predicate)
    return [mark for mark in figure.marks if mark.predicate == kind and reads_same(mark.value, claim.value)]


def _is_as_large(mark: Fact, claim: Fact, figure: Scene) -> bool:
    """Whether no viewer sees a difference in size between what ``mark`` is written at and what ``claim`` is about."""
    first, second = _measure_fact(claim, figure), _measure_fact(mark, figure)
    if claim.predicate == "length":
        return abs(compare(first, second)) <= VISIBLE
    return abs(first - second) <= VISIBLE


def _measure_fact(fact: Fact, figure: Scene) -> float:
    if fact.predicate in ("length", "mark_length"):
        return measure_distance(*(figure.points[name] for name in fact.arguments))
    if fact.predicate in ("angle", "mark_angle"):
        return measure_angle(*(figure.points[name] for name in fact.arguments))
    p, q, circle = fact.arguments
    return measure_angle(figure.points[p], figure.circles[circle], figure.points[q])


def measure_claim(claim: Fact, figure: Scene) -> float:
    """The length in the figure's unit, or the angle in degrees, that ``claim`` is about."""
    size = _measure_fact(claim, figure)
    return size if claim.predicate == "length" else math.degrees(size)


def list_meanings(claims: Iterable[Fact]) -> frozenset[Fact]:
    """Claims each in one form, for telling whether two captions say the same."""
    return frozenset(find_meaning(claim) for claim in claims)


def count_measured(claims: Iterable[Fact]) -> int:
    """How many segments, angles and arcs are given a number.

    >>> count_measured([Fact("length", ("A", "B"), "5"), Fact("length", ("B", "A"), "x")])
    1
    """
    return len({canonicalise(replace(claim, value="1")) for claim in claims if claim.predicate in NUMBER_MARKS})


def count_needless(claims: Iterable[Fact]) -> int:
    """How many claims a shape with equal sides makes already: that two sides are equal, an angle of 60 degrees.

    >>> triangle = Fact("equilateral", ("A", "B", "C"))
    >>> count_needless([triangle, Fact("equal_length", ("B", "A", "A", "C")), Fact("angle", ("A", "C", "B"), "60")])
    2
    """
    claims = tuple(claims)
    rings = [claim.arguments for claim in claims if claim.predicate in EQUAL_SIDED]
    sided = [{frozenset((ring[i - 1], ring[i])) for i in range(len(ring))} for ring in rings]
    pairs = [claim.arguments for claim in claims if claim.predicate == "equal_length"]
    equal = sum(any({frozenset(a[:2]), frozenset(a[2:])} <= sides for sides in sided) for a in pairs)
    thirds = {frozenset(claim.arguments) for claim in claims if claim.predicate == "equilateral"}
    angles = [c for c in claims if c.predicate == "angle" and c.value is not None and read_number(c.value) == 60]
    return equal + sum(frozenset(each.arguments) in thirds for each in angles)


def find_unknown(claims: Iterable[Fact], figure: Scene) -> tuple[Fact, ...]:
    """The claims that name a point or circle which the figure does not have."""
    return tuple(claim for claim in claims if names_unknown(claim, figure))


def names_unknown(claim: Fact, figure: Scene) -> bool:
    """Whether the claim names a letter that the figure does not have."""
    return any(name not in figure.points and name not in figure.circles for name in claim.arguments)


def lacks_circle(claim: Fact, figure: Scene) -> bool:
    """Whether the claim is about a circle around a point that has none: ``A lies on \\odot B``."""
    role = PREDICATES[claim.predicate].role
    return any(role(i) == "c" and name not in figure.circles for i, name in enumerate(claim.arguments))


def find_overdrawn(figure: Scene) -> tuple[Fact, ...]:
    """Numbers, right-angle squares, ticks and arcs that the figure bears although its lines are not so."""
    numbers = [
        Fact(name, mark.arguments, mark.value)
        for name, kind in NUMBER_MARKS.items()
        for mark in figure.marks
        if mark.predicate == kind
    ]
    squares = [mark for mark in figure.marks if mark.predicate == "mark_right"]
    false = [fact for fact in (*numbers, *squares) if judge(fact, figure.coordinates) is False]
    for kind, relation in GROUP_MARKS.items():
        groups = [mark for mark in figure.marks if mark.predicate == kind]
        false += [
            fact
            for i, first in enumerate(groups)
            for second in groups[i + 1 :]
            if first.value == second.value
            and judge(fact := Fact(relation, first.arguments + second.arguments), figure.coordinates) is False
        ]
    return tuple(false)
