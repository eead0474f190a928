"""``flowchart.codeswap``: the code with labels exchanged (SaCLIP N^t), a text that defines another chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.captions import state_claims
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.checks import (
    STRUCTURE,
    check_another,
    check_answers,
    check_edits,
    check_habits,
    check_replayed,
    read_anchor,
    read_text_code,
)
from counterfoil.tasks.flowchart.drawing.rendering import open_chart, parse
from counterfoil.tasks.flowchart.edits.choice import SAMPLED, draw_chosen, pick_edits, prepare_choice
from counterfoil.tasks.flowchart.edits.likeness import count_parts
from counterfoil.tasks.flowchart.edits.plans import describe_edit
from counterfoil.tasks.flowchart.edits.pool import KINDS, EditedChart, Rules, draw_edits, list_edits, take_turns
from counterfoil.tasks.flowchart.edits.profile import profile_code
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.truth import is_false

NAME = "flowchart.codeswap"


NEEDED = {"swap_labels", "swap_nodes", "reverse_arrow", "rewire_arrow", *STRUCTURE}
EDITS = NEEDED | {"change_answer"}


def make_codeswap(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Nodes exchanged in the code."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        rng = context.rng(NAME, anchor.anchor_id)
        edits = take_turns(list_edits(chart, rng, _choose_rules(context.settings)), rng)
    else:
        edits = pick_edits(CHOICE, anchor, context)
    for edit in edits:
        yield _write(chart, edit)


def _list_for(anchor: Anchor, steps: Sequence[str], context: Context[FlowchartSettings]) -> list[EditedChart]:
    """Edits that make the caption false, whatever it says of the arrows' labels."""
    rules = _choose_rules(context.settings, steps)
    return list_edits(open_chart(anchor), context.rng(NAME, anchor.anchor_id), rules)


def _choose_rules(settings: FlowchartSettings, steps: Sequence[str] = ()) -> Rules:
    if settings.edits == "published":
        return Rules(("move",), False, as_published=True, whole=not settings.granulate)
    kinds = tuple(kind for kind in KINDS if kind != "remove")
    return Rules(kinds, whole=not settings.granulate, steps=tuple(steps), resized=settings.resized)


def _write(chart: Chart, edit: EditedChart) -> Draft:
    code = write_code(edit.edited)
    return Draft(text=code, code=code, edits=describe_edit(chart, edit.plan))


def sample_codes(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[FlowchartSettings]
) -> Sequence[Draft]:
    """At most ``count`` codes of other charts, of edits that were chosen over all anchors of the training."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        drawn = draw_edits(list_edits(chart, rng, _choose_rules(context.settings)), rng, count)
    else:
        drawn = draw_chosen(SAMPLES, anchor, count, rng, context)
    return [_write(chart, edit) for edit in drawn]


def _profile(chart: Chart, context: Context[FlowchartSettings]) -> Counter[str]:
    del context
    return profile_code(chart)


_CHOSEN_BY = (_list_for, _profile, "codeswap_negatives", ("granulate", "granules"))
CHOICE = prepare_choice("flowchart.codeswap_choice", *_CHOSEN_BY)
SAMPLES = prepare_choice("flowchart.codeswap_samples", *_CHOSEN_BY, times=SAMPLED)


@checked
def verify_codeswap(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Code that parses, has the chart's labels and number of arrows, and defines another graph."""
    original = read_anchor(anchor).sight
    sight = read_text_code(checks, contrast)
    natural = context.settings.edits != "published"
    check_another(checks, original, sight, contrast.edits, turned=natural)
    if context.settings.edits != "published":
        check_answers(checks, contrast.text, anchor)
        check_habits(checks, parse(contrast.text or ""), anchor, context)
    whole = count_parts(sight) <= count_parts(original)
    checks.require("hangs_together", whole, "it falls into more parts than the anchor's chart")
    plain = state_claims(original, False)
    checks.require("anchor_caption_false", is_false(plain, sight), "only the arrows' labels are exchanged")
    check_edits(checks, contrast, EDITS, NEEDED)
    check_replayed(checks, contrast, anchor, context)


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="SaCLIP Sec. 3.2, N^t",
        how="nodes change places in the code, come, go, or are joined otherwise",
        make=make_codeswap,
        verify=verify_codeswap,
        count=lambda settings: settings.codeswap_negatives,
        version=17,
        uses=("codeswap_negatives", "edits", "granulate", "granules"),
        prepare=CHOICE,
        sample=sample_codes,
        sample_prepare=SAMPLES,
    ),
)
