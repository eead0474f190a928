"""``*.negation``: what is there denied, beside what is not there denied; in closed worlds alone.

Of four rows in a row two have a denial on either side, one has it on the false side alone, one on the true side alone:
that a text denies something tells nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.beside.making import BesideMaker
from counterfoil.tasks.beside.statements import (
    Foil,
    Statements,
    check_exchanged,
    check_kind,
    draft,
    read_beside,
    say_none,
)
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft
from counterfoil.tasks.contract.verdict import Checks

DENIED = "denied"
"""The kind of the edit that names a statement, as its target, and its denial."""
SHAPES = ("both", "false", "joined", "true")
"""On which side a row denies; ``joined``: each side states one thing and denies another."""


class Maker(BesideMaker):
    """Rows of each shape in turns, of worlds that are closed."""

    none = "no statement of the anchor can be denied beside a foil"

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
        at = int(rng.integers(len(SHAPES)))
        waiting = [statements.find_foils(each, without=self.wording.undenied) for each in statements.list_true()]
        while waiting:
            waiting, turn = [], waiting
            for foils in turn:
                foil = next(foils, None)
                if foil is None:
                    continue
                waiting.append(foils)
                made = self._draft(foil, SHAPES[at % len(SHAPES)])
                if made is not None:
                    at += 1
                    statements.use(foil)
                    yield made

    def _draft(self, foil: Foil, shape: str) -> Draft | None:
        deny, join = self.wording.deny, self.wording.join
        assert deny is not None
        no_true, no_false = deny(foil.true), deny(foil.false)
        if no_true is None or no_false is None:
            return None
        false, true = {
            "both": (no_true, no_false),
            "false": (no_true, foil.true),
            "true": (foil.false, no_false),
            "joined": (join([foil.false, no_true]), join([foil.true, no_false])),
        }[shape]
        return draft(false, true, foil.edit, Edit(DENIED, foil.true, foil.false))

    def find_pair(self, contrast: Contrast) -> tuple[str, str]:
        """The true and the false text that differ by the one exchange."""
        named = next((edit for edit in contrast.edits if edit.kind == DENIED), Edit(DENIED, "", ""))
        return named.target, named.replacement

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """Both texts are read, what they deny too; one is true, the other false."""
        closed = self.wording.deny is not None and self.wording.closed(anchor)
        checks.require("world_closed", closed, "what the anchor does not show may be there")
        text, beside, edits = read_beside(checks, contrast)
        named = [edit for edit in edits if edit.kind == DENIED]
        checks.require("denied_named", len(named) == 1, "the row does not name what it denies, and its foil")
        check_exchanged(checks, named[0].target, named[0].replacement, edits, (DENIED,))
        counted = self.wording.undenied.intersection(edit.kind for edit in edits)
        checks.require(
            "number_denied", not counted, lambda: f"{text!r} hangs on a number that may be a part of another"
        )
        check_kind(checks, named[0].target, edits, self.wording, anchor, context)
        parts = [part for each in (text, beside) for part in self.wording.split(each)]
        affirmed = [self.wording.affirm(part) for part in parts]
        checks.require("denies", any(each is not None for each in affirmed), "neither text denies anything")
        known = {named[0].target, named[0].replacement}
        stated = {part if each is None else each for part, each in zip(parts, affirmed, strict=True)}
        checks.require("of_one_fact", stated <= known, lambda: f"it speaks of {sorted(stated - known)} as well")
        stated_true = self.wording.judge(named[0].target, anchor, context)
        foiled = self.wording.judge(named[0].replacement, anchor, context)
        checks.require(
            "foil_false", stated_true is True and foiled is False, "the statement is not true, or its foil is"
        )
        found = {each: self._judge(each, anchor, context) for each in (text, beside)}
        checks.require("judged", None not in found.values(), "a text of the row is shown neither true nor false")
        checks.require("false_of_anchor", found[text] is False, lambda: f"{text!r} is true of the anchor")
        checks.require("beside_true", found[beside] is True, lambda: f"{beside!r} is not true of the anchor")

    def _judge(self, text: str, anchor: Anchor, context: Context[Any]) -> bool | None:
        """Whether all that a text states holds and all that it denies does not."""
        values = []
        for part in self.wording.split(text):
            affirmed = self.wording.affirm(part)
            held = self.wording.judge(part if affirmed is None else affirmed, anchor, context)
            values.append(held if affirmed is None or held is None else not held)
        return False if False in values else None if None in values else True
