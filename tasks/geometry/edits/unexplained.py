"""What a negative's picture has more or less than its anchor's, and no edit of its caption asks for.

`redraw` keeps strokes, circles and marks but for those of claims that went, came or were made untrue by them. So what
is drawn follows from the anchor's picture and the two captions, all but the places of its points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.select import MOST_SEGMENTS
from counterfoil.tasks.geometry.edits.redraw import (
    edit_scene,
    find_corner,
    keep_true_marks,
    name_sides,
    relabel_scene,
    split_group,
)
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.names import relabel
from counterfoil.tasks.geometry.facts.predicates import GROUP_MARKS, NUMBER_MARKS, PREDICATES
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance
from counterfoil.tasks.geometry.figure.scene import Scene

_STROKES = frozenset(("segment", "radial", "diameter", "chord"))
_ANGLES = frozenset(("angle", "equal_angle", "mark_angle", "mark_arcs", "mark_right"))
_SAME_PLACE = 0.01
"""Share of the extent within which two letters stand at one place."""
_OFF_LINE = 0.003
"""Share of the extent by which a letter on a line may be off it."""
_SAME_WAY = math.radians(2)
"""Two letters that are seen this close together from a third lie on one ray from it."""


def find_unexplained(figure: Scene, anchored: Scene, claims: Iterable[Fact], known: Iterable[Fact]) -> str | None:
    """The first stroke, circle or mark of ``figure`` that is not there where the picture of an anchor, of which
    ``known`` was true, is edited so that ``claims`` are, or that should be and is not; None where there is none."""
    names = _match_letters(figure, anchored)
    before = relabel_scene(anchored, names)
    arms = _Arms(before.points, before)
    before = replace(before, marks=tuple(_name_angles(mark, arms) for mark in before.marks))
    known, claims = (tuple(each) for each in (known, claims))
    exchanged = [relabel(claim, names) for claim in known]
    renamed = ([_name_angles(claim, arms) for claim in each] for each in (exchanged, claims))
    edited = replace(edit_scene(before, *renamed), points=figure.points, circles=figure.circles)
    for segment in figure.segments:
        if not edited.has_line(*segment):
            return f"the stroke {''.join(segment)} is drawn, which neither the anchor nor the caption has"
    for segment in edited.segments:
        if not figure.has_line(*segment):
            return f"the stroke {''.join(segment)} is gone, and no edit takes it away"
    if figure.axes != before.axes or len(figure.lines) != len(before.lines):
        return "it has other axes, or lines that run on, than the anchor"
    if not {*edited.parabolas} <= {*figure.parabolas} or len({vertex for vertex, _ in figure.parabolas}) != len(
        {vertex for vertex, _ in edited.parabolas}
    ):
        return "it has other curves than the anchor, and no edit asks for them"
    if len(figure.circles) != len(before.circles):
        return "it has another number of circles than the anchor"
    arms = _Arms(figure.points)
    due, drawn = _key_marks(keep_true_marks(edited), arms), _key_marks(figure.marks, arms)
    for mark in sorted(drawn.keys() - due.keys(), key=lambda each: str(drawn[each])):
        return f"{drawn[mark]} is drawn, which neither the anchor nor the caption has"
    for mark in sorted(due.keys() - drawn.keys(), key=lambda each: str(due[each])):
        return f"{due[mark]} is gone, and no edit takes it away"
    return _find_untold(figure, claims, anchored, known)


def name_whole_lines(figure: Scene) -> Scene:
    """The figure with the arrowheads of parallels as they are read off its picture: by the ends of the whole line on
    which they stand, not by those of the part that was said to be parallel."""
    marks = tuple(
        mark
        if mark.predicate != "mark_parallel"
        else replace(mark, arguments=_find_whole_line(figure, *mark.arguments))
        for mark in figure.marks
    )
    return figure if marks == figure.marks else replace(figure, marks=marks)


def _find_whole_line(figure: Scene, p: str, q: str) -> tuple[str, str]:
    (x, y), (qx, qy) = figure.points[p], figure.points[q]
    length = math.hypot(qx - x, qy - y)
    ux, uy = (qx - x) / length, (qy - y) / length
    run = [
        (dx * ux + dy * uy, name)
        for name, place in figure.points.items()
        for dx, dy in [(place[0] - x, place[1] - y)]
        if name in (p, q) or (abs(dx * uy - dy * ux) < _OFF_LINE * figure.extent and figure.has_line(p, name))
    ]
    return min(run)[1], max(run)[1]


def _find_untold(figure: Scene, claims: Sequence[Fact], anchored: Scene, known: Sequence[Fact]) -> str | None:
    """A stroke or a letter that a caption does not name, or a stroke that it names and that is not drawn, where the
    anchor has none such: who sees a picture and its caption would know the negative by it."""
    for why, found, before in zip(
        ("is drawn, of which the caption says nothing", "is named, and no stroke is drawn there", "is named nowhere"),
        _list_untold(figure, claims),
        _list_untold(anchored, known),
        strict=True,
    ):
        if len(found) > len(before):
            return f"{found[0]} {why}"
    return None


def count_strokes(figure: Scene) -> int:
    """How many strokes a viewer sees: those that lie along others count as one."""
    left = list(dict.fromkeys(figure.segments))
    for segment in figure.segments:
        others = [each for each in left if each != segment]
        if replace(figure, segments=tuple(others)).has_line(*segment):
            left = others
    return len(left)


def _list_untold(figure: Scene, claims: Iterable[Fact]) -> tuple[list[str], list[str], list[str]]:
    """Strokes that no claim names, strokes that one names and that are not drawn, and letters in no claim."""
    claims = tuple(claims)
    named = name_sides(claims, figure.points)
    said, letters = replace(figure, segments=named), {name for claim in claims for name in claim.arguments}
    return (
        ["".join(segment) for segment in figure.segments if not said.has_line(*segment)],
        ["".join(side) for side in named if not figure.has_line(*side)],
        sorted(figure.points.keys() - letters),
    )


def find_unsaid(figure: Scene, claims: Iterable[Fact]) -> str | None:
    """The first stroke or mark of a figure of ours of which its caption says nothing, or that it lacks for what is
    said: a caption states every mark, relations by their marks, and every stroke that no other claim names, up to
    `MOST_SEGMENTS`."""
    claims = tuple(claims)
    unsaid, undrawn, _ = _list_untold(figure, claims)
    if undrawn:
        return f"{undrawn[0]} is named, and no stroke is drawn there"
    if unsaid and sum(claim.predicate in _STROKES for claim in claims) < MOST_SEGMENTS:
        return f"the stroke {unsaid[0]} is drawn, of which the caption says nothing"
    rims = {name for claim in claims for i, name in enumerate(claim.arguments) if _is_circle(claim, i)}
    if len(figure.circles) > len(rims):
        return "a circle is drawn of which the caption says nothing"
    values = {claim.value for claim in claims}
    for mark in figure.marks:
        letters = set(mark.arguments)
        about = any(len(letters & set(claim.arguments)) >= len(letters) - 1 for claim in claims)
        if not (mark.value in values if mark.predicate in NUMBER_MARKS.values() else about):
            return f"{mark} is drawn, of which the caption says nothing"
    bare = next((claim for claim in claims if not _is_marked(claim, figure)), None)
    return f"{bare} is said, and no mark shows it" if bare is not None else None


def _is_circle(claim: Fact, index: int) -> bool:
    return PREDICATES[claim.predicate].role(index) == "c"


def _is_marked(claim: Fact, figure: Scene) -> bool:
    """Whether a claim that two things are equal, or an angle right, is shown by marks. Of parallels it may follow."""
    arms = _Arms(figure.points)
    drawn = _key_marks(figure.marks, arms)
    corner, split = find_corner(claim), split_group(claim)
    if corner is not None:
        forms = (Fact("mark_right", corner), Fact("mark_angle", corner, "90"))
        return any(_key(form, arms) in drawn for form in forms)
    if split is None or split[0] == "mark_parallel":
        return True
    return all(_key(Fact(split[0], part), arms) in drawn for part in split[1])


def _match_letters(figure: Scene, anchored: Scene) -> Mapping[str, str]:
    """The anchor's letters to those that stand in their places; to themselves where the figure is another."""
    limit = _SAME_PLACE * anchored.extent
    found: dict[str, str] = {}
    for label, place in anchored.points.items():
        near = [other for other, p in figure.points.items() if measure_distance(place, p) <= limit]
        if len(near) != 1:
            return {}
        found[label] = near[0]
    return found if len({*found.values()}) == len(found) else {}


class _Arms:
    """What the arms of angles are called between ``points``: each way is looked for once. By letters to which strokes
    of ``drawn`` run, where that is given: a letter that happens to lie on the way is none of the arm's."""

    def __init__(self, points: Mapping[str, Point], drawn: Scene | None = None) -> None:
        self.points = points
        self.drawn = drawn
        self._names: dict[tuple[str, str], str] = {}

    def name(self, end: str, vertex: str) -> str:
        """The least letter on the ray from ``vertex`` through ``end``."""
        known = self._names.get((end, vertex))
        if known is None:
            points, start = self.points, self.points[vertex]
            way = _measure_way(start, points[end])
            known = self._names[end, vertex] = min(
                name
                for name, place in points.items()
                if place != start
                and abs(math.remainder(_measure_way(start, place) - way, math.tau)) <= _SAME_WAY
                and (name == end or self.drawn is None or self.drawn.has_line(vertex, name))
            )
        return known


def _key_marks(marks: Iterable[Fact], arms: _Arms) -> dict[Fact, Fact]:
    return {_key(mark, arms): mark for mark in marks}


def _key(mark: Fact, arms: _Arms) -> Fact:
    """A mark in one of its names, without a group's number, which another group's going may change."""
    form = canonicalise(_name_angles(mark, arms))
    return replace(form, value="") if mark.predicate in GROUP_MARKS else form


def _name_angles(fact: Fact, arms: _Arms) -> Fact:
    """A fact about angles with the least letter of each arm, as an angle has many names: ABC and DBC."""
    if fact.predicate not in _ANGLES:
        return fact
    a = fact.arguments
    corners = [a[i : i + 3] for i in range(0, len(a), 3)]
    named = [name for p, v, q in corners for name in (arms.name(p, v), v, arms.name(q, v))]
    return replace(fact, arguments=tuple(named))


def _measure_way(start: Point, end: Point) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])
