"""The units of a caption that can be replaced (Concrete Jungle, App. A.1): words or phrases, by compositional type.

- **attribute**: an adjective or number that modifies a noun or is said of it, or a verb that says a state (a posture).
- **object**: a noun that is no measure of another; a compound that people rate or WordNet lists is one unit.
- **relation**: a spatial preposition or phrase with a noun after it, or a verb between a subject and an object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from counterfoil.tasks.caption.words.agreement import is_plural
from counterfoil.tasks.caption.words.forms import find_lemma
from counterfoil.tasks.caption.words.lists import (
    FRAMES,
    GENDERED,
    LIGHT,
    MEASURES,
    PICTURES,
    PRONOUNS,
    SAME,
    STATES,
    VAGUE,
)
from counterfoil.tasks.caption.words.parse import Sentence, Token
from counterfoil.tasks.caption.words.spatial import PHRASES, is_spatial

Type = Literal["attribute", "object", "relation"]
CANDIDATES = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "ADP", "VERB"})


@dataclass(frozen=True, slots=True)
class Unit:
    """Words ``first`` to ``last`` (included) of a sentence.

    ``lemma`` is the unit's base form as it is looked up ("fire hydrant"); ``part`` is WordNet's part of speech, or
    ``p`` for a preposition and ``c`` for a number; ``tag`` is the Penn tag of its head, which says its inflection.
    """

    first: int
    last: int
    type: Type
    lemma: str
    part: str
    tag: str


def find_units(sentence: Sentence, is_phrase: Callable[[str], bool]) -> list[Unit]:
    """The caption's units in order. ``is_phrase`` says whether a compound's words are one expression."""
    spatial = _find_spatial(sentence)
    covered = {i for unit in spatial for i in range(unit.first, unit.last + 1)}
    units = list(spatial)
    # Nouns first: "hot" is a part of "hot dog".
    for i, token in sorted(enumerate(sentence.tokens), key=lambda pair: pair[1].pos not in ("NOUN", "PROPN")):
        if i in covered or token.pos not in CANDIDATES or not token.text.isalpha():
            continue
        unit = _find_unit(sentence, i, token, is_phrase)
        if unit and not covered & set(range(unit.first, unit.last + 1)):
            units.append(unit)
            covered |= set(range(unit.first, unit.last + 1))
    return sorted(units, key=lambda unit: unit.first)


def _find_unit(sentence: Sentence, i: int, token: Token, is_phrase: Callable[[str], bool]) -> Unit | None:
    if token.dep == "amod" and token.pos in ("NOUN", "PROPN", "ADJ") and token.tag in ("NN", "NNP", "JJ"):
        # A small model takes a colour for a name now and then; what modifies like an adjective is one.
        vague = token.text.lower() in VAGUE or _is_hyphened(sentence, i) or _is_of_picture(sentence, token)
        return None if vague else Unit(i, i, "attribute", token.text.lower(), "a", "JJ")
    if token.pos in ("NOUN", "PROPN") and token.tag in ("NN", "NNS", "NNP", "NNPS"):
        return _find_object(sentence, i, is_phrase)
    if token.pos == "ADJ" and token.tag == "JJ":
        if token.dep == "acomp" and token.lemma not in VAGUE and not _is_hyphened(sentence, i):
            return Unit(i, i, "attribute", token.text.lower(), "a", token.tag)
        return None
    if token.pos == "NUM":
        plain = token.dep == "nummod" and token.text.lower() not in ("one", "zero") and not _is_hyphened(sentence, i)
        return Unit(i, i, "attribute", token.text.lower(), "c", token.tag) if plain else None
    if token.pos == "VERB":
        return _find_verb(sentence, i)
    return None


def _find_object(sentence: Sentence, i: int, is_phrase: Callable[[str], bool]) -> Unit | None:
    token = sentence.tokens[i]
    lemma = find_lemma(token)
    if token.dep == "compound" or lemma in FRAMES or _is_hyphened(sentence, i):
        return None
    if lemma in MEASURES and any(sentence.tokens[c].text.lower() == "of" for c in sentence.children(i, "prep")):
        return None
    if _is_far(sentence, i):
        # "A house in the background": a tower may well be there too, and nobody says so.
        return None
    if lemma in GENDERED and not PRONOUNS.isdisjoint(sentence.words()):
        # "A boy takes a picture of herself": the pronoun would tell.
        return None
    first = i
    while first > 0 and sentence.tokens[first - 1].dep in ("compound", "amod") and sentence.tokens[first - 1].head == i:
        first -= 1
    for start in range(first, i):
        words = " ".join([*(t.text.lower() for t in sentence.tokens[start:i]), lemma])
        if is_phrase(words):
            return _make(sentence, start, i, words)
    # Of a compound that is no known expression, nothing can be said: "fork lift" is no lift.
    return None if sentence.children(i, "compound") else _make(sentence, i, i, lemma)


def _is_far(sentence: Sentence, i: int) -> bool:
    """Whether the noun is said to be somewhere behind what the picture is about."""
    after = sentence.words()[i + 1 : i + 4]
    return after[:2] == ["in", "the"] and after[2:] in (["background"], ["distance"], ["backdrop"])


def _is_of_picture(sentence: Sentence, token: Token) -> bool:
    """Whether the word is said of the picture, and of nothing that it shows ("a low shot")."""
    return find_lemma(sentence.tokens[token.head]) in PICTURES


def _make(sentence: Sentence, first: int, last: int, lemma: str) -> Unit:
    """The unit; of "two giraffe" a plural, whatever its form."""
    tag = sentence.tokens[last].tag
    several = tag in ("NN", "NNP") and lemma not in SAME and is_plural(sentence, last)
    return Unit(first, last, "object", lemma, "n", "NNS" if several else tag)


def _find_verb(sentence: Sentence, i: int) -> Unit | None:
    token = sentence.tokens[i]
    lemma = find_lemma(token)
    if lemma in LIGHT or sentence.children(i, "prt", "neg", "auxpass") or _is_hyphened(sentence, i):
        return None
    if token.dep == "amod" and token.tag == "VBG":
        return Unit(i, i, "attribute", lemma, "v", token.tag)
    if sentence.children(i, "dobj") and _has_subject(sentence, i):
        return Unit(i, i, "relation", lemma, "v", token.tag)
    if lemma in STATES and token.tag in ("VBG", "VBZ", "VBP") and not sentence.children(i, "dobj"):
        return Unit(i, i, "attribute", lemma, "v", token.tag)
    return None


def _has_subject(sentence: Sentence, i: int) -> bool:
    """A subject of its own, or the noun that it modifies ("a man riding a horse")."""
    token = sentence.tokens[i]
    return bool(sentence.children(i, "nsubj")) or (
        token.dep in ("acl", "relcl") and sentence.tokens[token.head].pos in ("NOUN", "PROPN")
    )


def _find_spatial(sentence: Sentence) -> list[Unit]:
    """Spatial phrases with a noun after them, the longest that fit."""
    words = sentence.words()
    found: list[Unit] = []
    at = 0
    while at < len(words):
        for phrase in PHRASES:
            parts = phrase.split()
            if words[at : at + len(parts)] == parts and _governs_noun(sentence, at, at + len(parts) - 1):
                found.append(Unit(at, at + len(parts) - 1, "relation", phrase, "p", "IN"))
                at += len(parts) - 1
                break
        at += 1
    return found


def _governs_noun(sentence: Sentence, first: int, last: int) -> bool:
    """Whether the phrase is a preposition here: its last word has a noun as its object and is no verb's particle."""
    token = sentence.tokens[last]
    if first == last and not is_spatial(token.text.lower()):
        return False
    return (
        token.pos == "ADP"
        and token.dep == "prep"
        and any(sentence.tokens[child].pos in ("NOUN", "PROPN") for child in sentence.children(last, "pobj"))
    )


def _is_hyphened(sentence: Sentence, i: int) -> bool:
    """Whether the word is a part of a hyphenated one."""
    around = [sentence.tokens[j].text for j in (i - 1, i + 1) if 0 <= j < len(sentence.tokens)]
    return "-" in around
