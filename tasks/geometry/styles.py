"""The style of an anchor and its contrasts: one for all pictures of one problem, so that none tells them apart."""

from __future__ import annotations

import math
from dataclasses import replace

from tasks.contract.context import Context
from tasks.geometry.drawing.style import Style
from tasks.geometry.facts.residuals import Point
from tasks.geometry.figure.scene import Scene
from tasks.geometry.settings import GeometrySettings


def choose_style(context: Context[GeometrySettings], source: str, source_id: str) -> Style:
    """The style of all pictures of one problem: plain, or drawn from the seed and the problem alone."""
    plain = Style.for_reader(context.settings.legible_at)
    if context.settings.style == "plain":
        return plain
    return plain.vary(context.rng("geometry.style", f"{source}/{source_id}"))


def turn_scene(scene: Scene, degrees: float) -> Scene:
    """The figure turned about the origin; what it states does not change."""
    if not degrees:
        return scene
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turn(x: float, y: float) -> Point:
        return (cosine * x - sine * y, sine * x + cosine * y)

    points = {name: turn(x, y) for name, (x, y) in scene.points.items()}
    circles = {name: (*turn(x, y), radius) for name, (x, y, radius) in scene.circles.items()}
    return replace(scene, points=points, circles=circles).rounded()
