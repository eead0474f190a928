"""Theorems of circles: arcs, chords, tangents, secants, sectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations

from counterfoil.tasks.geometry.sources.sampler.exact import ONE, PI, ZERO
from counterfoil.tasks.geometry.sources.sampler.figure import Plane
from counterfoil.tasks.geometry.sources.sampler.theorems.equations import (
    RIGHT,
    STRAIGHT,
    TURN,
    Relations,
    add,
    equal,
    list_sides,
    multiply,
    state,
)


def tell_of_circle(plane: Plane, o: str) -> Relations:
    rim, radius = plane.rims[o], ("radius", o)
    has_centre = o in plane.places
    for x in rim if has_centre else ():
        if plane.is_joined(o, x):
            yield from equal(f"{o}{x} is a radius", plane.length(o, x), radius)
    yield from multiply("the area of a circle is \\pi r^{2}", PI, (("disc", o), 1), (radius, -2))
    yield from multiply("the circumference of a circle is 2\\pi r", PI.times(2), (("rim", o), 1), (radius, -1))
    for a, b in combinations(rim, 2):
        arc = plane.arc(a, b, o)
        size = plane.measure(arc)
        if size > 180 - 1e-6:
            continue
        if has_centre and plane.is_joined(o, a) and plane.is_joined(o, b):
            yield from equal("a central angle measures its arc", plane.angle(a, o, b), arc)
            told = "a sector is as much of the circle as its angle of a full turn"
            yield from multiply(told, PI.times(Fraction(1, 360)), (("sector", *arc[1:]), 1), (radius, -2), (arc, -1))
            told = "an arc is as much of the circumference as its angle of a full turn"
            yield from multiply(told, PI.times(Fraction(1, 180)), (("sweep", *arc[1:]), 1), (radius, -1), (arc, -1))
        for p in rim:
            angle = plane.angle(a, p, b) if p not in (a, b) else None
            if angle is None:
                continue
            if abs(plane.measure(angle) * 2 - size) < 1e-6:
                yield from add("an inscribed angle is half of its arc", ZERO, (angle, 2), (arc, -1))
            else:
                told = "an inscribed angle on the smaller arc is half of the rest of the circle"
                yield from add(told, TURN, (angle, 2), (arc, 1))
    yield from _tell_of_arcs(plane, o)
    for a, b, c in combinations(rim, 3):
        for p, v, q in ((a, b, c), (b, c, a), (c, a, b)):
            angle = plane.angle(p, v, q)
            if angle and plane.is_joined(p, q) and abs(plane.measure(angle) - 90) < 1e-6:
                told = "a right angle in a circle stands on a diameter"
                yield from add(told, ZERO, (plane.length(p, q), 1), (radius, -2), needs=((angle, RIGHT),))
    yield from _tell_of_chords(plane, o)


def _tell_of_arcs(plane: Plane, o: str) -> Relations:
    rim = plane.rims[o]
    centre = plane.circles[o][0]
    turns = {x: math.degrees(math.atan2((plane.places[x] - centre).imag, (plane.places[x] - centre).real)) for x in rim}
    for a, b, c in permutations(rim, 3):
        first, second = (turns[b] - turns[a]) % 360, (turns[c] - turns[b]) % 360
        arcs = [(plane.arc(a, b, o), 1), (plane.arc(b, c, o), 1)]
        if first + second < 180 - 1e-6:
            yield from add("arc addition", ZERO, *arcs, (plane.arc(a, c, o), -1))
        elif abs(first + second - 180) < 1e-6 and a < c and _is_diameter(plane, a, c, o):
            yield from add("a diameter halves the circle", STRAIGHT, *arcs)
        elif first < 180 - 1e-6 > second and first + second > 180 + 1e-6 and a == min(a, b, c):
            yield from add("the arcs of a circle add up to 360^\\circ", TURN, *arcs, (plane.arc(a, c, o), 1))
    if len(rim) == 4:
        for i in range(2):
            p, q, s, t = (rim[(i + j) % 4] for j in range(4))
            told = "opposite angles of an inscribed quadrilateral add up to 180^\\circ"
            if all(plane.is_joined(*side) for side in list_sides((p, q, s, t))):
                yield from add(told, STRAIGHT, (plane.angle(t, p, q), 1), (plane.angle(q, s, t), 1))


def _is_diameter(plane: Plane, a: str, b: str, o: str) -> bool:
    return any(f.predicate == "diameter" and {*f.arguments[:2]} == {a, b} and f.arguments[2] == o for f in plane.facts)


def _tell_of_chords(plane: Plane, o: str) -> Relations:
    rim = set(plane.rims[o])
    rows = ([x for x in chain if x in rim] for chain in plane.chains)
    chords = [(row[0], row[1]) for row in rows if len(row) == 2]
    for (a, b), (c, d) in combinations(chords, 2):
        one, other = plane.find_chain(a, b), plane.find_chain(c, d)
        for x in set(one or ()) & set(other or ()) - rim:
            parts = [(plane.length(x, end), sign) for end, sign in ((a, 1), (b, 1), (c, -1), (d, -1))]
            inside = plane.is_on(x, a, b)
            told = "the parts of crossing chords have equal products" if inside else "the secants' products are equal"
            yield from multiply(told, ONE, *parts)
            if inside:
                yield from _tell_of_crossing(plane, o, x, (a, b), (c, d))
    for fact in plane.facts:
        if fact.predicate != "tangent" or fact.arguments[2] != o or not (touch := rim & {*fact.arguments[:2]}):
            continue
        t = min(touch)
        p = next(x for x in fact.arguments[:2] if x != t)
        for a, b in chords:
            if p in (chain := plane.find_chain(a, b) or ()) and t not in chain:
                terms = ((plane.length(p, t), 2), (plane.length(p, a), -1), (plane.length(p, b), -1))
                yield from multiply("a tangent squared is a secant times its outer part", ONE, *terms)
            if t in (a, b):
                end = b if t == a else a
                angle, arc = plane.angle(p, t, end), plane.arc(t, end, o)
                if angle and plane.measure(arc) < 180 - 1e-6:
                    told = "the angle of tangent and chord is half of the arc"
                    if abs(2 * plane.measure(angle) - plane.measure(arc)) < 1e-6:
                        yield from add(told, ZERO, (angle, 2), (arc, -1))
                    else:
                        yield from add(told, TURN, (angle, 2), (arc, 1))
    yield from _tell_of_middles(plane, o, chords)


def _tell_of_crossing(plane: Plane, o: str, x: str, one: tuple[str, str], other: tuple[str, str]) -> Relations:
    for (a, b), (c, d) in ((one, other), (one, other[::-1])):
        arcs = plane.arc(a, c, o), plane.arc(b, d, o)
        angle = plane.angle(a, x, c)
        if angle and abs(2 * plane.measure(angle) - sum(map(plane.measure, arcs))) < 1e-6:
            told = "the angle of two chords is half of the sum of its arcs"
            yield from add(told, ZERO, (angle, 2), (arcs[0], -1), (arcs[1], -1))


def _tell_of_middles(plane: Plane, o: str, chords: Sequence[tuple[str, str]]) -> Relations:
    """The perpendicular from the centre halves a chord, and the line to its midpoint is perpendicular."""
    if o not in plane.places:
        return
    for a, b in chords:
        for m in (x for x in plane.places if plane.is_on(x, a, b) and x != o and plane.is_joined(o, x)):
            angle = plane.angle(o, m, a)
            if angle and abs(plane.measure(angle) - 90) < 1e-6:
                told = "the perpendicular from the centre halves a chord"
                yield from equal(told, plane.length(a, m), plane.length(m, b), (angle, RIGHT))
                if any(f.predicate == "midpoint" and f.arguments[0] == m for f in plane.facts):
                    yield from state(
                        "the line from the centre to the middle of a chord is perpendicular to it", angle, RIGHT
                    )


def tell_of_diameter(plane: Plane, a: str, b: str, o: str) -> Relations:
    yield from add(f"{a}{b} is a diameter", ZERO, (plane.length(a, b), 1), (("radius", o), -2))
    for p in plane.rims[o]:
        if p not in (a, b):
            yield from state("an angle in a semicircle is right", plane.angle(a, p, b), RIGHT)


def tell_of_tangent(plane: Plane, a: str, b: str, o: str) -> Relations:
    touch = [x for x in (a, b) if x in plane.rims[o]]
    if len(touch) != 1:
        return
    t, p = touch[0], a if touch[0] == b else b
    if o in plane.places and plane.is_joined(o, t):
        yield from state("a tangent is perpendicular to the radius", plane.angle(o, t, p), RIGHT)
    for fact in plane.facts:
        if fact.predicate == "tangent" and fact.arguments[2] == o and p in fact.arguments[:2]:
            s = next(x for x in fact.arguments[:2] if x != p)
            if s != t and s in plane.rims[o]:
                yield from equal(f"tangents from {p} are equal", plane.length(p, t), plane.length(p, s))
                if o in plane.places and plane.is_joined(o, p):
                    told = f"{p}{o} bisects the angle of the tangents from {p}"
                    yield from equal(told, plane.angle(t, p, o), plane.angle(o, p, s))
