"""The visual styles: colours, strokes and arrow heads, independent of the engine that lays out."""

from __future__ import annotations

from dataclasses import dataclass

from renderers.mermaid.protocol import StyleName


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
    # Mermaid's theme "default", look "classic".
    "classic": Style(
        node_fill="#ECECFF",
        node_stroke="#9370DB",
        node_stroke_width=1.0,
        text="#333333",
        line="#333333",
        line_width=1.0,
        thick_width=3.5,
        label_background="#E8E8E8",
        label_background_opacity=0.8,
        cluster_fill="#FFFFDE",
        cluster_stroke="#AAAA33",
        head_size=8.0,
        corner=0.0,
    ),
    # Mermaid's themes "forest" and "neutral".
    "forest": Style(
        node_fill="#CDE498",
        node_stroke="#13540C",
        node_stroke_width=1.0,
        text="#000000",
        line="#2B5D14",
        line_width=1.0,
        thick_width=3.5,
        label_background="#E8E8E8",
        label_background_opacity=0.8,
        cluster_fill="#CDFFB2",
        cluster_stroke="#6EAA49",
        head_size=8.0,
        corner=0.0,
    ),
    "neutral": Style(
        node_fill="#EEEEEE",
        node_stroke="#888888",
        node_stroke_width=1.0,
        text="#222222",
        line="#555555",
        line_width=1.2,
        thick_width=3.5,
        label_background="#FFFFFF",
        label_background_opacity=0.8,
        cluster_fill="#FAFAFA",
        cluster_stroke="#AAAAAA",
        head_size=9.0,
        corner=0.0,
    ),
    "sand": Style(
        node_fill="#FFF4DD",
        node_stroke="#8A6D3B",
        node_stroke_width=1.5,
        text="#3B2F1E",
        line="#5B4636",
        line_width=1.3,
        thick_width=4.0,
        label_background="#FFFFFF",
        label_background_opacity=0.9,
        cluster_fill="#FBF7EE",
        cluster_stroke="#C8B48A",
        head_size=9.0,
        corner=4.0,
    ),
    "slate": Style(
        node_fill="#E5EFFA",
        node_stroke="#2F5597",
        node_stroke_width=1.5,
        text="#172D4A",
        line="#1F2937",
        line_width=1.5,
        thick_width=4.0,
        label_background="#FFFFFF",
        label_background_opacity=1.0,
        cluster_fill="#F4F6FA",
        cluster_stroke="#8A9BB5",
        head_size=9.0,
        corner=6.0,
    ),
}
