"""Whether a drawing's labels are seen by what its SVG says alone, so that none has to be painted.

The proof is of drawings in the writer's form, whose groups are painted one after another. A label is seen where it lies
in an opaque box of its own (an arrow's: on its own ground, pale whatever shows through), that box's paint is far from
its own, and nothing that is painted later reaches it. What is not shown so is painted and looked at.
"""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

from PIL import ImageColor

from counterfoil.tasks.flowchart.drawing.vector import Box, Picture, Placed, find_offset, read_shape, read_translation

_SVG = "{http://www.w3.org/2000/svg}"
_GROUPS = ["clusters", "arrows", "arrow-labels", "nodes"]
_NAMED = frozenset({"class", "id", "transform", "data-arrow"})
_TEXT = frozenset({"text-anchor", "fill", "font-size"})
_SPAN = frozenset({"x", "y", "font-weight", "font-style", "font-family"})
_CONTRAST = 110
"""Between a letter and what is behind it: at the edge of a stroke, where a third of a pixel is covered, 40 are left."""
_MARGIN = 2.0
"""How far (px of the chart) a border reaches beyond its box."""


def shows_all(svg: str, picture: Picture) -> bool:
    """Whether every label is shown to be seen; False where that is not known."""
    root = ElementTree.fromstring(svg)
    inner = [child for child in root if child.tag != _SVG + "defs"]
    if len(inner) != 1 or [group.get("class") for group in inner[0]] != _GROUPS:
        return False
    clusters, _, arrow_labels, nodes = inner[0]
    if any(label is not None for label in picture.node_labels[picture.nodes :]) or len(clusters):
        return False
    offset = find_offset(root)
    said = [label for label in picture.arrow_labels if label is not None]
    named = picture.node_labels[: picture.nodes]
    boxes = [_widen(box) for box in picture.boxes[: picture.nodes]]
    grounds = [each.box for each in said]
    return (
        len(nodes) == len(named)
        and len(arrow_labels) == len(said)
        and all(
            label is None or (_stands_in_box(group, label, offset) and not _meets(label.box, boxes[place + 1 :]))
            for place, (group, label) in enumerate(zip(nodes, named, strict=True))
        )
        and all(_stands_on_ground(group) for group in arrow_labels)
        and not any(
            _meets(box, boxes) or _meets(_widen(box, 4.0), grounds[place + 1 :]) for place, box in enumerate(grounds)
        )
    )


def _widen(box: Box, margin: float = _MARGIN) -> Box:
    return box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin


def _meets(box: Box, others: list[Box]) -> bool:
    return any(box[0] < x1 and x0 < box[2] and box[1] < y1 and y0 < box[3] for x0, y0, x1, y1 in others)


def _stands_in_box(group: ElementTree.Element, label: Placed, offset: tuple[float, float]) -> bool:
    """Whether a node's group is an opaque shape around its label, and the label."""
    if len(group) != 2 or not set(group.attrib) <= _NAMED:
        return False
    shape, text = group
    x, y = (sum(each) for each in zip(read_translation(group), read_translation(shape), offset, strict=True))
    box = (label.box[0] - x, label.box[1] - y, label.box[2] - x, label.box[3] - y)
    opaque = "fill-opacity" not in shape.attrib and float(shape.get("stroke-width", 1)) <= 2 * _MARGIN
    return opaque and _contrasts(text, shape.get("fill")) and _surrounds(shape, box)


def _surrounds(shape: ElementTree.Element, box: Box) -> bool:
    if shape.tag == _SVG + "path":
        return _is_round(shape.get("d", ""), box)
    return all(_holds(shape, x, y) for x in box[::2] for y in box[1::2])


def _is_round(d: str, box: Box) -> bool:
    """Whether one closed line of curves goes round a box: no piece comes near it, and its middle is inside."""
    numbers = [float(number) for number in _NUMBER.findall(d)] if _CLOSED.fullmatch(d) else []
    if len(numbers) % 6 != 2:
        return False
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    # A piece lies in the hull of its start, its two controls and its end; the last one is straight.
    pieces = [*(points[i : i + 4] for i in range(0, len(points) - 1, 3)), [points[-1], points[0]]]
    hulls = [(*map(min, zip(*piece, strict=True)), *map(max, zip(*piece, strict=True))) for piece in pieces]
    if _meets(box, hulls):
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    ends = [piece[0] for piece in pieces]
    crossed = [
        (ay > y) != (by > y) and ax + (y - ay) / (by - ay) * (bx - ax) > x
        for (ax, ay), (bx, by) in zip(ends, [*ends[1:], ends[0]], strict=True)
    ]
    return sum(crossed) % 2 == 1


def _stands_on_ground(group: ElementTree.Element) -> bool:
    """Whether an arrow's label stands on a ground from which it is told whatever lies under that."""
    if len(group) != 2 or group[0].tag != _SVG + "rect" or not set(group.attrib) <= _NAMED:
        return False
    share = float(group[0].get("fill-opacity", 1))
    letters, ground = _shade(group[1].get("fill")), _shade(group[0].get("fill"))
    if letters is None or ground is None or not _is_plain(group[1]):
        return False
    return min(abs(share * ground + (1 - share) * under - letters) for under in (0, 255, letters)) >= _CONTRAST


def _contrasts(text: ElementTree.Element, fill: str | None) -> bool:
    letters, ground = _shade(text.get("fill")), _shade(fill)
    return letters is not None and ground is not None and abs(letters - ground) >= _CONTRAST and _is_plain(text)


def _is_plain(text: ElementTree.Element) -> bool:
    """Whether a text has one paint, and letters."""
    spans = [each for each in text.iter() if each is not text]
    plain = text.tag == _SVG + "text" and set(text.attrib) <= _TEXT and all(set(e.attrib) <= _SPAN for e in spans)
    return plain and bool("".join(text.itertext()).strip())


def _shade(colour: str | None) -> float | None:
    """Brightness (0 to 255) of an opaque colour; None for any other."""
    try:
        red, green, blue, alpha = (*ImageColor.getrgb(colour or ""), 255)[:4]
    except ValueError:
        return None
    return (77 * red + 150 * green + 29 * blue) / 256 if alpha == 255 else None


_CLOSED = re.compile(r"M[\d.\s-]+(?:C[\d.\s,-]+)+Z")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")


def _holds(shape: ElementTree.Element, x: float, y: float) -> bool:
    """Whether a point lies in a rectangle, whose corners may be round, or in a convex polygon; False for others."""
    points = read_shape(shape)
    if shape.tag == _SVG + "rect":
        (x0, y0), (x1, y1) = points
        radius = float(shape.get("rx") or shape.get("ry") or 0)
        across, down = (max(a0 + radius - a, a - a1 + radius, 0.0) for a0, a, a1 in ((x0, x, x1), (y0, y, y1)))
        return x0 <= x <= x1 and y0 <= y <= y1 and (not across or not down or math.hypot(across, down) <= radius)
    if shape.tag != _SVG + "polygon":
        return False
    edges = zip(points, [*points[1:], points[0]], strict=True)
    turns = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for (ax, ay), (bx, by) in edges]
    return all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)
