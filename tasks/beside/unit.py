"""``*.unit``: a statement of a caption and its foil, the same with one word exchanged, false (CS-CLIP).

All rows of an anchor have one word of one statement exchanged: the true statement is then one of the values of that
place, and as near to each foil as the foils are to each other. Where no place has room for so many, the foils of a
statement at any of its places are offered, and those stay among which it stands in the middle no oftener than others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, find_beside
from counterfoil.tasks.beside.author import WRITTEN, check_written
from counterfoil.tasks.beside.making import BesideMaker
from counterfoil.tasks.beside.statements import (
    SPARE,
    Foil,
    Statements,
    check_exchanged,
    check_false,
    check_kind,
    check_true,
    count_rows,
    draft,
    read_beside,
)
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.verdict import Checks


class Maker(BesideMaker):
    """All foils of one place, then of another."""

    none = "no statement of the anchor has a foil that is shown false"

    def _propose(self, anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> Iterator[Draft]:
        statements = Statements(self.wording, anchor, context, rng)
        wanted = count_rows(context.settings)
        narrow: list[list[Foil]] = []
        offered = 0
        for foils in statements.list_places(wanted):
            if len(foils) < wanted:
                narrow.append(foils)
                continue
            yield from (draft(each.false, each.true, each.edit) for each in foils)
            offered += 1
            if offered > SPARE:
                return
        if not offered:
            yield from self._fill_up(statements, narrow, wanted)

    def _fill_up(self, statements: Statements, narrow: Sequence[list[Foil]], wanted: int) -> Iterator[Draft]:
        """Where no place has room for a whole set: all foils of one statement, then of others until there are
        enough."""
        made: dict[str, Foil] = {}
        for true in statements.list_true():
            if len(made) > wanted:
                break
            known = (foil for place in narrow for foil in place if foil.true == true)
            for foil in chain(known, statements.find_foils(true)):
                made.setdefault(foil.false, foil)
        yield from (draft(each.false, each.true, each.edit) for each in made.values())

    def find_pairs(self, contrast: Contrast) -> list[tuple[str, str]]:
        """The true and the false text that differ by the one exchange."""
        return [(find_beside(contrast.edits) or "", contrast.text or "")]

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
        """One statement with one exchange; true before it, false after."""
        text, beside, edits = read_beside(checks, contrast)
        checks.require(
            "one_statement", len(self.wording.split(beside)) == 1, "it stands beside more than one statement"
        )
        check_exchanged(checks, beside, text, edits)
        if edits[0].kind == WRITTEN:
            check_written(checks, edits[0], beside, text, contrast.provenance)
        else:
            check_kind(checks, beside, edits, self.wording, anchor, context)
        check_true(checks, beside, self.wording, anchor, context)
        check_false(checks, text, self.wording, anchor, context)
