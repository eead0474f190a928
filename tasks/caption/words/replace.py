"""A caption with one of its units replaced, and nothing else changed but the article that goes with it."""

from __future__ import annotations

from counterfoil.tasks.caption.words.forms import choose_article, inflect_verb, pluralise
from counterfoil.tasks.caption.words.parse import Sentence
from counterfoil.tasks.caption.words.units import Unit


def inflect(lemma: str, unit: Unit) -> str:
    """The lemma in the form that the unit has: a plural for a plural, "riding" for "holding"."""
    if unit.part == "n":
        return pluralise(lemma) if unit.tag in ("NNS", "NNPS") else lemma
    return inflect_verb(lemma, unit.tag) if unit.part == "v" else lemma


def find_span(sentence: Sentence, unit: Unit) -> tuple[int, int]:
    """Where the unit's words stand in the sentence's text: from the first letter to after the last."""
    return sentence.tokens[unit.first].start, sentence.tokens[unit.last].end


def replace_unit(sentence: Sentence, unit: Unit, words: str) -> str:
    """The caption with ``words`` in the unit's place: capitalised where the unit was, and the article before it made
    to agree in sound. Nothing else changes."""
    start, end = find_span(sentence, unit)
    text = sentence.text
    if text[start:end][:1].isupper() and (start == 0 or text[start:end].istitle()):
        words = words[:1].upper() + words[1:]
    head = text[:start]
    if unit.first > 0:
        before = sentence.tokens[unit.first - 1]
        if before.text.lower() in ("a", "an") and before.tag == "DT":
            article = choose_article(words)
            if before.text[:1].isupper():
                article = article.capitalize()
            head = text[: before.start] + article + text[before.end : start]
    return head + words + text[end:]
