"""``flowchart.answers``: captions in which a decision's answers are exchanged, the error that real charts have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from storage.rows import Anchor, Contrast, Edit, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate, Draft, Family
from tasks.contract.verdict import Checks, checked
from tasks.flowchart.captions import find_false_claims, list_claims, state_claims, unite_claims, write_caption
from tasks.flowchart.chart.sight import Seen, Sight, see_chart
from tasks.flowchart.checks import check_edits, is_false, read_anchor, read_claims
from tasks.flowchart.drawing.rendering import open_chart
from tasks.flowchart.edits.pool import list_answers
from tasks.flowchart.settings import FlowchartSettings

NAME = "flowchart.answers"
_OPPOSITES = (("yes", "no"), ("true", "false"), ("success", "failure"), ("valid", "invalid"))


def make_answers(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """The caption that speaks of labels, with two answers of one decision exchanged, or a lone one turned around."""
    del context
    chart = open_chart(anchor)
    sight = see_chart(chart)
    arrows = [arrow for arrow in chart.arrows if arrow.stroke != "invisible"]
    pairs = list_answers(replace(chart, arrows=tuple(arrows)))
    changes = [{i: sight.arrows[j].label, j: sight.arrows[i].label} for i, j in pairs]
    paired = {i for pair in pairs for i in pair}
    for i, arrow in enumerate(sight.arrows):
        if i not in paired and (other := turn_answer(arrow.label)):
            changes.append({i: other})
    for change in changes:
        said = unite_claims(list_claims(_relabel(sight, change), True))
        if find_false_claims(said, sight):
            edits = tuple(Edit("exchange_answers", sight.arrows[i].label, label) for i, label in change.items())
            yield Draft(text=write_caption(said), edits=edits)


def _relabel(sight: Sight, change: dict[int, str]) -> Sight:
    arrows: list[Seen] = [replace(a, label=change.get(i, a.label)) for i, a in enumerate(sight.arrows)]
    return replace(sight, arrows=tuple(arrows))


def turn_answer(label: str) -> str | None:
    """The other answer, written alike; None for what is no such answer.

    >>> turn_answer("Yes"), turn_answer("NO"), turn_answer("maybe")
    ('No', 'YES', None)
    """
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if label.lower() == one:
                return other.upper() if label.isupper() else other.title() if label.istitle() else other
    return None


@checked
def verify_answers(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Of the template; true of the chart that the picture shows but for what its lines are labelled."""
    del context
    original = read_anchor(anchor).sight
    claims = read_claims(contrast.text)
    checks.require("caption_read", True, "")
    told, true = len(claims), len(state_claims(original, True))
    checks.require("arrow_count", told == true, f"{told} sentences where the true caption has {true}")
    false = find_false_claims(claims, original)
    checks.require("false_of_anchor", bool(false), "every sentence is true of the chart")
    plain = unite_claims(replace(claim, label=None) for claim in claims)
    checks.require("answers_alone", not is_false(plain, original), "it is false without its labels, too")
    check_edits(checks, contrast, {"exchange_answers"}, {"exchange_answers"})


FAMILIES = (
    Family(
        NAME,
        "negative",
        "text",
        paper="ours",
        how="Yes and No exchanged on a decision's arrows, in the caption that speaks of them",
        make=make_answers,
        verify=verify_answers,
        count=lambda _: None,
        uses=("arrow_labels",),
    ),
)
