"""A scene changed as its caption was: the words that differ say which thing, relation or setting is another."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import permutations

from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import Relation, Scene, Thing
from counterfoil.tasks.caption.scenes.language.read import Mention, Reading

_LOOKS = ("count", "colour", "size", "pattern", "posture", "mood", "manner")


class EditError(ValueError):
    """The change cannot be made in the scene; the message says why."""


def edit_scene(scene: Scene, before: Reading, after: Reading) -> Scene:
    """``scene``, of which a caption stated ``before``, so that it states ``after``; all else is kept.

    Raises:
        EditError: the captions speak of other numbers of things, or a thing cannot look as it should.
    """
    if len(before.mentions) != len(after.mentions) or len(before.relations) != len(after.relations):
        raise EditError("the captions do not speak of the same number of things")
    chosen = _match(scene, before)
    things = list(scene.things)
    for old, new, index in zip(before.mentions, after.mentions, chosen, strict=True):
        if old != new:
            things[index] = _change_thing(things[index], old, new)
    relations = list(scene.relations)
    for was, now in zip(before.relations, after.relations, strict=True):
        if was != now:
            relations[relations.index(_map(was, chosen))] = _map(now, chosen)
    return Scene(
        tuple(things),
        tuple(relations),
        after.place if after.place != before.place and after.place else scene.place,
        after.weather if after.weather != before.weather and after.weather else scene.weather,
        after.time if after.time != before.time and after.time else scene.time,
    )


def _match(scene: Scene, reading: Reading) -> tuple[int, ...]:
    """Which thing each mention names."""
    for chosen in permutations(range(len(scene.things)), len(reading.mentions)):
        fits = all(_fits(m, scene.things[i]) for m, i in zip(reading.mentions, chosen, strict=True))
        if fits and all(_map(relation, chosen) in scene.relations for relation in reading.relations):
            return chosen
    raise EditError("the caption does not state what the scene holds")


def _fits(mention: Mention, thing: Thing) -> bool:
    stated = {name: getattr(mention, name) for name in _LOOKS if getattr(mention, name) is not None}
    return mention.noun == thing.noun and all(getattr(thing, name) == value for name, value in stated.items())


def _map(relation: Relation, chosen: tuple[int, ...]) -> Relation:
    return Relation(chosen[relation.subject], relation.name, chosen[relation.object])


def _change_thing(thing: Thing, old: Mention, new: Mention) -> Thing:
    changed = {
        field.name: getattr(new, field.name)
        for field in fields(Mention)
        if getattr(old, field.name) != getattr(new, field.name) and getattr(new, field.name) is not None
    }
    edited = replace(thing, **changed)
    noun = NOUNS[edited.noun]
    if edited.colour not in noun.colours:
        if new.colour is not None:
            raise EditError(f"no {edited.noun} is drawn {edited.colour}")
        edited = replace(edited, colour=noun.colours[0])
    if edited.pattern != "plain" and not noun.patterned:
        raise EditError(f"no {edited.noun} is drawn {edited.pattern}")
    if edited.mood and not noun.moods:
        raise EditError(f"no {edited.noun} is drawn {edited.mood}")
    if edited.manner and not noun.hurries:
        raise EditError(f"no {edited.noun} is drawn moving {edited.manner}")
    if edited.posture not in noun.postures:
        if new.posture is not None:
            raise EditError(f"no {edited.noun} is drawn {edited.posture}")
        edited = replace(edited, posture=noun.postures[0] if noun.postures else None)
    return edited
