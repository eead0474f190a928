"""Where the texts of a figure go: beside what they name, off the lines and off one another, inside the frame.

Each text has candidate places; a cost counts lines under its letters, overlap with other texts, distance from what it
names and the frame. A candidate may be tied to its thing by a leader, which is then kept clear of the other texts too.
Texts take their best place in turn, then again in the light of the others, until nothing moves. Everything here is in
pixels of the finished picture, y up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterfoil.tasks.geometry.letterforms import TAILS, TALL

PIXELS_PER_POINT = 100 / 72
GAP = 3.0
"""Free pixels that a text keeps around itself."""
LINE_COST, BOX_COST, FRAME_COST, FAR_COST = 6.0, 0.6, 30.0, 0.35
TIE_COST = 20.0
"""For each text that a leader runs through."""
SWEEPS = 6
TRIES = 60
"""Places of a text, the best first, at which it is asked whether another text's ink is too near."""
_LEVEL, _STEEP = 1e-9, 1e-30
Crammed = Callable[[int, int, np.ndarray], bool]
"""Whether two texts, by their numbers, are crammed with the middle of the second at (x, y) from that of the first."""

_WIDTHS = {
    letter: width
    for width, letters in {
        0.33: "'j,. il",
        0.36: "-/f",
        0.4: "()tI",
        0.46: "J",
        0.5: "r°",
        0.54: "sz",
        0.57: "cvxyβ",
        0.61: "aeoγδθk",
        0.64: "0123456789bdghnpqu",
        0.7: "LYPTFSZαφ",
        0.76: "XAVBEKRC",
        0.85: "DGOQUωw+−=∠",
        0.9: "HN",
        1.0: "mMW",
    }.items()
    for letter in letters
}
_USUAL_WIDTH = 0.7
"""Advance widths in ems (DejaVu Serif, rounded up)."""
_BASELINE, _CAPITAL, _SMALL, _LOW = -0.26, 0.73, 0.53, -0.24
"""In ems: the baseline below the middle of a text's line, and the letters' tops and tails from the baseline."""


class Extent(NamedTuple):
    """The letters of a text in pixels: ``rise`` is how far their middle is above that of the line they stand in."""

    width: float
    height: float
    rise: float


@dataclass(frozen=True)
class Text:
    """A text to be placed.

    ``candidates`` are possible middles of its letters (n, 2), ``costs`` (n,) how far each is from ideal, in pixels, and
    ``ties`` (n, 4) the leader of each, from the text to its thing, where it has one.
    """

    text: str
    size: float
    candidates: np.ndarray
    costs: np.ndarray
    ties: np.ndarray | None = None

    @property
    def extent(self) -> Extent:
        """The estimated extent of the letters."""
        return estimate_extent(self.text, self.size)


@lru_cache(maxsize=4096)
def estimate_extent(text: str, size: float) -> Extent:
    r"""The extent of the letters of ``text`` at ``size`` points; ``$...$`` is read as mathtext.

    >>> tuple(round(part) for part in estimate_extent("A", 14))
    (15, 14, 2)
    """
    em = size * PIXELS_PER_POINT
    width = max(
        sum(_measure_math(part) if i % 2 else _measure_width(part) for i, part in enumerate(text.split("$"))), 0.4
    )
    width *= em
    if "$" in text:
        return Extent(width, 1.15 * em, 0.08 * em)
    low = _LOW if TAILS.search(text) else 0.0
    top = _CAPITAL if TALL.search(text) else _SMALL
    return Extent(width, (top - low) * em, (_BASELINE + (top + low) / 2) * em)


def _measure_width(text: str) -> float:
    """The width of plain text in ems."""
    return sum(_WIDTHS.get(letter, _USUAL_WIDTH) for letter in text)


def _measure_math(text: str) -> float:
    """The width of mathtext in ems: spaces around signs, small raised letters, roots and fractions."""
    width, rest = 0.0, text
    for part in re.findall(r"\^\{(.*?)\}", text):
        width += 0.6 if part == r"\circ" else 0.72 * _measure_math(part)
    rest = re.sub(r"\^\{.*?\}", "", rest)
    width += 0.92 * rest.count(r"\sqrt") + 0.7 * len(re.findall(r"\\(pi|cdot|times)", rest))
    rest = re.sub(r"\\[a-z]+|[{}^\\]", "", rest)
    return width + sum(1.5 if letter in "+-=" else _WIDTHS.get(letter, _USUAL_WIDTH) for letter in rest)


def place_texts(
    texts: Sequence[Text], lines: np.ndarray, canvas: tuple[int, int], limits: np.ndarray, are_crammed: Crammed
) -> list[int]:
    """The chosen candidate of each text. ``lines`` (m, 4) are the strokes to keep clear of; ``canvas`` is the frame.
    Texts whose middles are ``limits`` (n, n, 2) apart, across or up, are not crammed; of others it is asked."""
    fixed = [_score_alone(text, lines, canvas) for text in texts]
    halves = [np.array(text.extent[:2]) / 2 + GAP / 2 for text in texts]
    order = sorted(range(len(texts)), key=lambda i: (-float(fixed[i].min()), len(texts[i].candidates), i))
    chosen: dict[int, int] = {}
    turn, moved, picked = 0, 0, [0] * len(texts)
    for _ in range(SWEEPS):
        before = moved
        for i in order:
            turn += 1
            if picked[i] and moved < picked[i]:
                # It stands where it is best among these.
                continue
            best = _pick(i, texts, fixed[i], halves, chosen, limits[i], are_crammed)
            picked[i] = turn
            if chosen.get(i) != best:
                moved = turn
            chosen[i] = best
        if moved == before:
            break
    return [chosen[i] for i in range(len(texts))]


def _pick(
    i: int,
    texts: Sequence[Text],
    alone: np.ndarray,
    halves: Sequence[np.ndarray],
    chosen: dict[int, int],
    limits: np.ndarray,
    are_crammed: Crammed,
) -> int:
    others = [j for j in chosen if j != i]
    ideal = int(alone.argmin())
    if _stands_clear(i, ideal, others, texts, halves, chosen, limits):
        return ideal
    mine = texts[i].candidates
    centres = np.array([texts[j].candidates[chosen[j]] for j in others])
    reach = np.array([halves[j] for j in others])
    apart = [np.abs(mine[:, axis, None] - centres[:, axis]) for axis in (0, 1)]
    across, up = (np.maximum((reach[:, axis] + halves[i][axis]) - apart[axis], 0.0) for axis in (0, 1))
    area = across * up
    total: np.ndarray = alone + BOX_COST * area.sum(axis=1) + 8.0 * np.count_nonzero(area, axis=1)
    ties = [text.ties[chosen[j]] for j in others if (text := texts[j]).ties is not None]
    if ties:
        covered = measure_cover(mine - halves[i], mine + halves[i], np.array(ties))
        total = total + TIE_COST * (covered > 0).sum(axis=1)
    own = texts[i].ties
    if own is not None:
        covered = measure_cover(centres - reach, centres + reach, own)
        total = total + TIE_COST * (covered > 0).sum(axis=0)
    near = (apart[0] < limits[others, 0]) & (apart[1] < limits[others, 1])
    for choice in np.argsort(total, kind="stable")[:TRIES].tolist():
        if not any(are_crammed(i, others[at], centres[at] - mine[choice]) for at in np.flatnonzero(near[choice])):
            return int(choice)
    return int(total.argmin())


def _stands_clear(
    i: int,
    choice: int,
    others: Sequence[int],
    texts: Sequence[Text],
    halves: Sequence[np.ndarray],
    chosen: dict[int, int],
    limits: np.ndarray,
) -> bool:
    """Whether a text at ``choice`` is so far from the ``others``, and from leaders, that they cost it nothing there."""
    if texts[i].ties is not None:
        return not others
    x, y = texts[i].candidates[choice].tolist()
    wide, tall = halves[i].tolist()
    for j in others:
        if texts[j].ties is not None:
            return False
        left, low = texts[j].candidates[chosen[j]].tolist()
        across, up = abs(x - left), abs(y - low)
        half = halves[j].tolist()
        if across < half[0] + wide and up < half[1] + tall:
            return False
        near = limits[j].tolist()
        if across < near[0] and up < near[1]:
            return False
    return True


def _score_alone(text: Text, lines: np.ndarray, canvas: tuple[int, int]) -> np.ndarray:
    half = np.array(text.extent[:2]) / 2 + GAP
    low, high = text.candidates - half, text.candidates + half
    cost: np.ndarray = FAR_COST * text.costs
    near = np.ones(len(lines), bool)
    for axis in (0, 1):
        start, end = lines[:, axis], lines[:, axis + 2]
        near &= (np.minimum(start, end) < high[:, axis].max()) & (np.maximum(start, end) > low[:, axis].min())
    if near.any():
        covered = measure_cover(low, high, lines[near])
        cost = cost + LINE_COST * covered.sum(axis=1) / 4 + 12.0 * np.count_nonzero(covered, axis=1)
    across, up = (np.maximum(-low[:, axis], 0.0) + np.maximum(high[:, axis] - canvas[axis], 0.0) for axis in (0, 1))
    return cost + FRAME_COST * (across + up)


def measure_cover(low: np.ndarray, high: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Pixels of each line (m) inside each box (n): Liang-Barsky clipping, all pairs at once."""
    # Axis by axis: for arrays whose last axis is two long numpy's loops are mostly overhead. In place: pages of memory
    # cost as much as the sums.
    enter = leave = np.empty(0)
    for axis in (0, 1):
        start = lines[:, axis]
        along = lines[:, axis + 2] - start
        # A level line is so steep that it is inside from the first to the last, or nowhere.
        steps = np.where(np.abs(along) < _LEVEL, _STEEP, along)
        first, last = low[:, axis, None] - start, high[:, axis, None] - start
        first /= steps
        last /= steps
        least = np.minimum(first, last)
        most = np.maximum(first, last, out=last)
        enter = np.maximum(least, enter if axis else 0.0, out=least)
        leave = np.minimum(most, leave if axis else 1.0, out=most)
    leave -= enter
    covered: np.ndarray = np.maximum(leave, 0.0, out=leave)
    covered *= np.hypot(lines[:, 2] - lines[:, 0], lines[:, 3] - lines[:, 1])
    return covered


def count_crossings(ways: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """How many of ``lines`` (m, 4) each of ``ways`` (n, 4) crosses."""
    if not len(lines):
        return np.zeros(len(ways), int)

    ax, ay, bx, by = ways.T[:, :, None]
    px, py, qx, qy = lines.T
    along, up = bx - ax, by - ay
    apart = (along * (py - ay) - up * (px - ax)) * (along * (qy - ay) - up * (qx - ax)) < 0
    # Most lines lie on one side of all ways.
    near = apart.any(axis=0)
    apart = apart[:, near]
    px, py, qx, qy = px[near], py[near], qx[near], qy[near]
    along, up = qx - px, qy - py
    apart &= (along * (ay - py) - up * (ax - px)) * (along * (by - py) - up * (bx - px)) < 0
    return np.count_nonzero(apart, axis=1)


def measure_gap(centres: np.ndarray, half: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Pixels from the nearest of ``points`` (m, 2) to the box of half extent ``half`` about each of ``centres``
    (n, 2)."""
    across, up = (np.maximum(np.abs(centres[:, axis, None] - points[:, axis]) - half[axis], 0.0) for axis in (0, 1))
    return np.asarray(np.sqrt((across * across + up * up).min(axis=1)))
