"""Questions about a statement whose answers are facts of its anchor."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.domain import Question


def list_questions(anchor: Anchor) -> Sequence[Question]:
    """How many things the statement supposes, whether it asks for a value, and what its Lean form is."""
    asked: list[Question] = []
    if anchor.facts:
        supposed = sum(fact.predicate == "hypothesis" for fact in anchor.facts)
        asked.append(
            Question("count", "How many sentences or conditions of the statement suppose something?", str(supposed))
        )
        value = any(fact.predicate == "answer" for fact in anchor.facts)
        asked.append(Question("kind", "Does the statement ask for a value?", "Yes" if value else "No"))
    views = {view.name: view.text for view in anchor.views}
    if "informal" in views and "lean_signature" in views:
        asked.append(Question("formal", f"State this in Lean: {views['informal']}", views["lean_signature"]))
        asked.append(Question("informal", f"State this in words: {views['lean_signature']}", views["informal"]))
    return asked
