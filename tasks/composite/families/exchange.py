"""``composite.exchange``: what one caption says in the place of what the other says, and the other way round (CLIC).

Both changed captions are false of *both* halves, and the text is false however its sentences are dealt out to them.
The rows of an anchor are a world (`counterfoil.tasks.contract.crossing`): exchanges at different places, each alone and
together, so that the anchor's text is not the one in the middle.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product, zip_longest
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.composite.checks import check_alone, contradicts_both, find_false, list_pairs
from counterfoil.tasks.composite.halves import Composite, Halves, read_composite
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.crossing import find_worlds, take_turns
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.contract.wording import exchange, exchange_throughout

NAME = "composite.exchange"
JUDGED = 16
"""Exchanges of one pair of captions that are judged alone."""
WORLDS = 4
"""Worlds of an anchor that are made: that stays which tells least over the corpus."""
MOST_PAIRS = 4
"""Pairs of captions that are tried until one has as many rows as are wanted."""
THROUGHOUT = frozenset({"node"})
"""Kinds of words that are exchanged wherever they stand in a caption. A chart's sentence begins where the one before it
ended: with a box exchanged in one of two places it would not, and the rows would be known by that."""
TOLD = frozenset({"flowchart", "caption"})
"""Domains that tell by a text alone whether some picture is so. Geometry draws the half's own figure anew, which has
no point of the other's letters."""
Parts = tuple[str, str]


@dataclass(frozen=True)
class Swap:
    """One exchange across two captions, at the one of several places in each."""

    edit: Edit
    at: tuple[int, int]

    @property
    def kind(self) -> str:
        return self.edit.kind

    @property
    def place(self) -> tuple[str, str]:
        """Where it is, in both captions."""
        return self.edit.target, self.edit.replacement

    def touches(self, other: Swap) -> bool:
        """Whether one has a word in it that the other has."""
        return touch(self.edit, other.edit)

    def apply(self, parts: Parts) -> Parts | None:
        """Both captions after it; None where its places are not there."""
        said = exchange_here(parts[0], self.edit), exchange_here(parts[1], turn(self.edit))
        if any(at >= len(found) for at, found in zip(self.at, said, strict=True)):
            return None
        return said[0][self.at[0]], said[1][self.at[1]]


@dataclass(frozen=True)
class Exchange:
    """Maker and verifier."""

    halves: Halves

    def make(self, anchor: Anchor, context: Context[CompositeSettings]) -> Iterator[Candidate | Reject]:
        """The rows of some worlds, of which one's stay; where it has fewer than are wanted, why."""
        rng = context.rng(NAME, anchor.anchor_id)
        found = {
            draft.text: draft
            for world in self._find_worlds(anchor, rng, context.settings.exchanges, context, WORLDS)
            for draft in world
        }
        yield from found.values()
        if len(found) < context.settings.exchanges:
            missing = context.settings.exchanges - len(found)
            yield reject_contrast(NAME, anchor, f"no_exchange: {missing} missing: no more are false of both halves")

    def sample(
        self, anchor: Anchor, rng: np.random.Generator, count: int, context: Context[CompositeSettings]
    ) -> Sequence[Draft]:
        """A world drawn anew: of the anchor's own captions, or of others of the halves where these have more room."""
        return next(iter(self._find_worlds(anchor, rng, count, context, 1)), ())

    def _find_worlds(
        self,
        anchor: Anchor,
        rng: np.random.Generator,
        count: int,
        context: Context[CompositeSettings],
        offered: int,
    ) -> Sequence[Sequence[Draft]]:
        made = read_composite(anchor)
        best: Sequence[Sequence[Draft]] = ()
        for captions in islice(list_pairs(made), MOST_PAIRS):
            found = self._cross(captions, anchor, rng, count, context, offered)
            best = max(best, found, key=lambda worlds: max(map(len, worlds), default=0))
            if any(len(world) == count for world in best):
                break
        return best

    def _cross(
        self,
        captions: Parts,
        anchor: Anchor,
        rng: np.random.Generator,
        count: int,
        context: Context[CompositeSettings],
        offered: int,
    ) -> Sequence[Sequence[Draft]]:
        made = read_composite(anchor)
        texts: dict[tuple[Swap, ...], str] = {}

        def is_false(member: tuple[Swap, ...]) -> bool:
            parts: Parts | None = captions
            for swap in member:
                parts = parts and swap.apply(parts)
            if not parts or not self._can_be(parts, captions, made, context):
                return False
            if not self._is_false(parts, made, anchor, context):
                return False
            texts[member] = made.say(parts)
            return True

        swaps = []
        for edit in self._list_edits(captions, made, context):
            places = len(exchange_here(captions[0], edit)), len(exchange_here(captions[1], turn(edit)))
            if all(places):
                swaps.append(Swap(edit, (int(rng.integers(places[0])), int(rng.integers(places[1])))))
        good = [each for each in take_turns(swaps, JUDGED, rng) if is_false((each,))]
        drawn = random.Random(int(rng.integers(2**62)))
        return [
            [
                Draft(text=texts[member], edits=tuple(edit for swap in member for edit in (swap.edit, turn(swap.edit))))
                for member in world
            ]
            for world in find_worlds(good, count + 1, is_false, drawn, offered=offered)
        ]

    def _can_be(self, parts: Parts, captions: Parts, made: Composite, context: Context[CompositeSettings]) -> bool:
        """Whether pictures may be as both changed captions say, as far as the captions are. What no picture is like is
        known without one: a chart on whose end something follows, or that says the same twice."""
        said: list[str] = []
        own_words: list[str] = []
        for part, caption, half in zip(parts, captions, made.halves, strict=True):
            domain, own = self.halves.find(half, context)
            assert domain.wording is not None
            possible = domain.wording.possible
            if half.domain in TOLD and not possible(part, half, own) and possible(caption, half, own):
                return False
            said += domain.wording.split(part)
            own_words += domain.wording.split(caption)
        return len(said) - len(set(said)) <= len(own_words) - len(set(own_words))

    def _is_false(self, parts: Parts, made: Composite, anchor: Anchor, context: Context[CompositeSettings]) -> bool:
        if contradicts_both(self.halves, parts, made, context):
            return True
        false = not find_false(self.halves, parts, made, context)
        return false and self.halves.refutes_all(made.say(parts), anchor, context) is True

    def _list_edits(self, captions: Parts, made: Composite, context: Context[CompositeSettings]) -> list[Edit]:
        """What the first caption says, exchanged for what the second says in the same kind."""
        said, listed, decided = [], [], True
        for caption, half in zip(captions, made.halves, strict=True):
            domain, own = self.halves.find(half, context)
            assert domain.wording is not None
            decided &= domain.judges(half)
            listed.append({*domain.wording.list_edits(caption, half, own)})
            said.append(dict.fromkeys((edit.kind, edit.target) for edit in sorted(listed[-1], key=str)))
        edits = [Edit(kind, one, other) for kind, one in said[0] for same, other in said[1] if same == kind]
        return [
            edit
            for edit in edits
            if edit.target.casefold() != edit.replacement.casefold()
            and edit.target in captions[0]
            and edit.replacement in captions[1]
            # Where nobody decides, what excludes what is a table's to say.
            and (decided or (edit in listed[0] and turn(edit) in listed[1]))
        ]

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CompositeSettings]) -> None:
        """Exchanges at different places, false of both halves however the text is read."""
        text = check_alone(checks, contrast)
        made = read_composite(anchor)
        parts = find_parts(made, text, contrast.edits)
        checks.require("edits_seen", parts is not None, "it is not the anchor's captions with the exchanges named")
        assert parts is not None
        if contradicts_both(self.halves, parts, made, context):
            checks.require("contradicts_halves", True, "")
            checks.grade = "contradicts"
            return
        why = find_false(self.halves, parts, made, context)
        checks.require("false_of_both", not why, why)
        false = self.halves.refutes_all(text, anchor, context)
        checks.require("false_however_read", false is True, "dealt out to the halves otherwise, it is not shown false")

    def measure(self, contrast: Contrast, anchor: Anchor, context: Context[CompositeSettings]) -> set[str]:
        """What differs of each half, by its own domain's measure."""
        made = read_composite(anchor)
        parts = find_parts(made, contrast.text or "", contrast.edits)
        if parts is None:
            raise CheckError("edits_seen: it is not the anchor's captions with the exchanges named")
        changed: set[str] = set()
        for text, half in zip(parts, made.halves, strict=True):
            domain, own = self.halves.find(half, context)
            changed |= measure_half(domain, text, half, own)
        return changed


def turn(edit: Edit) -> Edit:
    """The exchange as the other caption sees it."""
    return Edit(edit.kind, edit.replacement, edit.target)


def touch(one: Edit, other: Edit) -> bool:
    """Whether two exchanges speak of one word, or of one within the other."""
    pairs = product(*((edit.target.casefold(), edit.replacement.casefold()) for edit in (one, other)))
    return any(first in second or second in first for first, second in pairs)


def exchange_here(text: str, edit: Edit) -> tuple[str, ...]:
    """The texts with one exchanged for the other: in one place each or, of some kinds, in all."""
    if edit.kind not in THROUGHOUT:
        return exchange(text, edit)
    new = exchange_throughout(text, edit)
    return (new,) if new != text else ()


def find_parts(made: Composite, text: str, edits: Sequence[Edit]) -> Parts | None:
    """What a text says of each half, where it is two captions of them with the exchanges that are named, one after the
    other and of different words; else None."""
    swaps = edits[::2]
    if not swaps or any(other != turn(one) for one, other in zip_longest(swaps, edits[1::2])):
        return None
    if any(one.target == one.replacement for one in swaps) or any(touch(*pair) for pair in combinations(swaps, 2)):
        return None
    for captions in list_pairs(made):
        sides: list[list[str]] = [[captions[0]], [captions[1]]]
        for edit in swaps:
            sides = [
                list(dict.fromkeys(new for old in side for new in (*exchange(old, own), *exchange_here(old, own))))
                for side, own in zip(sides, (edit, turn(edit)), strict=True)
            ]
        for one, other in product(*sides):
            if made.say((one, other)) == text:
                return one, other
    return None


def measure_half(domain: Any, text: str, half: Anchor, own: Context[Any]) -> set[str]:
    """What a false text has wrong of a half."""
    wrong = domain.wording.changes(text, half, own) if domain.wording.changes is not None else None
    if wrong is None:
        row = Contrast(half.anchor_id, "", "negative", "text", text=text)
        wrong = domain.changes(row, half, own)
    return set(wrong)


def describe_exchanges(halves: Halves) -> tuple[Family[CompositeSettings], ...]:
    """The families' entries."""
    one = Exchange(halves)
    family = Family[CompositeSettings](
        NAME,
        "negative",
        "text",
        paper="CLIC",
        how="words, numbers, letters or labels exchanged across the captions of two pictures in one, false of both",
        make=one.make,
        verify=checked(one.verify),
        count=lambda settings: settings.exchanges,
        spare=lambda settings: (WORLDS - 1) * settings.exchanges,
        version=7,
        uses=("exchanges", "sections"),
        changes=one.measure,
        sample=one.sample,
    )
    return (family,)
