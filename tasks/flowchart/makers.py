"""The makers of the flowchart families: candidates in order of preference, from one anchor's stored bytes."""

from __future__ import annotations

from collections.abc import Iterator

from renderers.mermaid import MermaidError
from storage.rows import Anchor, Contrast, Edit, Image, Reject, content_id
from tasks.contract.context import Context
from tasks.contract.family import Candidate
from tasks.flowchart.anchors import describe_error
from tasks.flowchart.captions import find_false_claims, state_claims, write_caption
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Sight, same_sight, see_chart
from tasks.flowchart.drawing.rendering import draw, get_look, paint, parse
from tasks.flowchart.drawing.vector import VectorError
from tasks.flowchart.edits import (
    Plan,
    apply_plan,
    describe_plan,
    describe_swap,
    draw_plan,
    edit_claims,
    is_edit,
    list_caption_edits,
    list_permutations,
    list_plans,
    swap_labels,
)
from tasks.flowchart.settings import FlowchartSettings


def make_flip(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """The same chart with its flow the other way round (SaCLIP P^v): a hard positive image."""
    settings = _settings(context)
    chart = _open(anchor)
    flipped = chart.flip()
    code = write_code(flipped)
    try:
        vector = draw(code, get_look(settings))
        image = _paint(vector, settings.size)
    except MermaidError as error:
        yield _reject("flowchart.flip", anchor, describe_error(error), code)
        return
    yield (
        Contrast(
            anchor.anchor_id, "flowchart.flip", "positive", "image", text=anchor.caption, image=image, vector=vector,
            code=code, edits=(Edit("flip", chart.direction, flipped.direction),),
        ),
    )  # fmt: skip


def make_code(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """The code as a text that describes the picture (SaCLIP P^t): a hard positive text."""
    del context
    yield (Contrast(anchor.anchor_id, "flowchart.code", "positive", "text", text=anchor.code, code=anchor.code),)


def make_image(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Pictures of other charts that look alike (SaCLIP N^v), each with the caption that is true of it."""
    settings = _settings(context)
    chart = _open(anchor)
    shown: list[tuple[bool, Sight]] = []
    claims = state_claims(see_chart(chart), settings.arrow_labels)
    for plan in list_plans(chart, context.rng("flowchart.image", anchor.anchor_id)):
        edited = apply_plan(chart, plan)
        sight = see_chart(edited)
        if not is_edit(chart, edited) or any(f == plan.flipped and same_sight(sight, s) for f, s in shown):
            continue
        if not find_false_claims(claims, sight):
            # Only the arrows' labels changed, of which the caption does not speak: no negative of the caption.
            continue
        shown.append((plan.flipped, sight))
        try:
            vector = draw_plan(chart, plan, get_look(settings))
            image = _paint(vector, settings.size)
        except (MermaidError, VectorError) as error:
            reason = describe_error(error) if isinstance(error, MermaidError) else str(error)
            yield _reject("flowchart.image", anchor, reason, write_code(edited))
            continue
        yield (_describe_image(anchor, chart, plan, edited, sight, vector, image, settings),)


def _describe_image(
    anchor: Anchor, chart: Chart, plan: Plan, edited: Chart, sight: Sight, vector: str, image: Image,
    settings: FlowchartSettings,
) -> Contrast:  # fmt: skip
    return Contrast(
        anchor.anchor_id, "flowchart.image", "negative", "image",
        text=write_caption(state_claims(sight, settings.arrow_labels)),
        image=image, vector=vector, code=write_code(edited), edits=describe_plan(chart, plan),
    )  # fmt: skip


def make_caption(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Captions with labels exchanged (SaCLIP N^t), throughout or in one sentence, that are false of the chart."""
    settings = _settings(context)
    chart = _open(anchor)
    sight = see_chart(chart)
    said: set[str] = {anchor.caption or ""}
    for edit in list_caption_edits(sight, len(chart.nodes), context.rng("flowchart.caption", anchor.anchor_id)):
        claims = edit_claims(sight, edit, settings.arrow_labels)
        text = write_caption(claims)
        if text in said or not find_false_claims(claims, sight):
            continue
        said.add(text)
        yield (
            Contrast(
                anchor.anchor_id, "flowchart.caption", "negative", "text", text=text,
                edits=tuple(describe_swap(chart, edit.moved)),
            ),
        )  # fmt: skip


def make_codeswap(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """The code with labels exchanged (SaCLIP N^t): a text that defines another chart."""
    chart = _open(anchor)
    shown: list[Sight] = []
    for moved in list_permutations(len(chart.nodes), context.rng("flowchart.codeswap", anchor.anchor_id)):
        edited = swap_labels(chart, moved)
        sight = see_chart(edited)
        if not is_edit(chart, edited) or any(same_sight(sight, s) for s in shown):
            continue
        shown.append(sight)
        code = write_code(edited)
        yield (
            Contrast(
                anchor.anchor_id, "flowchart.codeswap", "negative", "text", text=code, code=code,
                edits=tuple(describe_swap(chart, moved)),
            ),
        )  # fmt: skip


def _open(anchor: Anchor) -> Chart:
    assert anchor.code is not None
    return parse(anchor.code)


def _paint(vector: str, size: int) -> Image:
    png = paint(vector, size)
    return Image(png, f"{content_id(png)}.png")


def _reject(family: str, anchor: Anchor, reason: str, raw: str) -> Reject:
    return Reject(
        family, (reason,), source=anchor.source, source_id=anchor.source_id, anchor_id=anchor.anchor_id, raw=raw
    )


def _settings(context: Context) -> FlowchartSettings:
    assert isinstance(context.settings, FlowchartSettings)
    return context.settings
