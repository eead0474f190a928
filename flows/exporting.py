"""`counterfoil export`: the dataset with a card that says how each family was made."""

from __future__ import annotations

from pathlib import Path

from storage.dataset import Dataset
from storage.export import Exported, Progress, export
from tasks.engine.history import find_run
from tasks.engine.registry import DOMAIN_MODULES, load_domain


def export_with_card(
    url: str,
    to: Path,
    format: str,
    *,
    rotate: float | None,
    scale: float | None,
    rejects: bool,
    progress: Progress = lambda *_: None,
) -> Exported:
    """`storage.export.export` with the families' descriptions, and the title and licence of the recipe.

    Raises:
        StorageError: the dataset cannot be read, the format is unknown, or the folder is not empty.
    """
    dataset = Dataset(url)
    section = find_run(dataset)["recipe"]["dataset"]
    domains = [load_domain(name) for name in DOMAIN_MODULES]
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
        licence=None if section.get("licence", "unknown") == "unknown" else section["licence"],
        descriptions=descriptions,
        title=section.get("title") or None,
        progress=progress,
    )
