from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import lxml.html
import pytest
from PIL import Image as Pillow

from storage.rows import Image
from tasks.report import ReportError, write_report
from tasks.report.collect import collect
from tasks.report.page import dump_toml, format_percent, redact_url, render_page
from tasks.report.pictures import SIDES, Album, encode_picture
from tasks.report.view import MOST_CHARACTERS, clean
from tests.tasks.report.sample import (
    HOSTILE,
    SampleTables,
    draw_triangle,
    make_geometry,
    make_tables,
    store_tables,
    to_png,
)


def render(tables: SampleTables) -> lxml.html.HtmlElement:
    return lxml.html.document_fromstring(render_page(collect(tables)))


def test_hostile_texts_stay_texts() -> None:
    text = render_page(collect(make_tables(2, 1, hostile=True)))
    page = lxml.html.document_fromstring(text)
    assert len(page.xpath("//script")) == 1
    assert len(page.xpath("//style")) == 1
    assert (
        not page.xpath("//@onerror") and not page.xpath("//img[@src='x']") and not page.xpath("//b[not(parent::span)]")
    )
    assert all(src.startswith("data:image/") for src in page.xpath("//img/@src"))
    assert not [name for name in page.xpath("//@*") if str(name).startswith("javascript:")]
    shown = page.text_content()
    assert HOSTILE.replace("\u202e", "\ufffd") in shown
    assert "\u202e" not in text


def test_nothing_can_be_loaded_or_run_but_the_pages_own() -> None:
    page = render(make_tables(2, 1))
    policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert not page.xpath("//link[not(starts-with(@href, 'data:'))] | //iframe | //object | //@style")
    assert not [href for href in page.xpath("//@href | //@src | //@action") if re.match(r"(https?:)?//", str(href))]


def test_the_same_dataset_gives_the_same_bytes(tmp_path: Path) -> None:
    store_tables(make_tables(5, 3), tmp_path / "set")
    one = write_report(str(tmp_path / "set"), tmp_path / "one.html").read_bytes()
    two = write_report(str(tmp_path / "set"), tmp_path / "two.html").read_bytes()
    assert one == two
    assert write_report(tmp_path / "set") == tmp_path / "set" / "report.html"
    assert (tmp_path / "set" / "report.html").read_bytes().count(b'class="ticket"') == 8
    assert not list(tmp_path.glob("**/.report-*"))


def test_a_real_dataset_shows_what_its_run_said_of_itself(tmp_path: Path) -> None:
    store_tables(make_tables(5, 3), tmp_path / "night")
    page = lxml.html.document_fromstring(write_report(tmp_path / "night").read_bytes())
    making = page.xpath("string(//dl[@class='making'])")
    assert "SandboxL3" in making and "2026-01-01" in making and "openai model-x" in making
    recipe = page.xpath("string(//pre[contains(@class, 'recipe')])")
    assert "[geometry]" in recipe and "negatives = 6" in recipe
    assert "secret" not in page.text_content()
    assert page.xpath("string(//h1)") == "night"


def test_a_missing_dataset_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"there is no dataset at .*nowhere: make one"):
        write_report(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere" / "report.html").exists()


def test_each_sampled_contrast_has_a_card_beside_its_anchor() -> None:
    tables = make_tables(4, 2)
    page = render(tables)
    cards = {card.get("data-id"): card for card in page.xpath("//article[starts-with(@class, 'card')]")}
    assert set(cards) == {row.contrast_id for row in tables.contrast_rows}
    row = next(row for row in tables.contrast_rows if row.family == "geometry.image")
    card = cards[row.contrast_id]
    (ticket,) = card.xpath("ancestor::article[@class='ticket']")
    assert ticket.xpath(".//button[@class='id']/@data-copy")[0] == row.anchor_id
    assert "".join(card.xpath(".//p//ins/text()")) == row.edits[0].replacement
    assert "".join(card.xpath(".//p//del/text()")) == row.edits[0].target
    assert len(card.xpath(".//svg/rect")) == 1
    assert card.xpath(".//ul[@class='checks']/li/text()") == list(row.checks)


def test_an_unreadable_picture_is_told_in_its_place() -> None:
    anchor, contrasts = make_geometry(1)
    broken = dataclasses.replace(anchor, image=Image(b"junk", "a.png"))
    page = render(SampleTables([broken], contrasts))
    assert "not a readable picture" in page.xpath("string(//p[@class='problem'])")


def test_long_and_unprintable_texts_are_cut_and_cleaned() -> None:
    assert len(clean("x" * 1_000_000)) < MOST_CHARACTERS + 60
    assert "1,000,000 characters in all" in clean("x" * 1_000_000)
    assert clean("a\x00b\ud800c\u2066d\r\ne\tf") == "a\ufffdb\ufffdc\ufffdd\ne\tf"
    anchor, contrasts = make_geometry(1)
    long = dataclasses.replace(contrasts[0], text="word " * 200_000)
    assert len(render_page(collect(SampleTables([anchor], [long])))) < 150_000
    render_page(collect(SampleTables([anchor], [dataclasses.replace(long, text="\ud800 lone")]))).encode()


def test_an_empty_dataset_still_has_a_page() -> None:
    page = render(SampleTables([], []))
    assert "with no contrast yet" in page.text_content()


def test_pictures_shrink_until_they_fit_the_budget() -> None:
    album = Album()
    sources = [draw_triangle("ABC", str(n), apex=60 + n) for n in range(12)]
    places = [album.add(source) for source in (*sources, sources[0])]
    assert places[-1] == places[0]
    large, small = album.encode(10**9), album.encode(24_000)
    assert len(large) == len(small) == 12
    assert max(large[0].width, large[0].height) == min(320, SIDES[0])
    assert small[0].width < large[0].width
    assert sum(len(each.uri) for each in small) < 26_000


def test_line_art_stays_sharp_and_photographs_stay_small() -> None:
    art = encode_picture(Pillow.open(io.BytesIO(draw_triangle("ABC", "5"))).convert("RGB"), 320)
    assert art.uri.startswith("data:image/png;base64,") and len(art.uri) < 6_000
    noise = Pillow.effect_noise((640, 480), 60).convert("RGB")
    noise = Pillow.merge("RGB", (noise.getchannel(0), Pillow.effect_noise((640, 480), 60), noise.getchannel(0)))
    photo = encode_picture(noise, 320)
    assert photo.uri.startswith("data:image/webp;base64,") and (photo.width, photo.height) == (320, 240)


def test_the_pictures_of_a_page_keep_to_its_budget() -> None:
    data = collect(make_tables(16, 0))
    pages = [lxml.html.document_fromstring(render_page(data, budget)) for budget in (10**9, 230_000)]
    sizes = [sum(len(src) for src in page.xpath("//img/@src")) for page in pages]
    assert sizes[1] <= 235_000 < sizes[0]


def test_figures_are_never_rounded_to_what_they_are_not() -> None:
    assert [format_percent(x) for x in (0, 0.00004, 0.1234, 0.9999, 1)] == [
        "0 %",
        "<0.1 %",
        "12.3 %",
        ">99.9 %",
        "100 %",
    ]


def test_addresses_are_shown_without_keys() -> None:
    assert redact_url("s3://key:secret@bucket/night?x=1") == "s3://bucket/night"
    assert redact_url("data/night") == "data/night"


def test_a_recipe_is_shown_as_toml_that_reads_back() -> None:
    import tomllib

    recipe = {"dataset": {"seed": 7, "title": 'a "b"\n'}, "geometry": {"families": ["rule"], "deep key": {"x": 1.5}}}
    assert tomllib.loads(dump_toml(recipe)) == recipe


def test_a_picture_with_alpha_is_encoded_on_white() -> None:
    album = Album()
    album.add(to_png(Pillow.new("RGBA", (50, 50), (0, 0, 0, 0))))
    (encoded,) = album.encode(10**6)
    assert encoded.width == 50
