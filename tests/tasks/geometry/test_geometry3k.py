"""Reading formally stated problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from storage.rows import Fact, Reject
from tasks.contract.domain import SourceError, SourceRow
from tasks.geometry.facts.expressions import read_number
from tasks.geometry.facts.judge import holds
from tasks.geometry.sources.cdl import CdlError, parse_statement
from tasks.geometry.sources.geometry3k import ReadingError, read_rows, read_scene
from tasks.geometry.sources.reading import ProblemError, read_formal, solve_reading
from tests.tasks.geometry.samples import ROWS, write_rows


def row(**changes: Any) -> dict[str, Any]:
    return {**ROWS[0], **changes}


def test_a_row_becomes_a_scene_with_its_facts_and_marks() -> None:
    reading = read_scene(ROWS[0])
    scene = reading.scene
    assert set(scene.points) == {"A", "B", "C"}
    assert scene.has_line("A", "B") and scene.has_line("B", "C") and scene.has_line("A", "C")
    assert Fact("mark_length", ("B", "C"), "6") in scene.marks
    assert any(mark.predicate == "mark_right" and mark.arguments[1] == "C" for mark in scene.marks)
    assert any(fact.predicate == "perpendicular" for fact in scene.facts)


def test_positions_are_turned_so_that_y_points_up() -> None:
    assert read_scene(ROWS[0]).scene.points["B"] == (205.0, -170.0)


def test_a_circle_is_placed_by_the_points_on_it_and_an_area_stays_in_the_question() -> None:
    reading = read_scene(ROWS[1])
    assert reading.scene.circles["O"][2] == pytest.approx(51.09, rel=1e-3)
    assert Fact("tangent", ("P", "T", "O")) in reading.scene.facts
    assert Fact("mark_angle", ("O", "P", "T"), "2x+10") in reading.scene.marks
    assert reading.omitted == ("Equal(AreaOfTriangle(OTP),30)",)


@pytest.mark.parametrize("sample", ROWS, ids=lambda r: r["problem_id"])
def test_stated_facts_are_made_true(sample: dict[str, Any]) -> None:
    scene = solve_reading(read_scene(sample))
    stated = [fact for fact in scene.claims if fact.value is None or read_number(fact.value) is not None]
    assert len(stated) > 3
    assert all(holds(fact, scene.coordinates) for fact in stated)


def test_facts_that_cannot_hold_together_are_a_reject_with_the_residual() -> None:
    bad = row(text_cdl=[*ROWS[0]["text_cdl"], "Equal(LengthOfLine(AB),15)"])
    with pytest.raises(ProblemError, match=r"^stated_facts: .* is off by 0\.\d+"):
        read_formal(SourceRow("geometry3k", "1", "train", bad))


def test_a_length_of_no_drawn_line_binds_the_figure_but_is_not_drawn() -> None:
    sample = row(construction_cdl=["Shape(AB,BC)"], text_cdl=["Equal(LengthOfLine(AC),8)", "Equal(LengthOfLine(BC),6)"])
    reading = read_scene(sample)
    assert reading.constraints == (Fact("length", ("A", "C"), "8"),)
    assert [mark.arguments for mark in reading.scene.marks] == [("B", "C")]


def test_a_point_that_nobody_placed_is_guessed_and_solved() -> None:
    sample = row(
        construction_cdl=["Shape(AB,BD,DA)", "Shape(AD,DC,CA)", "Collinear(BDC)"],
        text_cdl=["IsMidpointOfLine(D,BC)"],
        point_positions={**ROWS[0]["point_positions"], "D": [-1, -1]},
    )
    scene = solve_reading(read_scene(sample))
    assert holds(Fact("midpoint", ("D", "B", "C")), scene.coordinates)
    assert scene.has_line("B", "C") and Fact("triangle", ("A", "B", "D")) in scene.facts


def test_points_of_a_line_in_the_wrong_order_change_places() -> None:
    sample = row(
        construction_cdl=["Shape(AB,BD)", "Collinear(ABD)"],
        text_cdl=[],
        point_positions={"A": [0.0, 0.0], "B": [100.0, 0.0], "D": [60.0, 1.0]},
    )
    points = solve_reading(read_scene(sample)).points
    assert points["A"][0] < points["B"][0] < points["D"][0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text_cdl": ["Equal(LengthOfLine(BC),6"]}, "brackets do not match"),
        ({"text_cdl": ["Equal(LengthOfLine(BC),2$)"]}, "not an expression"),
        ({"text_cdl": ["PerpendicularBetweenLine(BC,AZ)"]}, "not in the figure"),
        ({"construction_cdl": ["Collinear(ABA)"]}, "twice"),
        ({"construction_cdl": ["Wobble(AB)"]}, "no construction"),
        ({"construction_cdl": []}, "nothing_drawn"),
        ({"construction_cdl": "Shape(AB,BC,CA)"}, "not a list"),
        ({"point_positions": {"A": [0, 1], "B": "left", "C": [3, 4]}}, "point B is not two numbers"),
        ({"point_positions": [1, 2]}, "not an object"),
        ({"point_positions": {"A": [0, 0], "B": [0, 0], "C": [0, 0]}}, "same place"),
    ],
)
def test_a_row_that_cannot_be_read_says_why(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadingError, match=message):
        read_scene(row(**changes))


def test_bad_lines_are_rejects_that_name_their_line_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(
        write_rows(ROWS[0]) + "{not json\n" + "[1]\n" + json.dumps({"problem_id": 9}) + "\n" + write_rows(ROWS[1])
    )
    read = list(read_rows(str(path), "geometry3k"))
    assert [isinstance(each, Reject) for each in read] == [False, True, True, True, False]
    reasons = [each.reasons[0] for each in read if isinstance(each, Reject)]
    assert reasons[0].startswith("bad_row: line 2: not JSON")
    assert reasons[1] == "bad_row: line 3: not a JSON object"
    assert reasons[2].startswith("bad_row: line 4: without text_en")
    last = read[-1]
    assert isinstance(last, SourceRow) and last.split == "test" and last.source == "geometry3k"
    assert len(list(read_rows(str(path), "geometry3k", limit=2))) == 2


def test_a_missing_file_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"Give the path of a geometry3k file"):
        list(read_rows(str(tmp_path / "none.jsonl"), "geometry3k"))


def test_statements_nest() -> None:
    statement = parse_statement("Equal(Add(LengthOfLine(AB),2*x),Mul(RadiusOfCircle(O),2))")
    assert statement.parts[0].name == "Add" and statement.parts[0].parts[0].letters == "AB"
    assert parse_statement("LengthOfLine(AB)+LengthOfLine(BC)").bare
    with pytest.raises(CdlError):
        parse_statement("Equal(A,B")


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("Equal(LengthOfLine(AC),0)", r"the length of AC is 0; it must be above 0"),
        ("Equal(LengthOfLine(AC),-8)", r"the length of AC is -8; it must be above 0"),
        ("Equal(LengthOfLine(AC),1e308)", r"write the number out"),
        ("Equal(LengthOfLine(AC),20000000)", r"it must be above 0 and below 1e\+06"),
        ("Equal(LengthOfLine(AC),1/0)", r"the length of AC is 1/0"),
        ("Equal(LengthOfLine(BB),8)", r"the length of 'BB' is not of as many points"),
        ("Equal(MeasureOfAngle(ABA),40)", r"the angle of 'ABA' is not of as many points"),
        ("Equal(MeasureOfAngle(ABC),340)", r"the angle of ABC is 340; it must be above 0 and up to 180"),
        ("Equal(RadiusOfCircle(A),0)", r"the radius of A is 0"),
    ],
)
def test_a_size_that_nothing_drawn_can_have_is_refused(statement: str, reason: str) -> None:
    with pytest.raises(ReadingError, match=f"^unreadable_statement: .*{reason}"):
        read_scene(row(text_cdl=[statement]))


@pytest.mark.parametrize("name", ["a", "α", "É"])
def test_a_name_that_is_no_capital_letter_is_refused_by_name(name: str) -> None:
    places = {**ROWS[0]["point_positions"], name: [10.0, 20.0]}
    with pytest.raises(ReadingError, match=f"'{name}' names no point: points are named by single capital letters"):
        read_scene(row(construction_cdl=[f"Shape({name}B,BC,C{name})"], text_cdl=[], point_positions=places))


def test_a_position_beyond_all_measure_is_refused() -> None:
    places = {**ROWS[0]["point_positions"], "A": [1e308, 0.0]}
    with pytest.raises(ReadingError, match="the position of point A is beyond"):
        read_scene(row(point_positions=places))


def test_a_bad_byte_costs_its_row_and_a_byte_order_mark_none(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    good, bad = write_rows(ROWS[0]).encode(), write_rows(ROWS[1]).encode().replace(b"tangent", b"t\xe9ngent", 1)
    path.write_bytes(b"\xef\xbb\xbf" + good + bad + write_rows(row(problem_id="last")).encode())
    read = list(read_rows(str(path), "geometry3k"))
    assert [type(each) for each in read] == [SourceRow, Reject, SourceRow]
    assert isinstance(read[1], Reject)
    assert read[1].reasons[0].startswith("bad_row: line 2: not UTF-8 (byte 0xe9 at character")
    assert "t\\udce9ngent" in (read[1].raw or "")


def test_half_a_character_is_refused_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(write_rows(row(text_en="half \ud800 of one")))
    (read,) = read_rows(str(path), "geometry3k")
    assert isinstance(read, Reject) and read.reasons == ("bad_row: line 1: \\ud800 is half a character",)


def test_an_id_that_was_there_before_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(write_rows(ROWS[0], ROWS[0]))
    first, second = read_rows(str(path), "geometry3k")
    assert isinstance(first, SourceRow) and isinstance(second, Reject)
    assert second.reasons == ("bad_row: line 2: the problem_id right is there already",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n  \n", "the file is empty"),
        ("x".encode("utf-16"), "is UTF-16; save it as UTF-8"),
    ],
)
def test_a_file_without_rows_or_in_utf_16_is_refused_whole(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        list(read_rows(str(path), "geometry3k"))


def test_a_line_is_drawn_from_end_to_end_of_its_points() -> None:
    places = {**ROWS[0]["point_positions"], "D": [300.0, 16.0]}
    reading = read_scene(row(construction_cdl=["Shape(AB,BC,CA)", "Collinear(ACD)"], point_positions=places))
    assert ("A", "D") in reading.scene.segments and ("A", "C") not in reading.scene.segments


def test_an_arc_above_a_half_turn_is_marked_on_the_larger_side() -> None:
    sample = row(
        construction_cdl=["Shape(OA,AB,BO)", "Cocircular(O,AB)"],
        text_cdl=["Equal(MeasureOfArc(OAB),250)"],
        point_positions={"O": [0, 0], "A": [100, 0], "B": [-34, -94]},
    )
    marks = {mark.value: mark.arguments for mark in read_scene(sample).scene.marks}
    assert marks == {"250": ("B", "A", "O")}
