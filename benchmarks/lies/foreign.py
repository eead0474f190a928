"""Lies that only a source outside could tell: of a photograph nothing is known but what its source says.

Another caption, well formed and drawn as captions are, another number of its source row, another split where the source
names splits: the row is then as sound as any other row of that source, and nothing in the dataset gainsays it. The same
holds of a photograph that is half of a composite, of its pixels too, as it was stored anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from counterfoil.tasks.caption.anchors import choose_anchor
from counterfoil.tasks.caption.sources.records import clean

Row = dict[str, Any]
_OF_SOURCE = {"anchor_id", "caption", "captions", "source_id", "split", "group", "image"}
_OF_HALF = {"caption", "captions", "source_id", "made"}


def is_foreign(row: Row, changed: Row) -> bool:
    """Whether nothing in the dataset could tell the changed anchor from a row of its source."""
    if row["table"] != "anchors" or changed.get("gone") or changed.get("twice"):
        return False
    columns = {name for name, value in row.items() if changed.get(name) != value}
    if row["domain"] == "caption" and not row["code"]:
        same = (row["image"] or {}).get("bytes") == (changed["image"] or {}).get("bytes")
        return columns <= _OF_SOURCE and same and _is_sound(changed["caption"], changed["captions"])
    if row["domain"] == "composite" and columns <= {"anchor_id", "caption", "captions", "code", "facts", "image"}:
        return _is_of_half(row, changed)
    return False


def _is_sound(caption: str | None, captions: list[str]) -> bool:
    told = list(dict.fromkeys(filter(None, map(clean, captions))))
    return bool(captions) and told == captions and caption == choose_anchor(captions)


def _is_of_half(row: Row, changed: Row) -> bool:
    """Whether all that differs is what is said of photographs that are halves, and their pixels."""
    try:
        before, after = json.loads(row["code"]), json.loads(changed["code"])
        halves = list(zip(before.pop("halves"), after.pop("halves"), strict=True))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    if before != after or any(one.get("code") for one, _ in halves):
        return False
    return all(_differs_by_source(one, other) for one, other in halves)


def _differs_by_source(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    names = {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    made = [one["made"][:2], other["made"][:2]]
    return names <= _OF_HALF and made[0] == made[1] and _is_sound(other.get("caption"), list(other.get("captions", ())))
