"""Reading formally stated problems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.storage.rows import Fact, Reject
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.judge import holds
from counterfoil.tasks.geometry.sources.cdl import CdlError, parse_statement
from counterfoil.tasks.geometry.sources.geometry3k import ReadingError, read_rows, read_scene
from counterfoil.tasks.geometry.sources.reading import ProblemError, read_formal, solve_reading
from counterfoil.tasks.geometry.sources.wording import write_question
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
        ("Equal(LengthOfLine(AB),Mul(LengthOfLine(BC),0))", r"AB is 0 times BC; it must be above 0 times"),
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


BAD_STATEMENTS = [
    ("FooBar(AB,CD)", r"FooBar is no predicate"),
    ("IsMidpointofLine(D,BC)", r"is it IsMidpointOfLine\?"),
    ("ParallelBetweenLine(AB)", r"takes 2 arguments, not 1: ParallelBetweenLine\(AB,CD\)"),
    ("ParallelBetweenLine(AB,BC,CA)", r"takes 2 arguments, not 3"),
    ("ParallelBetweenLine(AB,ABC)", r"'ABC' is not the name of 2 points"),
    ("IsCentreOfCircle(A,8)", r"'8' is not the name of 1 point"),
    ("RightTriangle(AB)", r"'AB' is not the name of 3 points"),
    ("Rectangle(MeasureOfAngle(ABC))", r"is not the name of 4 points"),
    ("Equal(LengthOfLine(AB))", r"Equal needs two terms, not 1"),
    ("Equal()", r"an empty statement"),
    ("Equal(LengthOfLine(AB,CD),6)", r"LengthOfLine takes 1 argument, not 2"),
    ("Equal(LengthOfLine(ABC),6)", r"'ABC' is not the name of 2 points"),
    ("Equal(LenghtOfLine(AB),6)", r"is it LengthOfLine\?"),
    ("Equal(LengthOfLine(AB),LengthOfLine)", r"'LengthOfLine' stands where a number"),
    ("Equal(LengthOfLine(AB),Mul(LengthOfLine(BC)))", r"Mul takes 2 or more terms, not 1"),
    ("Equal(LengthOfLine(AB),Mul(Foo(BC),2))", r"Foo is no size of anything"),
    ("Equal(LengthOfLine(AB),LengthOfLine(BC)+2)", r"stands where a number or an expression should"),
    ("Equal(LengthOfLine(AB),2*)", r"is not an expression"),
    ("Equal(LengthOfLine(AB,6)", r"brackets do not match"),
    ("Equal(LengthOfLine(AB),6))", r"brackets do not match"),
    (")Equal(LengthOfLine(AB),6(", r"brackets do not match"),
    ("Equal(LengthOfLine(AB),6)+x", r"it is no statement"),
    ("AB=6", r"it is no statement"),
    ("", r"an empty statement"),
    (7, r"7 is not text"),
    (None, r"None is not text"),
    (["Equal(LengthOfLine(AB),6)"], r"is not text"),
]


@pytest.mark.parametrize("field", ["text_cdl", "image_cdl"])
@pytest.mark.parametrize(("statement", "reason"), BAD_STATEMENTS, ids=lambda each: str(each)[:30])
def test_a_statement_that_nobody_knows_is_refused_with_its_field(field: str, statement: Any, reason: str) -> None:
    with pytest.raises(ReadingError, match=rf"^unreadable_statement: {field}: .*{reason}"):
        read_scene(row(**{field: [*ROWS[0]["text_cdl"], statement]}))


@pytest.mark.parametrize(
    ("goal", "reason"),
    [
        ("Value(Foo(AB))", "Foo is no size of anything"),
        ("Value(LengthOfLine(AB),6)", "Value takes 1 argument, not 2"),
        ("Relation(Foo(AB,CD))", "Foo is no predicate"),
        ("Value(LengthOfLine(AB)", "brackets do not match"),
        (5, "5 is not text"),
    ],
)
def test_a_goal_that_nobody_knows_is_refused(goal: Any, reason: str) -> None:
    with pytest.raises(ReadingError, match=f"^unreadable_statement: goal_cdl: .*{reason}"):
        read_scene(row(goal_cdl=goal))


@pytest.mark.parametrize(
    "statement",
    ["Shape(ABCD)", "Shape()", "Collinear(A)", "Collinear(AB,C)", "Cocircular(OA,B)", "Shape(A(B))", "shape(AB,BC)"],
)
def test_a_construction_that_nobody_knows_is_refused_with_its_field(statement: str) -> None:
    with pytest.raises(ReadingError, match=r"^unreadable_statement: construction_cdl: "):
        read_scene(row(construction_cdl=[*ROWS[0]["construction_cdl"], statement]))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"text_en": ["BC=6"]}, 'text_en is ["BC=6"], which is no text'),
        ({"text_en": 6}, "text_en is 6, which is no text"),
        ({"answer": {"x": 1}}, 'answer is {"x": 1}, which is no text'),
        ({"problem_id": [1]}, "problem_id is [1], which is no text"),
        ({"problem_id": True}, "problem_id is true, which is no text"),
    ],
)
def test_a_field_of_another_type_is_refused_by_name(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(write_rows(row(**changes)))
    (read,) = read_rows(str(path), "geometry3k")
    assert isinstance(read, Reject) and read.reasons == (f"bad_row: line 1: {reason}",)


@pytest.mark.parametrize("forms", ["PointLiesOnCircle(T, Circle(O))", [5], {"a": 1}])
def test_logic_forms_of_another_type_are_refused_by_name(forms: Any) -> None:
    with pytest.raises(ReadingError, match="diagram_logic_forms is not a list of texts"):
        read_scene(row(diagram_logic_forms=forms))


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("Equal(LengthOfLine(AB),Mul(LengthOfLine(BC),2))", "2"),
        ("Equal(LengthOfLine(AB),Mul(2,LengthOfLine(BC)))", "2"),
        ("Equal(Mul(LengthOfLine(BC),2),LengthOfLine(AB))", "2"),
        ("Equal(LengthOfLine(AB),Mul(LengthOfLine(BC),3/5))", "3/5"),
        ("Equal(LengthOfLine(AB),Div(LengthOfLine(BC),2))", "1/2"),
        ("Equal(Div(LengthOfLine(AB),LengthOfLine(BC)),2)", "2"),
        ("Equal(2,Div(LengthOfLine(AB),LengthOfLine(BC)))", "2"),
    ],
)
def test_a_length_that_is_a_multiple_of_another_is_read(statement: str, value: str) -> None:
    facts = read_scene(row(text_cdl=[statement])).scene.facts
    assert Fact("ratio", ("A", "B", "B", "C"), value) in facts


def test_three_lengths_said_to_be_equal_at_once_are() -> None:
    facts = read_scene(row(text_cdl=["Equal(LengthOfLine(AB),LengthOfLine(BC),LengthOfLine(CA))"])).scene.facts
    assert [fact.arguments for fact in facts if fact.predicate == "equal_length"] == [
        ("A", "B", "B", "C"),
        ("A", "B", "C", "A"),
    ]


def test_points_of_a_line_may_be_named_one_by_one() -> None:
    places = {**ROWS[0]["point_positions"], "D": [300.0, 16.0]}
    reading = read_scene(row(construction_cdl=["Shape(AB,BC,CA)", "Collinear(A,C,D)"], point_positions=places))
    assert ("A", "D") in reading.scene.segments


@pytest.mark.parametrize(
    ("clause", "statement", "words"),
    [
        ("PM=Mul(LengthOfLine(KP),2)", "Equal(LengthOfLine(PM),Mul(LengthOfLine(KP),2))", "PM=2KP"),
        ("BD=Mul(LengthOfLine(AC),3/5)", "Equal(LengthOfLine(BD),Mul(LengthOfLine(AC),3/5))", "BD=(3/5)AC"),
        ("∠DAB=Mul(MeasureOfAngle(CDA),2)°", "Equal(MeasureOfAngle(DAB),Mul(MeasureOfAngle(CDA),2))", "∠DAB=2∠CDA"),
        (
            "x=Add(AreaOfTriangle(CBO)",
            "Equal(x,Add(AreaOfTriangle(CBO),AreaOfTriangle(AEO)))",
            "the sum of the area of triangle CBO and the area of triangle AEO is x",
        ),
        (
            "Sub(AreaOfCircle(F)=AreaOfTriangle(ADC))",
            "Equal(Sub(AreaOfCircle(F),AreaOfTriangle(ADC)),x)",
            "the area of circle F minus the area of triangle ADC is x",
        ),
        (
            "Mul(LengthOfLine(IJ)=LengthOfLine(YJ))",
            "Equal(Mul(LengthOfLine(IJ),LengthOfLine(YJ)),Mul(LengthOfLine(HJ),LengthOfLine(XJ)))",
            "IJ·YJ=HJ·XJ",
        ),
        ("AC=DiameterOfCircle(F)", "Equal(LengthOfLine(AC),DiameterOfCircle(F))", "AC is the diameter of circle F"),
        ("Sin(x)=1/2", "Equal(Sin(x),1/2)", "sin x=1/2"),
        ("Pow(LengthOfLine(AB)=9", "Equal(Pow(LengthOfLine(AB),2),9)", "AB^2=9"),
    ],
)
def test_formal_code_in_a_question_is_put_in_words(clause: str, statement: str, words: str) -> None:
    sample = {
        "text_en": f"As shown in the diagram, BE is 4, {clause}. Find the value of cos(AB).",
        "text_cdl": ["Equal(LengthOfLine(BE),4)", statement],
        "goal_cdl": "Value(Cos(MeasureOfAngle(ABC)))",
    }
    assert write_question(sample) == f"As shown in the diagram, BE is 4, {words}. Find the value of cos ∠ABC."


@pytest.mark.parametrize(
    "changes",
    [
        {"text_en": "As shown in the diagram, BC=6, x=Add(AreaOfTriangle(CBO), BE is 4, AC=8. Find the length of AB."},
        {"text_en": "x=Add(AreaOfTriangle(CBO)"},
        {"text_en": "As shown in the diagram, AZ=Mul(LengthOfLine(KP),2), AC=8, BC=9. Find the length of AB."},
        {"text_en": "As shown in the diagram, BC=6, AC=8, AC=7. Find the value of cos(AB)."},
    ],
)
def test_formal_code_that_cannot_be_put_in_words_is_a_reject(changes: dict[str, Any]) -> None:
    with pytest.raises(ProblemError, match=r"^formal_question: "):
        read_formal(SourceRow("geometry3k", "1", "train", row(**changes)))
