"""``flowchart.answers``: the code with a decision's answers exchanged, the error that real charts have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import Sight, describe_difference, same_sight, see_chart
from counterfoil.tasks.flowchart.checks import read_anchor, read_text_code
from counterfoil.tasks.flowchart.drawing.rendering import open_chart, parse
from counterfoil.tasks.flowchart.edits.answers import turn_answer
from counterfoil.tasks.flowchart.edits.pool import list_answers
from counterfoil.tasks.flowchart.settings import FlowchartSettings

NAME = "flowchart.answers"
_MOST_DECISIONS = 3


def make_answers(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """The answers of one decision or of several exchanged; one that stands alone turned around.

    Of three decisions at most every combination: each of the codes is then as near to the others as the anchor's is.
    """
    chart = open_chart(anchor)
    seen = [see_chart(chart)]
    for edited, edits in _list_exchanges(chart, context.rng(NAME, anchor.anchor_id)):
        sight = see_chart(edited)
        if not any(same_sight(sight, other) for other in seen):
            seen.append(sight)
            code = write_code(edited)
            yield Draft(text=code, code=code, edits=edits)


def _list_exchanges(chart: Chart, rng: np.random.Generator) -> Iterator[tuple[Chart, tuple[Edit, ...]]]:
    pairs = list_answers(chart)
    decisions: dict[str, list[int]] = {}
    for i in sorted({i for pair in pairs for i in pair}):
        decisions.setdefault(chart.arrows[i].tail, []).append(i)
    ways = [_list_ways(chart, indices) for indices in decisions.values()]
    for i, arrow in enumerate(chart.arrows):
        other = turn_answer(read_label(arrow.label, arrow.markdown))
        if other and not any(i in pair for pair in pairs):
            ways.append([{}, {i: other}])
    chosen = [ways[int(i)] for i in rng.permutation(len(ways))[:_MOST_DECISIONS]]
    for way in product(*chosen):
        change = {i: label for part in way for i, label in part.items() if label != chart.arrows[i].label}
        arrows = tuple(replace(a, label=change.get(i, a.label)) for i, a in enumerate(chart.arrows))
        yield replace(chart, arrows=arrows), _name_changes(chart.arrows, arrows)


def _name_changes(before: Sequence[Arrow], after: Sequence[Arrow]) -> tuple[Edit, ...]:
    """What each arrow that says something else said, and says now."""
    pairs = ((old.label, new.label) for old, new in zip(before, after, strict=True))
    return tuple(Edit("exchange_answers", old, new) for old, new in pairs if old != new)


def _list_ways(chart: Chart, indices: list[int]) -> list[dict[int, str]]:
    """How one decision's answers may stand, as they do first: all orders of three, of more those turned in a ring."""
    labels = [chart.arrows[i].label for i in indices]
    turned = [tuple(labels[k:] + labels[:k]) for k in range(len(labels))]
    orders = list(permutations(labels)) if len(labels) <= 3 else turned
    return [dict(zip(indices, order, strict=True)) for order in orders]


@checked
def verify_answers(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Code that defines the anchor's chart but for what its lines are labelled."""
    del context
    original = read_anchor(anchor).sight
    sight = read_text_code(checks, contrast)
    checks.require("another_graph", not same_sight(original, sight), "it is the anchor's chart")
    plain, anchored = _unlabel(sight), _unlabel(original)
    checks.require("answers_alone", same_sight(anchored, plain), lambda: describe_difference(anchored, plain))
    own, mine = open_chart(anchor), parse(contrast.text or "")
    restored = replace(mine, arrows=tuple(_speak_as(a, b) for a, b in zip(mine.arrows, own.arrows, strict=True)))
    checks.require("answers_alone", write_code(restored) == anchor.code, "more than its arrows' labels is another")
    named = Counter(contrast.edits) == Counter(_name_changes(own.arrows, mine.arrows))
    checks.require("edits_named", named, "its edits are not what its arrows say otherwise")


def _speak_as(arrow: Arrow, other: Arrow) -> Arrow:
    return replace(arrow, label=other.label, markdown=other.markdown)


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
        version=3,
        uses=(),
    ),
)
