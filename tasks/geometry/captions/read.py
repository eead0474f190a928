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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import LABEL, ClaimError, match_sort
from counterfoil.tasks.geometry.captions.hints import suggest
from counterfoil.tasks.geometry.captions.mentions import Claims, Mentions, Stretch
from counterfoil.tasks.geometry.captions.sentences import SENTENCES, Sentence
from counterfoil.tasks.geometry.captions.spelling import normalise
from counterfoil.tasks.geometry.captions.syntax import read_clause
from counterfoil.tasks.geometry.captions.templates import NAMED, write_plain_value

_KEYWORDS = {
    keyword: [at for at, each in enumerate(SENTENCES) if each.keyword == keyword]
    for keyword in sorted({each.keyword for each in SENTENCES})
}
"""Of each word by which wordings are known, the wordings."""
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
    claims: Claims


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
    plain = _name_numbered(normalise(text))
    places: Sequence[int] = range(len(plain) + 1)
    base = text if plain.casefold() == text.casefold() else plain
    if "√" in text and base is plain:
        signed, at = _write_roots(plain)
        if signed.casefold() == text.casefold():
            base, places = text, at
    sentences = tuple(_split_sentences(plain))
    found = [stretch for at, (start, sentence) in enumerate(sentences) for stretch in _scan(sentence, start, at)]
    mentions = Mentions.find(sentences, found)
    clauses = tuple(
        Clause(start, end, base[start:end], _complete(mentions, each, sentences))
        for each in found
        for start, end in [(places[each.start], places[each.end])]
    )
    if not any(clause.claims for clause in clauses):
        raise ClaimError(text.strip()[:80], "it claims nothing")
    return ParsedCaption(base, clauses)


def _write_roots(plain: str) -> tuple[str, list[int]]:
    r"""A text with its roots as the sign writes them, and where there each of its characters stands, those of a root at
    its start: no clause begins or ends within one.

    >>> _write_roots(r"9\sqrt{3}.")
    ('9√3.', [0, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4])
    """
    signed, places = "", list[int]()
    for at, part in enumerate(_ROOT.split(plain)):
        is_root = at % 2 == 1
        places += [len(signed)] * len(part) if is_root else range(len(signed), len(signed) + len(part))
        signed += write_plain_value(part) if is_root else part
    return signed, [*places, len(signed)]


def _complete(mentions: Mentions, stretch: Stretch, sentences: Sequence[tuple[int, str]]) -> Claims:
    """What a clause claims; by its syntax where its wording leaves open of what it speaks."""
    try:
        return mentions.complete(stretch)
    except ClaimError as error:
        offset, sentence = sentences[stretch.sentence]
        try:
            end, claims = read_clause(sentence, stretch.start - offset)
        except ClaimError:
            raise error from None
        if end != stretch.end - offset:
            raise
        return mentions.complete(replace(stretch, claims=claims))


_ROOT = re.compile(r"(\\sqrt\{[^{}]*\})")
_DEFINED = re.compile(
    rf"(?:let )?\\angle ?(?P<number>\d+) (?:denotes|is|be|denote|represents|stands for|names) "
    rf"(?P<angle>(?:\\angle|angle) (?:{LABEL}){{3}})(?![A-Za-z0-9'])|(?P<named>(?:\\angle|angle) (?:{LABEL}){{3}}) "
    r"is (?:labell?ed|marked|denoted|called|named)(?: as| by)? \\angle ?(?P<last>\d+)"
)


def _name_numbered(text: str) -> str:
    r"""Angles that go by a number under the letters that the text gives them.

    >>> _name_numbered(r"\angle 1 denotes \angle ABD. \angle 1 = 40")
    '. \\angle ABD = 40'
    """
    names = {m["number"] or m["last"]: m["angle"] or m["named"] for m in _DEFINED.finditer(text)}
    if not names:
        return text
    rest = _DEFINED.sub("", text)
    return re.sub(r"\\angle ?(\d+)\b", lambda m: names.get(m[1], m[0]), rest).strip()


_PICTURE = "(?:figure|diagram|picture|image|drawing|illustration|sketch)"
_CONNECTOR = re.compile(
    r"(?:[\s,;:]|(?:and|with|where|in which|while|whose|such that|so that|also|moreover|furthermore|additionally|here|"
    r"respectively|there is|there are|it is (?:given|known|clear|noted|stated) that|"
    r"(?:we )?(?:note|know|observe|notice|assume|suppose) that|given that|given|we have|let|consider|suppose|assume|"
    r"specifically|namely|meanwhile|finally|next|dimensions|in addition|when|is given|are given|are labell?ed|"
    r"are marked|also shown (?:is|are)|(?:in|on) the (?:coordinate|cartesian|xy-?) ?plane|"
    r"in the (?:triangle|quadrilateral|circle|polygon)(?= *(?:[,;]|$))|"
    r"(?:the )?(?:tick marks|ticks|arrows|arrowheads|markings|marks|hash marks|arc marks) (?:show|indicate|mean) that|"
    r"from|of|for|has|have|having|its|it has|is shown|are shown|whereas|but|we see|so|since|because|"
    r"satisf(?:y|ies|ying)|thus|hence|therefore|then|dividing it into|"
    r"(?:making|forming|creating|producing|giving)(?! (?:\\)?angle)|"
    r"two triangles(?=,)|two(?= (?:chords|tangents|radii|diameters|medians|altitudes))|"
    rf"(?:the |this |an? )?(?:geometric |geometry )?{_PICTURE} (?:shows|depicts|contains|consists of|illustrates|"
    r"displays|presents|features|includes)|"
    r"(?:as |is )?(?:shown |given |seen |illustrated )?in (?:the|this) (?:given |following |adjoining )?"
    rf"{_PICTURE}(?: below| above)?|as (?:shown|illustrated|depicted|seen|pictured|drawn)|within|in)"
    r"(?![a-z]))\s*"
)
_NAMED_ALONE = re.compile(rf"(?:in )?(?:{NAMED}|{match_sort('circle')})")
"""A clause that names a thing and no more."""
_HOLDS = re.compile(r"\b(?:has|have|having|with|whose|shows|contains|draw|in)\b")
_PAUSE = re.compile(r"[\s,;:]+")
_BOUNDARY = re.compile(r"$|[\s,;:]")


def _split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences with their offsets; they end at a semicolon or at a full stop that is no decimal point."""
    start = 0
    for match in re.finditer(r"\.(?!\d)|;|$", text):
        if text[start : match.start()].strip():
            yield start, text[start : match.start()]
        start = match.end()


def _scan(sentence: str, offset: int, at: int) -> list[Stretch]:
    """Read claim after claim, each the longest that fits, and nothing but connectors between them."""
    found: list[Stretch] = []
    position = _skip(_PAUSE, sentence, 0)
    while position < len(sentence):
        begun, fitting = position, _list_fitting(sentence, position)
        if fitting and sentence.startswith("with ", position):
            # "with altitude CH drawn to AB" is more than "with altitude CH".
            further = _list_fitting(sentence, position + len("with "))
            if max((match.end() for match, _ in further), default=0) > max(match.end() for match, _ in fitting):
                position, fitting = position + len("with "), further
        while not fitting and (connector := _CONNECTOR.match(sentence, position)):
            position = connector.end()
            if position == len(sentence):
                return found
            fitting = _list_fitting(sentence, position)
        try:
            end, claims = _read_longest(fitting, sentence[position : position + 60])
            if found and _NAMED_ALONE.fullmatch(sentence, position, end):
                _check_alone(sentence, found[-1].start - offset, found[-1].end - offset, begun)
        except ClaimError as error:
            earlier = [each.start - offset for each in reversed(found)]
            position, end, claims = _read_otherwise(sentence, begun, earlier, error)
            found = [each for each in found if each.start - offset < position]
        found.append(Stretch(offset + position, offset + end, at, claims))
        position = _skip(_PAUSE, sentence, end)
    return found


def _check_alone(sentence: str, start: int, end: int, begun: int) -> None:
    """A thing after ``and`` is only named where the clause before, from ``start`` to ``end``, says what is there.

    Raises:
        ClaimError: ``AB is tangent to circle O and circle P``: what is said of the one is said of the other.
    """
    alone, holds = _NAMED_ALONE.fullmatch(sentence, start, end), _HOLDS.search(sentence[:end], max(0, start - 6))
    if re.compile("and (?!its )").match(sentence, begun) and not alone and not holds:
        raise ClaimError(sentence[begun : begun + 60], "it is not clear what is said of it")


def _read_otherwise(sentence: str, begun: int, earlier: Sequence[int], error: ClaimError) -> tuple[int, int, Claims]:
    """The clause at ``begun`` that no wording fits, or one from an ``earlier`` one on that says more than its wording:
    from where, to where, and its claims.

    Raises:
        ClaimError: ``error``, where none is read.
    """
    for start in (begun, *earlier):
        try:
            end, claims = read_clause(sentence, start)
        except ClaimError:
            continue
        if end > begun:
            return start, end, claims
    raise error


def _skip(pattern: re.Pattern[str], sentence: str, position: int) -> int:
    match = pattern.match(sentence, position)
    return match.end() if match else position


@lru_cache(maxsize=2048)
def _list_fitting(sentence: str, position: int) -> tuple[tuple[re.Match[str], Sentence], ...]:
    """The wordings that fit a sentence from ``position`` on; remembered, as edits leave most sentences as they are."""
    return tuple(
        (match, each)
        for each in _list_possible(sentence)
        if (match := each.pattern.match(sentence, position)) and _BOUNDARY.match(sentence, match.end())
    )


@lru_cache(maxsize=512)
def _list_possible(sentence: str) -> tuple[Sentence, ...]:
    """The wordings whose rarest word is in a sentence."""
    found = sorted(at for keyword, places in _KEYWORDS.items() if keyword in sentence for at in places)
    return tuple(SENTENCES[at] for at in found)


def _read_longest(fitting: Sequence[tuple[re.Match[str], Sentence]], unread: str) -> tuple[int, Claims]:
    """Where the longest clause ends, and its claims; those of the next where the longest cannot be meant."""
    problem: ClaimError | None = None
    for match, each in sorted(fitting, key=lambda found: -found[0].end()):
        try:
            return match.end(), each.read(match)
        except ClaimError as error:
            problem = problem or error
    raise problem or ClaimError(unread, f"no known claim reads like this; read are {suggest(unread)}")
