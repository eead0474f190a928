"""Constructions with circles."""

from __future__ import annotations

import math

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.sources.sampler.sketch import TRIPLES, Sketch, find_centre, turn_by, write_exactly


def _start(sketch: Sketch, radius: float) -> str:
    return sketch.add_circle(sketch.add_centre(0j), radius)


def _on(sketch: Sketch, circle: str, *turns: float) -> tuple[str, ...]:
    """New points on a circle about the origin, at these directions."""
    labels = sketch.add_points(*(turn_by(turn, sketch.circles[circle][1]) for turn in turns))
    for label in labels:
        sketch.state("on_circle", label, circle)
    return labels


def circle_with_radius(sketch: Sketch) -> None:
    radius = sketch.pick(3, 12)
    o = _start(sketch, radius)
    (a,) = _on(sketch, o, sketch.pick(0, 359))
    sketch.join(o, a)
    sketch.ask(f"the diameter of circle {o}", str(2 * radius), sketch.length(o, a))


def circle_with_diameter(sketch: Sketch) -> None:
    radius = sketch.pick(3, 12)
    o = _start(sketch, radius)
    a, b = _on(sketch, o, 0, 180)
    sketch.join(a, b)
    sketch.state("diameter", a, b, o)
    sketch.ask(f"the radius of circle {o}", str(radius), sketch.length(a, b))


def chord_with_distance(sketch: Sketch) -> None:
    """The perpendicular from the centre halves a chord."""
    near, half, radius = TRIPLES[sketch.pick(0, 4)]
    o = _start(sketch, radius)
    turn = math.degrees(math.atan2(near, half))
    a, b = _on(sketch, o, 180 + turn, 360 - turn)
    m = sketch.add_point(complex(0, -near))
    sketch.join(a, b)
    sketch.join(o, m)
    sketch.join(o, a)
    sketch.state("chord", a, b, o)
    sketch.state("midpoint", m, a, b)
    sketch.mark_right(o, m, a)
    sketch.ask_length(a, m, sketch.length(o, m), sketch.length(o, a), value=str(half))
    sketch.ask_length(o, m, sketch.length(a, m), sketch.length(o, a), value=str(near))


def angle_in_semicircle(sketch: Sketch) -> None:
    turn = sketch.pick(50, 130)
    o = _start(sketch, sketch.pick(4, 10))
    a, b, c = _on(sketch, o, 180, 0, turn)
    sketch.join(a, b)
    sketch.join(a, c)
    sketch.join(b, c)
    sketch.state("diameter", a, b, o)
    sketch.state("triangle", a, b, c)
    if turn % 2:
        turn += 1
        sketch.places[c] = turn_by(turn, sketch.circles[o][1])
    sketch.ask_angle(a, b, c, sketch.angle(b, a, c))


def central_and_inscribed_angle(sketch: Sketch) -> None:
    half = sketch.pick(30, 60)
    o = _start(sketch, sketch.pick(4, 10))
    a, b, c = _on(sketch, o, 270 - half, 270 + half, 90 + sketch.pick(-25, 25))
    sketch.join(o, a)
    sketch.join(o, b)
    sketch.join(c, a)
    sketch.join(c, b)
    sketch.ask_angle(a, c, b, sketch.angle(a, o, b))
    sketch.ask_angle(a, o, b, sketch.angle(a, c, b))


def inscribed_triangle(sketch: Sketch) -> None:
    first, second = 2 * sketch.pick(45, 65), 2 * sketch.pick(45, 65)
    o = _start(sketch, sketch.pick(4, 10))
    a, b, c = _on(sketch, o, 90, 90 + first, 90 + first + second)
    sketch.close(a, b, c)
    sketch.triangles.append((a, b, c))
    sketch.state("triangle", a, b, c)
    sketch.ask_angle(a, b, c, sketch.angle(b, a, c), sketch.angle(a, c, b))


def tangent_from_point(sketch: Sketch) -> None:
    radius, reach, whole = TRIPLES[sketch.pick(0, 4)]
    o = _start(sketch, radius)
    (t,) = _on(sketch, o, 90)
    p = sketch.add_point(complex(reach, radius))
    sketch.join(o, t)
    sketch.join(t, p)
    sketch.join(o, p)
    sketch.state("tangent", p, t, o)
    sketch.ask_length(t, p, sketch.length(o, t), sketch.length(o, p), value=str(reach))
    sketch.ask_length(o, p, sketch.length(o, t), sketch.length(t, p), value=str(whole))


def two_tangents(sketch: Sketch) -> None:
    radius, half = sketch.pick(4, 8), sketch.pick(22, 35)
    o = _start(sketch, radius)
    distance = radius / math.sin(math.radians(half))
    a, b = _on(sketch, o, 90 - half, half - 90)
    p = sketch.add_point(complex(distance))
    sketch.join(p, a)
    sketch.join(p, b)
    sketch.state("tangent", p, a, o)
    sketch.state("tangent", p, b, o)
    sketch.ask_length(p, b, sketch.length(p, a))
    if sketch.rng.random() < 0.5:
        sketch.join(o, a)
        sketch.join(o, b)
        sketch.ask_angle(a, o, b, sketch.angle(a, p, b))


def inscribed_quadrilateral(sketch: Sketch) -> None:
    turns = [sketch.pick(40, 60), sketch.pick(120, 145), sketch.pick(215, 235), sketch.pick(295, 320)]
    turns = [2 * (turn // 2) for turn in turns]
    o = _start(sketch, sketch.pick(4, 10))
    a, b, c, d = _on(sketch, o, *turns)
    sketch.close(a, b, c, d)
    sketch.quadrilaterals.append((a, b, c, d))
    sketch.state("quadrilateral", a, b, c, d)
    sketch.ask_angle(b, c, d, sketch.angle(b, a, d))
    sketch.ask_angle(a, d, c, sketch.angle(a, b, c))


def crossing_chords(sketch: Sketch) -> None:
    """The parts of one chord have the product of the other's parts."""
    first, second = ((4, 6), (6, 6), (6, 8), (5, 8), (6, 10), (8, 9), (8, 12), (9, 10))[sketch.pick(0, 7)]
    other = (first + second) / 2 + 0.5 * sketch.pick(-2, 1)
    if write_exactly(first * second / other, 1) is None:
        other = first
    turn = turn_by(sketch.pick(60, 115))
    places = (complex(-first), complex(second), turn * other, -turn * first * second / other)
    o = sketch.add_centre(find_centre(*places[:3]))
    sketch.add_circle(o, abs(places[0] - sketch.places[o]))
    a, b, c, d = sketch.add_points(*places)
    for label in (a, c, b, d):
        sketch.state("on_circle", label, o)
    e = sketch.add_point(0j)
    sketch.join(a, b)
    sketch.join(c, d)
    sketch.state("intersection", e, a, b, c, d)
    sketch.ask_length(d, e, sketch.length(a, e), sketch.length(e, b), sketch.length(c, e))
    sketch.ask_angle(b, e, d, sketch.angle(a, e, c))


def arcs_of_a_circle(sketch: Sketch) -> None:
    first, second = sketch.pick(70, 130), sketch.pick(70, 130)
    o = _start(sketch, sketch.pick(4, 9))
    a, b, c = _on(sketch, o, 20, 20 + first, 20 + first + second)
    for label in (a, b, c):
        sketch.join(o, label)
    sketch.ask_angle(b, o, c, Fact("mark_arc", (b, c, o), str(second)), sketch.angle(a, o, b))
    sketch.ask_angle(a, o, b, Fact("mark_arc", (a, b, o), str(first)))


def circle_in_square(sketch: Sketch) -> None:
    radius = sketch.pick(3, 9)
    o = _start(sketch, radius)
    corners = [complex(-radius, -radius), complex(radius, -radius), complex(radius, radius), complex(-radius, radius)]
    a, b, c, d = sketch.add_points(*corners)
    sketch.close(a, b, c, d)
    sketch.state("square", a, b, c, d)
    sketch.state("tangent", a, b, o)
    sketch.state("tangent", c, d, o)
    sketch.ask(f"the radius of circle {o}", str(radius), sketch.length(a, b))


def circle_about_rectangle(sketch: Sketch) -> None:
    short, long, whole = ((6, 8, 10), (10, 24, 26), (18, 24, 30), (16, 30, 34))[sketch.pick(0, 3)]
    o = _start(sketch, whole / 2)
    turn = math.degrees(math.atan2(short, long))
    a, b, c, d = _on(sketch, o, 180 + turn, -turn, turn, 180 - turn)
    sketch.close(a, b, c, d)
    sketch.quadrilaterals.append((a, b, c, d))
    sketch.state("rectangle", a, b, c, d)
    sketch.ask(f"the radius of circle {o}", f"{whole // 2}", sketch.length(a, b), sketch.length(b, c))


BASES = (
    circle_with_radius,
    circle_with_diameter,
    chord_with_distance,
    angle_in_semicircle,
    central_and_inscribed_angle,
    inscribed_triangle,
    tangent_from_point,
    two_tangents,
    inscribed_quadrilateral,
    crossing_chords,
    arcs_of_a_circle,
    circle_in_square,
    circle_about_rectangle,
)
