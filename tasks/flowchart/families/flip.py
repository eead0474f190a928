"""``flowchart.flip``: the same chart with its flow the other way round (SaCLIP P^v), a hard positive picture."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.renderers.mermaid import MermaidError
from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import describe_difference, same_sight
from counterfoil.tasks.flowchart.checks import check_caption, check_code_beside, check_pair, describe_error
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart, open_chart, paint
from counterfoil.tasks.flowchart.drawing.vector import Picture
from counterfoil.tasks.flowchart.settings import PICTURE_KEYS, FlowchartSettings
from counterfoil.tasks.flowchart.styles import choose_look

NAME = "flowchart.flip"


def make_flip(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """The chart with its direction reversed in the code (top-down becomes bottom-up), drawn again."""
    chart = open_chart(anchor)
    flipped = chart.flip()
    code = write_code(flipped)
    try:
        vector = draw_chart(code, choose_look(anchor.code, context))
        png = paint(vector, context.settings.size)
    except MermaidError as error:
        yield reject_contrast(NAME, anchor, describe_error(error), raw=code)
        return
    edits = (Edit("flip", chart.direction, flipped.direction),)
    yield Draft(text=anchor.caption, image=png, vector=vector, code=code, edits=edits)


@checked
def verify_flip(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """The same graph, with the flow turned; the anchor's caption is true of it."""
    original, picture = check_pair(checks, contrast, anchor, context)
    same = same_sight(original.sight, picture.sight)
    checks.require("same_graph", same, lambda: describe_difference(original.sight, picture.sight))
    checks.require("flow_turned", is_turned(original, picture), "the flow is not turned")
    sight = check_code_beside(checks, contrast, picture, anchor, context)
    flipped = write_code(open_chart(anchor).flip())
    checks.require("same_chart", contrast.code == flipped, "the code is not the anchor's, run the other way")
    chart = open_chart(anchor)
    named = contrast.edits == (Edit("flip", chart.direction, chart.flip().direction),)
    checks.require("edits_named", named, "its edit is not that the chart is flipped")
    checks.require("caption_kept", contrast.text == anchor.caption, "the caption is not the anchor's")
    check_caption(checks, "caption_true", contrast.text, sight, context)


def is_turned(original: Picture, picture: Picture) -> bool:
    """Whether the arrows run the other way along the axis along which the original's run; True where none do."""
    before, after = _sum_flow(original), _sum_flow(picture)
    axis = 1 if abs(before[1]) >= abs(before[0]) else 0
    return abs(before[axis]) <= 1.0 or before[axis] * after[axis] < 0


def _sum_flow(picture: Picture) -> tuple[float, float]:
    """Sum of the arrows' directions, from headless end to head, between the middles of their boxes."""
    dx = dy = 0.0
    for arrow in picture.sight.arrows:
        if (arrow.start and arrow.end) or not (arrow.start or arrow.end):
            continue
        tail, head = (arrow.tail, arrow.head) if arrow.end else (arrow.head, arrow.tail)
        a, b = picture.boxes[tail], picture.boxes[head]
        dx += (b[0] + b[2] - a[0] - a[2]) / 2
        dy += (b[1] + b[3] - a[1] - a[3]) / 2
    return dx, dy


FAMILIES = (
    Family(
        NAME,
        "positive",
        "image",
        paper="SaCLIP Sec. 3.2, P^v",
        how="direction reversed in the code (top-down becomes bottom-up), drawn again",
        make=make_flip,
        verify=verify_flip,
        count=lambda _: 1,
        version=4,
        uses=PICTURE_KEYS,
    ),
)
