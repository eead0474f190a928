"""``geometry.mirror``: the same caption, another picture."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Contrast
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.geometry.domain import DOMAIN
from tests.tasks.geometry.figures import SCENES, draw_anchor, midsegment, parallelogram

GROUP = group_families(DOMAIN, ["geometry.mirror"])[0]


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_a_mirrored_figure_shows_the_same_caption(make, context) -> None:
    anchor = draw_anchor(make(), context.renderer, make.__name__)
    (row,) = make_contrasts(GROUP, anchor, context)
    assert isinstance(row, Contrast), row
    assert (row.role, row.modality, row.text) == ("positive", "image", anchor.caption)
    assert {"own_claims_shown", "turned", "differs_from_anchor"} <= set(row.checks)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda row, anchor, _: replace(row, image=anchor.image, code=anchor.code), "turned"),
        (lambda row, anchor, _: replace(row, image=anchor.image), "picture_reproduced"),
        (lambda row, _, other: replace(row, image=other.image, code=other.code), "same_letters"),
        (lambda row, _, __: replace(row, text="AB = 5."), "caption_kept"),
    ],
)
def test_what_is_no_mirror_image_is_caught(change, code, context) -> None:
    anchor, other = (draw_anchor(make(), context.renderer, make.__name__) for make in (midsegment, parallelogram))
    (row,) = make_contrasts(GROUP, anchor, context)
    reasons = DOMAIN.families[row.family].verify(change(row, anchor, other), anchor, context).reasons
    assert reasons[0].startswith(f"{code}: ")


def test_a_caption_that_the_mirrored_figure_does_not_show_is_no_positive(context) -> None:
    anchor = draw_anchor(midsegment(), context.renderer, "midsegment")
    (row,) = make_contrasts(GROUP, anchor, context)
    false = "BC = 7."
    verdict = DOMAIN.families[row.family].verify(replace(row, text=false), replace(anchor, caption=false), context)
    assert verdict.reasons[0].startswith("own_claims_shown: ")
