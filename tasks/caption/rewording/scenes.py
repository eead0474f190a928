"""Captions of scenes in other words, and what they claim by the reader of scenes, which knows all that they may say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from counterfoil.storage.rows import Edit
from counterfoil.tasks.caption.rewording.claims import Claims
from counterfoil.tasks.caption.rewording.phrases import Reworded
from counterfoil.tasks.caption.scenes.language.read import Reading
from counterfoil.tasks.caption.scenes.language.wordings import (
    MANNERS,
    MOODS,
    PLACES,
    RELATIONS,
    SIZES,
    WEATHERS,
    article,
)

_WORDS: tuple[Mapping[str, object], ...] = (SIZES, MOODS, MANNERS, PLACES)
_WHEN = re.compile(rf"(?:at night|on an? (?:{'|'.join(WEATHERS)}) (?:day|evening|night))")


def claim_scene(reading: Reading) -> Claims:
    """What a caption of a scene states, as a graph."""
    names = [
        " ".join(map(str, (m.count, m.exactly, m.noun, m.colour, m.size, m.pattern, m.posture, m.mood, m.manner)))
        for m in reading.mentions
    ]
    names.append(f"{reading.place} {reading.weather} {reading.time}")
    edges = sorted({(each.subject, each.name, each.object) for each in reading.relations})
    return Claims(tuple(names), tuple(edges))


def reword_scene(text: str) -> Iterator[Reworded]:
    """The caption with its setting first or last, with a relation from the other side, or with a word for another."""
    yield from _move_setting(text)
    yield from _turn(text)
    for words in (*_WORDS, RELATIONS):
        yield from _exchange(text, words)


def _move_setting(text: str) -> Iterator[Reworded]:
    """ "On a beach, a cat sits on a box." and "A cat sits on a box on a beach." """
    stop = "." if text.endswith(".") else ""
    bare = text.removesuffix(".")
    place = "|".join(sorted(PLACES, key=len, reverse=True))
    setting = rf"(?:(?:{place})(?: {_WHEN.pattern})?|{_WHEN.pattern})"
    if found := re.fullmatch(rf"({setting}), (.*)", bare, re.IGNORECASE):
        words, rest = found[1], found[2]
        joint = ", " if "," in rest else " "
        yield Reworded(_begin(f"{rest}{joint}{_lower(words)}{stop}"), Edit("front", words, rest))
    elif found := re.fullmatch(rf"(.*?),? ({setting})", bare):
        yield Reworded(_begin(f"{found[2]}, {_lower(found[1])}{stop}"), Edit("front", found[1], found[2]))


def _turn(text: str) -> Iterator[Reworded]:
    """A caption of one relation, told of the other thing."""
    stop = "." if text.endswith(".") else ""
    for words, (name, turned) in RELATIONS.items():
        parts = text.removesuffix(".").split(f" {words} ")
        others = [other for other, (n, t) in RELATIONS.items() if n == name and t != turned]
        if len(parts) != 2 or not others:
            continue
        first, second = parts
        place = re.search(rf" ({'|'.join(sorted(PLACES, key=len, reverse=True))}|{_WHEN.pattern})", second)
        second, tail = (second[: place.start()], second[place.start() :]) if place else (second, "")
        if "," in first + second or tail.startswith(","):
            continue
        be = re.search(r" (is|are)$", first)
        there = re.match(r"there (is|are) ", first, re.IGNORECASE)
        thing = first[: be.start()] if be else first[there.end() :] if there else first
        for other in others:
            verb = (
                ("are " if second.split()[0] in ("two", "three", "four", "five", "exactly") else "is ")
                if be or there
                else ""
            )
            said = f"there {verb}{second} {other}" if there else f"{second} {verb}{other}"
            yield Reworded(_begin(f"{said} {_lower(thing)}{tail}{stop}"), Edit("mirror", words, other))


def _exchange(text: str, words: Mapping[str, object]) -> Iterator[Reworded]:
    for word in sorted(words, key=len, reverse=True):
        for found in re.finditer(rf"\b{word}\b", text, re.IGNORECASE):
            for other, meaning in words.items():
                if meaning != words[word] or other == word:
                    continue
                head, tail = text[: found.start()], text[found.end() :]
                before = re.search(r"\b(an?) $", head, re.IGNORECASE)
                if before:
                    head = head[: before.start()] + _like(before[1], article(other)) + " "
                yield Reworded(head + _like(found[0], other) + tail, Edit("synonym", word, other))


def _like(model: str, word: str) -> str:
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
