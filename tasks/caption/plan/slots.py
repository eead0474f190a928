"""The places of a caption where a word can be exchanged, and the words around them that say what fits there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from counterfoil.tasks.caption.words.agreement import is_plural
from counterfoil.tasks.caption.words.forms import find_lemma
from counterfoil.tasks.caption.words.lists import COLLECTIVE, MEASURES
from counterfoil.tasks.caption.words.parse import Sentence
from counterfoil.tasks.caption.words.units import Type, Unit, find_units

START, END = "^", "$"
_BETWEEN = frozenset({"DET", "ADJ", "NUM", "PRON", "ADV"})
"""Words between a noun and what it depends on that say nothing of it."""


_HAVING = frozenset({"have", "feature", "contain", "include"})
Count = Literal["", "one", "bare"]
_FEW = frozenset({"two", "three"})
_LOOSE = frozenset(
    {"front", "top", "side", "back", "middle", "end", "edge", "group", "couple", "pair", "lot", "kind", "type"}
)
"""Nouns before "of" that say nothing of what follows: anything has a front."""
_ONE = frozenset({"a", "an", "one", "another", "each", "every"})


class Key(NamedTuple):
    """A word as it is counted: part of speech, lemma, and for nouns and verbs the form."""

    part: str
    lemma: str
    form: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A unit with its context: the word that governs it, on the left, and the word that it governs, on the right.

    Of an adjective or number ``right`` is its noun; of a preposition or verb, ``left`` and ``right`` are the things
    that it relates; of the noun in "a bouquet of flowers" ``left`` is "bouquet of". ``count`` says of a noun how it is
    counted there, ``listed`` that it is one of several that are said to be there, or what something is said to be with;
    ``several`` of an adjective or posture, that it is said of things of which there are many, or nobody says how many.
    """

    unit: Unit
    left: str
    right: str
    count: Count = ""
    listed: bool = False
    several: bool = False

    @property
    def key(self) -> Key:
        return key_of(self.unit)


def key_of(unit: Unit) -> Key:
    form = unit.tag if unit.part == "v" else "many" if unit.tag in ("NNS", "NNPS") else ""
    return Key(unit.part, unit.lemma, form)


def find_slots(sentence: Sentence, is_phrase: Callable[[str], bool]) -> list[Slot]:
    """The sentence's slots, in order."""
    units = find_units(sentence, is_phrase)
    return [
        Slot(
            unit,
            *_find_context(sentence, unit),
            _find_count(sentence, unit),
            _is_listed(sentence, unit),
            _is_of_several(sentence, unit),
        )
        for unit in units
    ]


def _is_of_several(sentence: Sentence, unit: Unit) -> bool:
    """Whether the adjective or posture is said of several things, more than are counted at a glance."""
    if unit.part not in ("a", "v") or unit.type != "attribute":
        return False
    token = sentence.tokens[unit.last]
    own = token.head if unit.part == "a" or token.dep in ("acl", "amod", "relcl") else unit.last
    head = own if unit.part == "a" and token.dep != "acomp" else next(iter(sentence.children(own, "nsubj")), own)
    counted = {sentence.tokens[c].text.lower() for c in sentence.children(head, "nummod")}
    if find_lemma(sentence.tokens[head]) in ("couple", "pair"):
        return False
    crowd = sentence.tokens[head].text.lower() in COLLECTIVE
    return (crowd or is_plural(sentence, head)) and _FEW.isdisjoint(counted)


def _find_count(sentence: Sentence, unit: Unit) -> Count:
    """How the noun is counted; nothing of plurals, of "the", "his" and their like, and of other parts of speech."""
    if unit.part != "n" or unit.tag in ("NNS", "NNPS"):
        return ""
    determiners = [sentence.tokens[c].text.lower() for c in sentence.children(unit.last, "det", "poss", "nummod")]
    return "bare" if not determiners else "one" if not _ONE.isdisjoint(determiners) else ""


def _is_listed(sentence: Sentence, unit: Unit) -> bool:
    """Whether the noun stands in a list ("a tub, a shower, a sink") or is said to be there by "with" or "has"."""
    if unit.part != "n":
        return False
    tokens, own = sentence.tokens, sentence.tokens[unit.last]
    if own.dep in ("conj", "appos") or sentence.children(unit.last, "conj", "appos"):
        return True
    after = tokens[unit.last + 1].text.lower() if unit.last + 1 < len(tokens) else ""
    above = tokens[own.head]
    there = (own.dep == "pobj" and above.text.lower() == "with") or (own.dep == "dobj" and above.lemma in _HAVING)
    return there or after == "and"


def _find_context(sentence: Sentence, unit: Unit) -> tuple[str, str]:
    tokens = sentence.tokens
    if unit.part in ("a", "c"):
        head = tokens[tokens[unit.last].head]
        if tokens[unit.last].dep == "acomp":
            subjects = sentence.children(tokens[unit.last].head, "nsubj")
            return END, find_lemma(tokens[subjects[0]]) if subjects else END
        return END, find_lemma(head)
    if unit.part == "p":
        objects = sentence.children(unit.last, "pobj")
        return find_lemma(tokens[tokens[unit.first].head]), find_lemma(tokens[objects[0]]) if objects else END
    if unit.part == "v":
        subjects = sentence.children(unit.last, "nsubj") or [tokens[unit.last].head]
        objects = sentence.children(unit.last, "dobj")
        subject = find_lemma(tokens[_find_measured(sentence, subjects[0])])
        return subject, find_lemma(tokens[objects[0]]) if objects else _next(sentence, unit.last)
    return _previous(sentence, unit.first), _next(sentence, unit.last)


def _find_measured(sentence: Sentence, noun: int) -> int:
    """Of "a group of bikes" the bikes, of any other noun itself."""
    if find_lemma(sentence.tokens[noun]) in MEASURES:
        for child in sentence.children(noun, "prep"):
            inside = sentence.children(child, "pobj")
            if sentence.tokens[child].text.lower() == "of" and inside:
                return inside[0]
    return noun


def _previous(sentence: Sentence, first: int) -> str:
    """The nearest word before a noun phrase's head that is no part of the phrase."""
    for token in reversed(sentence.tokens[:first]):
        if token.pos not in _BETWEEN and token.dep != "compound":
            above = sentence.tokens[token.head]
            if token.text.lower() == "of" and above.pos == "NOUN" and find_lemma(above) not in _LOOSE:
                return f"{find_lemma(above)} of"
            return find_lemma(token) if token.pos in ("VERB", "NOUN") else token.text.lower()
    return START


def _next(sentence: Sentence, last: int) -> str:
    """The next word; auxiliaries are passed over."""
    for token in sentence.tokens[last + 1 :]:
        if token.pos not in ("AUX", "PUNCT", "DET"):
            return find_lemma(token) if token.pos in ("VERB", "NOUN") else token.text.lower()
    return END


def pack(slots: list[Slot]) -> Iterator[dict[str, object]]:
    """Slots as plain data, for a part of the preparation."""
    for slot in slots:
        unit = slot.unit
        yield {
            "first": unit.first,
            "last": unit.last,
            "type": unit.type,
            "lemma": unit.lemma,
            "part": unit.part,
            "tag": unit.tag,
            "left": slot.left,
            "right": slot.right,
            "count": slot.count,
            "listed": slot.listed,
            "several": slot.several,
        }


def unpack(data: dict[str, object]) -> Slot:
    """The slot of `pack`'s data."""
    kind: Type = data["type"]  # type: ignore[assignment]
    unit = Unit(
        int(str(data["first"])), int(str(data["last"])), kind, str(data["lemma"]), str(data["part"]), str(data["tag"])
    )
    count: Count = data["count"]  # type: ignore[assignment]
    return Slot(unit, str(data["left"]), str(data["right"]), count, bool(data["listed"]), bool(data["several"]))
