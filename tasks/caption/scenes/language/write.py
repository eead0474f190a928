"""Captions of a scene, in varied English.

A caption states a part of what the picture shows: one relation or several, each thing with some of its looks. Which
part, which words and which order are chosen at random; nothing is stated that the scene does not hold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import Relation, RelationName, Scene
from counterfoil.tasks.caption.scenes.language.wordings import (
    COUNTS,
    EXACTLY,
    HATTED,
    MANNERS,
    MOODS,
    MOVING,
    PEOPLE,
    PLACES,
    POSTURES,
    RELATIONS,
    SIZES,
    VERBS,
    article,
)

Choice = TypeVar("Choice")

EXACTNESS = 0.9
"""How often a number of things is said to be all of them."""


def write_captions(scene: Scene, rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """``count`` different captions, none of them longer than another but by chance."""
    captions: list[str] = []
    for seed in list_seeds(rng, 20 * count):
        caption = write_caption(scene, seed)
        if caption not in captions:
            captions.append(caption)
        if len(captions) == count:
            break
    return tuple(captions)


def list_seeds(rng: np.random.Generator, count: int) -> list[int]:
    """What decides the words of each caption."""
    return [int(seed) for seed in rng.integers(2**62, size=count)]


def write_caption(scene: Scene, seed: int) -> str:
    """One caption. Each choice of words is of one thing or relation, by its number: where two scenes differ in one
    thing, so do their captions of one seed."""
    return _Writer(scene, seed).write()


class _Writer:
    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene, self.seed = scene, seed
        self.spoken: list[int] = []

    def write(self) -> str:
        relations = self._connect()
        text = self._open(*relations[0], alone=len(relations) == 1)
        for place, relation in relations[1:]:
            text += self._go_on(place, relation)
        setting = self._setting()
        if setting and self._draw("ahead") < (0.35 if len(relations) == 1 else 0.8):
            text = f"{setting}, {text}"
        elif setting:
            text = f"{text} {setting}" if len(relations) == 1 else f"{text}, {setting}"
        text = text[0].upper() + text[1:]
        return text + ("." if self._draw("stop") < 0.85 else "")

    def _draw(self, *what: object) -> float:
        """A number from 0 to 1, always the same for one choice."""
        drawn = hashlib.blake2b(f"{self.seed} {what}".encode(), digest_size=7).digest()
        return int.from_bytes(drawn) / 2**56

    def _one(self, choices: Sequence[Choice], *what: object) -> Choice:
        return choices[int(self._draw(*what) * len(choices))]

    def _connect(self) -> list[tuple[int, Relation]]:
        """The relations that are told, by number, each after the first about a thing that was spoken of before."""
        count = len(self.scene.relations)
        wanted = count if self._draw("all") < 0.6 else 1 + int(self._draw("relations") * count)
        left = sorted(enumerate(self.scene.relations), key=lambda pair: self._draw("order", pair[0]))
        chosen = [left.pop(0)]
        while len(chosen) < wanted:
            known = {i for _, each in chosen for i in (each.subject, each.object)}
            found = next((pair for pair in left if known & {pair[1].subject, pair[1].object}), None)
            if found is None:
                break
            left.remove(found)
            chosen.append(found)
        return chosen

    def _open(self, place: int, relation: Relation, alone: bool) -> str:
        """A clause that brings in both things of the first relation; one that stands alone may lack its verb."""
        subject, words, thing = self._turn(place, relation)
        if words in VERBS:
            return self._say_act(relation, alone)
        first, second = self._name(subject), self._name(thing)
        form = self._one(
            ("clause", "clause", "there", "fragment", "fragment") if alone else ("clause", "there"), "form"
        )
        verb = self._verb(subject, "present" if form == "clause" else "participle")
        if relation.name in VERBS:
            verb = " is" if form == "clause" else ""
        self.last = thing
        if form == "there":
            be = "are" if self._many(subject) else "is"
            return f"there {be} {first}{verb} {words} {second}"
        return f"{first}{verb} {words} {second}"

    def _say_act(self, relation: Relation, alone: bool) -> str:
        subject, name = relation.subject, relation.name
        first, second = self._name(subject), self._name(relation.object)
        self.last = relation.object
        form = self._one(("does", "is doing", "posture", "there", "doing") if alone else ("does", "posture"), "form")
        verb = self._verb(subject, "present")
        if form == "posture" and verb != " is" and name == "holding":
            return f"{first}{verb} and {VERBS[name][0]} {second}"
        if form == "there":
            return f"there is {first} {name} {second}"
        said = {"is doing": f"is {name}", "doing": name}.get(form, VERBS[name][0])
        return f"{first} {said} {second}"

    def _go_on(self, place: int, relation: Relation) -> str:
        """A further relation, of a thing that was named before."""
        subject, words, thing = self._turn(place, relation)
        if relation.name in VERBS:
            subject, thing = relation.subject, relation.object
        known_first = subject in self.spoken
        if not known_first and relation.name not in VERBS:
            # Turned round, the sentence can begin with what is known.
            converse = self._words(place, relation.name, subject == relation.subject)
            subject, thing = thing, subject
            if converse is None:
                return self._say_carrying(place, subject, thing, relation.name)
            words = converse
        plural = self._many(subject)
        if relation.name in VERBS and not known_first:
            held = self._reference(thing)
            person = self._name(subject)
            self.last = subject
            return f", and {person} {VERBS[relation.name][0]} {held}"
        if subject == self.last and self._draw("who", place) < 0.6:
            who = "who" if NOUNS[self.scene.things[subject].noun].kind == "person" else "that"
            head = f" {who} {'are' if plural else 'is'}"
        else:
            head = f", and {self._reference(subject)} {'are' if plural else 'is'}"
        second = self._name(thing) if thing not in self.spoken else self._reference(thing)
        self.last = thing
        return f"{head} {relation.name if relation.name in VERBS else words} {second}"

    def _say_carrying(self, place: int, host: int, guest: int, name: RelationName) -> str:
        """What has no preposition the other way round: a table with a cup on it."""
        pronoun = "them" if self._many(host) else "it"
        short = [w for w, (n, turned) in RELATIONS.items() if n == name and not turned and " " not in w]
        words = self._one(short, "words", place)
        reference = self._reference(host)
        guest_name = self._name(guest)
        self.last = guest
        be = "have" if self._many(host) else "has"
        return f", and {reference} {be} {guest_name} {words} {pronoun}"

    def _turn(self, place: int, relation: Relation) -> tuple[int, str, int]:
        """Subject, words and object of a relation as it or its converse. Of two scenes in which the relation is the
        other way round, captions name the same thing first, or the same words."""
        turned = self._draw("turned", place) < 0.4
        if self._draw("by thing", place) < 0.5 and relation.subject > relation.object:
            turned = not turned
        words = self._words(place, relation.name, turned) or self._words(place, relation.name, False)
        if words and RELATIONS[words][1]:
            return relation.object, words, relation.subject
        return relation.subject, words or relation.name, relation.object

    def _words(self, place: int, name: RelationName, turned: bool) -> str | None:
        choices = [words for words, meaning in RELATIONS.items() if meaning == (name, turned)]
        return self._one(choices, "words", place) if choices else None

    def _many(self, index: int) -> bool:
        return self.scene.things[index].count > 1

    def _verb(self, index: int, form: str) -> str:
        """How the thing is there, with a space before it: " sits", " is sitting", " running quickly", " is"."""
        thing = self.scene.things[index]
        plural = thing.count > 1
        manner = ""
        if thing.manner and self._draw("manner", index) < 0.8:
            manner = " " + self._one([w for w, m in MANNERS.items() if m == thing.manner], "manner's word", index)
        posture = thing.posture if self._draw("posture", index) < 0.8 else None
        moving = POSTURES[posture] if posture else MOVING if manner else None
        if form == "participle":
            return f" {moving[0]}{manner}" if moving else ""
        be = "are" if plural else "is"
        if moving is None:
            return f" {be}"
        if self._draw("form of verb", index) < 0.5:
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
        if thing.size != "medium" and self._draw("size", index) < 0.9:
            words.append(self._one([w for w, size in SIZES.items() if size == thing.size], "size's word", index))
        if thing.mood and self._draw("mood", index) < 0.9:
            words.append(self._one([w for w, mood in MOODS.items() if mood == thing.mood], "mood's word", index))
        looks: list[str] = []
        if thing.pattern != "plain" and self._draw("pattern", index) < 0.85:
            looks.append(thing.pattern)
        if len(noun.colours) > 1 and (twin or self._draw("colour", index) < 0.9):
            looks.append(thing.colour)
        if noun.name not in PEOPLE | HATTED:
            return self._count(index, [*words, *looks])
        named = self._count(index, words)
        if not looks:
            return named
        joined = " ".join(looks)
        if noun.name in PEOPLE:
            return f"{named} in {joined} clothes"
        return f"{named} with {joined} hats" if thing.count > 1 else f"{named} with {article(joined)} {joined} hat"

    def _count(self, index: int, adjectives: Sequence[str]) -> str:
        thing = self.scene.things[index]
        if thing.count > 1:
            all_of_them = [EXACTLY] if self._draw("exactly", index) < EXACTNESS else []
            return " ".join([*all_of_them, COUNTS[thing.count - 1], *adjectives, self._noun(index)])
        words = " ".join([*adjectives, self._noun(index)])
        return f"{article(words)} {words}"

    def _noun(self, index: int) -> str:
        """One of the thing's names, the same throughout the caption and of another such thing."""
        thing = self.scene.things[index]
        first = next(i for i, other in enumerate(self.scene.things) if other.noun == thing.noun)
        noun = NOUNS[thing.noun]
        names = [noun.plural, *noun.also_plural] if thing.count > 1 else [noun.name, *noun.also]
        return self._one(names, "noun", first)

    def _reference(self, index: int) -> str:
        """A thing that was named before: "the ball", with its colour where there is another ball."""
        thing = self.scene.things[index]
        noun = NOUNS[thing.noun]
        twins = [other for i, other in enumerate(self.scene.things) if i != index and other.noun == thing.noun]
        name = self._noun(index)
        if not twins:
            return f"the {name}"
        if noun.name in PEOPLE:
            return f"the {name} in {thing.colour}"
        return f"the {thing.colour} {name}"

    def _setting(self) -> str:
        scene = self.scene
        place = self._one([words for words, place in PLACES.items() if place == scene.place], "place")
        choice = self._draw("setting")
        if scene.place == "room":
            return place if choice < 0.6 else ""
        when = f"on {article(scene.weather)} {scene.weather} {scene.time}"
        if scene.time == "night" and self._draw("at night") < 0.25:
            when = "at night"
        if choice < 0.15:
            return ""
        return place if choice < 0.4 else when if choice < 0.65 else f"{place} {when}"
