"""Texts are crammed where their ink is: makers place them apart, and a picture in which two read as one is refused."""

from __future__ import annotations

import numpy as np
import pytest

from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.drawing.crowding import Face, are_texts_crammed, find_ink, find_limits
from counterfoil.tasks.geometry.drawing.labels import PIXELS_PER_POINT, Text, estimate_extent, place_texts
from counterfoil.tasks.geometry.measuring.evidence import find_mismatch

SIZE = 13.5
EM = SIZE * PIXELS_PER_POINT
FACE = Face("serif", False)
PAIRS = [
    ("8", "x"),
    ("8", "$5\\sqrt{3}$"),
    ("$\\frac{1}{2}$", "x"),
    ("60°", "E"),
    ("(4y−10)°", "J"),
    ("Q", "12,5"),
    ("$(x^{2}+1)^{\\circ}$", "$\\sqrt{2}$"),
]
PLACES = {"touching below": True, "a space beside": True, "free below": False, "free beside": False}

SCRIPT = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(5.12, 5.12), dpi=100)
fig.subplots_adjust(left=0, right=1, bottom=0, top=1)
ax.set_xlim(0, 512)
ax.set_ylim(0, 512)
ax.set_aspect("equal")
ax.axis("off")
plt.rcParams["mathtext.fontset"] = "dejavuserif"
for p, q in (((60, 60), (450, 60)), ((450, 60), (250, 180)), ((250, 180), (60, 60))):
    ax.plot([p[0], q[0]], [p[1], q[1]], color="black", linewidth=1.5)
for text, (x, y) in TEXTS:
    ax.text(x, y, text, fontsize=13.5, family="serif", ha="center", va="center")
fig.savefig("question.png")
"""


def find_offset(first: str, second: str, place: str) -> np.ndarray:
    """From the middle of the first text's line to that of the second's, in pixels, y up."""
    mine, other = (find_ink(text, SIZE, FACE).places for text in (first, second))
    if place.endswith("beside"):
        white = (0.25 if place == "a space beside" else 0.6) * EM
        return np.array([mine[:, 0].max() - other[:, 0].min() + 1 + white, 0.0])
    # The nearest ink decides, column by column.
    reach = [mine[np.abs(mine[:, 0] - x) < 1, 1].max() - y for x, y in other if (np.abs(mine[:, 0] - x) < 1).any()]
    return np.array([0.0, -(max(reach) + 1 + (0.6 if place == "touching below" else 6.0))])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_makers_and_readers_find_the_same_texts_crammed(
    first: str, second: str, place: str, renderer: MemoRenderer
) -> None:
    offset = find_offset(first, second, place)
    texts = [Text(text, SIZE, np.zeros((1, 2)), np.zeros(1)) for text in (first, second)]
    rises = [text.extent.rise for text in texts]
    letters = offset + np.array([0.0, rises[1] - rises[0]])
    assert are_texts_crammed(texts[0], texts[1], (FACE, FACE), letters) is PLACES[place]
    placed = [(first, (200.0, 350.0)), (second, (200.0 + float(offset[0]), 350.0 + float(offset[1])))]
    rendering = renderer.render(SCRIPT.replace("TEXTS", repr(placed)))
    assert rendering.drawing is not None
    assert rendering.png is not None
    mismatch = find_mismatch(rendering.drawing, rendering.png)
    assert ("overlap" in (mismatch or "")) is PLACES[place]
    assert mismatch is None or "overlap" in mismatch


def test_a_text_goes_where_no_other_ink_is_near() -> None:
    extent = estimate_extent("8", SIZE)
    beside, below = (extent.width / 2 + 9, 0.0), (0.0, -2 * EM)
    texts = [
        Text("8", SIZE, np.zeros((1, 2)) + 200, np.zeros(1)),
        Text("x", SIZE, np.array([beside, below]) + 200, np.array([0.0, 30.0])),
    ]

    def are_crammed(i: int, j: int, offset: np.ndarray) -> bool:
        return are_texts_crammed(texts[i], texts[j], (FACE, FACE), offset)

    limits = find_limits(texts)
    assert place_texts(texts, np.zeros((0, 4)), (512, 512), limits, are_crammed) == [0, 1]
    assert place_texts(texts, np.zeros((0, 4)), (512, 512), limits, lambda *_: False) == [0, 0]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_texts_beyond_their_limits_are_never_crammed(first: str, second: str) -> None:
    texts = [Text(text, SIZE, np.zeros((1, 2)), np.zeros(1)) for text in (first, second)]
    wide, high = find_limits(texts)[0, 1]
    for offset in ((wide, 0.0), (-wide, 0.0), (0.0, high), (0.0, -high)):
        assert not are_texts_crammed(texts[0], texts[1], (FACE, FACE), np.array(offset))
