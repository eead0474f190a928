from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import lxml.html
import pytest

from counterfoil.storage.rows import Edit, Image
from counterfoil.tasks.audit.review.answers import Answer, Book
from counterfoil.tasks.audit.review.rows import choose_rows
from counterfoil.tasks.audit.tells.measure import fingerprint_rows
from counterfoil.tasks.audit.tells.stored import keep_audits
from counterfoil.tasks.report import ReportError, write_report
from counterfoil.tasks.report.page import dump_toml, format_percent, redact_url
from counterfoil.tasks.showing.texts import MOST_CHARACTERS, clean
from counterfoil.tasks.tells.figures import Figures, Share
from counterfoil.tasks.tells.measure import FamilyAudit, JudgeFigures
from counterfoil.tasks.tells.told import Tell
from tests.tasks.report.reading import assemble, read_parts, read_pictures, read_samples
from tests.tasks.report.sample import HOSTILE, SampleTables, make_geometry, make_tables, store_tables
from tests.tasks.report.test_collect import make_found


def render(tables: SampleTables, folder: Path) -> lxml.html.HtmlElement:
    return lxml.html.document_fromstring(assemble(tables, folder))


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    text = assemble(make_tables(2, 1, hostile=True), tmp_path)
    page, samples = lxml.html.document_fromstring(text), read_samples(text)
    assert len(page.xpath("//script[not(@type)]")) == 1
    assert len(page.xpath("//style")) == 1
    for shown in (page, samples):
        assert (
            not shown.xpath("//@onerror")
            and not shown.xpath("//img[@src and not(starts-with(@src, 'data:image/'))]")
            and not shown.xpath(".//b[not(parent::span)]")
        )
        assert not [value for value in shown.xpath("//@*") if str(value).startswith("javascript:")]
    assert not samples.xpath("//script | //style | //iframe")
    assert all(uri.startswith("data:image/") for uri in read_pictures(text))
    assert HOSTILE.replace("\u202e", "\ufffd") in samples.text_content()
    assert "\u202e" not in text and "\u202e" not in lxml.html.tostring(samples, encoding="unicode")


def test_nothing_can_be_loaded_or_run_but_the_pages_own(tmp_path: Path) -> None:
    page = render(make_tables(2, 1), tmp_path)
    policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "'self'" not in policy
    assert not page.xpath("//link[not(starts-with(@href, 'data:'))] | //iframe | //object | //@style")
    assert not [href for href in page.xpath("//@href | //@src | //@action") if re.match(r"(https?:)?//", str(href))]


def test_the_same_dataset_gives_the_same_bytes(tmp_path: Path) -> None:
    store_tables(make_tables(5, 3), tmp_path / "set")
    one = write_report(str(tmp_path / "set"), tmp_path / "one.html").read_bytes()
    two = write_report(str(tmp_path / "set"), tmp_path / "two.html").read_bytes()
    assert one == two
    assert write_report(tmp_path / "set") == tmp_path / "set" / "report.html"
    assert len(read_samples((tmp_path / "set" / "report.html").read_bytes()).xpath("article")) == 8
    assert not list(tmp_path.glob("**/.report-*")) and not list(tmp_path.glob("**/*-parts"))


def test_a_real_dataset_shows_what_its_run_said_of_itself(tmp_path: Path) -> None:
    store_tables(make_tables(5, 3), tmp_path / "night")
    page = lxml.html.document_fromstring(write_report(tmp_path / "night").read_bytes())
    making = page.xpath("string(//dl[@class='making'])")
    assert "SandboxL3" in making and "2026-01-01" in making and "openai model-x" in making
    recipe = page.xpath("string(//pre[contains(@class, 'recipe')])")
    assert "[geometry]" in recipe and "negatives = 6" in recipe
    assert "secret" not in page.text_content()
    assert page.xpath("string(//h1)") == "night"


def test_a_dataset_that_threw_nothing_away_has_a_report(tmp_path: Path) -> None:
    tables = make_tables(2, 1)
    store_tables(SampleTables(tables.anchor_rows, tables.contrast_rows), tmp_path / "set")
    page = lxml.html.document_fromstring(write_report(tmp_path / "set").read_bytes())
    assert "nothing was refused" in page.text_content() and not page.xpath("//section[@id='rejects']")


def test_each_reason_is_explained_in_words(tmp_path: Path) -> None:
    page = render(make_tables(4, 0), tmp_path)
    told = [name.text_content() for name in page.xpath("//*[@class='reason-name']")]
    assert "The anchor already has the same contrast. duplicate" in told
    assert "Not visible not_visible" in told


def test_each_kind_of_edit_has_its_share_of_the_familys_rows(tmp_path: Path) -> None:
    tables = make_tables(4, 0)
    rows = [row for row in tables.contrast_rows if row.family == "geometry.caption"]
    edited = [dataclasses.replace(row, edits=(Edit("number", "3", "4"), Edit("number", "5", "6"))) for row in rows]
    edited[0] = dataclasses.replace(rows[0], edits=(Edit("shape", "square", "kite"),))
    others = [row for row in tables.contrast_rows if row.family != "geometry.caption"]
    page = render(SampleTables(tables.anchor_rows, others + edited), tmp_path)
    shown = {" ".join(each.text_content().split()): each.get("title") for each in page.xpath("//*[@class='kind']")}
    count = len(edited)
    assert shown[f"number {format_percent((count - 1) / count)}"] == f"{count - 1} of {count} rows"
    assert shown[f"shape {format_percent(1 / count)}"] == f"1 of {count} rows"


def test_a_missing_dataset_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"there is no dataset at .*nowhere: make one"):
        write_report(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere" / "report.html").exists()


def test_each_sampled_contrast_has_a_card_beside_its_anchor(tmp_path: Path) -> None:
    tables = make_tables(4, 2)
    page = read_samples(assemble(tables, tmp_path))
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


def test_an_unreadable_picture_is_told_in_its_place(tmp_path: Path) -> None:
    anchor, contrasts = make_geometry(1)
    broken = dataclasses.replace(anchor, image=Image(b"junk", "a.png"))
    page = read_samples(assemble(SampleTables([broken], contrasts), tmp_path))
    assert "not a readable picture" in page.xpath("string(//p[@class='problem'])")


def test_long_and_unprintable_texts_are_cut_and_cleaned(tmp_path: Path) -> None:
    assert len(clean("x" * 1_000_000)) < MOST_CHARACTERS + 60
    assert "1,000,000 characters in all" in clean("x" * 1_000_000)
    assert clean("a\x00b\ud800c\u2066d\r\ne\tf") == "a\ufffdb\ufffdc\ufffdd\ne\tf"
    anchor, contrasts = make_geometry(1)
    long = dataclasses.replace(contrasts[0], text="word " * 200_000)
    parts = read_parts(assemble(SampleTables([anchor], [long]), tmp_path))
    assert len(parts["anchors-00001"]["html"]) < 20_000
    lone = dataclasses.replace(long, text="\ud800 lone")
    assert "\ufffd lone" in read_samples(assemble(SampleTables([anchor], [lone]), tmp_path)).text_content()


def test_an_empty_dataset_still_has_a_page(tmp_path: Path) -> None:
    assert "with no contrast yet" in render(SampleTables([], []), tmp_path).text_content()


def test_anchors_without_pictures_are_shown(tmp_path: Path) -> None:
    anchor, contrasts = make_geometry(1)
    bare = dataclasses.replace(
        anchor, domain="theorem", image=None, caption=r"If $x^2 = 4$, then $x = \pm 2$.", code=None
    )
    text = dataclasses.replace(
        contrasts[1], family="theorem.negative", text=r"If $x^2 = 5$, then $x = \pm 2$.", image=None, edits=()
    )
    page = read_samples(assemble(SampleTables([bare], [text]), tmp_path))
    assert page.xpath("string(//p[@class='caption'])") == "If x² = 4, then x = ± 2."
    assert page.xpath("//ins/text()") == ["5"] and page.xpath("//del/text()") == ["4"]
    assert not page.xpath("//img")


def test_latex_is_shown_readable_and_kept_as_stored(tmp_path: Path) -> None:
    anchor, contrasts = make_geometry(1)
    page = read_samples(assemble(SampleTables([anchor], contrasts), tmp_path))
    assert page.xpath("string(//p[@class='caption'])") == "In △ABC, the base AB = 6 lies below C."
    assert "\\triangle" not in page.xpath("string(//p[contains(@class, 'text')])")
    assert page.xpath("//dt[text()='as stored']/following-sibling::dd/text()")[0] == anchor.caption


def test_a_picture_that_stands_in_many_places_is_written_once(tmp_path: Path) -> None:
    anchor, contrasts = make_geometry(1)
    image = next(row for row in contrasts if row.image)
    same = [dataclasses.replace(image, contrast_id=str(n), rank=n) for n in range(5)]
    text = assemble(SampleTables([anchor], same), tmp_path)
    assert len(read_samples(text).xpath("//img")) == 6
    assert len(read_pictures(text)) == 2


def test_what_people_judged_is_shown_with_its_interval(tmp_path: Path) -> None:
    dataset = store_tables(make_tables(5, 0), tmp_path / "night")
    rows = [row for row in choose_rows(dataset.snapshot(), 4, 0) if row.family == "geometry.image"]
    book = Book(tmp_path / "night" / "review", "ada")
    for number, row in enumerate(rows):
        book.add(Answer(row.row_id, "wrong" if number else "right", f"looks alike {HOSTILE}"))
    page = lxml.html.document_fromstring(write_report(tmp_path / "night").read_bytes())
    cells = [cell.text_content() for cell in page.xpath("//section[@id='review']//tbody/tr/*")]
    assert cells == ["geometry.image", "wrong (a negative)", "4", "0", "1", "25.0 %", "4.6 % to 69.9 %"]
    assert "1 judge judged 4 rows" in page.xpath("string(//section[@id='review'])")
    (said,) = page.xpath("//ul[@class='disagreements']/li")
    assert rows[0].row_id in said.xpath(".//@data-copy") and "looks alike </script>" in said.text_content()
    assert not render(make_tables(2, 0), tmp_path).xpath("//section[@id='review']")


def test_a_family_says_its_grades_and_how_near_what_was_found_lies(tmp_path: Path) -> None:
    page = render(make_found(21), tmp_path)
    told = page.xpath("string(//section[@id='families'])")
    assert "16 and 5 not shown" in told
    assert "rank 10 (2 to 18), cosine 0.90 (0.82 to 0.98)" in told


def test_what_an_audit_measured_of_these_rows_is_shown(tmp_path: Path) -> None:
    dataset = store_tables(make_tables(5, 0), tmp_path / "night")
    share = Share(0.755, 0.706, 0.802)
    tells = (Tell("n-gram", "<script>", 0.574, 0.1, 0.2),)
    judged = JudgeFigures("n-grams", Figures(share, Share(0.66, 0.6, 0.7), Share(0.55, 0.5, 0.6), 0.25))
    rows = fingerprint_rows(dataset.snapshot(), "geometry.image")
    lone = JudgeFigures("occurs once", Figures(share, share, Share(0.469, 0.42, 0.51), 0.111))
    under = JudgeFigures("other half, features", Figures(Share(0.4, 0.35, 0.45), share, share, 0.25))
    audit = FamilyAudit(
        "geometry.image", "negative", "image", "picture", 5, 27, (judged,), tells, rows, sets=(lone,), halves=(under,)
    )
    keep_audits(dataset, [audit, dataclasses.replace(audit, family="geometry.caption", rows="of before")])
    page = lxml.html.document_fromstring(write_report(tmp_path / "night").read_bytes())
    cells = [cell.text_content() for cell in page.xpath("//section[@id='audit']//tbody/tr/*")]
    told = ["75.5 %", "70.6 % to 80.2 %", "55.0 %", "25.0 %"]
    together = ["46.9 % (42.0 % to 51.0 %)", "11.1 %", "occurs once"]
    assert cells == ["geometry.image", "picture", "5", "n-grams", *told, *together, "–"]
    assert "under chance by other half, features" in page.xpath("string(//section[@id='audit'])")
    assert page.xpath("string(//section[@id='audit']//li)") == "<script> n-gram 57.4 %"


def test_each_column_of_each_table_has_a_sentence_and_no_backtick_is_shown(tmp_path: Path) -> None:
    tables = store_tables(make_tables(5, 3), tmp_path / "night")
    assert tables
    page = lxml.html.document_fromstring(write_report(tmp_path / "night").read_bytes())
    for table in page.xpath("//section[not(@id='grades')]//table[not(ancestor::details)]"):
        heads = table.xpath("./thead//th")
        assert len(heads) == len(table.xpath("./tbody/tr[1]/*")), heads[0].xpath("string(ancestor::section/@id)")
        assert all(head.get("title", "").endswith(".") for head in heads)
    for text in page.xpath("//main//p | //main//td | //main//dd | //header//span"):
        assert "`" not in text.text_content()


def test_the_first_screen_says_how_many_how_pure_how_detectable_at_what_cost_and_what_went(tmp_path: Path) -> None:
    page = render(make_tables(4, 2), tmp_path)
    names = [name.text_content() for name in page.xpath("//dl[@class='figures']//dt")]
    wanted = [
        "Anchors",
        "Contrasts accepted",
        "Verified",
        "Highest blind accuracy",
        "Cost",
        "Thrown away",
        "Full number",
    ]
    assert [name for name in names if name != "Not shown"] == wanted
    assert "Most often (" in page.xpath("string(//dl[@class='figures'])")


def test_a_family_says_how_much_its_negatives_change(tmp_path: Path) -> None:
    anchor, contrasts = make_geometry(1)
    row = next(row for row in contrasts if row.family == "geometry.caption" and row.image is None)
    page = render(SampleTables([anchor], [dataclasses.replace(row, similarity=0.5)]), tmp_path)
    cells = [cell.text_content() for cell in page.xpath("//section[@id='difficulty']//tbody/tr/*")]
    assert cells[0] == "geometry.caption" and cells[3] == "0.50 (0.50 to 0.50)" and cells[1] != "–" == cells[2]


def test_a_card_says_in_a_sentence_what_changed(tmp_path: Path) -> None:
    anchor, contrasts = make_geometry(1)
    edits = (Edit("swap", "A", "B"), Edit("swap", "B", "A"), Edit("number", "3", "4"))
    row = dataclasses.replace(contrasts[0], edits=edits, changes=("number", "letter"))
    page = read_samples(assemble(SampleTables([anchor], [row]), tmp_path))
    said = page.xpath("string(//p[@class='change'])")
    assert said == "“A” and “B” change places; “3” becomes “4”. What differs: number, letter."


def test_both_axes_of_a_chart_are_named(tmp_path: Path) -> None:
    page = render(make_tables(4, 0), tmp_path)
    for chart in page.xpath("//section[@id='distributions']//*[local-name()='svg']"):
        assert len(chart.xpath(".//*[@class='axis-name' and string(.)]")) == 2


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

    recipe = {"dataset": {"seed": 7, "title": 'a "b"\n'}, "geometry": {"families": ["rule"], "deep key": {"x": 1.5}}}
    assert tomllib.loads(dump_toml(recipe)) == recipe
