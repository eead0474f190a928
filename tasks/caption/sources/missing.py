"""Sources whose pictures are not on this disk: their captions alone are read, and that is said."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath

from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow

TRIED = 50
"""Pictures that are looked for before a source counts as one without. Single ones that are missing are rejects."""


def read_with_pictures(
    rows: Iterator[SourceRow | Reject | Remark], source: Path, images: str | None, least: int = 1
) -> Iterator[SourceRow | Reject | Remark]:
    """The rows; without their pictures where none of the first `TRIED` that are named by a path is there, and by its
    last part alone where all pictures lie in one folder. Of a source that names fewer than ``least`` each is looked
    for by itself.

    Raises:
        SourceError: ``images`` is named, and none of them is in it.
    """
    base = Path(images) if images else (source if source.is_dir() else source.parent)
    held: list[SourceRow | Reject | Remark] = []
    named: list[str] = []
    for row in rows:
        held.append(row)
        if isinstance(row, SourceRow) and (row.payload["picture"] or {}).get("file"):
            named.append(row.payload["picture"]["file"])
        if len(named) == TRIED or len(held) == 20 * TRIED:
            break
    flat = False
    if len(named) >= least and not any(_is_there(base, name) for name in named):
        flat = any(_is_there(base, PurePosixPath(name).name) for name in named)
        if not flat and images:
            raise SourceError(
                f"{source}: none of the first {len(named)} pictures that it names is in images = {images!r} (such as "
                f"{named[0]}): name their folder, or leave `images` out to read the captions alone"
            )
        if not flat:
            yield Remark(
                f"none of the first {len(named)} pictures that {source.name} names is in {str(base)!r} (such as "
                f"{named[0]}): its captions alone are read; [caption] images = FOLDER names where pictures are"
            )
            yield from (_drop(row) for row in chain(held, rows))
            return
    yield from (_flatten(row) if flat else row for row in chain(held, rows))


def _is_there(base: Path, name: str) -> bool:
    try:
        return os.path.lexists(base / name)  # what is there and no picture is a reject
    except (OSError, ValueError):
        return False  # a name that no file can have: its row is a reject


def _drop(row: SourceRow | Reject | Remark) -> SourceRow | Reject | Remark:
    if not isinstance(row, SourceRow) or "file" not in (row.payload["picture"] or {}):
        return row
    return replace(row, payload={**row.payload, "picture": None})


def _flatten(row: SourceRow | Reject | Remark) -> SourceRow | Reject | Remark:
    if not isinstance(row, SourceRow) or "file" not in (row.payload["picture"] or {}):
        return row
    name = PurePosixPath(row.payload["picture"]["file"]).name
    return replace(row, payload={**row.payload, "picture": {"file": name}})
