"""One captioned picture of a source, and what every reader makes of it: clean captions, a split, a row or a reject."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceRow

MAX_CAPTION = 2000
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What stands in no text: control characters but for space, and halves of characters, which UTF-8 has no bytes for."""
CAPTION_FIELDS = ("captions", "caption", "text", "sentences")
PICTURE_FIELDS = ("image", "file_name", "filename", "filepath", "path")


@dataclass(frozen=True, slots=True)
class Record:
    """A row as a reader finds it, each of its texts read by `read_captions`.

    ``picture`` says where the picture is, as plain data: ``{"file": path}`` relative to the source,
    ``{"tar": path, "member": name, "offset": i, "size": n}`` or ``{"parquet": path, "group": i, "row": i,
    "column": name}``; None: text alone.
    """

    source_id: str
    captions: tuple[str, ...]
    picture: Mapping[str, Any] | None
    split: str = ""


def make_row(kind: str, record: Record) -> SourceRow | Reject:
    """The record as a source row, its captions without stray spaces and repetitions; a reject where none is left."""
    captions = tuple(dict.fromkeys(filter(None, map(clean, record.captions))))
    if not captions:
        return make_reject(record.source_id, "no_caption: there is none, or it is empty", json.dumps(record.captions))
    long = [caption for caption in captions if len(caption) > MAX_CAPTION]
    if long:
        reason = f"caption_too_long: {len(long[0]):,} characters, over {MAX_CAPTION:,}"
        return make_reject(record.source_id, reason, long[0][:500])
    payload = {"captions": list(captions), "picture": dict(record.picture) if record.picture else None}
    return SourceRow(kind, record.source_id, record.split, payload)


def clean(caption: str) -> str:
    """One line without spaces at its ends or in a row."""
    return _SPACE.sub(" ", caption).strip()


def make_reject(source_id: str, reason: str, raw: str) -> Reject:
    return Reject("caption.anchor", (reason,), source_id=source_id, raw=raw[:2000])


def read_record(data: Any, where: str) -> Record | Reject:
    """A record of an object with a picture's path (``image``, ``file_name``, ``filename``, ``path``) and captions
    (``captions``, ``caption``, ``text``, ``sentences``). What is there and is not that is a reject by its name."""
    if not isinstance(data, Mapping):
        return make_reject(where, "bad_record: not an object with 'image' and 'captions'", json.dumps(data)[:500])
    named = next((key for key in CAPTION_FIELDS if data.get(key) not in (None, [], "")), None)
    if named is None:
        known = ", ".join(sorted(map(str, data))[:8])
        return make_reject(
            where, f"no_caption: no field 'captions' or 'caption'; there are: {known}", json.dumps(data)[:500]
        )
    try:
        path = _read_picture(data)
        identifier = _read_name(data, ("id", "key", "source_id"), str | int) or path or where
        split = _read_name(data, ("split",), str)
        captions = read_captions(data[named], named)
    except FieldError as error:
        return make_reject(where, str(error), json.dumps(data)[:500])
    return Record(identifier, captions, {"file": path} if path else None, split)


class FieldError(ValueError):
    """A field of a record is not what it should be: ``"code: details"``."""


def read_captions(value: Any, field: str) -> tuple[str, ...]:
    """The texts of a caption or of a list of captions; each is a text, or an object that holds one as ``raw``,
    ``caption`` or ``text``.

    Raises:
        FieldError: one is no text, or holds what no text holds.
    """
    if isinstance(value, str):
        return (_read_text(value, field),)
    if not isinstance(value, list | tuple):
        raise FieldError(f"bad_caption: {field} is {_tell(value)}, not a text or a list of texts")
    return tuple(_read_text(each, f"{field}[{i}]") for i, each in enumerate(value))


def _read_text(value: Any, where: str) -> str:
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("raw", "caption", "text") if key in value), value)
    if not isinstance(value, str):
        raise FieldError(f"bad_caption: {where} is {_tell(value)}, not a text")
    found = _CONTROL.search(value)
    if found:
        raise FieldError(f"bad_caption: {where} holds the character U+{ord(found[0]):04X}, which no text holds")
    return value


def _read_picture(data: Mapping[str, Any]) -> str:
    """The picture's path; empty where none is named."""
    field = next((key for key in PICTURE_FIELDS if data.get(key) is not None), None)
    if field is None:
        return ""
    value = data[field]
    if isinstance(value, Mapping) and value.get("bytes") is None:
        value = value.get("path")
    if not isinstance(value, str) or not value.strip() or _CONTROL.search(value):
        raise FieldError(
            f"bad_picture: {field} is {_tell(data[field])}, not the path of a file; bytes of pictures are read from "
            "Parquet and tar files"
        )
    return value


def _read_name(data: Mapping[str, Any], fields: tuple[str, ...], kinds: Any) -> str:
    """What the first of the fields says that is there; empty where none is."""
    field = next((key for key in fields if data.get(key) not in (None, "")), None)
    if field is None:
        return ""
    value = data[field]
    if not isinstance(value, kinds) or isinstance(value, bool) or _CONTROL.search(str(value)):
        raise FieldError(f"bad_record: {field} is {_tell(value)}, not a name")
    return str(value)


def _tell(value: Any) -> str:
    """What a value is, in JSON's words.

    >>> [_tell(value) for value in (None, True, 3, float("nan"), "", [1], {"bytes": "a"})]
    ['null', 'true', '3', 'NaN', 'an empty text', 'a list', "an object of 'bytes'"]
    """
    if isinstance(value, Mapping):
        return f"an object of {', '.join(map(repr, list(value)[:4])) or 'nothing'}"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, str):
        return f"the text {value[:40]!r}" if value.strip() else "an empty text"
    return json.dumps(value, default=lambda other: type(other).__name__)[:40]


def take(rows: Iterator[SourceRow | Reject | Remark], limit: int | None) -> Iterator[SourceRow | Reject | Remark]:
    """At most ``limit`` rows, and the rejects and remarks on the way there."""
    count = 0
    for row in rows:
        if limit is not None and count >= limit:
            return
        count += isinstance(row, SourceRow)
        yield row
