"""A bar chart in words and as a picture, and read back from each. Bars are told apart by colour, left to right."""

from __future__ import annotations

import io
import re

import numpy as np
from PIL import Image, UnidentifiedImageError
from pydantic import Field

from counterfoil.renderers.raster import encode_png
from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.contract.verdict import Checks

Bars = tuple[tuple[str, int], ...]
"""Each bar's colour and height, from left to right; heights are whole numbers of 1 to 9, no two alike."""

COLOURS = {"red": 0xD62728, "green": 0x2CA02C, "blue": 0x1F77B4, "orange": 0xFF7F0E, "purple": 0x9467BD}
TOP, SIZE = 10, 224
_BAR = re.compile(rf"the ({'|'.join(COLOURS)}) bar stands at ([1-9])")


class BarsSettings(DomainSettings):
    """`[bars]`: bar charts, and near misses with two bars exchanged."""

    bars: int = Field(4, ge=2, le=5, description="bars of a chart")
    negatives: int = Field(1, ge=0, le=10, description="near misses of a chart, captions and pictures alike")


def write_caption(bars: Bars) -> str:
    """
    >>> write_caption((("red", 7), ("blue", 3)))
    'From left to right, the red bar stands at 7, the blue bar stands at 3.'
    """
    return f"From left to right, {', '.join(f'the {colour} bar stands at {height}' for colour, height in bars)}."


def read_caption(text: str) -> Bars | None:
    """The bars that a caption of ours states; None for any other text."""
    bars = tuple((colour, int(height)) for colour, height in _BAR.findall(text))
    return bars if text == write_caption(bars) else None


def draw_chart(bars: Bars) -> bytes:
    """The chart as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SIZE / 100, SIZE / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.12, 0.05, 0.85, 0.9))
    fill = [f"#{COLOURS[colour]:06x}" for colour, _ in bars]
    axes.bar(range(len(bars)), [height for _, height in bars], color=fill, antialiased=False)
    axes.set(ylim=(0, TOP), xticks=(), yticks=range(0, TOP + 1, 2))
    axes.spines[["top", "right"]].set_visible(False)
    canvas.draw()
    return encode_png(np.asarray(canvas.buffer_rgba()))


def measure_chart(checks: Checks, png: bytes) -> Bars:
    """The bars that a picture shows, measured on its pixels; it shows nothing else.

    Raises:
        CheckError: it is no such chart.
    """
    pixels = _read_pixels(png)
    checks.require("picture_read", pixels is not None and pixels.shape == (SIZE, SIZE), "no picture of this size")
    assert pixels is not None
    # The axis is the longest dark column; its ends are 0 and the top of the scale.
    axis = np.flatnonzero(pixels[:, (pixels == 0).sum(axis=0).argmax()] == 0)
    found: list[tuple[int, str, float]] = []
    checks.require("axis_found", len(axis) > SIZE // 2, "no axis, which heights are measured by")
    for colour, code in COLOURS.items():
        rows, columns = np.nonzero(pixels == code)
        if len(rows):
            tall, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
            checks.require("bars_solid", len(rows) == tall * wide, f"the {colour} bar is no full rectangle")
            checks.require("bars_stand", abs(rows.max() - axis.max()) <= 2, f"the {colour} bar is not on the axis")
            found.append((int(columns.min()), colour, (axis.max() - rows.min()) / np.ptp(axis) * TOP))
    off = [f"{colour} {height:.2f}" for _, colour, height in found if abs(height - round(height)) > 0.2]
    checks.require("heights_whole", bool(found) and not off, f"between two whole numbers: {', '.join(off)}")
    bars = tuple((colour, round(height)) for _, colour, height in sorted(found))
    same = np.array_equal(pixels, _read_pixels(draw_chart(bars)))
    checks.require("nothing_else_shown", same, "the picture is not that of the bars that it shows")
    return bars


def _read_pixels(png: bytes) -> np.ndarray | None:
    """Each pixel's colour as one number, [height, width] int64; None for what is no picture."""
    try:
        rgb = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), np.int64)
    except (UnidentifiedImageError, OSError):
        return None
    return rgb[..., 0] << 16 | rgb[..., 1] << 8 | rgb[..., 2]


def list_facts(bars: Bars) -> tuple[Fact, ...]:
    return tuple(Fact("height", (colour,), str(height)) for colour, height in bars)
