"""Lies about composites: of their picture, of the halves that their code records, and of texts about both."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.renderers.raster import encode_png

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]

_PLACES = (("On the left: ", "On the right: "), ("At the top: ", "At the bottom: "))


# The picture


def _boxes(row: Row) -> tuple[np.ndarray, dict[str, Any], list[tuple[slice, slice]]]:
    """Pixels (height, width, 3), what the code records, and where each half lies."""
    with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
        pixels = np.array(picture.convert("RGB"))
    code = json.loads(row["code"])
    sizes = code["sizes"]
    width, height = (max(size[at] for size in sizes) for at in (0, 1))
    found = []
    for at, (wide, high) in enumerate(sizes):
        left = (width - wide) // 2 + (width * at if code["beside"] else 0)
        top = (height - high) // 2 + (0 if code["beside"] else height * at)
        found.append((slice(top, top + high), slice(left, left + wide)))
    return pixels, code, found


def _in_picture(
    change: Callable[[np.ndarray, list[tuple[slice, slice]], random.Random, Row], np.ndarray | None],
) -> Kind:
    """Pixels alone are changed."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        pixels, _, boxes = _boxes(row)
        new = change(pixels.copy(), boxes, rng, row)
        if new is None or (new.shape == pixels.shape and (new == pixels).all()):
            return None
        return {**row, "image": {**row["image"], "bytes": encode_png(np.ascontiguousarray(new))}}

    return lie


def exchange_halves(pixels: np.ndarray, boxes: list[tuple[slice, slice]], *_: Any) -> np.ndarray | None:
    """Each half's picture at the other's place."""
    one, other = (pixels[box].copy() for box in boxes)
    if one.shape != other.shape:
        return None
    pixels[boxes[0]], pixels[boxes[1]] = other, one
    return pixels


def mirror_half(pixels: np.ndarray, boxes: list[tuple[slice, slice]], rng: random.Random, _: Row) -> np.ndarray:
    """One half as in a mirror."""
    box = rng.choice(boxes)
    pixels[box] = pixels[box][:, ::-1].copy()
    return pixels


def repeat_half(pixels: np.ndarray, boxes: list[tuple[slice, slice]], *_: Any) -> np.ndarray | None:
    """One half twice."""
    if pixels[boxes[0]].shape != pixels[boxes[1]].shape:
        return None
    pixels[boxes[1]] = pixels[boxes[0]].copy()
    return pixels


def wipe_half(pixels: np.ndarray, boxes: list[tuple[slice, slice]], rng: random.Random, _: Row) -> np.ndarray:
    """One half white."""
    pixels[rng.choice(boxes)] = 255
    return pixels


def draw_line(pixels: np.ndarray, boxes: list[tuple[slice, slice]], rng: random.Random, _: Row) -> np.ndarray:
    """A stroke more in a half."""
    rows, columns = rng.choice(boxes)
    at = rng.randrange(rows.start + 5, rows.stop - 5)
    pixels[at : at + 3, columns.start + 5 : columns.stop - 5] = 0
    return pixels


def draw_seam(pixels: np.ndarray, *_: Any) -> np.ndarray:
    """A frame around the whole."""
    pixels[:2], pixels[-2:] = 0, 0
    return pixels


def dot_outside(pixels: np.ndarray, boxes: list[tuple[slice, slice]], *_: Any) -> np.ndarray | None:
    """Ink where no half is."""
    free = np.ones(pixels.shape[:2], bool)
    for box in boxes:
        free[box] = False
    places = np.argwhere(free)
    if not len(places):
        return None
    top, left = places[len(places) // 2]
    pixels[top : top + 4, left : left + 4][free[top : top + 4, left : left + 4]] = 0
    return pixels


def widen(pixels: np.ndarray, *_: Any) -> np.ndarray:
    """White columns more at the right."""
    return np.pad(pixels, ((0, 0), (0, 10), (0, 0)), constant_values=255)


def borrow_half(pixels: np.ndarray, boxes: list[tuple[slice, slice]], _: random.Random, row: Row) -> np.ndarray | None:
    """A half of another composite's picture."""
    if row["other"] is None:
        return None
    theirs, _, own = _boxes(row["other"])
    if theirs[own[0]].shape != pixels[boxes[0]].shape:
        return None
    pixels[boxes[0]] = theirs[own[0]]
    return pixels


# What the code records


def _in_code(change: Callable[[dict[str, Any], random.Random, Row], Any], *, spread: bool = False) -> Kind:
    """The record is changed, and written as records are; ``spread``: caption and facts follow, as a forger does it."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        code = json.loads(row["code"])
        before = json.dumps(code, ensure_ascii=False, sort_keys=True)
        if change(code, rng, row) is False:
            return None
        written = json.dumps(code, ensure_ascii=False, sort_keys=True)
        if written == before:
            return None
        changed = {**row, "code": written}
        if spread:
            caption = _say(code)
            shown = sorted(half["anchor_id"] for half in code["halves"])
            facts = [{"predicate": "shows", "arguments": [each], "value": None} for each in shown]
            changed |= {"caption": caption, "captions": [caption], "facts": facts}
        return changed

    return lie


def _say(code: dict[str, Any]) -> str:
    """The halves' captions, joined as the record says."""
    said = []
    for at, half in enumerate(code["halves"]):
        text = (half.get("caption") or "").strip()
        text = text if text.endswith((".", "!", "?")) else f"{text}."
        said.append((_PLACES[0 if code["beside"] else 1][at] if code["placed"] else "") + text)
    return f"{said[code['first']]} {said[1 - code['first']]}"


def turn_halves(code: dict[str, Any], *_: Any) -> None:
    """The record has the halves the other way round."""
    code["halves"].reverse()
    code["sizes"].reverse()


def _flip(name: str) -> Callable[..., None]:
    def change(code: dict[str, Any], *_: Any) -> None:
        code[name] = 1 - code[name] if name == "first" else not code[name]

    return change


def grow(code: dict[str, Any], rng: random.Random, _: Row) -> None:
    """A half said to be larger."""
    code["sizes"][rng.randrange(2)][rng.randrange(2)] += 2


def repeat_record(code: dict[str, Any], *_: Any) -> Any:
    """One half recorded twice."""
    code["halves"][1] = code["halves"][0]


def _in_half(change: Callable[[dict[str, Any], random.Random, Row], Any]) -> Callable[..., Any]:
    def within(code: dict[str, Any], rng: random.Random, row: Row) -> Any:
        return change(rng.choice(code["halves"]), rng, row)

    return within


def _set(name: str, value: Any) -> Callable[..., Any]:
    def change(half: dict[str, Any], *_: Any) -> Any:
        half[name] = value(half.get(name)) if callable(value) else value

    return change


def say_more(half: dict[str, Any], *_: Any) -> None:
    """A caption of the half that nobody can check."""
    half["captions"] = [*half.get("captions", ()), "It is a picture."]


def change_word(half: dict[str, Any], rng: random.Random, _: Row) -> Any:
    """Another number or word in the half's caption."""
    caption = half.get("caption") or ""
    numbers = list(re.finditer(r"\d+", caption))
    if numbers:
        at = rng.choice(numbers)
        new = f"{caption[: at.start()]}{int(at[0]) + 1}{caption[at.end() :]}"
    else:
        words = caption.split(" ")
        if len(words) < 3:
            return False
        del words[rng.randrange(1, len(words) - 1)]
        new = " ".join(words)
    half["captions"] = [new if each == caption else each for each in half.get("captions", ())]
    half["caption"] = new
    return None


def borrow_caption(half: dict[str, Any], _: random.Random, row: Row) -> Any:
    """The half's caption is that of another composite's half."""
    if row["other"] is None:
        return False
    caption = json.loads(row["other"]["code"])["halves"][0].get("caption")
    if not caption or caption == half.get("caption"):
        return False
    half["captions"] = [caption if each == half["caption"] else each for each in half.get("captions", ())]
    half["caption"] = caption
    return None


def drop_fact(half: dict[str, Any], rng: random.Random, _: Row) -> Any:
    """A fact of the half fewer."""
    if not half.get("facts"):
        return False
    del half["facts"][rng.randrange(len(half["facts"]))]
    return None


def comment(half: dict[str, Any], *_: Any) -> Any:
    """A remark in the half's own code."""
    if not half.get("code"):
        return False
    half["code"] += "\n"
    return None


def hide_ink(half: dict[str, Any], *_: Any) -> Any:
    """A remark in the half's SVG."""
    if not half.get("vector"):
        return False
    half["vector"] = half["vector"].replace("</svg>", "<title>two</title></svg>")
    return None


def change_answer(half: dict[str, Any], *_: Any) -> Any:
    """Another answer of the half."""
    if not half.get("answer"):
        return False
    half["answer"] = "999"
    return None


def reorder(row: Row, _: random.Random) -> Row | None:
    """The record written in another form."""
    return {**row, "code": json.dumps(json.loads(row["code"]), indent=1)} if row["table"] == "anchors" else None


# What is said


def _of_caption(change: Callable[[str, dict[str, Any], random.Random], str | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        new = change(row["caption"], json.loads(row["code"]), rng)
        if not new or new == row["caption"]:
            return None
        return {**row, "caption": new, "captions": [new]}

    return lie


def turn_said(_: str, code: dict[str, Any], __: random.Random) -> str:
    """The captions in the other order than recorded."""
    return _say({**code, "first": 1 - code["first"]})


def cross_said(_: str, code: dict[str, Any], __: random.Random) -> str | None:
    """Each caption at the other half's place."""
    one, other = code["halves"]
    if not code["placed"]:
        return None
    return _say({**code, "halves": [{**one, "caption": other["caption"]}, {**other, "caption": one["caption"]}]})


def place_said(_: str, code: dict[str, Any], __: random.Random) -> str:
    """Places where none are recorded, or none where they are."""
    return _say({**code, "placed": not code["placed"]})


def say_one(_: str, code: dict[str, Any], rng: random.Random) -> str:
    """The caption of one half alone."""
    return str(rng.choice(code["halves"])["caption"])


def rename_places(caption: str, *_: Any) -> str:
    """Places of the other direction."""
    for (one, other), (new, newer) in zip(_PLACES, reversed(_PLACES), strict=True):
        if one in caption:
            return caption.replace(one, new).replace(other, newer)
    return caption


def _of_text(change: Callable[[str, Row, random.Random], str | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "contrasts" or not row["text"]:
            return None
        new = change(row["text"], row, rng)
        return {**row, "text": new} if new and new != row["text"] else None

    return lie


def undo_one(text: str, row: Row, rng: random.Random) -> str | None:
    """One of the two words of an exchange is as it was: what is said of that half is true."""
    edits = row["edits"]
    if not row["family"].endswith(".exchange") or len(edits) != 2:
        return None
    edit = rng.choice(edits)
    found = [at.start() for at in re.finditer(re.escape(edit["replacement"]), text)]
    if not found:
        return None
    at = rng.choice(found)
    return text[:at] + edit["target"] + text[at + len(edit["replacement"]) :]


def turn_sentences(text: str, row: Row, _: random.Random) -> str | None:
    """A negative's sentences the other way round; of a positive it is as true."""
    if row["role"] == "positive":
        return None
    found = re.split(r"(?<=[.!?]) ", text)
    return " ".join(reversed(found)) if len(found) > 1 else None


def drop_sentence(text: str, _: Row, rng: random.Random) -> str | None:
    """A sentence fewer."""
    found = re.split(r"(?<=[.!?]) ", text)
    if len(found) < 2:
        return None
    del found[rng.randrange(len(found))]
    return " ".join(found)


def cross_places(text: str, *_: Any) -> str | None:
    """The places named are exchanged."""
    for one, other in _PLACES:
        if one in text and other in text:
            return text.replace(one, "\0").replace(other, one).replace("\0", other)
    return None


def change_number(text: str, _: Row, rng: random.Random) -> str | None:
    """Another number."""
    found = list(re.finditer(r"\d+", text))
    if not found:
        return None
    at = rng.choice(found)
    return f"{text[: at.start()]}{int(at[0]) + 3}{text[at.end() :]}"


def drop_edit(row: Row, _: random.Random) -> Row | None:
    """One side of an exchange alone is told."""
    return {**row, "edits": row["edits"][:1]} if row["table"] == "contrasts" and len(row["edits"]) == 2 else None


def swap_sides(row: Row, _: random.Random) -> Row | None:
    """The exchange as the other caption sees it."""
    if row["table"] != "contrasts" or len(row["edits"]) != 2:
        return None
    return {**row, "edits": row["edits"][::-1]}


KINDS: Mapping[str, Kind] = {
    "halves' pictures exchanged": _in_picture(exchange_halves),
    "a half mirrored": _in_picture(mirror_half),
    "a half's picture twice": _in_picture(repeat_half),
    "a half white": _in_picture(wipe_half),
    "a stroke more in a half": _in_picture(draw_line),
    "a frame around both": _in_picture(draw_seam),
    "ink where no half is": _in_picture(dot_outside),
    "white at the side": _in_picture(widen),
    "a half of another's picture": _in_picture(borrow_half),
    "halves recorded the other way round": _in_code(turn_halves),
    "halves and caption the other way round": _in_code(turn_halves, spread=True),
    "direction recorded otherwise": _in_code(_flip("beside")),
    "first caption recorded otherwise": _in_code(_flip("first")),
    "first caption otherwise": _in_code(_flip("first"), spread=True),
    "places recorded otherwise": _in_code(_flip("placed")),
    "places otherwise": _in_code(_flip("placed"), spread=True),
    "a half recorded larger": _in_code(grow),
    "a half recorded twice": _in_code(repeat_record, spread=True),
    "a half's id of nothing": _in_code(_in_half(_set("anchor_id", "0" * 32)), spread=True),
    "a half of another source row": _in_code(_in_half(_set("source_id", lambda old: f"{old}1"))),
    "a half of another source": _in_code(_in_half(_set("source", "elsewhere"))),
    "a half of another domain": _in_code(_in_half(_set("domain", "theorem"))),
    "a half by another author": _in_code(_in_half(_set("made", ["openai", "a-model", 7]))),
    "a half of another seed": _in_code(_in_half(_set("made", lambda old: [*old[:2], old[2] + 1]))),
    "a half with a split": _in_code(_in_half(_set("split", "test"))),
    "a half with a key more": _in_code(_in_half(_set("remark", "true"))),
    "a half with steps of its own": _in_code(_in_half(_set("steps", lambda old: (old or 0) + 1))),
    "a record with a key more": _in_code(_set("remark", "true")),
    "a caption of a half more": _in_code(_in_half(say_more)),
    "a half's caption changed": _in_code(_in_half(change_word), spread=True),
    "a half's caption changed in the record": _in_code(_in_half(change_word)),
    "a half's caption of another": _in_code(_in_half(borrow_caption), spread=True),
    "a half's fact dropped": _in_code(_in_half(drop_fact)),
    "a half's facts dropped": _in_code(_in_half(_set("facts", []))),
    "a half's code with a line more": _in_code(_in_half(comment)),
    "a half's SVG with a title": _in_code(_in_half(hide_ink)),
    "a half's answer changed": _in_code(_in_half(change_answer)),
    "a half's question invented": _in_code(_in_half(_set("question", "How many are there?"))),
    "a half's solution invented": _in_code(_in_half(_set("solution", "It is 7."))),
    "the record in another form": reorder,
    "captions in the other order": _of_caption(turn_said),
    "captions at each other's places": _of_caption(cross_said),
    "places said otherwise": _of_caption(place_said),
    "places of the other direction": _of_caption(rename_places),
    "the caption of one half": _of_caption(say_one),
    "an exchange undone on one side": _of_text(undo_one),
    "sentences the other way round": _of_text(turn_sentences),
    "a sentence fewer": _of_text(drop_sentence),
    "places of a text exchanged": _of_text(cross_places),
    "another number in a text": _of_text(change_number),
    "one side of an exchange told": drop_edit,
    "an exchange told from the other side": swap_sides,
}
