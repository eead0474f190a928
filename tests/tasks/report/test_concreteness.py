"""The report's table of concreteness: figures of rows that can be reckoned by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Contrast, Edit
from counterfoil.tasks.report.collect import collect
from counterfoil.tasks.report.concreteness import ConcretenessTally
from counterfoil.tasks.report.page import render_page
from counterfoil.tasks.report.parts import Shelved
from tests.tasks.report.sample import SampleTables, make_tables


def exchange(target: str, replacement: str, rating: float | None, similarity: float | None = None) -> Contrast:
    modality = "text" if similarity is None else "image"
    edits = (Edit("replace_obj", target, replacement),)
    return Contrast(
        "a", "caption.concrete", "negative", modality, edits=edits, concreteness=rating, similarity=similarity
    )


ROWS = [
    exchange("dog", "cat", 4.9, 0.5),
    exchange("Dog", "fire hydrant", 4.7, 0.4),
    exchange("fire hydrant", "tree", 4.2, 0.6),
    exchange("large", "small", 3.2, 0.9),
    exchange("of", "by", None),
]


def count(rows: list[Contrast]) -> ConcretenessTally:
    tally = ConcretenessTally()
    for row in rows:
        tally.add(row)
    return tally


def test_rows_with_a_rating_are_counted_and_keywords_once_in_any_case():
    found = count(ROWS).describe("caption.edit")
    assert found is not None
    assert (found.rows, found.keywords) == (4, 3)
    assert found.mean == pytest.approx(4.25) and found.median == pytest.approx(4.2)
    assert found.changed_words == pytest.approx(6 / 4)


def test_correlations_are_pearson_s():
    found = count(ROWS).describe("caption.edit")
    assert found is not None
    # As numpy.corrcoef has them.
    assert found.longer == pytest.approx(0.30411437)
    assert found.alike == pytest.approx(-0.95501631)


def test_what_never_varies_has_no_correlation():
    found = count([exchange("dog", "cat", rating) for rating in (4.0, 4.5)]).describe("caption.concrete")
    assert found is not None and found.longer is None and found.alike is None


def test_bands_hold_their_rows():
    found = count(ROWS).describe("caption.edit")
    assert found is not None
    assert [(band.low, band.high, band.rows) for band in found.bands] == [(3.0, 3.5, 1), (4.0, 4.5, 1), (4.5, 5.0, 2)]
    assert found.bands[1].phrases == 1.0 and found.bands[2].similarity == pytest.approx(0.45)


def test_the_page_has_the_table_where_rows_have_ratings_and_else_not():
    tables = make_tables(2, 0)
    assert 'id="concreteness"' not in render_page(collect(tables, 1), Shelved({}, ""), {}, {})
    mixed = SampleTables(tables.anchor_rows, [*tables.contrast_rows, *ROWS], tables.reject_rows)
    page = render_page(collect(mixed, 1), Shelved({}, ""), {}, {})
    assert 'id="concreteness"' in page and "4.25" in page


def test_the_page_has_table_one_beside_the_paper_s_and_the_balance_of_aro_s_kinds():
    tables = make_tables(1, 0)
    rows = [*ROWS[:3], replace(ROWS[3], edits=(Edit("replace_att", "large", "small"),))]
    page = render_page(collect(SampleTables(tables.anchor_rows, rows, []), 1), Shelved({}, ""), {}, {})
    table = page.partition('id="table-one"')[2].partition("</table>")[0]
    assert table.count('<tr><th scope="row">') == 9
    assert "11,034" in table and "4.77" in table and "4.25" in table
    assert "25.0 %, 0 %, 75.0 %" in page
