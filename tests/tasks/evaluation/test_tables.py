"""Score sheets as people and programs read them: which cells have an interval, a sign, a kind, ties."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from counterfoil.tasks.evaluation.benchmark import DataFile
from counterfoil.tasks.evaluation.evaluate import BLIND, CHANCE, GAIN, MODEL, Row, Sheet, TaskTable
from counterfoil.tasks.evaluation.outcomes import Figure
from counterfoil.tasks.evaluation.tables import DASH, describe_sheet, list_cells, list_columns, write_markdown

HIT = Figure("hit", 0.51234567, 0.45, 0.6, 200, 3)
RANK = Figure("rank", 4.25, 3.0, 5.75, 200, 7, percent=False)
HIDDEN = Figure("part", 0.5, 0.4, 0.6, 100, 1, shown=False)


def row(kind: str, *figures: Figure) -> Row:
    return Row("ours", kind, figures)


@pytest.mark.parametrize(
    ("kind", "cells", "short"),
    [
        (MODEL, ["ours (model)", "51.2 (45.0 to 60.0)", "4.2 (3.0 to 5.8)", "7"], ["ours", "51.2 ± 8.8", "4.2 ± 1.5"]),
        (BLIND, ["ours (blind)", "51.2 (45.0 to 60.0)", "4.2 (3.0 to 5.8)", "7"], ["ours", "51.2 ± 8.8", "4.2 ± 1.5"]),
        (CHANCE, ["ours", "51.2", "4.2", ""], ["ours", "51.2", "4.2"]),
        (GAIN, ["ours", "+51.2 (+45.0 to +60.0)", "+4.2 (+3.0 to +5.8)", ""], ["ours", "+51.2 ± 8.8", "+4.2 ± 1.5"]),
    ],
)
def test_a_cell_says_what_its_kind_has(kind: str, cells: list[str], short: list[str]) -> None:
    assert list_cells(row(kind, HIT, RANK), ["hit", "rank"]) == cells
    assert list_cells(row(kind, HIT, RANK), ["hit", "rank"], short=True)[:-1] == short


def test_the_wider_side_of_an_interval_is_told_on_whichever_side_it_is() -> None:
    low = replace(HIT, low=0.3)
    assert list_cells(row(MODEL, low), ["hit"], short=True)[1] == "51.2 ± 21.2"


def test_what_a_system_has_not_is_a_dash_and_has_no_ties() -> None:
    assert list_cells(row(MODEL), ["hit"]) == ["ours (model)", DASH, ""]
    assert list_cells(row(MODEL, replace(HIT, value=math.nan)), ["hit", "rank"])[1:3] == [DASH, DASH]
    assert list_cells(row(CHANCE, replace(HIT, value=math.nan)), ["hit"])[1] == DASH


def make_sheet(task: str = "swap") -> Sheet:
    rows = (row(MODEL, HIT, HIDDEN), Row("a|b", CHANCE, (replace(HIT, name="other"),)))
    files = (DataFile("a.json", "f" * 64),)
    table = TaskTable(task, 1200, rows)
    return Sheet(
        "crepe", "Crepe", "As published.", (table,), files, "0123456789abcdef" * 4, (("ours", "w"),), ("One.",)
    )


def test_a_sheet_is_markdown_of_all_its_parts_in_order() -> None:
    assert write_markdown([make_sheet()]).splitlines() == [
        "## Crepe",
        "",
        "As published.",
        "",
        "### swap, 1,200 items",
        "",
        "| system | hit | other | ties |",
        "| --- | ---: | ---: | ---: |",
        f"| ours (model) | 51.2 (45.0 to 60.0) | {DASH} | 3 |",
        f"| a\\|b | {DASH} | 51.2 |  |",
        "",
        "- One.",
        "- data 0123456789abcdef",
        "- ours: w",
    ]
    assert "1,200 items" in write_markdown([make_sheet("")]).splitlines()
    assert list_columns(make_sheet().tables[0]) == ["hit", "other"]


def test_a_sheet_as_data_has_six_decimals_and_no_number_where_there_is_none() -> None:
    sheet = make_sheet()
    empty = replace(sheet.tables[0], rows=(row(CHANCE, replace(HIT, low=math.nan, high=math.nan)),))
    (task,) = describe_sheet(replace(sheet, tables=(empty,)))["tasks"]
    (figure,) = task["systems"][0]["figures"]
    assert figure == {"name": "hit", "value": 0.512346, "low": None, "high": None, "items": 200, "ties": 3}
    assert [each["name"] for each in describe_sheet(sheet)["tasks"][0]["systems"][0]["figures"]] == ["hit", "part"]
