"""Lies about geometry: pixels alone, the PNG around them, facts alone, and script and picture that agree."""

from __future__ import annotations

import io
import random
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.renderers.raster import encode_png
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.facts.residuals import measure_gap

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]
_POINT = re.compile(r'^    "(\w+)": \((-?[\d.]+(?:e-?\d+)?), (-?[\d.]+(?:e-?\d+)?)\),$', re.M)
_SAVED = "\nfig.savefig("


# Pixels, and the file that holds them


def _of_pixels(change: Callable[[np.ndarray, random.Random], np.ndarray | None]) -> Kind:
    """The picture with other pixels (height, width, 3), written as pictures are; code and record stay."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["image"] is None:
            return None
        changed = change(_open(row), rng)
        return None if changed is None else _store(row, encode_png(changed))

    return lie


def _of_file(change: Callable[[bytes], bytes]) -> Kind:
    """The picture in other bytes."""
    return lambda row, _: None if row["image"] is None else _store(row, change(row["image"]["bytes"]))


def _open(row: Row) -> np.ndarray:
    with Image.open(io.BytesIO(row["image"]["bytes"])) as picture:
        return np.array(picture.convert("RGB"))


def _store(row: Row, png: bytes) -> Row:
    path = f"{fingerprint(png)[:16]}.png" if row["table"] == "contrasts" else row["image"]["path"]
    return {**row, "image": {"bytes": png, "path": path}}


def _choose_ink(pixels: np.ndarray, rng: random.Random) -> tuple[int, int]:
    places = np.argwhere(pixels.max(axis=2) < 128)
    y, x = places[rng.randrange(len(places))]
    return int(y), int(x)


def add_stroke(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A stroke of 40 pixels."""
    y, x = (rng.randrange(50, side - 50) for side in pixels.shape[:2])
    pixels[y : y + 2, x : x + 40] = 0
    return pixels


def add_speck(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A speck of 3 pixels a side."""
    y, x = (rng.randrange(20, side - 20) for side in pixels.shape[:2])
    pixels[y : y + 3, x : x + 3] = 255 - pixels[y : y + 3, x : x + 3]
    return pixels


def paint_out(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """What lies around some ink painted out."""
    y, x = _choose_ink(pixels, rng)
    pixels[max(0, y - 10) : y + 10, max(0, x - 10) : x + 10] = pixels[0, 0]
    return pixels


def shift_levels(pixels: np.ndarray, rng: random.Random) -> np.ndarray:
    """A pixel of ink lighter by 2 levels: nobody sees it."""
    y, x = _choose_ink(pixels, rng)
    pixels[y, x] += 2
    return pixels


def recolour(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """Every grey in a colour of its brightness (0.299 R + 0.587 G + 0.114 B)."""
    grey = pixels.astype(int)
    grey[..., 0] += 58
    grey[..., 1] -= 30
    inside = (grey >= 0).all(axis=2) & (grey <= 255).all(axis=2)
    pixels[inside] = grey[inside]
    return pixels


def mirror(pixels: np.ndarray, _: random.Random) -> np.ndarray:
    """Left and right exchanged, letters too."""
    return np.ascontiguousarray(pixels[:, ::-1])


def add_chunk(png: bytes, kind: bytes, data: bytes) -> bytes:
    """A chunk before the pixels."""
    return png[:33] + struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) + png[33:]


def hide_ink(png: bytes) -> bytes:
    """The ink of alpha 0: a viewer sees an empty page."""
    with Image.open(io.BytesIO(png)) as picture:
        rgba = picture.convert("RGBA")
    rgba.putalpha(Image.fromarray(np.where(np.asarray(rgba)[..., 0] < 128, 0, 255).astype(np.uint8)))
    return _save(rgba)


def add_frame(png: bytes) -> bytes:
    """A second frame, which a browser shows after the first."""
    with Image.open(io.BytesIO(png)) as picture:
        first = picture.convert("RGB")
    return _save(first, save_all=True, append_images=[Image.new("RGB", first.size, "white")])


def _save(picture: Image.Image, **options: Any) -> bytes:
    sink = io.BytesIO()
    picture.save(sink, "PNG", **options)
    return sink.getvalue()


# Facts of an anchor


def _of_facts(change: Callable[[list[Row], random.Random], list[Row] | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        facts = change([dict(each) for each in row["facts"]], rng)
        return None if facts is None else {**row, "facts": facts}

    return lie


def _invent(predicate: str, count: int, value: str | None) -> Kind:
    """A mark more, of letters that lines join or not."""

    def change(facts: list[Row], rng: random.Random) -> list[Row] | None:
        points = [each["arguments"][0] for each in facts if each["predicate"] == "point"]
        chosen = rng.sample(points, count) if len(points) >= count else []
        known = any(each["predicate"] == predicate and set(each["arguments"]) == set(chosen) for each in facts)
        mark = {"predicate": predicate, "arguments": chosen, "value": value}
        return None if known or not chosen else [*facts, mark]

    return _of_facts(change)


def drop_mark(facts: list[Row], rng: random.Random) -> list[Row] | None:
    """A mark of the picture stated no more."""
    marks = [each for each in facts if each["predicate"].startswith("mark_")]
    gone = rng.choice(marks) if marks else None
    return None if gone is None else [each for each in facts if each is not gone]


def move_mark(facts: list[Row], rng: random.Random) -> list[Row] | None:
    """A mark at another vertex: its letters in another order, or others."""
    points = [each["arguments"][0] for each in facts if each["predicate"] == "point"]
    marks = [each for each in facts if each["predicate"] in ("mark_angle", "mark_right", "mark_length", "mark_ticks")]
    if not marks:
        return None
    mark = rng.choice(marks)
    others = [each for each in points if each not in mark["arguments"]]
    if others:
        mark["arguments"] = [*mark["arguments"][:-1], rng.choice(others)]
    elif len(mark["arguments"]) == 3:
        p, q, r = mark["arguments"]
        mark["arguments"] = [q, p, r]
    else:
        return None
    return facts


def change_number(facts: list[Row], rng: random.Random) -> list[Row] | None:
    """Another number of a mark."""
    marks = [each for each in facts if each["predicate"] in ("mark_length", "mark_angle", "mark_arc")]
    if not marks:
        return None
    mark = rng.choice(marks)
    mark["value"] = "77" if mark["value"] != "77" else "78"
    return facts


def drop_segment(facts: list[Row], rng: random.Random) -> list[Row] | None:
    """A stroke of the picture stated no more."""
    segments = [each for each in facts if each["predicate"] == "segment"]
    gone = rng.choice(segments) if segments else None
    return None if gone is None else [each for each in facts if each is not gone]


def repeat_segment(facts: list[Row], rng: random.Random) -> list[Row] | None:
    """A stroke stated twice."""
    segments = [each for each in facts if each["predicate"] == "segment"]
    if not segments:
        return None
    again = rng.choice(segments)
    return [*facts, {**again, "arguments": again["arguments"][::-1]}]


# Scripts with the pictures that they draw


@cache
def _open_renderer() -> MemoRenderer:
    return MemoRenderer()


def draw_changed(change: Callable[[str, random.Random], str | None]) -> Kind:
    """Another script, with the picture that it really draws where the row has one."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["image"] is None or not row["code"] or _SAVED not in row["code"]:
            return None
        code = change(row["code"], rng)
        if code is None or code == row["code"]:
            return None
        png = _open_renderer().render(code).png
        return None if png is None or png == row["image"]["bytes"] else {**_store(row, png), "code": code}

    return lie


def draw_more(code: str, line: str) -> str:
    """A line more of the script, before the picture is saved."""
    return code.replace(_SAVED, f"\n{line}{_SAVED}")


def list_places(code: str) -> dict[str, tuple[float, float]]:
    """The points of a script, with their coordinates."""
    block = code[code.index("points = {") : code.index("}", code.index("points = {"))]
    return {name: (float(x), float(y)) for name, x, y in _POINT.findall(block)}


def measure_figure(code: str) -> float:
    """The longer side of the figure."""
    places = np.array([*list_places(code).values()])
    return float(np.ptp(places, axis=0).max())


def join_letters(code: str, rng: random.Random) -> str | None:
    """A stroke between two letters that none joined."""
    points = list_places(code)
    drawn = [(points[p], points[q]) for p, q in re.findall(r'\("(\w+)", "(\w+)"\)', code)]
    near = 0.02 * measure_figure(code)
    pairs = [
        (p, q)
        for p in points
        for q in points
        if p < q and not any(measure_gap(points[p], *s) < near > measure_gap(points[q], *s) for s in drawn)
    ]
    if not pairs:
        return None
    (x0, y0), (x1, y1) = (points[name] for name in rng.choice(pairs))
    return draw_more(code, f"ax.plot([{x0}, {x1}], [{y0}, {y1}], color='black', linewidth=1.5)")


def add_stub(code: str, rng: random.Random) -> str:
    """A short stroke away from a letter's point."""
    (x, y), size = rng.choice([*list_places(code).values()]), measure_figure(code)
    dx, dy = (rng.choice((-1, 1)) * rng.uniform(0.03, 0.07) * size for _ in range(2))
    return draw_more(code, f"ax.plot([{x}, {x + dx:.4f}], [{y}, {y + dy:.4f}], color='black', linewidth=1.5)")


def add_circle(code: str, rng: random.Random) -> str:
    """A circle about no letter."""
    places = np.array([*list_places(code).values()])
    x, y = places.mean(axis=0)
    radius = rng.uniform(0.05, 0.2) * measure_figure(code)
    return draw_more(code, f"ax.add_patch(plt.Circle(({x:.4f}, {y:.4f}), {radius:.4f}, fill=False, linewidth=1.5))")


def add_number(code: str, rng: random.Random) -> str:
    """A number somewhere."""
    places = np.array([*list_places(code).values()])
    x, y = (rng.uniform(low, high) for low, high in zip(places.min(axis=0), places.max(axis=0), strict=True))
    return draw_more(code, f"ax.text({x:.4f}, {y:.4f}, '{rng.randrange(2, 99)}', fontsize=13.5, family='serif')")


def add_tick(code: str, rng: random.Random) -> str | None:
    """A tick on a side, at a third of it."""
    points, size = list_places(code), measure_figure(code)
    drawn = [pair for pair in re.findall(r'\("(\w+)", "(\w+)"\)', code) if {*pair} <= {*points}]
    if not drawn:
        return None
    p, q = (np.array(points[name]) for name in rng.choice(drawn))
    middle, along = p + 0.37 * (q - p), (q - p) / np.hypot(*(q - p))
    a, b = (middle + sign * 0.016 * size * np.array([-along[1], along[0]]) for sign in (1, -1))
    return draw_more(code, f"ax.plot([{a[0]:.4f}, {b[0]:.4f}], [{a[1]:.4f}, {b[1]:.4f}], color='black', linewidth=1.1)")


def _drop_entry(name: str) -> Callable[[str, random.Random], str | None]:
    """One entry fewer of a list of the script: a stroke, a tick, a square, an arc, a number."""

    def change(code: str, rng: random.Random) -> str | None:
        found = re.search(rf"^{name} = \[\n((?:    .*\n)+)\]", code, re.M)
        entries = found[1].splitlines(keepends=True) if found else []
        if found is None or not entries:
            return None
        del entries[rng.randrange(len(entries))]
        return code[: found.start(1)] + "".join(entries) + code[found.end(1) :]

    return change


def drop_side(code: str, rng: random.Random) -> str | None:
    """One of the figure's strokes fewer."""
    found = re.search(r"^segments = \[(.*)\]$", code, re.M)
    pairs = re.findall(r'\("\w+", "\w+"\)', found[1]) if found else []
    if found is None or len(pairs) < 2:
        return None
    del pairs[rng.randrange(len(pairs))]
    return code[: found.start(1)] + ", ".join(pairs) + code[found.end(1) :]


def write_other(code: str, rng: random.Random) -> str | None:
    """Another number in the picture."""
    numbers = re.findall(r'^    \("(?:length|angle|arc)[^"]*", "(\d+°?)", ', code, re.M)
    if not numbers:
        return None
    number = rng.choice(numbers)
    other = number.replace(number.rstrip("°"), "83" if not number.startswith("83") else "84")
    return code.replace(f', "{number}", ', f', "{other}", ', 1)


def draw_in_red(code: str, _: random.Random) -> str:
    """All strokes in red."""
    return code.replace('color="black"', 'color="red"')


def add_dot(code: str, rng: random.Random) -> str:
    """A dot at no letter."""
    places = np.array([*list_places(code).values()])
    x, y = places.mean(axis=0) + rng.uniform(0.03, 0.1) * measure_figure(code)
    return draw_more(code, f"ax.plot([{x:.4f}], [{y:.4f}], 'o', color='black', markersize=4)")


KINDS: Mapping[str, Kind] = {
    "pixels: a stroke": _of_pixels(add_stroke),
    "pixels: a speck": _of_pixels(add_speck),
    "pixels: ink painted out": _of_pixels(paint_out),
    "pixels: one lighter by 2 levels": _of_pixels(shift_levels),
    "pixels: colours of equal grey": _of_pixels(recolour),
    "pixels: mirrored": _of_pixels(mirror),
    "file: ink of alpha 0": _of_file(hide_ink),
    "file: a second frame": _of_file(add_frame),
    "file: a gamma": _of_file(lambda png: add_chunk(png, b"gAMA", struct.pack(">I", 1))),
    "file: a text": _of_file(lambda png: add_chunk(png, b"tEXt", b"Comment\0AB = 8")),
    "file: bytes after its end": _of_file(lambda png: png + bytes(1 << 20)),
    "facts: a length": _invent("mark_length", 2, "x"),
    "facts: ticks": _invent("mark_ticks", 2, "1"),
    "facts: a right angle": _invent("mark_right", 3, None),
    "facts: an angle": _invent("mark_angle", 3, "x"),
    "facts: a stroke": _invent("segment", 2, None),
    "facts: a mark gone": _of_facts(drop_mark),
    "facts: a mark moved": _of_facts(move_mark),
    "facts: a number changed": _of_facts(change_number),
    "facts: a stroke gone": _of_facts(drop_segment),
    "facts: a stroke twice": _of_facts(repeat_segment),
    "script and picture: a stroke between letters": draw_changed(join_letters),
    "script and picture: a stub": draw_changed(add_stub),
    "script and picture: a circle": draw_changed(add_circle),
    "script and picture: a number": draw_changed(add_number),
    "script and picture: a tick": draw_changed(add_tick),
    "script and picture: a dot": draw_changed(add_dot),
    "script and picture: a tick or square gone": draw_changed(_drop_entry("strokes")),
    "script and picture: an arc gone": draw_changed(_drop_entry("arcs")),
    "script and picture: a number gone": draw_changed(_drop_entry("numbers")),
    "script and picture: a side gone": draw_changed(drop_side),
    "script and picture: another number": draw_changed(write_other),
    "script and picture: in red": draw_changed(draw_in_red),
}
