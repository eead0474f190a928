"""Posture, mood, manner and pattern, by likeness: which way of drawing the thing looks most like what is there.

Each way that the noun can look is painted alone, in the thing's place, and compared with the picture. Where two ways
differ in nothing that is seen (a face behind a ball), the answer is that they cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import scipy

from counterfoil.renderers.raster import max_channels
from counterfoil.tasks.caption.scenes.assets import has_skeleton
from counterfoil.tasks.caption.scenes.graph import Manner, Mood, Pattern, Thing
from counterfoil.tasks.caption.scenes.picture import paint
from counterfoil.tasks.caption.scenes.sight.regions import SIDE, Region
from counterfoil.tasks.caption.scenes.thing import draw_thing

LEAST = 12
"""Pixels in which two ways must differ to be told apart."""
AHEAD = 0.75
"""The best way's error is at most this share of the second best's."""
GROUND = 0x80
SEEDS = (0, 1, 4, 11, 21)
"""Of drawings of people; between them they have every skin."""
DIFFERENT = 40
"""Levels of one channel by which a pixel differs."""


def tell_apart(region: Region, pixels: np.ndarray, ways: Sequence[Thing], holding: bool) -> Thing | None:
    """Which of ``ways`` to draw the copy the picture (336, 336, 3) shows, or None where that cannot be told."""
    free = region.visible | ~region.whole
    seed = _find_looks(region, pixels, ways[0], holding)
    painted = [_paint(region, way, holding, seed) for way in ways]
    # Only what is in front of everything counts: the thing itself, and the ground that another way would cover.
    stack = np.stack(painted).astype(np.int16)
    spread = stack.max(axis=0) - stack.min(axis=0)
    differ = (max_channels(spread) > DIFFERENT) & free
    if differ.sum() < LEAST:
        return None
    shown = pixels[differ].astype(np.int16)
    errors = np.array([_measure_overlap(stack[i][differ], shown) for i in range(len(ways))])
    best, second = np.argsort(errors)[:2]
    apart = max_channels(np.abs(stack[best][differ] - stack[second][differ])) > DIFFERENT
    if apart.sum() < LEAST:
        return None
    # The two best are judged where they differ from each other.
    a, b = (_measure_overlap(stack[i][differ][apart], shown[apart]) for i in (best, second))
    return ways[int(best)] if a <= AHEAD * b else None


def see_manner(region: Region, thing: Thing, holding: bool) -> Thing:
    """The thing as quick, slow or neither: which trail, of those that it could have, its outline covers."""
    outline = scipy.ndimage.binary_dilation(region.whole)
    still = replace(thing, manner=None)
    body = scipy.ndimage.binary_dilation(_outline(region, still, holding), iterations=2)
    shares: list[tuple[float, Thing]] = [(0.5, still)]
    for manner in get_args(Manner):
        way = replace(thing, manner=manner)
        trail = _outline(region, way, holding) & ~body
        shares.append((float(outline[trail].mean()) if trail.any() else 0.0, way))
    return max(shares, key=lambda pair: pair[0])[1]


def _outline(region: Region, way: Thing, holding: bool) -> np.ndarray:
    return max_channels(np.abs(_paint(region, way, holding, 0).astype(np.int16) - GROUND)) > DIFFERENT


def list_moods(thing: Thing) -> list[Thing]:
    """The thing in each mood, and in none."""
    return [replace(thing, mood=mood) for mood in (None, *get_args(Mood))]


def list_postures(thing: Thing, postures: Sequence[Any]) -> list[Thing]:
    return [replace(thing, posture=posture) for posture in postures]


def list_patterns(thing: Thing) -> list[Thing]:
    return [replace(thing, pattern=pattern) for pattern in get_args(Pattern)]


def _measure_overlap(painted: np.ndarray, shown: np.ndarray) -> float:
    return float(max_channels(np.abs(painted - shown)).mean()) + 1e-6


def _find_looks(region: Region, pixels: np.ndarray, thing: Thing, holding: bool) -> int:
    """People differ in skin and hair: the seed whose drawing is nearest to what is there."""
    if not has_skeleton(thing.noun, "person"):
        return 0
    shown = pixels[region.visible].astype(np.int16)
    errors = [
        _measure_overlap(_paint(region, thing, holding, seed)[region.visible].astype(np.int16), shown) for seed in SEEDS
    ]
    return SEEDS[int(np.argmin(errors))]


def _paint(region: Region, way: Thing, holding: bool, seed: int) -> np.ndarray:
    """The way alone over mid gray, in the copy's place."""
    drawing = draw_thing(way, holding, region.scale, "w", np.random.default_rng(seed))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}">'
        f'<defs>{drawing.defs}</defs><rect width="{SIDE}" height="{SIDE}" fill="#808080"/>'
        f'<g transform="{region.transform}" stroke-linejoin="round">{drawing.back}{drawing.front}</g></svg>'
    )
    return paint(svg, SIDE)
