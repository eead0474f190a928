"""What of a scene could be otherwise: each of its facts, and the values that the fact could as well have.

Whether one value may take the place of another is decided by what both have in common, never by which of them is there:
so the scene that comes of an exchange could have come first. Scenes are made up (`sample`) by exchanges of the same
kind, and worlds (`worlds`) are drawn by them: the pictures of the ones look like those of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.fitting import list_relations, may_host, may_join, put_relation, stands_alone
from counterfoil.tasks.caption.scenes.graph import Manner, Mood, Pattern, Posture, Relation, Scene, Size, Thing
from counterfoil.tasks.caption.scenes.language.wordings import VERBS

COUNTS = (2, 3, 4)
"""Numbers that scenes are drawn with, but for one."""
STILL = frozenset({"house", "castle", "barn", "lighthouse", "windmill", "bridge", "train"})
"""Of which there is one, of its usual size."""
_MOVING = frozenset({"running", "walking", "jumping"})
_LOW = frozenset({"sitting", "lying", "sleeping"})
_LIFTED = frozenset({"flying", "swimming"})
_FIELDS = ("noun", "count", "colour", "size", "pattern", "posture", "mood", "manner")

Patch = Callable[[Scene], Scene]
Where = tuple[object, ...]
"""A fact, as `counterfoil.tasks.caption.scenes.changes.Difference` names it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A fact of a scene; ``values`` are what it could be instead."""

    kind: str
    values: tuple[Patch, ...]


def list_facts(scene: Scene) -> list[Where]:
    """Everything of a scene that could be otherwise."""
    things = [("thing", number, name) for number in range(len(scene.things)) for name in _FIELDS]
    return [*things, *(("relation", number) for number in range(len(scene.relations)))]


def open_slot(scene: Scene, where: Where) -> Slot:
    """What the fact could be instead. Whether all of it can be laid out is not asked but of relations."""
    number = where[1]
    assert isinstance(number, int)
    if where[0] == "relation":
        own = scene.relations[number]
        others = [each for each in list_relations(scene, number) if each != own]
        beside = {each.name for each in (own, *others)} == {"left_of"}
        kind = "holder" if own.name in VERBS else "beside" if beside else "relation"
        return Slot(kind, tuple(_set_relation(number, each) for each in others))
    name = str(where[2])
    kind = {"noun": "object", "count": "count"}.get(name, "attribute")
    return Slot(kind, tuple(_set_field(number, name, value) for value in _list_values(scene, number, name)))


def is_drawn(thing: Thing) -> bool:
    """Whether the noun is drawn so."""
    noun = NOUNS[thing.noun]
    return (
        thing.colour in noun.colours
        and (thing.pattern == "plain" or noun.patterned)
        and (thing.mood is None or (noun.moods and thing.posture != "sleeping"))
        and (thing.manner is None or noun.hurries)
        and (thing.posture in noun.postures if noun.postures else thing.posture is None)
    )


def _may_be(thing: Thing) -> bool:
    return is_drawn(thing) and (thing.noun not in STILL or (thing.count == 1 and thing.size == "medium"))


def _list_values(scene: Scene, number: int, name: str) -> Sequence[Any]:
    thing = scene.things[number]
    if name == "noun":
        return _list_nouns(scene, number)
    known: dict[str, Sequence[Any]] = {
        "count": COUNTS if thing.count > 1 else (),
        "colour": _list_colours(scene, number),
        "size": [size for size in get_args(Size) if size != "medium"] if thing.size != "medium" else (),
        "pattern": [each for each in get_args(Pattern) if each != "plain"] if thing.pattern != "plain" else (),
        "mood": get_args(Mood) if thing.mood else (),
        "manner": get_args(Manner) if thing.manner else (),
        "posture": _list_postures(scene, number),
    }
    found = [value for value in known[name] if value != getattr(thing, name)]
    return [value for value in found if _may_be(replace(thing, **{name: value}))]


def _list_colours(scene: Scene, number: int) -> Sequence[str]:
    """Colours that no other thing has: two that are alike cannot be exchanged."""
    taken = {thing.colour for place, thing in enumerate(scene.things) if place != number}
    thing = scene.things[number]
    return () if thing.colour in taken else [each for each in NOUNS[thing.noun].colours if each not in taken]


def _list_postures(scene: Scene, number: int) -> Sequence[Posture]:
    """What chases, flies or swims does that alone; who hurries moves, and who is on, in or behind something else moves
    no more and is no lower than it was."""
    thing = scene.things[number]
    near = {relation.name for relation in scene.relations if number in (relation.subject, relation.object)}
    if "chasing" in near or thing.posture in _LIFTED:
        return ()
    bound = thing.manner is not None or not near <= {"left_of", "holding"}
    found = [posture for posture in NOUNS[thing.noun].postures if posture not in _LIFTED]
    return [each for each in found if not bound or _rank_posture(each) == _rank_posture(thing.posture)]


def _rank_posture(posture: Posture | None) -> int:
    return 2 if posture in _MOVING else 1 if posture in _LOW else 0


def _list_nouns(scene: Scene, number: int) -> list[str]:
    """Nouns of a kind that could be there instead, each drawn as this one is."""
    thing = scene.things[number]
    used = {each.noun for each in scene.things}
    own = NOUNS[thing.noun]
    borne = any(r.name != "left_of" and number in (r.subject, r.object) for r in scene.relations)

    def stands(noun: Noun) -> tuple[bool, bool]:
        return scene.place in noun.places, borne or stands_alone(noun, scene.place)

    return [
        noun.name
        for noun in NOUNS.values()
        if noun.kind == own.kind
        and noun.name not in used
        and stands(noun) == stands(own)
        and _may_be(replace(thing, noun=noun.name))
        and all(_may_relate(scene, relation, number, noun) for relation in scene.relations)
    ]


def _may_relate(scene: Scene, relation: Relation, number: int, noun: Noun) -> bool:
    """Whether the relation can be with the noun in the place of the thing of this number."""
    if number not in (relation.subject, relation.object):
        return True
    a, b = (
        noun if index == number else NOUNS[scene.things[index].noun] for index in (relation.subject, relation.object)
    )
    name = relation.name
    if name == "left_of":
        return not noun.hangs
    host, guest = (a, b) if name == "holding" else (b, a)
    return may_host(host, name, scene.place) and may_join(guest, host, name)


def _set_field(number: int, name: str, value: Any) -> Patch:
    def patch(scene: Scene) -> Scene:
        things = list(scene.things)
        things[number] = replace(things[number], **{name: value})
        return replace(scene, things=tuple(things))

    return patch


def _set_relation(number: int, relation: Relation) -> Patch:
    return lambda scene: put_relation(scene, number, relation)
