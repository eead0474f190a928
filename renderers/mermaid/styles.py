"""The visual styles: colours, strokes and arrow heads, independent of the engine that lays out."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from counterfoil.renderers.mermaid.protocol import StyleName


@dataclass(frozen=True, slots=True)
class Style:
    """Colours are hex or rgba; widths are in pixels of the unscaled chart; ``corner`` rounds plain boxes."""

    node_fill: str
    node_stroke: str
    node_stroke_width: float
    text: str
    line: str
    line_width: float
    thick_width: float
    label_background: str
    label_background_opacity: float
    cluster_fill: str
    cluster_stroke: str
    head_size: float
    corner: float


STYLES: dict[StyleName, Style] = {
    name: Style(**values)  # type: ignore[misc]
    for name, values in tomllib.loads(Path(__file__).with_name("styles.toml").read_text(encoding="utf-8")).items()
}
