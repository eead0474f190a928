"""The scene graph: what is in a picture, how it looks and how it stands to the rest."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from counterfoil.storage.plain import parse_json

Size = Literal["small", "medium", "big"]
Pattern = Literal["plain", "striped", "spotted", "checked"]
Posture = Literal[
    "standing", "sitting", "lying", "sleeping", "running", "walking", "jumping", "waving", "flying", "swimming"
]
Mood = Literal["happy", "sad", "angry", "surprised"]
Manner = Literal["quickly", "slowly"]
RelationName = Literal["left_of", "above", "on", "in", "under", "behind", "holding", "chasing"]
Place = Literal[
    "meadow",
    "beach",
    "street",
    "snow",
    "desert",
    "lake",
    "room",
    "forest",
    "ploughland",
    "lavender",
    "tulips",
    "playground",
]
Weather = Literal["sunny", "clear", "cloudy", "rainy", "snowy", "foggy", "stormy"]
Time = Literal["day", "evening", "night"]

MAX_COUNT = 5


class SceneError(ValueError):
    """A scene that cannot be: names an unknown word, or relates things that are not there."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One noun of the picture; ``count`` of them, alike.

    ``posture``, ``mood`` and ``manner`` are None where the noun has none to show.
    """

    noun: str
    colour: str
    count: int = 1
    size: Size = "medium"
    pattern: Pattern = "plain"
    posture: Posture | None = None
    mood: Mood | None = None
    manner: Manner | None = None


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """``things[subject]`` is ``name`` ``things[object]``: a dog (subject) on (name) a box (object)."""

    subject: int
    name: RelationName
    object: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture in words. Relations are those that the layout obeys; others follow from where things came."""

    things: tuple[Thing, ...]
    relations: tuple[Relation, ...]
    place: Place
    weather: Weather
    time: Time


def write_scene(scene: Scene) -> str:
    """The scene as JSON, equal for equal scenes."""
    return json.dumps(asdict(scene), ensure_ascii=False, separators=(",", ":"))


def read_scene(text: str) -> Scene:
    """The scene of `write_scene`'s text.

    Raises:
        SceneError: the text is not a scene (what is wrong with it).
    """
    try:
        data = parse_json(text)
        things = tuple(Thing(**thing) for thing in data["things"])
        relations = tuple(Relation(**relation) for relation in data["relations"])
        scene = Scene(things, relations, data["place"], data["weather"], data["time"])
    except (ValueError, TypeError, KeyError) as error:
        raise SceneError(f"not a scene: {error}") from error
    for thing in things:
        looks = {"posture": Posture, "mood": Mood, "manner": Manner}
        for name, choices in {"size": Size, "pattern": Pattern, **looks}.items():
            value = getattr(thing, name)
            if value is not None or name not in looks:
                _check(value, choices)
        if type(thing.count) is not int or not 1 <= thing.count <= MAX_COUNT:
            raise SceneError(f"a count of {thing.count}; it must be 1 to {MAX_COUNT}")
    for relation in relations:
        _check(relation.name, RelationName)
        whole = type(relation.subject) is type(relation.object) is int  # JSON's true is no number
        if not (whole and 0 <= relation.subject < len(things) and 0 <= relation.object < len(things)):
            raise SceneError(f"a relation of things that are not there: {relation}")
    for name, choices in {"place": Place, "weather": Weather, "time": Time}.items():
        _check(getattr(scene, name), choices)
    return scene


def _check(value: Any, choices: Any) -> None:
    if value not in get_args(choices):
        raise SceneError(f"{value!r} is none of {', '.join(get_args(choices))}")
