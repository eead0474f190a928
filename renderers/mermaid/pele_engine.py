"""Pele: a Mermaid parser and layout in JavaScript, run in embedded QuickJS; our first parser and second engine."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from renderers.mermaid.fonts import ASCENT, DESCENT, measure_text
from renderers.mermaid.labels import Line, Run, measure_line, tidy_line
from renderers.mermaid.layout import (
    ArrowPath,
    Box,
    Layout,
    Shape,
    Text,
    move_end,
    parse_path,
    parse_translation,
    reverse_path,
)
from renderers.mermaid.paint_rules import allow_paint, read_style
from renderers.mermaid.protocol import MermaidError
from renderers.mermaid.styles import Style

_SVG = "{http://www.w3.org/2000/svg}"
_MEMORY_BYTES = 256 * 1024 * 1024
_CLEARANCE = {"point": 7.0, "circle": 8.0, "cross": 4.0, "": 0.0}
"""How far before the border Pele ends a path, by the head that follows."""


class PeleEngine:
    """One QuickJS context with Pele in it; made anew after a JavaScript failure that is not a parse error."""

    name = "pele"

    def __init__(self) -> None:
        self._context = _make_context()

    def parse(self, code: str) -> dict[str, Any]:
        """Pele's graph, or ``{"error": {"message", "code", "line", "column"}}``."""
        return self._call("parseChart", code)

    def place(self, code: str, style: Style) -> Layout:
        """The chart laid out.

        Raises:
            MermaidError: ``syntax``, ``engine`` or ``undrawable``.
        """
        reply = self._call("placeChart", code)
        if "error" in reply:
            error = reply["error"]
            kind = "syntax" if error["code"] == "syntax" else "engine"
            raise MermaidError(kind, f"Pele: {error['message']}", error["line"] or None, error["column"] or None)
        return read_layout(reply["svg"], reply["heads"], style)

    def _call(self, function: str, code: str) -> dict[str, Any]:
        import quickjs

        try:
            return json.loads(self._context.eval(f"{function}({json.dumps(code)})"))
        except quickjs.JSException as error:
            # An interrupted or exhausted context must not serve the next chart.
            self._context = _make_context()
            raise MermaidError("engine", f"Pele failed: {str(error).splitlines()[0][:300]}") from error


def _make_context() -> Any:
    import quickjs

    spec = importlib.util.find_spec("mermaid_render")
    if spec is None or not spec.submodule_search_locations:
        raise MermaidError("engine", "Pele is not installed: pip install mermaid-render")
    bundle = Path(next(iter(spec.submodule_search_locations))) / "pele" / "pele.global.js"
    context = quickjs.Context()
    context.set_memory_limit(_MEMORY_BYTES)
    context.eval(bundle.read_text(encoding="utf-8"))
    context.add_callable("measureText", lambda text, bold, italic: measure_text(text, bold, italic))
    context.eval(Path(__file__).with_name("pele_engine.js").read_text(encoding="utf-8"))
    return context


def read_layout(svg: str, heads: dict[str, list[str]], style: Style) -> Layout:
    """The layout in Pele's SVG; ``heads`` gives each arrow's type and stroke by its id."""
    root = ElementTree.fromstring(svg)
    x, y, width, height = (float(v) for v in root.get("viewBox", "0 0 0 0").split())
    labels: dict[str, tuple[Text, tuple[float, float]]] = {}
    for group in _groups(root, "pele-edge-label"):
        text = _read_text(group, 14.0)
        box = group.find(_SVG + "rect")
        if text and box is not None:
            labels[group.get("data-id", "")] = text, (float(box.get("width", 0)), float(box.get("height", 0)))
    arrows = tuple(
        _read_arrow(group, heads.get(group.get("data-id", ""), ["arrow_point", "normal"]), labels)
        for group in _groups(root, "pele-edge")
    )
    return Layout(
        width,
        height,
        tuple(_read_box(g, style) for g in _groups(root, "pele-node")),
        tuple(_read_box(g, style, cluster=True) for g in _groups(root, "pele-cluster")),
        arrows,
        (x, y),
    )


def _groups(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [g for g in root.iter(_SVG + "g") if name in (g.get("class") or "").split()]


def _read_arrow(
    group: ElementTree.Element, head: list[str], labels: dict[str, tuple[Text, tuple[float, float]]]
) -> ArrowPath:
    kind, stroke = head
    identifier = group.get("data-id", "")
    end = {"arrow_point": "point", "arrow_circle": "circle", "arrow_cross": "cross"}.get(
        kind.replace("double_", ""), ""
    )
    start = end if kind.startswith("double_") else ""
    line = next(p for p in group if p.tag == _SVG + "path" and "pele-marker" not in (p.get("class") or ""))
    path = move_end(parse_path(line.get("d", "")), _CLEARANCE[end])
    path = reverse_path(move_end(reverse_path(path), _CLEARANCE[start]))
    paint = {k: v for k, v in read_style(group.get("style")).items() if k.startswith("stroke")}
    label, box = labels.get(identifier, (None, (0.0, 0.0)))
    line_kind = stroke if stroke in ("thick", "dotted") else "normal"
    return ArrowPath(identifier, path, start, end, line_kind, tuple(paint.items()), label, box)


def _read_box(group: ElementTree.Element, style: Style, cluster: bool = False) -> Box:
    x, y = parse_translation(group, "Pele")
    shapes: list[Shape] = []
    own = read_style(group.get("style"))
    for child in group:
        _collect_shapes(child, 0.0, 0.0, own, style, cluster, shapes)
    text = _read_text(group, 16.0)
    return Box(group.get("data-id", ""), x, y, tuple(shapes), text)


_GEOMETRY = {
    "rect": ("x", "y", "width", "height", "rx", "ry"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "polygon": ("points",),
    "polyline": ("points",),
    "line": ("x1", "y1", "x2", "y2"),
    "path": ("d",),
}


def _collect_shapes(
    element: ElementTree.Element,
    dx: float,
    dy: float,
    own: dict[str, str],
    style: Style,
    cluster: bool,
    shapes: list[Shape],
) -> None:
    tag = element.tag.rpartition("}")[2]
    if tag in ("text", "title", "desc"):
        return
    ddx, ddy = parse_translation(element, "Pele")
    dx, dy = dx + ddx, dy + ddy
    if tag == "g":
        inner = {**own, **read_style(element.get("style"))}
        for child in element:
            _collect_shapes(child, dx, dy, inner, style, cluster, shapes)
        return
    if tag not in _GEOMETRY:
        raise MermaidError("undrawable", f"Pele drew <{tag}> in a node: this shape is not drawn")
    geometry = [(k, v) for k in _GEOMETRY[tag] if (v := element.get(k)) is not None]
    if tag == "rect" and element.get("rx") is None and style.corner:
        geometry.append(("rx", f"{style.corner:g}"))
    shapes.append(Shape(tag, tuple(geometry), _paint(element, own, style), dx, dy))


def _paint(element: ElementTree.Element, own: dict[str, str], style: Style) -> tuple[tuple[str, str], ...]:
    paint: dict[str, str] = {}
    roles = {"var(--_l)": style.line, "var(--_fg)": style.line, "var(--_bg)": "#FFFFFF", "none": "none"}
    for key in ("fill", "stroke", "stroke-width", "stroke-dasharray"):
        value = element.get(key)
        if value is None:
            continue
        if value in roles:
            paint[key] = roles[value]
        elif not value.startswith("var(") and (allowed := allow_paint(key, value)):
            paint[key] = allowed
    given = {**own, **read_style(element.get("style"))}
    given.pop("color", None)
    if paint.get("fill") == "none":
        given.pop("fill", None)
    return tuple({**paint, **given}.items())


def _read_text(group: ElementTree.Element, size: float) -> Text | None:
    """The group's text: a line for each positioned tspan, or the text itself as one line."""
    element = group.find(_SVG + "text")
    if element is None:
        return None
    placed = [s for s in element if s.tag == _SVG + "tspan" and s.get("y") is not None]
    sources = placed or [element]
    groups: list[list[Run]] = [] if placed else [[]]
    # A tspan without a place of its own goes on with the line of the one before it.
    for source in element if placed else [element]:
        if source.get("y") is not None and placed:
            groups.append([])
        if groups:
            _read_runs(source, False, False, groups[-1])
            if placed and source.tail:
                groups[-1].append(Run(source.tail))
    lines: list[Line] = [tidy_line(runs) for runs in groups]
    if not any(lines):
        return None
    baselines = [float(s.get("y", 0)) for s in sources]
    x = float(sources[0].get("x", 0))
    if element.get("text-anchor") != "middle":
        x += max(measure_line(line) for line in lines) * size / 2
    height = (baselines[-1] - baselines[0]) / (len(lines) - 1) if len(lines) > 1 else size * 1.5
    centre = (baselines[0] + baselines[-1]) / 2 - (ASCENT - DESCENT) * size / 2
    colour = allow_paint("fill", element.get("fill", "")) or read_style(element.get("style")).get("fill")
    return Text(x, centre, tuple(lines), size, height, colour)


def _read_runs(element: ElementTree.Element, bold: bool, italic: bool, runs: list[Run]) -> None:
    style = element.get("style", "")
    bold = bold or element.get("font-weight", "normal") != "normal" or "font-weight" in style
    italic = italic or element.get("font-style") == "italic" or "italic" in style
    if element.text:
        runs.append(Run(element.text, bold, italic))
    for child in element:
        _read_runs(child, bold, italic, runs)
        if child.tail:
            runs.append(Run(child.tail, bold, italic))
