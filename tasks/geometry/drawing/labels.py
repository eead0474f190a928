"""Where the texts of a figure go: beside what they name, off the lines and off one another, inside the frame.

Each text has candidate places; a cost counts lines under its box, overlap with other boxes, distance from what it
names and the frame. Texts take their best place in turn, then again in the light of the others, until nothing moves.
Everything here is in pixels of the finished picture, y up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

PIXELS_PER_POINT = 100 / 72
GAP = 3.0
"""Free pixels that a text keeps around itself."""
LINE_COST, BOX_COST, FRAME_COST, FAR_COST = 6.0, 0.6, 30.0, 0.35
SWEEPS = 6

_NARROW, _SLIM, _WIDE = 0.34, 0.58, 0.9
_WIDTHS = {
    **dict.fromkeys("fijlrtIJ.,'/()° ", _NARROW + 0.08),
    **dict.fromkeys("acesxyzv", _SLIM + 0.02),
    **dict.fromkeys("mwMWGOQHDNU+−", _WIDE),
}
_USUAL_WIDTH = 0.7
"""Advance widths in ems, by class of letter (DejaVu Serif, rounded up)."""


@dataclass(frozen=True)
class Text:
    """A text to be placed.

    ``candidates`` are possible centres (n, 2) and ``costs`` (n,) how far each is from ideal, in pixels.
    """

    text: str
    size: float
    candidates: np.ndarray
    costs: np.ndarray

    @property
    def extent(self) -> tuple[float, float]:
        """Estimated width and height of the ink box in pixels."""
        return estimate_extent(self.text, self.size)


def estimate_extent(text: str, size: float) -> tuple[float, float]:
    r"""Width and height in pixels of ``text`` at ``size`` points; ``$...$`` is read as mathtext.

    >>> tuple(round(v) for v in estimate_extent("A", 14))
    (14, 15)
    """
    plain = re.sub(r"\\(sqrt|frac|cdot|circ|pi|,|;)", lambda m: "x" if m[1] in ("sqrt", "pi", "cdot") else "", text)
    plain = re.sub(r"[${}^\\]", "", plain)
    em = size * PIXELS_PER_POINT
    width = sum(_WIDTHS.get(letter, _USUAL_WIDTH) for letter in plain) * em
    tall = 1.15 if "sqrt" in text or "^" in text else 0.77
    return max(width, 0.4 * em), tall * em


def place_texts(texts: Sequence[Text], lines: np.ndarray, size: float) -> list[tuple[float, float]]:
    """The chosen centre of each text. ``lines`` (m, 4) are the strokes to keep clear of; ``size`` is the frame's."""
    if not texts:
        return []
    fixed = [_score_alone(text, lines, size) for text in texts]
    halves = np.array([np.array(text.extent) / 2 + GAP / 2 for text in texts])
    order = sorted(range(len(texts)), key=lambda i: (-float(np.min(fixed[i])), len(texts[i].candidates), i))
    chosen: dict[int, int] = {}
    for _ in range(SWEEPS):
        moved = False
        for i in order:
            best = _pick(i, texts, fixed[i], halves, chosen)
            moved |= chosen.get(i) != best
            chosen[i] = best
        if not moved:
            break
    return [(float(t.candidates[chosen[i]][0]), float(t.candidates[chosen[i]][1])) for i, t in enumerate(texts)]


def _pick(i: int, texts: Sequence[Text], alone: np.ndarray, halves: np.ndarray, chosen: dict[int, int]) -> int:
    others = [j for j in chosen if j != i]
    total = alone
    if others:
        centres = np.array([texts[j].candidates[chosen[j]] for j in others])
        reach = halves[others] + halves[i]
        apart = np.abs(texts[i].candidates[:, None, :] - centres[None])
        overlap = np.clip(reach[None] - apart, 0, None)
        total = (
            alone
            + BOX_COST * (overlap[..., 0] * overlap[..., 1]).sum(axis=1)
            + 8.0 * ((overlap[..., 0] > 0) & (overlap[..., 1] > 0)).sum(axis=1)
        )
    return int(np.argmin(total))


def _score_alone(text: Text, lines: np.ndarray, size: float) -> np.ndarray:
    half = np.array(text.extent) / 2 + GAP
    low, high = text.candidates - half, text.candidates + half
    cost = FAR_COST * text.costs
    if len(lines):
        covered = measure_cover(low, high, lines)
        cost = cost + LINE_COST * covered.sum(axis=1) / 4 + 12.0 * (covered > 0).sum(axis=1)
    outside = np.clip(-low, 0, None) + np.clip(high - size, 0, None)
    return cost + FRAME_COST * outside.sum(axis=1)


def measure_cover(low: np.ndarray, high: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Pixels of each line (m) inside each box (n): Liang-Barsky clipping, all pairs at once."""
    start, along = lines[None, :, :2], lines[None, :, 2:] - lines[None, :, :2]
    flat = np.abs(along) < 1e-9
    steps = np.where(flat, 1.0, along)
    first, last = (low[:, None, :] - start) / steps, (high[:, None, :] - start) / steps
    within = (start >= low[:, None, :]) & (start <= high[:, None, :])
    enter = np.where(flat, np.where(within, -np.inf, np.inf), np.minimum(first, last))
    leave = np.where(flat, np.where(within, np.inf, -np.inf), np.maximum(first, last))
    share = np.clip(np.minimum(leave.min(axis=2), 1.0) - np.maximum(enter.max(axis=2), 0.0), 0.0, None)
    lengths: np.ndarray = np.hypot(along[..., 0], along[..., 1])
    return share * lengths
