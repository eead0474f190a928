"""Every predicate of the table: a figure that shows it, one that breaks it, and what must not matter."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.judge import (
    Coordinates,
    FactError,
    canonicalise,
    find_problem,
    holds,
    is_implied,
    judge,
    list_broader,
    list_consequences,
    residual,
)
from counterfoil.tasks.geometry.facts.predicates import PLANE, PREDICATES

ROOT = math.sqrt(3)
HEXAGON = {name: (math.cos(math.pi * i / 3), math.sin(math.pi * i / 3)) for i, name in enumerate("HIJKLN")}
POINTS: dict[str, tuple[float, float]] = {
    "A": (0, 0),
    "B": (4, 0),
    "C": (4, 4),
    "D": (0, 4),  # a square
    "M": (2, 0),
    "P": (2, 4),
    "E": (2, 2),
    "F": (10, 0),
    "Q": (2, 2 * ROOT),  # ABQ equilateral
    "R": (8, 0),
    "S": (6, 2 * ROOT),
    "T": (2.5, 1.1),
    "G": (2, 2 * ROOT / 3),
    "U": (6, 3),
    "V": (1, 3),
    "W": (-1, 3),
    "X": (7, 5),
    "Y": (3, 3),
    "Z": (2, -5),
    **{f"{name}1": place for name, place in HEXAGON.items()},
}
CIRCLES = {"E": (2.0, 2.0, 2 * math.sqrt(2)), "c1": (2.0, 2.0, 2.0)}
CIRCLES |= {"U": (6.0, 3.0, math.sqrt(17) - 2), "Y": (3.0, 3.0, 2 - math.sqrt(2))}  # touch c1 from outside, inside
FIGURE = Coordinates(POINTS, CIRCLES)


def fact(text: str, value: str | None = None) -> Fact:
    name, _, rest = text.partition(" ")
    return Fact(name, tuple(rest.split()), value)


TRUE_AND_FALSE = [
    (fact("mark_length A B", "4"), fact("mark_length A B", "5")),
    (fact("mark_angle A B C", "90"), fact("mark_angle A B C", "70")),
    (fact("mark_right A B C"), fact("mark_right A Q B")),
    (fact("mark_arc A B E", "90"), fact("mark_arc A B E", "120")),
    (fact("collinear A M B"), fact("collinear A M E")),
    (fact("collinear A M B F"), fact("collinear A M B E")),
    (fact("midpoint M A B"), fact("midpoint T A B")),
    (fact("parallel A B D C"), fact("parallel A B A C")),
    (fact("perpendicular A C B D"), fact("perpendicular A C A B")),
    (fact("equal_length A B B C"), fact("equal_length A B A C")),
    (fact("length A C", "4\\sqrt{2}"), fact("length A C", "7")),
    (fact("angle B A C", "45"), fact("angle B A C", "60")),
    (fact("equal_angle B A C C A D"), fact("equal_angle B A C B A D")),
    (fact("bisector C B A D"), fact("bisector P B A D")),
    (fact("altitude Q M A B Q"), fact("altitude Q B A Q F")),
    (fact("median Q M A B Q"), fact("median D M A F D")),
    (fact("midsegment M E A B C"), fact("midsegment M T A B C")),
    (fact("intersection E A C B D"), fact("intersection T A C B D")),
    (fact("incentre E A B C D"), fact("incentre T A B C D")),
    (fact("centroid E A B C D"), fact("centroid T A B C D")),
    (fact("circumcentre E A B C"), fact("circumcentre T A B C")),
    (fact("orthocentre G A B Q"), fact("orthocentre E A B Q")),
    (fact("inside E A B Q"), fact("inside U A B C D")),
    (fact("perpendicular_bisector M P A B"), fact("perpendicular_bisector D C A B")),
    (fact("ratio A F A B", "5/2"), fact("ratio A F A B", "2")),
    (fact("angle_sum B A E E A D", "90"), fact("angle_sum B A E B A D", "90")),
    (fact("radial M E c1"), fact("radial A B c1")),
    (fact("outside_circle A c1"), fact("outside_circle E c1")),
    (fact("inside_circle E c1"), fact("inside_circle A c1")),
    (fact("externally_tangent U c1"), fact("externally_tangent Y c1")),
    (fact("internally_tangent Y c1"), fact("internally_tangent U c1")),
    (fact("concyclic A B C D"), fact("concyclic A B C P")),
    (fact("side_length A B C D", "4"), fact("side_length A B C D", "5")),
    (fact("perimeter A M P D", "12"), fact("perimeter A M P D", "16")),
    (fact("area A B C D", "16"), fact("area A B C D", "25")),
    (fact("congruent A B C C D A"), fact("congruent A B C A B E")),
    (fact("similar A B C A M E"), fact("similar A B C A B Q")),
    (fact("on_circle A E"), fact("on_circle M E")),
    (fact("centre E E"), fact("centre M E")),
    (fact("radius c1", "2"), fact("radius c1", "3")),
    (fact("tangent A B c1"), fact("tangent A C c1")),
    (fact("chord A C E"), fact("chord A M E")),
    (fact("diameter A C E"), fact("diameter A B E")),
    (fact("arc A B E", "90"), fact("arc A C E", "90")),
    (fact("triangle A B C"), fact("triangle A M B")),
    (fact("equilateral A B Q"), fact("equilateral A B C")),
    (fact("isosceles A B E"), fact("isosceles A F C")),
    (fact("right_triangle A B C"), fact("right_triangle A B Q")),
    (fact("scalene A F C"), fact("scalene A B C")),
    (fact("acute A B Q"), fact("acute A B W")),
    (fact("obtuse A B W"), fact("obtuse A B Q")),
    (fact("quadrilateral A B X D"), fact("quadrilateral A C B D")),
    (fact("square A B C D"), fact("square A B U V")),
    (fact("rectangle A M P D"), fact("rectangle A B U V")),
    (fact("rhombus A B S Q"), fact("rhombus A M P D")),
    (fact("parallelogram A B S Q"), fact("parallelogram A B C V")),
    (fact("kite A B C D"), fact("kite A F U D")),
    (fact("trapezoid A F C D"), fact("trapezoid A B X D")),
    (fact("isosceles_trapezoid A R S Q"), fact("isosceles_trapezoid A F C D")),
    (fact("right_trapezoid A F C D"), fact("right_trapezoid A R S Q")),
    (fact("at B", "(4,0)"), fact("at B", "(0,4)")),
    (fact("quadrant C", "first"), fact("quadrant C", "third")),
    (fact("on_x_axis B"), fact("on_x_axis D")),
    (fact("on_y_axis D"), fact("on_y_axis B")),
    (fact("line_equation M D", "y=-2x+4"), fact("line_equation M D", "y=2x+4")),
    (fact("slope M D", "-2"), fact("slope M D", "-1/2")),
    (fact("y_intercept M D", "4"), fact("y_intercept M D", "2")),
    (fact("x_intercept M D", "2"), fact("x_intercept M D", "4")),
    (fact("horizontal D C"), fact("horizontal B C")),
    (fact("vertical B C"), fact("vertical D C")),
    (fact("quadratic A P", "y=x^{2}"), fact("quadratic A P", "y=-x^{2}")),
    (fact("circle_equation E", "(x-2)^{2}+(y-2)^{2}=8"), fact("circle_equation E", "(x-2)^{2}+(y-2)^{2}=16")),
    (fact("graph D M B F"), fact("graph D B M F")),
    (fact("regular_polygon H1 I1 J1 K1 L1 N1"), fact("regular_polygon A M P D")),
]
JUDGED = [name for name, row in PREDICATES.items() if row.group not in ("drawn", "mark")] + [
    "mark_length",
    "mark_angle",
]


def test_the_examples_cover_every_judged_predicate() -> None:
    assert {true.predicate for true, _ in TRUE_AND_FALSE} >= set(JUDGED)
    assert {false.predicate for _, false in TRUE_AND_FALSE} >= set(JUDGED)


@pytest.mark.parametrize(("true", "false"), TRUE_AND_FALSE, ids=lambda f: f.predicate)
def test_a_true_fact_holds_and_a_false_one_visibly_fails(true: Fact, false: Fact) -> None:
    assert holds(true, FIGURE), residual(true, FIGURE)
    assert judge(true, FIGURE) is not False
    assert judge(false, FIGURE) is False, residual(false, FIGURE)
    assert not holds(false, FIGURE)


@pytest.mark.parametrize(("true", "false"), TRUE_AND_FALSE, ids=lambda f: f.predicate)
def test_all_names_of_a_fact_are_judged_alike_and_have_one_canonical_form(true: Fact, false: Fact) -> None:
    for example, verdict in ((true, True), (false, False)):
        canonical = canonicalise(example)
        for arguments in PREDICATES[example.predicate].forms(example.arguments):
            other = Fact(example.predicate, tuple(arguments), example.value)
            assert canonicalise(other) == canonical
            assert judge(other, FIGURE) is verdict


@settings(max_examples=30)
@given(
    turn=st.floats(0, 2 * math.pi),
    scale=st.floats(0.05, 200),
    shift=st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    mirror=st.booleans(),
)
def test_turning_scaling_moving_and_mirroring_a_figure_changes_no_verdict(
    turn: float, scale: float, shift: tuple[float, float], mirror: bool
) -> None:
    def move(p: tuple[float, float]) -> tuple[float, float]:
        x, y = scale * p[0], scale * (-p[1] if mirror else p[1])
        return (
            x * math.cos(turn) - y * math.sin(turn) + shift[0],
            x * math.sin(turn) + y * math.cos(turn) + shift[1],
        )

    points: Mapping[str, tuple[float, float]] = {name: move(p) for name, p in POINTS.items()}
    circles = {name: (*move((c[0], c[1])), c[2] * scale) for name, c in CIRCLES.items()}
    moved = Coordinates(points, circles, unit=scale)
    for true, false in TRUE_AND_FALSE:
        if true.predicate in PLANE:
            continue  # coordinates are what changes
        assert judge(true, moved) is True, true
        assert judge(false, moved) is False, false


@settings(max_examples=40)
@given(st.floats(0.4, 3.0))
def test_an_angle_is_broken_from_where_a_viewer_sees_it_and_held_within_a_degree(off: float) -> None:
    figure = Coordinates({"A": (5, 0), "B": (0, 0), "C": (math.cos(math.radians(60)), math.sin(math.radians(60)))})
    assert holds(fact("angle A B C", f"{60 + off / 2:.4f}"), figure)
    assert judge(fact("angle A B C", f"{60 + 6 * off + 4:.4f}"), figure) is False


def test_between_held_and_broken_nothing_is_claimed() -> None:
    figure = Coordinates({"A": (5, 0), "B": (0, 0), "C": (math.cos(math.radians(60)), math.sin(math.radians(60)))})
    assert judge(fact("angle A B C", "63.5"), figure) is None


def test_a_crossed_order_of_a_squares_corners_is_no_square() -> None:
    assert judge(fact("square A C B D"), FIGURE) is False


def test_a_parallelogram_neither_shows_nor_breaks_the_claim_that_it_is_a_trapezoid() -> None:
    assert judge(fact("trapezoid A B S Q"), FIGURE) is None


def test_points_that_fall_together_never_show_a_fact() -> None:
    figure = Coordinates({"A": (0, 0), "B": (0.001, 0), "C": (10, 0), "D": (5, 8)})
    for claim in (
        fact("collinear A B C"),
        fact("isosceles A B C"),
        fact("equal_length A C B C"),
        fact("angle A B D", "90"),
    ):
        assert judge(claim, figure) is None


def test_a_line_is_not_parallel_to_itself() -> None:
    assert judge(fact("parallel A M M B"), FIGURE) is None


def test_a_fact_about_points_that_are_not_there_is_neither() -> None:
    assert judge(fact("length A A9", "3"), FIGURE) is None


def test_a_value_with_an_unknown_is_a_claim_about_the_mark_alone() -> None:
    assert judge(fact("length A B", "x+3"), FIGURE) is None
    assert residual(fact("length A B", "x+3"), FIGURE) == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (fact("length A B", "8"), fact("length B A", "8.0")),
        (fact("square A B C D"), fact("square C D A B")),
        (fact("square A B C D"), fact("square D C B A")),
        (fact("parallel A B C D"), fact("parallel C D B A")),
        (fact("angle A B C", "60"), fact("angle C B A", "60")),
        (fact("congruent A B C D E F"), fact("congruent E F D B C A")),
        (fact("midpoint M A B"), fact("midpoint M B A")),
        (fact("length A B", "2*x-14"), fact("length B A", "2x-14")),
    ],
)
def test_two_names_of_one_thing_are_the_same_fact(first: Fact, second: Fact) -> None:
    assert canonicalise(first) == canonicalise(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (fact("square A B C D"), fact("square A C B D")),
        (fact("congruent A B C D E F"), fact("congruent A B C E D F")),
        (fact("angle A B C", "60"), fact("angle B A C", "60")),
        (fact("length A B", "8"), fact("length A B", "6")),
        (fact("bisector D A B C"), fact("bisector A D B C")),
    ],
)
def test_names_of_different_things_differ(first: Fact, second: Fact) -> None:
    assert canonicalise(first) != canonicalise(second)


@pytest.mark.parametrize(
    ("known", "implied"),
    [
        (fact("square A B C D"), fact("rectangle C D A B")),
        (fact("square A B C D"), fact("kite A B C D")),
        (fact("equilateral A B C"), fact("isosceles B C A")),
        (fact("midpoint M A B"), fact("collinear A B M")),
        (fact("midpoint M A B"), fact("equal_length A M B M")),
        (fact("diameter A B O"), fact("on_circle A O")),
        (fact("diameter A B O"), fact("on_circle B O")),
        (fact("perpendicular A B B C"), fact("angle C B A", "90")),
        (fact("angle C B A", "90"), fact("perpendicular A B B C")),
        (fact("bisector D A B C"), fact("equal_angle A B D D B C")),
        (fact("median C D A B C"), fact("midpoint D A B")),
        (fact("altitude C D A B C"), fact("perpendicular C D A B")),
        (fact("congruent A B C D E F"), fact("equal_length A C D F")),
        (fact("mark_length A B", "8"), fact("length B A", "8")),
        (fact("mark_right A B C"), fact("perpendicular C B B A")),
        (fact("congruent A B C D E F"), fact("similar B C A E F D")),
    ],
)
def test_a_broader_or_other_name_is_implied(known: Fact, implied: Fact) -> None:
    assert is_implied(implied, [known])
    one_way = known.predicate in ("square", "equilateral", "congruent")
    assert not (one_way and is_implied(known, [implied]))


def test_what_a_fact_implies_holds_wherever_it_holds() -> None:

    implied = [(true, each) for true, _ in TRUE_AND_FALSE for each in list_consequences(true)]
    assert [pair for pair in implied if pair[1].predicate in JUDGED and judge(pair[1], FIGURE) is False] == []


def test_an_angle_of_nothing_is_not_bisected() -> None:
    # F, R and B lie one behind the other as A sees them.
    assert judge(fact("bisector R B A F"), FIGURE) is not True
    assert judge(fact("bisector E D A B"), FIGURE) is True


def test_a_square_is_every_broader_shape() -> None:
    assert list_broader("square") >= {"rectangle", "rhombus", "parallelogram", "kite", "quadrilateral"}


@pytest.mark.parametrize(
    "bad",
    [
        fact("sqare A B C D"),
        fact("length A A", "3"),
        fact("length A B"),
        fact("square A B C"),
        fact("congruent A B C A B C"),
    ],
)
def test_a_malformed_fact_is_named_with_its_problem(bad: Fact) -> None:
    problem = find_problem(bad)
    assert problem is not None and problem.startswith(bad.predicate)
    with pytest.raises(FactError):
        residual(bad, FIGURE)
