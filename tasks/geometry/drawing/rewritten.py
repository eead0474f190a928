"""Whether a script is to the letter as `script` writes one that draws the same: no remark, no other spelling."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.drawing.board import AngleArc, Stroke
from counterfoil.tasks.geometry.drawing.page import Page
from counterfoil.tasks.geometry.drawing.preview import Layout, PlacedText
from counterfoil.tasks.geometry.drawing.script import write_layout
from counterfoil.tasks.geometry.drawing.style import Style
from counterfoil.tasks.geometry.figure.scene import Scene

_LIMITS = re.compile(r"^ax\.set_[xy]lim\((\S+), (\S+)\)$", re.M)
_REGION = re.compile(r"for name in (\[[^\]]*\])\], \[points")
_CANVAS = re.compile(r"figsize=\(([\d.]+), ([\d.]+)\)")


@lru_cache(maxsize=64)
def is_rewritten(code: str, style: Style) -> bool:
    """Whether the data at the top of a script, written again in this style, give the script to the letter.

    Where the page lies is read off it: that its numbers are written as numbers are is all that is asked of them.
    Remembered: a caption and the picture made with it have one script.
    """
    try:
        layout = _read_layout(code, style)
        plain = all(repr(float(number)) == number for limits in _LIMITS.findall(code) for number in limits)
        return plain and _LIMITS.sub("", write_layout(layout)) == _LIMITS.sub("", code)
    except (SyntaxError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return False  # it is no script of ours


def _read_layout(code: str, style: Style) -> Layout:
    data = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    region = _REGION.search(code)
    canvas = _CANVAS.search(code)
    wide, tall = (round(100 * float(side)) for side in canvas.groups()) if canvas else (0, 0)
    scene = Scene(
        data["points"],
        tuple(data.get("segments", ())),
        data.get("circles", {}),
        facts=(Fact("triangle", tuple(ast.literal_eval(region[1]))),) if region else (),
    )
    grid = tuple(((xs[0], ys[0]), (xs[1], ys[1])) for xs, ys in data.get("grid", ()))
    curves = tuple(Stroke(tuple(zip(xs, ys, strict=True)), gid) for gid, xs, ys in data.get("curves", ()))
    layout = Layout(Page(0.0, 0.0, 1.0, (wide, tall)), scene, style, *_read_marks(data))
    return replace(layout, curves=curves, grid=grid)


def _read_marks(data: dict[str, Any]) -> tuple[Any, ...]:
    strokes = tuple(
        Stroke(tuple(zip(xs, ys, strict=True)), gid, thin)
        for name, thin in (("strokes", False), ("thin_strokes", True))
        for gid, xs, ys in data.get(name, ())
    )
    arcs = tuple(
        AngleArc((x, y), radius, start, end, gid, thin)
        for name, thin in (("arcs", False), ("thin_arcs", True))
        for gid, x, y, radius, start, end in data.get(name, ())
    )
    names = (PlacedText(text, place, 0, f"label {text}") for text, place in data.get("names", {}).items())
    numbers = (PlacedText(text, (x, y), 0, gid) for gid, text, x, y in data.get("numbers", ()))
    return strokes, arcs, tuple(data.get("dots", ())), (*names, *numbers)
