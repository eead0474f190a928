"""Whether a stranger will read a sampled figure as it states: told of its layout, before anything is drawn."""

from __future__ import annotations

import numpy as np

from counterfoil.tasks.geometry.drawing.board import break_arc
from counterfoil.tasks.geometry.drawing.labels import estimate_extent, measure_cover
from counterfoil.tasks.geometry.drawing.layout import lay_out
from counterfoil.tasks.geometry.drawing.preview import Layout, preview
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.look import find_misreading
from counterfoil.tasks.geometry.measuring.measure import MeasureError, measure_drawing

_LONG, _SPARE = 3, 4.0
"""Letters of a text from which on its width is not so sure, and how many pixels more it may have."""
_ROUND = 60
"""Chords of a circle."""


def is_readable(scene: Scene) -> bool:
    """Whether each letter, number, tick and arrowhead of the figure stands clear and at its own thing."""
    layout = lay_out(scene)
    try:
        measured = measure_drawing(preview(layout))
    except MeasureError:
        return False
    read = {canonicalise(mark) for mark in measured.scene.marks}
    lost = (mark for mark in scene.marks if mark.predicate != "mark_parallel" and canonicalise(mark) not in read)
    return not any(lost) and find_misreading(scene, measured.seen) is None and not _has_covered(layout)


def _has_covered(layout: Layout) -> bool:
    """Whether a line or a circle runs through a text."""
    page, scene = layout.page, layout.scene
    lines = [np.concatenate([page.to_pixels(scene.points[end]) for end in segment]) for segment in scene.segments]
    rows = np.array(lines).reshape(-1, 4)
    rims = [
        break_arc(page.to_pixels(circle[:2]), circle[2] * page.scale, 0, 360, _ROUND)
        for circle in scene.circles.values()
    ]
    rows = np.vstack([rows, *rims])
    for text in layout.texts:
        width, height, rise = estimate_extent(text.text, text.size)
        middle = page.to_pixels(text.position) + np.array([0.0, rise])
        half = np.array([width + _SPARE * (len(text.text) > _LONG), height])[None, :] / 2
        if measure_cover(middle - half, middle + half, rows).any():
            return True
    return False
