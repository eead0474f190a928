"""Lies about scenes: in the pixels alone, in the SVG with its picture, in record and picture alike, in words."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.lies.drawings import PIXELS, Kind, Row, borrow, only, put_before, redraw, repaint, replace_one
from counterfoil.tasks.caption.checks import paint_png
from counterfoil.tasks.caption.scenes.graph import SceneError, read_scene
from counterfoil.tasks.caption.scenes.layout import LayoutError
from counterfoil.tasks.caption.scenes.palette import COLOURS
from counterfoil.tasks.caption.scenes.picture import draw_scene, seed_drawing

_GROUP = re.compile(r'<g data-thing="\d+" data-copy="\d+" data-noun="[^"]*" (transform="[^"]*"[^>]*)>(.*?)</g>', re.S)
_CROSS = '<path d="M40 20L120 90" fill="none" stroke="#33272f" stroke-width="5"/>'


def _copy_thing(svg: str, rng: random.Random) -> str | None:
    """A thing once more, beside itself, in a group without a name."""
    group = rng.choice(list(_GROUP.finditer(svg)))
    placed = re.sub(r"translate\((-?[\d.]+)", lambda m: f"translate({(float(m[1]) + 130) % 300:.2f}", group[1])
    return svg.replace("</svg>", f"<g {placed}>{group[2]}</g></svg>")


def _hide_thing(svg: str, rng: random.Random) -> str | None:
    """A thing once more, under the first one."""
    first = _GROUP.search(svg)
    last = rng.choice(list(_GROUP.finditer(svg)))
    return svg[: first.start()] + f"<g {last[1]}>{last[2]}</g>" + svg[first.start() :] if first else None


def _take_thing(svg: str, rng: random.Random) -> str | None:
    group = rng.choice(list(_GROUP.finditer(svg)))
    return svg[: group.start()] + svg[group.end() :]


def _turn_order(svg: str, _: random.Random) -> str | None:
    groups = [each.group() for each in _GROUP.finditer(svg)]
    if len(set(groups)) < 2:
        return None
    rest = _GROUP.sub("\0", svg)
    for group in reversed(groups):
        rest = rest.replace("\0", group, 1)
    return rest


def _recolour_thing(svg: str, rng: random.Random) -> str | None:
    used = [colour for colour in COLOURS.values() if f'"{colour}"' in svg]
    if not used:
        return None
    old = rng.choice(used)
    return svg.replace(f'"{old}"', f'"{rng.choice([each for each in COLOURS.values() if each != old])}"')


def _of_scene(kind: Kind) -> Kind:
    """Rows that hold a scene, or belong to one."""
    return lambda row, rng: kind(row, rng) if row["vector"] else None


def change_scene(change: Callable[[dict[str, Any], random.Random], None], *, painted: bool) -> Kind:
    """A kind that changes the scene; where ``painted``, an anchor's SVG and picture are drawn of it."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if not row["code"] or not row["vector"] or (painted and row["table"] != "anchors"):
            return None
        data = json.loads(row["code"])
        change(data, rng)
        code = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        if code == row["code"]:
            return None
        changed = {**row, "code": code}
        if not painted:
            return changed
        try:
            svg = draw_scene(read_scene(code), seed_drawing(row["source_id"]))
        except (SceneError, LayoutError, LookupError):
            return None
        return repaint(changed, svg, paint_png)

    return lie


def _set_colour(data: dict[str, Any], rng: random.Random) -> None:
    thing = rng.choice(data["things"])
    thing["colour"] = rng.choice([each for each in COLOURS if each != thing["colour"]])


def _set_count(data: dict[str, Any], rng: random.Random) -> None:
    thing = rng.choice(data["things"])
    thing["count"] = thing["count"] % 5 + 1


def _set_weather(data: dict[str, Any], rng: random.Random) -> None:
    data["weather"] = rng.choice([each for each in ("sunny", "rainy", "snowy", "foggy") if each != data["weather"]])


def _set_pattern(data: dict[str, Any], rng: random.Random) -> None:
    thing = rng.choice(data["things"])
    thing["pattern"] = "striped" if thing["pattern"] != "striped" else "spotted"


def _drop_thing(data: dict[str, Any], _: random.Random) -> None:
    if len(data["things"]) > 1:
        data["things"].pop()
        data["relations"] = [r for r in data["relations"] if max(r["subject"], r["object"]) < len(data["things"])]


def _add_key(data: dict[str, Any], _: random.Random) -> None:
    data["remark"] = "the ball is blue"


def _recaption(row: Row, rng: random.Random) -> Row | None:
    """A colour or a number of one caption changed."""
    words = [*COLOURS, "two", "three", "four"]
    found = [word for word in words if re.search(rf"\b{word}\b", row["caption"])]
    if not found:
        return None
    old = rng.choice(found)
    kind = list(COLOURS) if old in COLOURS else ["two", "three", "four"]
    new = re.sub(rf"\b{old}\b", rng.choice([each for each in kind if each != old]), row["caption"])
    return {**row, "caption": new, "captions": [new if each == row["caption"] else each for each in row["captions"]]}


def _refact(row: Row, rng: random.Random) -> Row | None:
    places = [i for i, fact in enumerate(row["facts"]) if fact["predicate"] in ("colour", "count", "noun")]
    if not places:
        return None
    facts = [dict(fact) for fact in row["facts"]]
    other = {"colour": "mauve", "count": "9", "noun": "unicorn"}
    place = rng.choice(places)
    facts[place]["value"] = other[facts[place]["predicate"]]
    return {**row, "facts": facts}


def _be_photograph(row: Row, _: random.Random) -> Row | None:
    """A scene of ours that is said to be a photograph, its record left out."""
    return {**row, "code": None, "code_language": None, "vector": None, "facts": []} if row["facts"] else None


def _forget_language(row: Row, _: random.Random) -> Row:
    return {**row, "code_language": None}


def _come_from_elsewhere(row: Row, _: random.Random) -> Row:
    return {**row, "source_id": row["source_id"] + "1"}


def _drawn(change: Callable[[str, random.Random], str | None]) -> Kind:
    return redraw(change, paint_png)


KINDS: Mapping[str, Kind] = {
    name: _of_scene(kind)
    for name, kind in {
        **PIXELS,
        "picture of another row": borrow("image"),
        "picture and SVG of another row": borrow("image", "vector"),
        "thing more, without a name": _drawn(_copy_thing),
        "thing more, under another": _drawn(_hide_thing),
        "thing gone": _drawn(_take_thing),
        "things in another order": _drawn(_turn_order),
        "thing of another colour": _drawn(_recolour_thing),
        "thing moved": _drawn(replace_one(r"translate\(-?[\d.]+ ", "translate(61.50 ")),
        "thing mirrored": _drawn(replace_one(r"scale\((-?)([\d.]+) ", r"scale(-\2 ")),
        "thing of another name": _drawn(replace_one(r'data-noun="[^"]*"', 'data-noun="cat"')),
        "cross over the sky": _drawn(put_before("</svg>", _CROSS)),
        "ink that nobody sees": _drawn(put_before("</svg>", _CROSS.replace("/>", ' opacity="0"/>'))),
        "ink outside the view": _drawn(put_before("</svg>", _CROSS.replace("M40 20L120 90", "M-400 -20L-120 -90"))),
        "ink a hair thin": _drawn(put_before("</svg>", _CROSS.replace('"5"', '"0.01"'))),
        "patch over the picture": _drawn(
            put_before("</svg>", '<rect x="90" y="150" width="60" height="60" fill="#ffffff"/>')
        ),
        "shadow gone": _drawn(replace_one(r'<ellipse [^>]*opacity="0.2"/>', "")),
        "outline gone": _drawn(replace_one(r' stroke="#[0-9a-f]{6}" stroke-width="[\d.]+"', "")),
        "colour in the scene alone": change_scene(_set_colour, painted=False),
        "count in the scene alone": change_scene(_set_count, painted=False),
        "pattern in the scene alone": change_scene(_set_pattern, painted=False),
        "weather in the scene alone": change_scene(_set_weather, painted=False),
        "thing out of the scene alone": change_scene(_drop_thing, painted=False),
        "remark in the scene": change_scene(_add_key, painted=False),
        "another colour, drawn so": change_scene(_set_colour, painted=True),
        "another count, drawn so": change_scene(_set_count, painted=True),
        "another weather, drawn so": change_scene(_set_weather, painted=True),
        "caption changed": only("anchors", _recaption),
        "captions of another scene": only("anchors", borrow("caption", "captions")),
        "facts of another scene": only("anchors", borrow("facts")),
        "fact changed": only("anchors", _refact),
        "scene of another row": only("anchors", borrow("code")),
        "scene said to be a photograph": only("anchors", _be_photograph),
        "language forgotten": only("anchors", _forget_language),
        "of another source row": only("anchors", _come_from_elsewhere),
        "text of another row": only("contrasts", borrow("text")),
    }.items()
}
