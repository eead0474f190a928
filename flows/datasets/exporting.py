"""`counterfoil export`: the dataset with a card that says how each family was made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from counterfoil.storage import published
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.export import FORMATS, Progress, export
from counterfoil.storage.exported import Exported
from counterfoil.storage.pictures import PictureChange
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.engine.registry import load_domains
from counterfoil.tasks.sft import formats
from counterfoil.tasks.sft.asking import LeftOut, Wanted
from counterfoil.tasks.sft.data import make_instructions


def export_with_card(
    url: str,
    to: Path,
    format: str,
    *,
    rotate: float | None,
    scale: float | None,
    rejects: bool,
    grades: Sequence[str] | None = None,
    progress: Progress = lambda *_: None,
) -> Exported:
    """`counterfoil.storage.export.export` with the families' descriptions, and the title and licence of the recipe.

    Raises:
        StorageError: the dataset cannot be read, the format is unknown, or the folder is not empty.
    """
    every = (*FORMATS, *published.FORMATS, *formats.FORMATS)
    if format not in every:
        raise StorageError(f"there is no export format '{format}': use {', '.join(every)}")
    dataset = Dataset(url)
    if format in formats.FORMATS:
        if rejects:
            raise StorageError(f"--format {format} has no form for rejects: export them with --format hf")
        if grades:
            raise StorageError(f"--format {format} writes instructions, which have no grades: leave --grade out")
        return export_instructions(dataset, to, format, Wanted(), PictureChange(rotate, scale), progress)
    section = find_run(dataset)["recipe"]["dataset"]
    licence = section.get("licence", "unknown")
    if format in published.FORMATS:
        if rejects:
            raise StorageError(f"--format {format} has no form for rejects: export them with --format hf")
        return published.export_published(
            dataset,
            to,
            format,
            change=PictureChange(rotate, scale),
            grades=grades or None,
            title=section.get("title") or "",
            licence=licence,
            progress=lambda done, total: progress("anchors read", done, total),
        )
    domains = list(load_domains())
    descriptions = {
        family.name: f"{family.how} ({family.paper})" for each in domains for family in each.families.values()
    }
    return export(
        dataset,
        to,
        format,
        rotate=rotate,
        scale=scale,
        rejects=rejects,
        grades=grades or None,
        licence=None if licence == "unknown" else licence,
        descriptions=descriptions,
        tasks={each.name: each.card_tasks for each in domains},
        title=section.get("title") or None,
        progress=progress,
    )


def export_instructions(
    dataset: Dataset, to: Path, format: str, wanted: Wanted, change: PictureChange, progress: Progress
) -> Exported:
    """The dataset as instruction rows, with the title and licence of its recipe.

    Raises:
        StorageError: the dataset cannot be read or has no rows, or the folder is not empty.
    """
    section = find_run(dataset)["recipe"]["dataset"]
    snapshot, left_out = dataset.snapshot(), LeftOut()
    total = snapshot.count_rows("anchors", "contrasts")
    rows = make_instructions(snapshot, wanted, left_out, lambda done: progress("rows read", done, total))
    return formats.write_instructions(
        rows,
        to,
        format,
        change=change,
        left_out=left_out,
        title=section.get("title") or f"Instruction rows of {Path(dataset.store.url.rstrip('/')).name}",
        licence=section.get("licence", "unknown"),
    )
