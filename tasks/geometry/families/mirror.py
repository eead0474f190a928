"""``geometry.mirror``: the figure mirrored with its letters upright, of which the same caption is true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.geometry.anchors import check_closed
from counterfoil.tasks.geometry.checks import (
    check_differs,
    check_own_claims,
    check_picture,
    check_script,
    is_ours,
    look_at_anchor,
    read_anchor,
)
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.facts.residuals import sine_between
from counterfoil.tasks.geometry.figure.motions import mirror_scene
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError
from counterfoil.tasks.geometry.figures import FigureError, read_figure
from counterfoil.tasks.geometry.measuring.rules import find_other_look
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.styles import choose_style

MIRROR = "geometry.mirror"
TURNED = (Edit("mirror", "left", "right"),)
_FLAT = 4e-4  # points so nearly on one line turn neither way: the product of both sines


def make_mirror(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """The anchor's scene with left and right exchanged."""
    try:
        scene = Scene.from_facts(anchor.facts)
        if scene.axes:
            yield reject_contrast(MIRROR, anchor, "axes: mirrored, its points would have other coordinates")
            return
        style = choose_style(context, anchor.source, anchor.source_id)
        code = write_script(mirror_scene(scene), style)
        png = read_figure(code, context.renderer).png
    except (SceneError, FigureError) as error:
        yield reject_contrast(MIRROR, anchor, f"mirror: {error}")
        return
    yield Draft(text=anchor.caption, image=png, code=code, edits=TURNED)


@checked
def verify_mirror(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """Another picture, of which the anchor's caption is true, with every triangle turned the other way."""
    figure = check_picture(checks, contrast.code, contrast.image, context, is_ours(contrast.provenance))
    anchored = look_at_anchor(anchor, context)
    checks.require("same_letters", set(figure.points) == set(anchored.points), "other letters than the anchor's")
    as_made = contrast.text == anchor.caption and contrast.edits == TURNED
    checks.require("caption_kept", as_made, "the text is not the anchor's caption, or the edit not that it is mirrored")
    check_own_claims(checks, read_anchor(anchor), figure)
    kept = [t for t in combinations(sorted(figure.points), 3) if _turn(figure, *t) * _turn(anchored, *t) > _FLAT]
    try:
        turned = mirror_scene(Scene.from_facts(anchor.facts))
    except SceneError as error:
        raise CheckError(f"turned: {error}") from error
    other = find_other_look(*(read_figure(row.code or "", context.renderer).drawing for row in (contrast, anchor)))
    checks.require("turned", other is None, other or "")
    check_closed(checks, "turned", turned, contrast.code, read_figure(contrast.code or "", context.renderer), True)
    checks.require("turned", not kept, lambda: f"{''.join(kept[0])} runs the same way round as in the anchor")
    check_script(checks, contrast, anchor, context)
    check_differs(checks, contrast, anchor)


def _turn(figure: Scene, p: str, q: str, r: str) -> float:
    """Positive for points that run counter-clockwise, negative for clockwise: the sine of the angle at P."""
    return sine_between(*(figure.points[name] for name in (p, q, p, r)))


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
        version=11,
        uses=("markings", "legible_at", "style"),
    ),
)
