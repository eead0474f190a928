r"""Clauses that no wording fits word for word: things, and what a verb says of them.

A wording (`counterfoil.tasks.geometry.captions.sentences`) is a whole clause. People join clauses in more ways than can
be listed: ``Circle O is tangent to AB at A and to CB at C``, ``a triangle PQR with PQ = 9 is a right triangle``. Here a
sentence is cut into the things that it names and its words; ``verbs.toml`` says what a verb with what follows it states
of a thing of each sort, and the thing may stand before it, or be what the sentence speaks of.

Every word must still be accounted for, and a verb of which it is not clear what it speaks of is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from counterfoil.tasks.geometry.captions.atoms import ClaimError, match_sort
from counterfoil.tasks.geometry.captions.mentions import Claims
from counterfoil.tasks.geometry.captions.things import (
    IDLE,
    JOINING,
    LEMMAS,
    QUALIFYING,
    Token,
    cut_sentence,
    list_named,
)
from counterfoil.tasks.geometry.captions.verbs import ROWS, Row, state_row, state_words
from counterfoil.tasks.geometry.facts.predicates import SHAPES

_KIND = re.compile(match_sort("kind", "k"))
_BORROWED = re.compile(
    r"\b(?:is|are) (tangent|parallel|perpendicular|equal|congruent|similar|joined|connected)(?= to\b)"
)
_PARTICIPLE = re.compile(
    r"(?:perpendicular|parallel|tangent|equal|congruent|similar) to\b|"
    r"(?:inscribed|circumscribed|on|inside|between)\b"
)
"""What stands without its verb: ``a radius perpendicular to AB``, ``with D on AB``."""


def read_clause(sentence: str, position: int) -> tuple[int, Claims]:
    r"""Where the clause that begins at ``position`` ends, and what it claims.

    >>> text = "circle O is tangent to AB at A and to CB at C"
    >>> end, claims = read_clause(text, text.index("and to"))
    >>> [(each.predicate, "".join(each.arguments)) for each in claims], end == len(text)
    ([('tangent', 'CBO'), ('on_circle', 'CO')], True)

    Raises:
        ClaimError: no verb is known there, or it is not clear of what it speaks.
    """
    tokens = cut_sentence(sentence)
    if any(token.start < position < token.end for token in tokens):
        raise ClaimError(sentence[position : position + 60], "it is not clear whether a list goes on there")
    at = next((i for i, token in enumerate(tokens) if token.start >= position), len(tokens))
    best: tuple[int, Claims] | None = None
    for first in _list_starts(tokens, at):
        for end, claims in _read_verbs(sentence, tokens, first):
            if best is None or end > best[0]:
                best = end, claims
        if best is not None:
            break
    if best is None:
        raise ClaimError(sentence[position : position + 60])
    start = tokens[at].start
    passing = tuple(list_named(sentence[start : best[0]]))
    said = {(claim.predicate, frozenset(claim.arguments[:2])) for claim in best[1]}
    new = [claim for claim in passing if (claim.predicate, frozenset(claim.arguments[:2])) not in said]
    special = {claim.arguments for claim in (*passing, *best[1]) if claim.predicate in SHAPES}
    stated = [c for c in best[1] if c.predicate not in ("triangle", "quadrilateral") or c.arguments not in special]
    return best[0], tuple(dict.fromkeys((*new, *stated)))


def _list_starts(tokens: Sequence[Token], at: int) -> Iterator[int]:
    """Where the clause may begin: behind words that join it to what stands before."""
    yield at
    while at < len(tokens) and tokens[at].word in JOINING:
        at += 1
        yield at


def _read_verbs(sentence: str, tokens: Sequence[Token], at: int) -> Iterator[tuple[int, Claims]]:
    """Every way to read the clause that begins with the token ``at``, with where it ends."""
    text, places = _join(tokens, at)
    thing = next((i for i in range(at, len(tokens)) if tokens[i].word not in IDLE), None)
    if thing is not None and tokens[thing].sort not in ("", "V"):
        rest, behind = _join(tokens, thing + 1)
        yield from _match_rows(sentence, tokens, tokens[thing], rest, behind)
        if _PARTICIPLE.match(rest):
            yield from _match_rows(sentence, tokens, tokens[thing], f"be {rest}", [behind[0] if behind else 0, *behind])
    yield from _match_rows(sentence, tokens, None, text, places)
    for verb, shift in _list_elided(sentence, tokens, at, text):
        reduced = shift == 1 or _is_participle(sentence, tokens, at)
        for choices in _list_subjects(tokens, at, reduced):
            found = [
                list(_match_rows(sentence, tokens, subject, verb, [places[0]] * shift + places if places else places))
                for subject in choices
            ]
            fitting = [each for each in found if each]
            if len(fitting) == 1:
                yield from fitting[0]
            if fitting:
                break


def _list_elided(sentence: str, tokens: Sequence[Token], at: int, text: str) -> Iterator[tuple[str, int]]:
    """The clause with a verb before it that it leaves out, and how many words that are."""
    yield text, 0
    if text.startswith("with "):
        yield f"have {text.removeprefix('with ')}", 0
    if _PARTICIPLE.match(text):
        yield f"be {text}", 1
    if text.startswith("to ") and at < len(tokens):
        before = list(_BORROWED.finditer(sentence, 0, tokens[at].start))
        if before:
            yield f"be {before[-1][1]} {text}", 2


def _join(tokens: Sequence[Token], at: int) -> tuple[str, list[int]]:
    """The words and things from ``at`` on in one string, without those that say nothing; the place of each."""
    kept = [i for i in range(at, len(tokens)) if tokens[i].word not in IDLE]
    words: list[str] = []
    places: list[int] = []
    for i in kept:
        token = tokens[i]
        if (
            token.word == "drawn"
            and words[-1:] == ["be"]
            and i + 1 < len(tokens)
            and tokens[i + 1].word not in ("", ",", "and")
        ):
            continue  # "is drawn perpendicular to ..."
        words.append(f"‹{token.sort}{i}›" if token.sort else token.word)
        places.append(i)
    return " ".join(words), places


def _list_subjects(tokens: Sequence[Token], at: int, reduced: bool) -> list[list[Token]]:
    """What a verb without a subject may speak of, the likeliest first: the thing right before it where it has no verb
    of its own or follows ``which``, else what its clause began with, and what the sentence began with.

    Of several that are as likely only one must be such a thing as the verb takes: ``AB is a chord of circle O that
    passes through P`` says of neither for sure that it does.
    """
    before = [i for i in range(at) if tokens[i].sort not in ("", "V") and "=" not in _list_around(tokens, i)]
    if not before:
        return []
    first = [] if _is_part(tokens, before[0]) else before[:1]
    begun = [i for i in before if i in first or _begins(tokens, i)]
    last, whole = before[-1], begun[-1:]
    joint = tokens[at - 1].word
    if reduced and joint in ("and", ",") and whole:
        # "parallel to CD, tangent to circle O and equal to EF": all of what the clause speaks of.
        order = [whole, [last]] if joint == "and" or tokens[last - 1].word == "to" else [[*whole, last]]
    elif reduced:
        order = [[last]]
    elif _is_relative(tokens, at):
        order = [[last, *(whole if _is_part(tokens, last) else ())]]
    elif whole == [at - 1]:
        order = [whole]
    else:
        order = [[i] for i in dict.fromkeys((*reversed(begun), *first))]
    return [[tokens[i] for i in dict.fromkeys(each)] for each in order]


def _is_part(tokens: Sequence[Token], i: int) -> bool:
    """``the bisector of AB meets CD at E and ...``: what has no name goes on, and not the AB of which it is."""
    return next((tokens[j].word for j in range(i - 1, -1, -1) if tokens[j].word not in IDLE | QUALIFYING), "") in (
        "of",
        "from",
    )


def _is_participle(sentence: str, tokens: Sequence[Token], at: int) -> bool:
    """``a secant passing through O``: behind a comma it may say something of what the sentence speaks of."""
    raw = sentence[tokens[at].start : tokens[at].end] if at < len(tokens) else ""
    return raw.endswith("ing") and (at == 0 or tokens[at - 1].word not in JOINING)


def _list_around(tokens: Sequence[Token], i: int) -> tuple[str, ...]:
    return tuple(token.word for token in (*tokens[max(i - 1, 0) : i], *tokens[i + 1 : i + 2]))


def _is_relative(tokens: Sequence[Token], at: int) -> bool:
    words = [token.word for token in tokens[max(0, at - 1) : at + 1]]
    return "which" in words or "that" in words


def _begins(tokens: Sequence[Token], i: int) -> bool:
    """Whether a thing stands where a clause begins and has a verb."""
    before = next((tokens[j].word for j in range(i - 1, -1, -1) if tokens[j].word not in IDLE | QUALIFYING), "")
    after = tokens[i + 1].word if i + 1 < len(tokens) else ""
    return before in (*JOINING, "with", "") and after in {*LEMMAS.values(), "with", "="}


def _match_rows(
    sentence: str, tokens: Sequence[Token], subject: Token | None, text: str, places: Sequence[int]
) -> Iterator[tuple[int, Claims]]:
    if subject is not None and subject.sort == "G" and (kind := re.match(r"be (?=[a-z])", text)):
        yield from _match_kind(tokens, subject, text[kind.end() :], places[1:])
    for row in ROWS:
        if (row.subject == "") != (subject is None):
            continue
        if subject is not None and not _suits(row, subject):
            continue
        match = row.pattern.match(text)
        if match is None:
            continue
        last = places[match.group().count(" ")]
        respectively = "respectively" in sentence[tokens[last].end :][:15]
        claims = state_row(
            row, subject, {k: tokens[int(v)].items for k, v in match.groupdict().items() if v}, match.group()
        )
        if claims is not None:
            end = tokens[last].end
            if respectively:
                end = sentence.index("respectively", end) + len("respectively")
            yield end, claims


def _suits(row: Row, subject: Token) -> bool:
    """Whether it is said of such things, and of several where it relates them to each other."""
    return row.subject[0] == subject.sort and (len(row.subject) == 1 or len(subject.items) > 1)


def _match_kind(
    tokens: Sequence[Token], subject: Token, text: str, places: Sequence[int]
) -> Iterator[tuple[int, Claims]]:
    """``... is a right triangle``."""
    match = _KIND.match(text)
    if match is None or "‹" in match.group():
        return
    words = match["k"].strip()
    claims = tuple(fact for ring in subject.items for fact in state_words(words, ring))
    yield tokens[places[words.count(" ")]].end, claims
