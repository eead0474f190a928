"""Whether a judge is one: before it is asked about edits it must tell pictures whose answers are known.

The pictures are drawn here: things of our own scenes, alone, and plain colours. Chance tells one in twelve.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image

from counterfoil.tasks.caption.models.finder import LEAST_SURE, open_finder
from counterfoil.tasks.caption.models.seeing import open_clip, open_dino
from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import Thing
from counterfoil.tasks.caption.scenes.palette import COLOURS
from counterfoil.tasks.caption.scenes.picture import paint
from counterfoil.tasks.caption.scenes.thing import draw_thing, measure_thing

THINGS = ("dog", "house", "car", "tree", "umbrella", "banana", "clock", "airplane", "guitar", "boat", "chair", "book")
PLAIN = ("red", "yellow", "green", "blue", "black", "white", "orange", "pink")
LEAST_TOLD = 0.5
"""Share of the pictures and texts that a judge must find among all; chance finds 0.1."""
LEAST_APART = 0.1
"""By how much DINO's cosine of two drawings of one thing must be above that of different things."""
LEAST_FOUND = 0.75
"""Share of pairs of drawings in which a finder must see the one that is named."""
_SIDE = 224


@lru_cache(maxsize=4)
def distrust_clip(name: str) -> str | None:
    """Why the CLIP model is no judge; None where it is one. Asked once per process.

    Raises:
        ModelError: it cannot be loaded.
    """
    shares = []
    for pictures, texts in (
        ([draw_alone(noun, 0) for noun in THINGS], [f"a drawing of a {noun}" for noun in THINGS]),
        ([_paint_plain(colour) for colour in PLAIN], [f"a plain {colour} picture" for colour in PLAIN]),
    ):
        cosines = open_clip(name).score(pictures, texts)
        own = np.arange(len(texts))
        shares += [(cosines.argmax(axis=1) == own).mean(), (cosines.argmax(axis=0) == own).mean()]
        if not np.isfinite(cosines).all():
            shares.append(-np.inf)
    told = float(np.mean(shares))
    if told >= LEAST_TOLD:
        return None
    found = f"tells {max(told, 0):.0%} of drawings and colours by their names"
    return f"[caption] clip = {name!r} {found}, less than {LEAST_TOLD:.0%}: name a trained model"


@lru_cache(maxsize=4)
def distrust_dino(name: str) -> str | None:
    """Why the model of pictures is no judge; None where it is one. Asked once per process.

    Raises:
        ModelError: it cannot be loaded.
    """
    dino = open_dino(name)
    first, second = ([draw_alone(noun, seed) for noun in THINGS] for seed in (0, 1))
    cosines = np.array([dino.compare(each, second) for each in first])
    own = np.eye(len(THINGS), dtype=bool)
    told = float((cosines.argmax(axis=1) == np.arange(len(THINGS))).mean())
    apart = float(cosines[own].mean() - cosines[~own].mean())
    if told >= LEAST_TOLD and apart >= LEAST_APART:
        return None
    return (
        f"[caption] dino = {name!r} finds {told:.0%} of drawings by another of the same thing, {apart:.2f} nearer than "
        "others: name a trained model"
    )


@lru_cache(maxsize=4)
def distrust_finder(name: str) -> str | None:
    """Why the model that finds things is none; None where it is one. Asked once per process.

    Raises:
        ModelError: it cannot be loaded.
    """
    finder = open_finder(name)
    found = 0
    for place, noun in enumerate(THINGS):
        pictures = [draw_alone(each, 0) for each in (noun, THINGS[place - 1])]
        shown = np.hstack(pictures if place % 2 else pictures[::-1])
        sure = finder.see(shown, noun)
        left, right = (float((half >= LEAST_SURE).mean()) for half in (sure[:, :_SIDE], sure[:, _SIDE:]))
        own, other = (left, right) if place % 2 else (right, left)
        found += own > 2 * other
    share = found / len(THINGS)
    if share >= LEAST_FOUND:
        return None
    return f"[caption] edit_finder = {name!r} finds {share:.0%} of two drawings by their names: name a trained model"


def draw_alone(noun: str, seed: int) -> np.ndarray:
    """A thing alone on white, (224, 224, 3), uint8; other seeds draw it in another colour, smaller and turned round."""
    entry = NOUNS[noun]
    posture = entry.postures[0] if entry.postures else None
    box = measure_thing(noun, posture, None)
    scale = _SIDE * (0.85 - 0.15 * (seed % 2)) / max(box.width, box.height)
    thing = Thing(noun, entry.colours[seed % len(entry.colours)], posture=posture)
    drawing = draw_thing(thing, False, scale, "t", np.random.default_rng(seed))
    turned = -1 if seed % 2 else 1
    across, down = (box.x0 + box.x1) / 2 * turned, (box.y0 + box.y1) / 2
    return paint(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIDE}" height="{_SIDE}" viewBox="0 0 {_SIDE} {_SIDE}">'
        f'<defs>{drawing.defs}</defs><rect width="{_SIDE}" height="{_SIDE}" fill="#ffffff"/>'
        f'<g transform="translate({_SIDE / 2 - across * scale} {_SIDE / 2 - down * scale}) '
        f'scale({turned * scale} {scale})" stroke-linejoin="round">{drawing.back}{drawing.front}</g></svg>',
        _SIDE,
    )


def _paint_plain(colour: str) -> np.ndarray:
    return np.asarray(Image.new("RGB", (_SIDE, _SIDE), COLOURS[colour]))
