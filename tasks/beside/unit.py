"""``*.unit``: a statement of a caption and its foil, the same with one word exchanged, false (CS-CLIP)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, find_beside
from counterfoil.tasks.beside.making import BesideMaker
from counterfoil.tasks.beside.statements import (
    Statements,
    check_exchanged,
    check_false,
    check_true,
    draft,
    read_beside,
)
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.verdict import Checks


class Maker(BesideMaker):
    """Each statement in turn with one foil, then with others."""

    none = "no statement of the anchor has a foil that is shown false"

    def _propose(self, anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> Iterator[Draft]:
        statements = Statements(self.wording, anchor, context, rng)
        waiting = [statements.find_foils(each) for each in statements.list_true()]
        while waiting:
            waiting, turn = [], waiting
            for foils in turn:
                foil = next(foils, None)
                if foil is not None:
                    statements.use(foil)
                    waiting.append(foils)
                    yield draft(foil.false, foil.true, foil.edit)

    def find_pair(self, contrast: Contrast) -> tuple[str, str]:
        """The true and the false text that differ by the one exchange."""
        return find_beside(contrast.edits) or "", contrast.text or ""

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """One statement with one exchange; true before it, false after."""
        text, beside, edits = read_beside(checks, contrast)
        checks.require(
            "one_statement", len(self.wording.split(beside)) == 1, "it stands beside more than one statement"
        )
        check_exchanged(checks, beside, text, edits)
        check_true(checks, beside, self.wording, anchor, context)
        check_false(checks, text, self.wording, anchor, context)
