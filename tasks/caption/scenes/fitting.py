"""What can stand how to what: which relations two things may have, whatever they have now.

The answer depends on the two things and the place alone: where a cup may be on a table and under it, the one scene is
as good an origin of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from counterfoil.tasks.caption.scenes.assets import has_skeleton
from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.graph import Place, Relation, RelationName, Scene, Thing
from counterfoil.tasks.caption.scenes.layout import LayoutError, lay_out
from counterfoil.tasks.caption.scenes.thing import measure_thing

SEATS = frozenset({"bench", "bed", "sofa", "chair", "sled", "rock", "log", "rug"})
"""What people are on."""
BORNE: tuple[RelationName, ...] = ("on", "in", "under", "behind", "above")
"""Relations by which one thing has its place from the other."""
LEAST_BESIDE = 30
"""Pixels that a thing must have, to be seen beside another."""
_UPRIGHT = frozenset({"sitting", "lying", "sleeping"})


@cache
def find_pixels(noun: Noun) -> tuple[float, float]:
    """Width and height of the upright noun in a 336 px picture, at medium size."""
    box = measure_thing(noun.name, noun.postures[0] if noun.postures else None, None)
    return box.width * noun.scale, -box.y0 * noun.scale


@cache
def stands_alone(noun: Noun, place: Place) -> bool:
    """Whether it is seen well with nothing that bears it."""
    if noun.hangs or noun.name in ("kite", "airplane", "butterfly"):
        return False
    if place == "lake":
        return "lake" in noun.places
    # What is held or small is lost on a large ground.
    return noun.grip is None and max(find_pixels(noun)) >= 44


@cache
def may_host(noun: Noun, name: RelationName, place: Place) -> bool:
    """Whether things may be ``name`` the noun."""
    if place == "lake" and name not in ("on", "in", "under", "above"):
        return False
    return {
        "on": noun.top is not None,
        "in": noun.hollow is not None,
        "under": noun.shelter is not None,
        "behind": noun.covers,
        "above": not noun.flies and not noun.hangs and noun.grip is None and stands_alone(noun, place),
        "holding": noun.kind == "person" and noun.name != "snowman",
        "chasing": has_skeleton(noun.name, "beast"),
    }.get(name, False)


@cache
def may_join(guest: Noun, host: Noun, name: RelationName) -> bool:
    """Whether the guest may be ``name`` such a host (of holding: in its hand)."""
    person = guest.kind == "person"
    loose = guest.kind in ("animal", "object", "food") or guest.name in ("flower", "pumpkin", "mushroom")
    height = find_pixels(guest)[1]
    if name == "on":
        fits = host.top is not None and height <= host.top.tallest
        seated = host.name in SEATS and guest.name != "snowman"
        return fits and (seated if person else loose and guest.hollow is None and guest.grip not in ("string", "pole"))
    if name == "in":
        if host.name == "vase":
            return guest.name == "flower"
        if host.name == "bowl":
            return guest.kind == "food" or guest.name == "fish"
        fits = host.hollow is not None and height <= host.hollow.tallest
        return fits and (loose or (person and host.name in ("boat", "bathtub", "wagon") and guest.name != "snowman"))
    if name == "under":
        return (loose and not guest.flies) or guest.name in ("boat", "duck")
    if name == "behind":
        return person or guest.kind == "animal" or guest.covers or guest.name in ("tree", "house", "tent")
    if name == "above":
        return guest.flies or (guest.hangs and host.name in ("sofa", "bed", "table", "chair"))
    if name == "chasing":
        return has_skeleton(guest.name, "beast")
    return guest.grip is not None


def list_relations(scene: Scene, number: int) -> list[Relation]:
    """All that the relation of this number may be, as far as it can be laid out.

    Who holds a thing may be another person. Two things that may stand otherwise to each other are beside each other in
    one order alone, and not at all where they may be in two other ways; else most relations would be left and right.
    """
    own = scene.relations[number]
    found = [
        each for each in _list_possible(scene, own) if each == own or can_lay_out(put_relation(scene, number, each))
    ]
    near = [each for each in found if each.name != "left_of"]
    beside = [each for each in found if each.name == "left_of" and (not near or each.subject < each.object)]
    return near if len(near) > 1 else [*near, *beside] or [own]


def put_relation(scene: Scene, number: int, relation: Relation) -> Scene:
    """The scene with another relation in the place of one."""
    relations = list(scene.relations)
    relations[number] = relation
    return replace(scene, relations=tuple(relations))


def can_lay_out(scene: Scene) -> bool:
    try:
        lay_out(scene, np.random.default_rng(0))
    except LayoutError:
        return False
    return True


def _list_possible(scene: Scene, own: Relation) -> Iterator[Relation]:
    if own.name == "holding":
        yield from (
            Relation(person, "holding", own.object)
            for person, thing in enumerate(scene.things)
            if may_host(NOUNS[thing.noun], "holding", scene.place) and thing.posture not in ("lying", "sleeping")
        )
        return
    pair = (own.subject, own.object)
    for a, b in (pair, pair[::-1]):
        if own.name == "chasing":
            yield Relation(a, "chasing", b)
            continue
        subject, thing = scene.things[a], scene.things[b]
        if all(_can_stand(each, scene.place) for each in (subject, thing)):
            yield Relation(a, "left_of", b)
        yield from (Relation(a, name, b) for name in BORNE if _can_bear(subject, name, thing, scene.place))


def _can_stand(thing: Thing, place: Place) -> bool:
    noun = NOUNS[thing.noun]
    return place in noun.places and not noun.hangs and max(find_pixels(noun)) >= LEAST_BESIDE


def _can_bear(guest: Thing, name: RelationName, host: Thing, place: Place) -> bool:
    a, b = NOUNS[guest.noun], NOUNS[host.noun]
    if host.count > 1 or (name == "behind" and guest.count > 1):
        return False
    if not may_host(b, name, place) or not may_join(a, b, name):
        return False
    if (guest.posture == "flying") != (name == "above" and a.flies and bool(a.postures)):
        return False
    if host.posture in _UPRIGHT and (b.kind == "person" or name in ("on", "behind")):
        return False
    return not (name in ("behind", "in") and guest.posture in _UPRIGHT)
