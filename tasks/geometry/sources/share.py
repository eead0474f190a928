"""How much of a source of problems became anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """How many rows of a source became anchors. ``reasons`` counts the rejects by code."""

    rows: int
    anchors: int
    reasons: Mapping[str, int]

    @property
    def consistent(self) -> int:
        """Rows whose stated facts can be read and can hold together."""
        return self.rows - sum(self.reasons.get(code, 0) for code in INCONSISTENT)

    def __str__(self) -> str:
        if not self.reasons:
            return f"{self.anchors:,} anchors of {self.rows:,} rows"
        reasons = ", ".join(f"{code} {count}" for code, count in sorted(self.reasons.items(), key=lambda p: -p[1]))
        of = self.consistent
        share = f", {self.anchors / of:.1%} of the {of:,} rows whose stated facts are consistent" if of else ""
        return f"{self.anchors:,} anchors of {self.rows:,} rows{share}; set aside: {reasons}"


INCONSISTENT = ("bad_row", "unreadable_statement", "nothing_drawn", "stated_facts")
"""Reject codes of rows that contradict themselves or cannot be read."""
