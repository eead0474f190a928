"""``geometry.template``: other figures that look alike, drawn as the anchor is (RULE-IMG, MMCLIP Table 4).

The paper draws 100K pictures from hand-made templates and takes the most similar as hard negatives. A picture of a bank
is told at a glance, though: it has other letters, other shapes, no unknown. So our templates are first of all the
figures of the run's other anchors, then those of a sampled bank, and each is drawn anew with the anchor's letters and
style (`tasks.geometry.families.bank`, `tasks.geometry.families.fitting`). A figure of which the anchor's caption
happens to be true, or that is nearly the anchor itself, is no negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np

from counterfoil.renderers.results import Outcome
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.geometry.captions.write import write_caption
from counterfoil.tasks.geometry.checks import (
    check_differs,
    check_own_claims,
    check_picture,
    check_same_look,
    check_script,
    is_ours,
    look_at_anchor,
    read_anchor,
    read_text,
)
from counterfoil.tasks.geometry.drawing.layout import lay_out
from counterfoil.tasks.geometry.drawing.preview import Layout
from counterfoil.tasks.geometry.drawing.script import write_layout
from counterfoil.tasks.geometry.drawing.sheet import write_sheet
from counterfoil.tasks.geometry.edits.unexplained import find_unsaid
from counterfoil.tasks.geometry.families.bank import BANK, is_sampled
from counterfoil.tasks.geometry.families.fitting import FitError, borrow_scene, fit_scene
from counterfoil.tasks.geometry.families.likeness import extract_feature, measure_similarity
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError
from counterfoil.tasks.geometry.refuting import find_false
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.styles import choose_style

TEMPLATE = "geometry.template"
_CLOSE = 0.005
"""Fitting a figure to other letters may move its strokes by so much."""


def make_template(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """The figures that the anchor is offered, nearest first, drawn in its manner."""
    bank = BANK.of(context)
    try:
        scene = Scene.from_facts(anchor.facts)
    except SceneError as error:
        yield reject_contrast(TEMPLATE, anchor, f"scene: {error}")
        return
    if scene.axes:
        yield reject_contrast(TEMPLATE, anchor, "axes: a figure of other axes has other numerals, which a glance tells")
        return
    names, rng = iter(bank.offers.get(anchor.anchor_id, ())), context.rng(TEMPLATE, anchor.anchor_id)
    while some := list(islice(names, context.settings.negatives)):
        yield from _draw_template(anchor, scene, {name: bank.get(name) for name in some}, context, rng)


def _draw_template(
    anchor: Anchor,
    scene: Scene,
    figures: Mapping[str, Scene],
    context: Context[GeometrySettings],
    rng: np.random.Generator,
) -> Iterator[Candidate | Reject]:
    """Figures drawn in the manner of the anchor's, together."""
    shape, style = extract_feature(scene), choose_style(context, anchor.source, anchor.source_id)
    drawn: list[tuple[Scene, Scene, Layout]] = []
    for name, figure in figures.items():
        try:
            fitted = fit_scene(figure, scene, rng) if is_sampled(name) else borrow_scene(figure, scene)
        except FitError as error:
            yield reject_contrast(TEMPLATE, anchor, str(error))
            continue
        drawn.append((figure, fitted, lay_out(fitted, style)))
    codes = [write_layout(layout) for _, _, layout in drawn]
    renderings = context.renderer.render_together(codes, [write_sheet(layout) for _, _, layout in drawn])
    for (figure, fitted, _), code, rendering in zip(drawn, codes, renderings, strict=True):
        if rendering.outcome != Outcome.OK or rendering.png is None:
            why = rendering.error.message if rendering.error else rendering.log[-200:]
            yield reject_contrast(TEMPLATE, anchor, f"render: {rendering.outcome} {why}".strip())
            continue
        caption = write_caption(fitted.to_facts(), rng, context.settings.caption_style)
        similarity = measure_similarity(shape, extract_feature(figure))
        yield Draft(text=caption, image=rendering.png, code=code, similarity=similarity)


@checked
def verify_template(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """Another picture, true to its own caption, of which the anchor's is visibly false."""
    figure = check_picture(checks, contrast.code, contrast.image, context, is_ours(contrast.provenance))
    claims = read_text(checks, contrast.text or "", figure)
    check_own_claims(checks, claims, figure)
    unsaid = find_unsaid(figure, claims) if is_ours(contrast.provenance) else None
    checks.require("own_claims_shown", unsaid is None, unsaid or "")
    look_at_anchor(anchor, context)
    check_same_look(checks, contrast, anchor, context)
    check_script(checks, contrast, anchor, context)
    read_anchor(anchor)
    broken = find_false(anchor.caption or "", figure)
    checks.require("anchor_broken", bool(broken), "no claim of the anchor's caption visibly fails in the picture")
    check_differs(checks, contrast, anchor)
    _check_similarity(contrast, anchor, figure)


def _check_similarity(contrast: Contrast, anchor: Anchor, figure: Scene) -> None:
    """The similarity is that of the two figures."""
    due = measure_similarity(extract_feature(Scene.from_facts(anchor.facts)), extract_feature(figure))
    if contrast.similarity is None or abs(contrast.similarity - due) > _CLOSE:
        raise CheckError(f"similarity_true: the row says {contrast.similarity}, and it is {due:.3f}")


FAMILIES = (
    Family(
        TEMPLATE,
        "negative",
        "image",
        paper="MMCLIP Table 4 (RULE-IMG)",
        how="the nearest figures of the run and of a bank, drawn with the anchor's letters and style",
        make=make_template,
        verify=verify_template,
        count=lambda settings: settings.negatives,
        version=18,
        uses=("negatives", "markings", "legible_at", "style", "caption_style", "template_bank"),
        looked_at=True,
        rates=("similarity",),
        prepare=BANK,
    ),
)
