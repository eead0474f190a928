"""Write a placed chart as SVG: an allow-list of plain shapes, one schema for every engine.

    <svg> <defs><marker id="point"/>...</defs>
      <g class="clusters"><g class="cluster" id="cluster-S" transform="translate(x,y)"> shapes, text </g></g>
      <g class="arrows"><path class="arrow" id="arrow-0" d="..." marker-end="url(#point)"/></g>
      <g class="arrow-labels"><g class="arrow-label" data-arrow="arrow-0"> rect, text </g></g>
      <g class="nodes"><g class="node" id="node-A" transform="translate(x,y)"> shapes, text </g></g>
    </svg>

No style sheet, script, link, image, foreign object or reference out of the file: there is nothing to fetch. An
arrow's head is a marker that lies between the path's end and the border it points at, so that turning an arrow is
exchanging its markers and their clearances.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from counterfoil.renderers.mermaid.fonts import ASCENT, DESCENT, FALLBACK_FAMILY, FAMILY, split_families
from counterfoil.renderers.mermaid.labels import Run
from counterfoil.renderers.mermaid.layout import (
    ArrowPath,
    Box,
    Layout,
    Shape,
    Text,
    format_number,
    format_path,
    move_end,
    reverse_path,
)
from counterfoil.renderers.mermaid.styles import Style

MARGIN = 8.0


def head_clearance(head: str, size: float) -> float:
    """How far before the border a path ends so that its head's tip touches the border, in pixels."""
    return size / 2 if head == "point" else 0.0


def write_svg(layout: Layout, style: Style) -> str:
    """The chart as SVG text, ending without a newline."""
    ox, oy = layout.origin
    width, height = format_number(layout.width), format_number(layout.height)
    heads = sorted({h for a in layout.arrows for h in (a.start, a.end) if h})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{FAMILY}" font-size="16">',
        "<defs>" + "".join(_marker(h, style) for h in heads) + "</defs>" if heads else "",
        f'<g transform="translate({format_number(-ox)},{format_number(-oy)})">' if (ox or oy) else "<g>",
        '<g class="clusters">',
        *(_box(b, "cluster", style) for b in layout.clusters),
        '</g><g class="arrows">',
        *(_arrow(a, i, style) for i, a in enumerate(layout.arrows)),
        '</g><g class="arrow-labels">',
        *(_arrow_label(a, i, style) for i, a in enumerate(layout.arrows) if a.label and a.label.lines),
        '</g><g class="nodes">',
        *(_box(b, "node", style) for b in layout.nodes),
        "</g></g></svg>",
    ]
    return "".join(parts)


def _marker(head: str, style: Style) -> str:
    size = format_number(style.head_size * (1.0 if head == "point" else 1.3))
    body, ref = {
        "point": (f'<path d="M0,0L10,5L0,10Z" fill="{style.line}"/>', "5"),
        "circle": (f'<circle cx="5" cy="5" r="4.5" fill="{style.line}"/>', "10"),
        "cross": (f'<path d="M1,1L9,9M9,1L1,9" fill="none" stroke="{style.line}" stroke-width="2"/>', "11"),
    }[head]
    return (
        f'<marker id="{head}" viewBox="0 0 10 10" refX="{ref}" refY="5" markerWidth="{size}" markerHeight="{size}" '
        f'markerUnits="userSpaceOnUse" orient="auto-start-reverse">{body}</marker>'
    )


def _arrow(arrow: ArrowPath, index: int, style: Style) -> str:
    path = move_end(arrow.path, -head_clearance(arrow.end, style.head_size))
    path = reverse_path(move_end(reverse_path(path), -head_clearance(arrow.start, style.head_size)))
    width = style.thick_width if arrow.line == "thick" else style.line_width
    attributes = {
        "d": format_path(path),
        "fill": "none",
        "stroke": dict(arrow.paint).get("stroke", style.line),
        "stroke-width": format_number(width),
    }
    if arrow.line == "dotted":
        attributes["stroke-dasharray"] = "2 3"
    for key, head in (("marker-start", arrow.start), ("marker-end", arrow.end)):
        if head:
            attributes[key] = f"url(#{head})"
    return f'<path class="arrow" id="arrow-{index}"{_attributes(attributes)}/>'


def _arrow_label(arrow: ArrowPath, index: int, style: Style) -> str:
    assert arrow.label is not None
    width, height = arrow.label_box
    box = {
        "x": format_number(arrow.label.x - width / 2),
        "y": format_number(arrow.label.y - height / 2),
        "width": format_number(width),
        "height": format_number(height),
        "fill": style.label_background,
        "fill-opacity": format_number(style.label_background_opacity),
    }
    return f'<g class="arrow-label" data-arrow="arrow-{index}"><rect{_attributes(box)}/>{_text(arrow.label, style)}</g>'


def _box(box: Box, kind: str, style: Style) -> str:
    defaults = (
        {"fill": style.node_fill, "stroke": style.node_stroke, "stroke-width": format_number(style.node_stroke_width)}
        if kind == "node"
        else {"fill": style.cluster_fill, "stroke": style.cluster_stroke, "stroke-width": "1"}
    )
    place = f"translate({format_number(box.x)},{format_number(box.y)})"
    shapes = "".join(_shape(shape, defaults) for shape in box.shapes)
    text = _text(box.label, style) if box.label and box.label.lines else ""
    return f'<g class="{kind}" id={quoteattr(f"{kind}-{box.identifier}")} transform="{place}">{shapes}{text}</g>'


def _shape(shape: Shape, defaults: dict[str, str]) -> str:
    attributes = {**dict(shape.geometry), **defaults, **dict(shape.paint)}
    if attributes.get("stroke") == "none":
        attributes.pop("stroke-width", None)
    if shape.dx or shape.dy:
        attributes["transform"] = f"translate({format_number(shape.dx)},{format_number(shape.dy)})"
    return f"<{shape.tag}{_attributes(attributes)}/>"


def _text(text: Text, style: Style) -> str:
    top = text.y - len(text.lines) * text.line_height / 2
    drop = (text.line_height + (ASCENT - DESCENT) * text.size) / 2
    spans = "".join(
        f'<tspan x="{format_number(text.x)}" y="{format_number(top + drop + i * text.line_height)}">'
        f"{''.join(map(_run, line))}</tspan>"
        for i, line in enumerate(text.lines)
    )
    size = "" if text.size == 16.0 else f' font-size="{format_number(text.size)}"'
    return f'<text text-anchor="middle" fill="{text.fill or style.text}"{size}>{spans}</text>'


def _run(run: Run) -> str:
    face = (' font-weight="bold"' if run.bold else "") + (' font-style="italic"' if run.italic else "")
    parts = []
    for family, text in split_families(run.text):
        marks = face + (f' font-family="{FALLBACK_FAMILY}"' if family == FALLBACK_FAMILY else "")
        parts.append(f"<tspan{marks}>{escape(text)}</tspan>" if marks else escape(text))
    return "".join(parts)


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
