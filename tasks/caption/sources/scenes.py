"""Scenes of our own, without end and seeded, so that everything runs with no photograph, no key and no network."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.contract.domain import SourceRow, read_number

SCENES = "procedural"


def read_scenes(count: str, _: CaptionSettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """So many scenes, by number; what is in the i-th does not depend on the count."""
    number = int(count) if limit is None else min(int(count), limit)
    for i in range(number):
        yield make_row(f"procedural-{seed}-{i:06d}", seed)


def make_row(source_id: str, seed: int) -> SourceRow:
    """The row of a scene's id.

    Raises:
        ValueError: no scene has it.
    """
    return SourceRow(SCENES, source_id, "", {"scene": read_number(source_id, f"procedural-{seed}-{{:06d}}")})
