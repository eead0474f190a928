"""The words in which captions speak of scenes: each phrase and what it means. The writer chooses among them, the
reader knows them all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import (
    Manner,
    Mood,
    Pattern,
    Place,
    Posture,
    RelationName,
    Size,
    Time,
    Weather,
)

COUNTS = ("one", "two", "three", "four", "five")

_TABLES = read_toml(Path(__file__).with_name("wordings.toml"))
SIZES: Mapping[str, Size] = _TABLES["sizes"]
MOODS: Mapping[str, Mood] = _TABLES["moods"]
PATTERNS: Mapping[str, Pattern] = _TABLES["patterns"]
MANNERS: Mapping[str, Manner] = _TABLES["manners"]
POSTURES: Mapping[str, tuple[Posture, str]] = {word: tuple(said) for word, said in _TABLES["postures"].items()}
"""The participle of a posture, and its verb in the present."""
MOVING = ("moving", "moves")
"""What a vehicle does that has a manner and no posture."""

RELATIONS: Mapping[str, tuple[RelationName, bool]] = {word: tuple(said) for word, said in _TABLES["relations"].items()}
"""A preposition, the relation that it states, and whether it states it the other way round."""

VERBS: Mapping[RelationName, tuple[str, str]] = {name: tuple(said) for name, said in _TABLES["verbs"].items()}
"""A relation that is a verb, which its name is the participle of: the verb in the present, of one and of several."""
EXACTLY = "exactly"
"""Before a number: so many and no more."""

PLACES: Mapping[str, Place] = _TABLES["places"]
WEATHERS: tuple[Weather, ...] = ("sunny", "clear", "cloudy", "rainy", "snowy", "foggy", "stormy")
TIMES: Mapping[str, Time] = {"day": "day", "evening": "evening", "night": "night"}

PEOPLE = frozenset({"boy", "girl", "man", "woman"})
"""What has the colour of its clothes: captions speak of "a girl in red clothes", never of a red girl."""
HATTED = frozenset({"snowman"})
"""What has the colour of its hat: "a snowman with a red hat"."""

ALSO = {word: noun.name for noun in NOUNS.values() for word in noun.also} | {
    word: noun.plural for noun in NOUNS.values() for word in noun.also_plural
}
"""Other names of things, and what each stands for."""
PLURALS = {noun.plural: noun.name for noun in NOUNS.values()}


def article(word: str) -> str:
    """ "an" before a vowel's sound, else "a"; for the words of this module alone.

    >>> article("orange"), article("unhappy"), article("umbrella"), article("blue")
    ('an', 'an', 'an', 'a')
    """
    return "an" if word[0] in "aeiou" else "a"
