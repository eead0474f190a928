"""``geometry.template``: the bank is whole, the same for everyone, and searched by how pictures look."""

from __future__ import annotations

import io
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Pillow

from storage.rows import Contrast
from tasks.contract.context import Context
from tasks.engine.registry import group_families
from tasks.engine.rows import make_contrasts
from tasks.geometry.domain import DOMAIN
from tasks.geometry.families.bank import CHUNK, Bank, BankError, build_bank, draw_chunk, open_bank
from tasks.geometry.families.features import LENGTH, LEVELS, extract_feature, measure_distances, measure_similarity
from tasks.geometry.families.template import get_bank
from tasks.geometry.measuring.pixels import count_changed
from tasks.geometry.settings import GeometrySettings
from tests.tasks.geometry.figures import draw_anchor, midsegment, right_triangle


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


def test_larger_bank_starts_with_the_smaller(tmp_path, renderer) -> None:
    smaller, larger = open_bank(tmp_path, CHUNK - 5, 7, True, renderer), build_bank(CHUNK + 5, 7, True, renderer)
    grown = open_bank(tmp_path, CHUNK + 5, 7, True, renderer)
    assert (len(smaller), len(grown)) == (CHUNK - 5, CHUNK + 5)
    assert list_codes(smaller) == list_codes(larger)[: CHUNK - 5]
    assert list_codes(grown) == list_codes(larger)
    assert np.array_equal(grown.features, larger.features)


def test_bank_is_made_once_and_reads_back_whole(tmp_path, bank, renderer) -> None:
    opened = open_bank(tmp_path, 24, 7, True, renderer)
    assert list_codes(opened) == list_codes(bank) and np.array_equal(opened.features, bank.features)
    rendered = renderer.rendered
    again = open_bank(tmp_path, 24, 7, True, renderer)
    assert renderer.rendered == rendered
    assert again.get(5).picture == bank.get(5).picture and np.array_equal(again.get(5).feature, bank.features[5])
    assert not list(tmp_path.rglob("*.tmp"))


def test_workers_make_a_bank_together(tmp_path, renderer, monkeypatch) -> None:
    """While one worker is at a chunk, another makes the next; what is left by a dead one is made by whoever waits."""
    at_first, go_on = threading.Event(), threading.Event()
    drawn: list[tuple[str, int]] = []

    def draw(chunk, *arguments):
        drawn.append((threading.current_thread().name, chunk))
        if chunk == 0:
            at_first.set()
            assert go_on.wait(30)
        return draw_chunk(chunk, *arguments)

    monkeypatch.setattr("tasks.geometry.families.bank.draw_chunk", draw)
    with ThreadPoolExecutor(2, thread_name_prefix="worker") as pool:
        first = pool.submit(open_bank, tmp_path, 2 * CHUNK - 5, 7, True, renderer)
        assert at_first.wait(30)
        second = pool.submit(open_bank, tmp_path, 2 * CHUNK - 5, 7, True, renderer)
        while (second_chunk := [name for name, chunk in drawn if chunk == 1]) == []:
            time.sleep(0.01)
        go_on.set()
        assert np.array_equal(first.result().features, second.result().features)
    assert sorted(chunk for _, chunk in drawn) == [0, 1]
    assert second_chunk != [name for name, chunk in drawn if chunk == 0]


def test_bank_of_scripts_that_do_not_draw_is_refused(tmp_path, renderer, monkeypatch) -> None:
    monkeypatch.setattr("tasks.geometry.families.bank.draw_chunk", lambda *_: [])
    with pytest.raises(BankError, match="only 0 of"):
        open_bank(tmp_path, 30, 7, True, renderer)


def test_bank_lies_in_the_run_folder(tmp_path, renderer) -> None:
    settings = GeometrySettings(source="procedural:1", template_bank=20)
    context = Context(settings, 7, renderer, scratch={"work_dir": tmp_path})
    assert get_bank(context) is get_bank(context)
    assert [path.name for path in tmp_path.glob("bank-*/*.parquet")] == ["00000.parquet"]


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
