"""From a source row to a problem: a scene whose stated facts hold, with its question and answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.geometry.facts.judge import holds
from counterfoil.tasks.geometry.facts.residuals import measure_distance
from counterfoil.tasks.geometry.figure.components import gather_components
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError
from counterfoil.tasks.geometry.figure.solve import solve
from counterfoil.tasks.geometry.sources import geometry3k
from counterfoil.tasks.geometry.sources.wording import FormalError, write_question


class ProblemError(Exception):
    """A row has no figure that can be drawn; the message is the reason, ``"code: details"``."""


@dataclass(frozen=True)
class Problem:
    """A scene with solved coordinates and the words that go with it."""

    scene: Scene
    question: str
    answer: str
    solution: str | None = None


def read_formal(row: SourceRow) -> Problem:
    """The problem of a row with formal statements, its stated facts made true.

    Raises:
        ProblemError: ``stated_facts`` with the residuals, ``unclear_figure``, or ``formal_question``.
        counterfoil.tasks.geometry.sources.geometry3k.ReadingError: a formal statement cannot be read.
    """
    try:
        reading = geometry3k.read_scene(row.payload)
        question = write_question(row.payload)
        scene = solve_reading(reading)
    except SceneError as error:
        raise ProblemError(f"bad_scene: {error}") from error
    except FormalError as error:
        raise ProblemError(f"formal_question: {error}") from error
    return Problem(scene, question, str(row.payload["answer"]))


def read_sampled(row: SourceRow) -> Problem:
    """The problem of a sampled row.

    Raises:
        ProblemError: ``bad_scene``.
    """
    payload = row.payload
    facts = (Fact(predicate, tuple(arguments), value) for predicate, arguments, value in payload["facts"])
    try:
        scene = Scene.from_facts(facts)
    except SceneError as error:
        raise ProblemError(f"bad_scene: {error}") from error
    return Problem(scene, payload["question"], payload["answer"], payload.get("solution"))


def solve_reading(reading: geometry3k.Reading) -> Scene:
    """The scene of a reading, solved; regions become facts where they hold.

    Raises:
        ProblemError: the stated facts cannot hold together, or the figure that they force cannot be read.
    """
    solution = solve(reading.scene, (*reading.scene.claims, *reading.constraints))
    if solution.failing:
        raise ProblemError(f"stated_facts: {solution.reason}")
    if solution.flaw:
        raise ProblemError(f"unclear_figure: {solution.flaw}")
    scene = gather_components(solution.scene)
    disordered = next((fact for fact in scene.facts if not is_in_order(fact, scene)), None)
    if disordered is not None:
        raise ProblemError(f"unclear_figure: {''.join(disordered.arguments)} do not lie on their line in this order")
    shown = tuple(fact for fact in reading.regions if holds(fact, scene.coordinates))
    return replace(scene, facts=scene.facts + shown)


def is_in_order(fact: Fact, scene: Scene) -> bool:
    """Whether the points of a ``collinear`` fact lie in the order in which it names them; True for other facts."""
    if fact.predicate != "collinear":
        return True
    places = [scene.points[label] for label in fact.arguments]
    steps = sum(measure_distance(p, q) for p, q in pairwise(places))
    return steps <= 1.001 * measure_distance(places[0], places[-1])
