"""Texts that a line runs through or that lie on one another, as the picture shows them.

A line that only touches a letter leaves it legible, and one that white paper under the text interrupts does not run
through it: so what counts is ink, in the band that the letters' bodies take. Two texts are judged on their ink as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from counterfoil.renderers.results import Drawing, Glyph, Label
from counterfoil.tasks.geometry.letterforms import LEAST_APART, REACH, Ink, are_crammed
from counterfoil.tasks.geometry.measuring.lettering import RIM, Lettering, find_ink
from counterfoil.tasks.geometry.measuring.sight import Sight, Window, index_pixels
from counterfoil.tasks.geometry.measuring.traces import Samples

BAND = (0.12, 0.6)
"""Ems above the baseline between which the bodies of letters and digits lie."""
LAST_LETTER = 0.6
"""Ems from the origin of a line's last glyph to the end of the line."""
STRUCK = 0.45
"""Ems of a stroke within that band from which it is seen to run through the text."""
_SLACK = 3
"""Pixels by which the bars of roots and fractions may stand out of their text's window."""


def find_clash(drawing: Drawing, sight: Sight, samples: Samples, lettering: Lettering) -> str | None:
    """The first text that cannot be read for what is drawn on it, in words, or None."""
    labels = [label for panel in drawing.panels for label in panel.labels]
    inks: dict[int, Ink] = {}
    for i, j in _list_near(drawing, labels, lettering.windows):
        inks |= {each: find_ink(labels[each], drawing) for each in (i, j) if each not in inks}
        if are_crammed(inks[i], inks[j]):
            return f"the texts {labels[i].text!r} and {labels[j].text!r} overlap, or are so close that they read as one"
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


def _list_near(drawing: Drawing, labels: list[Label], windows: tuple[Window, ...]) -> Iterator[tuple[int, int]]:
    """The pairs of texts whose ink may be within reach of one another."""
    if not labels:
        return
    spans = np.array([(w[0].start, w[1].start, w[0].stop, w[1].stop) for w in windows], float)
    ems = np.array([label.size for label in labels]) * drawing.dpi / 72
    near = np.maximum(REACH * np.minimum(ems[:, None], ems), LEAST_APART) + 2 * _SLACK
    drawn = spans[:, 2] > spans[:, 0]
    near = np.where(drawn[:, None] & drawn, near, -np.inf)
    for axis in (0, 1):
        start, stop = spans[:, axis], spans[:, axis + 2]
        near = np.where(np.maximum(start[:, None] - stop, start - stop[:, None]) < near, near, -np.inf)
    first, second = np.nonzero(np.triu(near > -np.inf, 1))
    yield from zip(first.tolist(), second.tolist(), strict=True)


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
