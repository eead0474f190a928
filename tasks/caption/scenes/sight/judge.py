"""Whether a caption is true of a picture: each thing that it states is looked for among what is seen.

Three answers, as a stranger would give them: true, false, or unclear (None), where some would say the one and some the
other. A positive must be true, a negative false; what is unclear serves neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations, product

import numpy as np
import scipy

from counterfoil.tasks.caption.scenes.graph import Place, Posture, RelationName, Thing, Time, Weather
from counterfoil.tasks.caption.scenes.language.read import Mention, Reading
from counterfoil.tasks.caption.scenes.language.wordings import VERBS
from counterfoil.tasks.caption.scenes.sight.backdrop import see_place, see_time, see_weather
from counterfoil.tasks.caption.scenes.sight.colours import NAMES
from counterfoil.tasks.caption.scenes.sight.likeness import (
    list_moods,
    list_patterns,
    list_postures,
    see_manner,
    tell_apart,
)
from counterfoil.tasks.caption.scenes.sight.regions import SIDE, SightError, find_regions
from counterfoil.tasks.caption.scenes.sight.relations import holds
from counterfoil.tasks.caption.scenes.sight.things import SeenThing, see_thing

ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        ("bird", "duck"),
        ("bird", "hen"),
        ("bird", "owl"),
        ("bird", "penguin"),
        ("boat", "sailboat"),
        ("box", "gift"),
        ("bag", "suitcase"),
        ("house", "barn"),
        ("gift", "suitcase"),
        ("boy", "man"),
        ("girl", "woman"),
        ("mailbox", "box"),
        ("bush", "tree"),
        ("cup", "bowl"),
        ("sled", "wagon"),
    )
)
"""Nouns of which some would use one for the other: a hen is a bird."""
_IMPLIED = frozenset(
    {
        ("cloudy", "rainy"),
        ("cloudy", "snowy"),
        ("cloudy", "stormy"),
        ("cloudy", "foggy"),
        ("rainy", "stormy"),
        ("stormy", "rainy"),
        ("foggy", "cloudy"),
        ("sunny", "clear"),
        ("clear", "sunny"),
    }
)
"""A weather that some would state (first) of a picture of another (second)."""
_BESIDE_WATER = frozenset({"lake", "beach"})
_WIDER = frozenset(
    {
        ("lying", "sleeping"),
        ("standing", "waving"),
        ("standing", "walking"),
        ("walking", "standing"),
        ("walking", "running"),
        ("running", "walking"),
    }
)
"""A posture that some would state (first) of who is in another (second): who sleeps lies."""
_OF_ANYTHING = frozenset({"standing", "sitting", "lying"})
"""What English says of things as well: a cup sits on a table, and a bird that stands sits there."""


Claim = tuple[bool | None, str, str]


@dataclass(frozen=True)
class Finding:
    """Whether a caption holds of a picture, and of the claims that do not, the first (or None)."""

    holds: bool | None
    claim: str | None = None


class Sight:
    """What is seen in a picture of a scene. Looks are measured when they are asked for, and remembered.

    Raises:
        SightError: the SVG is not one of ours, or a thing cannot be seen.
    """

    def __init__(self, svg: str, pixels: np.ndarray) -> None:
        if pixels.shape != (SIDE, SIDE, 3):
            raise SightError(f"pixels of shape {pixels.shape}; looked at are ({SIDE}, {SIDE}, 3)")
        self.pixels = pixels
        regions = find_regions(svg)
        count = max(region.thing for region in regions) + 1
        self.things = [see_thing([r for r in regions if r.thing == i], pixels) for i in range(count)]
        self._looks: dict[tuple[str, int], Thing | None] = {}
        self._relations: dict[tuple[RelationName, int, int], bool | None] = {}

    @cached_property
    def free(self) -> np.ndarray:
        """Where no thing is, nor its outline."""
        covered = np.logical_or.reduce([thing.visible for thing in self.things])
        return ~scipy.ndimage.binary_dilation(covered, iterations=3)

    @cached_property
    def place(self) -> Place | None:
        return see_place(self.pixels, self.free)

    @cached_property
    def weather(self) -> Weather | None:
        return None if self.place == "room" else see_weather(self.pixels, self.free)

    @cached_property
    def time(self) -> Time | None:
        return None if self.place == "room" else see_time(self.pixels, self.free)

    def relates(self, name: RelationName, a: int, b: int) -> bool | None:
        key = name, a, b
        if key not in self._relations:
            self._relations[key] = holds(name, self.things[a], self.things[b])
            if name == "chasing" and self._relations[key] and not (self._runs(a) and self._runs(b)):
                self._relations[key] = None
        return self._relations[key]

    def _runs(self, index: int) -> bool:
        seen = self.looks("posture", index)
        return seen is not None and seen.posture == "running"

    def looks(self, what: str, index: int) -> Thing | None:
        """The thing with the posture, mood, manner or pattern (``what``) that is seen; None: it cannot be told."""
        key = what, index
        if key not in self._looks:
            self._looks[key] = self._look(what, index)
        return self._looks[key]

    def _look(self, what: str, index: int) -> Thing | None:
        seen = self.things[index]
        region = max(seen.copies, key=lambda copy: int(copy.visible.sum()))
        holding = any(self.relates("holding", index, other) for other in range(len(self.things)) if other != index)
        thing = Thing(seen.noun.name, self._name_colour(seen))
        if what == "pattern":
            thing = self._as_seen(thing, index, "posture")
            return tell_apart(region, self.pixels, list_patterns(thing), holding)
        if what == "posture":
            return tell_apart(region, self.pixels, list_postures(thing, seen.noun.postures), holding)
        thing = self._as_seen(thing, index, "posture")
        if what == "manner":
            return see_manner(region, thing, holding)
        return tell_apart(region, self.pixels, list_moods(thing), holding)

    def _as_seen(self, thing: Thing, index: int, what: str) -> Thing:
        if len(self.things[index].noun.postures) < 2:
            postures = self.things[index].noun.postures
            return Thing(thing.noun, thing.colour, posture=postures[0] if postures else None)
        return self.looks(what, index) or thing

    def _name_colour(self, seen: SeenThing) -> str:
        """The likeliest of the noun's colours."""
        return max(seen.noun.colours, key=lambda name: seen.colours.get(name, 0.0) if name in NAMES else 0.0)


def judge(reading: Reading, sight: Sight) -> Finding:
    """Whether what a caption states is so. Mentions are matched with things in every way that the nouns allow.

    It is false where no way leaves a doubt, not even where two mentions are of one thing, or of two of its copies.
    """
    best: Finding | None = None
    for chosen in product(range(len(sight.things)), repeat=len(reading.mentions)):
        finding = _judge_match(reading, sight, chosen)
        if len(set(chosen)) < len(chosen) and finding.holds is not False:
            finding = Finding(None, "two mentions of one thing")
        if finding.holds:
            return finding
        if best is None or (finding.holds is None and best.holds is False):
            best = finding
    return best or Finding(False, f"{len(reading.mentions)} things are named, {len(sight.things)} are seen")


def list_false(reading: Reading, sight: Sight) -> set[str]:
    """What the claims are about that the picture shows to be false: object, attribute, count, relation or holder.

    Mentions are matched with things so that the fewest nouns are wrong, then the fewest claims. Two colours each of
    which is the other thing's are a holder's.
    """
    best: tuple[tuple[int, int], set[str]] | None = None
    for chosen in permutations(range(len(sight.things)), len(reading.mentions)):
        found = [kind for answer, kind, _ in _claims(reading, sight, chosen) if answer is False]
        rank = found.count("object"), len(found)
        if best is None or rank < best[0]:
            exchanged = {"attribute", "holder"} if _exchange_colours(reading, sight, chosen) else set()
            best = rank, set(found) - exchanged | exchanged - {"attribute"}
    return {"object"} if best is None else best[1]


def _exchange_colours(reading: Reading, sight: Sight, chosen: tuple[int, ...]) -> bool:
    """Whether two mentions have each other's colour."""
    said = [(each.colour, sight.things[index]) for each, index in zip(reading.mentions, chosen, strict=True)]
    return any(
        a and b and one.has_colour(a) is other.has_colour(b) is False and one.has_colour(b) and other.has_colour(a)
        for (a, one), (b, other) in combinations(said, 2)
    )


def _judge_match(reading: Reading, sight: Sight, chosen: tuple[int, ...]) -> Finding:
    """One way to match mentions with things. The nouns are asked first: most ways fail there, at no cost."""
    unclear: Finding | None = None
    for answer, _, claim in _claims(reading, sight, chosen):
        if answer is False:
            return Finding(False, claim)
        if answer is None and unclear is None:
            unclear = Finding(None, claim)
    return unclear or Finding(True)


def _claims(reading: Reading, sight: Sight, chosen: tuple[int, ...]) -> Iterator[Claim]:
    """Whether each claim is so, what it is about (`counterfoil.storage.changes`), and the claim."""
    for mention, index in zip(reading.mentions, chosen, strict=True):
        noun = sight.things[index].noun.name
        alike = frozenset((mention.noun, noun)) in ALIKE
        yield None if alike else mention.noun == noun, "object", f"a {mention.noun}"
    for mention, index in zip(reading.mentions, chosen, strict=True):
        if sight.things[index].noun.name == mention.noun:
            yield from _claims_of_looks(mention, sight, index)
    for relation in reading.relations:
        a, b = reading.mentions[relation.subject].noun, reading.mentions[relation.object].noun
        one, other = chosen[relation.subject], chosen[relation.object]
        if one == other:
            # One of several may be so to the next; alone nothing is.
            answer = None if len(sight.things[one].copies) > 1 else False
        else:
            answer = sight.relates(relation.name, one, other)
        yield answer, "holder" if relation.name in VERBS else "relation", f"{a} {relation.name} {b}"
    if reading.place:
        yield _compare_place(reading.place, sight.place), "object", f"place {reading.place}"
    if reading.weather:
        yield _compare_weather(reading.weather, sight), "attribute", f"weather {reading.weather}"
    if reading.time:
        yield _compare_time(reading.time, sight.time), "attribute", f"time {reading.time}"


def _claims_of_looks(mention: Mention, sight: Sight, index: int) -> Iterator[Claim]:
    seen = sight.things[index]
    name = mention.noun
    yield _compare_count(mention, sight, index), "count", f"{mention.count} of {name}"
    yield True if seen.is_seen() else None, "object", f"{name} in sight"
    if mention.colour:
        yield seen.has_colour(mention.colour), "attribute", f"{mention.colour} {name}"
    if mention.size:
        yield seen.has_size(mention.size), "attribute", f"{mention.size} {name}"
    if mention.pattern:
        looks = sight.looks("pattern", index)
        yield None if looks is None else looks.pattern == mention.pattern, "attribute", f"{mention.pattern} {name}"
    if mention.posture:
        yield _compare_posture(mention.posture, sight, index), "attribute", f"{mention.posture} {name}"
    if mention.mood:
        looks = sight.looks("mood", index) if seen.noun.moods else None
        yield _compare_shown(mention.mood, looks, "mood"), "attribute", f"{mention.mood} {name}"
    if mention.manner:
        yield (
            _compare_shown(mention.manner, sight.looks("manner", index), "manner"),
            "attribute",
            f"{mention.manner} {name}",
        )


def _compare_count(mention: Mention, sight: Sight, index: int) -> bool | None:
    """Where three are, two are as well: fewer than are seen is no falsehood, and no more than half a truth, unless
    the caption says that these are all."""
    own = len(sight.things[index].copies)
    alike = (mention.noun, *(noun for pair in ALIKE if mention.noun in pair for noun in pair))
    there = sum(len(thing.copies) for thing in sight.things if thing.noun.name in alike)
    if mention.exactly:
        return own == mention.count if there == own else None
    if own == mention.count:
        return True
    return False if mention.count > there else None


def _compare_posture(stated: Posture, sight: Sight, index: int) -> bool | None:
    noun = sight.things[index].noun
    if len(noun.postures) < 2:
        if stated in noun.postures:
            return True
        return None if stated in _OF_ANYTHING or not noun.postures else False
    seen = sight.looks("posture", index)
    if seen is None or seen.posture is None or (stated, seen.posture) in _WIDER:
        return None
    mammal = "lying" in noun.postures
    if stated not in noun.postures and not mammal and stated in _OF_ANYTHING:
        return None
    return seen.posture == stated


def _compare_shown(stated: str, seen: Thing | None, what: str) -> bool | None:
    """A mood or manner: what is drawn with none may be taken for any."""
    shown = None if seen is None else getattr(seen, what)
    return None if shown is None else shown == stated


def _compare_place(stated: Place, seen: Place | None) -> bool | None:
    if seen is None or (stated != seen and {stated, seen} == _BESIDE_WATER):
        return None
    return stated == seen


def _compare_time(stated: Time, seen: Time | None) -> bool | None:
    """An evening is a part of the day."""
    return None if seen is None or (stated, seen) == ("day", "evening") else stated == seen


def _compare_weather(stated: Weather, sight: Sight) -> bool | None:
    """Some call a day snowy on which snow lies."""
    seen = sight.weather
    if seen is None or (stated, seen) in _IMPLIED or (stated == "snowy" != seen and sight.place == "snow"):
        return None
    return stated == seen
