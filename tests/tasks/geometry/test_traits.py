"""What sorts of problem figures pose: as the report counts them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.rows import Anchor, Fact
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.tasks.geometry.sources.reading import read_sampled
from counterfoil.tasks.geometry.sources.sampler import sample_numbered, sample_row
from counterfoil.tasks.geometry.traits import ASKED, FIGURE, NUMBERS, STEPS, USUAL, count_steps, list_traits, name_asked

ANCHOR = Anchor("0" * 32, "geometry", "procedural", "0", "train")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("AB = 6. Find the length of AC.", "a length"),
        ("AB = 6. Find AC.", "a length"),
        ("AB is the altitude. Find the measure of angle ABC.", "an angle"),
        ("In square ABCD, AB = 3. Find the area of ABCD.", "an area"),
        ("Find the measure of arc AB.", "an arc"),
        ("TR = 2x - 14. Find the value of x.", "a value of x"),
        ("Find x.", "a value of x"),
        ("Find the coordinates of C.", "a coordinate"),
        ("Find the slope of AB.", "a slope or an equation"),
        ("The area is 6. Find the perimeter of ABC.", "a perimeter"),
        ("Find the ratio of AB to CD.", "a ratio"),
    ],
)
def test_a_question_is_named_by_what_it_asks_for(question: str, asked: str) -> None:
    assert name_asked(question) == asked


def test_sampled_problems_have_their_steps_as_a_column() -> None:
    for index in range(12):
        problem = sample_numbered(3, index)
        assert count_steps(problem.solution) == len(problem.steps)
        read = read_sampled(sample_row(str(index), 3))
        anchor = replace(ANCHOR, solution=read.solution, steps=count_steps(read.solution))
        (back,) = from_table(to_table([anchor], "anchors"), "anchors")
        assert back.steps == len(problem.steps)


@pytest.mark.parametrize("solution", [None, "", "AB = 6.", "1. AB = 6.\n3. AC = 6.", "1. AB = 6.\nso it is."])
def test_a_solution_that_numbers_no_steps_has_none(solution: str | None) -> None:
    assert count_steps(solution) is None


def test_traits_tell_axes_and_unknowns() -> None:
    plain = list_traits(replace(ANCHOR, facts=(Fact("mark_length", ("A", "B"), "2x+1"),), steps=9))
    assert (plain[FIGURE], plain[NUMBERS], plain[STEPS]) == ("plain", "with unknowns", "7 or more")
    axes = list_traits(replace(ANCHOR, facts=(Fact("axes", (), "0 0 4 4"), Fact("slope", ("A", "B"), "2"))))
    assert (axes[FIGURE], axes[NUMBERS], axes[STEPS]) == ("on axes", "numbers alone", "not stated")


def test_shares_of_real_problems_are_of_traits_that_are_counted() -> None:
    for shares in USUAL["Geometry3K"].values():
        assert sum(shares.values()) == pytest.approx(1, abs=0.003)
    assert {*USUAL["Geometry3K"]} <= {*list_traits(ANCHOR)}
    assert "an angle" in USUAL["Geometry3K"][ASKED]
