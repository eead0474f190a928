"""``*.halftruth``: a true text, and the same with one detail more that is false (CS-CLIP's half-truths).

Of every other row the true text is the longer one, so that length tells nothing. Each row names its control, the text
with the detail as it is: true, and equal to the false one but for one word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.beside.making import BesideMaker
from counterfoil.tasks.beside.statements import (
    Statements,
    check_exchanged,
    check_false,
    check_kind,
    check_true,
    differ,
    draft,
    read_beside,
)
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.verdict import Checks
from counterfoil.tasks.contract.wording import Longer, exchange

CONTROL = "control"
"""The kind of the edit that names, as its target, the true text that differs from the row's by the exchange alone."""


class Maker(BesideMaker):
    """Longer falsehoods and shorter ones in turns."""

    none = "no true text of the anchor can be made longer by a detail that has a foil"

    def _propose(self, anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> Iterator[Draft]:
        statements = Statements(self.wording, anchor, context, rng)
        first = bool(rng.integers(2))
        turns = [self._draft_all(statements, shorter, rng) for shorter in (first, not first)]
        # As many of the one as of the other, but for one: where the one has no more, neither has.
        while True:
            for drafts in turns:
                made = next(drafts, None)
                if made is None:
                    return
                yield made

    def _draft_all(self, statements: Statements, shorter: bool, rng: np.random.Generator) -> Iterator[Draft]:
        for each in self._lengthen(statements, rng):
            made = self._draft(statements, each, shorter)
            if made is not None:
                yield made

    def _lengthen(self, statements: Statements, rng: np.random.Generator) -> Iterator[Longer]:
        lengthen = self.wording.lengthen
        own = lengthen(statements.anchor, statements.context, rng) if lengthen is not None else None
        if own is not None:
            # A part of a caption that is left out is more wherever it stands.
            yield from (
                each
                for each in own
                if each.detail not in self.wording.split(each.long) or differ(each.detail, each.short)
            )
            return
        true = statements.list_true()
        for step in range(1, len(true)):
            for at, detail in enumerate(true):
                short = true[(at + step) % len(true)]
                if not differ(detail, short) or self.wording.repeats(detail, short):
                    continue
                # A true statement beside another may still be read otherwise ("the ball" of two).
                whole = self.wording.join([short, detail])
                if statements.judge(whole) is True:
                    yield Longer(short, whole, detail)

    def _draft(self, statements: Statements, longer: Longer, shorter: bool) -> Draft | None:
        """One row; where it is the shorter text that is false, the whole is the true one."""
        if shorter:
            # The short text is false: it loses what it says, and the long one says it and more.
            for foil in statements.find_foils(longer.short):
                statements.use(foil)
                return draft(foil.false, longer.long, foil.edit, Edit(CONTROL, longer.short, foil.false))
            return None
        for foil in statements.find_foils(longer.long, longer.detail):
            # What is exchanged stands in the detail.
            within = exchange(longer.detail, foil.edit)
            if any(longer.long.replace(longer.detail, each, 1) == foil.false for each in within):
                statements.use(foil)
                return draft(foil.false, longer.short, foil.edit, Edit(CONTROL, longer.long, foil.false))
        return None

    def find_pairs(self, contrast: Contrast) -> list[tuple[str, str]]:
        """The true and the false text that differ by the one exchange."""
        control = next((edit.target for edit in contrast.edits if edit.kind == CONTROL), "")
        return [(control, contrast.text or "")]

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """The control is true and differs by one exchange; of control and true text, one is the other and more."""
        text, beside, edits = read_beside(checks, contrast)
        controls = [edit for edit in edits if edit.kind == CONTROL]
        named = len(controls) == 1 and controls[0].replacement == text
        checks.require("control_named", named, "the row does not name its one control")
        control = controls[0].target
        check_exchanged(checks, control, text, edits, (CONTROL,))
        check_kind(checks, control, edits, self.wording, anchor, context)
        short, long = sorted((control.split(), beside.split()), key=len)
        more = len(short) < len(long) and _holds(short, long)
        checks.require("one_says_more", more, lambda: f"neither of {control!r} and {beside!r} is the other and more")
        for each in (beside, control):
            check_true(checks, each, self.wording, anchor, context)
        check_false(checks, text, self.wording, anchor, context)


def _holds(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the words of one stand in the other in their order, stops and case aside."""
    rest = iter([word.strip(".,;").casefold() for word in long])
    return all(word.strip(".,;").casefold() in rest for word in short)
