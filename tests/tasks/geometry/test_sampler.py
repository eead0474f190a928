"""The sampler: chained constructions, problems whose answers follow by theorems, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import pytest
import sympy

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.geometry.facts.expressions import is_symbolic
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.predicates import NUMBER_MARKS
from counterfoil.tasks.geometry.figure.solve import list_failing
from counterfoil.tasks.geometry.settings import Plan
from counterfoil.tasks.geometry.sources.sampler import (
    CONSTRUCTIONS,
    SampledProblem,
    build_problem,
    sample_problem,
    sample_rows,
)
from counterfoil.tasks.geometry.sources.sampler.deduce import Deduction, DeductionError, Known, Relation
from counterfoil.tasks.geometry.sources.sampler.exact import Exact, of, recognise
from counterfoil.tasks.geometry.sources.sampler.figure import Plane
from counterfoil.tasks.geometry.sources.sampler.problems import ASKED, Step
from counterfoil.tasks.geometry.sources.sampler.starts import STARTS
from tests.tasks.geometry.recomputing import examine


@cache
def draw_sample() -> list[SampledProblem]:
    """Drawn when a test asks, not by every worker that collects."""
    return [sample_problem(generator(11, "test", i)) for i in range(400)]


def test_all_constructions_come_up_chained() -> None:
    assert len(CONSTRUCTIONS) == len(set(CONSTRUCTIONS)) >= 80
    used = Counter(name for problem in draw_sample() for name in problem.constructions)
    assert len(used) >= len(CONSTRUCTIONS) - 4
    assert {len(problem.constructions) for problem in draw_sample()} == {2, 3, 4, 5, 6}
    assert len({problem.constructions for problem in draw_sample()}) > 350


@pytest.mark.parametrize("start", [function.__name__ for function in STARTS])
def test_every_start_draws_within_a_few_tries(start: str) -> None:
    plan = Plan(constructions=(1, 3), steps=(1, 8))
    assert any(build_problem(generator(5, start, i), start, plan) is not None for i in range(30))


def test_every_fact_and_number_of_every_scene_holds() -> None:
    for problem in draw_sample():
        failing = list_failing(problem.scene, problem.scene.claims)
        assert not failing, (problem.constructions, failing)


def test_every_kind_of_question_is_asked_with_and_without_unknowns() -> None:
    kinds = Counter((problem.asked.kind, bool(problem.asked.unknowns)) for problem in draw_sample())
    assert {kind for kind, _ in kinds} == set(ASKED)
    assert sum(count for (_, unknown), count in kinds.items() if unknown) > 0.1 * len(draw_sample())


def find_untrue(problem: SampledProblem) -> str | None:
    """Why the answer does not follow from what is printed, by coordinates and equations alone."""
    printed = [mark for mark in problem.scene.marks if mark.predicate in NUMBER_MARKS.values()]
    inexact = list_failing(problem.scene, printed, 1e-4)
    found = examine(problem)
    return str(inexact or found) if inexact or not found.is_right else None


STARTS_AT = (80, 250, 5_000, 10_000, 15_000, 20_000)
LATER = [pytest.param(range(*ends), marks=pytest.mark.slow) for ends in pairwise(STARTS_AT)]


@pytest.mark.parametrize("numbers", [range(80), *LATER], ids=lambda numbers: f"{numbers.start}-{numbers.stop}")
def test_what_is_asked_for_follows_from_the_numbers_as_they_are_printed(numbers: range) -> None:
    problems = (sample_problem(generator(23, "printed", i)) for i in numbers)
    untrue = [(each.question, each.answer, told) for each in problems if (told := find_untrue(each))]
    assert not untrue, untrue[:3]


def to_sympy(number: Exact) -> sympy.Expr:
    """An exact number as sympy has it."""
    return sum(
        (sympy.Rational(p.numerator, p.denominator) * sympy.sqrt(root) * sympy.pi**power)
        for (root, power), p in number.terms.items()
    )


def find_broken_step(problem: SampledProblem, step: Step) -> str | None:
    """The step's equation where its exact values do not make it true."""
    relation, values = step.relation, problem.asked.values
    if relation.kind not in ("sum", "product", "squares"):
        return None
    parts = [(to_sympy(values[quantity]), factor) for quantity, factor in relation.terms]
    if relation.kind == "product":
        left = sympy.prod([value**factor for value, factor in parts])
    else:
        left = sum(factor * (value**2 if relation.kind == "squares" else value) for value, factor in parts)
    return None if sympy.simplify(left - to_sympy(relation.constant)) == 0 else step.text


def test_each_step_of_a_derivation_holds_in_exact_arithmetic() -> None:
    broken = [told for each in draw_sample() for step in each.asked.steps if (told := find_broken_step(each, step))]
    assert not broken, broken[:3]


def test_each_step_rests_on_what_is_printed_or_came_before() -> None:
    for problem in draw_sample():
        known = {(mark.predicate.removeprefix("mark_"), *mark.arguments) for mark in problem.asked.marks}
        for step in problem.asked.steps:
            fresh = {each for each in step.premises if each not in known and each in problem.asked.values}
            # What is read off the figure is no step: right angles, equal things.
            assert not fresh or all(each[0] in ("angle", "length", "unknown") for each in fresh), step.text
            known |= {step.quantity, *fresh}
        assert problem.asked.quantities[0] in known


def test_no_scene_gives_its_answer_away() -> None:
    for problem in draw_sample():
        asked = problem.asked.quantities[0]
        at_it = {mark.value for mark in problem.asked.marks if (mark.predicate[5:], *mark.arguments) == asked}
        assert all(is_symbolic(value) for value in at_it), problem.question


def test_a_row_depends_on_its_seed_and_number_alone() -> None:
    first, longer, other = (list(sample_rows(n, seed)) for n, seed in ((5, 3), (9, 3), (5, 4)))
    assert first == longer[:5]
    assert first != other
    assert all(isinstance(row, SourceRow) and row.source == "procedural" for row in longer)


def test_a_scene_names_each_thing_once() -> None:
    for problem in draw_sample():
        marks = [(canonicalise(mark).predicate, canonicalise(mark).arguments) for mark in problem.scene.marks]
        assert len(set(marks)) == len(marks), problem.constructions


@pytest.mark.parametrize(
    "plan",
    [Plan(constructions=(1, 1), steps=(1, 1), unknowns=0), Plan(constructions=(5, 6), steps=(4, 12), unknowns=1)],
)
def test_a_plan_says_how_many_constructions_and_steps(plan: Plan) -> None:
    problems = [sample_problem(generator(2, "plan", i), plan) for i in range(20)]
    assert all(plan.constructions[0] <= len(each.constructions) <= plan.constructions[1] for each in problems)
    assert all(plan.steps[0] <= len(each.asked.steps) <= plan.steps[1] for each in problems)
    assert sum(bool(each.asked.unknowns) for each in problems) >= (15 if plan.unknowns else 0)


def test_a_theorem_that_the_figure_belies_stops_the_sampler() -> None:
    plane = Plane(
        {"A": 0j, "B": 3 + 0j, "C": 5j}, [("A", "B"), ("A", "C")], {}, [Fact("equal_length", ("A", "B", "A", "C"))]
    )
    wrong = Relation("equal", "sum", ((plane.length("A", "B"), 1), (plane.length("A", "C"), -1)))
    deduction = Deduction(plane, [wrong])
    with pytest.raises(DeductionError, match="AC = 3 by 'equal', drawn 5"):
        deduction.learn(plane.length("A", "B"), Known(of(3)))


def test_exact_numbers_are_those_of_sympy() -> None:
    numbers = [of(Fraction(7, 2)), of(12).root(), of(Fraction(3, 4)).root(), recognise(5 * 3**0.5)]
    for one, other in combinations([each for each in numbers if each], 2):
        assert sympy.simplify(to_sympy(one + other) - to_sympy(one) - to_sympy(other)) == 0
        assert sympy.simplify(to_sympy(one * other) - to_sympy(one) * to_sympy(other)) == 0
        assert one.invert() is not None and one * one.invert() == of(1)  # type: ignore[operator]


def test_a_problem_without_one_of_its_numbers_is_not_decided() -> None:
    """Nothing is over-stated, and the second road to the answer is no rubber stamp."""
    needless = [(each.question, found) for each in draw_sample()[:150] if (found := examine(each).needless)]
    assert not needless, needless[:3]
