"""The geometry families end to end: made, drawn in the sandbox, verified, counted."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.engine.registry import group_families, load_domain
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.geometry.checks import check_negative_text
from counterfoil.tasks.geometry.domain import DOMAIN
from counterfoil.tasks.geometry.families.perturb import make_perturbed
from counterfoil.tasks.geometry.families.rule import make_rule
from tests.tasks.geometry.figures import SCENES, bare_isosceles, draw_anchor, right_triangle, two_triangles

TEN = [make for make in SCENES if make is not bare_isosceles]


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_anchor_is_verified(make, context) -> None:
    verdict = DOMAIN.verify_anchor(draw_anchor(make(), context.renderer), context)
    assert verdict.passed, verdict.reasons
    assert "claims_shown" in verdict.checks


@pytest.mark.parametrize("make", TEN, ids=lambda make: make.__name__)
def test_ten_of_ten_are_accepted(make, context) -> None:
    anchor = draw_anchor(make(), context.renderer, make.__name__)
    for names, group in (
        (("geometry.caption", "geometry.image"), group_families(DOMAIN, ["geometry.caption"])),
        (("geometry.rule",), group_families(DOMAIN, ["geometry.rule"])),
    ):
        rows = make_contrasts(group[0], anchor, context)
        accepted = [row for row in rows if isinstance(row, Contrast)]
        for name in names:
            assert [row.rank for row in accepted if row.family == name] == list(range(10))
        assert all(row.checks and row.contrast_id for row in accepted)
        assert not [row for row in rows if isinstance(row, Reject) and "internal_error" in row.reasons[0]]


@pytest.mark.parametrize("family", ["geometry.caption", "geometry.rule"])
def test_negatives_are_near_misses_of_each_caption(family, context) -> None:
    anchor = draw_anchor(two_triangles(), context.renderer, "three")
    rows = make_contrasts(group_families(DOMAIN, [family])[0], anchor, context)
    texts = [row.text or "" for row in rows if isinstance(row, Contrast) and row.family == family]
    likest = [max(anchor.captions, key=lambda each: SequenceMatcher(None, each, text).ratio()) for text in texts]
    assert len(anchor.captions) == 3
    assert min(likest.count(caption) for caption in anchor.captions) >= 2


def test_caption_and_image_are_one_group() -> None:
    groups = group_families(load_domain("geometry"), ["geometry.image"])
    assert [[family.name for family in group] for group in groups] == [["geometry.caption", "geometry.image"]]


def test_lean_figure_falls_short_with_reasons(context) -> None:
    anchor = draw_anchor(bare_isosceles(), context.renderer, "lean")
    rows = make_contrasts(group_families(DOMAIN, ["geometry.image"])[0], anchor, context)
    pictures = [row for row in rows if isinstance(row, Contrast) and row.family == "geometry.image"]
    shortfalls = [row for row in rows if isinstance(row, Reject) and row.reasons[0].startswith("shortfall")]
    assert len(pictures) >= 5
    short = {"geometry.caption", "geometry.image"} if len(pictures) < 10 else set()
    assert {row.family for row in shortfalls} == short


def test_pair_shares_caption_code_and_rank(context) -> None:
    anchor = draw_anchor(two_triangles(), context.renderer, "pair")
    rows = make_contrasts(group_families(DOMAIN, ["geometry.image"])[0], anchor, context)
    captions = [row for row in rows if isinstance(row, Contrast) and row.family == "geometry.caption"]
    pictures = [row for row in rows if isinstance(row, Contrast) and row.family == "geometry.image"]
    assert [(c.text, c.code, c.rank) for c in captions] == [(p.text, p.code, p.rank) for p in pictures]
    assert all(row.image is None for row in captions) and all(row.image is not None for row in pictures)


def test_same_seed_gives_same_bytes(context) -> None:
    anchor = draw_anchor(right_triangle(), context.renderer, "again")
    first = [next(iter(make_perturbed(anchor, context))), next(iter(make_rule(anchor, context)))]
    again = [next(iter(make_perturbed(anchor, context))), next(iter(make_rule(anchor, context)))]
    assert first == again


def test_unreadable_caption_is_a_reject_with_its_reason(context) -> None:
    anchor = replace(draw_anchor(right_triangle(), context.renderer, "odd"), caption="A lovely drawing.")
    made = list(make_perturbed(anchor, context))
    assert [row.family for row in made if isinstance(row, Reject)] == ["geometry.caption", "geometry.image"]
    assert made[0].reasons[0].startswith("caption: cannot read")


def test_without_numbers_no_caption_states_one(context) -> None:
    scene = two_triangles()
    bare = replace(scene, marks=(), facts=tuple(fact for fact in scene.facts if fact.value is None))
    anchor = draw_anchor(bare, context.renderer, "bare")
    rows = make_contrasts(group_families(DOMAIN, ["geometry.image"])[0], anchor, context)
    texts = [row.text or "" for row in rows if isinstance(row, Contrast)]
    assert texts and not any(character.isdigit() for text in texts for character in text)


@pytest.mark.parametrize("number", ["9.0", "18/2", "09", "1x"])
def test_a_number_that_nobody_writes_so_tells_a_negative(number) -> None:
    anchor = Anchor("a", "geometry", "s", "1", "train", caption="AB = 4.")
    check_negative_text(Checks(), "AB = 9.", anchor, right_triangle(), drastic=False)
    with pytest.raises(CheckError, match=f"written_plainly: nobody writes {number}"):
        check_negative_text(Checks(), f"AB = {number}.", anchor, right_triangle(), drastic=False)
