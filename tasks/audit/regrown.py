"""Anchors of rows that are made up by number are made again, and are what the table says that they are, all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain

_ELSEWHERE = frozenset(("split", "group", "provenance"))
"""What others bear on, or the run: it is worked out by itself."""
ROWS_AT_ONCE = 8


class Regrower:
    """Makes the anchors of a domain's rows again; those of the last few rows are kept, as anchors of one row lie
    side by side."""

    def __init__(self, domain: Domain[Any], context: Context[Any]) -> None:
        self._domain, self._context = domain, context
        self._make = lru_cache(ROWS_AT_ONCE)(self._make_row)

    def grow(self, anchor: Anchor) -> Anchor | None:
        """What the row of an anchor by rules, with a number, makes of this id, or at all where that is one anchor; None
        for any other."""
        try:
            made = self._make(anchor.source, anchor.source_id) if self._grows(anchor) else {}
        except ValueError:
            return None
        return made.get(anchor.anchor_id) or (next(iter(made.values())) if len(made) == 1 else None)

    def _grows(self, anchor: Anchor) -> bool:
        source = self._domain.sources.get(anchor.source)
        return source is not None and source.number is not None and anchor.provenance.author == "procedural"

    def find_difference(self, anchor: Anchor) -> Iterator[str]:
        """How an anchor by rules, of a row with a number, differs from what that row makes; nothing for any other."""
        if not self._grows(anchor):
            return
        try:
            made = self._make(anchor.source, anchor.source_id)
        except ValueError as error:
            yield f"wrong_source: {error} in {anchor.source}, by this seed"
            return
        due = made.get(anchor.anchor_id)
        if due is None:
            yield f"not_made: row {anchor.source_id} of {anchor.source} makes no such anchor"
            return
        names = [each.name for each in fields(Anchor) if each.name not in _ELSEWHERE]
        if odd := [name for name in names if getattr(due, name) != getattr(anchor, name)]:
            yield f"not_made: row {anchor.source_id} of {anchor.source} makes another {', '.join(odd)}"

    def _make_row(self, kind: str, source_id: str) -> Mapping[str, Anchor]:
        source = self._domain.sources[kind]
        assert source.number is not None
        row = source.number(source_id, self._context.settings, self._context.seed)
        made = source.make_anchors(row, self._context)
        return {each.anchor_id: each for each in made if isinstance(each, Anchor)}
