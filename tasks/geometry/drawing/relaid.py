"""Whether a script lays out what it draws as `script` would: the page, each mark, letter, number, axis and line of the
grid stand where the layout puts them, all of them and no others."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice, product
from typing import Any

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.drawing.style import Style
from counterfoil.tasks.geometry.drawing.values import read_number
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.predicates import MARKS, NUMBER_MARKS
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError, Segment

_REGION = re.compile(r"for name in (\[[^\]]*\])\], \[points")
_DATA_END = "\nfig, ax = "
_DRAWN = ("strokes", "thin_strokes", "arcs", "thin_arcs")
_MOST = 16
"""Parabolas with several letters on them are tried by so many choices of one for each."""


def is_relaid(code: str, measured: Scene, style: Style) -> bool:
    """Whether a script is to the letter what is written of the points, strokes, circles and marks that it draws.

    ``measured``: the scene as it was read off the picture; it tells what the marks say. Remembered: a caption and its
    picture share a script.
    """
    return _is_relaid(code, measured.to_facts(), style)


@lru_cache(maxsize=256)
def _is_relaid(code: str, read: tuple[Fact, ...], style: Style) -> bool:
    try:
        measured = Scene.from_facts(read)
        scenes = _read_scenes(_read_data(code), _read_region(code), measured)
        return any(write_script(scene, style) == code for scene in islice(scenes, _MOST))
    except (SceneError, SyntaxError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return False  # it is no script of ours


def _read_data(code: str) -> dict[str, Any]:
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(code.partition(_DATA_END)[0]).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _read_region(code: str) -> tuple[Fact, ...]:
    found = _REGION.search(code)
    return (Fact("triangle", tuple(ast.literal_eval(found[1]))),) if found else ()


def _read_scenes(data: Mapping[str, Any], facts: tuple[Fact, ...], measured: Scene) -> Iterator[Scene]:
    """The scenes that the data at the top of a script may be of: several where a parabola has several letters."""
    curves = [gid.split(" ") for gid, *_ in data.get("curves", ())]
    lines = tuple(dict.fromkeys((name[1], name[2]) for name in curves if name[0] == "line"))
    vertices = dict.fromkeys(name[1] for name in curves if name[0] == "parabola")
    chosen: Iterator[tuple[Segment, ...]] = product(
        *([each for each in measured.parabolas if each[0] == vertex] for vertex in vertices)
    )
    scene = replace(
        measured,
        points=data["points"],
        segments=tuple(data.get("segments", ())),
        circles=data.get("circles", {}),
        marks=tuple(_read_marks(data, measured)),
        facts=facts,
        lines=lines,
    )
    return (replace(scene, parabolas=parabolas) for parabolas in chosen)


def _read_marks(data: Mapping[str, Any], measured: Scene) -> Iterator[Fact]:
    """The marks in the order in which they are drawn, numbers apart; each with what it says in the picture."""
    counts = Counter(entry[0] for name in _DRAWN for entry in data.get(name, ()))
    said = {gid: read_number(text) for gid, text, *_ in data.get("numbers", ())}
    for gid in dict.fromkeys([*said, *counts]):
        kind, *letters = gid.split(" ")
        mark = Fact(f"mark_{kind}", tuple(letters))
        if mark.predicate in NUMBER_MARKS.values():
            yield replace(mark, value=said[gid])
        elif mark.predicate in MARKS:
            yield replace(mark, value=None if kind == "right" else _find_value(mark, measured) or str(counts[gid]))
        if kind == "length" and f"ticks {' '.join(letters)}" not in counts:
            # A dimension line bears the ticks of the line that it measures.
            ticks = Fact("mark_ticks", mark.arguments)
            value = _find_value(ticks, measured) if gid in counts else None
            if value is not None:
                yield replace(ticks, value=value)


def _find_value(mark: Fact, measured: Scene) -> str | None:
    """What a mark of these letters says in the picture."""
    place = canonicalise(mark).arguments
    same = (m for m in measured.marks if m.predicate == mark.predicate and canonicalise(m).arguments == place)
    return next((found.value for found in same), None)
