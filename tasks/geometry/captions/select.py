r"""What a caption states of a figure, and in which order: what a reader would say first comes first.

First the whole: the polygon or circle that everything else lies in. Then other shapes, where points and lines lie, how
they relate, and the numbers that are written in the picture. What a stronger claim says is not said again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.mentions import Claims, Polygon
from counterfoil.tasks.geometry.captions.templates import UNNAMED_CIRCLE
from counterfoil.tasks.geometry.captions.wordings import has_words
from counterfoil.tasks.geometry.facts.judge import VISIBLE, canonicalise, judge, list_said
from counterfoil.tasks.geometry.facts.names import find_meaning, list_named_segments
from counterfoil.tasks.geometry.facts.predicates import (
    BARE,
    NUMBER_MARKS,
    PREDICATES,
    QUADRILATERAL_KINDS,
    SHAPES,
    TRIANGLE_KINDS,
)
from counterfoil.tasks.geometry.facts.residuals import Point, measure_distance, measure_gap
from counterfoil.tasks.geometry.figure.scene import Scene

_RANKS = {"shape": 1, "incidence": 2, "drawn": 2, "plane": 2, "relation": 3, "measure": 4}
MOST_SEGMENTS = 6
"""Segments that no other claim mentions are named, but a caption is no list of strokes."""
_FLAT = 0.02
"""Share of the extent by which a corner of an outline stands out at least."""
_EVIDENT, _SEEN = 0.75, 0.4
"""How often a triangle is called by its sort where a mark shows it, and where it is only seen."""


def select_claims(facts: Iterable[Fact], rng: np.random.Generator) -> list[Claims]:
    """What a caption states of a figure: each thing once, the claims of one clause together, the whole first.

    Raises:
        SceneError: the facts name points that no fact places.
    """
    given = list(facts)
    scene = Scene.from_facts(given)
    chosen: dict[Fact, Fact] = {}
    for fact in [*given, *_read_marks(given)]:
        if _is_stated(fact, given, scene) and _has_its_sides(fact, scene):
            worded = _arrange(fact, scene)
            chosen.setdefault(canonicalise(worded), worded)
    # What a figure on axes is about is not what lies outermost.
    whole = None if scene.axes else find_whole(scene)
    kept = _name_whole(list(chosen.values()), whole, scene)
    kept = [_call_by_sort(fact, kept, scene, rng) for fact in kept]
    kept = _read_as_radius(kept, scene, rng)
    kept = _drop_what_others_say(kept)
    clauses = _group([*kept, *_list_unnamed(kept, scene)])
    noise = rng.random(len(clauses))
    order = sorted(range(len(clauses)), key=lambda i: (_rank(clauses[i], whole, scene), noise[i]))
    return [clauses[i] for i in order]


def _rank(claims: Claims, whole: Polygon | None, scene: Scene) -> int:
    first = claims[0]
    if whole and first.predicate in SHAPES and {*first.arguments} == {*whole}:
        return 0
    if not whole and first.predicate in ("on_circle", "circle") and _holds_all(first.arguments[-1], scene):
        return 0
    return _RANKS[PREDICATES[first.predicate].group]


def _holds_all(circle: str, scene: Scene) -> bool:
    """Whether the figure lies in the circle."""
    place = scene.circles[circle]
    return all(measure_distance(point, place) <= 1.02 * place[2] for point in scene.points.values())


def find_whole(scene: Scene) -> Polygon | None:
    """The triangle or quadrilateral that a reader sees first: the drawn outline, or the largest divided triangle."""
    outline = _find_outline(scene)
    joined = {frozenset(pair) for pair in combinations(scene.points, 2) if scene.has_line(*pair)}
    closed = all(frozenset((outline[i - 1], p)) in joined for i, p in enumerate(outline))
    if closed and len(outline) in (3, 4) and judge(_state_bare(outline), scene.coordinates):
        return outline
    divided = [
        ring
        for ring in combinations(sorted(scene.points), 3)
        if all(frozenset(side) in joined for side in combinations(ring, 2))
        and judge(_state_bare(ring), scene.coordinates)
        and any(_is_within(scene.points[p], ring, scene) for p in scene.points if p not in ring)
    ]
    return max(divided, key=lambda ring: _measure_area(ring, scene), default=None)


def _state_bare(ring: Polygon) -> Fact:
    return Fact("triangle" if len(ring) == 3 else "quadrilateral", ring)


def _find_outline(scene: Scene) -> Polygon:
    """The corners of the convex hull of all points, in order."""
    names = sorted(scene.points, key=lambda name: scene.points[name])
    if len(names) < 3:
        return ()
    hull: list[str] = []
    for row in (names, names[::-1]):
        side: list[str] = []
        for name in row:
            while len(side) > 1 and _measure_bulge(side[-2], side[-1], name, scene) <= _FLAT * scene.extent:
                side.pop()
            side.append(name)
        hull += side[:-1]
    return tuple(hull)


def _measure_bulge(start: str, middle: str, end: str, scene: Scene) -> float:
    """How far the middle of three points stands out to the right of the line between the others."""
    (ax, ay), (bx, by), (cx, cy) = (scene.points[name] for name in (start, middle, end))
    cross = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return cross / (measure_distance((ax, ay), (cx, cy)) or 1.0)


def _measure_area(ring: Polygon, scene: Scene) -> float:
    (ax, ay), (bx, by), (cx, cy) = (scene.points[name] for name in ring)
    return abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2


def _is_within(place: Point, ring: Polygon, scene: Scene) -> bool:
    """Whether a place is in a convex polygon or on its sides."""
    corners = [scene.points[name] for name in ring]
    sides = [(corners[i - 1], corner) for i, corner in enumerate(corners)]
    if any(measure_gap(place, *side) <= 0.01 * scene.extent for side in sides):
        return True
    turns = [(q[0] - p[0]) * (place[1] - p[1]) - (q[1] - p[1]) * (place[0] - p[0]) for p, q in sides]
    return min(turns) > 0 or max(turns) < 0


def is_part(name: str, ring: Polygon, scene: Scene) -> bool:
    """Whether a point is in a convex polygon or on its sides."""
    return _is_within(scene.points[name], ring, scene)


def _name_whole(kept: list[Fact], whole: Polygon | None, scene: Scene) -> list[Fact]:
    """The whole in place of the bare polygons that it is divided into; their lines are named instead."""
    if whole is None:
        return kept
    parts = [
        fact
        for fact in kept
        if fact.predicate in BARE
        and {*fact.arguments} != {*whole}
        and all(_is_within(scene.points[name], whole, scene) for name in fact.arguments)
    ]
    kept = [fact for fact in kept if fact not in parts]
    if any(fact.predicate in SHAPES and {*fact.arguments} == {*whole} for fact in kept):
        return kept
    return [_state_bare(whole), *kept]


def _call_by_sort(fact: Fact, known: Sequence[Fact], scene: Scene, rng: np.random.Generator) -> Fact:
    """A bare triangle as right or isosceles where a mark shows it, at times as what anybody sees."""
    if fact.predicate != "triangle":
        return fact
    meanings = {find_meaning(other) for other in known}
    evident = [kind for kind, sign in _list_signs(fact.arguments) if find_meaning(sign) in meanings]
    evident = [kind for kind in dict.fromkeys(evident) if judge(Fact(kind, fact.arguments), scene.coordinates)]
    seen = [
        kind
        for kind in ("acute", "obtuse", "scalene")
        if judge(Fact(kind, fact.arguments), scene.coordinates, VISIBLE, 2 * VISIBLE)
    ]
    kinds, share = (evident, _EVIDENT) if evident else (seen, _SEEN)
    draw, pick = rng.random(), rng.integers(max(1, len(kinds)))
    return Fact(kinds[int(pick)], fact.arguments) if kinds and draw < share else fact


def _list_signs(ring: Polygon) -> Iterator[tuple[str, Fact]]:
    """What shows that a triangle is right or isosceles."""
    for corner in ring:
        p, q = (name for name in ring if name != corner)
        yield "right_triangle", Fact("perpendicular", (p, corner, corner, q))
        yield "isosceles", Fact("equal_length", (corner, p, corner, q))


def _read_as_radius(facts: Sequence[Fact], scene: Scene, rng: np.random.Generator) -> list[Fact]:
    """The length of a radius, every other time, as that of its circle; not where two radii bear lengths."""
    read = list(facts)
    for circle in scene.circles:
        radii = [
            at
            for at, fact in enumerate(read)
            if fact.predicate == "length" and judge(Fact("radial", (*fact.arguments, circle)), scene.coordinates)
        ]
        if len(radii) == 1 and rng.random() < 0.5:
            read[radii[0]] = Fact("radius", (circle,), read[radii[0]].value)
    return read


def _is_stated(fact: Fact, facts: Sequence[Fact], scene: Scene) -> bool:
    if PREDICATES[fact.predicate].group in ("drawn", "mark", "measure"):
        # Numbers come in by their marks, segments and circles where nothing else names them.
        return fact in _read_marks(facts)
    if not has_words(fact) or (fact.predicate == "centre" and fact.arguments[0] == fact.arguments[1]):
        return False
    return _names_circle_clearly(fact, scene)


def _has_its_sides(fact: Fact, scene: Scene) -> bool:
    """A bare polygon is stated where its strokes are drawn, not wherever three points are."""
    if fact.predicate not in BARE:
        return True
    return all(scene.has_line(*sorted(side)) for side in list_named_segments(fact))


def _names_circle_clearly(fact: Fact, scene: Scene) -> bool:
    """A circle without a name can be called ``the circle`` only where it is the only one."""
    unnamed = [argument for argument in fact.arguments if argument in scene.circles and not argument[:1].isupper()]
    return not unnamed or (len(scene.circles) == 1 and unnamed == [UNNAMED_CIRCLE])


def _read_marks(facts: Sequence[Fact]) -> list[Fact]:
    """The facts that the numbers and right-angle squares in the picture state."""
    states = {mark: number for number, mark in NUMBER_MARKS.items()}
    read = [Fact(states[f.predicate], f.arguments, f.value) for f in facts if f.predicate in states]
    corners = [fact.arguments for fact in facts if fact.predicate == "mark_right"]
    return read + [Fact("perpendicular", (p, corner, corner, q)) for p, corner, q in corners]


def _arrange(fact: Fact, scene: Scene) -> Fact:
    """Points on a line are named in their order on it, as ``D lies on AB`` needs."""
    if fact.predicate != "collinear":
        return fact
    places = {label: complex(*scene.points[label]) for label in fact.arguments}
    ends = max(combinations(fact.arguments, 2), key=lambda pair: abs(places[pair[0]] - places[pair[1]]))
    along = places[max(ends)] - places[min(ends)]
    return Fact("collinear", tuple(sorted(places, key=lambda label: (places[label] * along.conjugate()).real)))


def _drop_what_others_say(facts: list[Fact]) -> list[Fact]:
    """Leave out bare polygons whose kind is stated, points on a line or circle that a stronger claim puts there, and
    what a midpoint, a median, an altitude or a bisector is."""
    kinds = TRIANGLE_KINDS | QUADRILATERAL_KINDS - {"quadrilateral"}
    shaped = {frozenset(f.arguments) for f in facts if f.predicate in kinds}
    placed = {frozenset(f.arguments) for f in facts if f.predicate == "midpoint"}
    lines = [fact for fact in facts if fact.predicate in ("diameter", "chord", "radial")]
    rims = {(label, fact.arguments[2]) for fact in lines for label in fact.arguments[:2]}
    # Triangles that are similar, or have an altitude, are there.
    shaped |= {frozenset(ring) for fact in facts if fact.predicate not in SHAPES for ring in _list_rings(fact)}
    dropped = {"triangle": shaped, "quadrilateral": shaped, "collinear": placed}
    said = {canonicalise(less) for fact in facts for less in list_said(fact)}
    return [
        fact
        for fact in facts
        if frozenset(fact.arguments) not in dropped.get(fact.predicate, ())
        and not (fact.predicate == "on_circle" and fact.arguments in rims)
        and canonicalise(fact) not in said
    ]


def _list_rings(fact: Fact) -> Iterator[tuple[str, ...]]:
    """The polygons whose sides a claim of something else says are there."""
    row = PREDICATES[fact.predicate]
    names = row.name_arguments(fact.arguments)
    yield from (names[f"{part[0]}+"] for part in row.strokes.split() if part[-1] == "+")


def _list_unnamed(stated: Sequence[Fact], scene: Scene) -> list[Fact]:
    """Drawn segments and circles that no stated claim names; radii and chords as what they are."""
    named = {pair for fact in stated for pair in list_named_segments(fact)}
    bare = [segment for segment in scene.segments if frozenset(segment) not in named]
    lines = [_read_as_line_of_circle(segment, scene) for segment in (bare if stated else scene.segments)]
    mentioned = {argument for fact in (*stated, *lines) for argument in fact.arguments}
    circles = [Fact("circle", (name,)) for name in scene.circles if name not in mentioned]
    said = {fact.arguments for fact in stated if fact.predicate == "quadratic"}
    curves = [Fact("parabola", curve) for curve in scene.parabolas if curve not in said]
    return [*(fact for fact in circles if _names_circle_clearly(fact, scene)), *curves, *lines[:MOST_SEGMENTS]]


def _read_as_line_of_circle(segment: tuple[str, str], scene: Scene) -> Fact:
    for circle in scene.circles:
        for predicate in ("radial", "diameter", "chord"):
            fact = Fact(predicate, (*segment, circle))
            if _names_circle_clearly(fact, scene) and judge(fact, scene.coordinates):
                return fact
    return Fact("segment", segment)


def _group(facts: Sequence[Fact]) -> list[Claims]:
    """Points on one circle, and segments that are only drawn, become one clause each."""
    clauses: dict[object, Claims] = {}
    for fact in facts:
        key = {"on_circle": ("on_circle", *fact.arguments[1:]), "segment": "segment"}.get(fact.predicate, fact)
        clauses[key] = (*clauses.get(key, ()), fact)
    return list(clauses.values())
