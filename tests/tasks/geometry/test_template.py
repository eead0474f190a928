"""``geometry.template``: figures of the run and of a bank, shared out among all anchors, drawn in each one's manner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from counterfoil.storage.rows import Anchor, Contrast, Fact
from counterfoil.storage.schemas import to_table
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.merging import AnchorShard
from counterfoil.tasks.engine.prepare import open_prepared, prepare_here
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.engine.runner import run_job
from counterfoil.tasks.geometry.domain import DOMAIN
from counterfoil.tasks.geometry.facts.predicates import NUMBER_MARKS
from counterfoil.tasks.geometry.families import bank as banks
from counterfoil.tasks.geometry.families.bank import BANK, CHUNK, MOST_USES, Bank, is_sampled, make_chunk
from counterfoil.tasks.geometry.families.fitting import borrow_scene, bring_to_square, fit_scene
from counterfoil.tasks.geometry.families.likeness import (
    COUNTED,
    LENGTH,
    LEVELS,
    count_parts,
    extract_feature,
    measure_distances,
    measure_similarity,
)
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figures import read_figure
from counterfoil.tasks.geometry.measuring.pixels import count_changed
from counterfoil.tasks.geometry.measuring.rules import find_other_look
from counterfoil.tasks.geometry.sources.sampler import sample_marked, sample_scene
from tests.tasks.geometry.figures import draw_anchor, midsegment, right_triangle
from tests.tasks.geometry.samples import ROWS

PROCEDURAL = {"kind": "procedural"}

(GROUP,) = group_families(DOMAIN, ["geometry.template"])


def build_anchor(number: int, split: str = "train", group: str | None = None) -> Anchor:
    """An anchor of a sampled scene, as far as a bank reads it: nothing is drawn."""
    facts = sample_scene(generator(5, "template", number)).to_facts()
    name = f"{number:08x}-anchor"
    return Anchor(anchor_id=name, domain="geometry", source="s", source_id=name, split=split, group=group, facts=facts)


def share(anchors: Sequence[Sequence[Anchor]], context: Context, size: int = 20, negatives: int = 10) -> Bank:
    settings = context.settings.model_copy(update={"template_bank": size, "negatives": negatives})
    return BANK.of(prepare_here(BANK, anchors, replace(context, settings=settings)))


@pytest.fixture(scope="module")
def anchors() -> list[Anchor]:
    return [build_anchor(number) for number in range(12)]


@pytest.fixture(scope="module")
def bank(anchors, context) -> Bank:
    return share([anchors], context)


def test_a_figure_is_as_near_to_its_copy_as_can_be_wherever_it_lies_and_however_large() -> None:
    scene = sample_scene(generator(5, "template", 1))
    moved = replace(scene, points={name: (3 * x + 7, 3 * y - 2) for name, (x, y) in scene.points.items()}, circles={})
    flat = replace(scene, circles={})
    feature = extract_feature(flat)
    assert feature.shape == (LENGTH,) and feature.dtype == np.uint8 and feature.max() <= LEVELS
    assert measure_similarity(feature, extract_feature(moved)) > 0.98
    turned = replace(flat, points={name: (-y, x) for name, (x, y) in flat.points.items()})
    assert measure_similarity(feature, extract_feature(turned)) < 0.9


def test_distances_are_exact_and_say_more_for_a_figure_of_another_density() -> None:
    scenes = [sample_scene(generator(5, "template", number)) for number in range(9)]
    features = np.stack([extract_feature(scene) for scene in scenes])
    apart = np.stack([count_parts(scene) - count_parts(scenes[3]) for scene in scenes])
    none = np.zeros_like(apart)
    expected = ((features.astype(int) - features[3].astype(int)) ** 2).sum(axis=1)
    assert np.array_equal(measure_distances(features.astype(np.float32), none, features[3]), expected)
    counted = measure_distances(features.astype(np.float32), apart, features[3])
    assert np.array_equal(counted > expected, apart.any(axis=1))


def test_numbers_that_can_be_left_away_cost_nothing_in_a_figure_that_will_be_thinned() -> None:
    features, query = np.zeros((2, LENGTH), np.float32), np.zeros(LENGTH, np.uint8)
    apart = np.zeros((2, len(COUNTED)), np.int64)
    apart[0, COUNTED.index("mark_angle")], apart[1, COUNTED.index("mark_angle")] = 3, -3
    assert measure_distances(features, apart, query, thinned=True)[0] == 0
    assert measure_distances(features, apart, query, thinned=True)[1] > 0
    assert measure_distances(features, apart, query)[0] > 0


def test_no_figure_is_offered_too_often_nor_twice_to_one_anchor_nor_to_itself(anchors, bank) -> None:
    uses = Counter(name for offered in bank.offers.values() for name in offered)
    assert max(uses.values()) <= MOST_USES
    for anchor in anchors:
        offered = bank.offers[anchor.anchor_id]
        assert len(offered) == len(set(offered)) >= 20
        assert anchor.anchor_id not in offered
    assert {is_sampled(name) for name in uses} == {True, False}


def test_figures_of_other_splits_and_of_ones_own_group_are_not_offered(context) -> None:
    anchors = [build_anchor(0, group="one"), build_anchor(1, group="one"), build_anchor(2), build_anchor(3, "test")]
    offers = share([anchors], context).offers
    own = {name: [each for each in offered if not is_sampled(each)] for name, offered in offers.items()}
    first, second, third, other = (own[anchor.anchor_id] for anchor in anchors)
    assert first == second == [anchors[2].anchor_id]
    assert set(third) == {anchors[0].anchor_id, anchors[1].anchor_id}
    assert other == []


def test_offers_do_not_depend_on_how_anchors_are_cut_into_shards(anchors, bank, context) -> None:
    assert share([anchors[:5], anchors[5:6], anchors[6:]], context).offers == bank.offers


def test_a_bank_of_another_size_is_made_of_the_same_chunks_and_shared_out_anew(tmp_path, context) -> None:
    keys, last = [], []
    for size in (20, CHUNK, 2 * CHUNK + 5):
        section = context.settings.model_copy(update={"template_bank": size}).model_dump()
        work = Pipeline(str(tmp_path), {"geometry": section}, PROCEDURAL, PROCEDURAL, seed=7, shard_size=4)
        parts = work.part_jobs("geometry", GROUP, DomainRun("geometry"))
        keys.append([job.fingerprint for job in parts])
        last.append(work.gather_job(parts).fingerprint)
    assert [len(each) for each in keys] == [1, 1, 3]
    assert keys[0] == keys[1] == keys[2][:1]
    assert len(set(last)) == 3


def test_a_staged_bank_offers_what_one_in_memory_does(tmp_path, anchors, bank, context) -> None:
    settings = context.settings.model_copy(update={"template_bank": 20})
    work = Pipeline(str(tmp_path), {"geometry": settings.model_dump()}, PROCEDURAL, PROCEDURAL, seed=7, shard_size=4)
    context = replace(context, settings=settings, seed=7)
    shards = [AnchorShard("a" * 64, "a" * 64, 7), AnchorShard("b" * 64, "b" * 64, 5)]
    for shard, rows in zip(shards, (anchors[:7], anchors[7:]), strict=True):
        work.staged.write(shard.fingerprint, {"anchors/domain=geometry": to_table(rows, "anchors")}, {})
    run = DomainRun("geometry", anchors=shards)
    parts = work.part_jobs("geometry", GROUP, run)
    for job in [*parts, last := work.gather_job(parts)]:
        run_job(job, context, work.staged)
    opened = BANK.of(open_prepared(BANK, last.fingerprint, work.staged, context))
    assert opened.offers == bank.offers
    for name in bank.offers[anchors[0].anchor_id]:
        assert opened.get(name) == bank.get(name)


def test_a_borrowed_figure_has_the_anchors_letters_where_the_anchor_has_them() -> None:
    anchor = right_triangle()
    lifted = replace(anchor, points={name: (x, y + 4) for name, (x, y) in anchor.points.items()})
    names = dict(zip("ABC", "XYZ", strict=True))
    other = Scene({names[name]: place for name, place in lifted.points.items()}, (("X", "Y"), ("Y", "Z"), ("X", "Z")))
    assert borrow_scene(other, anchor).points == lifted.points


def test_points_are_compared_in_a_square_about_zero_wherever_they_lie() -> None:
    for x, y, size in ((0.0, 0.0, 1.0), (10.0, -3.0, 1.0), (-7.0, 5.0, 9.0)):
        scene = Scene({"A": (x, y), "B": (x + 4 * size, y), "C": (x, y + 2 * size)})
        assert np.allclose(bring_to_square(scene, "ABC"), [(-0.5, -0.25), (0.5, -0.25), (-0.5, 0.25)])


def test_a_figure_of_the_bank_takes_unknowns_and_no_more_numbers_than_the_anchor_has() -> None:
    anchor = replace(right_triangle(), marks=(Fact("mark_length", ("A", "B"), "2x+1"),))
    for number in range(20):
        rng = generator(5, "marked", number)
        fitted = fit_scene(sample_marked(rng, 2), anchor, rng)
        numbers = [mark for mark in fitted.marks if mark.predicate in ("mark_length", "mark_angle", "mark_arc")]
        assert len(numbers) <= 1
        assert all(mark.value == "2x+1" for mark in numbers)
        assert len(fitted.points) < 3 or set(anchor.points) <= set(fitted.points)


@pytest.mark.parametrize("make", [right_triangle, midsegment], ids=lambda make: make.__name__)
def test_offered_figures_are_verified_negatives(make, context, anchors) -> None:
    anchor = draw_anchor(make(), context.renderer, make.__name__)
    rows = make_contrasts(GROUP, anchor, prepare_here(BANK, [[anchor, *anchors]], context))
    accepted = [row for row in rows if isinstance(row, Contrast)]
    assert len(accepted) == 10
    for row in accepted:
        assert 0 < row.similarity <= 1
        assert count_changed(row.image.bytes, anchor.image.bytes) > 100
        assert {"own_claims_shown", "anchor_broken", "same_look"} <= set(row.checks)


def test_varied_figures_are_drawn_in_their_anchors_style(context) -> None:
    settings = context.settings.model_copy(update={"style": "varied", "negatives": 3})
    varied = replace(context, settings=settings)
    looks = []
    for number in "14":
        row = SourceRow("geometry3k", number, "train", {**ROWS[0], "problem_id": number})
        (anchor,) = DOMAIN.sources["geometry3k"].make_anchors(row, varied)
        rows = make_contrasts(GROUP, anchor, prepare_here(BANK, [[anchor]], varied))
        accepted = [row for row in rows if isinstance(row, Contrast)]
        assert len(accepted) == 3
        drawn = read_figure(anchor.code, context.renderer).drawing
        assert [find_other_look(read_figure(row.code, context.renderer).drawing, drawn) for row in accepted] == [
            None
        ] * 3
        looks.append(drawn)
    assert find_other_look(*looks) is not None


def test_picture_of_which_the_caption_is_true_is_no_negative(context) -> None:
    anchor = draw_anchor(right_triangle(), context.renderer, "same")
    prepared = prepare_here(BANK, [[anchor]], context)
    row = next(r for r in make_contrasts(GROUP, anchor, prepared) if isinstance(r, Contrast))
    verify = DOMAIN.families["geometry.template"].verify
    twin = replace(row, text=anchor.caption, image=anchor.image, code=anchor.code)
    assert any(reason.startswith("anchor_broken") for reason in verify(twin, anchor, context).reasons)
    assert not verify(replace(row, text=anchor.caption), anchor, context).passed


def test_a_bank_whose_size_the_recipe_leaves_open_is_as_large_as_the_run_needs(context) -> None:
    count = BANK.count_parts
    assert count is not None
    open_size = context.settings.model_copy(update={"template_bank": None, "negatives": 10})
    assert [CHUNK * count(open_size, anchors) for anchors in (2, 100, 500, 5_000)] == [1_000, 2_000, 10_000, 20_000]
    assert CHUNK * count(open_size.model_copy(update={"template_bank": 5_000}), 2) == 5_000


@pytest.mark.parametrize("markings", [True, False])
def test_figures_of_the_bank_bear_numbers_where_anchors_do(markings: bool, context, monkeypatch) -> None:
    monkeypatch.setattr(banks, "CHUNK", 6)
    settings = context.settings.model_copy(update={"markings": markings})
    rows = make_chunk(0, replace(context, settings=settings))["facts"].to_pylist()
    drawn = {fact["predicate"] for row in rows for fact in row}
    assert len(rows) == 6 and bool(drawn & {*NUMBER_MARKS.values()}) == markings
