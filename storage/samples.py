"""Pictures for a dataset card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.storage.joining import Join
from counterfoil.storage.pictures import PictureChange, change_image, open_picture
from counterfoil.storage.reading import Snapshot


@dataclass(frozen=True)
class Sample:
    """An anchor beside one of its negatives; paths are relative to the card."""

    domain: str
    picture: str
    caption: str
    family: str
    negative_picture: str | None
    negative_text: str | None


def write_samples(snapshot: Snapshot, folder: Path, change: PictureChange) -> list[Sample]:
    """Of each domain one anchor with a negative, a picture where there is one, as PNG files in ``samples/``."""
    samples = []
    for domain in snapshot.partitions("anchors"):
        families = [each for each in snapshot.partitions("contrasts") if each.partition(".")[0] == domain]
        join = Join(snapshot, families, pictured=True) if families else None
        if join is None or not join.blocks:
            continue
        (row,) = join.read(join.blocks[0].slice(0, 1), ["image", "caption"], ["image", "text"])
        negatives = row.find("negative", "image") or row.find("negative", "text")
        negative: Mapping[str, Any] = negatives[0] if negatives else {"image": None, "text": None, "family": ""}
        paths: dict[str, str] = {}
        for role, image in (("anchor", row.anchor["image"]), ("negative", negative["image"])):
            shown = change_image(image, change)
            if shown is not None:
                paths[role] = f"samples/{domain}-{role}.png"
                (folder / "samples").mkdir(exist_ok=True)
                open_picture(shown["bytes"]).save(folder / paths[role], "PNG")
        caption = row.anchor["caption"] or ""
        samples.append(
            Sample(domain, paths["anchor"], caption, negative["family"], paths.get("negative"), negative["text"])
        )
    return samples
