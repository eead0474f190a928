"""The process's Mermaid renderer, and memos for what is asked for again and again."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from counterfoil.renderers.mermaid import Look, MermaidWorker
from counterfoil.storage.rows import Anchor
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.parsing import parse_code


@lru_cache(maxsize=1)
def get_mermaid() -> MermaidWorker:
    """The one worker of this process, started on first use and ended with the process."""
    return MermaidWorker()


@lru_cache(maxsize=256)
def draw_chart(code: str, look: Look) -> str:
    """``code`` as SVG (see `counterfoil.renderers.mermaid.Mermaid.draw`)."""
    return get_mermaid().draw(code, look)


@lru_cache(maxsize=64)
def paint(svg: str, size: int) -> bytes:
    """``svg`` as PNG (see `counterfoil.renderers.mermaid.Mermaid.paint`)."""
    return get_mermaid().paint(svg, size)


def find_letters(svg: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Where ``svg`` has letters and where they are seen, (size, size) bool (see `renderers.mermaid.Mermaid.letter`)."""
    bits = np.unpackbits(np.frombuffer(get_mermaid().letter(svg, size), np.uint8))
    inked, seen = (half[: size * size].reshape(size, size).astype(bool) for half in np.split(bits, 2))
    return inked, seen


@lru_cache(maxsize=256)
def parse(code: str) -> Chart:
    """``code`` as a chart (see `counterfoil.tasks.flowchart.chart.parsing.parse_code`)."""
    return parse_code(code, get_mermaid())


def open_chart(anchor: Anchor) -> Chart:
    """The chart that an anchor's code defines."""
    return parse(anchor.code or "")
