"""A near miss of one of a picture's captions, and how its text is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from counterfoil.storage.rows import Edit, Grade
from counterfoil.tasks.caption.words.forms import choose_article
from counterfoil.tasks.caption.words.parse import Sentence

Sort = Literal["object", "attribute", "count", "relation", "swap", "add"]
_ARTICLES = ("a", "an")


@dataclass(frozen=True, slots=True)
class Miss:
    """One change of a caption.

    Attributes:
        caption: which of the picture's captions it is of.
        sort: what it changes.
        edit: named as SugarCrepe names it.
        grade: ``contradicts`` where a caption of the picture says otherwise, ``undecided`` where none speaks of it.
        noun: the place of the noun in the caption that another takes; -1: no noun's.
    """

    caption: int
    sort: Sort
    edit: Edit
    text: str
    grade: Grade = "contradicts"
    noun: int = -1


def rewrite(sentence: Sentence, changes: Sequence[tuple[int, int, str]], kind: str) -> tuple[str, Edit]:
    """The sentence with other words in the place of some (first and last, in order), each article before them made to
    agree; and the change that it is, of this kind, from the first word that is named to the last."""
    tokens, text = sentence.tokens, sentence.text
    start, end = tokens[changes[0][0]].start, tokens[changes[-1][1]].end
    new, told, at = "", "", 0
    for first, last, words in changes:
        place = tokens[first].start
        if text[place].isupper():
            words = words[:1].upper() + words[1:]
        between = text[at:place]
        if first and tokens[first - 1].text.lower() in _ARTICLES and tokens[first - 1].start >= at:
            before = tokens[first - 1]
            article = choose_article(words.split()[0])
            article = article.capitalize() if before.text[0].isupper() else article
            between = text[at : before.start] + article + text[before.end : place]
        new += between + words
        told = words if not at else told + between + words
        at = tokens[last].end
    return new + text[at:], Edit(kind, text[start:end], told)
