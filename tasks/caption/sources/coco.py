"""COCO in Karpathy's JSON: pictures with five sentences each, and their split."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from storage.rows import Reject
from tasks.caption.settings import CaptionSettings
from tasks.caption.sources.records import Record, make_reject, make_row, take
from tasks.contract.domain import SourceError, SourceRow

_SPLITS = {"restval": "train"}
"""Karpathy's extra training pictures, from COCO's validation set."""


def read_karpathy(path: str, settings: CaptionSettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """The rows of a ``dataset_coco.json`` (also Flickr30k's and Flickr8k's).

    Raises:
        SourceError: no such file, or it is not of that form.
    """
    file = Path(path)
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SourceError(f'{path}: {error.strerror}: give [caption] source = "coco:PATH" an existing file') from error
    except ValueError as error:
        raise SourceError(f"{path}: not JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("images"), list):
        raise SourceError(f"{path}: not Karpathy's form: it has no list 'images' (COCO's own files: use pairs:PATH)")
    yield from take((_read(i, image, settings, seed) for i, image in enumerate(data["images"])), limit)


def _read(index: int, image: object, settings: CaptionSettings, seed: int) -> SourceRow | Reject:
    where = f"images[{index}]"
    if not isinstance(image, dict) or not isinstance(image.get("filename"), str):
        return make_reject(where, "bad_record: no 'filename'", json.dumps(image))
    sentences = image.get("sentences")
    if not isinstance(sentences, list):
        return make_reject(where, "no_caption: no list 'sentences'", json.dumps(image))
    texts = tuple(str(each.get("raw", "")) for each in sentences if isinstance(each, dict))
    path = PurePosixPath(str(image.get("filepath") or ""), image["filename"])
    split = str(image.get("split") or "")
    record = Record(image["filename"], texts, {"file": str(path)}, _SPLITS.get(split, split))
    return make_row("coco", record, settings.test_share, seed)
