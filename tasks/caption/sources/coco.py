"""COCO's captions: Karpathy's JSON (also Flickr30k's and Flickr8k's), and COCO's own annotation files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.files import open_source
from counterfoil.tasks.caption.sources.missing import read_with_pictures
from counterfoil.tasks.caption.sources.records import Record, make_reject, make_row, read_record, take
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow

_SPLITS = {"restval": "train"}
"""Karpathy's extra training pictures, from COCO's validation set."""
_OWN_SPLIT = re.compile(r"(train|val|test)\d{4}")
"""How COCO names the files and folders of a split: ``captions_val2017.json``."""


def read_coco(
    path: str, settings: CaptionSettings, _seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """The rows of a ``dataset_coco.json`` or of a ``captions_train2017.json``. Where none of the pictures is on disk,
    the captions alone, with a remark.

    Raises:
        SourceError: no such file, it is of another form, or `images` is named and holds none of the pictures.
    """
    file = open_source(path, "coco:PATH")
    try:
        data = parse_json(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}") from error
    images = data.get("images") if isinstance(data, dict) else None
    if not isinstance(images, list):
        raise SourceError(
            f"{path}: neither Karpathy's form nor COCO's own: it has no list 'images'. JSONL, CSV and other tables are "
            "read by pairs:PATH"
        )
    found = _read_own(data, file) if isinstance(data.get("annotations"), list) else _read_karpathy(images)
    rows = (each if isinstance(each, Reject) else make_row("coco", each) for each in found)
    yield from take(read_with_pictures(rows, Path(path), settings.images), limit)


def _read_karpathy(images: list[Any]) -> Iterator[Record | Reject]:
    for index, image in enumerate(images):
        where = f"images[{index}]"
        if not isinstance(image, dict) or not isinstance(image.get("filename"), str) or not image["filename"]:
            yield make_reject(where, "bad_record: no 'filename'", json.dumps(image))
            continue
        if not isinstance(image.get("sentences"), list):
            yield make_reject(where, "no_caption: no list 'sentences'", json.dumps(image))
            continue
        folder = image.get("filepath") or ""
        found = read_record(
            {
                "image": str(PurePosixPath(folder, image["filename"])) if isinstance(folder, str) else folder,
                "id": image["filename"],
                "captions": image["sentences"],
                "split": image.get("split"),
            },
            where,
        )
        yield found if isinstance(found, Reject) else replace(found, split=_SPLITS.get(found.split, found.split))


def _read_own(data: Mapping[str, Any], file: Path) -> Iterator[Record | Reject]:
    """COCO's own: ``images`` by id, and ``annotations`` with a caption each. The file's name says the split.

    Raises:
        SourceError: its annotations are boxes or keypoints.
    """
    annotations = data["annotations"]
    if annotations and not any(isinstance(each, dict) and "caption" in each for each in annotations):
        raise SourceError(
            f"{file}: its annotations hold no captions (boxes or keypoints?): give COCO's captions_*.json, from the "
            "same archive"
        )
    captions: dict[Any, list[Any]] = {}
    for index, each in enumerate(annotations):
        if not isinstance(each, dict) or not isinstance(each.get("image_id"), int | str):
            yield make_reject(f"annotations[{index}]", "bad_record: no 'image_id'", json.dumps(each))
            continue
        captions.setdefault(each["image_id"], []).append(each.get("caption"))
    split = _OWN_SPLIT.search(file.name)
    for index, image in enumerate(data["images"]):
        where = f"images[{index}]"
        if not isinstance(image, dict) or not isinstance(image.get("id"), int | str):
            yield make_reject(where, "bad_record: no 'id'", json.dumps(image))
            continue
        said = captions.pop(image["id"], None)
        if said is None:
            yield make_reject(where, "no_caption: no annotation has this image_id", json.dumps(image))
            continue
        yield read_record(
            {
                "image": image.get("file_name"),
                "id": image.get("file_name") or str(image["id"]),
                "captions": said,
                "split": split[1] if split else "",
            },
            where,
        )
    for unknown in captions:
        reason = "bad_record: annotations with an image_id that no image has"
        yield make_reject(f"image_id {unknown}", reason, json.dumps(captions[unknown]))
