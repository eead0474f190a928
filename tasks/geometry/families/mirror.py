"""``geometry.mirror``: the figure mirrored with its letters upright, of which the same caption is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from storage.rows import Anchor, Contrast, Edit, Fact, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import Checks, checked
from tasks.geometry.checks import check_differs, check_own_claims, check_picture, look_at_anchor, read_anchor
from tasks.geometry.drawing.script import write_script
from tasks.geometry.figure.scene import Scene, SceneError
from tasks.geometry.figures import FigureError, read_figure
from tasks.geometry.settings import GeometrySettings
from tasks.geometry.styles import choose_style

MIRROR = "geometry.mirror"
_FLAT = 0.02  # of the squared extent: triples of points with a smaller area turn neither way


def make_mirror(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """The anchor's scene with left and right exchanged."""
    try:
        scene = Scene.from_facts(anchor.facts)
        points = {name: (-x, y) for name, (x, y) in scene.points.items()}
        circles = {name: (-x, y, radius) for name, (x, y, radius) in scene.circles.items()}
        marks = tuple(_turn_arc(mark) for mark in scene.marks)
        mirrored = replace(scene, points=points, circles=circles, marks=marks)
        code = write_script(mirrored, choose_style(context, anchor.source, anchor.source_id))
        png = read_figure(code, context.renderer).png
    except (SceneError, FigureError) as error:
        yield reject_contrast(MIRROR, anchor, f"mirror: {error}")
        return
    yield Draft(text=anchor.caption, image=png, code=code, edits=(Edit("mirror", "left", "right"),))


@checked
def verify_mirror(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """Another picture, of which the anchor's caption is true, with every triangle turned the other way."""
    figure = check_picture(checks, contrast.code, contrast.image, context)
    anchored = look_at_anchor(anchor, context)
    checks.require("same_letters", set(figure.points) == set(anchored.points), "other letters than the anchor's")
    checks.require("caption_kept", contrast.text == anchor.caption, "the text is not the anchor's caption")
    check_own_claims(checks, read_anchor(anchor), figure)
    kept = [name for name in combinations(sorted(figure.points), 3) if _turn(figure, name) * _turn(anchored, name) > 0]
    checks.require("turned", not kept, lambda: f"{''.join(kept[0])} runs the same way round as in the anchor")
    check_differs(checks, contrast, anchor)


def _turn_arc(mark: Fact) -> Fact:
    """An arc runs counter-clockwise from its first end to its second: in the mirror it begins at the other."""
    if mark.predicate != "mark_arc":
        return mark
    p, q, circle = mark.arguments
    return replace(mark, arguments=(q, p, circle))


def _turn(figure: Scene, names: tuple[str, ...]) -> int:
    """1 for points that run counter-clockwise, -1 for clockwise, 0 for nearly collinear ones."""
    (ax, ay), (bx, by), (cx, cy) = (figure.points[name] for name in names)
    area = ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / figure.extent**2
    return (area > _FLAT) - (area < -_FLAT)


FAMILIES = (
    Family(
        MIRROR,
        "positive",
        "image",
        "ours",
        "the figure mirrored, its letters upright",
        make=make_mirror,
        verify=verify_mirror,
        count=lambda _: 1,
        version=5,
        uses=("markings", "legible_at", "style"),
    ),
)
