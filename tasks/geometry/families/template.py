"""``geometry.template``: other figures that look alike, drawn as the anchor is (RULE-IMG, MMCLIP Table 4).

The paper draws 100K pictures from hand-made templates and takes the most similar as hard negatives. A picture of a bank
is told at a glance, though: it has other letters, other shapes, no unknown. So our templates are first of all the
figures of the run's other anchors, then those of a sampled bank, and each is drawn anew with the anchor's letters and
style (`tasks.geometry.families.bank`, `tasks.geometry.families.fitting`). A figure of which the anchor's caption
happens to be true, or that is nearly the anchor itself, is no negative.
"""

from __future__ import annotations

from collections.abc import Iterator

from storage.rows import Anchor, Contrast, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import Checks, checked
from tasks.geometry.captions.write import write_caption
from tasks.geometry.checks import (
    check_differs,
    check_own_claims,
    check_picture,
    check_same_look,
    look_at_anchor,
    read_anchor,
    read_text,
)
from tasks.geometry.drawing.script import write_script
from tasks.geometry.families.bank import BANK, is_sampled
from tasks.geometry.families.fitting import FitError, borrow_scene, fit_scene
from tasks.geometry.families.likeness import extract_feature, measure_similarity
from tasks.geometry.figure.claims import find_broken, find_unknown
from tasks.geometry.figure.scene import Scene, SceneError
from tasks.geometry.figures import FigureError, read_figure
from tasks.geometry.settings import GeometrySettings
from tasks.geometry.styles import choose_style

TEMPLATE = "geometry.template"


def make_template(anchor: Anchor, context: Context[GeometrySettings]) -> Iterator[Candidate | Reject]:
    """The figures that the anchor is offered, nearest first, drawn in its manner."""
    bank = BANK.of(context)
    try:
        scene = Scene.from_facts(anchor.facts)
    except SceneError as error:
        yield reject_contrast(TEMPLATE, anchor, f"scene: {error}")
        return
    shape, style = extract_feature(scene), choose_style(context, anchor.source, anchor.source_id)
    for rank, name in enumerate(bank.offers.get(anchor.anchor_id, ())):
        figure = bank.get(name)
        rng = context.rng(TEMPLATE, anchor.anchor_id, rank)
        try:
            fitted = fit_scene(figure, scene, rng) if is_sampled(name) else borrow_scene(figure, scene)
            code = write_script(fitted, style)
            png = read_figure(code, context.renderer).png
        except FitError as error:
            yield reject_contrast(TEMPLATE, anchor, str(error))
            continue
        except FigureError as error:
            yield reject_contrast(TEMPLATE, anchor, f"{error.check}: {error}")
            continue
        caption = write_caption(fitted.to_facts(), rng, context.settings.caption_style)
        similarity = measure_similarity(shape, extract_feature(figure))
        yield Draft(text=caption, image=png, code=code, similarity=similarity)


@checked
def verify_template(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """Another picture, true to its own caption, of which the anchor's is visibly false."""
    figure = check_picture(checks, contrast.code, contrast.image, context)
    check_own_claims(checks, read_text(checks, contrast.text or "", figure), figure)
    look_at_anchor(anchor, context)
    check_same_look(checks, contrast, anchor, context)
    claims = read_anchor(anchor)
    broken = find_broken(claims, figure) or find_unknown(claims, figure)
    checks.require("anchor_broken", bool(broken), "no claim of the anchor's caption visibly fails in the picture")
    check_differs(checks, contrast, anchor)


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
        version=9,
        uses=("negatives", "markings", "legible_at", "style", "caption_style", "template_bank"),
        looked_at=True,
        prepare=BANK,
    ),
)
