"""What a protocol's figures are made of: which items are pooled, how parts weigh, and which items are ties."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.evaluation.outcomes import Outcomes, average, average_groups, make_figures, pool


def reach(parts: str, hits: list[float], right: list[float], wrong: list[float]) -> Outcomes:
    """One system's outcomes: an item for each letter, which names its part."""
    count = len(parts)
    values = np.column_stack([np.zeros(count), hits]).astype(float)
    names = tuple(f"item{n}" for n in range(count))
    scores = np.array(right, np.float32), np.array(wrong, np.float32)
    return Outcomes(names, tuple(parts), names, ("nothing", "hit"), values, *scores)


OUTCOMES = reach("aaab", [1, 1, 0, 0], [0.9, 0.5, 0.2, 0.3], [0.1, 0.5, 0.2, 0.7])


def test_pooled_parts_weigh_by_their_items_and_averaged_ones_alike():
    figures = make_figures(
        OUTCOMES, [pool("all", "hit", "ab"), average("mean", "hit", "ab"), pool("of a", "hit", "a")], intervals=False
    )
    assert [(each.name, each.items) for each in figures] == [("all", 4), ("mean", 4), ("of a", 3)]
    assert [each.value for each in figures] == pytest.approx([1 / 2, 1 / 3, 2 / 3])
    assert [(each.low, each.high) for each in figures] == [(each.value, each.value) for each in figures]


def test_groups_weigh_alike_and_so_do_the_parts_of_each():
    outcomes = reach("abcc", [1, 0, 1, 1], [1.0] * 4, [0.0] * 4)
    (figure,) = make_figures(outcomes, [average_groups("mean", "hit", [["a", "b"], ["c"]])], intervals=False)
    assert figure.value == pytest.approx(0.75)


def test_ties_are_those_of_the_figures_own_items_and_counted_once():
    specs = [pool("of a", "hit", "a"), pool("of b", "hit", "b"), average_groups("twice", "hit", [["a"], ["a", "b"]])]
    assert [(each.items, each.ties) for each in make_figures(OUTCOMES, specs)] == [(3, 2), (1, 0), (4, 2)]
    assert OUTCOMES.tied.tolist() == [False, True, True, False]


def test_a_figure_over_a_part_without_items_is_left_out_and_pooled_parts_need_but_one():
    specs = [average("mean", "hit", "az"), pool("pooled", "hit", "az"), pool("nothing there", "hit", "z")]
    assert [each.name for each in make_figures(OUTCOMES, specs)] == ["pooled"]


def test_the_interval_is_of_the_figures_own_measure_and_holds_it():
    hit, nothing = make_figures(OUTCOMES, [pool("hit", "hit", "ab"), pool("none", "nothing", "ab")])
    assert 0 < hit.low < hit.value == 0.5 < hit.high < 1
    assert nothing.value == nothing.low == 0.0 < nothing.high < 1


def test_items_that_share_a_block_are_known_less_well():
    apart = reach("a" * 12, [1, 0] * 6, [1.0] * 12, [0.0] * 12)
    shared = Outcomes(
        apart.items,
        apart.parts,
        tuple("xxxxxxyyyyyy"),
        apart.measures,
        apart.values[[0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]],
        apart.right,
        apart.wrong,
    )
    (alone,), (together,) = (make_figures(each, [pool("all", "hit", "a")]) for each in (apart, shared))
    assert alone.value == together.value and together.high - together.low > alone.high - alone.low


def test_a_gain_may_be_below_nothing_and_a_share_may_not():
    lost = reach("a" * 30, [-1.0] * 10 + [0.0] * 20, [1.0] * 30, [0.0] * 30)
    (gain,) = make_figures(lost, [pool("gain", "hit", "a")], gains=True)
    assert gain.value == pytest.approx(-1 / 3)
    assert gain.low < gain.value < gain.high < 0


def test_what_is_shown_and_told_in_percent_is_as_the_protocol_says():
    hidden = [pool("rank", "hit", "a", shown=False, percent=False), average("mean", "hit", "a", shown=False)]
    plain = [pool("all", "hit", "a"), average("mean", "hit", "a"), average_groups("groups", "hit", ["a"])]
    told = [(each.shown, each.percent) for each in make_figures(OUTCOMES, [*hidden, *plain], intervals=False)]
    assert told == [(False, False), (False, True), *[(True, True)] * 3]
