"""``*.negation``: what is there and what is not, said together ("a dog and no cat"); in closed worlds alone.

All rows of an anchor stand beside one true text, which states one thing and denies another. What is stated and what is
denied are exchanged, alone and together, so that the true text is one member of a product like the others, and no
centre of it (`counterfoil.tasks.contract.worlds`). Each text denies something: that it does tells nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from counterfoil.storage.rows import DENIED, STATED, Anchor, Contrast, Edit, Reject
from counterfoil.tasks.beside.making import BesideMaker
from counterfoil.tasks.beside.statements import (
    SPARE,
    Foil,
    Statements,
    check_exchanged,
    check_kind,
    count_rows,
    differ,
    draft,
    read_beside,
    say_none,
)
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft
from counterfoil.tasks.contract.verdict import Checks
from counterfoil.tasks.contract.wording import same_words
from counterfoil.tasks.contract.worlds import draw_world

_DENIALS = 12
"""Foils whose denial may be the true text's."""
WHOLE = (STATED, DENIED)
"""Edits that name whole statements: what the true text states or denies, and what the false one does in its place."""


@dataclass(frozen=True)
class _World:
    denial: Foil
    true: str
    rows: list[Draft]
    tilt: int
    """Rows of which what is stated and what is denied share words at other places than in the true text: of a chart
    whose arrows follow each other, "from A to B, none from B to C" would be known for false."""


class Maker(BesideMaker):
    """Products of what is stated and what is denied, of worlds that are closed."""

    none = "no statement of the anchor can stand beside the denial of another's foil"

    def make(self, anchor: Anchor, context: Context[Any]) -> Iterator[Candidate | Reject]:
        """All that is proposed; nothing of an open world."""
        if self._is_open(anchor):
            yield say_none(self.name, anchor, "the world is open: what the anchor does not show may be there")
            return
        yield from super().make(anchor, context)

    def sample(self, anchor: Anchor, rng: np.random.Generator, count: int, context: Context[Any]) -> Sequence[Draft]:
        """The same, drawn anew."""
        return () if self._is_open(anchor) else super().sample(anchor, rng, count, context)

    def _is_open(self, anchor: Anchor) -> bool:
        return self.wording.deny is None or not self.wording.closed(anchor)

    def _propose(self, anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> Iterator[Draft]:
        statements = Statements(self.wording, anchor, context, rng)
        wanted = count_rows(context.settings)
        denials = list(islice(self._list_denials(statements), _DENIALS))
        narrow: list[Draft] = []
        made: set[str] = set()
        offered = 0
        for foils in statements.list_places(wanted) if denials else ():
            worlds = [self._cross(stated, denial, wanted, rng) for denial, stated in self._match(foils, denials)]
            worlds = [world for world in worlds if world.true not in made]
            if not worlds:
                continue
            world = min(worlds, key=lambda world: world.tilt)
            denials.remove(world.denial)
            denials.append(world.denial)
            made.add(world.true)
            rows = world.rows
            if len(rows) < wanted:
                narrow += rows
                continue
            yield from rows
            offered += 1
            if offered > SPARE:
                return
        if not offered:
            yield from narrow[: SPARE * wanted]

    def _list_denials(self, statements: Statements) -> Iterator[Foil]:
        """Foils that are denied, and the true statements of which they are; of each statement one, then another."""
        assert self.wording.deny is not None
        waiting = [statements.find_foils(each, without=self.wording.undenied) for each in statements.list_true()]
        while waiting:
            waiting, turn = [], waiting
            for foils in turn:
                foil = next(foils, None)
                if foil is not None:
                    waiting.append(foils)
                    if self.wording.deny(foil.true) is not None and self.wording.deny(foil.false) is not None:
                        statements.use(foil)
                        yield foil

    def _match(self, foils: Sequence[Foil], denials: Sequence[Foil]) -> list[tuple[Foil, list[Foil]]]:
        """What may be denied beside these foils, and those of them with which it goes: as many as there can be."""
        found: list[tuple[Foil, list[Foil]]] = []
        for denial in denials:
            both = (denial.true, denial.false)
            if all(self._differ(foils[0].true, each) for each in both):
                stated = [foil for foil in foils if all(self._differ(foil.false, each) for each in both)]
                found += [(denial, stated)] if stated else []
        most = max((len(stated) for _, stated in found), default=0)
        return [each for each in found if len(each[1]) == most]

    def _differ(self, stated: str, denied: str) -> bool:
        """Whether what is denied does not follow from what is stated: a text that denies itself needs no picture."""
        if self.wording.follows is not None:
            return not self.wording.follows(stated, denied)
        names = self.wording.names(denied)
        return differ(stated, denied) and not (names and names <= self.wording.names(stated))

    def _cross(self, foils: Sequence[Foil], denial: Foil, wanted: int, rng: np.random.Generator) -> _World:
        """Rows that state another thing than the true text, deny another, or both."""
        first = bool(rng.integers(2))
        draw = random.Random(int(rng.integers(2**32)))
        true = self._write(foils[0].true, denial.false, first)
        shapes: Counter[frozenset[tuple[bool, bool]]] = Counter()
        rows = []
        for stated, denied in draw_world([1 + len(foils), 2], 1 + wanted, draw)[1:]:
            x = foils[stated - 1].false if stated else foils[0].true
            y = denial.true if denied else denial.false
            edits = [Edit(STATED, foils[0].true, x), Edit(DENIED, denial.false, y)]
            if denied:
                edits.insert(0, _turn(denial.edit))
            if stated:
                edits.insert(0, foils[stated - 1].edit)
            rows.append(draft(self._write(x, y, first), true, *edits))
            shapes[_shape(x, y)] += 1
        own = _shape(foils[0].true, denial.false)
        return _World(denial, true, rows, len(rows) - shapes[own])

    def _write(self, stated: str, denied: str, first: bool) -> str:
        """A text; the denial stands ``first`` or last."""
        assert self.wording.deny is not None
        denial = self.wording.deny(denied) or ""
        return self.wording.join([denial, stated] if first else [stated, denial])

    def find_pairs(self, contrast: Contrast) -> list[tuple[str, str]]:
        """True and false statements that differ by one exchange."""
        stated, denied = (_find_whole(contrast.edits, kind) for kind in WHOLE)
        pairs = [(stated.target, stated.replacement), (denied.replacement, denied.target)]
        return [(true, false) for true, false in pairs if true != false]

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """Both texts are read, what they deny too; one is true, the other false."""
        closed = self.wording.deny is not None and self.wording.closed(anchor)
        checks.require("world_closed", closed, "what the anchor does not show may be there")
        text, beside, edits = read_beside(checks, contrast)
        named = all(sum(edit.kind == kind for edit in edits) == 1 for kind in WHOLE)
        checks.require("denied_named", named, "the row does not name the one thing it states and the one it denies")
        stated, denied = (_find_whole(edits, kind) for kind in WHOLE)
        denials = {each: (self.wording.deny or str)(each) for each in (denied.target, denied.replacement)}
        checks.require("denies", None not in denials.values(), "what the row names cannot be denied")
        written = [
            (
                self._write(stated.target, denied.target, first),
                self._write(stated.replacement, denied.replacement, first),
            )
            for first in (False, True)
        ]
        held = any(same_words(beside, true) and same_words(text, false) for true, false in written)
        checks.require("of_one_fact", held, lambda: f"{beside!r} and {text!r} say something else than is named")
        self._check_exchanges(checks, stated, denied, edits, anchor, context)
        found = {
            each: self.wording.judge(each, anchor, context)
            for each in (stated.target, stated.replacement, denied.target, denied.replacement)
        }
        checks.require("judged", None not in found.values(), "a text of the row is shown neither true nor false")
        true = found[stated.target] is True and found[denied.target] is False
        checks.require("beside_true", true, lambda: f"{beside!r} is not true of the anchor")
        false = found[stated.replacement] is False or found[denied.replacement] is True
        checks.require("false_of_anchor", false, lambda: f"{text!r} is true of the anchor")
        for one in (stated.target, stated.replacement):
            for other in (denied.target, denied.replacement):
                checks.require("possible", self._differ(one, other), lambda: f"{text!r} or its like denies itself")
        possible = self.wording.possible(stated.replacement, anchor, context)
        checks.require("possible", possible, lambda: f"no picture is as {stated.replacement!r} says")

    def _check_exchanges(
        self, checks: Checks, stated: Edit, denied: Edit, edits: Sequence[Edit], anchor: Anchor, context: Context[Any]
    ) -> None:
        """What the row exchanges is what its edits name, each an exchange that the domain makes."""
        others = [edit for edit in edits if edit.kind not in WHOLE]
        changed = [each for each in (stated, denied) if each.target != each.replacement]
        checks.require(
            "one_exchange",
            len(others) == len(changed),
            lambda: f"{len(others)} exchanges are named, and {len(changed)} made",
        )
        for whole, edit in zip(changed, others, strict=True):
            check_exchanged(checks, whole.target, whole.replacement, [edit])
            # Of what is denied the true statement is the new one: its exchange is made the other way.
            before, made = (whole.target, edit) if whole is stated else (whole.replacement, _turn(edit))
            counted = whole is denied and made.kind in self.wording.undenied
            checks.require("number_denied", not counted, "it hangs on a number that may be a part of another")
            check_kind(checks, before, [made], self.wording, anchor, context)


def _shape(stated: str, denied: str) -> frozenset[tuple[bool, bool]]:
    """Whether words that both have stand in the later half of the one, and of the other.

    >>> sorted(_shape("from A to B", "off B to C"))
    [(True, False), (True, True)]
    """
    one, other = (
        {word.strip(".,;?"): 2 * at >= len(words) for at, word in reversed([*enumerate(words)])}
        for words in (stated.split(), denied.split())
    )
    return frozenset((late, other[word]) for word, late in one.items() if word in other)


def _turn(edit: Edit) -> Edit:
    return Edit(edit.kind, edit.replacement, edit.target)


def _find_whole(edits: Sequence[Edit], kind: str) -> Edit:
    return next((edit for edit in edits if edit.kind == kind), Edit(kind, "", ""))
