r"""Reading a caption back: from its text alone to the facts it claims.

The parser knows nothing of how a caption was written or edited. It reads our own captions and the ordinary variants
that people and language models write (``∠ABC``, ``triangle ABC``, ``AB is parallel to CD``, ``AB = 8 cm``). Every word
of the text must be accounted for: what cannot be read raises `ClaimError`, since a claim that nobody read is a claim
that nobody checked.

Claims use the vocabulary of `storage.rows.Fact`: ``AB = 8`` is ``length(A, B) = 8``, ``\angle ABC = 60^\circ`` is
``angle(A, B, C) = 60``, ``D lies on AB`` is ``collinear(A, D, B)``. A circle whose centre has no name is ``c1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from storage.rows import Fact
from tasks.geometry.captions.sentences import SENTENCES
from tasks.geometry.captions.spelling import normalise
from tasks.geometry.captions.templates import LABEL, ClaimError, split_labels
from tasks.geometry.facts.predicates import SHAPES

LONGEST = 8000
"""Characters; longer texts are no captions, and patterns are tried at every clause of them."""


def parse_claims(text: str) -> tuple[Fact, ...]:
    r"""The claims of ``text`` in order of appearance, without repeats.

    >>> [(c.predicate, "".join(c.arguments), c.value) for c in parse_claims(r"\triangle ABC is isosceles. AB = 8 cm.")]
    [('isosceles', 'ABC', None), ('length', 'AB', '8')]

    Raises:
        ClaimError: part of the text cannot be read as a claim, or nothing is claimed at all.
    """
    return tuple(dict.fromkeys(claim for clause in parse_caption(text).clauses for claim in clause.claims))


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch ``text[start:end]`` of a caption and the claims that it makes."""

    start: int
    end: int
    text: str
    claims: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class ParsedCaption:
    """A caption with its clauses. ``text`` is the caption itself, or in one spelling where it uses variants."""

    text: str
    clauses: tuple[Clause, ...]


@lru_cache(maxsize=256)
def parse_caption(text: str) -> ParsedCaption:
    """Find where in ``text`` each claim stands.

    Raises:
        ClaimError: as `parse_claims`.
    """
    if len(text) > LONGEST:
        raise ClaimError(text[:60], f"a caption has {LONGEST} characters at most, this has {len(text)}")
    plain = normalise(text)
    base = text if plain.casefold() == text.casefold() else plain
    found = [piece for start, sentence in _split_sentences(plain) for piece in _scan(sentence, start)]
    if not found:
        raise ClaimError(text.strip()[:80], "it claims nothing")
    resolved = _resolve_single_letter_angles([claims for _, _, claims in found])
    _check_diagonals(plain, [claim for claims in resolved for claim in claims])
    return ParsedCaption(
        base,
        tuple(
            Clause(start, end, base[start:end], claims) for (start, end, _), claims in zip(found, resolved, strict=True)
        ),
    )


_CONNECTORS = re.compile(
    r"(?:[\s,;:]|(?:and|with|where|in which|while|whose|such that|so that|also|moreover|furthermore|additionally|here|"
    r"respectively|there is|there are|it is given that|given that|we have|"
    r"(?:the |this )?(?:figure|diagram|picture) (?:shows|contains|consists of)|"
    r"in (?:the|this) (?:figure|diagram|picture))(?![a-z]))+"
)
_BOUNDARY = re.compile(r"$|[\s,;:]")


def _split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences with their offsets; they end at a semicolon or at a full stop that is no decimal point."""
    start = 0
    for match in re.finditer(r"\.(?!\d)|;|$", text):
        if text[start : match.start()].strip():
            yield start, text[start : match.start()]
        start = match.end()


def _scan(sentence: str, offset: int) -> Iterator[tuple[int, int, tuple[Fact, ...]]]:
    """Read claim after claim, each the longest that fits, and nothing but connectors between them."""
    position = 0
    while True:
        connector = _CONNECTORS.match(sentence, position)
        if connector:
            position = connector.end()
        if position == len(sentence):
            return
        end, claims = _match_longest(sentence, position)
        if end == position:
            raise ClaimError(sentence[position : position + 60])
        yield offset + position, offset + end, claims
        position = end


def _match_longest(sentence: str, position: int) -> tuple[int, tuple[Fact, ...]]:
    best: tuple[int, Callable[[], tuple[Fact, ...]]] = (position, tuple)
    for each in SENTENCES:
        match = each.pattern.match(sentence, position)
        if match and match.end() > best[0] and _BOUNDARY.match(sentence, match.end()):
            best = (match.end(), partial(each.read, match))
    return best[0], best[1]()


def _resolve_single_letter_angles(found: list[tuple[Fact, ...]]) -> list[tuple[Fact, ...]]:
    """Give ``\\angle A`` its sides where the polygons named in the text leave one choice."""
    polygons = [claim.arguments for claims in found for claim in claims if claim.predicate in SHAPES]
    return [
        tuple(
            Fact(claim.predicate, _fill_unknown_sides(claim.arguments, polygons), claim.value)
            if "?" in claim.arguments
            else claim
            for claim in claims
        )
        for claims in found
    ]


def _fill_unknown_sides(arguments: tuple[str, ...], polygons: list[tuple[str, ...]]) -> tuple[str, ...]:
    filled = list(arguments)
    unknown = [index for index, argument in enumerate(arguments) if argument == "?"]
    for first, last in zip(unknown[::2], unknown[1::2], strict=True):
        vertex = arguments[first + 1]
        sides = {
            frozenset((polygon[at - 1], polygon[(at + 1) % len(polygon)]))
            for polygon in polygons
            if vertex in polygon
            for at in (polygon.index(vertex),)
        }
        if len(sides) != 1:
            raise ClaimError(f"\\angle {vertex}", "it could be more than one angle; name it by three points")
        filled[first], filled[last] = sorted(next(iter(sides)))
    return tuple(filled)


def _check_diagonals(text: str, claims: list[Fact]) -> None:
    """``diagonal AC`` is a claim about a polygon's name: A and C must not be neighbours in it."""
    polygons = [claim.arguments for claim in claims if claim.predicate in SHAPES]
    for match in re.finditer(rf"diagonals? ((?:{LABEL}){{2}})(?: and ((?:{LABEL}){{2}}))?", text):
        for run in filter(None, match.groups()):
            start, end = split_labels(run)
            if not any(
                start in polygon and end in polygon
                and (polygon.index(start) - polygon.index(end)) % len(polygon) not in (1, len(polygon) - 1)
                for polygon in polygons
            ):  # fmt: skip
                raise ClaimError(match.group(0), "no polygon of the text has this diagonal")
