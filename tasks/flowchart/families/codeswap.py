"""``flowchart.codeswap``: the code with labels exchanged (SaCLIP N^t), a text that defines another chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from storage.rows import Anchor, Contrast, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.verdict import Checks, checked
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Sight, same_sight, see_chart
from tasks.flowchart.checks import check_another, check_edits, read_anchor, read_text_code
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits import describe_swap, is_edit, list_permutations, swap_labels
from tasks.flowchart.settings import FlowchartSettings

NAME = "flowchart.codeswap"


def make_codeswap(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Labels exchanged in the code: two first, then longer cycles."""
    yield from _draft(anchor, context.rng(NAME, anchor.anchor_id))


def _draft(anchor: Anchor, rng: np.random.Generator) -> Iterator[Draft]:
    chart = open_chart(anchor)
    shown: list[Sight] = []
    for moved in list_permutations(len(chart.nodes), rng):
        edited = swap_labels(chart, moved)
        sight = see_chart(edited)
        if not is_edit(chart, edited) or any(same_sight(sight, s) for s in shown):
            continue
        shown.append(sight)
        code = write_code(edited)
        yield Draft(text=code, code=code, edits=tuple(describe_swap(chart, moved)))


def sample_codes(
    anchor: Anchor, rng: np.random.Generator, count: int, context: Context[FlowchartSettings]
) -> Sequence[Draft]:
    """At most ``count`` codes of other charts, drawn without preference."""
    del context
    drafts = list(_draft(anchor, rng))
    return [drafts[int(i)] for i in rng.permutation(len(drafts))[:count]]


@checked
def verify_codeswap(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Code that parses, has the chart's labels and number of arrows, and defines another graph."""
    del context
    original = read_anchor(anchor).sight
    sight = read_text_code(checks, contrast)
    check_another(checks, original, sight)
    same = len(sight.arrows) == len(original.arrows)
    checks.require("arrow_count", same, "the code has another number of arrows")
    check_edits(checks, contrast, {"swap_labels"}, {"swap_labels"})


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="SaCLIP Sec. 3.2, N^t",
        how="labels swapped in the code",
        make=make_codeswap,
        verify=verify_codeswap,
        count=lambda settings: settings.codeswap_negatives,
        version=2,
        uses=("codeswap_negatives",),
        sample=sample_codes,
    ),
)
