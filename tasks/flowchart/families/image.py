"""``flowchart.image``: pictures of other charts that look alike (SaCLIP N^v), each with its own true caption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from counterfoil.renderers.mermaid import MermaidError
from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.captions import state_claims, write_caption
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.checks import (
    STRUCTURE,
    check_another,
    check_answers,
    check_caption,
    check_code_beside,
    check_edits,
    check_habits,
    check_pair,
    check_replayed,
    describe_error,
    read_claims,
)
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart, open_chart, paint, parse
from counterfoil.tasks.flowchart.drawing.vector import VectorError
from counterfoil.tasks.flowchart.edits.choice import SAMPLED, draw_chosen, pick_edits, prepare_choice
from counterfoil.tasks.flowchart.edits.drawing import draw_published
from counterfoil.tasks.flowchart.edits.likeness import count_parts
from counterfoil.tasks.flowchart.edits.plans import describe_edit
from counterfoil.tasks.flowchart.edits.pool import KINDS as KINDS_OF_EDIT
from counterfoil.tasks.flowchart.edits.pool import (
    PUBLISHED_KINDS,
    EditedChart,
    Rules,
    draw_edits,
    even_ways,
    list_edits,
    take_turns,
)
from counterfoil.tasks.flowchart.edits.profile import profile_picture
from counterfoil.tasks.flowchart.settings import PICTURE_KEYS, FlowchartSettings
from counterfoil.tasks.flowchart.styles import choose_look
from counterfoil.tasks.flowchart.truth import is_false

NAME = "flowchart.image"
KINDS = {"swap_labels", "swap_nodes", "reverse_arrow", "rewire_arrow", "remove_arrow", "exchange_answers", *STRUCTURE}
"""What makes a chart another one."""


def make_image(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Nodes that change places, arrows that turn, move an end or go; each also on the flipped chart."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        rng = context.rng(NAME, anchor.anchor_id)
        edits = take_turns(list_edits(chart, rng, choose_rules(context.settings)), rng, both_ways=True)
    else:
        edits = pick_edits(CHOICE, anchor, context)
    for edit in edits:
        yield _draw_edit(anchor, chart, edit, context)


def _list_for(anchor: Anchor, steps: Sequence[str], context: Context[FlowchartSettings]) -> list[EditedChart]:
    rng = context.rng(NAME, anchor.anchor_id)
    return list_edits(open_chart(anchor), rng, choose_rules(context.settings, steps))


def turns_flow(settings: FlowchartSettings) -> bool:
    """Whether negatives are also made of the flipped chart. Granules run either way; a whole chart runs as its author
    wrote it, and the other way would tell that it was edited."""
    return settings.edits == "published" or settings.granulate


def _profile(chart: Chart, context: Context[FlowchartSettings]) -> Counter[str]:
    del context
    return profile_picture(chart)


_CHOSEN_BY = (_list_for, _profile, "image_negatives", ("arrow_labels", "granulate", "granules"))
CHOICE = prepare_choice("flowchart.image_choice", *_CHOSEN_BY, turned=turns_flow)
SAMPLES = prepare_choice("flowchart.image_samples", *_CHOSEN_BY, times=SAMPLED, turned=turns_flow)


def choose_rules(settings: FlowchartSettings, steps: Sequence[str] = ()) -> Rules:
    """The rules that the recipe asks for, with the ``steps`` that may come."""
    if settings.edits == "published":
        return Rules(PUBLISHED_KINDS, settings.arrow_labels, as_published=True)
    kinds = ("answers", *KINDS_OF_EDIT) if settings.arrow_labels else KINDS_OF_EDIT
    return Rules(
        kinds,
        settings.arrow_labels,
        whole=not settings.granulate,
        steps=tuple(steps),
        resized=settings.resized,
    )


def _draw_edit(anchor: Anchor, chart: Chart, edit: EditedChart, context: Context[FlowchartSettings]) -> Draft | Reject:
    try:
        draft = _sketch(anchor, chart, edit, context)
        assert draft.vector is not None
        return replace(draft, image=paint(draft.vector, context.settings.size))
    except (MermaidError, VectorError) as error:
        reason = describe_error(error) if isinstance(error, MermaidError) else str(error)
        return reject_contrast(NAME, anchor, reason, raw=write_code(edit.edited))


def sample_images(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[FlowchartSettings]
) -> Sequence[Draft]:
    """At most ``count`` negative pictures, of edits that were chosen over all anchors of the training; what cannot be
    drawn is left out."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        drawn = draw_edits(list_edits(chart, rng, choose_rules(context.settings)), rng, count)
        drawn = [edit.flip() if rng.random() < 0.5 else edit for edit in drawn]
    else:
        drawn = draw_chosen(SAMPLES, anchor, count, rng, context)
        drawn = even_ways(drawn, rng) if turns_flow(context.settings) else drawn
    return [draft for edit in drawn if isinstance(draft := _draw_edit(anchor, chart, edit, context), Draft)]


def _sketch(anchor: Anchor, chart: Chart, edit: EditedChart, context: Context[FlowchartSettings]) -> Draft:
    look, code = choose_look(anchor.code, context), write_code(edit.edited)
    published = context.settings.edits == "published"
    return Draft(
        text=write_caption(state_claims(edit.sight, context.settings.arrow_labels)),
        vector=draw_published(chart, edit.plan, look) if published else draw_chart(code, look),
        code=code,
        edits=describe_edit(chart, edit.plan),
    )


@checked
def verify_image(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Another graph, of the anchor's labels and of no more arrows than it has; the anchor's caption is false of it."""
    original, picture = check_pair(checks, contrast, anchor, context)
    natural = context.settings.edits != "published"
    check_another(checks, original.sight, picture.sight, contrast.edits, turned=natural)
    if context.settings.edits != "published":
        whole = count_parts(picture.sight) <= count_parts(original.sight)
        checks.require("hangs_together", whole, "it falls into more parts than the anchor's chart")
    sight = check_code_beside(checks, contrast, picture, anchor, context)
    if context.settings.edits != "published":
        check_answers(checks, contrast.code, anchor)
        check_habits(checks, parse(contrast.code or ""), anchor, context)
    check_edits(checks, contrast, KINDS | {"flip", "change_answer"}, KINDS)
    check_replayed(checks, contrast, anchor, context)
    check_caption(checks, "own_caption_true", contrast.text, sight, context)
    false = is_false(read_claims(anchor.caption), picture.sight)
    checks.require("anchor_caption_false", false, "the anchor's caption is true of the negative picture")


FAMILIES = (
    Family(
        NAME,
        "negative",
        "image",
        paper="SaCLIP Sec. 3.2, N^v",
        how="nodes change places, arrows turn, move an end or go; each also on the flipped chart",
        make=make_image,
        verify=verify_image,
        count=lambda settings: settings.image_negatives,
        version=18,
        uses=(*PICTURE_KEYS, "arrow_labels", "granulate", "image_negatives", "edits", "granules"),
        prepare=CHOICE,
        sample=sample_images,
        sample_prepare=SAMPLES,
    ),
)
