"""Captions of a scene, in varied English.

A caption states a part of what the picture shows: one relation or several, each thing with some of its looks. Which
part, which words and which order are chosen at random; nothing is stated that the scene does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tasks.caption.scenes.catalogue import NOUNS
from tasks.caption.scenes.graph import Relation, RelationName, Scene, Thing
from tasks.caption.scenes.language.wordings import (
    COUNTS,
    HATTED,
    MANNERS,
    MOODS,
    MOVING,
    PEOPLE,
    PLACES,
    POSTURES,
    RELATIONS,
    SIZES,
    article,
)

Choice = TypeVar("Choice")


def write_captions(scene: Scene, rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """``count`` different captions; the first states every relation, the others one or more."""
    captions: list[str] = []
    for _ in range(20 * count):
        writer = _Writer(scene, rng)
        relations = list(scene.relations)
        rng.shuffle(relations)
        wanted = len(relations) if not captions else int(rng.integers(1, len(relations) + 1))
        caption = writer.write(_connected(relations, wanted), full=not captions)
        if caption not in captions:
            captions.append(caption)
        if len(captions) == count:
            break
    return tuple(captions)


def _connected(relations: list[Relation], wanted: int) -> list[Relation]:
    """``wanted`` relations, each after the first about a thing that was spoken of before."""
    chosen = [relations[0]]
    while len(chosen) < wanted:
        known = {i for r in chosen for i in (r.subject, r.object)}
        chosen.append(next(r for r in relations if r not in chosen and known & {r.subject, r.object}))
    return chosen


class _Writer:
    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        self.scene, self.rng = scene, rng
        self.spoken: list[int] = []

    def write(self, relations: list[Relation], full: bool) -> str:
        self.full = full
        text = self._open(relations[0], alone=len(relations) == 1)
        for relation in relations[1:]:
            text += self._go_on(relation)
        setting = self._setting(full)
        if setting and self.rng.random() < (0.35 if len(relations) == 1 else 0.8):
            text = f"{setting}, {text}"
        elif setting:
            text = f"{text} {setting}" if len(relations) == 1 else f"{text}, {setting}"
        text = text[0].upper() + text[1:]
        return text + ("." if self.rng.random() < 0.85 else "")

    def _open(self, relation: Relation, alone: bool) -> str:
        """A clause that brings in both things of the first relation; one that stands alone may lack its verb."""
        subject, words, thing = self._turn(relation)
        if relation.name == "holding":
            return self._say_holding(relation, alone)
        first, second = self._name(subject), self._name(thing)
        form = _one(self.rng, ("clause", "clause", "there", "fragment", "fragment") if alone else ("clause", "there"))
        verb = self._verb(subject, "present" if form == "clause" else "participle")
        self.last = thing
        if form == "there":
            be = "are" if self._many(subject) else "is"
            return f"there {be} {first}{verb} {words} {second}"
        return f"{first}{verb} {words} {second}"

    def _say_holding(self, relation: Relation, alone: bool) -> str:
        person, held = relation.subject, relation.object
        first, second = self._name(person), self._name(held)
        self.last = held
        form = _one(self.rng, ("holds", "is holding", "posture", "there", "holding") if alone else ("holds", "posture"))
        verb = self._verb(person, "present")
        if form == "posture" and verb != " is":
            return f"{first}{verb} and holds {second}"
        if form == "there":
            return f"there is {first} holding {second}"
        return f"{first} {'holds' if form == 'posture' else form} {second}"

    def _go_on(self, relation: Relation) -> str:
        """A further relation, of a thing that was named before."""
        subject, words, thing = self._turn(relation)
        if relation.name == "holding":
            subject, thing = relation.subject, relation.object
        known_first = subject in self.spoken
        if not known_first and relation.name != "holding":
            # Turned round, the sentence can begin with what is known.
            converse = self._words(relation.name, subject == relation.subject)
            subject, thing = thing, subject
            if converse is None:
                return self._say_carrying(subject, thing, relation.name)
            words = converse
        plural = self._many(subject)
        if relation.name == "holding" and not known_first:
            held = self._reference(thing)
            person = self._name(subject)
            self.last = subject
            return f", and {person} holds {held}"
        if subject == self.last and self.rng.random() < 0.6:
            who = "who" if NOUNS[self.scene.things[subject].noun].kind == "person" else "that"
            head = f" {who} {'are' if plural else 'is'}"
        else:
            head = f", and {self._reference(subject)} {'are' if plural else 'is'}"
        second = self._name(thing) if thing not in self.spoken else self._reference(thing)
        self.last = thing
        return f"{head} {'holding' if relation.name == 'holding' else words} {second}"

    def _say_carrying(self, host: int, guest: int, name: RelationName) -> str:
        """What has no preposition the other way round: a table with a cup on it."""
        pronoun = "them" if self._many(host) else "it"
        words = _one(self.rng, [w for w, (n, turned) in RELATIONS.items() if n == name and not turned and " " not in w])
        reference = self._reference(host)
        guest_name = self._name(guest)
        self.last = guest
        be = "have" if self._many(host) else "has"
        return f", and {reference} {be} {guest_name} {words} {pronoun}"

    def _turn(self, relation: Relation) -> tuple[int, str, int]:
        """Subject, preposition and object of a relation as it or its converse."""
        turned = self.rng.random() < 0.4
        words = self._words(relation.name, turned) or self._words(relation.name, False)
        assert words is not None or relation.name == "holding"
        if words and RELATIONS[words][1]:
            return relation.object, words, relation.subject
        return relation.subject, words or "", relation.object

    def _words(self, name: RelationName, turned: bool) -> str | None:
        choices = [words for words, meaning in RELATIONS.items() if meaning == (name, turned)]
        return _one(self.rng, choices) if choices else None

    def _many(self, index: int) -> bool:
        return self.scene.things[index].count > 1

    def _verb(self, index: int, form: str) -> str:
        """How the thing is there, with a space before it: " sits", " is sitting", " running quickly", " is"."""
        thing = self.scene.things[index]
        plural = thing.count > 1
        manner = ""
        if thing.manner and (self.full or self.rng.random() < 0.6):
            manner = " " + _one(self.rng, [w for w, m in MANNERS.items() if m == thing.manner])
        posture = thing.posture if self.full or self.rng.random() < 0.7 else None
        moving = POSTURES[posture] if posture else MOVING if manner else None
        if form == "participle":
            return f" {moving[0]}{manner}" if moving else ""
        be = "are" if plural else "is"
        if moving is None:
            return f" {be}"
        if self.rng.random() < 0.5:
            return f" {be} {moving[0]}{manner}"
        bare = {"lies": "lie", "flies": "fly"}.get(moving[1], moving[1].removesuffix("s"))
        return f" {bare if plural else moving[1]}{manner}"

    def _name(self, index: int) -> str:
        """A thing at its first mention: "a small red ball", "two happy girls in striped dresses"."""
        self.spoken.append(index)
        thing = self.scene.things[index]
        noun = NOUNS[thing.noun]
        twin = any(other.noun == thing.noun for i, other in enumerate(self.scene.things) if i != index)
        words: list[str] = []
        if thing.size != "medium" and self._mention(0.85):
            words.append(_one(self.rng, [w for w, size in SIZES.items() if size == thing.size]))
        if thing.mood and self._mention(0.85):
            words.append(_one(self.rng, [w for w, mood in MOODS.items() if mood == thing.mood]))
        looks: list[str] = []
        if thing.pattern != "plain" and self._mention(0.8):
            looks.append(thing.pattern)
        if len(noun.colours) > 1 and (twin or self._mention(0.85)):
            looks.append(thing.colour)
        if noun.name not in PEOPLE | HATTED:
            return self._count(thing, [*words, *looks])
        named = self._count(thing, words)
        if not looks:
            return named
        joined = " ".join(looks)
        if noun.name in PEOPLE:
            return f"{named} in {joined} clothes"
        return f"{named} with {joined} hats" if thing.count > 1 else f"{named} with {article(joined)} {joined} hat"

    def _mention(self, share: float) -> bool:
        return self.full or bool(self.rng.random() < share)

    def _count(self, thing: Thing, adjectives: Sequence[str]) -> str:
        noun = NOUNS[thing.noun]
        if thing.count > 1:
            return " ".join([COUNTS[thing.count - 1], *adjectives, noun.plural])
        words = " ".join([*adjectives, noun.name])
        return f"{article(words)} {words}"

    def _reference(self, index: int) -> str:
        """A thing that was named before: "the ball", with its colour where there is another ball."""
        thing = self.scene.things[index]
        noun = NOUNS[thing.noun]
        twins = [other for i, other in enumerate(self.scene.things) if i != index and other.noun == thing.noun]
        name = noun.plural if thing.count > 1 else noun.name
        if not twins:
            return f"the {name}"
        if noun.name in PEOPLE:
            return f"the {name} in {thing.colour}"
        return f"the {thing.colour} {name}"

    def _setting(self, full: bool) -> str:
        scene = self.scene
        place = _one(self.rng, [words for words, place in PLACES.items() if place == scene.place])
        if scene.place == "room":
            return place if self.rng.random() < (0.8 if full else 0.4) else ""
        when = f"on {article(scene.weather)} {scene.weather} {scene.time}"
        if self.rng.random() < 0.25:
            when = "at night" if scene.time == "night" else when
        choice = self.rng.random()
        if full:
            return f"{place} {when}" if choice < 0.6 else when
        if choice < 0.3:
            return ""
        return place if choice < 0.55 else when if choice < 0.85 else f"{place} {when}"


def _one(rng: np.random.Generator, choices: Sequence[Choice]) -> Choice:
    return choices[int(rng.integers(len(choices)))]
