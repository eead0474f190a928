"""Turns what a script's process left in the result memory into typed values, believing none of it.

Every number is checked to be finite, every list and string to be within bounds. What does not fit makes the whole
result invalid: a half-believed drawing would be worse than none.
"""

from __future__ import annotations

import json
import math
from typing import Any

from counterfoil.renderers.results import Arc, Dot, Drawing, Face, Glyph, Label, Panel, Polyline, ScriptError

MAX_PANELS = 256
MAX_SHAPES = 100_000
MAX_FACES = 10_000
MAX_TEXT = 4_000
STYLES = frozenset(("-", "--", ":", "-."))


class ClaimError(ValueError):
    """The result memory holds something that no honest recorder writes. Says which field."""


def parse_drawing(data: bytes, width: int, height: int) -> Drawing:
    """The recorded drawing of a picture of ``width`` x ``height`` pixels. Raises `ClaimError`."""
    content = _parse(data, "drawing")
    names = ("width", "height", "panels", "truncated", "paper", "faces", "dpi", "hinting", "wobble")
    wide, high, panels, truncated, paper, faces, dpi, hinting, wobble = _take(content, "drawing", *names)
    if (wide, high) != (width, height):
        raise ClaimError(f"drawing: recorded {wide!r} x {high!r}, the picture has {width} x {height}")
    return Drawing(
        tuple(map(_read_panel, _list(panels, "panels", MAX_PANELS))),
        width,
        height,
        _bool(truncated, "truncated"),
        _color(paper),
        tuple(map(_read_face, _list(faces, "faces", MAX_FACES))),
        _number(dpi, "dpi"),
        _text(hinting, "hinting"),
        _number(wobble, "wobble"),
    )


def parse_error(data: bytes, script: str) -> ScriptError:
    """The script's exception; the source line comes from the script itself. Raises `ClaimError`."""
    line, kind, message = _take(_parse(data, "error"), "error", "line", "type", "message")
    if line is not None and (not isinstance(line, int) or isinstance(line, bool)):
        raise ClaimError(f"error.line: {line!r} is no line number")
    lines = script.splitlines()
    source = lines[line - 1].strip() if line is not None and 1 <= line <= len(lines) else ""
    return ScriptError("script.py", line if source else None, _text(kind, "type"), _text(message, "message"), source)


def _read_panel(value: Any) -> Panel:
    names = ("xlim", "ylim", "box", "axis_on", "title", "polylines", "arcs", "dots", "labels")
    xlim, ylim, box, axis_on, title, polylines, arcs, dots, labels = _take(value, "panel", *names)
    return Panel(
        xlim=_pair(xlim, "xlim"),
        ylim=_pair(ylim, "ylim"),
        box=_four(box, "box"),
        polylines=tuple(map(_read_polyline, _list(polylines, "polylines"))),
        arcs=tuple(map(_read_arc, _list(arcs, "arcs"))),
        dots=tuple(map(_read_dot, _list(dots, "dots"))),
        labels=tuple(map(_read_label, _list(labels, "labels"))),
        axis_on=_bool(axis_on, "axis_on"),
        title=_text(title, "title"),
    )


def _read_face(value: Any) -> Face:
    rings, color, alpha, clip, hatched = _row(value, "face", 5)
    return Face(
        rings=tuple(
            tuple(_pair(point, "face.rings") for point in _list(ring, "face.rings"))
            for ring in _list(rings, "face.rings")
        ),
        color=_color(color),
        alpha=_number(alpha, "face.alpha"),
        clip=None if clip is None else _four(clip, "face.clip"),
        hatched=_bool(hatched, "face.hatched"),
    )


def _read_polyline(value: Any) -> Polyline:
    points, closed, filled, style, color, width, gid, head = _row(value, "polyline", 8)
    return Polyline(
        points=tuple(_pair(point, "polyline.points") for point in _list(points, "polyline.points")),
        closed=_bool(closed, "polyline.closed"),
        filled=_bool(filled, "polyline.filled"),
        style=_style(style),
        color=_color(color),
        width=_number(width, "polyline.width"),
        gid=_text(gid, "gid"),
        head=_number(head, "polyline.head"),
    )


def _read_arc(value: Any) -> Arc:
    centre, width, height, angle, first, last, filled, style, color, line_width, gid = _row(value, "arc", 11)
    return Arc(
        centre=_pair(centre, "arc.centre"),
        width=_number(width, "arc.width"),
        height=_number(height, "arc.height"),
        angle=_number(angle, "arc.angle"),
        theta1=_number(first, "arc.theta1"),
        theta2=_number(last, "arc.theta2"),
        filled=_bool(filled, "arc.filled"),
        style=_style(style),
        color=_color(color),
        line_width=_number(line_width, "arc.line_width"),
        gid=_text(gid, "gid"),
    )


def _read_dot(value: Any) -> Dot:
    position, size, marker, color, gid = _row(value, "dot", 5)
    return Dot(
        position=_pair(position, "dot.position"),
        size=_number(size, "dot.size"),
        marker=_text(marker, "dot.marker"),
        color=_color(color),
        gid=_text(gid, "gid"),
    )


def _read_label(value: Any) -> Label:
    text, anchor, box, target, size, rotation, color, gid, inside, frame, lines, bars = _row(value, "label", 12)
    return Label(
        text=_text(text, "label.text"),
        anchor=_pair(anchor, "label.anchor"),
        box=_four(box, "label.box"),
        points_at=None if target is None else _pair(target, "label.points_at"),
        size=_number(size, "label.size"),
        rotation=_number(rotation, "label.rotation"),
        color=_color(color),
        gid=_text(gid, "gid"),
        inside=_bool(inside, "label.inside"),
        frame=_number(frame, "label.frame"),
        glyphs=tuple(
            tuple(map(_read_glyph, _list(line, "label.glyphs", MAX_TEXT)))
            for line in _list(lines, "label.glyphs", MAX_TEXT)
        ),
        bars=tuple(_four(bar, "label.bars") for bar in _list(bars, "label.bars", MAX_TEXT)),
    )


def _read_glyph(value: Any) -> Glyph:
    font, size, char, index, x, y = _row(value, "glyph", 6)
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < 1 << 16:
        raise ClaimError(f"glyph.index: {str(index)[:40]!r} is no number of a glyph")
    return Glyph(
        font=_text(font, "glyph.font"),
        size=_number(size, "glyph.size"),
        char=_text(char, "glyph.char"),
        index=index,
        x=_number(x, "glyph.x"),
        y=_number(y, "glyph.y"),
    )


def _parse(data: bytes, what: str) -> dict[str, Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ClaimError(f"{what}: not JSON ({type(error).__name__})") from None
    if not isinstance(content, dict):
        raise ClaimError(f"{what}: not an object")
    return content


def _take(value: Any, what: str, *names: str) -> list[Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise ClaimError(f"{what}: not an object with exactly {', '.join(names)}")
    return [value[name] for name in names]


def _row(value: Any, what: str, length: int) -> list[Any]:
    if not isinstance(value, list) or len(value) != length:
        raise ClaimError(f"{what}: not a list of {length}")
    return value


def _list(value: Any, what: str, most: int = MAX_SHAPES) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ClaimError(f"{what}: not a list of at most {most}")
    return value


def _number(value: Any, what: str) -> float:
    if isinstance(value, float | int) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise ClaimError(f"{what}: {str(value)[:40]!r} is no finite number")


def _pair(value: Any, what: str) -> tuple[float, float]:
    x, y = _row(value, what, 2)
    return _number(x, what), _number(y, what)


def _four(value: Any, what: str) -> tuple[float, float, float, float]:
    a, b, c, d = (_number(v, what) for v in _row(value, what, 4))
    return a, b, c, d


def _bool(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise ClaimError(f"{what}: not true or false")
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise ClaimError(f"{what}: not a text of at most {MAX_TEXT} characters")
    # A lone surrogate could not be written to any table or file.
    return value.encode("utf-8", "replace").decode()


def _style(value: Any) -> str:
    if not isinstance(value, str) or value not in STYLES:
        raise ClaimError(f"style: {str(value)[:40]!r} is none of {sorted(STYLES)}")
    return value


def _color(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 7 or value[0] != "#":
        raise ClaimError(f"color: {str(value)[:40]!r} is no #rrggbb")
    try:
        int(value[1:], 16)
    except ValueError:
        raise ClaimError(f"color: {value!r} is no #rrggbb") from None
    return value
