"""Equal things bear one mark."""

from __future__ import annotations

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.figure.groups import unite_groups


def marks(kind: str, *groups: tuple[str, ...]) -> list[Fact]:
    return [Fact(f"mark_{kind}", tuple(name), f"group {i}") for i, group in enumerate(groups) for name in group]


def count(united: tuple[Fact, ...]) -> dict[str, str | None]:
    return {"".join(mark.arguments): mark.value for mark in united}


def test_segments_that_are_equal_by_way_of_others_bear_one_tick() -> None:
    united = unite_groups(marks("ticks", ("AB", "BC"), ("CD", "DA"), ("EF", "GH"), ("CB", "CD")), ())
    assert count(united) == {"AB": "1", "BC": "1", "CD": "1", "DA": "1", "EF": "2", "GH": "2"}


def test_an_angle_is_the_same_under_all_of_its_names() -> None:
    line = Fact("collinear", ("B", "C", "D"))
    united = unite_groups(marks("arcs", ("ABC", "EFG"), ("DBA", "HIJ")), [line])
    assert count(united) == {"ABC": "1", "EFG": "1", "HIJ": "1"}


def test_parallel_lines_are_united_by_the_line_not_by_the_part_of_it_that_is_named() -> None:
    line = Fact("collinear", ("A", "B", "C"))
    united = unite_groups(marks("parallel", ("AB", "DE"), ("BC", "FG"), ("HI", "JK")), [line])
    assert count(united) == {"AB": "1", "DE": "1", "FG": "1", "HI": "2", "JK": "2"}


def test_equal_angles_start_at_two_arcs_where_another_angle_bears_a_number() -> None:
    equal = marks("arcs", ("ABC", "BCA"))
    assert count(unite_groups(equal, ()))["ABC"] == "1"
    inside = [*equal, Fact("mark_angle", ("C", "B", "A"), "70")]
    assert count(unite_groups(inside, ()))["ABC"] == "1"
    outside = [*equal, Fact("mark_angle", ("C", "A", "B"), "40")]
    assert count(unite_groups(outside, ()))["ABC"] == "2"


def test_uniting_twice_changes_nothing() -> None:
    once = unite_groups(marks("ticks", ("AB", "BC"), ("EF", "GH"), ("CB", "CD")), ())
    assert unite_groups(once, ()) == once
