"""The process's Mermaid renderer, and memos for what is asked for again and again."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

from renderers.mermaid import Look, MermaidWorker
from storage.rows import Anchor
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.parsing import parse_code
from tasks.flowchart.settings import FlowchartSettings


@lru_cache(maxsize=1)
def get_mermaid() -> MermaidWorker:
    """The one worker of this process, started on first use and ended with the process."""
    return MermaidWorker()


def get_look(settings: FlowchartSettings) -> Look:
    """The look that the recipe asks for."""
    return Look(settings.engine, settings.style)


@lru_cache(maxsize=256)
def draw(code: str, look: Look) -> str:
    """``code`` as SVG (see `renderers.mermaid.Mermaid.draw`)."""
    return get_mermaid().draw(code, look)


@lru_cache(maxsize=64)
def paint(svg: str, size: int) -> bytes:
    """``svg`` as PNG (see `renderers.mermaid.Mermaid.paint`)."""
    return get_mermaid().paint(svg, size)


@lru_cache(maxsize=256)
def parse(code: str) -> Chart:
    """``code`` as a chart (see `tasks.flowchart.chart.parsing.parse_code`)."""
    return parse_code(code, get_mermaid())


def open_chart(anchor: Anchor) -> Chart:
    """The chart that an anchor's code defines."""
    return parse(anchor.code or "")


def decode_png(png: bytes) -> Any:
    """The pixels' brightness (height, width), uint8.

    Raises:
        ValueError: not a PNG that can be read.
    """
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            if max(image.size) > 4096:
                raise ValueError("the picture is over 4096 pixels wide")
            return np.asarray(image.convert("L"))
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError(f"not a PNG: {error}") from error
