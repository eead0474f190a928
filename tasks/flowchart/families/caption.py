"""``flowchart.caption``: captions with labels exchanged (SaCLIP N^t), false of the chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from storage.rows import Anchor, Contrast, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.verdict import Checks, checked
from tasks.flowchart.captions import find_false_claims, name_node, state_claims, write_caption
from tasks.flowchart.chart.sight import see_chart
from tasks.flowchart.checks import check_edits, read_anchor, read_claims
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits import describe_swap, edit_claims, list_caption_edits
from tasks.flowchart.settings import FlowchartSettings

NAME = "flowchart.caption"


def make_caption(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Labels exchanged throughout the caption, then in one sentence alone."""
    yield from _draft(anchor, context.rng(NAME, anchor.anchor_id), context.settings)


def _draft(anchor: Anchor, rng: np.random.Generator, settings: FlowchartSettings) -> Iterator[Draft]:
    chart = open_chart(anchor)
    sight = see_chart(chart)
    said: set[str] = {anchor.caption or ""}
    count = len(state_claims(sight, settings.arrow_labels))
    for edit in list_caption_edits(sight, len(chart.nodes), rng):
        claims = edit_claims(sight, edit, settings.arrow_labels)
        text = write_caption(claims)
        if text in said or len(claims) != count or not find_false_claims(claims, sight):
            continue
        said.add(text)
        yield Draft(text=text, edits=tuple(describe_swap(chart, edit.moved)))


def sample_captions(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[FlowchartSettings]
) -> Sequence[Draft]:
    """At most ``count`` of all false captions, drawn without preference."""
    drafts = list(_draft(anchor, rng, context.settings))
    return [drafts[int(i)] for i in rng.permutation(len(drafts))[:count]]


@checked
def verify_caption(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Of the template, of the chart's labels, and false of the chart that the picture shows."""
    del context
    original = read_anchor(anchor).sight
    claims = read_claims(contrast.text)
    checks.require("caption_read", True, "")
    names = {name_node(label) for label in original.labels}
    strange = [c for c in claims if not {name_node(c.tail), name_node(c.head)} <= names]
    checks.require("labels_known", not strange, lambda: f"the chart has no such node: {strange[0]}")
    told, true = len(claims), len(state_claims(original, any(c.label is not None for c in claims)))
    checks.require("arrow_count", told == true, f"{told} sentences where the true caption has {true}")
    false = find_false_claims(claims, original)
    checks.require("false_of_anchor", bool(false), "every sentence is true of the chart")
    check_edits(checks, contrast, {"swap_labels"}, {"swap_labels"})


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="SaCLIP Sec. 3.2, N^t",
        how="labels swapped in the caption, throughout or in one sentence",
        make=make_caption,
        verify=verify_caption,
        count=lambda settings: settings.caption_negatives,
        version=2,
        uses=("arrow_labels", "caption_negatives"),
        sample=sample_captions,
    ),
)
