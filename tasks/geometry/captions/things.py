"""A sentence cut into the things that it names, by their labels, and its words in one form each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import (
    AND,
    DEGREES,
    LABEL,
    NOT_LABEL,
    QUADRILATERALS,
    UNIT,
    VALUE,
    match_sort,
)
from counterfoil.tasks.geometry.captions.mentions import THE_POLYGON, list_passing
from counterfoil.tasks.geometry.captions.templates import THE_CIRCLE, clean_value, read_angle, split_labels

VERBS = read_toml(Path(__file__).with_name("verbs.toml"))
"""The table of verbs, forms and words."""
LEMMAS: dict[str, str] = {form: lemma for lemma, forms in VERBS["lemmas"].items() for form in forms.split()}
IDLE, QUALIFYING, JOINING, TAKING = (
    frozenset(VERBS["words"][key].split()) for key in ("idle", "qualifying", "joining", "taking")
)
Labels = tuple[str, ...]


@dataclass(frozen=True)
class Token:
    """A word, or the things of one sort (``L`` segments, ``P`` points, ...) that a stretch names, by their labels."""

    start: int
    end: int
    word: str = ""
    sort: str = ""
    items: tuple[Labels, ...] = ()


_NOUNS = f"triangle|{'|'.join(QUADRILATERALS)}|polygon"
_RUN = rf"triangles,? (?P<x>(?:{LABEL}){{3}}{NOT_LABEL}(?:{AND}(?:{LABEL}){{3}}{NOT_LABEL})+)"
_TRIANGLES = rf"(?:(?:congruent|similar) )?{_RUN}"
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*|[,=:]")
_LABELS = {"L": 2, "P": 1, "C": 1, "R": 2}


@cache
def _find_sorts() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """By what things are cut out of a sentence, in this order; compiled when a caption is read."""
    patterns = (
        ("C", rf"circles (?:with (?:cent(?:er|re)s )?)?(?P<x>{LABEL}{NOT_LABEL}(?:{AND}{LABEL}{NOT_LABEL})+)"),
        ("G", _TRIANGLES),
        ("A", match_sort("angles", "x")),
        ("A", match_sort("angle", "x")),
        ("R", match_sort("arc", "x")),
        ("G", match_sort("polygon", "x")),
        ("C", match_sort("circle", "x")),
        ("C", r"(?:the|this|an?|its) (?:semi)?circle\b(?! [A-Z\\])(?P<x>)"),
        ("G", rf"(?:the|this) (?:{_NOUNS})\b(?! [A-Z])(?P<x>)"),
        ("L", match_sort("lines", "x")),
        ("L", match_sort("segment", "x")),
        ("P", rf"(?:the )?midpoint (?P<x>{LABEL}){NOT_LABEL} of {match_sort('segment')}"),
        ("P", match_sort("list", "x")),
        ("P", match_sort("point", "x")),
        ("V", rf"(?P<x>{VALUE})(?:{DEGREES}{UNIT})"),
    )
    return tuple((sort, re.compile(pattern)) for sort, pattern in patterns)


def cut_sentence(sentence: str) -> tuple[Token, ...]:
    """The sentence as things and words; what is neither stays a word that no verb knows."""
    return tuple(_resolve(tuple(_cut(sentence))))


def list_named(text: str) -> Iterator[Fact]:
    """What a clause claims of the things that it names, beside what its verb says of them."""
    yield from list_passing(text)
    yield from _list_alike(text)


def _list_alike(text: str) -> Iterator[Fact]:
    """``into two congruent triangles ABD and CDB``, ``through the midpoint M of AB``."""
    for match in _ALIKE.finditer(text):
        rings = [split_labels(piece) for piece in re.split(AND, match["x"])]
        yield from (Fact(match["sort"], (*p, *q)) for p, q in pairwise(rings))
    for match in _MIDPOINT.finditer(text):
        yield Fact("midpoint", (match["point"], *split_labels(match["ends"])))


_ALIKE = re.compile(rf"(?P<sort>congruent|similar) {_RUN}")


_MIDPOINT = re.compile(rf"\bmidpoint (?P<point>{LABEL}){NOT_LABEL} of {match_sort('segment', 'ends')}")


def _cut(sentence: str) -> Iterator[Token]:
    """The sentence as things and words; what is neither stays a word that no verb knows."""
    position = 0
    while position < len(sentence):
        if sentence[position] == " ":
            position += 1
            continue
        token = _cut_thing(sentence, position) or _cut_word(sentence, position)
        yield token
        position = token.end


def _resolve(tokens: Sequence[Token]) -> Iterator[Token]:
    """The same with the thing in place of ``it``, and both lines in place of ``them``, where a verb's object is meant.

    ``It`` is the circle that the sentence speaks of, or the only thing that it has named; else it stays a word.
    """
    named: dict[tuple[Labels, ...], Token] = {}
    lines: list[Labels] = []
    for before, token in zip((Token(0, 0), *tokens), tokens, strict=False):
        meant = _find_meant(token.word, list(named.values()), lines) if before.word in TAKING else None
        if meant is not None:
            yield replace(meant, start=token.start, end=token.end)
            continue
        if token.sort in ("L", "C", "G"):
            named[token.items] = token
            lines += token.items if token.sort == "L" else ()
        yield token


def _find_meant(word: str, named: Sequence[Token], lines: Sequence[Labels]) -> Token | None:
    if word == "it" and named and (named[0].sort == "C" or len(named) == 1):
        return named[0]
    return Token(0, 0, "", "L", tuple(lines)) if word == "them" and len(lines) == 2 else None


def _cut_thing(sentence: str, position: int) -> Token | None:
    if position and sentence[position - 1] not in " ,;:=(":
        return None
    found: Token | None = None
    for sort, pattern in _find_sorts():
        match = pattern.match(sentence, position)
        if match is None or (found and match.end() <= found.end):
            continue
        items = _read_items(sort, match["x"])
        if items:
            found = Token(match.start(), match.end(), "", sort, items)
    return found


def _read_items(sort: str, named: str | None) -> tuple[Labels, ...]:
    if sort == "V":
        value = clean_value(named or "")
        return () if re.fullmatch(r"[a-w]", value) else ((value,),)
    if not named:
        return ((THE_CIRCLE if sort == "C" else THE_POLYGON,),)
    if sort in ("A", "G"):
        pieces = [re.sub(r"(?:m ?)?(?:\\angle ?|angles? )", "", piece).strip() for piece in re.split(AND, named)]
        return tuple(read_angle(piece) if sort == "A" else split_labels(piece) for piece in pieces)
    labels, count = split_labels(named), _LABELS[sort]
    return tuple(labels[i : i + count] for i in range(0, len(labels), count))


def _cut_word(sentence: str, position: int) -> Token:
    match = _WORD.match(sentence, position)
    if match is None:
        return Token(position, position + 1, sentence[position])
    return Token(match.start(), match.end(), LEMMAS.get(match.group(), match.group()))
