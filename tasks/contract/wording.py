"""How a domain words single statements about its anchors: all that families which judge a statement beside another ask.

A statement is a sentence that stands alone and is shown true or false by the domain's own reader. The families
themselves are the same for every domain (`counterfoil.tasks.beside`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.contract.context import Context, S

_ARTICLE = re.compile(r"(?:\b(a)|(?:^|(?<=[.?!:] ))(A))n? $")
"""The article in front of a place; a capital that begins no sentence is a name."""
STOPS = (".", "?", "!", "\u2026", "\u3002", "\uff01", "\uff1f")
_SPACES = re.compile(r"\s+")


def list_captions(anchor: Anchor) -> list[str]:
    """An anchor's different captions, its own first."""
    return list(dict.fromkeys(filter(None, (anchor.caption, *anchor.captions))))


@dataclass(frozen=True)
class Longer:
    """Two true texts, of which the longer says one detail more."""

    short: str
    long: str
    detail: str
    """The part of ``long`` that is more, as it stands there."""


def join_sentences(texts: Sequence[str]) -> str:
    """Sentences, one after the other."""
    return " ".join(texts)


def split_sentences(text: str) -> tuple[str, ...]:
    """Sentences of a text: they end at a stop before a capital or a backslash.

    >>> split_sentences("AB = 8.5. There is a dog.")
    ('AB = 8.5.', 'There is a dog.')
    """
    return tuple(re.split(r"(?<=[.?!])\s+(?=[A-Z\\])", text.strip()))


@dataclass(frozen=True)
class Wording(Generic[S]):
    """A domain's statements."""

    tell: Callable[[Anchor, Context[S]], Sequence[str]]
    """Statements that may be true of the anchor; what its reader does not show true is passed over."""
    list_edits: Callable[[str, Anchor, Context[S]], Sequence[Edit]]
    """Words that may be exchanged in a statement (or any text), one at a time: kind, target as it stands there,
    replacement; whether the text is then false is the reader's to say."""
    judge: Callable[[str, Anchor, Context[S]], bool | None]
    """Whether a text is *true* of the anchor: None where neither is shown. It reads statements and texts of several."""
    contradicts: Callable[[str, Anchor, Context[S]], bool] | None = None
    """Whether a text that is not decided is false wherever it speaks of the same thing as the anchor's own words: a row
    of it is graded ``contradicts``. None: what is not decided is no row."""
    lengthen: Callable[[Anchor, Context[S], np.random.Generator], Iterator[Longer]] | None = None
    """Pairs of true texts of which one says more; None: two statements, one of them in front."""
    deny: Callable[[str], str | None] | None = None
    """The contrary of a statement; None of one that has none in these words. None: the domain's world is not closed."""
    affirm: Callable[[str], str | None] = lambda _: None
    """The statement that a text denies; None of a text that denies nothing."""
    undenied: frozenset[str] = frozenset()
    """Kinds of exchange that no row denies: where five are, "no three" is false for who reads "at least three"."""
    closed: Callable[[Anchor], bool] = lambda _: True
    """Whether what the anchor's picture does not show is absent."""
    possible: Callable[[str, Anchor, Context[S]], bool] = lambda _text, _anchor, _context: True
    """Whether some picture is as a text says: one that contradicts itself is known without any."""
    changes: Callable[[str, Anchor, Context[S]], Iterable[str] | None] | None = None
    """What a false text has wrong of an anchor; None, or where it gives None: what the domain measures between it and
    the true one."""
    names: Callable[[str], frozenset[str]] = lambda _: frozenset()
    """By what a text calls things of its picture. Where two pictures share a name, nobody knows which is meant."""
    repeats: Callable[[str, str], bool] = lambda _one, _other: False
    """Whether two true statements say one thing both, though their words differ."""
    follows: Callable[[str, str], bool] | None = None
    """Whether of two statements the second may follow from the first; None: where one says all that the other does, or
    the first names all that the second does."""
    split: Callable[[str], Sequence[str]] = split_sentences
    join: Callable[[Sequence[str]], str] = join_sentences


def exchange(text: str, edit: Edit) -> tuple[str, ...]:
    """The texts in which ``edit``'s replacement stands in one place of its target; articles follow.

    >>> exchange("There is a red ball on a red box.", Edit("colour", "red", "orange"))
    ('There is an orange ball on a red box.', 'There is a red ball on an orange box.')
    >>> exchange("An arrow points from node Set A and B to node End.", Edit("node", "End", "Open"))
    ('An arrow points from node Set A and B to node Open.',)
    """
    return tuple(dict.fromkeys(_put(text, place, edit) for place in _find_places(text, edit.target)))


def exchange_throughout(text: str, edit: Edit) -> str:
    """The text with ``edit``'s replacement in every place of its target; articles follow.

    >>> exchange_throughout("There is a red ball on a red box.", Edit("colour", "red", "orange"))
    'There is an orange ball on an orange box.'
    """
    for place in reversed(_find_places(text, edit.target)):
        text = _put(text, place, edit)
    return text


def _find_places(text: str, target: str) -> list[tuple[int, int]]:
    spans = [match.span() for match in re.finditer(re.escape(target), text)]
    return [
        (start, end)
        for start, end in spans
        if not _continues(text, start, target[:1], -1) and not _continues(text, end, target[-1:], 0)
    ]


def _put(text: str, place: tuple[int, int], edit: Edit) -> str:
    before, behind = text[: place[0]], text[place[1] :]
    if edit.replacement[-1:] in STOPS and behind[:1] == ".":
        behind = behind[1:]
    elif edit.target[-1:] in STOPS and edit.replacement[-1:] not in STOPS and (not behind or behind[0].isspace()):
        behind = f".{behind}" if not behind or behind.lstrip()[:1].isupper() else behind
    return _fit_article(before, edit.replacement) + edit.replacement + behind


def _continues(text: str, at: int, edge: str, step: int) -> bool:
    """Whether a word (or number) goes on beyond the edge of what is exchanged."""
    beyond = text[at + step : at + step + 1] if at + step >= 0 else ""
    if not edge.isalnum():
        return False
    if edge.isdigit() and beyond == ".":
        further = at + (1 if step == 0 else -2)
        return further >= 0 and text[further : further + 1].isdigit()
    return beyond.isalnum()


def _fit_article(before: str, word: str) -> str:
    """ "a" or "an" at the end of ``before`` as the next letter wants it, and no other: a box may be called "Set A"."""
    found = _ARTICLE.search(before)
    if found is None or not word[:1].isalpha():
        return before
    article = found[1] or found[2]
    return f"{before[: found.start()]}{article}{'n' * (word[0].lower() in 'aeiou')} "


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in white space alone."""
    return _SPACES.sub(" ", one).strip() == _SPACES.sub(" ", other).strip()
