"""Numbers give way to others as often as others to them, and names keep the order in which captions have them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.edits.likely import order_likely, weigh_degrees, weigh_factor, weigh_length
from counterfoil.tasks.geometry.edits.numbers import propose_numbers
from counterfoil.tasks.geometry.edits.orders import compare_names, weigh_name
from counterfoil.tasks.geometry.edits.proposals import Proposal, shuffle_proposals
from tests.tasks.geometry.figures import fact


def draw_changes(predicate: str, letters: str, numbers: list[int], weigh, count: int) -> Counter[tuple[int, int]]:
    rng = generator("likely", predicate)
    weights = np.array([weigh(number) for number in numbers])
    changes: Counter[tuple[int, int]] = Counter()
    for old in rng.choice(numbers, count, p=weights / weights.sum()).tolist():
        new = next(propose_numbers(fact(predicate, letters, str(old)), rng))
        changes[old, int(new.value or 0)] += 1
    return changes


@pytest.mark.parametrize(
    ("predicate", "letters", "numbers", "weigh"),
    [
        ("length", "AB", list(range(2, 60)), weigh_length),
        pytest.param("angle", "ABC", list(range(12, 176)), weigh_degrees, marks=pytest.mark.slow),
    ],
)
def test_common_numbers_are_gained_as_often_as_they_are_lost(predicate, letters, numbers, weigh) -> None:
    changes = draw_changes(predicate, letters, [n for n in numbers if weigh(n) > 0], weigh, 4000)
    lost, gained = Counter[int](), Counter[int]()
    for (old, new), times in changes.items():
        lost[old] += times
        gained[new] += times
    for number, times in lost.most_common(5):
        assert abs(gained[number] - times) < 0.2 * (gained[number] + times), number
    larger = sum(times for (old, new), times in changes.items() if new > old)
    assert abs(larger / changes.total() - 0.5) < 0.04


def test_what_gives_way_in_the_draw_comes_after_the_rest() -> None:
    first, last = order_likely(8, lambda number: [n for n in range(5, 13) if n != number], weigh_length, generator(3))
    assert sorted([*first, *last]) == [5, 6, 7, 9, 10, 11, 12]
    assert order_likely(8, lambda _: [], weigh_length, generator(3)) == ([], [])


def test_no_angle_becomes_ninety_degrees() -> None:
    changed = [
        each.value for seed in range(20) for each in propose_numbers(fact("angle", "ABC", "80"), generator(seed))
    ]
    assert "70" in changed
    assert "90" not in changed


def test_weights_of_numbers_are_those_of_problems() -> None:
    assert weigh_length(8) / weigh_length(11) == pytest.approx(3.8, abs=0.05)
    assert weigh_degrees(60) / weigh_degrees(59) == 10.0
    assert weigh_factor(2) > weigh_factor(3) > weigh_factor(7)


def test_an_angle_named_round_its_figure_is_likelier_than_one_named_otherwise() -> None:
    round_it, otherwise = fact("angle", "ABC", "60"), fact("angle", "BAC", "60")
    assert (weigh_name(round_it), weigh_name(otherwise)) == pytest.approx((0.41, 0.295))
    assert compare_names([round_it], [otherwise]) == pytest.approx(0.295 / 0.41)
    assert weigh_name(Fact("square", tuple("BCDA"))) > weigh_name(Fact("square", tuple("ACBD")))


def test_numbers_of_a_clause_keep_their_order_when_proposals_are_shuffled() -> None:
    numbers = [Proposal("number", 0, (fact("length", "AB", str(n)),)) for n in range(3, 9)]
    others = [Proposal("label", 0, (fact("length", "AC", "8"),)), Proposal("number", 1, (fact("length", "BC", "5"),))]
    shuffled = shuffle_proposals([*numbers, *others], generator(1))
    assert [each for each in shuffled if each in numbers] == numbers
    assert sorted(map(repr, shuffled)) == sorted(map(repr, [*numbers, *others]))
