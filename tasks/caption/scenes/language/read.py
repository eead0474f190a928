"""Read a caption of a scene back: which things it names, how they look, how they stand to each other, and where.

A recursive descent over the words. It knows English of this kind, not how the writer chose: any noun may stand where a
noun may stand, so it reads a caption with words exchanged or replaced as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import (
    Manner,
    Mood,
    Pattern,
    Place,
    Posture,
    Relation,
    RelationName,
    Size,
    Time,
    Weather,
)
from counterfoil.tasks.caption.scenes.language.wordings import (
    ALSO,
    COUNTS,
    EXACTLY,
    HATTED,
    MANNERS,
    MOODS,
    MOVING,
    PATTERNS,
    PEOPLE,
    PLACES,
    PLURALS,
    POSTURES,
    RELATIONS,
    SIZES,
    TIMES,
    VERBS,
    WEATHERS,
    article,
)
from counterfoil.tasks.caption.scenes.palette import COLOURS


class ReadingError(ValueError):
    """The caption is not English of the kind that captions of scenes are; the message says at which word."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing as far as the caption speaks of it; None where it says nothing."""

    noun: str
    count: int
    exactly: bool = False
    """Whether it says that there are no more."""
    colour: str | None = None
    size: Size | None = None
    pattern: Pattern | None = None
    posture: Posture | None = None
    mood: Mood | None = None
    manner: Manner | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a caption states. Relations are between the mentions, in their order."""

    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]
    place: Place | None
    weather: Weather | None
    time: Time | None


def read_caption(text: str) -> Reading:
    """What ``text`` states.

    Raises:
        ReadingError: it cannot be read, or is not grammatical (an article, a number or a verb that does not agree).
    """
    reader = _Reader(text)
    reader.read()
    mentions = tuple(Mention(**looks) for looks in reader.looks)
    return Reading(mentions, tuple(reader.relations), reader.place, reader.weather, reader.time)


_PARTICIPLES = {participle: posture for participle, (posture, _) in POSTURES.items()}
_PRESENTS = {present: posture for posture, present in POSTURES.values()}
_BARE = {
    {"lies": "lie", "flies": "fly"}.get(present, present.removesuffix("s")): posture
    for posture, present in POSTURES.values()
}
_DOING: dict[str, RelationName] = {name: name for name in VERBS}
_ACTS: dict[str, RelationName] = {form: name for name, forms in VERBS.items() for form in forms}
_WORD = re.compile(r"[a-z]+|[.,]")
_LONGEST = 4


class _Reader:
    def __init__(self, text: str) -> None:
        lowered = text.lower()
        self.words = _WORD.findall(lowered)
        if "".join(self.words) != lowered.replace(" ", ""):
            raise ReadingError("a character that is neither a letter, a comma nor a full stop")
        self.words = [ALSO.get(word, word) for word in self.words]
        if not text[:1].isupper():
            raise ReadingError("the first letter is not a capital")
        if self.words[-1:] == ["."]:
            self.words.pop()
        self.at = 0
        self.looks: list[dict[str, Any]] = []
        self.plural: list[bool] = []
        self.relations: list[Relation] = []
        self.place: Place | None = None
        self.weather: Weather | None = None
        self.time: Time | None = None

    def read(self) -> None:
        if self._setting():
            self._expect(",")
        self._clause()
        while self.at < len(self.words):
            mark = self.at
            if self._take("that", "who"):
                self._relative()
            elif self._take(",") and self._take("and"):
                self._clause()
            else:
                self.at = mark
                self._take(",")
                if not self._setting():
                    raise self._error("a clause or a setting")
        if not self.relations:
            raise ReadingError("it relates nothing")

    def _clause(self) -> None:
        """A thing and what it does, is beside, holds or has on it."""
        there = self._take("there")
        be = self._take("is", "are") if there else None
        if there and be is None:
            raise self._error("'is' or 'are'")
        subject = self._phrase()
        if be:
            self._agree(subject, be == "are")
        if self._take("and") or not self._verbs(subject, be is not None):
            return
        if self._acts(subject, be is not None):
            return
        self._relate(subject)

    def _verbs(self, subject: int, there: bool) -> bool:
        """The subject's verb, if any; False where the clause ended with it."""
        before = self.at
        has = None if there else self._take("has", "have")
        if has:
            self._agree(subject, has == "have")
            self._carry(subject)
            return False
        be = None if there else self._take("is", "are")
        if be:
            self._agree(subject, be == "are")
        word = self._peek()
        if word in _PARTICIPLES or word == MOVING[0]:
            self._step()
            self._move(subject, _PARTICIPLES.get(word))
        elif be is None and not there and (word in _PRESENTS or word in _BARE or word in (MOVING[1], "move")):
            self._step()
            self._agree(subject, word in _BARE or word == "move")
            self._move(subject, _PRESENTS.get(word) or _BARE.get(word))
        if self.at > before + bool(be) and self._peek() == "and" and self._peek(1) in _ACTS:
            self._step()
        return True

    def _move(self, subject: int, posture: Posture | None) -> None:
        if posture:
            self._look(subject, "posture", posture)
        if self._peek() in MANNERS:
            self._look(subject, "manner", MANNERS[self._step()])

    def _acts(self, subject: int, there: bool) -> bool:
        """What the subject does to another: "holding a ball", "chases a cat"."""
        word = self._peek() or ""
        name = _DOING.get(word) or (None if there else _ACTS.get(word))
        if name is None:
            return False
        self._step()
        if word not in _DOING:
            self._agree(subject, word == VERBS[name][1])
        thing = self._phrase()
        if subject == thing:
            raise ReadingError("a thing is related to itself")
        self.relations.append(Relation(subject, name, thing))
        return True

    def _carry(self, host: int) -> None:
        """After "has": a cup on it."""
        guest = self._phrase()
        words = self._relation_words()
        name, turned = RELATIONS[words]
        pronoun = self._take("it", "them")
        if pronoun is None or turned:
            raise self._error("'it' or 'them'")
        self._agree(host, pronoun == "them")
        self.relations.append(Relation(guest, name, host))

    def _relative(self) -> None:
        """After "that": of the thing named last."""
        subject = self.last
        be = self._take("is", "are")
        if be is None:
            raise self._error("'is' or 'are'")
        self._agree(subject, be == "are")
        if not self._acts(subject, True):
            self._relate(subject)

    def _relate(self, subject: int) -> None:
        name, turned = RELATIONS[self._relation_words()]
        thing = self._phrase()
        if subject == thing:
            raise ReadingError("a thing is related to itself")
        self.relations.append(Relation(thing, name, subject) if turned else Relation(subject, name, thing))

    def _relation_words(self) -> str:
        for length in range(_LONGEST, 0, -1):
            words = " ".join(self.words[self.at : self.at + length])
            if words in RELATIONS:
                self.at += length
                return words
        raise self._error("a preposition")

    def _phrase(self) -> int:
        """A noun phrase: the index of the thing that it names for the first time or again."""
        word = self._step()
        if word == "the":
            self.last = self._refer()
            return self.last
        exactly = word == EXACTLY and self._peek() in COUNTS[1:]
        word = self._step() if exactly else word
        if word not in ("a", "an", *COUNTS):
            self.at -= 1
            raise self._error("a noun phrase")
        if word in ("a", "an") and article(self._peek() or "") != word:
            raise ReadingError(f"{word!r} before {self._peek()!r}")
        many = word in COUNTS[1:]
        looks: dict[str, Any] = {"count": COUNTS.index(word) + 1 if word in COUNTS else 1}
        if exactly:
            looks["exactly"] = True
        self._adjectives(looks)
        looks["noun"] = self._noun(many)
        self.looks.append(looks)
        self.plural.append(many)
        self.last = len(self.looks) - 1
        self._clothes(looks, many)
        return self.last

    def _refer(self) -> int:
        """After "the": the one thing named before that fits."""
        wanted: dict[str, Any] = {}
        self._adjectives(wanted)
        many = self._peek() in PLURALS and self._peek() not in NOUNS
        wanted["noun"] = self._noun(many)
        if wanted["noun"] in PEOPLE and self._peek() == "in" and self._peek(1) in COLOURS:
            self._step()
            wanted["colour"] = self._step()
        fits = [i for i, looks in enumerate(self.looks) if all(looks.get(k) == v for k, v in wanted.items())]
        fits = [i for i in fits if self.plural[i] == many or wanted["noun"] in ("sheep", "fish")]
        if len(fits) != 1:
            raise ReadingError(f"'the {wanted['noun']}' could be {len(fits)} things")
        return fits[0]

    def _adjectives(self, looks: dict[str, Any]) -> None:
        """Size, mood, pattern and colour, each once and in this order."""
        orders: tuple[tuple[str, Mapping[str, str]], ...] = (("size", SIZES), ("mood", MOODS), ("pattern", PATTERNS))
        for name, known in orders:
            if self._peek() in known:
                looks[name] = known[self._step()]
        # "an orange on a box" names a fruit that no scene has.
        if self._peek() in COLOURS:
            looks["colour"] = self._step()

    def _noun(self, many: bool) -> str:
        word = self._step()
        if many and word in PLURALS:
            return PLURALS[word]
        if not many and word in NOUNS:
            return word
        self.at -= 1
        raise self._error("a noun in the plural" if many else "a noun")

    def _clothes(self, looks: dict[str, Any], many: bool) -> None:
        """ "in red clothes", "with a red hat": the looks of a person."""
        noun = looks["noun"]
        if noun not in PEOPLE | HATTED:
            return
        if looks.keys() & {"colour", "pattern"}:
            raise ReadingError(f"a {noun} of that look")
        mark = self.at
        if not self._take("in" if noun in PEOPLE else "with"):
            return
        hat = noun in HATTED and not many
        if hat and (found := self._take("a", "an")) and article(self._peek() or "") != found:
            raise ReadingError(f"{found!r} before {self._peek()!r}")
        self._adjectives(looks)
        if not self._take("clothes" if noun in PEOPLE else "hat" if hat else "hats"):
            # "in a boat" is no dress.
            looks.pop("colour", None)
            looks.pop("pattern", None)
            self.at = mark

    def _setting(self) -> bool:
        """Where and when; False where the words say neither."""
        before = self.at
        for length in range(_LONGEST, 0, -1):
            words = " ".join(self.words[self.at : self.at + length])
            if words in PLACES:
                self._once(self.place)
                self.place = PLACES[words]
                self.at += length
                break
        if self._peek() == "at" and self._peek(1) == "night":
            self._once(self.time)
            self.at += 2
            self.time = "night"
        elif self._peek() == "on" and self._peek(2) in WEATHERS and self._peek(3) in TIMES:
            _, found, weather, time = self.words[self.at : self.at + 4]
            if found != article(weather):
                raise ReadingError(f"{found!r} before {weather!r}")
            self._once(self.time)
            self.weather, self.time = next(w for w in WEATHERS if w == weather), TIMES[time]
            self.at += 4
        return self.at > before

    def _once(self, known: object) -> None:
        if known is not None:
            raise self._error("one setting, not two")

    def _look(self, thing: int, name: str, value: object) -> None:
        if self.looks[thing].get(name, value) != value:
            raise ReadingError(f"two values of {name} for one thing")
        self.looks[thing][name] = value

    def _agree(self, subject: int, plural: bool) -> None:
        if self.plural[subject] != plural:
            raise ReadingError(f"the verb does not agree with {self.looks[subject]['noun']!r}")

    def _peek(self, ahead: int = 0) -> str | None:
        return self.words[self.at + ahead] if self.at + ahead < len(self.words) else None

    def _step(self) -> str:
        if self.at >= len(self.words):
            raise self._error("more words")
        self.at += 1
        return self.words[self.at - 1]

    def _take(self, *words: str) -> str | None:
        if self._peek() in words:
            return self._step()
        return None

    def _expect(self, word: str) -> None:
        if not self._take(word):
            raise self._error(repr(word))

    def _error(self, wanted: str) -> ReadingError:
        found = f"found {self._peek()!r}" if self.at < len(self.words) else "the caption ends"
        return ReadingError(f"at word {self.at + 1}: wanted {wanted}, {found}")
