"""Contrasts in the files that others' code reads: BiVLC's table of squares, and CS-CLIP's annotations of units.

``bivlc``: a row for each negative picture that has a caption of its own (``image``, ``caption``, ``negative_caption``,
``negative_image``, ``type``, ``subtype``), in Parquet as the dataset imirandam/BiVLC has it; ``type`` is what changes,
``subtype`` the family. ``csclip``: a JSON list a split of what the training code of CS-CLIP loads: each true statement
of a ``*.unit`` family is an entity with its foils, other false captions are ``swap_negatives`` of the whole, and the
pictures lie beside them. Their loader takes the split from the picture's path.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.export import FILE_BYTES, clean_split
from counterfoil.storage.exported import Exported, describe_exported, open_target
from counterfoil.storage.grades import GRADES
from counterfoil.storage.joining import Join, Joined
from counterfoil.storage.json_files import JsonFiles
from counterfoil.storage.parquet_files import ParquetFiles
from counterfoil.storage.pictures import PictureChange
from counterfoil.storage.rows import UNVOUCHED, Image, find_beside
from counterfoil.storage.schemas import IMAGE
from counterfoil.storage.triplets import find_kind
from counterfoil.storage.webdataset import name_ending

FORMATS = ("bivlc", "csclip")
SQUARES = pa.schema(
    [
        ("image", IMAGE),
        ("caption", pa.string()),
        ("negative_caption", pa.string()),
        ("negative_image", IMAGE),
        *((name, pa.string()) for name in ("type", "subtype", "anchor_id", "contrast_id", "grade")),
    ]
)
_ANCHOR = ("anchor_id", "split", "image", "caption")
_CONTRAST = ("contrast_id", "text", "code", "image", "grade", "changes", "edits")


def export_published(
    dataset: Dataset,
    to: str | Path,
    format: str,
    *,
    change: PictureChange | None = None,
    grades: Sequence[str] | None = None,
    title: str = "",
    licence: str = "unknown",
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Exported:
    """Write the negatives of all anchors with picture and caption into the new or empty folder ``to``.

    ``grades``: those of the contrasts that are written (None: all but what nobody judged). ``progress`` is called with
    how many anchors were read since, and how many there are.

    Raises:
        StorageError: the format or a grade is unknown, the folder is not empty, no contrast has this form, or the disk
            is full.
    """
    if format not in FORMATS:
        raise StorageError(f"there is no format '{format}': use {', '.join(FORMATS)}")
    if unknown := sorted({*(grades or ())} - {*GRADES}):
        raise StorageError(f"there is no grade {unknown[0]!r}: use {', '.join(GRADES)}")
    without = UNVOUCHED if grades is None else tuple(grade for grade in GRADES if grade not in grades)
    snapshot = dataset.snapshot()
    join = Join(snapshot, snapshot.partitions("contrasts"), pictured=True, captioned=True, without=without)
    change = change or PictureChange()
    with open_target(to) as folder:
        rows = _read(join, progress)
        counts = _write_squares(folder, rows, change) if format == "bivlc" else _write_units(folder, rows, change)
        if not counts:
            raise StorageError(f"no contrast can be written as {format}: {_NEEDS[format]}")
        told = ", ".join(f"{split} {count:,}" for split, count in sorted(counts.items()))
        name = title or f"{Path(dataset.store.url.rstrip('/')).name}: hard negatives that passed their checks"
        (folder / "README.md").write_text(
            f"---\nlicense: {json.dumps(licence)}\n---\n\n# {name}\n\n{_TOLD[format]} Rows: {told}. "
            f"Pictures are {change}. Made by Counterfoil.\n",
            encoding="utf-8",
        )
    left_out = {f"anchors {reason}": count for reason, count in join.left_out.items()}
    left_out |= {f"contrasts of grade {grade}": count for grade, count in join.passed_over.items()}
    return describe_exported(to, {"rows": sum(counts.values())}, left_out)


_NEEDS = {
    "bivlc": "it takes negative pictures with a caption of their own (geometry.image, flowchart.image, caption.edit)",
    "csclip": "it takes false captions and statements of anchors with pictures (caption.unit, geometry.unit, ...)",
}
_TOLD = {
    "bivlc": "Two pictures and two captions a row, each caption true of one, with the columns of imirandam/BiVLC: "
    "`type` is what changes, `subtype` the family.",
    "csclip": "Captions, their true statements (`entities`) with proved foils (`negative_entities`), and false "
    "captions (`swap_negatives`), as the training code of CS-CLIP loads them: this folder is its `json_folder` and its "
    "`image_root`.",
}


def _read(join: Join, progress: Callable[[int, int], None]) -> Iterator[Joined]:
    for block in join.blocks:
        yield from join.read(block, _ANCHOR, _CONTRAST)
        progress(len(block), len(join))


def _write_squares(folder: Path, rows: Iterator[Joined], change: PictureChange) -> Counter[str]:
    counts: Counter[str] = Counter()
    files: dict[str, ParquetFiles] = {}
    try:
        for row in rows:
            split = clean_split(row.anchor["split"])
            squares = [each for each in row.find("negative", "image") if each["image"] and each["text"]]
            if not squares:
                continue
            if split not in files:
                files[split] = ParquetFiles(folder / "data", split, SQUARES, FILE_BYTES)
            made = [_make_square(row.anchor, each, change) for each in squares]
            files[split].write(pa.RecordBatch.from_pylist(made, schema=SQUARES))
            counts[split] += len(made)
    finally:
        for each in files.values():
            each.close()
    return counts


def _make_square(anchor: Mapping[str, Any], contrast: Mapping[str, Any], change: PictureChange) -> dict[str, Any]:
    return {
        "image": _change(anchor["image"], change),
        "caption": anchor["caption"],
        "negative_caption": contrast["text"],
        "negative_image": _change(contrast["image"], change),
        "type": "+".join(contrast["changes"] or ()) or "unmeasured",
        "subtype": contrast["family"],
        **{name: contrast[name] for name in ("contrast_id", "grade")},
        "anchor_id": anchor["anchor_id"],
    }


def _change(picture: Mapping[str, Any], change: PictureChange) -> dict[str, Any]:
    if not change.changes:
        return dict(picture)
    changed = change.apply(Image(picture["bytes"], picture["path"]))
    return {"bytes": changed.bytes, "path": changed.path}


def _write_units(folder: Path, rows: Iterator[Joined], change: PictureChange) -> Counter[str]:
    counts: Counter[str] = Counter()
    with JsonFiles(folder) as files:
        for row in rows:
            split = clean_split(row.anchor["split"])
            sample = _describe_units(row)
            if sample is None:
                continue
            sample["image_path"] = _place(folder, split, _change(row.anchor["image"], change)["bytes"])
            files.add(f"{split}.json", sample)
            counts[split] += 1
    return counts


def _describe_units(row: Joined) -> dict[str, Any] | None:
    """The sample of an anchor; None where it has no false text."""
    foils: dict[str, list[dict[str, str]]] = {}
    swaps: list[dict[str, str]] = []
    for each in row.find("negative", "text"):
        beside = find_beside(each["edits"])
        changed = "+".join(each["changes"] or ()) or each["family"]
        if each["family"].endswith(".unit") and beside:
            foils.setdefault(beside, []).append({"negative": each["text"], "change_type": changed})
        elif beside is None and find_kind(each) == "caption":
            swaps.append({"swap_type": each["family"], "negative": each["text"]})
    if not foils and not swaps:
        return None
    return {
        "sample_id": row.anchor["anchor_id"],
        "original_caption": row.anchor["caption"],
        "entities": list(foils),
        "negative_entities": foils,
        "relations": [],
        "swap_negatives": swaps,
    }


def _place(folder: Path, split: str, picture: bytes) -> str:
    """Write a picture once; its path from the folder on, which names the split."""
    name = f"images/{split}/{hashlib.sha256(picture).hexdigest()[:32]}.{name_ending(picture) or 'png'}"
    path = folder / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
    return name
