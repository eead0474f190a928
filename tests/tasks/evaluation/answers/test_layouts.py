"""Benchmarks in the layouts of their releases: small files of the same form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterfoil.tasks.evaluation.answers.items import Item
from counterfoil.tasks.evaluation.answers.reading import read_items
from counterfoil.tasks.evaluation.errors import EvaluationError
from tests.tasks.sft.pictures import draw_png

MMMATH = {
    "question": "As shown, find $x$.",
    "file_name": "a.png",
    "solution": "Therefore $x = \\boxed{\\frac{1}{2}}$ or $\\boxed{3}$.",
    "year": "eight",
    "difficult": "hard",
    "knowledge": {"level_1": "Functions"},
}
MATHVISTA = {
    "question": "How long?",
    "image": "images/a.png",
    "choices": None,
    "unit": "cm",
    "precision": 1.0,
    "answer": "1.2",
    "question_type": "free_form",
    "answer_type": "float",
    "metadata": {"task": "geometry problem solving", "skills": ["geometry reasoning", "algebraic reasoning"]},
}
WEMATH = {
    "ID": "1",
    "split": "testmini",
    "knowledge concept": "Area",
    "question": "How large?",
    "option": "A. 3; B. x=1; y=2; C. No correct answer",
    "answer": "C",
    "image_path": "a.png",
}
GEOQA = {"subject": "How large?", "choices": ["3", "4", "5", "6"], "label": 2}
FLOWVQA = {
    "mermaid": "flowchart TD",
    "qa": {
        "1": {"Q": "What is next?", "A1": "End", "A2": "The end.", "A3": "It ends", "type": "flow_referential"},
        "2": {"Q": "How many nodes?", "A1": "6", "A2": "Six", "A3": "Six nodes", "type": "topological"},
    },
}


def read(name: str, folder: Path, rows: object, lines: bool = False) -> list[Item]:
    for place in ("a.png", "images/a.png", "code00001.png"):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_bytes(draw_png(1))
    text = "".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows)
    (folder / "q.json").write_text(text)
    return read_items(f"{name}:{folder / 'q.json'}")


def test_mm_math_is_answered_by_the_boxes_of_its_solutions(tmp_path):
    first, _ = read("mmmath", tmp_path, [MMMATH, MMMATH], lines=True)
    assert (first.answer, first.parts, first.options) == ("\\frac{1}{2}, 3", ("hard",), ())


def test_mathvista_is_counted_by_task_and_skill_and_rounds_numbers(tmp_path):
    choice = MATHVISTA | {"choices": ["3", "4"], "answer": "4", "answer_type": "text", "precision": None, "unit": None}
    number, chosen = read("mathvista", tmp_path, {"1": MATHVISTA | {"pid": "1"}, "2": choice | {"pid": "2"}})
    assert number.parts == ("GPS", "GEO", "ALG") and number.decimals == 1
    assert number.prompt.startswith("How long? (Unit: cm)")
    assert (chosen.options, chosen.answer, chosen.decimals) == (("3", "4"), "4", None)


def test_rows_of_we_math_with_one_id_are_told_apart_by_their_steps(tmp_path):
    keys = ("2steps_1", "2steps_2", "2steps_multi", "3steps_multi")
    items = read("wemath", tmp_path, [WEMATH | {"key": key} for key in keys])
    assert [each.parts for each in items] == [("S1",), ("S1",), ("S2",), ("S3",)]
    assert items[0].options == ("3", "x=1; y=2", "No correct answer") and items[0].answer == "C"


def test_geoqa_is_a_folder_of_problems_beside_their_pictures(tmp_path):
    for name in ("2", "10"):
        (tmp_path / "json").mkdir(exist_ok=True)
        (tmp_path / "image").mkdir(exist_ok=True)
        (tmp_path / "json" / f"{name}.json").write_text(json.dumps(GEOQA))
        (tmp_path / "image" / f"{name}.png").write_bytes(draw_png(1))
    items = read_items(f"geoqa:{tmp_path / 'json'}", tmp_path / "image")
    assert [(each.item_id, each.answer) for each in items] == [("2", "C"), ("10", "C")]
    assert read_items(f"geoqa:{tmp_path / 'json'}") == items


def test_flowvqa_has_its_questions_below_their_chart_with_three_wordings(tmp_path):
    items = read("flowvqa", tmp_path, {"code00001": FLOWVQA})
    assert [each.item_id for each in items] == ["code00001/1", "code00001/2"]
    assert items[1].parts == ("topological",) and items[1].also == ("Six", "Six nodes") and items[1].free
    assert read("flowvqa", tmp_path, [{"key": "code00001"} | FLOWVQA], lines=True) == items


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("mmmath", {"question": "q", "solution": "5", "file_name": "a.png"}, "solution has no"),
        ("mmmath", MMMATH | {"file_name": "b.png"}, r"picture .*b\.png is not there"),
        ("mathvista", MATHVISTA | {"pid": "1", "answer": ""}, "no 'answer'"),
        ("geoqa", GEOQA | {"label": 4}, "label 4 is no place among 4 choices"),
        ("wemath", WEMATH | {"key": "2steps_1", "answer": "D"}, "answer 'D' is no letter of its 3 options"),
        ("flowvqa", {"key": "code00001", "qa": {"1": {"Q": "q"}}}, "question 1: needs Q and A1"),
    ],
)
def test_a_row_that_is_not_of_the_release_is_named(tmp_path, name, row, message):
    with pytest.raises(EvaluationError, match=message):
        read(name, tmp_path, [row, row])


def test_a_pickle_is_not_opened(tmp_path):
    (tmp_path / "test.pk").write_bytes(b"")
    with pytest.raises(EvaluationError, match="which may run code"):
        read_items(f"geoqa:{tmp_path / 'test.pk'}")
