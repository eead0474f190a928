"""Which numbers a number may become: all that are near enough to be taken for it and far enough to be seen."""

from __future__ import annotations

import re

import pytest

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.edits.likely import weigh_degrees
from counterfoil.tasks.geometry.edits.numbers import propose_numbers, write_measured
from tests.tasks.geometry.figures import fact


def propose(predicate: str, letters: str, value: str) -> list[str]:
    return [each.value or "" for each in propose_numbers(fact(predicate, letters, value), generator(value))]


@pytest.mark.parametrize("number", [1, 2, 8, 20, 60, 97, 104, 150])
def test_a_length_becomes_any_whole_one_within_its_ratios_and_long_ones_end_in_0_or_5(number: int) -> None:
    near = {n for n in range(1, 400) if 1.15 <= max(n / number, number / n) <= 1.9}
    assert {int(each) for each in propose("length", "AB", str(number))} == {n for n in near if n < 100 or n % 5 == 0}


@pytest.mark.parametrize("number", [15, 20, 60, 82, 90, 130, 170])
def test_an_angle_becomes_any_that_is_8_to_40_degrees_off_and_no_right_one(number: int) -> None:
    near = {n for n in range(12, 176) if 8 <= abs(n - number) <= 40}
    assert {int(each) for each in propose("angle", "ABC", str(number))} == {n for n in near if weigh_degrees(n) > 0}


def test_an_arc_may_be_larger_than_any_angle() -> None:
    found = [int(each) for each in propose("arc", "AB", "320")]
    assert max(found) == 345 and min(found) == 280


@pytest.mark.parametrize(("predicate", "letters", "value"), [("length", "AB", "6.4"), ("angle", "ABC", "47.5")])
def test_a_number_with_decimals_keeps_as_many_and_moves_as_far_as_a_whole_one(
    predicate: str, letters: str, value: str
) -> None:
    found = propose(predicate, letters, value)
    assert len(found) >= 5 and value not in found
    assert all(re.fullmatch(r"\d+\.\d", each) for each in found)
    numbers = [float(each) for each in found]
    if predicate == "angle":
        moved = [abs(each - float(value)) for each in numbers]
        lowest, highest = 8.0, 40.0
    else:
        moved = [max(each / float(value), float(value) / each) for each in numbers]
        lowest, highest = 1.15, 1.9
    lowest_seen, highest_seen = min(moved), max(moved)
    assert lowest <= lowest_seen and highest_seen <= highest


@pytest.mark.parametrize(
    ("predicate", "letters", "value", "form"),
    [
        ("length", "AB", r"5\sqrt{3}", r"(\d+)\\sqrt\{(\d+)\}"),
        ("length", "AB", "2x-14", r"(\d+)x-(\d+)"),
        ("angle", "ABC", "3x+7", r"(\d+)x\+(\d+)"),
    ],
)
def test_one_number_of_an_expression_changes_by_at_most_five_and_the_rest_stays(
    predicate: str, letters: str, value: str, form: str
) -> None:
    old = re.fullmatch(form, value)
    assert old is not None
    found = [re.fullmatch(form, each) for each in propose(predicate, letters, value)]
    assert found and None not in found
    for new in found:
        changed = [(int(a), int(b)) for a, b in zip(old.groups(), new.groups(), strict=True) if a != b]
        assert len(changed) == 1 and abs(changed[0][0] - changed[0][1]) <= 5
        assert int(new[1]) >= 2, "a factor of 1 is not written"
    places = {0 if new[1] != old[1] else 1 for new in found}
    assert places == {0, 1}


def test_an_unknown_alone_and_a_claim_without_a_number_have_no_other() -> None:
    assert propose("length", "AB", "x") == []
    assert list(propose_numbers(fact("parallel", "ABCD"), generator(1))) == []


@pytest.mark.parametrize("value", [r"5\sqrt{3}", r"2\sqrt{2}"])
def test_an_expression_that_has_a_number_changes_by_as_much_as_a_plain_one(value: str) -> None:
    def worth(text: str) -> float:
        factor, root = re.findall(r"\d+", text)
        return float(int(factor) * int(root) ** 0.5)

    for each in propose("length", "AB", value):
        assert 1.15 <= max(worth(each) / worth(value), worth(value) / worth(each)) <= 1.9, each


@pytest.mark.parametrize(
    ("predicate", "letters", "stated", "measured", "written"),
    [
        ("length", "AB", "8", 100.4, "100"),
        ("length", "AB", "8", 2.55, None),
        ("angle", "ABC", "60", 12.3, None),
        ("angle", "ABC", "60", 13.2, "13"),
        ("angle", "ABC", "60", 174.4, "174"),
        ("angle", "ABC", "60", 175.2, None),
        ("angle", "ABC", "60", 90.2, None),
        ("angle", "ABC", "60.5", 90.04, None),
        ("length", "AB", "8", 90.2, "90"),
        ("length", "AB", "8", -1.0, None),
        ("length", "AB", "2x", 7.02, "7"),
    ],
)
def test_what_a_figure_measures_is_written_where_the_rounded_number_is_near_enough(
    predicate: str, letters: str, stated: str, measured: float, written: str | None
) -> None:
    found = write_measured(fact(predicate, letters, stated), measured)
    assert (found.value if found else None) == written
