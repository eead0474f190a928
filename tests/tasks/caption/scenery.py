"""Scenes for tests, and what is true of them by their graph alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from counterfoil.tasks.caption.scenes.graph import Relation, Scene
from counterfoil.tasks.caption.scenes.language.read import Mention, Reading
from counterfoil.tasks.caption.scenes.language.write import write_captions
from counterfoil.tasks.caption.scenes.picture import draw_scene, paint
from counterfoil.tasks.caption.scenes.sample import sample_scene


@dataclass(frozen=True)
class Example:
    scene: Scene
    svg: str
    pixels: np.ndarray
    captions: tuple[str, ...]


@cache
def make_example(seed: int) -> Example:
    scene = sample_scene(np.random.default_rng([1, seed]))
    svg = draw_scene(scene, np.random.SeedSequence([2, seed]))
    return Example(scene, svg, paint(svg), write_captions(scene, np.random.default_rng([3, seed]), 4))


def is_stated(reading: Reading, scene: Scene) -> bool:
    """Whether the scene's graph says all that a caption states."""
    setting = (reading.place, scene.place), (reading.weather, scene.weather), (reading.time, scene.time)
    if any(stated not in (None, fact) for stated, fact in setting):
        return False
    return any(
        all(_fits(mention, scene, index) for mention, index in zip(reading.mentions, chosen, strict=True))
        and all(Relation(chosen[r.subject], r.name, chosen[r.object]) in scene.relations for r in reading.relations)
        for chosen in permutations(range(len(scene.things)), len(reading.mentions))
    )


def _fits(mention: Mention, scene: Scene, index: int) -> bool:
    thing = scene.things[index]
    looks = ("colour", "size", "pattern", "posture", "mood", "manner")
    stated = {look: getattr(mention, look) for look in looks if getattr(mention, look) is not None}
    return (thing.noun, thing.count) == (mention.noun, mention.count) and all(
        getattr(thing, look) == value for look, value in stated.items()
    )
