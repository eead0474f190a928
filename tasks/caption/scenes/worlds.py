"""The world of a scene's caption: scenes that differ in what it states, each as good an origin of the others.

A slot is one fact that the caption states (a noun, a colour, a number, how two things stand to each other, who holds
what); its values are all that the fact could as well have been. Members are combinations of a few slots' values
(`counterfoil.tasks.contract.worlds`), each with its own caption in the same words, and its own picture.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.changes import compare_scenes, find_stated
from counterfoil.tasks.caption.scenes.fitting import can_lay_out, list_relations, may_host, may_join, put_relation
from counterfoil.tasks.caption.scenes.graph import (
    Manner,
    Mood,
    Pattern,
    Posture,
    Relation,
    RelationName,
    Scene,
    Size,
    Thing,
)
from counterfoil.tasks.caption.scenes.language.read import ReadingError, read_caption
from counterfoil.tasks.caption.scenes.language.wordings import VERBS
from counterfoil.tasks.caption.scenes.language.write import write_caption
from counterfoil.tasks.contract.worlds import draw_world

WEIGHTS = {"object": 1.0, "attribute": 1.1, "count": 6.0, "beside": 0.9, "relation": 3.0, "holder": 4.0}
"""How gladly each kind of fact is changed; shared by the facts of a kind that a caption states. What two things are
only to the left or right of each other is a kind of its own, or most changes would be that."""
TRIES = 6
"""Worlds that are drawn until one has all its members."""
COUNTS = (2, 3, 4)
"""Numbers that scenes are drawn with, but for one."""
SPARE = 3
"""So many times the values that a world needs are looked for."""

Patch = Callable[[Scene], Scene]


@dataclass(frozen=True, slots=True)
class Slot:
    """A fact that a caption states; ``values`` are what it could be instead."""

    kind: str
    values: tuple[Patch, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A scene of the world and its caption."""

    scene: Scene
    caption: str


def draw_members(
    scene: Scene,
    caption: str,
    seed: int,
    size: int,
    rng: random.Random,
    is_sound: Callable[[Member], bool],
    is_seen: Callable[[Member], bool],
) -> list[Member]:
    """At most ``size`` members beside the scene itself: of several worlds that are drawn the first that is whole, else
    the one with the most.

    Args:
        seed: of the caption's words (`write_caption`).
        is_sound: whether a scene and its caption may be a member, as far as it is cheap to tell.
        is_seen: whether it may; asked of those alone that were drawn.
    """
    stated = find_stated(read_caption(caption), scene)
    if stated is None:
        return []

    def form(patches: Sequence[Patch]) -> Member | None:
        changed = scene
        for patch in patches:
            changed = patch(changed)
        found = _form(changed, seed)
        if found is None or not {each.where for each in compare_scenes(scene, changed)} <= stated & found[1]:
            return None
        return found[0] if is_sound(found[0]) else None

    slots = list(_list_slots(scene, stated))
    for slot_number, slot in enumerate(slots):
        values = rng.sample(slot.values, len(slot.values))
        slots[slot_number] = replace(slot, values=tuple(_take(values, SPARE * size, form)))
    slots = [slot for slot in slots if slot.values]
    kinds = Counter(slot.kind for slot in slots)
    best: list[Member] = []
    for _ in range(TRIES):
        world = draw_world(
            [1 + len(slot.values) for slot in slots],
            size + 1,
            rng,
            [WEIGHTS[slot.kind] / kinds[slot.kind] for slot in slots],
        )
        chosen = (
            [slot.values[value - 1] for slot, value in zip(slots, member, strict=True) if value] for member in world[1:]
        )
        members = [member for patches in chosen if (member := form(patches)) and is_seen(member)]
        if len(members) > len(best):
            best = members
        if len(best) == len(world) - 1:
            break
    return best[:size]


def _take(values: Sequence[Patch], most: int, form: Callable[[Sequence[Patch]], Member | None]) -> Iterator[Patch]:
    """The values that can be alone."""
    found = 0
    for value in values:
        if found < most and form([value]) is not None:
            found += 1
            yield value


def _form(scene: Scene, seed: int) -> tuple[Member, set[tuple[object, ...]]] | None:
    """The scene with its caption, and what of it that states; None where the one cannot be drawn or the other read."""
    if not all(map(_is_drawn, scene.things)) or not can_lay_out(scene):
        return None
    caption = write_caption(scene, seed)
    try:
        stated = find_stated(read_caption(caption), scene)
    except ReadingError:
        return None
    return None if stated is None else (Member(scene, caption), stated)


def _is_drawn(thing: Thing) -> bool:
    """Whether the noun is drawn so."""
    noun = NOUNS[thing.noun]
    return (
        thing.colour in noun.colours
        and (thing.pattern == "plain" or noun.patterned)
        and (thing.mood is None or noun.moods)
        and (thing.manner is None or noun.hurries)
        and (thing.posture in noun.postures if noun.postures else thing.posture is None)
    )


def _list_slots(scene: Scene, stated: set[tuple[object, ...]]) -> Iterator[Slot]:
    for number, thing in enumerate(scene.things):
        facts: list[tuple[str, str, Sequence[Any]]] = [
            ("noun", "object", _list_nouns(scene, number)),
            ("count", "count", [count for count in COUNTS if count != thing.count] if thing.count > 1 else []),
            *((look, "attribute", values) for look, values in _list_looks(thing).items()),
        ]
        for name, kind, values in facts:
            if ("thing", number, name) in stated and values:
                yield Slot(kind, tuple(_set_field(number, name, value) for value in values))
    for number, relation in enumerate(scene.relations):
        if ("relation", number) in stated:
            others = [each for each in list_relations(scene, number) if each != relation]
            beside = {each.name for each in (relation, *others)} == {"left_of"}
            kind = "holder" if relation.name in VERBS else "beside" if beside else "relation"
            yield Slot(kind, tuple(_set_relation(number, each) for each in others))


def _list_looks(thing: Thing) -> dict[str, Sequence[str]]:
    """What else the thing could look like, of each look that it has."""
    noun = NOUNS[thing.noun]
    known: dict[str, Sequence[str]] = {
        "colour": noun.colours,
        "size": get_args(Size) if thing.size != "medium" else (),
        "pattern": get_args(Pattern) if thing.pattern != "plain" else (),
        "mood": get_args(Mood) if thing.mood else (),
        "manner": get_args(Manner) if thing.manner else (),
        "posture": _list_postures(noun, thing.posture),
    }
    neutral = ("plain", "medium", getattr(thing, "posture", None))
    return {
        look: [value for value in values if value not in (getattr(thing, look), *neutral)]
        for look, values in known.items()
    }


def _list_postures(noun: Noun, own: Posture | None) -> Sequence[str]:
    return noun.postures if own not in ("flying", "swimming") else ()


def _list_nouns(scene: Scene, number: int) -> list[str]:
    """Nouns of a kind that could be there instead, each drawn as this one is."""
    thing = scene.things[number]
    used = {each.noun for each in scene.things}
    own = NOUNS[thing.noun]
    borne = any(r.name != "left_of" and number in (r.subject, r.object) for r in scene.relations)
    return [
        noun.name
        for noun in NOUNS.values()
        if noun.kind == own.kind
        and noun.name not in used
        and (borne or scene.place in noun.places)
        and (scene.place in noun.places or scene.place not in own.places)
        and _is_drawn(replace(thing, noun=noun.name))
        and all(_may_relate(scene, relation, number, noun) for relation in scene.relations)
    ]


def _may_relate(scene: Scene, relation: Relation, number: int, noun: Noun) -> bool:
    """Whether the relation can be with the noun in the place of the thing of this number."""
    if number not in (relation.subject, relation.object):
        return True
    a, b = (
        noun if index == number else NOUNS[scene.things[index].noun] for index in (relation.subject, relation.object)
    )
    name: RelationName = relation.name
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
