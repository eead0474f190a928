"""Questions about a figure whose answers are facts of its anchor."""

from __future__ import annotations

from collections.abc import Iterator

from storage.rows import Anchor, Fact
from tasks.contract.domain import Question
from tasks.geometry.facts.predicates import NUMBER_MARKS

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
    """The problem's own question, one for each number that the picture writes, and one for each simple relation."""
    own = [Question("problem", anchor.question, anchor.answer)] if anchor.question and anchor.answer else []
    return own + [question for fact in anchor.facts for question in _ask(fact)]


def _ask(fact: Fact) -> Iterator[Question]:
    for predicate, mark in NUMBER_MARKS.items():
        if fact.predicate == mark and fact.value is not None:
            yield Question(predicate, _ASKED[predicate].format(*fact.arguments), fact.value)
    if fact.predicate in _RELATIONS:
        yield Question("relation", _RELATIONS[fact.predicate].format(*fact.arguments), "yes")
