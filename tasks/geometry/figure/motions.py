"""A figure moved as a whole: turned or mirrored; what is true of it stays true."""

from __future__ import annotations

import math
from dataclasses import replace

from counterfoil.tasks.geometry.facts.residuals import Point
from counterfoil.tasks.geometry.figure.scene import Scene


def turn_scene(scene: Scene, degrees: float) -> Scene:
    """The figure turned about the origin, counter-clockwise; one with axes as it is."""
    if not degrees or scene.axes:
        return scene
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turn(x: float, y: float) -> Point:
        return (cosine * x - sine * y, sine * x + cosine * y)

    points = {name: turn(x, y) for name, (x, y) in scene.points.items()}
    circles = {name: (*turn(x, y), radius) for name, (x, y, radius) in scene.circles.items()}
    return replace(scene, points=points, circles=circles).rounded()


def mirror_scene(scene: Scene) -> Scene:
    """Left and right exchanged. An arc runs counter-clockwise, so in the mirror it begins at its other end."""
    points = {name: (-x, y) for name, (x, y) in scene.points.items()}
    circles = {name: (-x, y, radius) for name, (x, y, radius) in scene.circles.items()}
    ends = {"mark_arc": lambda p, q, circle: (q, p, circle)}
    marks = [replace(m, arguments=ends[m.predicate](*m.arguments)) if m.predicate in ends else m for m in scene.marks]
    return replace(scene, points=points, circles=circles, marks=tuple(marks))
