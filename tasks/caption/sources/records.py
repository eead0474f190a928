"""One captioned picture of a source, and what every reader makes of it: clean captions, a split, a row or a reject."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from storage.rows import Reject
from tasks.contract.domain import SourceRow

MAX_CAPTION = 2000
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Record:
    """A row as a reader finds it.

    ``picture`` says where the picture is, as plain data: ``{"file": path}`` relative to the source,
    ``{"tar": path, "member": name, "offset": i, "size": n}`` or ``{"parquet": path, "group": i, "row": i,
    "column": name}``; None: text alone.
    """

    source_id: str
    captions: tuple[str, ...]
    picture: Mapping[str, Any] | None
    split: str = ""


def make_row(kind: str, record: Record, test_share: float, seed: int) -> SourceRow | Reject:
    """The record as a source row, its captions without stray spaces and repetitions; a reject where none is left."""
    captions = tuple(dict.fromkeys(filter(None, map(clean, record.captions))))
    if not captions:
        return make_reject(record.source_id, "no_caption: there is none, or it is empty", json.dumps(record.captions))
    long = [caption for caption in captions if len(caption) > MAX_CAPTION]
    if long:
        reason = f"caption_too_long: {len(long[0]):,} characters, over {MAX_CAPTION:,}"
        return make_reject(record.source_id, reason, long[0][:500])
    split = record.split or assign_split(record.source_id, test_share, seed)
    payload = {"captions": list(captions), "picture": dict(record.picture) if record.picture else None}
    return SourceRow(kind, record.source_id, split, payload)


def clean(caption: str) -> str:
    """One line without control characters and without spaces at its ends or in a row."""
    return _SPACE.sub(" ", _CONTROL.sub("", caption)).strip()


def assign_split(source_id: str, test_share: float, seed: int) -> str:
    """Train or test by a hash, for sources that name no splits."""
    digest = hashlib.sha256(f"{seed}:{source_id}".encode()).digest()
    return "test" if int.from_bytes(digest[:8], "big") < test_share * 2**64 else "train"


def make_reject(source_id: str, reason: str, raw: str) -> Reject:
    return Reject("caption.anchor", (reason,), source_id=source_id, raw=raw[:2000])


def read_record(data: Any, where: str) -> Record | Reject:
    """A record of an object with a picture's path (``image``, ``file_name``, ``filename``, ``path``) and captions
    (``captions``, ``caption``, ``text``, ``sentences``)."""
    if not isinstance(data, Mapping):
        return make_reject(where, "bad_record: not an object with 'image' and 'captions'", json.dumps(data)[:500])
    captions = next((data[key] for key in ("captions", "caption", "text", "sentences") if data.get(key)), None)
    if isinstance(captions, str):
        captions = [captions]
    if not isinstance(captions, list | tuple):
        known = ", ".join(sorted(map(str, data))[:8])
        return make_reject(
            where, f"no_caption: no field 'captions' or 'caption'; there are: {known}", json.dumps(data)[:500]
        )
    texts = tuple(str(c.get("raw", "")) if isinstance(c, Mapping) else str(c) for c in captions)
    path = next((data[key] for key in ("image", "file_name", "filename", "filepath", "path") if data.get(key)), None)
    identifier = next((str(data[key]) for key in ("id", "key", "source_id") if data.get(key) not in (None, "")), None)
    picture = {"file": str(path)} if isinstance(path, str) else None
    return Record(identifier or (str(path) if picture else where), texts, picture, str(data.get("split") or ""))


def take(rows: Iterator[SourceRow | Reject], limit: int | None) -> Iterator[SourceRow | Reject]:
    """At most ``limit`` rows, and the rejects on the way there."""
    count = 0
    for row in rows:
        if limit is not None and count >= limit:
            return
        count += isinstance(row, SourceRow)
        yield row
