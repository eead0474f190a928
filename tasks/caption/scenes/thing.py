"""One thing, drawn by itself: its SVG, and how far its drawing reaches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import novasvg
import numpy as np

from tasks.caption.scenes.art.face import Look
from tasks.caption.scenes.art.manner import draw_manner
from tasks.caption.scenes.brush import Brush
from tasks.caption.scenes.catalogue import NOUNS, Noun
from tasks.caption.scenes.graph import Thing
from tasks.caption.scenes.palette import shade

PEN = 1.7
"""Width of outlines in pixels of a 336 px picture."""
_CANVAS = 480
_PER_UNIT = 1.6


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
    """One copy of ``thing``, to be shown at ``scale`` pixels per unit; ``name`` is unique in the picture."""
    noun = NOUNS[thing.noun]
    look = Look(thing.posture, thing.mood, thing.manner, holding)
    pattern = None if thing.pattern == "plain" else thing.pattern
    brush = Brush(shade(thing.colour), pattern, PEN / scale, name, rng)
    if thing.manner:
        still = measure(noun.name, thing.posture, None)
        draw_manner(brush, still.x0, -still.y0, thing.manner)
    noun.draw(brush, look)
    back = brush.take()
    if noun.front:
        noun.front(brush, look)
    return Drawing(back, brush.take(), "".join(brush.defs))


@lru_cache(maxsize=1024)
def measure(noun: str, posture: str | None, manner: str | None) -> Box:
    """How far the drawing of a noun reaches around its ground point, in its own units: it is painted and looked at."""
    brush = Brush(shade("black"), None, PEN, "m", np.random.default_rng(0))
    entry: Noun = NOUNS[noun]
    look = Look(posture, None, manner)
    if manner:
        still = measure(noun, posture, None)
        draw_manner(brush, still.x0, -still.y0, manner)
    entry.draw(brush, look)
    if entry.front:
        entry.front(brush, look)
    ground = _CANVAS * 0.8
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_CANVAS}" height="{_CANVAS}" viewBox="0 0 {_CANVAS} '
        f'{_CANVAS}"><g transform="translate({_CANVAS / 2} {ground}) scale({_PER_UNIT})">{brush.take()}</g></svg>'
    )
    alpha = novasvg.Document.load_from_data(svg).render_to_bitmap(_CANVAS, _CANVAS, 0).numpy()[..., 3]
    ys, xs = np.flatnonzero(alpha.any(1)), np.flatnonzero(alpha.any(0))
    return Box(
        float(xs[0] - _CANVAS / 2) / _PER_UNIT,
        float(ys[0] - ground) / _PER_UNIT,
        float(xs[-1] + 1 - _CANVAS / 2) / _PER_UNIT,
        float(ys[-1] + 1 - ground) / _PER_UNIT,
    )
