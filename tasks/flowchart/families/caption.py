"""``flowchart.caption``: captions with labels exchanged (SaCLIP N^t), false of the chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.captions import Claim, name_node, state_claims, write_caption
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label, squeeze
from counterfoil.tasks.flowchart.chart.sight import see_chart
from counterfoil.tasks.flowchart.checks import (
    STRUCTURE,
    check_edits,
    check_habits,
    count_nodes,
    list_replayed,
    read_anchor,
    read_claims,
)
from counterfoil.tasks.flowchart.drawing.rendering import open_chart
from counterfoil.tasks.flowchart.edits.choice import SAMPLED, draw_chosen, pick_edits, prepare_choice
from counterfoil.tasks.flowchart.edits.plans import describe_edit
from counterfoil.tasks.flowchart.edits.pool import EditedChart, Rules, draw_edits, list_edits, take_turns
from counterfoil.tasks.flowchart.edits.profile import profile_caption
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.truth import is_false

NAME = "flowchart.caption"


PUBLISHED = ("move", "turn", "rewire")
KINDS = (*PUBLISHED, "add", "insert", "merge", "combine")
_DIRECTED = ("arrow", "circle", "cross")
EDITS = {"swap_labels", "swap_nodes", "reverse_arrow", "rewire_arrow", "exchange_answers", *STRUCTURE}


def make_caption(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Labels exchanged throughout the caption, or so in one sentence that its arrow turns or moves."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        rng = context.rng(NAME, anchor.anchor_id)
        edits = take_turns(_list_edits(chart, rng, _choose_rules(context.settings)), rng)
    else:
        edits = pick_edits(CHOICE, anchor, context)
    for edit in edits:
        yield _write(chart, edit, context.settings)


def _list_for(anchor: Anchor, steps: Sequence[str], context: Context[FlowchartSettings]) -> list[EditedChart]:
    rng = context.rng(NAME, anchor.anchor_id)
    return _list_edits(open_chart(anchor), rng, _choose_rules(context.settings, steps))


def _list_edits(chart: Chart, rng: np.random.Generator, rules: Rules) -> list[EditedChart]:
    """Edits of which no two captions say the same, in whatever order; none says what another sentence says already."""
    edits: dict[frozenset[object], EditedChart] = {}
    for edit in list_edits(chart, rng, rules):
        claims = state_claims(edit.sight, rules.arrow_labels)
        if len(claims) == len(edit.sight.arrows):
            edits.setdefault(frozenset(claim.key() for claim in claims), edit)
    return list(edits.values())


def _choose_rules(settings: FlowchartSettings, steps: Sequence[str] = ()) -> Rules:
    published, shown = settings.edits == "published", settings.arrow_labels
    kinds = PUBLISHED if published else KINDS
    return Rules(
        ("answers", *kinds) if shown else kinds,
        shown,
        published,
        answers_shown=shown,
        whole=not settings.granulate,
        steps=tuple(steps),
        resized=settings.resized,
    )


def _write(chart: Chart, edit: EditedChart, settings: FlowchartSettings) -> Draft:
    text = write_caption(state_claims(edit.sight, settings.arrow_labels))
    return Draft(text=text, edits=describe_edit(chart, edit.plan))


def sample_captions(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[FlowchartSettings]
) -> Sequence[Draft]:
    """At most ``count`` false captions, of edits that were chosen over all anchors of the training."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        drawn = draw_edits(_list_edits(chart, rng, _choose_rules(context.settings)), rng, count)
    else:
        drawn = draw_chosen(SAMPLES, anchor, count, rng, context)
    return [_write(chart, edit, context.settings) for edit in drawn]


def _profile(chart: Chart, context: Context[FlowchartSettings]) -> Counter[str]:
    return profile_caption(chart, state_claims(see_chart(chart), context.settings.arrow_labels))


_CHOSEN_BY = (_list_for, _profile, "caption_negatives", ("arrow_labels", "granulate", "granules"))
CHOICE = prepare_choice("flowchart.caption_choice", *_CHOSEN_BY)
SAMPLES = prepare_choice("flowchart.caption_samples", *_CHOSEN_BY, times=SAMPLED)


@checked
def verify_caption(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Of the template, of the chart's labels, and false of the chart that the picture shows."""
    original = read_anchor(anchor).sight
    claims = read_claims(contrast.text)
    checks.require("caption_read", True, "")
    come, _ = count_nodes(contrast.edits)
    names = {name_node(label) for label in (*original.labels, *come)}
    strange = [c for c in claims if not {name_node(c.tail), name_node(c.head)} <= names]
    checks.require("labels_known", not strange, lambda: f"the chart has no such node: {strange[0]}")
    checks.require("false_of_anchor", is_false(claims, original), "no sentence is shown false of the chart")
    if context.settings.edits != "published":
        said = any(claim.label is not None for claim in claims)
        check_habits(checks, _imagine(claims, open_chart(anchor), contrast.edits), anchor, context, said=said)
    check_edits(checks, contrast, EDITS | {"change_answer"}, EDITS)
    plain = contrast.text == write_caption(claims) and contrast.code is None
    checks.require("caption_plain", plain, "its sentences are written otherwise, or it has code")
    shown = context.settings.arrow_labels
    made = list_replayed(contrast, anchor, context, settled=shown)
    same = any(write_caption(state_claims(see_chart(chart), shown)) == contrast.text for chart in made)
    checks.require("edits_seen", same, "its edits do not make it say this")


def _imagine(claims: tuple[Claim, ...], chart: Chart, edits: Sequence[Edit]) -> Chart:
    """The chart of which the claims would be true, of the nodes of ``chart`` that are left and of those that come; its
    own where two are named alike."""
    come, gone = count_nodes(edits)
    steps = [Node(f"N{place}", label, "square") for place, label in enumerate(come.elements())]
    left = [node for node in chart.nodes if squeeze(read_label(node.label, node.markdown)) not in gone]
    chart = replace(chart, nodes=(*left, *steps))
    nodes = {name_node(read_label(node.label, node.markdown)): node.id for node in chart.nodes}
    if len(nodes) < len(chart.nodes):
        return chart
    arrows = [
        Arrow(nodes[tail], nodes[head], claim.label or "")
        for claim in claims
        if claim.kind in _DIRECTED and {tail := name_node(claim.tail), head := name_node(claim.head)} <= nodes.keys()
    ]
    return replace(chart, arrows=tuple(arrows))


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
        version=14,
        uses=("arrow_labels", "caption_negatives", "edits", "granulate", "granules"),
        prepare=CHOICE,
        sample=sample_captions,
        sample_prepare=SAMPLES,
    ),
)
