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

from counterfoil.tasks.caption.scenes.changes import compare_scenes, find_stated
from counterfoil.tasks.caption.scenes.fitting import can_lay_out
from counterfoil.tasks.caption.scenes.graph import Scene
from counterfoil.tasks.caption.scenes.language.read import ReadingError, read_caption
from counterfoil.tasks.caption.scenes.language.write import write_caption
from counterfoil.tasks.caption.scenes.slots import Patch, is_drawn, list_facts, open_slot
from counterfoil.tasks.contract.worlds import draw_world

WEIGHTS = {"object": 1.0, "attribute": 1.1, "count": 6.0, "beside": 0.9, "relation": 3.0, "holder": 4.0}
"""How gladly each kind of fact is changed; shared by the facts of a kind that a caption states. What two things are
only to the left or right of each other is a kind of its own, or most changes would be that."""
TRIES = 6
"""Worlds that are drawn until one has all its members."""
SPARE = 3
"""So many times the values that a world needs are looked for."""


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

    slots = [slot for where in list_facts(scene) if where in stated and (slot := open_slot(scene, where)).values]
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
    if not all(map(is_drawn, scene.things)) or not can_lay_out(scene):
        return None
    caption = write_caption(scene, seed)
    try:
        stated = find_stated(read_caption(caption), scene)
    except ReadingError:
        return None
    return None if stated is None else (Member(scene, caption), stated)
