"""What a row's grade is, told wherever rows are counted, and what anchors are called by the kind of their source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import lxml.html
import pytest

from counterfoil.storage.grades import GRADES, MEANINGS
from counterfoil.storage.rows import Contrast, Grade
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain
from tests.tasks.report.reading import assemble, read_samples
from tests.tasks.report.sample import SampleTables, make_tables


def regrade(row: Contrast, grade: Grade | None) -> Contrast:
    return replace(row, contrast_id="").accept(row.rank, row.checks, grade)


def make_graded(*grades: Grade | None) -> SampleTables:
    """Six flowcharts, whose negatives have these grades in turn and whose positives are proved."""
    tables = make_tables(0, 6)
    negatives = [row for row in tables.contrast_rows if row.role == "negative"]
    rows = [row for row in tables.contrast_rows if row.role == "positive"]
    rows += [regrade(row, grades[i % len(grades)]) for i, row in enumerate(negatives)]
    return SampleTables(tables.anchor_rows, rows)


def read_lede(page: lxml.html.HtmlElement) -> str:
    return " ".join(page.xpath("//p[@class='lede']")[0].text_content().split())


def test_what_nothing_is_shown_of_is_not_summed_with_what_is_proved(tmp_path: Path) -> None:
    page = lxml.html.document_fromstring(assemble(make_graded("proved", "undecided", "unjudged"), tmp_path))
    lede = read_lede(page)
    assert "2 negatives and 6 positives" in lede
    assert lede.endswith("Apart from these: 2 undecided, 2 unjudged.")
    figures = " ".join(" ".join(page.xpath("//dl[@class='figures']")[0].text_content().split()).split())
    assert "Contrasts accepted8" in figures and "Not shown4" in figures
    rows = page.xpath("//div[@class='family-row' and .//code[text()='flowchart.caption']]/*[@data-label='Accepted']")
    assert [each.text_content() for each in rows] == ["2 and 4 not shown"]


def test_rows_are_counted_by_family_and_grade_with_what_each_means(tmp_path: Path) -> None:
    tables = make_graded("proved", "refuted", "contradicts", "undecided", "unjudged", None)
    page = lxml.html.document_fromstring(assemble(tables, tmp_path))
    (table,) = page.xpath("//section[@id='grades']//table")
    heads = [each.text_content() for each in table.xpath(".//thead//th")]
    assert heads == ["Family", *GRADES, "none stated"]
    cells = {
        row.xpath("./th")[0].text_content(): [each.text_content() for each in row.xpath("./td")]
        for row in table.xpath(".//tbody/tr")
    }
    assert cells["flowchart.caption"] == ["1"] * 6
    assert cells["flowchart.code"] == ["6", *["–"] * 5]
    meant = page.xpath("//section[@id='grades']//dd")
    assert [each.text_content() for each in meant] == list(MEANINGS.values())


def test_a_row_that_is_not_proved_says_so_on_its_card(tmp_path: Path) -> None:
    samples = read_samples(assemble(make_graded("undecided"), tmp_path))
    told = samples.xpath("//*[contains(@class, 'card negative')]//span[@class='grade']")
    assert {each.text_content() for each in told} == {"undecided"}
    assert not samples.xpath("//*[contains(@class, 'card positive')]//span[@class='grade']")


@pytest.mark.parametrize(
    ("domain", "source", "named"),
    [
        ("caption", "procedural", "6 drawn scenes with captions"),
        ("caption", "coco", "6 captioned photographs"),
        ("caption", "folder", "6 captioned pictures"),
        ("geometry", "procedural", "6 sampled geometry problems"),
        ("geometry", "geometry3k", "6 geometry problems"),
        ("flowchart", "procedural", "6 made-up flowcharts"),
        ("theorem", "pairs", "6 theorem statements"),
        ("caption", "of-a-guest", "6 caption anchors"),
        ("guest", "files", "6 guest anchors"),
    ],
)
def test_anchors_are_called_by_the_kind_of_their_source(tmp_path: Path, domain: str, source: str, named: str) -> None:
    rows = [replace(row, domain=domain, source=source) for row in make_tables(0, 6).anchor_rows]
    assert read_lede(lxml.html.document_fromstring(assemble(SampleTables(rows, []), tmp_path))).startswith(named)


def test_two_sources_of_a_domain_are_told_apart(tmp_path: Path) -> None:
    rows = make_tables(0, 6).anchor_rows
    rows = [replace(row, domain="caption", source="coco" if i else "procedural") for i, row in enumerate(rows)]
    lede = read_lede(lxml.html.document_fromstring(assemble(SampleTables(rows, []), tmp_path)))
    assert "5 captioned photographs" in lede and "1 drawn scene with captions" in lede


@pytest.mark.parametrize("name", DOMAIN_MODULES)
def test_every_source_says_what_its_anchors_are_called(name: str) -> None:
    for source in load_domain(name).sources.values():
        assert source.anchors != ("anchor", "anchors"), source.form
