"""Which of the eleven basic colour terms a pixel would be called, by its place in OKLCh.

The borders are the eye's, not the painter's palette: hue angles between focal colours, brown as dark orange, pink as
light red. Outlines and what lies between two terms belong to none.
"""

from __future__ import annotations

import numpy as np

NAMES = ("none", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray")
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)


def to_oklab(pixels: np.ndarray) -> np.ndarray:
    """sRGB (..., 3), uint8, as OKLab (..., 3): lightness 0-1, green to red, blue to yellow (Ottosson 2020)."""
    return np.cbrt(_LINEAR[pixels] @ _LMS.T) @ _LAB.T


def name_colours(pixels: np.ndarray) -> np.ndarray:
    """For each pixel (n, 3) the index of its colour's name in `NAMES`."""
    lab = to_oklab(pixels)
    light, chroma = lab[:, 0], np.hypot(lab[:, 1], lab[:, 2])
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) % 360
    dim = chroma < 0.027
    warm = (hue >= 40) & (hue < 76)
    brown = warm & (light < 0.7) & (chroma < 0.108)
    rules = (
        ("black", dim & (light < 0.45) & (chroma < 0.022)),
        ("white", dim & (light > 0.9)),
        ("gray", dim & (light >= 0.5) & (light <= 0.87)),
        ("brown", ~dim & brown & (light > 0.4) & (chroma > 0.045)),
        ("orange", ~dim & warm & ~brown & (chroma > 0.105)),
        ("red", ~dim & (hue >= 10) & (hue < 40) & (chroma > 0.11)),
        ("yellow", ~dim & (hue >= 76) & (hue < 112) & (chroma > 0.09)),
        ("green", ~dim & (hue >= 112) & (hue < 190) & (chroma > 0.07)),
        ("blue", ~dim & (hue >= 225) & (hue < 288) & (chroma > 0.07)),
        ("purple", ~dim & (hue >= 288) & (hue < 335) & (chroma > 0.08)),
        ("pink", ~dim & ((hue >= 335) | (hue < 10)) & (light > 0.6) & (chroma > 0.06)),
    )
    named = np.zeros(len(pixels), np.int8)
    for name, where in rules:
        named[where & (named == 0) & ((light > 0.43) | (name == "black"))] = NAMES.index(name)
    return named
