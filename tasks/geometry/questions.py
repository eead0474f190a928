"""Questions about a figure whose answers are facts of its anchor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from counterfoil.storage.rows import Anchor, Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import Question
from counterfoil.tasks.geometry.facts.judge import canonicalise, judge
from counterfoil.tasks.geometry.facts.predicates import NUMBER_MARKS
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError

_ASKED = {
    "length": "What is the length of {0}{1}?",
    "angle": r"What is the size of angle {0}{1}{2} in degrees?",
    "arc": "What is the measure of arc {0}{1} of circle {2} in degrees?",
}
_RELATIONS = {
    "parallel": "Is {0}{1} parallel to {2}{3}?",
    "perpendicular": "Is {0}{1} perpendicular to {2}{3}?",
    "equal_length": "Is {0}{1} as long as {2}{3}?",
    "midpoint": "Is {0} the midpoint of {1}{2}?",
}


def list_questions(anchor: Anchor) -> list[Question]:
    """The problem's own question, one for each number that the picture writes, and for each simple relation one that
    is answered yes and, where the figure has such lines, one about other lines of it that is answered no."""
    own = [Question("problem", anchor.question, anchor.answer)] if anchor.question and anchor.answer else []
    asked = [question for fact in anchor.facts for question in _ask(fact)]
    return own + asked + list(_ask_wrongly(anchor))


def _ask_wrongly(anchor: Anchor) -> Iterator[Question]:
    """Of each relation the same of other drawn lines, where the coordinates visibly break it."""
    related = [fact for fact in anchor.facts if fact.predicate in _RELATIONS]
    try:
        scene = Scene.from_facts(anchor.facts) if related else Scene({})
    except SceneError:
        return
    asked: set[Fact] = set()
    for fact in related:
        wrong = sorted(
            {canonicalise(each) for each in _exchange(fact, scene) if judge(each, scene.coordinates) is False} - asked,
            key=str,
        )
        if wrong:
            chosen = wrong[int(generator("questions", anchor.anchor_id, str(fact)).integers(len(wrong)))]
            asked.add(chosen)
            yield Question("relation", _RELATIONS[chosen.predicate].format(*chosen.arguments), "no")


def _exchange(fact: Fact, scene: Scene) -> Iterator[Fact]:
    """The relation of other lines: of one of its own and any other that is drawn, or of a midpoint and another line."""
    first, second = fact.arguments[:2], fact.arguments[2:]
    for line in scene.segments:
        if fact.predicate == "midpoint":
            kept: list[tuple[str, ...]] = [(fact.arguments[0], *line)] if fact.arguments[0] not in line else []
        else:
            kept = [(*each, *line) for each in (first, second) if set(each) != set(line)]
        for arguments in kept:
            yield replace(fact, arguments=arguments)


def _ask(fact: Fact) -> Iterator[Question]:
    for predicate, mark in NUMBER_MARKS.items():
        if fact.predicate == mark and fact.value is not None:
            yield Question(predicate, _ASKED[predicate].format(*fact.arguments), fact.value)
    if fact.predicate in _RELATIONS:
        arguments = canonicalise(fact).arguments
        yield Question("relation", _RELATIONS[fact.predicate].format(*arguments), "yes")
