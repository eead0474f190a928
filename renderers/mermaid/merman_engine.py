"""merman: Mermaid's own dagre layout in Rust, pinned to the look of the paper's pictures.

Its SVG holds a style sheet, foreign objects and hand-drawn double strokes; we take the placed shapes, the curves and
the labels out of it and drop the rest.
"""

from __future__ import annotations

import json
import re
import weakref
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import merman

from counterfoil.renderers.mermaid.fonts import FAMILY, measure_text
from counterfoil.renderers.mermaid.labels import measure_line, read_xhtml, set_face, wrap_lines, wrap_plain
from counterfoil.renderers.mermaid.layout import (
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
from counterfoil.renderers.mermaid.paint_rules import allow_paint, read_style, shows_on_white
from counterfoil.renderers.mermaid.protocol import Face, MermaidError

_SVG = "{http://www.w3.org/2000/svg}"
_CONFIG = {
    "layout": "dagre",
    "look": "classic",
    "theme": "default",
    "fontFamily": FAMILY,
    "fontSize": 16,
    "themeVariables": {"fontFamily": FAMILY, "fontSize": "16px"},
    "flowchart": {
        "curve": "basis",
        "htmlLabels": True,
        "wrappingWidth": 200,
        "padding": 15,
        "minNodeWidth": 0,
        "nodeSpacing": 50,
        "rankSpacing": 50,
    },
}
_POINT_CLEARANCE = 4.0
"""merman ends a path 4 px before the border where a pointed head follows."""

_Operation = merman.MermanTextMeasurementOperation
_Kind = merman.MermanTextMeasurementResultKind
_BLOCK = frozenset(
    {
        _Operation.MEASURE,
        _Operation.WRAPPED,
        _Operation.WRAPPED_WITH_RAW_WIDTH,
        _Operation.MERMAID_CALCULATE_TEXT_DIMENSIONS,
    }
)
_LENGTH = frozenset(
    {
        _Operation.COMPUTED_LENGTH,
        _Operation.SIMPLE_B_BOX_WIDTH,
        _Operation.RAW_B_BOX_WIDTH,
        _Operation.TSPAN_B_BOX_WIDTH,
        _Operation.WRAP_PROBE_B_BOX_WIDTH,
        _Operation.BOUNDING_CLIENT_RECT_WIDTH,
        _Operation.CANVAS_MEASURE_TEXT_WIDTH,
    }
)


class _Measurer(merman.MermanTextMeasurer):
    """Answers merman's questions about text with the painter's widths; without it the layout drifts."""

    face: Face = "regular"

    def measure(self, request: Any) -> Any:
        bold = self.face == "bold" or (request.font_weight or "") in ("bold", "bolder", "600", "700", "800", "900")
        italic = self.face == "oblique"
        if request.operation in _LENGTH:
            width = (
                sum(wrap_plain(request.text, None, bold, italic))
                if "\n" in request.text
                else measure_text(request.text, bold, italic)
            )
            return self._result(_Kind.LENGTH, length=width * request.font_size)
        if request.operation not in _BLOCK:
            return None
        limit = None if request.max_width is None else request.max_width / request.font_size
        widths = wrap_plain(request.text, limit, bold, italic)
        widest = max(widths) * request.font_size
        wrapped = limit is not None and len(widths) > request.text.count("\n") + 1
        width = max(widest, request.max_width) if wrapped else widest
        height = (request.line_height or request.font_size * 1.5) * len(widths)
        raw = request.operation == _Operation.WRAPPED_WITH_RAW_WIDTH
        return self._result(
            _Kind.WRAPPED_WITH_RAW_WIDTH if raw else _Kind.METRICS,
            width=width,
            height=height,
            lines=len(widths),
            raw_width=max(wrap_plain(request.text, None, bold, italic)) * request.font_size if raw else None,
        )

    @staticmethod
    def _result(
        kind: Any,
        width: float = 0.0,
        height: float = 0.0,
        length: float = 0.0,
        lines: int = 0,
        raw_width: float | None = None,
    ) -> Any:
        return merman.MermanTextMeasureResult(
            result_kind=kind,
            width=width,
            height=height,
            length=length,
            line_count=lines,
            bbox_left=None,
            bbox_right=None,
            raw_width=raw_width,
        )


class MermanEngine:
    """One merman engine with our fonts' widths. Not safe for use from several threads."""

    name = "merman"

    def __init__(self) -> None:
        self._measurer = _Measurer()
        self._engine = merman.MermanEngine(
            options_json=json.dumps(
                {"site_config": _CONFIG, "svg": {"pipeline": "parity"}, "resources": {"profile": "interactive"}}
            ),
            services=merman.MermanEngineServices().with_text_measurer(self._measurer),
        )
        # Its own destructor fails when it runs after the interpreter's teardown.
        weakref.finalize(self, self._engine.close)

    def parse(self, code: str) -> dict[str, Any]:
        """merman's graph of ``code``, or ``{"error": message}``."""
        try:
            return json.loads(self._engine.parse_json(code, None))
        except merman.MermanError as error:
            return {"error": _message(error)}

    def place(self, code: str, face: Face = "regular") -> Layout:
        """The chart laid out.

        Raises:
            MermaidError: ``engine`` or ``undrawable``.
        """
        self._measurer.face = face
        try:
            svg = self._engine.render_svg(code, None)
        except merman.MermanError as error:
            raise MermaidError("engine", f"merman: {_message(error)}") from error
        return read_layout(svg, face)


def _message(error: Exception) -> str:
    return str(getattr(error, "message", "") or error).split("\n")[0][:500]


_STYLE = re.compile(r"<style>.*?</style>|<marker .*?</marker>|<defs>.*?</defs>", re.S)


_ROUGH = re.compile(
    r'<path d="([^"]*)" stroke="none" stroke-width="0" fill="(#[^"]*)"[^>]*/>'
    r'<path d="([^"]*)" stroke="([^"]*)" stroke-width="[^"]*" fill="none" stroke-dasharray="0 0"( style="[^"]*")?/>'
)


def _shrink(match: re.Match[str]) -> str:
    outline, fill, pieces, stroke, style = match.groups()
    merged = _merge_rough(outline, pieces)
    if merged is None:
        return match.group()
    return f'<path d="{merged}" fill="{fill}" stroke="{stroke}"{style or ""}/>'


def read_layout(svg: str, face: Face) -> Layout:
    """The layout in merman's SVG, its labels set in ``face``."""
    # Most of the text is a style sheet, heads that we do not use and strokes drawn twice: off before it is parsed.
    root = ElementTree.fromstring(_ROUGH.sub(_shrink, _STYLE.sub("", svg)))
    x, y, width, height = (float(v) for v in root.get("viewBox", "0 0 0 0").split())
    reader = _Reader(face)
    reader.walk(root, 0.0, 0.0)
    return Layout(width, height, tuple(reader.nodes), tuple(reader.clusters), reader.finish_arrows(), (x, y))


class _Reader:
    """Collects boxes, arrows and labels; a subgraph with its own direction is a nested, moved root."""

    def __init__(self, face: Face) -> None:
        self._face = face
        self.nodes: list[Box] = []
        self.clusters: list[Box] = []
        self._arrows: list[tuple[str, ArrowPath]] = []
        self._labels: dict[str, tuple[Text, tuple[float, float]]] = {}

    def walk(self, element: ElementTree.Element, x: float, y: float) -> None:
        for child in element:
            classes = (child.get("class") or "").split()
            dx, dy = parse_translation(child, "merman")
            if child.tag == _SVG + "g" and classes[:1] == ["node"]:
                identifier = re.sub(r"^.*?flowchart-(.*)-\d+$", r"\1", child.get("id", ""), flags=re.S)
                self.nodes.append(_read_box(child, identifier, x + dx, y + dy, self._face))
            elif child.tag == _SVG + "g" and classes[:1] == ["cluster"]:
                identifier = child.get("id", "").partition("-")[2]
                self.clusters.append(_read_box(child, identifier, x + dx, y + dy, self._face))
            elif child.tag == _SVG + "path" and "flowchart-link" in classes:
                self._read_arrow(child, classes, x, y)
            elif child.tag == _SVG + "g" and classes == ["edgeLabel"]:
                self._read_arrow_label(child, x + dx, y + dy)
            elif child.tag == _SVG + "g":
                self.walk(child, x + dx, y + dy)

    def _read_arrow(self, element: ElementTree.Element, classes: list[str], x: float, y: float) -> None:
        start, end = (_head(element.get(key)) for key in ("marker-start", "marker-end"))
        path = parse_path(element.get("d", ""))
        if x or y:
            moved = (type(s)(s.command, tuple((px + x, py + y) for px, py in s.points)) for s in path)
            path = tuple(moved)
        if end == "point":
            path = move_end(path, _POINT_CLEARANCE)
        if start == "point":
            path = reverse_path(move_end(reverse_path(path), _POINT_CLEARANCE))
        line = "thick" if "edge-thickness-thick" in classes else "normal"
        line = "dotted" if "edge-pattern-dotted" in classes else line
        # Width and dashes say what kind of line it is, so an author may set the colour alone.
        colour = read_style(element.get("style")).get("stroke", "")
        paint = {"stroke": colour} if shows_on_white(colour) else {}
        identifier = element.get("data-id", "")
        self._arrows.append((identifier, ArrowPath(identifier, path, start, end, line, tuple(paint.items()))))

    def _read_arrow_label(self, element: ElementTree.Element, x: float, y: float) -> None:
        group = next((g for g in element if g.tag == _SVG + "g" and "label" in (g.get("class") or "").split()), None)
        found = _read_text(group, x, y, self._face) if group is not None else None
        if group is not None and found is not None:
            self._labels[group.get("data-id", "")] = found

    def finish_arrows(self) -> tuple[ArrowPath, ...]:
        arrows = []
        for identifier, arrow in self._arrows:
            label, box = self._labels.get(identifier, (None, (0.0, 0.0)))
            arrows.append(
                ArrowPath(identifier, arrow.path, arrow.start, arrow.end, arrow.line, arrow.paint, label, box)
            )
        return tuple(arrows)


def _head(marker: str | None) -> str:
    match = re.search(r"(point|circle|cross)(?:Start|End)", marker or "")
    return match.group(1) if match else ""


def _read_box(element: ElementTree.Element, identifier: str, x: float, y: float, face: Face) -> Box:
    shapes: list[Shape] = []
    label: Text | None = None
    for child in element:
        classes = (child.get("class") or "").split()
        if child.tag == _SVG + "g" and any(c in ("label", "cluster-label") for c in classes):
            found = _read_text(child, *parse_translation(child, "merman"), face)
            label = found[0] if found else label
        else:
            _collect_shapes(child, 0.0, 0.0, shapes)
    return Box(identifier, x, y, tuple(shapes), label)


_GEOMETRY = {
    "rect": ("x", "y", "width", "height", "rx", "ry"),
    "circle": ("cx", "cy", "r"),
    "ellipse": ("cx", "cy", "rx", "ry"),
    "polygon": ("points",),
    "polyline": ("points",),
    "line": ("x1", "y1", "x2", "y2"),
    "path": ("d",),
}
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@lru_cache(maxsize=8192)
def _round_numbers(text: str) -> str:
    return _NUMBER.sub(lambda m: f"{float(m.group()):.2f}".rstrip("0").rstrip("."), text)


def _collect_shapes(element: ElementTree.Element, dx: float, dy: float, shapes: list[Shape]) -> None:
    tag = element.tag.rpartition("}")[2]
    ddx, ddy = parse_translation(element, "merman")
    dx, dy = dx + ddx, dy + ddy
    if tag == "g":
        for child in element:
            _collect_shapes(child, dx, dy, shapes)
    elif tag in _GEOMETRY:
        geometry = tuple((k, _round_numbers(v)) for k in _GEOMETRY[tag] if (v := element.get(k)) is not None)
        if tag == "rect" and not element.get("width"):
            return
        if tag == "path" and element.get("stroke-dasharray") == "0 0":
            geometry = (("d", _drop_double_strokes(element.get("d", ""))),)
        if "text" in (element.get("class") or "").split():
            shapes.append(Shape(tag, geometry, (("fill", "none"), ("stroke", "none")), dx, dy))
        else:
            shapes.append(Shape(tag, geometry, _paint(element), dx, dy))
    elif tag not in ("title", "desc"):
        raise MermaidError("undrawable", f"merman drew <{tag}> in a node: this shape is not drawn")


def _paint(element: ElementTree.Element) -> tuple[tuple[str, str], ...]:
    """The paint set on the shape itself; merman's default colours are left to our style."""
    paint = {k: v for k in ("fill", "stroke") if (v := allow_paint(k, element.get(k, "")))}
    paint = {k: v for k, v in paint.items() if v not in ("#ECECFF", "#9370DB")}
    paint.update({k: v for k, v in read_style(element.get("style")).items() if k != "color"})
    return tuple(paint.items())


@lru_cache(maxsize=2048)
def _merge_rough(outline: str, pieces: str) -> str | None:
    """rough.js draws a filled outline and then its stroke piece by piece, twice. Where the pieces are the outline's
    own, the outline alone with a fill and a stroke is the same picture in a tenth of the bytes."""
    if outline.count("M") != 1 or not set(_corners(outline)).issuperset(_corners(pieces)):
        return None
    return _round_numbers(outline).strip() + "Z"


def _corners(d: str) -> list[tuple[int, int]]:
    """The points at which a path's pieces begin and end, in tenths of a pixel."""
    found = []
    for piece in d.replace(",", " ").replace("L", "C").replace("M", "C").split("C"):
        numbers = piece.split()
        if len(numbers) >= 2:
            found.append((round(float(numbers[-2]) * 10), round(float(numbers[-1]) * 10)))
    return found


def _drop_double_strokes(d: str) -> str:
    seen: set[tuple[tuple[int, int], ...]] = set()
    kept = []
    for piece in d.split("M"):
        ends = tuple(_corners(piece))
        if ends in seen or len(set(ends)) < 2:
            continue
        seen.add(ends)
        kept.append("M" + _round_numbers(piece.strip()))
    return "".join(kept)


def _read_text(group: ElementTree.Element, x: float, y: float, face: Face) -> tuple[Text, tuple[float, float]] | None:
    """The label in ``group``, whose own translation is not yet in (x, y) for arrow labels and is for boxes."""
    foreign = group.find(_SVG + "foreignObject")
    if foreign is None or not foreign.get("width"):
        return None
    lines = [set_face(line, face) for line in read_xhtml(foreign)]
    if not lines:
        return None
    width, height = float(foreign.get("width", 0)), float(foreign.get("height", 0))
    if "edgeLabel" not in _parent_class(group):
        x, y = x + width / 2, y + height / 2
    wrapped = wrap_lines(lines, max(width / 16.0, 0.1) + 0.01)
    colour = read_style(group.get("style")).get("color")
    text = Text(x, y, wrapped, fill=colour)
    painted = max((measure_line(line) for line in wrapped), default=0.0) * 16.0
    return text, (max(width, painted), max(height, len(wrapped) * 24.0))


def _parent_class(group: ElementTree.Element) -> str:
    return "edgeLabel" if group.get("data-id") is not None else ""
