"""Rules that put a caption otherwise: each proposes texts, and `claims` says of each whether it claims the same.

A caption is taken for a thing and what is said of it: "[There is] a man [that is | is] riding a horse". What is said
goes into another form; doer and done-to, or the two sides of a place, change parts; what "and" joins changes order;
where it all happens goes first; and a word gives way to one that says the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.tasks.caption.rewording.forms import forms, fronts, having
from counterfoil.tasks.caption.rewording.phrases import Caption, Reworded, find_unsound
from counterfoil.tasks.caption.rewording.turning import mirrors, orders, synonyms, turns, voices
from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.parse import Sentence

STRUCTURE = frozenset({"there_is", "clause", "relative", "voice", "mirror", "turn", "order", "front", "aspect", "have"})
KINDS = STRUCTURE | {"synonym"}
RULES = (forms, voices, mirrors, turns, orders, fronts, having, synonyms)


def reword(sentence: Sentence, lexicon: Lexicon) -> Iterator[Reworded]:
    """Every text that a rule makes of the caption, in no order of worth."""
    caption = Caption(sentence, lexicon)
    if not caption.count or find_unsound(sentence, lexicon):
        return  # what is wrong in the caption stays wrong in other words
    seen = {_plain(sentence.text)}
    for rule in RULES:
        for made in rule(caption):
            if _plain(made.text) not in seen:
                seen.add(_plain(made.text))
                yield made


def _plain(text: str) -> str:
    return text.casefold().strip().rstrip(".").strip()
