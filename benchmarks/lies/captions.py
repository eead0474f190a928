"""Lies about captioned photographs: of their captions and their near misses, as a photograph has no record."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]


def _of_photograph(change: Callable[[Row, random.Random], Row | None]) -> Callable[[Row, random.Random], Row | None]:
    """Anchors with captions from outside; a scene of ours has code."""
    return lambda row, rng: change(row, rng) if row["table"] == "anchors" and not row["code"] else None


def choose_another(row: Row, rng: random.Random) -> Row | None:
    """Another caption of its own than the longest as the anchor's."""
    others = [each for each in row["captions"] if each != row["caption"]]
    return {**row, "caption": rng.choice(others)} if others else None


def invent_caption(row: Row, _: random.Random) -> Row | None:
    """A caption that none of its captions is."""
    other = row["other"]
    if other is None or not other["caption"] or other["caption"] in row["captions"]:
        return None
    return {**row, "caption": other["caption"]}


def invent_facts(row: Row, _: random.Random) -> Row | None:
    """A fact of a photograph, which nobody measured."""
    return {**row, "facts": [{"predicate": "count", "arguments": ["dog"], "value": "3"}]}


def invent_code(row: Row, _: random.Random) -> Row | None:
    """Code in a language that draws no photograph."""
    return {**row, "code_language": "scene"}


def invent_vector(row: Row, _: random.Random) -> Row | None:
    """An SVG beside a photograph."""
    return {**row, "vector": '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'}


def invent_question(row: Row, _: random.Random) -> Row | None:
    """A question with an answer, of which nothing is known."""
    return {**row, "question": "How many dogs are there?", "answer": "3"}


def spoil_picture(row: Row, _: random.Random) -> Row | None:
    """A picture cut short."""
    if row["image"] is None:
        return None
    data = row["image"]["bytes"]
    return {**row, "image": {**row["image"], "bytes": data[: len(data) * 2 // 3]}}


def store_otherwise(row: Row, _: random.Random) -> Row | None:
    """The picture in a format of many frames."""
    if row["image"] is None:
        return None
    from PIL import Image

    with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
        sink = io.BytesIO()
        frame = picture.convert("RGB")
        frame.save(sink, "GIF", save_all=True, append_images=[Image.new("RGB", frame.size, "black")])
    return {**row, "image": {**row["image"], "bytes": sink.getvalue()}}


KINDS: Mapping[str, Callable[[Row, random.Random], Row | None]] = {
    "another caption than the longest": _of_photograph(choose_another),
    "caption of another photograph": _of_photograph(invent_caption),
    "facts of a photograph": _of_photograph(invent_facts),
    "code of a photograph": _of_photograph(invent_code),
    "SVG of a photograph": _of_photograph(invent_vector),
    "question of a photograph": _of_photograph(invent_question),
    "photograph cut short": _of_photograph(spoil_picture),
    "photograph of many frames": _of_photograph(store_otherwise),
}
