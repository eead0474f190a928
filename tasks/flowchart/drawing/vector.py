"""Read a chart back from its SVG, by geometry: which box a line begins and ends at, where its heads are, what the
labels say and where they stand.

Nothing here trusts what the SVG says about itself: ids only name things for messages. A line's ends are the boxes
that its path begins and ends at, its direction is where its markers are, a label is its glyphs' text.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

from counterfoil.renderers.mermaid.fonts import ASCENT, DESCENT, measure_text
from counterfoil.renderers.mermaid.layout import flatten_path, parse_path
from counterfoil.renderers.mermaid.paint_rules import shows_on_white
from counterfoil.renderers.mermaid.protocol import MermaidError
from counterfoil.renderers.mermaid.raster import check_svg
from counterfoil.tasks.flowchart.chart.sight import Seen, Sight

_SVG = "{http://www.w3.org/2000/svg}"
REACH = 8.0
"""How far (px of the unscaled chart) a path may end from the border of the box that it belongs to."""

LABEL_REACH = 14.0
"""How far (px) a label's box may lie from its arrow: a smoothed curve cuts the corner that its label sits in."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Placed:
    """A label as placed: its text, the box of its lines (x0, y0, x1, y1) and its font size, in chart pixels."""

    text: str
    box: Box
    size: float


@dataclass(frozen=True, slots=True)
class Picture:
    """What an SVG shows. ``boxes`` are the frames of nodes and then clusters, in the order of ``sight.labels``."""

    sight: Sight
    width: float
    height: float
    boxes: tuple[Box, ...]
    nodes: int
    node_labels: tuple[Placed | None, ...]
    arrow_labels: tuple[Placed | None, ...]

    @property
    def labels(self) -> list[Placed]:
        """All labels that are drawn."""
        return [p for p in (*self.node_labels, *self.arrow_labels) if p is not None]


class VectorError(ValueError):
    """The SVG is no chart that can be read back: ``"code: details"``."""


@lru_cache(maxsize=512)
def read_vector(svg: str) -> Picture:
    """The chart that ``svg`` shows.

    Raises:
        VectorError: an arrow that ends at no box, a label that is far from its arrow, a malformed file.
    """
    try:
        root = check_svg(svg)
    except MermaidError as error:
        raise VectorError(f"svg_refused: {error.message}") from error
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    if not (width > 0 and height > 0):
        raise VectorError("svg_refused: the SVG does not say its size")
    offset = find_offset(root)
    boxes: list[tuple[Box, Placed | None]] = []
    nodes = 0
    for kind in ("node", "cluster"):
        for group in root.iter(_SVG + "g"):
            if group.get("class") == kind:
                boxes.append(_read_box(group, offset))
                nodes += kind == "node"
    lines = [p for p in root.iter(_SVG + "path") if p.get("class") == "arrow"]
    labels = _read_arrow_labels(root, offset)
    seen, placed = [], []
    for line in lines:
        label = labels.pop(line.get("id", ""), None)
        arrow = _read_arrow(line, [b for b, _ in boxes], nodes, offset, label)
        seen.append(arrow)
        placed.append(label)
    if labels:
        raise VectorError("arrow_label_loose: a label belongs to no arrow")
    sight = Sight(tuple(p.text if p else "" for _, p in boxes), tuple(seen))
    return Picture(sight, width, height, tuple(b for b, _ in boxes), nodes, tuple(p for _, p in boxes), tuple(placed))


def find_offset(root: ElementTree.Element) -> tuple[float, float]:
    """How far the whole drawing is moved, in px."""
    inner = next((g for g in root if g.tag == _SVG + "g"), None)
    return read_translation(inner) if inner is not None else (0.0, 0.0)


_TRANSLATE = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")


def read_translation(element: ElementTree.Element) -> tuple[float, float]:
    """How far an element is moved, in px.

    Raises:
        VectorError: it is turned or scaled.
    """
    transform = element.get("transform")
    if not transform:
        return 0.0, 0.0
    match = _TRANSLATE.fullmatch(transform)
    if match is None:
        raise VectorError(f"svg_refused: the transform {transform[:40]!r}")
    return float(match.group(1)), float(match.group(2))


def _read_box(group: ElementTree.Element, offset: tuple[float, float]) -> tuple[Box, Placed | None]:
    x, y = read_translation(group)
    x, y = x + offset[0], y + offset[1]
    extent: list[tuple[float, float]] = []
    label: Placed | None = None
    for child in group:
        if child.tag == _SVG + "text":
            label = _read_text(child, x, y)
            continue
        dx, dy = read_translation(child)
        extent += [(px + dx + x, py + dy + y) for px, py in read_shape(child)]
    if not extent:
        if label is None:
            raise VectorError(f"svg_refused: the box {group.get('id')!r} is empty")
        return label.box, label
    xs, ys = [p[0] for p in extent], [p[1] for p in extent]
    return (min(xs), min(ys), max(xs), max(ys)), label


def read_shape(shape: ElementTree.Element) -> list[tuple[float, float]]:
    """Points whose hull holds a shape: of a rectangle two corners, of a polygon its own."""
    tag = shape.tag.removeprefix(_SVG)

    def get(key: str) -> float:
        return float(shape.get(key, 0))

    if tag == "rect":
        return [(get("x"), get("y")), (get("x") + get("width"), get("y") + get("height"))]
    if tag in ("circle", "ellipse"):
        rx, ry = (get("r"), get("r")) if tag == "circle" else (get("rx"), get("ry"))
        return [(get("cx") - rx, get("cy") - ry), (get("cx") + rx, get("cy") + ry)]
    if tag in ("polygon", "polyline"):
        numbers = [float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", shape.get("points", ""))]
        return list(zip(numbers[::2], numbers[1::2], strict=False))
    if tag == "line":
        return [(get("x1"), get("y1")), (get("x2"), get("y2"))]
    return _path_points(shape.get("d", ""))


_PIECE = re.compile(r"([MLHVCSQTAZmlhvcsqtaz])([^MLHVCSQTAZmlhvcsqtaz]*)")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
_COUNTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


@lru_cache(maxsize=4096)
def _path_points(d: str) -> list[tuple[float, float]]:
    """Ends and control points of a path: their hull holds the shape."""
    x = y = 0.0
    points: list[tuple[float, float]] = []
    for command, text in _PIECE.findall(d):
        values = [float(n) for n in _NUMBER.findall(text)]
        upper = command.upper()
        count = _COUNTS[upper]
        for i in range(0, len(values), count) if count else ():
            chunk = values[i : i + count]
            if len(chunk) < count:
                raise VectorError("svg_refused: a malformed path")
            base = (x, y) if command.islower() else (0.0, 0.0)
            if upper == "H":
                x = chunk[0] + base[0]
            elif upper == "V":
                y = chunk[0] + base[1]
            elif upper == "A":
                middle = ((x + chunk[5] + base[0]) / 2, (y + chunk[6] + base[1]) / 2)
                x, y = chunk[5] + base[0], chunk[6] + base[1]
                points += _bulge(middle, chunk, math.dist(middle, (x, y)))
            else:
                for j in range(0, count - 2, 2):
                    points.append((chunk[j] + base[0], chunk[j + 1] + base[1]))
                x, y = chunk[-2] + base[0], chunk[-1] + base[1]
            points.append((x, y))
    return points


def _bulge(middle: tuple[float, float], arc: list[float], half: float) -> list[tuple[float, float]]:
    """How far a half ellipse can reach from its chord's middle; flatter arcs reach less."""
    rx, ry = arc[0], arc[1]
    reach = ry if half >= 0.9 * rx else ry * (1 - math.sqrt(max(0.0, 1 - (half / max(rx, 1e-6)) ** 2)))
    return [(middle[0], middle[1] - reach), (middle[0], middle[1] + reach)]


def _read_text(text: ElementTree.Element, x: float, y: float) -> Placed:
    size = float(text.get("font-size", 16))
    lines, xs, ys = [], [], []
    for span in text:
        runs = _read_runs(span, False, False)
        line = "".join(t for t, _, _ in runs)
        width = sum(measure_text(t, b, i) for t, b, i in runs) * size
        centre, baseline = float(span.get("x", 0)) + x, float(span.get("y", 0)) + y
        lines.append(line)
        xs += [centre - width / 2, centre + width / 2]
        ys += [baseline - ASCENT * size, baseline + DESCENT * size]
    if not lines:
        raise VectorError("svg_refused: a label without lines")
    return Placed(" ".join(lines), (min(xs), min(ys), max(xs), max(ys)), size)


def _read_runs(span: ElementTree.Element, bold: bool, italic: bool) -> list[tuple[str, bool, bool]]:
    bold, italic = bold or span.get("font-weight") == "bold", italic or span.get("font-style") == "italic"
    runs = [(span.text, bold, italic)] if span.text else []
    for child in span:
        runs += _read_runs(child, bold, italic)
        if child.tail:
            runs.append((child.tail, bold, italic))
    return runs


def _read_arrow_labels(root: ElementTree.Element, offset: tuple[float, float]) -> dict[str, Placed]:
    labels = {}
    for group in root.iter(_SVG + "g"):
        if group.get("class") == "arrow-label":
            text = group.find(_SVG + "text")
            if text is None:
                raise VectorError("svg_refused: an arrow's label without text")
            labels[group.get("data-arrow", "")] = _read_text(text, *offset)
    return labels


def _read_arrow(
    line: ElementTree.Element, boxes: list[Box], nodes: int, offset: tuple[float, float], label: Placed | None
) -> Seen:
    name = line.get("id", "arrow")
    try:
        path = parse_path(line.get("d", ""))
    except MermaidError as error:
        raise VectorError(f"svg_refused: {name}: {error.message}") from error
    points = [(px + offset[0], py + offset[1]) for px, py in flatten_path(path)]
    tail = find_box(points[0], boxes, nodes)
    head = find_box(points[-1], boxes, nodes)
    if tail is None or head is None:
        raise VectorError(f"arrow_end_loose: {name} {'begins' if tail is None else 'ends'} at no box")
    if not shows_on_white(line.get("stroke", "none")):
        raise VectorError(f"svg_refused: {name} is too pale to be seen")
    if label is not None and min(_distance(p, label.box) for p in points) > LABEL_REACH:
        raise VectorError(f"arrow_label_loose: the label {label.text!r} is not on its arrow")
    start, end = _head(line.get("marker-start")), _head(line.get("marker-end"))
    if start and end and start != end:
        raise VectorError(f"svg_refused: {name} has a {start} at one end and a {end} at the other")
    return Seen(
        tail,
        head,
        start,
        end,
        label.text if label else "",
        _stroke(line),
    )


def _head(marker: str | None) -> str:
    return marker.removeprefix("url(#").removesuffix(")") if marker else ""


def _stroke(line: ElementTree.Element) -> str:
    if line.get("stroke-dasharray"):
        return "dotted"
    return "thick" if float(line.get("stroke-width", 1)) >= 3 else "normal"


def _distance(point: tuple[float, float], box: Box) -> float:
    """From a point to a box; 0 inside it."""
    dx = max(box[0] - point[0], 0.0, point[0] - box[2])
    dy = max(box[1] - point[1], 0.0, point[1] - box[3])
    return math.hypot(dx, dy)


def _depth(point: tuple[float, float], box: Box) -> float:
    """From a point in a box to the nearest side."""
    return min(point[0] - box[0], box[2] - point[0], point[1] - box[1], box[3] - point[1])


def find_box(point: tuple[float, float], boxes: list[Box], nodes: int) -> int | None:
    """The box that a line's end belongs to: the nearest node within reach, else the nearest cluster border."""
    best: tuple[float, float, int] | None = None
    for i in range(nodes):
        distance = _distance(point, boxes[i])
        if distance <= REACH:
            depth = _depth(point, boxes[i]) if distance == 0 else 0.0
            best = min(best or (math.inf, 0.0, 0), (distance, depth, i))
    if best is not None:
        return best[2]
    for i in range(nodes, len(boxes)):
        distance = _distance(point, boxes[i]) or _depth(point, boxes[i])
        if distance <= REACH:
            best = min(best or (math.inf, 0.0, 0), (distance, 0.0, i))
    return best[2] if best else None
