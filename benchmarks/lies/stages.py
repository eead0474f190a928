"""Lies about scenes that are told well: parts of things, lights and places, and record, SVG and picture that agree."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.lies.drawings import Kind, Row, only, put_before, redraw, replace_one
from benchmarks.lies.scenes import change_scene
from counterfoil.tasks.caption.checks import paint_png

Change = Callable[[str, random.Random], str | None]
_GROUP = re.compile(r'<g data-thing="\d+"[^>]*>.*?</g>', re.S)
_SHAPE = re.compile(r"<(?:path|circle|ellipse|rect|polygon|line)[^>]*/>")


def _in_thing(change: Callable[[str, random.Random], str]) -> Change:
    """One thing's group changed."""

    def lie(svg: str, rng: random.Random) -> str | None:
        groups = list(_GROUP.finditer(svg))
        if not groups:
            return None
        at = rng.choice(groups)
        return svg[: at.start()] + change(at[0], rng) + svg[at.end() :]

    return lie


def _of_shape(change: Callable[[str, random.Random], str]) -> Callable[[str, random.Random], str]:
    """One shape of a text of shapes changed."""

    def lie(text: str, rng: random.Random) -> str:
        shapes = list(_SHAPE.finditer(text))
        if not shapes:
            return text
        at = rng.choice(shapes)
        return text[: at.start()] + change(at[0], rng) + text[at.end() :]

    return lie


def _of_place(change: Callable[[str, random.Random], str]) -> Change:
    """One shape of what lies behind the things."""

    def lie(svg: str, rng: random.Random) -> str | None:
        end = svg.find("<g data-thing")
        return None if end < 0 else _of_shape(change)(svg[:end], rng) + svg[end:]

    return lie


def _put_in_front(svg: str, rng: random.Random) -> str | None:
    """A thing's group once more, before all others: the same ink, in front."""
    groups = list(_GROUP.finditer(svg))
    if len(groups) < 2:
        return None
    at = rng.choice(groups[:-1])
    last = groups[-1].end()
    return svg[: at.start()] + svg[at.end() : last] + at[0] + svg[last:]


def _exchange_places(svg: str, rng: random.Random) -> str | None:
    """Two things exchange where they stand."""
    groups = list(_GROUP.finditer(svg))
    if len(groups) < 2:
        return None
    one, other = sorted(rng.sample(groups, 2), key=lambda each: each.start())
    first, second = (re.search(r"translate\([^)]*\)", each[0]) for each in (one, other))
    if first is None or second is None:
        return None
    return (
        svg[: one.start()]
        + one[0].replace(first[0], second[0], 1)
        + svg[one.end() : other.start()]
        + other[0].replace(second[0], first[0], 1)
        + svg[other.end() :]
    )


def _drop(_: str, __: random.Random) -> str:
    return ""


def _with(attribute: str) -> Callable[[str, random.Random], str]:
    return lambda element, _: re.sub(r"^<(\w+)", rf"<\1 {attribute}", element)


def _recolour(element: str, rng: random.Random) -> str:
    return re.sub(r'fill="#[0-9a-f]{6}"', f'fill="#{rng.getrandbits(24):06x}"', element, count=1)


def _grow(by: float) -> Callable[[str, random.Random], str]:
    return lambda element, _: re.sub(
        r"scale\((-?[\d.]+)", lambda found: f"scale({float(found[1]) * by:.4f}", element, count=1
    )


def _slide(by: float) -> Callable[[str, random.Random], str]:
    return lambda element, _: re.sub(
        r"translate\((-?[\d.]+)", lambda found: f"translate({float(found[1]) + by:.2f}", element, count=1
    )


def _set_scene(change: Callable[[dict[str, Any], random.Random], None]) -> Kind:
    return only("anchors", change_scene(change, painted=True))


def _turn_relation(data: dict[str, Any], _: random.Random) -> None:
    for each in data["relations"]:
        each["subject"], each["object"] = each["object"], each["subject"]


def _drop_relation(data: dict[str, Any], _: random.Random) -> None:
    data["relations"] = []


def _repeat_relation(data: dict[str, Any], _: random.Random) -> None:
    data["relations"] += data["relations"][:1]


def _set_time(data: dict[str, Any], rng: random.Random) -> None:
    data["time"] = rng.choice([each for each in ("day", "night", "evening", "morning", None) if each != data["time"]])


def _set_place(data: dict[str, Any], rng: random.Random) -> None:
    data["place"] = rng.choice(
        [each for each in ("snow", "beach", "meadow", "street", "desert") if each != data["place"]]
    )


def _set_size(data: dict[str, Any], rng: random.Random) -> None:
    thing = rng.choice(data["things"])
    thing["size"] = rng.choice([each for each in ("small", "medium", "large") if each != thing["size"]])


def _set_noun(data: dict[str, Any], rng: random.Random) -> None:
    thing = rng.choice(data["things"])
    thing["noun"] = rng.choice([each for each in ("cat", "dog", "car", "boat", "tree") if each != thing["noun"]])


def _add_thing(data: dict[str, Any], rng: random.Random) -> None:
    noun = rng.choice(
        [each for each in ("ball", "cat", "dog", "chair") if each not in {t["noun"] for t in data["things"]}]
    )
    data["things"].append(
        {**data["things"][0], "noun": noun, "count": 1, "posture": None, "mood": None, "manner": None}
    )


def _turn_things(data: dict[str, Any], _: random.Random) -> None:
    last = len(data["things"]) - 1
    data["things"].reverse()
    for each in data["relations"]:
        each["subject"], each["object"] = last - each["subject"], last - each["object"]


def _recode(change: Callable[[dict[str, Any]], str]) -> Kind:
    """The same scene in other letters."""

    def lie(row: Row, _: random.Random) -> Row | None:
        if not row["code"] or not row["vector"]:
            return None
        return {**row, "code": change(json.loads(row["code"]))}

    return lie


def _with_facts(change: Callable[[dict[str, Any], random.Random], None], predicate: str, key: str) -> Kind:
    """Scene, SVG, picture and facts that agree, under captions that do not."""
    drawn = _set_scene(change)

    def lie(row: Row, rng: random.Random) -> Row | None:
        changed = drawn(row, rng)
        if changed is None:
            return None
        things = json.loads(changed["code"])["things"]
        facts = [
            {**fact, "value": str(things[int(fact["arguments"][0].partition("-")[2])][key])}
            if fact["predicate"] == predicate and fact["arguments"]
            else fact
            for fact in row["facts"]
        ]
        return {**changed, "facts": facts}

    return lie


def _say(change: Callable[[str, random.Random], str | None]) -> Kind:
    """A caption, or a contrast's text, that says something else."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if not row["vector"] and not row.get("captions"):
            return None
        column = "caption" if row["table"] == "anchors" else "text"
        old = row[column]
        new = change(old, rng) if old else None
        if not new or new == old:
            return None
        said = {"captions": [new if each == old else each for each in row["captions"]]} if column == "caption" else {}
        return {**row, column: new, **said}

    return lie


def _swap(*pairs: tuple[str, str]) -> Callable[[str, random.Random], str | None]:
    def change(text: str, rng: random.Random) -> str | None:
        there = [(old, new) for old, new in pairs if re.search(rf"\b{old}\b", text)]
        if not there:
            return None
        old, new = rng.choice(there)
        return re.sub(rf"\b{old}\b", new, text, count=1)

    return change


def _turn_captions(row: Row, _: random.Random) -> Row | None:
    """The shortest caption as the first, and as the row's."""
    said = row["captions"][::-1]
    return {**row, "captions": said, "caption": said[0]} if len(set(said)) > 1 else None


_DRAWN: Mapping[str, Change] = {
    "things exchange their places": _exchange_places,
    "thing in front": _put_in_front,
    "thing larger": _in_thing(_grow(1.4)),
    "thing a little larger": _in_thing(_grow(1.06)),
    "thing slid": _in_thing(_slide(40)),
    "thing slid a little": _in_thing(_slide(3)),
    "thing turned": _in_thing(lambda group, _: group.replace('transform="', 'transform="rotate(15) ', 1)),
    "thing half seen through": _in_thing(_with('opacity="0.5"')),
    "thing not displayed": _in_thing(_with('display="none"')),
    "thing of another number": _in_thing(lambda group, _: re.sub(r'data-copy="\d+"', 'data-copy="7"', group)),
    "thing with a remark": _in_thing(_with('data-note="bought in June"')),
    "thing's part gone": _in_thing(_of_shape(_drop)),
    "thing's part twice": _in_thing(_of_shape(lambda shape, _: shape * 2)),
    "thing's part of another colour": _in_thing(_of_shape(_recolour)),
    "thing's part dashed": _in_thing(_of_shape(_with('stroke-dasharray="1 3"'))),
    "thing's part moved": _in_thing(_of_shape(_with('transform="translate(4 0)"'))),
    "thing's parts in another order": _in_thing(
        lambda group, _: re.sub(
            r"(<(?:path|ellipse|circle)[^>]*/>)(<(?:path|ellipse|circle)[^>]*/>)</g>$", r"\2\1</g>", group
        )
    ),
    "place's part gone": _of_place(_drop),
    "place's part of another colour": _of_place(_recolour),
    "place's part twice": _of_place(lambda shape, _: shape * 2),
    "sky of another colour": replace_one(r'stop-color="#[0-9a-f]{6}"', 'stop-color="#123456"'),
    "sun more": put_before("<g data-thing", '<circle cx="60" cy="50" r="22" fill="#ffd84a"/>'),
    "fog over all": put_before("</svg>", '<rect x="0" y="0" width="336" height="336" fill="#ffffff" opacity="0.2"/>'),
    "a pixel of fog": put_before(
        "</svg>", '<rect x="0" y="0" width="336" height="336" fill="#ffffff" opacity="0.02"/>'
    ),
    "text in the sky": put_before("</svg>", '<text x="20" y="40">two dogs</text>'),
    "ink in defs": put_before("</defs>", '<circle id="x" cx="60" cy="50" r="22" fill="#ffd84a"/>'),
    "ink by use": put_before("</svg>", '<use href="#sky"/>'),
    "a style sheet": put_before("</svg>", "<style>path{stroke-width:3}</style>"),
    "a description": put_before("</svg>", "<desc>two dogs</desc>"),
    "an image": put_before("</svg>", '<image href="data:image/png;base64," width="9" height="9"/>'),
    "an animation": put_before("</svg>", '<animate attributeName="opacity" to="0" dur="1s"/>'),
    "a view of its half": replace_one(r'viewBox="0 0 336 336"', 'viewBox="0 0 300 300"'),
    "bytes before": lambda svg, _: f'<?xml version="1.0"?>{svg}',
}
_SET: Mapping[str, Callable[[dict[str, Any], random.Random], None]] = {
    "relations turned": _turn_relation,
    "relations gone": _drop_relation,
    "a relation twice": _repeat_relation,
    "another time": _set_time,
    "another place": _set_place,
    "another size": _set_size,
    "another noun": _set_noun,
    "a thing more": _add_thing,
    "things turned": _turn_things,
}
_SAID: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "the for a": _swap(("A", "The"), ("a", "the")),
    "left for right": _swap(("left", "right"), ("right", "left"), ("above", "below"), ("below", "above")),
    "one thing more": _swap(("two", "three"), ("three", "four"), ("one", "two"), ("four", "five")),
    "a size more": _swap(("cat", "tiny cat"), ("dog", "tiny dog"), ("hat", "tiny hat"), ("on", "slowly on")),
    "a denial": _swap(("is", "is not"), ("are", "are not"), ("with", "without")),
    "words dropped": lambda text, _: " ".join(text.split()[:-2]),
    "words turned": lambda text, _: " ".join([*text.split()[1:], text.split()[0]]),
    "a clause more": lambda text, _: f"{text.rstrip('.')} near a bank.",
}
KINDS: Mapping[str, Kind] = {
    **{f"SVG and picture: {name}": redraw(change, paint_png) for name, change in _DRAWN.items()},
    **{f"drawn so: {name}": _set_scene(change) for name, change in _SET.items()},
    **{f"scene: {name}": change_scene(change, painted=False) for name, change in _SET.items()},
    "recorded and drawn: another size": _with_facts(_set_size, "size", "size"),
    "recorded and drawn: another noun": _with_facts(_set_noun, "noun", "noun"),
    "scene with room": _recode(lambda data: json.dumps(data)),
    "scene with its keys sorted": _recode(lambda data: json.dumps(data, sort_keys=True, separators=(",", ":"))),
    "scene with a key twice": _recode(
        lambda data: json.dumps(data, separators=(",", ":"), ensure_ascii=False)[:-1] + ',"time":"night"}'
    ),
    "scene with letters escaped": _recode(
        lambda data: json.dumps(data, separators=(",", ":")).replace("time", "\\u0074ime")
    ),
    **{f"said: {name}": _say(change) for name, change in _SAID.items()},
    "captions turned": only("anchors", _turn_captions),
}
