"""In what two scenes differ, and what of a scene a caption states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from counterfoil.storage.rows import Edit
from counterfoil.tasks.caption.scenes.graph import Relation, Scene
from counterfoil.tasks.caption.scenes.language.read import Mention, Reading
from counterfoil.tasks.caption.scenes.language.wordings import COUNTS, RELATIONS, VERBS

LOOKS = ("colour", "size", "pattern", "posture", "mood", "manner")
SETTINGS = ("place", "weather", "time")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        kind: object, attribute, count, relation or holder.
        where: ("thing", number, field), ("relation", number) or ("setting", field).
    """

    kind: str
    where: tuple[object, ...]
    edit: Edit


def compare_scenes(before: Scene, after: Scene) -> list[Difference]:
    """In what two scenes of equally many things and relations differ, thing by thing and then relation by relation."""
    return [*_compare_things(before, after), *_compare_relations(before, after), *_compare_settings(before, after)]


def find_stated(reading: Reading, scene: Scene) -> set[tuple[object, ...]] | None:
    """What of the scene a caption states, as `Difference.where` names it (a number where it says that these are all);
    None where the scene is not as it says."""
    setting = {("setting", name) for name in SETTINGS if getattr(reading, name) is not None}
    if any(getattr(reading, name) != getattr(scene, name) for _, name in setting):
        return None
    for chosen in permutations(range(len(scene.things)), len(reading.mentions)):
        if all(_fits(mention, scene, index) for mention, index in zip(reading.mentions, chosen, strict=True)):
            told = [Relation(chosen[r.subject], r.name, chosen[r.object]) for r in reading.relations]
            if all(relation in scene.relations for relation in told):
                looks = {
                    ("thing", index, name)
                    for mention, index in zip(reading.mentions, chosen, strict=True)
                    for name in ("noun", *(["count"] if mention.exactly else []), *LOOKS)
                    if getattr(mention, name) is not None
                }
                return setting | looks | {("relation", scene.relations.index(relation)) for relation in told}
    return None


def _fits(mention: Mention, scene: Scene, index: int) -> bool:
    thing = scene.things[index]
    stated = ((getattr(mention, look), getattr(thing, look)) for look in LOOKS)
    return (thing.noun, thing.count) == (mention.noun, mention.count) and all(
        said in (None, fact) for said, fact in stated
    )


def _compare_things(before: Scene, after: Scene) -> Iterator[Difference]:
    for number, (old, new) in enumerate(zip(before.things, after.things, strict=True)):
        if old.noun != new.noun:
            yield Difference("object", ("thing", number, "noun"), Edit("replace_obj", old.noun, new.noun))
        if old.count != new.count:
            words = COUNTS[old.count - 1], COUNTS[new.count - 1]
            yield Difference("count", ("thing", number, "count"), Edit("replace_count", *words))
        for look in LOOKS:
            was, now = getattr(old, look), getattr(new, look)
            if was != now:
                edit = Edit("replace_att", str(was or "none"), str(now or "none"))
                yield Difference("attribute", ("thing", number, look), edit)


def _compare_relations(before: Scene, after: Scene) -> Iterator[Difference]:
    for number, (old, new) in enumerate(zip(before.relations, after.relations, strict=True)):
        if old == new:
            continue
        told = _say(old, before), _say(new, after)
        if old.name == new.name and old.name in VERBS:
            yield Difference("holder", ("relation", number), Edit("swap_holder", *told))
        elif old.name == new.name and (old.subject, old.object) == (new.object, new.subject):
            yield Difference("relation", ("relation", number), Edit("swap_rel", *told))
        else:
            yield Difference("relation", ("relation", number), Edit("replace_rel", *told))


def _compare_settings(before: Scene, after: Scene) -> Iterator[Difference]:
    for name in SETTINGS:
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            kind = "object" if name == "place" else "attribute"
            yield Difference(kind, ("setting", name), Edit(f"replace_{kind[:3]}", was, now))


def _say(relation: Relation, scene: Scene) -> str:
    """ "cup on table"."""
    words = next((w for w, meaning in RELATIONS.items() if meaning == (relation.name, False)), relation.name)
    return f"{scene.things[relation.subject].noun} {words} {scene.things[relation.object].noun}"
