"""Scenes that the tests of captions, edits and families share, and anchors drawn from them."""

from __future__ import annotations

import math

from counterfoil.renderers.results import ScriptRenderer
from counterfoil.storage.rows import Anchor, Fact, Image
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.captions.write import write_captions
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.settings import GeometrySettings


def fact(predicate: str, labels: str, value: str | None = None) -> Fact:
    """``fact("length", "AB", "8")``: one letter per argument."""
    return Fact(predicate, tuple(labels), value)


def right_triangle() -> Scene:
    """3-4-5 with its sides, its square and one angle's expression."""
    return Scene(
        {"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (0.0, 3.0)},
        (("A", "B"), ("B", "C"), ("C", "A")),
        marks=(fact("mark_length", "AB", "4"), fact("mark_length", "AC", "3"), fact("mark_right", "BAC")),
        facts=(
            fact("right_triangle", "ABC"),
            fact("perpendicular", "ABAC"),
            fact("length", "AB", "4"),
            fact("length", "AC", "3"),
        ),
    )


def bare_isosceles() -> Scene:
    """Three points, no numbers: the leanest figure."""
    return Scene(
        {"P": (0.0, 0.0), "Q": (6.0, 0.0), "R": (3.0, 7.0)},
        (("P", "Q"), ("Q", "R"), ("R", "P")),
        marks=(fact("mark_ticks", "PR", "1"), fact("mark_ticks", "QR", "1")),
        facts=(fact("isosceles", "PQR"), fact("equal_length", "PRQR")),
    )


def parallelogram() -> Scene:
    """Diagonals that meet, a side and an angle marked."""
    return Scene(
        {"A": (0.0, 0.0), "B": (8.0, 0.0), "C": (11.0, 5.0), "D": (3.0, 5.0), "E": (5.5, 2.5)},
        (("A", "B"), ("B", "C"), ("C", "D"), ("D", "A"), ("A", "C"), ("B", "D")),
        marks=(fact("mark_length", "AB", "8"), fact("mark_length", "AC", "2x+1")),
        facts=(
            fact("parallelogram", "ABCD"),
            fact("intersection", "EACBD"),
            fact("length", "AB", "8"),
            fact("length", "AC", "2x+1"),
        ),
    )


def midsegment() -> Scene:
    """A triangle with two midpoints and the parallel between them."""
    return Scene(
        {"A": (2.0, 6.0), "B": (0.0, 0.0), "C": (9.0, 0.0), "M": (1.0, 3.0), "N": (5.5, 3.0)},
        (("A", "B"), ("B", "C"), ("C", "A"), ("M", "N")),
        marks=(fact("mark_length", "BC", "9"), fact("mark_angle", "ABC", "72")),
        facts=(
            fact("triangle", "ABC"),
            fact("midpoint", "MAB"),
            fact("midpoint", "NAC"),
            fact("parallel", "MNBC"),
            fact("length", "BC", "9"),
            fact("angle", "ABC", "72"),
        ),
    )


def circle_with_tangent() -> Scene:
    """A circle, its diameter, a tangent and a point on the circle."""
    return Scene(
        {"O": (0.0, 0.0), "A": (-5.0, 0.0), "B": (5.0, 0.0), "C": (3.0, 4.0), "T": (5.0, 7.0)},
        (("A", "B"), ("B", "T"), ("A", "C"), ("C", "B")),
        {"O": (0.0, 0.0, 5.0)},
        marks=(fact("mark_length", "AB", "10"), fact("mark_right", "ABT")),
        facts=(
            fact("diameter", "ABO"),
            fact("on_circle", "CO"),
            fact("tangent", "BTO"),
            fact("perpendicular", "ABBT"),
            fact("length", "AB", "10"),
        ),
    )


def two_triangles() -> Scene:
    """Similar triangles of different size with expressions for sides."""
    small = {"D": (9.0, 0.0), "E": (12.0, 0.0), "F": (10.0, 2.0)}
    return Scene(
        {"A": (0.0, 0.0), "B": (6.0, 0.0), "C": (2.0, 4.0), **small},
        (("A", "B"), ("B", "C"), ("C", "A"), ("D", "E"), ("E", "F"), ("F", "D")),
        marks=(fact("mark_length", "AB", "6"), fact("mark_length", "DE", "3"), fact("mark_length", "BC", "x+2")),
        facts=(
            fact("similar", "ABCDEF"),
            fact("length", "AB", "6"),
            fact("length", "DE", "3"),
            fact("length", "BC", "x+2"),
        ),
    )


def altitude() -> Scene:
    """A triangle with its altitude and three numbers."""
    return Scene(
        {"A": (3.0, 4.0), "B": (0.0, 0.0), "C": (9.0, 0.0), "H": (3.0, 0.0)},
        (("A", "B"), ("B", "C"), ("C", "A"), ("A", "H")),
        marks=(
            fact("mark_right", "AHC"),
            fact("mark_length", "AB", "5"),
            fact("mark_length", "BH", "3"),
            fact("mark_angle", "ACB", f"{math.degrees(math.atan2(4, 6)):.1f}"),
        ),
        facts=(
            fact("altitude", "AHABC"),
            fact("collinear", "BHC"),
            fact("length", "AB", "5"),
            fact("length", "BH", "3"),
            fact("angle", "ACB", f"{math.degrees(math.atan2(4, 6)):.1f}"),
        ),
    )


SCENES = (
    right_triangle,
    bare_isosceles,
    parallelogram,
    midsegment,
    circle_with_tangent,
    two_triangles,
    altitude,
)


def draw_anchor(scene: Scene, renderer: ScriptRenderer, name: str = "figure") -> Anchor:
    """The anchor of ``scene``: captioned, scripted and rendered in the sandbox."""
    code = write_script(scene)
    rendering = renderer.render(code)
    assert rendering.png is not None, rendering
    facts = scene.to_facts()
    settings = GeometrySettings(source="procedural:1")
    # As anchors of a run with the seed 7 are captioned.
    rng = generator(7, "geometry.anchor", f"anchor-{name}", 0)
    captions = write_captions(facts, rng, settings.captions, settings.caption_style)
    return Anchor(
        anchor_id=f"anchor-{name}",
        domain="geometry",
        source="tests",
        source_id=name,
        split="train",
        image=Image(rendering.png, f"{name}.png"),
        caption=captions[0],
        captions=captions,
        code=code,
        code_language="python",
        facts=facts,
    )
