"""What the making of one row may take: beyond it the row is a reject with its reason, and the others go on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The bounds of a domain's rows. They can decide what is made: raise a version where they change."""

    offers: int = 10_000
    """Candidates and rejects that a maker may yield of one anchor, or anchors of one source row: ``endless``."""
    row_bytes: int = 16 << 20
    """Bytes of one row's texts and pictures: ``too_large``."""
    kept_bytes: int = 256 << 20
    """Bytes of all that one anchor's maker offers and that must be kept, rejects too: ``too_much``."""
    seconds: float = 600.0
    """Wall-clock time for one anchor's contrasts (or one source row's anchors) with their checks: ``too_long``. Rows
    that wait for a language model's answers are bounded by their author's own limits instead."""


BOUNDS = Bounds()
"""Of a domain that names none."""
