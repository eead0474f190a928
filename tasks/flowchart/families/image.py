"""``flowchart.image``: pictures of other charts that look alike (SaCLIP N^v), each with its own true caption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from renderers.mermaid import MermaidError
from storage.rows import Anchor, Contrast, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import Checks, checked
from tasks.flowchart.captions import find_false_claims, state_claims, write_caption
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.labels import squeeze
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Sight, same_sight, see_chart
from tasks.flowchart.checks import (
    check_another,
    check_caption,
    check_code_beside,
    check_edits,
    check_pair,
    describe_error,
    is_false,
    read_claims,
)
from tasks.flowchart.drawing.rendering import get_look, open_chart, paint
from tasks.flowchart.drawing.vector import Picture, VectorError
from tasks.flowchart.edits import Plan, apply_plan, describe_plan, draw_plan, is_edit, list_plans
from tasks.flowchart.settings import PICTURE_KEYS, FlowchartSettings

NAME = "flowchart.image"
KINDS = {"swap_labels", "reverse_arrow", "remove_arrow"}


def make_image(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Labels swapped in the code; arrows reversed or removed in the SVG; each also on the flipped chart."""
    chart = open_chart(anchor)
    for plan, edited, sight in list_negatives(chart, context.rng(NAME, anchor.anchor_id), context.settings):
        yield _draw(anchor, chart, plan, edited, sight, context.settings)


def list_negatives(
    chart: Chart, rng: np.random.Generator, settings: FlowchartSettings
) -> Iterator[tuple[Plan, Chart, Sight]]:
    """Plans that give a new chart of which the caption is false, each with what it gives."""
    shown: list[tuple[bool, Sight]] = []
    claims = state_claims(see_chart(chart), settings.arrow_labels)
    for plan in list_plans(chart, rng):
        edited = apply_plan(chart, plan)
        sight = see_chart(edited)
        if not is_edit(chart, edited) or any(f == plan.flipped and same_sight(sight, s) for f, s in shown):
            continue
        if not find_false_claims(claims, sight):
            # Only the arrows' labels changed, of which the caption does not speak: no negative of the caption.
            continue
        shown.append((plan.flipped, sight))
        yield plan, edited, sight


def _draw(
    anchor: Anchor, chart: Chart, plan: Plan, edited: Chart, sight: Sight, settings: FlowchartSettings
) -> Candidate | Reject:
    try:
        draft = _sketch(chart, plan, edited, sight, settings)
        assert draft.vector is not None
        return replace(draft, image=paint(draft.vector, settings.size))
    except (MermaidError, VectorError) as error:
        reason = describe_error(error) if isinstance(error, MermaidError) else str(error)
        return reject_contrast(NAME, anchor, reason, raw=write_code(edited))


def sample_images(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[FlowchartSettings]
) -> Sequence[Draft]:
    """At most ``count`` negative pictures as SVG and code, drawn without preference among the table's own kinds.

    They are not painted: the caller knows at what size.
    """
    chart = open_chart(anchor)
    found = list(list_negatives(chart, rng, context.settings))
    return [_sketch(chart, *found[int(i)], context.settings) for i in rng.permutation(len(found))[:count]]


def _sketch(chart: Chart, plan: Plan, edited: Chart, sight: Sight, settings: FlowchartSettings) -> Draft:
    return Draft(
        text=write_caption(state_claims(sight, settings.arrow_labels)),
        vector=draw_plan(chart, plan, get_look(settings)),
        code=write_code(edited),
        edits=describe_plan(chart, plan),
    )


@checked
def verify_image(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Another graph, of the anchor's labels and of no more arrows than it has; the anchor's caption is false of it."""
    original, picture = check_pair(checks, contrast, anchor, context)
    check_another(checks, original.sight, picture.sight)
    check_code_beside(checks, contrast, picture)
    check_edits(checks, contrast, KINDS | {"flip"}, KINDS)
    _check_traces(checks, contrast, original, picture)
    check_caption(checks, "own_caption_true", contrast.text, picture.sight)
    false = is_false(read_claims(anchor.caption), picture.sight)
    checks.require("anchor_caption_false", false, "the anchor's caption is true of the negative picture")


def _check_traces(checks: Checks, contrast: Contrast, original: Picture, picture: Picture) -> None:
    """What the row says was done is seen: as many arrows gone as it says, and no label that was not there."""
    kinds = Counter(edit.kind for edit in contrast.edits)
    gone = len(original.sight.arrows) - len(picture.sight.arrows)
    told = kinds["remove_arrow"]
    checks.require("edits_seen", gone == told, lambda: f"{gone} arrows are gone, {told} edits say so")
    labels = set(map(squeeze, original.sight.labels))
    strange = [
        e.replacement for e in contrast.edits if e.kind == "swap_labels" and squeeze(e.replacement) not in labels
    ]
    checks.require("edits_seen", not strange, lambda: f"the chart has no label {strange[0]!r}")


FAMILIES = (
    Family(
        NAME,
        "negative",
        "image",
        paper="SaCLIP Sec. 3.2, N^v",
        how="labels swapped in the code; arrows reversed or removed in the SVG; each also on the flipped chart",
        make=make_image,
        verify=verify_image,
        count=lambda settings: settings.image_negatives,
        version=3,
        uses=(*PICTURE_KEYS, "arrow_labels", "image_negatives"),
        sample=sample_images,
    ),
)
