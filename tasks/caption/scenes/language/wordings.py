"""The words in which captions speak of scenes: each phrase and what it means. The writer chooses among them, the
reader knows them all."""

from __future__ import annotations

from types import MappingProxyType

from tasks.caption.scenes.catalogue import NOUNS
from tasks.caption.scenes.graph import Manner, Mood, Pattern, Place, Posture, RelationName, Size, Time, Weather

COUNTS = ("one", "two", "three", "four", "five")

SIZES: MappingProxyType[str, Size] = MappingProxyType(
    {"big": "big", "large": "big", "huge": "big", "small": "small", "little": "small", "tiny": "small"}
)
MOODS: MappingProxyType[str, Mood] = MappingProxyType(
    {"happy": "happy", "cheerful": "happy", "sad": "sad", "unhappy": "sad", "angry": "angry", "surprised": "surprised"}
)
PATTERNS: MappingProxyType[str, Pattern] = MappingProxyType(
    {"striped": "striped", "spotted": "spotted", "checked": "checked", "plain": "plain"}
)
MANNERS: MappingProxyType[str, Manner] = MappingProxyType({"quickly": "quickly", "fast": "quickly", "slowly": "slowly"})

POSTURES: MappingProxyType[str, tuple[Posture, str]] = MappingProxyType(
    {
        "standing": ("standing", "stands"),
        "sitting": ("sitting", "sits"),
        "lying": ("lying", "lies"),
        "sleeping": ("sleeping", "sleeps"),
        "running": ("running", "runs"),
        "walking": ("walking", "walks"),
        "jumping": ("jumping", "jumps"),
        "waving": ("waving", "waves"),
        "flying": ("flying", "flies"),
        "swimming": ("swimming", "swims"),
    }
)
"""The participle of a posture, and its verb in the present."""
MOVING = ("moving", "moves")
"""What a vehicle does that has a manner and no posture."""

RELATIONS: MappingProxyType[str, tuple[RelationName, bool]] = MappingProxyType(
    {
        "to the left of": ("left_of", False),
        "to the right of": ("left_of", True),
        "above": ("above", False),
        "below": ("above", True),
        "on": ("on", False),
        "on top of": ("on", False),
        "in": ("in", False),
        "inside": ("in", False),
        "under": ("under", False),
        "underneath": ("under", False),
        "behind": ("behind", False),
        "in front of": ("behind", True),
    }
)
"""A preposition, the relation that it states, and whether it states it the other way round."""

PLACES: MappingProxyType[str, Place] = MappingProxyType(
    {
        "in a meadow": "meadow",
        "on a grassy field": "meadow",
        "on a beach": "beach",
        "at the beach": "beach",
        "on a street": "street",
        "in a city": "street",
        "on snowy ground": "snow",
        "on a snowy field": "snow",
        "in a desert": "desert",
        "on a lake": "lake",
        "in a room": "room",
    }
)
WEATHERS: tuple[Weather, ...] = ("sunny", "clear", "cloudy", "rainy", "snowy", "foggy", "stormy")
TIMES: MappingProxyType[str, Time] = MappingProxyType({"day": "day", "evening": "evening", "night": "night"})

PEOPLE = frozenset({"boy", "girl", "man", "woman"})
"""What has the colour of its clothes: captions speak of "a girl in red clothes", never of a red girl."""
HATTED = frozenset({"snowman"})
"""What has the colour of its hat: "a snowman with a red hat"."""

PLURALS = MappingProxyType({noun.plural: noun.name for noun in NOUNS.values()})


def article(word: str) -> str:
    """ "an" before a vowel's sound, else "a"; for the words of this module alone.

    >>> article("orange"), article("unhappy"), article("umbrella"), article("blue")
    ('an', 'an', 'an', 'a')
    """
    return "an" if word[0] in "aeiou" else "a"
