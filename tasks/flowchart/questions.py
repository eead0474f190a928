"""Questions about a chart whose answers are facts of its anchor."""

from __future__ import annotations

from collections import Counter

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.domain import Question


def list_questions(anchor: Anchor) -> list[Question]:
    """How many nodes and arrows there are, and where an arrow leads that is the only one to leave its node."""
    nodes = [fact for fact in anchor.facts if fact.predicate == "node"]
    lines = [fact for fact in anchor.facts if fact.predicate != "node"]
    arrows = [fact for fact in lines if fact.predicate == "arrow"]
    questions = [
        Question("count", "How many nodes does the flowchart have?", str(len(nodes))),
        Question("count", "How many arrows and lines does the flowchart have?", str(len(lines))),
    ]
    labels = Counter(fact.value for fact in nodes)
    leaving = Counter(end for fact in lines for end in _list_starts(fact.predicate, fact.arguments))
    for fact in arrows:
        tail, head = fact.arguments
        if labels[tail] == 1 and leaving[tail] == 1:
            questions.append(Question("next", f"Which node does the arrow from node {tail} point to?", head))
    return questions


def _list_starts(predicate: str, ends: tuple[str, ...]) -> tuple[str, ...]:
    """The nodes that a line may be followed from: its tail, or either end where it is no plain arrow."""
    return ends[:1] if predicate == "arrow" else ends
