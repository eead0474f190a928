"""One thing, drawn by itself: its SVG, and how far its drawing reaches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import novasvg
import numpy as np

from counterfoil.tasks.caption.scenes.art.beasts import draw_beast
from counterfoil.tasks.caption.scenes.art.manner import draw_manner
from counterfoil.tasks.caption.scenes.art.people import draw_person
from counterfoil.tasks.caption.scenes.assets import Asset, read_asset
from counterfoil.tasks.caption.scenes.brush import Brush
from counterfoil.tasks.caption.scenes.graph import Manner, Posture, Thing
from counterfoil.tasks.caption.scenes.palette import shade

PEN = 1.7
"""Width of outlines in pixels of a 336 px picture."""
_CANVAS = 480
_PER_UNIT = 1.6
_SKELETONS = {"beast": draw_beast, "person": draw_person}


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-parallel box; y points down."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def union(self, other: Box) -> Box:
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


@dataclass(frozen=True, slots=True)
class Drawing:
    """The SVG of a thing in its own units: what is painted before and after what is in it, and its patterns."""

    back: str
    front: str
    defs: str


def draw_thing(thing: Thing, holding: bool, scale: float, name: str, rng: np.random.Generator) -> Drawing:
    """One copy of ``thing``, to be shown at ``scale`` pixels per unit; ``name`` is unique in the picture.

    Raises:
        AssetError: its asset cannot be painted (file and element).
    """
    words = (thing.colour, thing.pattern, thing.posture, thing.mood, "holding" if holding else None)
    pattern = None if thing.pattern == "plain" else thing.pattern
    brush = Brush(shade(thing.colour), pattern, PEN / scale, name, rng, frozenset(filter(None, words)))
    asset = read_asset(thing.noun)
    if thing.manner:
        still = measure_thing(thing.noun, thing.posture, None)
        draw_manner(brush, still.x0, -still.y0, thing.manner)
    _SKELETONS.get(asset.traits.get("skeleton", ""), Asset.paint)(asset, brush)
    back = brush.take()
    if "front" in asset.parts:
        asset.paint(brush, "front")
    return Drawing(back, brush.take(), "".join(brush.defs))


@lru_cache(maxsize=1024)
def measure_thing(noun: str, posture: Posture | None, manner: Manner | None) -> Box:
    """How far the drawing of a noun reaches around its ground point, in its own units: it is painted and looked at."""
    thing = Thing(noun, "black", posture=posture, manner=manner)
    drawing = draw_thing(thing, False, 1.0, "m", np.random.default_rng(0))
    ground = _CANVAS * 0.8
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_CANVAS}" height="{_CANVAS}" viewBox="0 0 {_CANVAS} '
        f'{_CANVAS}"><g transform="translate({_CANVAS / 2} {ground}) scale({_PER_UNIT})">{drawing.back}'
        f"{drawing.front}</g></svg>"
    )
    alpha = novasvg.Document.load_from_data(svg).render_to_bitmap(_CANVAS, _CANVAS, 0).numpy()[..., 3]
    ys, xs = np.flatnonzero(alpha.any(1)), np.flatnonzero(alpha.any(0))
    return Box(
        float(xs[0] - _CANVAS / 2) / _PER_UNIT,
        float(ys[0] - ground) / _PER_UNIT,
        float(xs[-1] + 1 - _CANVAS / 2) / _PER_UNIT,
        float(ys[-1] + 1 - ground) / _PER_UNIT,
    )
