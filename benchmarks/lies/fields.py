"""Lies about any row's fields that others must bear out: values just beside, of another form, or moved elsewhere."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.renderers.raster import encode_png

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]


# Pictures: other bytes for the same pixels, or the same ink elsewhere


def _open(row: Row) -> Image.Image | None:
    if row["image"] is None:
        return None
    try:
        with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
            return picture.convert("RGB")
    except OSError:
        return None


def _store_as(form: str, mode: str = "RGB", **options: Any) -> Kind:
    """The same picture, or as good as the same, in another form of file."""

    def lie(row: Row, _: random.Random) -> Row | None:
        picture = _open(row)
        if picture is None or not row["code"]:
            return None
        sink = io.BytesIO()
        picture.convert(mode).save(sink, form, **options)
        return {**row, "image": {**row["image"], "bytes": sink.getvalue()}}

    return lie


def _place(change: Callable[[np.ndarray], np.ndarray]) -> Kind:
    """The same ink at another place of the page, pixels alone (height, width, 3)."""

    def lie(row: Row, _: random.Random) -> Row | None:
        picture = _open(row)
        if picture is None or not row["code"]:
            return None
        before = np.array(picture)
        after = np.ascontiguousarray(change(before.copy()))
        if np.array_equal(before, after):
            return None
        return {**row, "image": {**row["image"], "bytes": encode_png(after)}}

    return lie


def _frame(pixels: np.ndarray) -> np.ndarray:
    return np.pad(pixels, ((8, 8), (8, 8), (0, 0)), constant_values=255)


def _turn(pixels: np.ndarray) -> np.ndarray:
    return pixels[::-1, ::-1]


def _slide(pixels: np.ndarray) -> np.ndarray:
    return np.roll(pixels, 5, axis=1)


def _crop(pixels: np.ndarray) -> np.ndarray:
    return pixels[4:-4, 4:-4]


def _double(pixels: np.ndarray) -> np.ndarray:
    return pixels.repeat(2, axis=0).repeat(2, axis=1)


def _negate(pixels: np.ndarray) -> np.ndarray:
    return 255 - pixels


def _rename_picture(change: Callable[[str], str | None]) -> Kind:
    return lambda row, _: (
        {**row, "image": {**row["image"], "path": change(row["image"]["path"])}} if row["image"] else None
    )


# Numbers


def _set(column: str, value: Any, *, where: str | None = None) -> Kind:
    """A value that no run gives."""

    def lie(row: Row, _: random.Random) -> Row | None:
        if column not in row or (where is not None and row["table"] != where) or row[column] == value:
            return None
        return {**row, column: value}

    return lie


def _nudge(column: str) -> Kind:
    """A number a little beside what was measured."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        value = row.get(column)
        return {**row, column: value + rng.choice((-0.02, 0.02))} if isinstance(value, float) else None

    return lie


def _share_rank(row: Row, _: random.Random) -> Row | None:
    """The rank of another contrast of its set."""
    sibling = row.get("sibling")
    return None if sibling is None or sibling["rank"] == row["rank"] else {**row, "rank": sibling["rank"]}


def _turn_modality(row: Row, _: random.Random) -> Row | None:
    if row["table"] != "contrasts":
        return None
    return {**row, "modality": "text" if row["modality"] == "image" else "image"}


# Texts that are true, or say nothing


def _say_true(row: Row, _: random.Random) -> Row | None:
    """A negative's text is one that the anchor's own rows hold true."""
    if row["table"] != "contrasts" or row["role"] != "negative" or not row["text"]:
        return None
    cousin = row.get("cousin") or {}
    return {**row, "text": cousin["text"]} if cousin.get("role") == "positive" and cousin["text"] else None


def _say_false(row: Row, _: random.Random) -> Row | None:
    """A positive's text is a negative's."""
    if row["table"] != "contrasts" or row["role"] != "positive" or not row["text"]:
        return None
    cousin = row.get("cousin") or {}
    return {**row, "text": cousin["text"]} if cousin.get("role") == "negative" and cousin["text"] else None


def _trade_roles(row: Row, _: random.Random) -> Row | None:
    """A negative and a positive of an anchor exchange all that they show."""
    cousin = row.get("cousin")
    if row["table"] != "contrasts" or cousin is None or cousin["role"] == row["role"]:
        return None
    shown = ("text", "image", "vector", "code")
    if any((row[name] is None) != (cousin[name] is None) for name in shown):
        return None
    also = {**cousin, **{name: row[name] for name in shown}, "table": "contrasts"}
    return {**row, **{name: cousin[name] for name in shown}, "also": also}


def _list_more(text: str) -> Kind:
    """A caption more in the list of captions."""
    return lambda row, _: (
        {**row, "captions": [*row["captions"], text]} if row["table"] == "anchors" and row["captions"] else None
    )


def _view(change: Callable[[list[Row]], list[Row]]) -> Kind:
    def lie(row: Row, _: random.Random) -> Row | None:
        return {**row, "views": change([dict(each) for each in row["views"]])} if row.get("views") else None

    return lie


def _rename_views(views: list[Row]) -> list[Row]:
    return [{**views[0], "name": f"{views[0]['name']}_2"}, *views[1:]]


def _turn_views(views: list[Row]) -> list[Row]:
    texts = [each["text"] for each in views]
    return [{**each, "text": texts[at - 1]} for at, each in enumerate(views)]


def _in_facts(change: Callable[[Row], Row | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        facts = [dict(each) for each in row.get("facts") or ()]
        places = [at for at, fact in enumerate(facts) if change(fact) is not None]
        if not places:
            return None
        at = rng.choice(places)
        return {**row, "facts": [*facts[:at], change(facts[at]), *facts[at + 1 :]]}

    return lie


def _swap_edit(row: Row, _: random.Random) -> Row | None:
    """What was there and what it became, exchanged in the last edit."""
    edits = row.get("edits") or []
    if not edits or edits[-1]["target"] == edits[-1]["replacement"]:
        return None
    *first, last = edits
    return {**row, "edits": [*first, {**last, "target": last["replacement"], "replacement": last["target"]}]}


def _prove_more(row: Row, _: random.Random) -> Row | None:
    """A witness of another contrast of the set."""
    sibling = row.get("sibling") or {}
    witness = sibling.get("witness")
    return {**row, "witness": witness} if witness and witness != row["witness"] else None


def _number_answer(row: Row, _: random.Random) -> Row | None:
    """The answer in another form of the same number."""
    answer = row.get("answer") or ""
    return {**row, "answer": f"{answer}.0"} if re.fullmatch(r"\d+", answer) else None


def _in_column(column: str, pattern: str, change: Callable[[re.Match[str]], str]) -> Kind:
    """One place of a text that fits the pattern, changed."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        found = list(re.finditer(pattern, row.get(column) or ""))
        if not found:
            return None
        at = rng.choice(found)
        return {**row, column: f"{row[column][: at.start()]}{change(at)}{row[column][at.end() :]}"}

    return lie


def _provenance(**change: Callable[[Any], Any]) -> Kind:
    def lie(row: Row, _: random.Random) -> Row | None:
        told = row["provenance"]
        return {**row, "provenance": {**told, **{name: new(told[name]) for name, new in change.items()}}}

    return lie


def _twice(row: Row, _: random.Random) -> Row:
    """The row is stored twice."""
    return {**row, "twice": True}


KINDS: Mapping[str, Kind] = {
    "picture in grey": _store_as("PNG", "L"),
    "picture with a palette": _store_as("PNG", "P"),
    "picture packed otherwise": _store_as("PNG", compress_level=0),
    "picture with a scale": _store_as("PNG", dpi=(300, 300)),
    "picture as JPEG": _store_as("JPEG", quality=98),
    "picture as WebP": _store_as("WEBP", lossless=True),
    "picture framed": _place(_frame),
    "picture upside down": _place(_turn),
    "picture slid by 5 pixels": _place(_slide),
    "picture cropped": _place(_crop),
    "picture doubled": _place(_double),
    "picture negated": _place(_negate),
    "picture file in capitals": _rename_picture(str.upper),
    "picture file without a name": _rename_picture(lambda _: None),
    "similarity no number": _set("similarity", float("nan"), where="contrasts"),
    "similarity infinite": _set("similarity", float("inf"), where="contrasts"),
    "similarity beside": _nudge("similarity"),
    "concreteness beside": _nudge("concreteness"),
    "concreteness no number": _set("concreteness", float("nan"), where="contrasts"),
    "rank under 0": _set("rank", -1, where="contrasts"),
    "rank of a sibling": _share_rank,
    "modality turned": _turn_modality,
    "role of no such name": _set("role", "hard_negative", where="contrasts"),
    "split of no such name": _set("split", "validation", where="anchors"),
    "grade of no such name": _set("grade", "certain", where="contrasts"),
    "negative that is true": _say_true,
    "positive that is false": _say_false,
    "negative and positive exchanged": _trade_roles,
    "empty caption more": _list_more(""),
    "caption more": _list_more("It is a picture."),
    "view under another name": _view(_rename_views),
    "view more": _view(lambda views: [*views, {"name": "summary", "text": "It is true."}]),
    "views of each other's text": _view(_turn_views),
    "fact without its value": _in_facts(lambda fact: {**fact, "value": None} if fact["value"] is not None else None),
    "fact with a value more": _in_facts(lambda fact: {**fact, "value": "1"} if fact["value"] is None else None),
    "fact with an empty value": _in_facts(lambda fact: {**fact, "value": ""} if fact["value"] is None else None),
    "fact with an argument more": _in_facts(
        lambda fact: {**fact, "arguments": [*fact["arguments"], fact["arguments"][0]]} if fact["arguments"] else None
    ),
    "fact of no such predicate": _in_facts(lambda fact: {**fact, "predicate": "similar_to"}),
    "edit turned round": _swap_edit,
    "witness of a sibling": _prove_more,
    "answer in another form": _number_answer,
    "number of the question": _in_column("question", r"\d+", lambda found: str(int(found[0]) + 1)),
    "number of the solution": _in_column("solution", r"\d+", lambda found: str(int(found[0]) + 1)),
    "sentence of the solution gone": _in_column("solution", r"[^.\n]+\.\s", lambda _: ""),
    "number of the caption": _in_column("caption", r"\d+", lambda found: str(int(found[0]) + 1)),
    "seed under 0": _provenance(seed=lambda seed: -seed - 1),
    "no seed": _provenance(seed=lambda _: None),
    "no code version": _provenance(code_version=lambda _: None),
    "attempts of none": _provenance(attempts=lambda _: 0),
    "cost no number": _provenance(cost_usd=lambda _: float("nan")),
    "tokens under 0": _provenance(input_tokens=lambda _: -5),
    "row stored twice": _twice,
}
