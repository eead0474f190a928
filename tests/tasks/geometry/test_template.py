"""``geometry.template``: the bank is whole, the same for everyone, and searched by how pictures look."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Pillow

from storage.rows import Contrast
from tasks.contract.context import Context
from tasks.contract.prepare import Prepared
from tasks.engine.fingerprints import PROCEDURAL
from tasks.engine.jobs import DomainRun, Pipeline
from tasks.engine.prepare import HeldPart, open_prepared, prepare_here
from tasks.engine.registry import group_families
from tasks.engine.rows import make_contrasts
from tasks.engine.runner import run_job
from tasks.geometry.domain import DOMAIN
from tasks.geometry.families.bank import BANK, CHUNK, SCHEMA, Bank, BankError
from tasks.geometry.families.features import LENGTH, LEVELS, extract_feature, measure_distances, measure_similarity
from tasks.geometry.measuring.pixels import count_changed
from tests.tasks.geometry.figures import draw_anchor, midsegment, right_triangle


def draw_line(x0: int, y0: int, x1: int, y1: int) -> bytes:
    pixels = np.full((256, 256), 255, np.uint8)
    for t in np.linspace(0, 1, 800):
        y, x = round(y0 + t * (y1 - y0)), round(x0 + t * (x1 - x0))
        pixels[y - 1 : y + 2, x - 1 : x + 2] = 0
    buffer = io.BytesIO()
    Pillow.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def build_bank(size: int, context: Context) -> Bank:
    settings = context.settings.model_copy(update={"template_bank": size})
    return BANK.of(prepare_here(BANK, (), replace(context, settings=settings)))


@pytest.fixture(scope="module")
def prepared(context) -> Context:
    return prepare_here(BANK, (), context)


@pytest.fixture(scope="module")
def bank(prepared) -> Bank:
    return BANK.of(prepared)


def test_feature_is_small_integers(bank) -> None:
    feature = extract_feature(bank.get(0).picture)
    assert feature.shape == (LENGTH,) and feature.dtype == np.uint8 and feature.max() <= LEVELS


def test_similar_pictures_are_near_and_others_far() -> None:
    level, tilted, steep = draw_line(40, 120, 200, 122), draw_line(40, 110, 200, 130), draw_line(120, 40, 122, 200)
    first = extract_feature(level)
    near, far = extract_feature(tilted), extract_feature(steep)
    assert measure_distances(np.stack([near, far]), first)[0] < measure_distances(np.stack([near, far]), first)[1]
    assert measure_similarity(first, first) == 1.0
    assert measure_similarity(first, near) > measure_similarity(first, far)


def test_place_on_the_page_does_not_count() -> None:
    first, moved = extract_feature(draw_line(30, 40, 130, 90)), extract_feature(draw_line(90, 120, 190, 170))
    assert measure_similarity(first, moved) > 0.99


def test_distances_are_exact(bank) -> None:
    query = bank.features[3]
    expected = ((bank.features.astype(int) - query.astype(int)) ** 2).sum(axis=1)
    assert np.array_equal(measure_distances(bank.features, query).astype(int), expected)
    assert bank.find_nearest(query, 1) == [3]


def list_codes(bank: Bank) -> list[str]:
    return [bank.get(position).code for position in range(len(bank))]


def test_larger_bank_starts_with_the_smaller(context, bank) -> None:
    larger = build_bank(CHUNK + 5, context)
    assert (len(bank), len(larger)) == (24, CHUNK + 5)
    assert list_codes(bank) == list_codes(larger)[:24]
    assert np.array_equal(larger.features[:24], bank.features)


def test_bank_reads_its_pictures_back_from_staged_chunks(tmp_path, bank, context) -> None:
    work = Pipeline(
        str(tmp_path),
        {"geometry": context.settings.model_dump()},
        PROCEDURAL,
        PROCEDURAL,
        seed=context.seed,
        shard_size=4,
    )
    parts = work.part_jobs("geometry", group_families(DOMAIN, ["geometry.template"])[0], DomainRun("geometry"))
    for job in [*parts, last := work.gather_job(parts)]:
        run_job(job, context, work.staged)
    opened = BANK.of(open_prepared(BANK, last.fingerprint, work.staged, context))
    assert list_codes(opened) == list_codes(bank) and np.array_equal(opened.features, bank.features)
    assert opened.get(5).picture == bank.get(5).picture and np.array_equal(opened.get(5).feature, bank.features[5])


def test_a_bank_of_another_size_is_made_of_the_same_chunks(tmp_path, context) -> None:
    keys = []
    for size in (CHUNK, 4 * CHUNK):
        section = context.settings.model_copy(update={"template_bank": size}).model_dump()
        work = Pipeline(str(tmp_path), {"geometry": section}, PROCEDURAL, PROCEDURAL, seed=7, shard_size=4)
        parts = work.part_jobs("geometry", group_families(DOMAIN, ["geometry.template"])[0], DomainRun("geometry"))
        keys.append([job.fingerprint for job in parts])
    assert len(keys[1]) > len(keys[0])
    assert keys[1][: len(keys[0])] == keys[0]


def test_bank_of_scripts_that_do_not_draw_is_refused(context) -> None:
    with pytest.raises(BankError, match="only 0 of 120 sampled scenes drew, 24 are wanted"):
        BANK.open(Prepared([HeldPart(SCHEMA.empty_table())] * 3), context)


@pytest.mark.parametrize("make", [right_triangle, midsegment], ids=lambda make: make.__name__)
def test_nearest_pictures_are_verified_negatives(make, context, prepared) -> None:
    anchor = draw_anchor(make(), context.renderer, make.__name__)
    rows = make_contrasts(group_families(DOMAIN, ["geometry.template"])[0], anchor, prepared)
    accepted = [row for row in rows if isinstance(row, Contrast)]
    assert len(accepted) == 10
    similarities = [row.similarity for row in accepted]
    assert all(0 < similarity < 1 for similarity in similarities)
    for row in accepted:
        assert count_changed(row.image.bytes, anchor.image.bytes) > 100
        assert {"own_claims_shown", "anchor_broken"} <= set(row.checks)


def test_picture_of_which_the_caption_is_true_is_no_negative(context, prepared) -> None:
    anchor = draw_anchor(right_triangle(), context.renderer, "same")
    group = group_families(DOMAIN, ["geometry.template"])[0]
    row = next(r for r in make_contrasts(group, anchor, prepared) if isinstance(r, Contrast))
    verify = DOMAIN.families["geometry.template"].verify
    twin = replace(row, text=anchor.caption, image=anchor.image, code=anchor.code)
    assert any(reason.startswith("anchor_broken") for reason in verify(twin, anchor, context).reasons)
    assert not verify(replace(row, text=anchor.caption), anchor, context).passed
