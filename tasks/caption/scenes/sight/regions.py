"""Whose pixels are whose: the picture's SVG painted once more with one flat colour for each copy of each thing.

The SVG is judged first: it may hold the shapes that `tasks.caption.scenes.brush` writes and nothing else, so that
nothing can be hidden in it (an address, a script, a filter, an invisible group).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from counterfoil.tasks.caption.scenes.picture import paint

SIDE = 336
"""Regions are measured at this size, whatever the size of the stored picture."""
MAX_CHARACTERS = 400_000
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_ALLOWED = {
    "svg": {"width", "height", "viewBox"},
    "defs": set(),
    "g": {"data-thing", "data-copy", "data-noun", "transform", "stroke-linejoin"},
    "path": {"d", "fill", "stroke", "stroke-width", "stroke-linecap", "opacity"},
    "circle": {"cx", "cy", "r", "fill", "opacity"},
    "ellipse": {"cx", "cy", "rx", "ry", "fill", "opacity"},
    "rect": {"x", "y", "width", "height", "rx", "fill", "opacity"},
    "pattern": {"id", "width", "height", "patternUnits", "patternTransform"},
    "linearGradient": {"id", "x1", "y1", "x2", "y2"},
    "stop": {"offset", "stop-color", "stop-opacity"},
}
_TRANSFORM = re.compile(r"translate\(-?[\d.]+ -?[\d.]+\) scale\((?P<turn>-?)[\d.]+ (?P<scale>[\d.]+)\)")
_PAINT = re.compile(r"#[0-9a-f]{6}|none|url\(#[a-z0-9-]+\)")


class SightError(ValueError):
    """The picture cannot be looked at: its SVG is not one of ours, or a thing in it cannot be seen."""


@dataclass(frozen=True)
class Region:
    """One copy of a thing.

    Attributes:
        transform: of its drawing.
        visible: where its pixels are seen (side, side).
        whole: where they would be seen with nothing in front.
    """

    thing: int
    copy: int
    noun: str
    transform: str
    visible: np.ndarray
    whole: np.ndarray

    @property
    def scale(self) -> float:
        """Pixels per unit of its drawing."""
        return float(_TRANSFORM.fullmatch(self.transform)["scale"])  # type: ignore[index]

    @property
    def faces(self) -> int:
        """1: it is drawn as things are, looking to the right; -1: the other way."""
        return -1 if _TRANSFORM.fullmatch(self.transform)["turn"] else 1  # type: ignore[index]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1 of what is seen; the right and lower ends are past the last pixel."""
        return bound(self.visible)


def bound(mask: np.ndarray) -> tuple[int, int, int, int]:
    """The box of a mask that is not empty: x0, y0, x1, y1."""
    ys, xs = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return int(xs[0]), int(ys[0]), int(xs[-1]) + 1, int(ys[-1]) + 1


def find_regions(svg: str) -> list[Region]:
    """The copies of all things, in the order of their numbers.

    Raises:
        SightError: the SVG is not one of ours, or a copy is not to be seen.
    """
    root = _parse(svg)
    groups: dict[tuple[int, int], list[ElementTree.Element]] = {}
    nouns: dict[tuple[int, int], str] = {}
    order: list[tuple[tuple[int, int], ElementTree.Element]] = []
    for group in root.findall(f"{_NAMESPACE}g"):
        if "data-thing" not in group.attrib:
            continue
        key = int(group.attrib["data-thing"]), int(group.attrib["data-copy"])
        groups.setdefault(key, []).append(group)
        if nouns.setdefault(key, group.attrib["data-noun"]) != group.attrib["data-noun"]:
            raise SightError(f"thing {key} has two names")
        if not _TRANSFORM.fullmatch(group.attrib.get("transform", "")):
            raise SightError(f"thing {key} is not placed as things are")
        order.append((key, group))
    if not groups:
        raise SightError("the picture has no things")
    keys = sorted(groups)
    numbers = {key: number + 1 for number, key in enumerate(keys)}
    labels = _paint_flat([_write_flat(group, numbers[key]) for key, group in order])
    regions = []
    for key in keys:
        visible = labels == numbers[key]
        if not visible.any():
            raise SightError(f"{nouns[key]} {key} is not to be seen")
        alone = _paint_flat([_write_flat(group, numbers[key]) for group in groups[key]])
        regions.append(
            Region(key[0], key[1], nouns[key], groups[key][0].attrib["transform"], visible, alone == numbers[key])
        )
    return regions


def _parse(svg: str) -> ElementTree.Element:
    if len(svg) > MAX_CHARACTERS or "<!" in svg or "<?" in svg or "&" in svg:
        raise SightError("the SVG is too long, or has a declaration, an entity or an instruction")
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise SightError(f"the SVG is not well-formed: {error}") from error
    for element in root.iter():
        tag = element.tag.removeprefix(_NAMESPACE)
        if tag not in _ALLOWED:
            raise SightError(f"the SVG has <{tag}>")
        if strange := element.attrib.keys() - _ALLOWED[tag]:
            raise SightError(f"the SVG's <{tag}> has {', '.join(sorted(strange))}")
        for name in ("fill", "stroke"):
            if name in element.attrib and not _PAINT.fullmatch(element.attrib[name]):
                raise SightError(f"the SVG is painted with {element.attrib[name][:40]!r}")
    for group in root.findall(f"{_NAMESPACE}g"):
        if group.find(f"{_NAMESPACE}g") is not None:
            raise SightError("a group within a group")
    return root


def _write_flat(group: ElementTree.Element, number: int) -> str:
    """The group in one flat colour, a tenth of its shine and all of its outline included."""
    colour = f"#{number * 5:02x}{255 - number * 5:02x}80"
    shapes = []
    for element in group:
        tag = element.tag.removeprefix(_NAMESPACE)
        if tag != "path" or element.attrib.get("fill", "").startswith("url("):
            # Shines and patterns lie on what is painted already.
            continue
        stroke = ""
        if element.attrib.get("stroke", "none") != "none":
            width = element.attrib.get("stroke-width", "1")
            stroke = f' stroke="{colour}" stroke-width="{width}" stroke-linecap="round"'
        fill = "none" if element.attrib.get("fill") == "none" else colour
        shapes.append(f'<path d="{element.attrib["d"]}" fill="{fill}"{stroke}/>')
    return f'<g transform="{group.attrib["transform"]}">{"".join(shapes)}</g>'


def _paint_flat(groups: list[str]) -> np.ndarray:
    """The number of the copy at each pixel (0: none, or an edge between two)."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}">'
        f"{''.join(groups)}</svg>"
    )
    pixels = paint(svg, SIDE).astype(np.int16)
    red = pixels[..., 0]
    flat = (pixels[..., 2] == 128) & (red + pixels[..., 1] == 255) & (red % 5 == 0)
    return np.where(flat, red // 5, 0)
