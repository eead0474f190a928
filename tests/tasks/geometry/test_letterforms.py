"""What letters take up is what their ink takes up, tails and all: a J above its point must not touch it."""

from __future__ import annotations

import string

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from counterfoil.tasks.geometry.drawing.labels import PIXELS_PER_POINT, estimate_extent

EM = 100.0
BASELINE = -0.26
"""Ems below the middle of a line of text at which matplotlib puts its letters."""
SPARE = 0.05 * EM


@pytest.mark.parametrize("family", ["DejaVu Serif", "DejaVu Sans", "STIXGeneral"])
@pytest.mark.parametrize("text", [*string.ascii_letters, *string.digits, *"°,()/−+=∠'βγδθφ", "(4y−10)", "x+21", "QJ"])
def test_no_ink_of_a_text_is_outside_of_its_extent(family: str, text: str) -> None:
    ink = TextPath((0, 0), text, size=EM, prop=FontProperties(family=family)).get_extents()
    extent = estimate_extent(text, EM / PIXELS_PER_POINT)
    middle = extent.rise - BASELINE * EM
    assert ink.y0 >= middle - extent.height / 2 - SPARE, "a tail is below it"
    assert ink.y1 <= middle + extent.height / 2 + SPARE, "a top is above it"
    assert ink.width <= extent.width + SPARE
