"""A page of every drawing in its colours, postures and moods.

python -m counterfoil.tasks.caption.scenes.gallery FILE
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np

from counterfoil.tasks.caption.scenes.catalogue import NOUNS, Noun
from counterfoil.tasks.caption.scenes.graph import Mood, Thing
from counterfoil.tasks.caption.scenes.thing import draw_thing, measure_thing

SCALE = 1.1
"""Pixels per unit of a drawing."""
_STYLE = "body{font:14px sans-serif}section{border-top:1px solid #ccc}figure{display:inline-block;margin:8px}"


def write_gallery(path: Path) -> None:
    """Write the page, with nothing that it needs from elsewhere.

    Raises:
        AssetError: an asset cannot be painted (file and element).
    """
    nouns = "".join(f"<section><h2>{noun.name}</h2>{''.join(_show(noun))}</section>" for noun in NOUNS.values())
    page = f"<!doctype html><meta charset='utf-8'><title>Things</title><style>{_STYLE}</style>{nouns}"
    path.write_text(page, encoding="utf-8")


def _show(noun: Noun) -> list[str]:
    first = Thing(noun.name, noun.colours[0], posture=noun.postures[0] if noun.postures else None)
    ways = [replace(first, colour=colour) for colour in noun.colours]
    ways += [replace(first, posture=posture) for posture in noun.postures[1:]]
    ways += [replace(first, mood=mood) for mood in get_args(Mood) if noun.moods]
    return [_draw_thing(way) for way in ways]


def _draw_thing(thing: Thing) -> str:
    box = measure_thing(thing.noun, thing.posture, None)
    name = "-".join(filter(None, (thing.noun, thing.colour, thing.posture, thing.mood)))
    drawing = draw_thing(thing, False, SCALE, name, np.random.default_rng(0))
    x, y, width, height = box.x0 - 2, box.y0 - 2, box.width + 4, box.height + 4
    return (
        f"<figure><svg xmlns='http://www.w3.org/2000/svg' width='{width * SCALE:.0f}' height='{height * SCALE:.0f}' "
        f"viewBox='{x:.1f} {y:.1f} {width:.1f} {height:.1f}' stroke-linejoin='round'>{drawing.back}{drawing.front}"
        f"</svg><figcaption>{' '.join(filter(None, (thing.colour, thing.posture, thing.mood)))}</figcaption></figure>"
    )


if __name__ == "__main__":
    write_gallery(Path(sys.argv[1] if len(sys.argv) > 1 else "things.html"))
