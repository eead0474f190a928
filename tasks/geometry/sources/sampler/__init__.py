"""Samples scenes and problems without end, seeded (in the manner of MAVIS's data engine).

A scene is one construction that starts a figure and others that add to it, each to what is there: a `Plan` says how
many. What it states is exact; a problem gives numbers of it, asks for one that follows by theorems, and carries the
steps. A draw that comes out crowded or flat is drawn anew from the same stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from counterfoil.storage.rows import Fact, Reject
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import SourceRow, read_number
from counterfoil.tasks.geometry.captions.write import write_caption
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import find_flaw, list_failing, list_touching
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.settings import Plan
from counterfoil.tasks.geometry.sources.sampler.analytic import draw_chart
from counterfoil.tasks.geometry.sources.sampler.analytic_questions import (
    ASKED_OF,
    LEAST_STEPS,
    Answered,
    list_answered,
)
from counterfoil.tasks.geometry.sources.sampler.building import CONSTRUCTIONS, draw, pick_start
from counterfoil.tasks.geometry.sources.sampler.deciding import Decider
from counterfoil.tasks.geometry.sources.sampler.problems import MARKS, Asked, list_printable, pose
from counterfoil.tasks.geometry.sources.sampler.readable import is_readable
from counterfoil.tasks.geometry.sources.sampler.theorems import list_relations

MOST_TRIES = 400
MOST_MARKED = 5
Fits = Callable[[Scene], bool]
SAMPLED = "procedural"
"""The source of sampled rows."""


class SamplerError(RuntimeError):
    """No clear figure came out of many draws: a construction is wrong."""


@dataclass(frozen=True)
class SampledProblem:
    """A scene with its question and answer, the constructions that it is made of, and how the answer follows."""

    scene: Scene
    question: str
    answer: str
    constructions: tuple[str, ...]
    asked: Asked | Answered

    @property
    def steps(self) -> tuple[str, ...]:
        """The derivation, step by step."""
        return tuple(step if isinstance(step, str) else step.text for step in self.asked.steps)

    @property
    def solution(self) -> str:
        """The derivation, one step a line."""
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))


def sample_rows(
    count: int, seed: int, plan: Plan | None = None, limit: int | None = None
) -> Iterator[SourceRow | Reject]:
    """``count`` sampled problems as source rows; row ``i`` depends on (seed, i, plan) alone."""
    for index in range(count if limit is None else min(count, limit)):
        yield sample_row(str(index), seed, plan)


def sample_row(source_id: str, seed: int, plan: Plan | None = None) -> SourceRow:
    """The source row of a number.

    Raises:
        ValueError: it is no number as rows have them.
    """
    problem = sample_numbered(seed, read_number(source_id), plan)
    payload = {
        "facts": [[fact.predicate, list(fact.arguments), fact.value] for fact in problem.scene.to_facts()],
        "question": problem.question,
        "answer": problem.answer,
        "solution": problem.solution,
        "constructions": list(problem.constructions),
    }
    return SourceRow(SAMPLED, source_id, "", payload)


def sample_numbered(seed: int, index: int, plan: Plan | None = None) -> SampledProblem:
    """The sampled problem of a number.

    Raises:
        SamplerError: as `sample_problem` says.
    """
    plan = plan or Plan()
    if generator(seed, "geometry.analytic", index).random() < plan.analytic:
        return sample_analytic(generator(seed, "geometry.analytic", index, "figure"), plan, is_readable)
    return sample_problem(generator(seed, "geometry.procedural", index), plan, is_readable)


def sample_scene(rng: np.random.Generator, most: int = 3) -> Scene:
    """One sampled scene of up to so many constructions, with true coordinates."""
    return sample_problem(rng, Plan(constructions=(1, most))).scene


def sample_problem(rng: np.random.Generator, plan: Plan | None = None, fits: Fits = bool) -> SampledProblem:
    """One sampled scene that ``fits``, with a question that its marks and facts answer.

    Raises:
        SamplerError: no clear figure in `MOST_TRIES` draws.
    """
    plan = plan or Plan()
    # Decided once: a draw that found no room for unknowns is drawn anew, or fewer would write some than the plan says.
    plan = plan.model_copy(update={"unknowns": float(rng.random() < plan.unknowns)})
    for _ in range(MOST_TRIES):
        problem = build_problem(rng, pick_start(rng), plan)
        if problem is not None and fits(problem.scene):
            return problem
    raise SamplerError(f"no clear figure in {MOST_TRIES} draws")


def sample_analytic(rng: np.random.Generator, plan: Plan | None = None, fits: Fits = bool) -> SampledProblem:
    """One sampled figure on axes that ``fits``, with a question.

    Raises:
        SamplerError: no clear figure in `MOST_TRIES` draws.
    """
    plan = plan or Plan()
    for _ in range(MOST_TRIES):
        problem = _build_analytic(rng, plan)
        if problem is not None and fits(problem.scene):
            return problem
    raise SamplerError(f"no clear figure on axes in {MOST_TRIES} draws")


def _build_analytic(rng: np.random.Generator, plan: Plan) -> SampledProblem | None:
    drawn = draw_chart(rng, plan.constructions)
    if drawn is None:
        return None
    chart, used = drawn
    kinds: dict[str, list[Answered]] = {}
    for answered in list_answered(chart):
        if plan.steps[0] <= len(answered.steps) <= max(plan.steps[1], LEAST_STEPS):
            kinds.setdefault(answered.kind, []).append(answered)
    if not kinds:
        return None
    weights = np.array([ASKED_OF[kind] for kind in kinds])
    listed = list(kinds.values())[int(rng.choice(len(kinds), p=weights / weights.sum()))]
    # First what sort of thing, then which: a figure has many more distances than areas.
    sorts = sorted({each.sort for each in listed})
    sort = sorts[int(rng.integers(len(sorts)))]
    some = [each for each in listed if each.sort == sort]
    asked = some[int(rng.integers(len(some)))]
    scene = chart.to_scene().rounded()
    if not scene.facts or not _is_clear(scene):
        return None
    question = f"{write_caption(scene.to_facts(), rng)} Find {asked.target}."
    return SampledProblem(scene, question, asked.answer, tuple(used), asked)


def build_problem(rng: np.random.Generator, start: str, plan: Plan | None = None) -> SampledProblem | None:
    """One draw that the construction ``start`` begins; None where it is not clear or nothing can be asked."""
    plan = plan or Plan()
    drawn = draw(rng, start, plan)
    if drawn is None:
        return None
    sketch, used = drawn
    asked = pose(sketch.read(), rng, plan.steps, plan.unknowns)
    if asked is None:
        return None
    exact = sketch.finish(asked.marks)
    decider = Decider(exact, {letter: root.value for letter, root in asked.unknowns.items()})
    if not decider.decides(asked.quantities) or decider.find_needless(asked.quantities):
        return None
    scene = exact.rounded()
    shown = replace(scene, marks=(*scene.marks, *_list_answers(asked)))
    if not _is_clear(scene) or find_contradiction(shown):
        return None
    question = f"{write_caption(scene.to_facts(), rng)} Find {asked.target}."
    return SampledProblem(scene, question, asked.answer, tuple(used), asked)


def sample_marked(rng: np.random.Generator, most: int) -> Scene:
    """A sampled scene with several numbers: a figure to take numbers away from.

    Raises:
        SamplerError: no clear figure in `MOST_TRIES` draws.
    """
    for _ in range(MOST_TRIES):
        drawn = draw(rng, pick_start(rng), Plan(constructions=(1, most)))
        if drawn is None:
            continue
        sketch, _ = drawn
        plane = sketch.read()
        printable = list_printable(plane, list_relations(plane))
        names = [list(printable)[at] for at in rng.permutation(len(printable))[:MOST_MARKED]]
        scene = sketch.finish(
            tuple(Fact(MARKS[name[0]], name[1:], printable[name].write()) for name in names)
        ).rounded()
        if _is_clear(scene) and not find_contradiction(scene):
            return scene
    raise SamplerError(f"no clear figure in {MOST_TRIES} draws")


def _list_answers(asked: Asked) -> tuple[Fact, ...]:
    """The answer as a mark, where it can be one."""
    if len(asked.quantities) > 1 or asked.quantities[0][0] not in MARKS:
        return ()
    quantity = asked.quantities[0]
    names = {(mark.predicate, mark.arguments) for mark in asked.marks}
    mark = Fact(MARKS[quantity[0]], quantity[1:], asked.value.write())
    return () if (mark.predicate, mark.arguments) in names else (mark,)


def _is_clear(scene: Scene) -> bool:
    """Whether every fact and number holds, and nothing is so near that a viewer would mistake it."""
    if list_failing(scene, scene.facts, 0.004) or list_failing(scene, scene.marks, 0.01):
        return False
    if find_flaw(scene, scene) is not None:
        return False
    return list_touching(scene, 0.035) == list_touching(scene, 0.001)


__all__ = [
    "CONSTRUCTIONS",
    "SAMPLED",
    "SampledProblem",
    "SamplerError",
    "build_problem",
    "sample_marked",
    "sample_numbered",
    "sample_problem",
    "sample_rows",
    "sample_scene",
]
