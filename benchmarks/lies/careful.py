"""Lies of a forger who writes the same otherwise: letters that are not seen, numbers and markup of another spelling,
pixels and chunks beside, and rows that exchange what they are about."""

from __future__ import annotations

import io
import json
import random
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.renderers.raster import SIGNATURE, encode_png

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]
Change = Callable[[str, random.Random], str | None]


# Letters


def _between_letters(sign: str) -> Change:
    """A sign that is not seen, between two letters or digits."""

    def change(text: str, rng: random.Random) -> str | None:
        places = [at for at in range(1, len(text)) if text[at - 1].isalnum() and text[at].isalnum()]
        at = rng.choice(places) if places else 0
        return f"{text[:at]}{sign}{text[at:]}" if at else None

    return change


def _for(old: str, new: str) -> Change:
    """One place of a sign, by one that looks as it does."""

    def change(text: str, rng: random.Random) -> str | None:
        places = [found.start() for found in re.finditer(re.escape(old), text)]
        at = rng.choice(places) if places else -1
        return None if at < 0 else f"{text[:at]}{new}{text[at + len(old) :]}"

    return change


_LETTERS: Mapping[str, Change] = {
    "a soft hyphen": _between_letters("\u00ad"),
    "a joiner": _between_letters("\u2060"),
    "a turn to the left": _between_letters("\u202e"),
    "a sign's other form": _between_letters("\ufe0f"),
    "a tab": _for(" ", "\t"),
    "a line's end": _for(" ", "\u2028"),
    "a thin space": _for(" ", "\u2009"),
    "a ligature": _for("fi", "\ufb01"),
    "a dash": _for("-", "\u2013"),
    "a curled quote": _for("'", "\u2019"),
    "a fraction's stroke": _for("/", "\u2044"),
    "a space at the end": lambda text, _: f"{text} ",
    "a line's end at the end": lambda text, _: f"{text}\n",
    "a mark of byte order": lambda text, _: f"\ufeff{text}",
    "a control sign": _between_letters("\x07"),
}
_COLUMNS = (
    "caption",
    "captions",
    "question",
    "answer",
    "solution",
    "facts",
    "views",
    "code",
    "code_language",
    "vector",
    "text",
    "edits",
    "witness",
    "source_id",
)


def _write(column: str, changes: Mapping[str, Change]) -> Kind:
    """Other letters in a column's text, or in one of its texts."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        value = row.get(column)
        if not value:
            return None
        at = rng.randrange(len(value))
        held = value if isinstance(value, str) else value[at]
        names = (
            [name for name, text in held.items() if isinstance(text, str) and text] if isinstance(held, dict) else []
        )
        name = rng.choice(names) if names else None
        text = held[name] if name is not None else held
        for change in rng.sample([*changes.values()], len(changes)):
            new = change(text, rng) if isinstance(text, str) else None
            if new is None or new == text:
                continue
            if isinstance(value, str):
                more = (
                    {"captions": [new if each == text else each for each in row["captions"]]}
                    if column == "caption"
                    else {}
                )
                return {**row, column: new, **more}
            one = {**held, name: new} if name is not None else new
            return {**row, column: [*value[:at], one, *value[at + 1 :]]}
        return None

    return lie


# Numbers and markup of another spelling


def _at(pattern: str, new: Callable[[re.Match[str]], str]) -> Change:
    """One place that fits, written otherwise."""

    def change(text: str, rng: random.Random) -> str | None:
        found = list(re.finditer(pattern, text))
        at = rng.choice(found) if found else None
        return None if at is None else f"{text[: at.start()]}{new(at)}{text[at.end() :]}"

    return change


_WHOLE = r"(?<![\w.#&])\d+(?![\w.])"
_NUMBERS: Mapping[str, Change] = {
    "with a nought behind the point": _at(_WHOLE, lambda at: f"{at[0]}.0"),
    "with a plus": _at(_WHOLE, lambda at: f"+{at[0]}"),
    "with a power": _at(_WHOLE, lambda at: f"{at[0]}e0"),
    "with an underline": _at(r"(?<![\w.#&])\d{2,}(?![\w.])", lambda at: f"{at[0][0]}_{at[0][1:]}"),
    "no number": _at(_WHOLE, lambda _: "NaN"),
    "a hair more": _at(r"(?<![\w.#&])\d+\.\d+(?![\w.])", lambda at: f"{at[0]}0001"),
}
_MARKUP: Mapping[str, Change] = {
    "single quotes": _at(r'(?<=\s)([\w-]+)="([^"\']*)"', lambda at: f"{at[1]}='{at[2]}'"),
    "a letter by its number": _at(r"(?<=>)[A-Za-z](?=[^<>]*</)", lambda at: f"&#{ord(at[0])};"),
    "a group around": _at(r"<(rect|path|text|circle|polygon)\b[^<>]*/>", lambda at: f"<g>{at[0]}</g>"),
    "a group that moves by nothing": _at(
        r"<(rect|path|circle|polygon)\b[^<>]*/>", lambda at: f'<g transform="translate(0,0)">{at[0]}</g>'
    ),
    "a group that moves": _at(
        r"<(rect|path|circle|polygon)\b[^<>]*/>", lambda at: f'<g transform="translate(9,0)">{at[0]}</g>'
    ),
    "a style": _at(r"</svg>", lambda _: "<style>text{opacity:0}</style></svg>"),
    "a class more": _at(r'class="([\w -]+)"', lambda at: f'class="{at[1]} hidden"'),
    "a room more in a tag": _at(r"<(\w+) ", lambda at: f"<{at[1]}  "),
    "a declaration": lambda text, _: f'<?xml version="1.0"?>{text}',
    "another language": _at(r"<svg ", lambda _: '<svg xml:lang="de" '),
    "opaque by name": _at(r"<(rect|path|circle|polygon|text) ", lambda at: f'<{at[1]} opacity="1" '),
    "unseen": _at(r"<(rect|path|circle|polygon|text) ", lambda at: f'<{at[1]} visibility="hidden" '),
    "used twice": _at(r"</svg>", lambda _: '<use href="#a"/></svg>'),
}
_SCRIPT: Mapping[str, Change] = {
    "a line more": _at(r"\n", lambda _: "\n\n"),
    "a room more": _at(r" = |: |, | --> |(?<=\w) (?=\w)", lambda at: f"{at[0]} "),
    "the end of a statement": _at(r"(?<=[\w\])}])\n", lambda _: ";\n"),
    "a key twice": _at(r'\{"(\w+)": ', lambda at: f'{{"{at[1]}": 0, "{at[1]}": '),
    "brackets around": lambda text, _: f"({text})" if "\n" not in text and not text.startswith("{") else None,
    "another end": lambda text, _: f"{text.rstrip()} := by sorry" if ":=" not in text and "∀" in text else None,
    "an option before it": lambda text, _: f"set_option autoImplicit true in\n{text}" if "theorem" in text else None,
    "a name for a bound one": _at(r"∀ (\w),", lambda at: f"∀ ({at[1]}),"),
    "the type by its other name": _at(r"ℕ|ℤ|ℝ|ℚ", lambda at: {"ℕ": "Nat", "ℤ": "Int", "ℝ": "Real", "ℚ": "Rat"}[at[0]]),
    "signs by letters": _at(r"≤|≥|≠|∧|→", lambda at: {"≤": "<=", "≥": ">=", "≠": "!=", "∧": "/\\", "→": "->"}[at[0]]),
    "a look": lambda text, _: (
        f"{text.rstrip()}\n    style A fill:#fff\n" if re.match(r"\s*(flowchart|graph)\b", text) else None
    ),
    "a link's look": lambda text, _: (
        f"{text.rstrip()}\n    linkStyle 0 stroke:#fff\n" if re.match(r"\s*(flowchart|graph)\b", text) else None
    ),
}


# Pictures


def _pixels(row: Row) -> np.ndarray | None:
    if not row.get("image") or not row["code"]:
        return None
    try:
        with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
            return np.array(picture.convert("RGB"))
    except OSError:
        return None


def _paint(change: Callable[[np.ndarray, random.Random], np.ndarray]) -> Kind:
    """Other pixels (height, width, 3)."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        before = _pixels(row)
        if before is None:
            return None
        after = change(before.copy(), rng)
        if np.array_equal(before, after):
            return None
        return {**row, "image": {**row["image"], "bytes": encode_png(np.ascontiguousarray(after))}}

    return lie


def _scatter(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """Noise of up to 6 levels."""
    noise = np.random.default_rng(rng.randrange(2**32)).integers(-6, 7, pixels.shape)
    return np.clip(pixels.astype(int) + noise, 0, 255).astype(np.uint8)


def _tint(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """The ground a little blue."""
    pixels[..., 2] = np.minimum(pixels[..., 2], 245)
    return pixels


def _dot(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """Three pixels by three of ink, anywhere."""
    y, x = (rng.randrange(size - 3) for size in pixels.shape[:2])
    pixels[y : y + 3, x : x + 3] = 255 - pixels[y : y + 3, x : x + 3]
    return pixels


def _shear(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A band of a sixth slid by 4 pixels."""
    step = pixels.shape[0] // 6
    y = rng.randrange(5) * step
    pixels[y : y + step] = np.roll(pixels[y : y + step], 4, axis=1)
    return pixels


def _turn_patch(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A square of a quarter's side upside down."""
    side = min(pixels.shape[:2]) // 4
    y, x = (rng.randrange(size - side) for size in pixels.shape[:2])
    pixels[y : y + side, x : x + side] = pixels[y : y + side, x : x + side][::-1, ::-1]
    return pixels


def _copy_patch(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A square of a quarter's side once more, elsewhere."""
    side = min(pixels.shape[:2]) // 4
    (y, x), (v, u) = ([rng.randrange(size - side) for size in pixels.shape[:2]] for _ in range(2))
    pixels[v : v + side, u : u + side] = pixels[y : y + side, x : x + side].copy()
    return pixels


def _fade(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """Half the contrast."""
    return (128 + pixels // 2 - 1).astype(np.uint8)


def _thicken(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """All ink a pixel wider."""
    return np.minimum(pixels, np.roll(pixels, 1, axis=1))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pack(how: Callable[[np.ndarray, bytes], bytes | None]) -> Kind:
    """The same pixels in a file of another make."""

    def lie(row: Row, _: random.Random) -> Row | None:
        pixels = _pixels(row)
        old = row["image"]["bytes"] if row.get("image") else b""
        new = how(pixels, old) if pixels is not None and old.startswith(SIGNATURE) else None
        return None if new is None or new == old else {**row, "image": {**row["image"], "bytes": new}}

    return lie


def _split_data(_: np.ndarray, png: bytes) -> bytes:
    at = png.index(b"IDAT") - 4
    (size,) = struct.unpack_from(">I", png, at)
    data = png[at + 8 : at + 8 + size]
    half = size // 2
    return png[:at] + _chunk(b"IDAT", data[:half]) + _chunk(b"IDAT", data[half:]) + png[at + 12 + size :]


def _in_sixteen_bits(pixels: np.ndarray, _: bytes) -> bytes:
    height, width = pixels.shape[:2]
    wide = pixels.astype(">u2") * 257
    raw = b"".join(b"\0" + wide[y].tobytes() for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(raw)) + _chunk(b"IEND", b"")


def _with_chunk(kind: bytes, data: bytes) -> Callable[[np.ndarray, bytes], bytes]:
    return lambda _, png: png[:33] + _chunk(kind, data) + png[33:]


# Rows


def _trade(*columns: str) -> Kind:
    """What another row of the partition has, whoever's it is."""

    def lie(row: Row, _: random.Random) -> Row | None:
        other = row.get("other")
        if other is None or not {*columns} <= {*row} or all(row[name] == other[name] for name in columns):
            return None
        if row[columns[0]] is None or other[columns[0]] is None:
            return None
        return {**row, **{name: other[name] for name in columns}}

    return lie


def _set(column: str, value: Callable[[Any], Any]) -> Kind:
    def lie(row: Row, _: random.Random) -> Row | None:
        if not row.get(column):
            return None
        new = value(row[column])
        return None if new == row[column] else {**row, column: new}

    return lie


def _in_json(change: Callable[[Any], bool]) -> Kind:
    """Something in code that is JSON, written as its maker writes it."""

    def lie(row: Row, _: random.Random) -> Row | None:
        code = row.get("code") or ""
        try:
            value = json.loads(code) if code.startswith("{") else None
        except ValueError:
            value = None
        if value is None or not change(value):
            return None
        dense = '": ' not in code
        return {**row, "code": json.dumps(value, ensure_ascii=False, separators=(",", ":") if dense else None)}

    return lie


def _find_number(value: Any) -> tuple[Any, Any] | None:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in items:
        if isinstance(held, int) and not isinstance(held, bool):
            return value, key
        if (found := _find_number(held)) is not None:
            return found
    return None


def _turn_number(turn: Callable[[int], Any]) -> Callable[[Any], bool]:
    """Puts in place of the first whole number what ``turn`` makes of it."""

    def change(value: Any) -> bool:
        found = _find_number(value)
        if found is not None:
            found[0][found[1]] = turn(found[0][found[1]])
        return found is not None

    return change


def _add_key(value: Any) -> bool:
    value["note"] = None
    return True


KINDS: Mapping[str, Kind] = {
    **{f"letters not seen: {column}": _write(column, _LETTERS) for column in _COLUMNS},
    **{
        f"a number spelled otherwise: {column}": _write(column, _NUMBERS)
        for column in ("caption", "text", "answer", "solution", "facts", "code", "vector", "edits", "witness")
    },
    **{f"markup: {name}": _write("vector", {name: change}) for name, change in _MARKUP.items()},
    **{f"code: {name}": _write("code", {name: change}) for name, change in _SCRIPT.items()},
    **{f"a view: {name}": _write("views", {name: change}) for name, change in _SCRIPT.items()},
    "pixels scattered": _paint(_scatter),
    "ground tinted": _paint(_tint),
    "a dot anywhere": _paint(_dot),
    "a band slid": _paint(_shear),
    "a patch turned": _paint(_turn_patch),
    "a patch copied": _paint(_copy_patch),
    "faded": _paint(_fade),
    "ink wider": _paint(_thicken),
    "pixels in two chunks": _pack(_split_data),
    "pixels of 16 bits": _pack(_in_sixteen_bits),
    "a colour that is clear": _pack(_with_chunk(b"tRNS", b"\0\0" * 3)),
    "a space of colours": _pack(_with_chunk(b"sRGB", b"\0")),
    "a date": _pack(_with_chunk(b"tIME", b"\x07\xe0\1\1\0\0\0")),
    "a private chunk": _pack(_with_chunk(b"prVt", b"AB = 9")),
    "a cell's size": _pack(_with_chunk(b"pHYs", struct.pack(">IIB", 1, 2, 0))),
    "facts of another": _trade("facts"),
    "captions of another": _trade("caption", "captions"),
    "all but the picture of another": _trade("caption", "captions", "facts", "question", "answer", "solution", "views"),
    "source row of another": _trade("source_id"),
    # A text that is false of another anchor may be false of this one, and then it is no lie.
    "all that another's contrast shows": _trade("image", "text", "vector", "code", "edits", "changes", "witness"),
    "checks of another": _trade("checks"),
    "answer with a unit": _set("answer", lambda text: f"{text} cm"),
    "answer in dollars": _set("answer", lambda text: f"${text}$"),
    "answer as an equation": _set("answer", lambda text: f"x = {text}"),
    "answer as a fraction": _set("answer", lambda text: f"{2 * int(text)}/2" if text.isdigit() else text),
    "solution's lines turned": _set("solution", lambda text: "\n".join(text.split("\n")[::-1])),
    "solution's last line gone": _set("solution", lambda text: text.rpartition("\n")[0] or text),
    "steps of none": _set("steps", lambda _: 0),
    "language in capitals": _set("code_language", str.upper),
    "source in capitals": _set("source", str.upper),
    "a whole number as real": _in_json(_turn_number(float)),
    "a whole number as truth": _in_json(_turn_number(lambda _: True)),
    "a whole number as text": _in_json(_turn_number(str)),
    "a key more": _in_json(_add_key),
}
