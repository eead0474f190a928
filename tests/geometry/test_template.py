"""``geometry.template``: the bank is whole, the same for everyone, and searched by how pictures look."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Pillow

from storage.rows import Contrast
from tasks.families import Context
from tasks.geometry.domain import DOMAIN
from tasks.geometry.families.bank import Bank, build_bank, open_bank
from tasks.geometry.families.features import LENGTH, LEVELS, extract_feature, measure_distances, measure_similarity
from tasks.geometry.families.template import get_bank
from tasks.geometry.pictures import count_changed
from tasks.geometry.settings import GeometrySettings
from tasks.registry import group_families
from tasks.shards import make_contrasts
from tests.geometry.figures import draw_anchor, midsegment, right_triangle


def draw_line(x0: int, y0: int, x1: int, y1: int) -> bytes:
    pixels = np.full((256, 256), 255, np.uint8)
    for t in np.linspace(0, 1, 800):
        y, x = round(y0 + t * (y1 - y0)), round(x0 + t * (x1 - x0))
        pixels[y - 1 : y + 2, x - 1 : x + 2] = 0
    buffer = io.BytesIO()
    Pillow.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def bank(renderer) -> Bank:
    return build_bank(24, 7, True, renderer)


def test_feature_is_small_integers(bank) -> None:
    feature = extract_feature(bank.pictures[0])
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


def test_larger_bank_starts_with_the_smaller(bank, renderer) -> None:
    smaller = build_bank(6, 7, True, renderer)
    assert smaller.codes == bank.codes[:6] and smaller.pictures == bank.pictures[:6]


def test_bank_is_made_once_and_reads_back_whole(tmp_path, bank, renderer) -> None:
    opened = open_bank(tmp_path, 24, 7, True, renderer)
    assert opened.codes == bank.codes and np.array_equal(opened.features, bank.features)
    rendered = renderer.rendered
    again = open_bank(tmp_path, 24, 7, True, renderer)
    assert renderer.rendered == rendered and again.pictures == opened.pictures
    assert not list(tmp_path.glob("*.tmp"))


def test_bank_lies_in_the_run_folder(tmp_path, renderer) -> None:
    settings = GeometrySettings(source="procedural:1", template_bank=20)
    context = Context(settings, 7, renderer, scratch={"work_dir": tmp_path})
    assert get_bank(context) is get_bank(context)
    assert len(list(tmp_path.glob("bank-*.parquet"))) == 1


@pytest.mark.parametrize("make", [right_triangle, midsegment], ids=lambda make: make.__name__)
def test_nearest_pictures_are_verified_negatives(make, context) -> None:
    anchor = draw_anchor(make(), context.renderer, make.__name__)
    rows = make_contrasts(group_families(DOMAIN, ["geometry.template"])[0], anchor, context)
    accepted = [row for row in rows if isinstance(row, Contrast)]
    assert len(accepted) == 10
    similarities = [row.similarity for row in accepted]
    assert all(0 < similarity < 1 for similarity in similarities)
    for row in accepted:
        assert count_changed(row.image.bytes, anchor.image.bytes) > 100
        assert {"own_claims_shown", "anchor_broken"} <= set(row.checks)


def test_picture_of_which_the_caption_is_true_is_no_negative(context) -> None:
    anchor = draw_anchor(right_triangle(), context.renderer, "same")
    group = group_families(DOMAIN, ["geometry.template"])[0]
    row = next(r for r in make_contrasts(group, anchor, context) if isinstance(r, Contrast))
    verify = DOMAIN.families["geometry.template"].verify
    twin = replace(row, text=anchor.caption, image=anchor.image, code=anchor.code)
    assert any(reason.startswith("anchor_broken") for reason in verify(twin, anchor, context).reasons)
    assert not verify(replace(row, text=anchor.caption), anchor, context).passed
