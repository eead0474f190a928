"""``flowchart.answers``: the code with a decision's answers exchanged, the error that real charts have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from storage.rows import Anchor, Contrast, Edit, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.verdict import Checks, checked
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.labels import read_label
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Sight, describe_difference, same_sight, see_chart
from tasks.flowchart.checks import check_edits, read_anchor, read_text_code
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits.answers import turn_answer
from tasks.flowchart.edits.pool import list_answers
from tasks.flowchart.settings import FlowchartSettings

NAME = "flowchart.answers"


def make_answers(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """Two answers of one decision exchanged; one that stands alone turned around."""
    del context
    chart = open_chart(anchor)
    for edited, edits in _list_exchanges(chart):
        if not same_sight(see_chart(chart), see_chart(edited)):
            code = write_code(edited)
            yield Draft(text=code, code=code, edits=edits)


def _list_exchanges(chart: Chart) -> Iterator[tuple[Chart, tuple[Edit, ...]]]:
    pairs = list_answers(chart)
    changes = [{i: chart.arrows[j].label, j: chart.arrows[i].label} for i, j in pairs]
    paired = {i for pair in pairs for i in pair}
    for i, arrow in enumerate(chart.arrows):
        if i not in paired and (other := turn_answer(read_label(arrow.label, arrow.markdown))):
            changes.append({i: other})
    for change in changes:
        arrows = tuple(replace(a, label=change.get(i, a.label)) for i, a in enumerate(chart.arrows))
        edits = tuple(Edit("exchange_answers", chart.arrows[i].label, label) for i, label in change.items())
        yield replace(chart, arrows=arrows), edits


@checked
def verify_answers(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Code that defines the anchor's chart but for what its lines are labelled."""
    del context
    original = read_anchor(anchor).sight
    sight = read_text_code(checks, contrast)
    checks.require("another_graph", not same_sight(original, sight), "it is the anchor's chart")
    plain, anchored = _unlabel(sight), _unlabel(original)
    checks.require("answers_alone", same_sight(anchored, plain), lambda: describe_difference(anchored, plain))
    check_edits(checks, contrast, {"exchange_answers"}, {"exchange_answers"})


def _unlabel(sight: Sight) -> Sight:
    return replace(sight, arrows=tuple(replace(arrow, label="") for arrow in sight.arrows))


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="ours",
        how="Yes and No exchanged on a decision's arrows in the code; captions that speak of no labels stay true",
        make=make_answers,
        verify=verify_answers,
        count=lambda _: None,
        uses=(),
    ),
)
