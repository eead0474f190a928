"""Texts that a line runs through or that lie on one another, as the picture shows them.

A line that only touches a letter leaves it legible, and one that white paper under the text interrupts does not run
through it: so what counts is ink, in the band that the letters' bodies take.
"""

from __future__ import annotations

import math

import numpy as np

from renderers.results import Drawing, Glyph, Label
from tasks.geometry.measuring.lettering import RIM, Lettering
from tasks.geometry.measuring.sight import Sight, Window, index_pixels
from tasks.geometry.measuring.traces import Samples

BAND = (0.12, 0.6)
"""Ems above the baseline between which the bodies of letters and digits lie."""
LAST_LETTER = 0.6
"""Ems from the origin of a line's last glyph to the end of the line."""
STRUCK = 0.45
"""Ems of a stroke within that band from which it is seen to run through the text."""
OVERLAP = 0.2
"""Share of the smaller of two texts' boxes from which they are seen to overlap."""


def find_clash(drawing: Drawing, sight: Sight, samples: Samples, lettering: Lettering) -> str | None:
    """The first text that cannot be read for what is drawn on it, in words, or None."""
    labels = [label for panel in drawing.panels for label in panel.labels]
    for i, (label, window) in enumerate(zip(labels, lettering.windows, strict=True)):
        for j in range(i):
            if _overlap(window, lettering.windows[j]) and _share_ink(drawing, label, labels[j]):
                return f"the texts {labels[j].text!r} and {label.text!r} overlap"
    rows, columns = index_pixels(samples.places, sight.ink.shape)
    near = _number_windows(lettering.windows, sight.ink.shape)[rows, columns]
    for i in np.unique(near[near > 0]).tolist():
        label, mine = labels[i - 1], near == i
        inked = sight.ink[rows[mine], columns[mine]]
        free = lettering.coverage[rows[mine], columns[mine]] < RIM
        em = label.size * drawing.dpi / 72
        if _measure_struck(label, samples.places[mine], inked, free, em) > STRUCK * em:
            return f"a line runs through the text {label.text!r}"
    return None


def _number_windows(windows: tuple[Window, ...], shape: tuple[int, ...]) -> np.ndarray:
    """For every pixel the number of the text around it, from 1, 0 where there is none."""
    numbers = np.zeros(shape, np.int16)
    for i, window in enumerate(windows):
        numbers[window] = i + 1
    return numbers


def _measure_struck(label: Label, places: np.ndarray, inked: np.ndarray, free: np.ndarray, em: float) -> float:
    """Pixels of strokes that are drawn across the bodies of a text's letters."""
    inside = np.zeros(len(places), bool)
    for line in label.glyphs:
        if line:
            inside |= _is_in_band(places, line, math.radians(label.rotation), em)
    clear = inside & free
    if not clear.any():
        return float(np.count_nonzero(inside))
    # On the letters' own ink nobody can tell whether the stroke is there: beside them one can.
    return float(np.count_nonzero(inside) * inked[clear].mean())


def _is_in_band(places: np.ndarray, line: tuple[Glyph, ...], angle: float, em: float) -> np.ndarray:
    ahead, up = np.array([math.cos(angle), -math.sin(angle)]), np.array([-math.sin(angle), -math.cos(angle)])
    from_start = places - (line[0].x, line[0].y)
    along, above = from_start @ ahead, from_start @ up
    length = np.array([line[-1].x - line[0].x, line[-1].y - line[0].y]) @ ahead + LAST_LETTER * em
    inside: np.ndarray = (along >= 0) & (along <= length) & (above >= BAND[0] * em) & (above <= BAND[1] * em)
    return inside


def _overlap(first: Window, second: Window) -> bool:
    shared = [min(a.stop, b.stop) - max(a.start, b.start) for a, b in zip(first, second, strict=True)]
    smaller = min((rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in (first, second))
    return min(shared) > 0 and shared[0] * shared[1] > OVERLAP * smaller


def _share_ink(drawing: Drawing, first: Label, second: Label) -> bool:
    """Whether two texts whose boxes overlap lie on one another: boxes of slanting texts are wider than the texts."""
    if first.rotation % 90 == 0 and second.rotation % 90 == 0:
        return True
    em = min(first.size, second.size) * drawing.dpi / 72
    turned, other = (first, second) if first.rotation % 90 else (second, first)
    places = np.array([(glyph.x, glyph.y) for line in other.glyphs for glyph in line])
    places = places + 0.35 * em * np.array([[1, -1]])
    angle = math.radians(turned.rotation)
    return any(bool(_is_in_band(places, line, angle, em).any()) for line in turned.glyphs if line)
