"""Scenes made up: plausible, laid out, and full of what can be told apart.

Choices are near uniform and independent of each other, so that no word of a caption foretells another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TypeVar

import numpy as np

from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.fitting import (
    can_lay_out,
    find_pixels,
    may_host,
    may_join,
    stands_alone,
)
from counterfoil.tasks.caption.scenes.graph import (
    Mood,
    Pattern,
    Place,
    Posture,
    Relation,
    RelationName,
    Scene,
    Size,
    Thing,
    Time,
    Weather,
)
from counterfoil.tasks.caption.scenes.layout import SIZES, LayoutError, find_extent
from counterfoil.tasks.caption.scenes.places import GROUNDS
from counterfoil.tasks.caption.scenes.slots import STILL, list_facts, open_slot

Choice = TypeVar("Choice")

TRIES = 20
PATIENCE = 100
"""Tries to find things for the relations that were drawn."""
PLACES: dict[Place, float] = {place: ground.share for place, ground in GROUNDS.items()}
SHAPES = {"1+1": 0.16, "2": 0.2, "2+1": 0.36, "1+2": 0.1, "1+1+1": 0.08, "2+2": 0.1}
"""Clusters from left to right: ``2`` is a pair with a relation of its own."""
PAIRS: dict[RelationName, float] = {
    "on": 0.26,
    "in": 0.16,
    "under": 0.13,
    "behind": 0.13,
    "above": 0.14,
    "holding": 0.24,
    "chasing": 0.12,
}
SEVERAL = 0.85
"""How often there is more than one of a thing of which there may be; of such scenes fewer fit a picture."""
SECOND_PERSON = 0.7
"""How often somebody else is beside a person who holds something."""
MOODS: tuple[Mood, ...] = ("happy", "sad", "angry", "surprised")
PATTERNS: tuple[Pattern, ...] = ("striped", "spotted", "checked")
TIMES: dict[Time, float] = {"day": 0.56, "evening": 0.18, "night": 0.26}
SWEEPS = 2
"""How often every fact is drawn anew."""


def sample_scene(rng: np.random.Generator) -> Scene:
    """A scene that can be laid out."""
    for _ in range(TRIES):
        # Drawn once: a thing on or under another fits a picture seldom, and would else hardly come.
        pairs = [_draw_relation(rng) if size == "2" else None for size in _pick(rng, SHAPES).split("+")]
        for _ in range(PATIENCE):
            try:
                scene = _Sampler(rng).build(pairs)
            except LayoutError:
                continue
            if can_lay_out(scene):
                return _settle(scene, rng)
    raise RuntimeError(f"no scene could be laid out in {TRIES * PATIENCE} tries")


def _settle(scene: Scene, rng: np.random.Generator) -> Scene:
    """Every fact drawn anew, evenly, from all that it could be (`slots`): what comes of such a scene by an exchange
    comes as often the other way. A value that cannot be laid out leaves the fact as it is."""
    for where in list_facts(scene) * SWEEPS:
        values = open_slot(scene, where).values
        drawn = int(rng.integers(len(values) + 1))
        if drawn:
            changed = values[drawn - 1](scene)
            scene = changed if can_lay_out(changed) else scene
    return scene


def _pick(rng: np.random.Generator, weights: dict[Choice, float]) -> Choice:
    return list(weights)[bisect_right(_add_up(tuple(weights.values())), rng.random())]


@cache
def _add_up(weights: tuple[float, ...]) -> list[float]:
    """The shares added up, as numpy's `choice` does it, which takes ten times as long."""
    shares = np.array(weights)
    sums = (shares / shares.sum()).cumsum()
    return [float(each) for each in sums / sums[-1]]


def _draw_relation(rng: np.random.Generator) -> RelationName:
    return _pick(rng, PAIRS)


def _one(rng: np.random.Generator, choices: Sequence[Choice]) -> Choice:
    if not choices:
        raise LayoutError("nothing to choose from")
    return choices[int(rng.integers(len(choices)))]


class _Sampler:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.place = _pick(rng, PLACES)
        self.time = _pick(rng, TIMES)
        weather = _one(rng, GROUNDS[self.place].weathers)
        self.weather: Weather = "clear" if weather == "sunny" and self.time != "day" else weather
        self.things: list[Thing] = []
        self.relations: list[Relation] = []
        self.here = [noun for noun in NOUNS.values() if self.place in noun.places]

    def build(self, pairs: Sequence[RelationName | None]) -> Scene:
        """A scene of these clusters from left to right: a pair of things that stand so to each other, or one thing."""
        roots = [self._single() if name is None else self._pair(name) for name in pairs]
        self.relations += [Relation(a, "left_of", b) for a, b in pairwise(roots)]
        return Scene(tuple(self.things), tuple(self.relations), self.place, self.weather, self.time)

    def _single(self) -> int:
        used = {thing.noun for thing in self.things}
        standing = [n for n in self.here if stands_alone(n, self.place)]
        if any(r.name == "holding" for r in self.relations) and self.rng.random() < SECOND_PERSON:
            people = [n for n in standing if may_host(n, "holding", self.place) and n.name not in used]
            return self._add(_one(self.rng, people), one=True, still=True)
        if self.things and self.rng.random() < 0.12:
            twins = [n for n in standing if n.name in used and len(n.colours) > 1]
            if twins:
                return self._add(_one(self.rng, twins))
        return self._add(_one(self.rng, [n for n in standing if n.name not in used]))

    def _pair(self, name: RelationName) -> int:
        """A host and its guest; the host's index."""
        used = {thing.noun for thing in self.things}
        hosts = [n for n in self.here if may_host(n, name, self.place) and n.name not in used]
        host = _one(self.rng, hosts)
        runs = name == "chasing"
        h = self._add(host, relation="chasing" if runs else None, one=True, still=True, hides=name == "behind")
        near = [*self._near(host), *([NOUNS["fish"]] if host.name in ("bowl", "bathtub") else [])]
        guests = [n for n in near if n.name not in used and n is not host and may_join(n, host, name)]
        g = self._add(_one(self.rng, guests), relation=name, host=host)
        self.relations.append(Relation(h, name, g) if name == "holding" else Relation(g, name, h))
        return h

    def _near(self, host: Noun) -> list[Noun]:
        """What may come with the host: what belongs here; and into a boat, what belongs on land."""
        if self.place != "lake" or host.hollow is None:
            return self.here
        return [n for n in NOUNS.values() if n.places & {"meadow", "street", "beach"}]

    def _add(
        self,
        noun: Noun,
        relation: RelationName | None = None,
        host: Noun | None = None,
        one: bool = False,
        still: bool = False,
        hides: bool = False,
    ) -> int:
        taken = {thing.colour for thing in self.things}
        colours = [c for c in noun.colours if c not in taken]
        colour = _one(self.rng, colours or list(noun.colours))
        thing = Thing(noun.name, colour, posture=self._posture(noun, relation, host, still))
        if noun.moods and thing.posture != "sleeping" and self.rng.random() < 0.5:
            thing = replace(thing, mood=_one(self.rng, MOODS))
        if noun.patterned and self.rng.random() < 0.3 and colour != "white":
            thing = replace(thing, pattern=_one(self.rng, PATTERNS))
        if (
            not one
            and relation not in ("holding", "behind", "chasing")
            and noun.name not in STILL
            and self.rng.random() < SEVERAL
        ):
            thing = replace(thing, count=_pick(self.rng, {2: 1.0, 3: 1.0, 4: 1.0}))
        moving = thing.posture in ("running", "walking") or noun.kind == "vehicle"
        if noun.hurries and moving and relation is None and not hides and not one and self.rng.random() < 0.35:
            thing = replace(thing, manner=_one(self.rng, ("quickly", "slowly")))
        if self.rng.random() < 0.22 and noun.name not in STILL and not (relation == "holding" and noun.grip == "hand"):
            small = thing.count == 1 and min(find_pixels(noun)) * SIZES["small"] >= 22
            sizes: tuple[Size, ...] = ("big", "small") if small else ("big",)
            thing = replace(thing, size=_one(self.rng, sizes))
            extent = find_extent(thing)
            if max(extent.width, extent.height) > 210:
                thing = replace(thing, size="medium")
        self.things.append(thing)
        return len(self.things) - 1

    def _posture(self, noun: Noun, relation: RelationName | None, host: Noun | None, bears: bool) -> Posture | None:
        """A posture that its relation allows: what is above flies, and what bears another stands."""
        allowed: set[Posture] = set(noun.postures)
        if not allowed or noun.name == "butterfly":
            return noun.postures[0] if allowed else None
        if relation == "above":
            return "flying"
        if relation == "chasing":
            return "running"
        if relation or bears or self.rng.random() < 0.6:
            allowed.discard("flying")
        if self.place == "lake" and relation in (None, "under"):
            return "swimming"
        allowed.discard("swimming")
        if bears and "standing" in allowed and noun.kind == "animal":
            return "standing"
        if (relation or bears) and noun.name != "turtle":
            allowed -= {"running", "jumping", "walking"}
        if bears and noun.kind == "person":
            allowed -= {"lying", "sleeping"}
        if relation in ("behind", "in"):
            allowed -= {"sitting", "lying", "sleeping"}
        if relation == "on" and noun.kind == "person" and host and host.name in ("chair", "rock", "sled"):
            return "sitting"
        return _one(self.rng, sorted(allowed)) if allowed else noun.postures[0]
