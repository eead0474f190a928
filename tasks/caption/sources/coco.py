"""COCO in Karpathy's JSON: pictures with five sentences each, and their split."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from counterfoil.storage.plain import parse_json
from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.files import open_source
from counterfoil.tasks.caption.sources.records import make_reject, make_row, read_record, take
from counterfoil.tasks.contract.domain import SourceError, SourceRow

_SPLITS = {"restval": "train"}
"""Karpathy's extra training pictures, from COCO's validation set."""


def read_karpathy(path: str, _settings: CaptionSettings, _seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """The rows of a ``dataset_coco.json`` (also Flickr30k's and Flickr8k's).

    Raises:
        SourceError: no such file, or it is not of that form.
    """
    file = open_source(path, "coco:PATH")
    try:
        data = parse_json(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("images"), list):
        raise SourceError(f"{path}: not Karpathy's form: it has no list 'images' (COCO's own files: use pairs:PATH)")
    yield from take((_read(i, image) for i, image in enumerate(data["images"])), limit)


def _read(index: int, image: object) -> SourceRow | Reject:
    where = f"images[{index}]"
    if not isinstance(image, dict) or not isinstance(image.get("filename"), str) or not image["filename"]:
        return make_reject(where, "bad_record: no 'filename'", json.dumps(image))
    if not isinstance(image.get("sentences"), list):
        return make_reject(where, "no_caption: no list 'sentences'", json.dumps(image))
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
    if isinstance(found, Reject):
        return found
    record = replace(found, split=_SPLITS.get(found.split, found.split))
    return make_row("coco", record)
