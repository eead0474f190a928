"""What a negative changes, measured on the chart that it shows beside its anchor's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.flowchart.captions import Claim, name_node
from counterfoil.tasks.flowchart.chart.difference import Shown, list_changes, show_chart
from counterfoil.tasks.flowchart.chart.labels import squeeze
from counterfoil.tasks.flowchart.chart.sight import Seen, Sight
from counterfoil.tasks.flowchart.checks import read_claims
from counterfoil.tasks.flowchart.drawing.rendering import open_chart, parse
from counterfoil.tasks.flowchart.drawing.vector import read_vector
from counterfoil.tasks.flowchart.settings import FlowchartSettings

_HEADS = {"arrow": ("", "point"), "both": ("point", "point"), "line": ("", ""), "circle": ("", "circle")}
_HEADS |= {"circles": ("circle", "circle"), "cross": ("", "cross"), "crosses": ("cross", "cross")}


def measure_changes(contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[str]:
    """The kinds of what differs: by the SVG of a picture, by the graph of a code, by the sentences of a caption."""
    del context
    if contrast.modality == "image":
        yield from list_changes(*(_see(row.vector, row.code) for row in (anchor, contrast)))
    elif contrast.code:
        yield from list_changes(show_chart(open_chart(anchor)), show_chart(parse(contrast.text or "")))
    else:
        boxes = show_chart(open_chart(anchor)).list_boxes()
        yield from list_changes(*(_hear(read_claims(text), boxes) for text in (anchor.caption, contrast.text)))


def _see(svg: str | None, code: str | None) -> Shown:
    """What an SVG shows, its boxes of the shapes that they have in the code that it was found to be drawn of."""
    sight = read_vector(svg or "").sight
    boxes = show_chart(parse(code or "")).list_boxes().elements()
    shapes: dict[str, list[str]] = {}
    for label, shape in sorted(boxes):
        shapes.setdefault(label, []).append(shape)
    return Shown(sight, tuple((shapes.get(squeeze(label)) or [""]).pop(0) for label in sight.labels))


def _hear(claims: tuple[Claim, ...], boxes: Counter[tuple[str, str]]) -> Shown:
    """The chart of which the claims speak, made of the anchor's boxes: one with another name is one of those that are
    not spoken of."""
    names = {name: place for place, name in enumerate(dict.fromkeys(end for c in claims for end in _name_ends(c)))}
    arrows = (
        Seen(names[tail], names[head], *_HEADS[claim.kind], claim.label or "", "normal")
        for claim in claims
        for tail, head in (_name_ends(claim),)
    )
    shapes = {name_node(label): shape for label, shape in boxes}
    left = sorted(shape for label, shape in shapes.items() if label not in names)
    own = tuple(shapes[name] if name in shapes else left.pop() if left else "square" for name in names)
    return Shown(Sight(tuple(names), tuple(arrows)), own)


def _name_ends(claim: Claim) -> tuple[str, str]:
    return name_node(claim.tail), name_node(claim.head)
