"""Edit arrows in the SVG: the layout stays put, so that the near miss is the arrow and nothing else.

In the code, turning an arrow moves the whole chart to other ranks: an easy tell. (Labels are the other way round:
in the SVG a longer label overflows the shape that was made for the shorter one, so they are exchanged in the code.)
"""

from __future__ import annotations

import re

from counterfoil.renderers.mermaid.layout import format_path, move_end, parse_path, reverse_path

_ARROW = re.compile(r'<path class="arrow" id="arrow-\d+"[^>]*/>')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_MARKER = re.compile(r'<marker id="point"[^>]*? markerWidth="([\d.]+)"')


def turn_arrow(svg: str, index: int) -> str:
    """``svg`` with the heads of its ``index``-th arrow exchanged; the clearances for the heads move with them."""
    match = _find(svg, index)
    attributes = dict(_ATTRIBUTE.findall(match.group()))
    start, end = attributes.pop("marker-start", None), attributes.pop("marker-end", None)
    clearance = _clearance(svg)
    # A path ends short of the border where a pointed head follows.
    shift = (clearance if _is_point(end) else 0.0) - (clearance if _is_point(start) else 0.0)
    path = move_end(parse_path(attributes["d"]), shift)
    path = reverse_path(move_end(reverse_path(path), -shift))
    attributes["d"] = format_path(path)
    if end:
        attributes["marker-start"] = end
    if start:
        attributes["marker-end"] = start
    arrow = "<path" + "".join(f' {key}="{value}"' for key, value in attributes.items()) + "/>"
    return svg[: match.start()] + arrow + svg[match.end() :]


def drop_arrow(svg: str, index: int) -> str:
    """``svg`` without its ``index``-th arrow and that arrow's label."""
    match = _find(svg, index)
    name = dict(_ATTRIBUTE.findall(match.group()))["id"]
    rest = svg[: match.start()] + svg[match.end() :]
    return re.sub(rf'<g class="arrow-label" data-arrow="{name}">.*?</g>', "", rest, count=1, flags=re.S)


def _find(svg: str, index: int) -> re.Match[str]:
    for i, match in enumerate(_ARROW.finditer(svg)):
        if i == index:
            return match
    raise IndexError(f"the SVG has no arrow {index}")


def _is_point(marker: str | None) -> bool:
    return marker == "url(#point)"


def _clearance(svg: str) -> float:
    match = _MARKER.search(svg)
    return float(match.group(1)) / 2 if match else 0.0
