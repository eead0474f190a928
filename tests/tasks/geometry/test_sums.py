"""Printed numbers that go together, or do not."""

from __future__ import annotations

import math

import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.sums import find_contradiction


def on(degrees: float, radius: float = 10.0) -> tuple[float, float]:
    return (radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)))


def angle(name: str, value: str) -> Fact:
    return Fact("mark_angle", tuple(name), value)


def length(name: str, value: str) -> Fact:
    return Fact("mark_length", tuple(name), value)


FAN = Scene({"B": (0.0, 0.0), "A": on(0), "D": on(21.5), "C": on(43)}, (("A", "B"), ("B", "D"), ("B", "C")))
BISECTOR = Fact("bisector", tuple("DABC"))


def mark(scene: Scene, *marks: Fact) -> Scene:
    return Scene(scene.points, scene.segments, scene.circles, marks)


def test_a_half_of_a_bisected_angle_is_half_of_the_whole() -> None:
    shown = mark(FAN, angle("ABD", "22"), angle("CBA", "43"))
    assert find_contradiction(shown) is None
    assert find_contradiction(shown, [BISECTOR]) == "∠ABD = 22 + ∠ABD = 22 against ∠CBA = 43"
    exact = mark(FAN, angle("ABD", "21.5"), angle("CBA", "43"))
    assert find_contradiction(exact, [BISECTOR]) is None


def test_parts_of_an_angle_add_up_to_the_whole() -> None:
    parts = (angle("ABD", "22"), angle("DBC", "22"))
    assert find_contradiction(mark(FAN, *parts, angle("ABC", "44"))) is None
    assert find_contradiction(mark(FAN, *parts, angle("ABC", "43"))) == "∠ABD = 22 + ∠DBC = 22 against ∠ABC = 43"


def test_equal_arcs_bear_equal_numbers() -> None:
    arcs = (Fact("mark_arcs", tuple("ABD"), "1"), Fact("mark_arcs", tuple("DBC"), "1"))
    assert find_contradiction(mark(FAN, *arcs, angle("ABD", "21"), angle("DBC", "22"))) is not None
    assert find_contradiction(mark(FAN, *arcs, angle("ABD", "22"), angle("DBC", "22"))) is None


LINE = Scene({"A": (0.0, 0.0), "B": (3.5, 0.0), "C": (7.0, 0.0)}, (("A", "C"),))


@pytest.mark.parametrize(("values", "fits"), [
    (("3.5", "3.5", "7"), True),
    (("3.5", "3.6", "7.1"), True),
    (("3.5", "3.6", "7"), True),
    (("4", "4", "7"), False),
    (("3.5", "3.5", "7.2"), False),
    (("x", "3.5", "9"), True),
])  # fmt: skip
def test_parts_of_a_line_add_up_to_the_whole_at_the_printed_precision(values: tuple[str, ...], fits: bool) -> None:
    marks = [length(name, value) for name, value in zip(("AB", "BC", "CA"), values, strict=True)]
    assert (find_contradiction(mark(LINE, *marks)) is None) == fits


def test_a_midpoint_halves_its_line() -> None:
    shown = mark(LINE, length("AB", "3"), length("AC", "7"))
    assert find_contradiction(shown, [Fact("midpoint", tuple("BAC"))]) is not None
    assert find_contradiction(shown) is None


def test_the_angles_of_a_triangle_make_a_half_turn() -> None:
    corners = Scene({"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (0.0, 3.0)}, (("A", "B"), ("B", "C"), ("A", "C")))
    square = Fact("mark_right", tuple("BAC"))
    assert find_contradiction(mark(corners, square, angle("ABC", "37"), angle("BCA", "53"))) is None
    assert find_contradiction(mark(corners, square, angle("ABC", "37"), angle("BCA", "54"))) is not None


def test_neighbours_on_a_line_make_a_half_turn() -> None:
    cross = Scene({"A": on(0), "B": on(180), "C": on(60), "O": (0.0, 0.0)}, (("A", "B"), ("O", "C")))
    assert find_contradiction(mark(cross, angle("AOC", "60"), angle("COB", "120"))) is None
    assert find_contradiction(mark(cross, angle("AOC", "60"), angle("COB", "121"))) is not None
