"""The sampler: enough constructions, all of them true, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.predicates import NUMBER_MARKS
from counterfoil.tasks.geometry.figure.solve import list_failing
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.sources.sampler import (
    BASES,
    CONSTRUCTIONS,
    SampledProblem,
    build_problem,
    sample_problem,
    sample_rows,
)
from tests.tasks.geometry.recomputing import find_answer_mark, find_square, read_square

SAMPLE = [sample_problem(generator(11, "test", i), 3) for i in range(500)]


def test_there_are_at_least_forty_constructions_and_all_come_up() -> None:
    assert len(CONSTRUCTIONS) == len(set(CONSTRUCTIONS)) >= 40
    used = Counter(name for problem in SAMPLE for name in problem.constructions)
    assert len(used) >= len(CONSTRUCTIONS) - 2
    assert len({problem.constructions for problem in SAMPLE}) > 100


@pytest.mark.parametrize("base", [function.__name__ for function in BASES])
def test_every_construction_draws_within_a_few_tries(base: str) -> None:
    assert any(build_problem(generator(5, base, i), base) is not None for i in range(30))


def test_every_fact_and_number_of_every_scene_holds() -> None:
    for problem in SAMPLE:
        failing = list_failing(problem.scene, problem.scene.claims)
        assert not failing, (problem.constructions, failing)


def find_untrue(problem: SampledProblem) -> str | None:
    """A printed number that the figure does not have exactly, that contradicts others, or that is not the answer."""
    answer = find_answer_mark(problem)
    shown = problem.scene if answer is None else replace(problem.scene, marks=(*problem.scene.marks, answer))
    printed = [mark for mark in shown.marks if mark.predicate in NUMBER_MARKS.values()]
    inexact = list_failing(problem.scene, printed, 1e-4)
    if inexact:
        return str(inexact)
    if answer is not None and answer.predicate != "mark_length":
        return find_contradiction(shown)
    found = find_square(problem)
    return find_contradiction(shown) or (None if found == read_square(problem.answer) else f"{found} is the square")


@pytest.mark.parametrize("count", [3_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_what_is_asked_for_follows_from_the_numbers_as_they_are_printed(count: int) -> None:
    """In fractions: a number that was rounded no longer adds up, halves or squares to another."""
    problems = (sample_problem(generator(23, "printed", i), 3) for i in range(count))
    untrue = [(each.question, each.answer, told) for each in problems if (told := find_untrue(each))]
    assert not untrue, untrue[:3]


def test_no_scene_gives_its_answer_away() -> None:
    for problem in SAMPLE:
        target = problem.question.rpartition(" Find ")[2].rstrip(".")
        told = {"mark_length": "the length of ", "mark_angle": "the measure of \\angle "}
        given = {
            told[mark.predicate] + "".join(names)
            for mark in problem.scene.marks
            if mark.predicate in told
            for names in (mark.arguments, mark.arguments[::-1])
        }
        assert target not in given


def test_a_row_depends_on_its_seed_and_number_alone() -> None:
    first, longer, other = (list(sample_rows(n, seed)) for n, seed in ((5, 3), (9, 3), (5, 4)))
    assert first == longer[:5]
    assert first != other
    assert all(isinstance(row, SourceRow) and row.source == "procedural" for row in longer)


def test_a_scene_names_each_thing_once() -> None:
    for problem in SAMPLE:
        marks = [(canonicalise(mark).predicate, canonicalise(mark).arguments) for mark in problem.scene.marks]
        assert len(set(marks)) == len(marks), problem.constructions
