"""Questions about a scene whose answers are facts of its anchor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from counterfoil.storage.rows import Anchor, Fact
from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.language.wordings import COUNTS, HATTED, PEOPLE
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import Question

_RELATIONS = {
    "left_of": "to the left of",
    "above": "above",
    "on": "on",
    "in": "in",
    "under": "under",
    "behind": "behind",
    "holding": "holding",
}


def list_questions(anchor: Anchor) -> Sequence[Question]:
    """How many there are of a thing, what colour it has and whether it has another, what it is to another, and what the
    weather is; of photographs nothing is known."""
    nouns = {fact.arguments[0]: fact.value or "" for fact in anchor.facts if fact.predicate == "noun"}
    counts = {fact.arguments[0]: int(fact.value or 1) for fact in anchor.facts if fact.predicate == "count"}
    once = {name for name, times in Counter(nouns.values()).items() if times == 1}
    known = {name: noun for name, noun in nouns.items() if noun in once}
    asked: list[Question] = []
    for fact in anchor.facts:
        asked += _ask(fact, known, counts)
        if fact.predicate == "colour" and fact.value and fact.arguments[0] in known:
            rng = generator("questions", anchor.anchor_id, *fact.arguments)
            asked += _ask_whether(fact, known, counts, rng)
    return asked


def _ask_whether(
    fact: Fact, known: dict[str, str], counts: dict[str, int], rng: np.random.Generator
) -> Iterator[Question]:
    """Whether a thing has its colour, and whether it has another that it might have had: one is as likely to be yes."""
    noun = known[fact.arguments[0]]
    others = [colour for colour in NOUNS[noun].colours if colour != fact.value]
    if fact.value in NOUNS[noun].colours and others:
        what, be = _name_coloured(noun, counts[fact.arguments[0]])
        wrong = others[int(rng.integers(len(others)))]
        yield Question("coloured", f"{be.capitalize()} {what} {fact.value}?", "yes")
        yield Question("coloured", f"{be.capitalize()} {what} {wrong}?", "no")


def _ask(fact: Fact, known: dict[str, str], counts: dict[str, int]) -> list[Question]:
    if any(name not in known for name in fact.arguments):
        return []
    names = [_name(known[name], counts[name]) for name in fact.arguments]
    if fact.predicate == "count":
        number = COUNTS[int(fact.value or 1) - 1]
        return [Question("count", f"How many {NOUNS[known[fact.arguments[0]]].plural} are there?", number)]
    if fact.predicate == "colour" and fact.value:
        what, be = _name_coloured(known[fact.arguments[0]], counts[fact.arguments[0]])
        return [Question("colour", f"What colour {be} {what}?", fact.value)]
    if fact.predicate in _RELATIONS:
        be = "is" if counts[fact.arguments[0]] == 1 else "are"
        words = _RELATIONS[fact.predicate]
        return (
            [Question("relation", f"What {be} {words} the {names[1]}?", f"the {names[0]}")]
            if words != "holding"
            else []
        )
    if fact.predicate in ("weather", "time") and fact.value:
        text = "What is the weather like?" if fact.predicate == "weather" else "What time of day is it?"
        return [Question(fact.predicate, text, fact.value)]
    return []


def _name_coloured(noun: str, count: int) -> tuple[str, str]:
    """What has the colour, and its verb: of a person it is the clothes, of some animals the hat."""
    worn = "clothes" if noun in PEOPLE else "hat" if noun in HATTED else ""
    what = f"the {worn} of the {_name(noun, count)}" if worn else f"the {_name(noun, count)}"
    return what, "are" if worn == "clothes" or (not worn and count > 1) else "is"


def _name(noun: str, count: int) -> str:
    return NOUNS[noun].plural if count > 1 else noun
