"""Shapes: triangles, quadrilaterals and regular polygons, by their vertices in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from counterfoil.tasks.geometry.facts import residuals as r
from counterfoil.tasks.geometry.facts.conditions import (
    acute_truth,
    obtuse_truth,
    polygon_condition,
    scalene_truth,
    trapezoid_condition,
    triangle_truth,
)
from counterfoil.tasks.geometry.facts.orders import any_order, cyclic
from counterfoil.tasks.geometry.facts.predicate import Predicate

_shape = partial(Predicate, group="shape", condition=polygon_condition)


def list_shapes() -> Iterator[Predicate]:
    """Inclusive (a square is a rectangle), but for the trapezoid, which textbooks define both ways: a parallelogram
    neither shows nor breaks the claim that it is a trapezoid, and so it proves nothing.
    """
    yield _shape(
        "triangle",
        "ABC",
        any_order,
        truth=triangle_truth,
        strokes="ABC+",
        words=("<triangle ABC> is drawn; there is a <triangle ABC>; <ABC> is a triangle; let <ABC> be a triangle"),
        openings="in <triangle ABC>; <triangle ABC>",
        readings=(
            "<triangle ABC> has vertices <list ABC>; <list ABC> are the vertices of <triangle ABC>; "
            "<triangle ABC> has the vertices <list ABC>; <list ABC> form <triangle ABC>"
        ),
    )
    yield replace(_kind("acute", r.acute), truth=acute_truth)
    yield replace(_kind("equilateral", r.equilateral), broader=("isosceles", "acute"))
    yield _kind("isosceles", r.isosceles)
    yield replace(_kind("obtuse", r.obtuse), truth=obtuse_truth)
    yield replace(_kind("right", r.right_triangle), name="right_triangle")
    yield replace(_kind("scalene", r.scalene), truth=scalene_truth)
    yield _quadrilateral("isosceles_trapezoid", r.isosceles_trapezoid, "trapezoid")
    yield _quadrilateral("kite", r.kite, "quadrilateral")
    yield _quadrilateral("parallelogram", r.parallelogram, "quadrilateral")
    yield _quadrilateral("quadrilateral", r.none)
    yield _quadrilateral("rectangle", r.rectangle, "parallelogram")
    yield _quadrilateral("rhombus", r.rhombus, "parallelogram", "kite")
    yield _quadrilateral("right_trapezoid", r.right_trapezoid, "trapezoid")
    yield _quadrilateral("square", r.square, "rectangle", "rhombus")
    yield _quadrilateral("trapezoid", r.trapezoid, "quadrilateral")
    yield _shape(
        "regular_polygon",
        "ABC+",
        cyclic,
        r.regular_polygon,
        strokes="ABC+",
        words=(
            "<ABCDE+> is a regular <noun A+>; regular <noun A+> <ABCDE+> is drawn; "
            "there is a regular <noun A+> <ABCDE+>; let <ABCDE+> be a regular <noun A+>"
        ),
        openings="in regular <noun A+> <ABCDE+>; regular <noun A+> <ABCDE+>",
        readings="[a ]regular <noun A+> <ABC+>[ is drawn]; <ABC+> is a regular <noun A+>",
    )


def _kind(word: str, residual: r.Residual) -> Predicate:
    """A sort of triangle."""
    kind = f"{'an' if word[0] in 'aeiou' else 'a'} {word} triangle"
    return _shape(
        word,
        "ABC",
        any_order,
        residual,
        strokes="ABC+",
        broader=("triangle",),
        words=(
            f"<triangle ABC> is {word}; <triangle ABC> is {kind}; {word} <triangle ABC> is drawn; "
            f"there is {kind.removesuffix('triangle')}<triangle ABC>; <ABC> is {kind}; let <ABC> be {kind}"
        ),
        openings=f"in {word} <triangle ABC>; {word} <triangle ABC>",
        readings=f"[in ][a ]{word}[-angled] <triangle ABC>[ is drawn]; <triangle ABC> is a {word}[-angled][ triangle]",
    )


def _quadrilateral(name: str, residual: r.Residual, *broader: str) -> Predicate:
    noun = name.replace("_", " ")
    kind = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    row = _shape(
        name,
        "ABCD",
        cyclic,
        residual,
        strokes="ABCD+",
        broader=broader,
        words=f"<ABCD> is {kind}; {noun} <ABCD> is drawn; there is {kind} <ABCD>; let <ABCD> be {kind}",
        openings=f"in {noun} <ABCD>; {noun} <ABCD>",
        readings=f"[in ][a ]{noun} <ABCD>[ is drawn]",
    )
    return replace(row, condition=trapezoid_condition) if "trapezoid" in name else row
