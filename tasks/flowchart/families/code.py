"""``flowchart.code``: the chart's code as a text that describes the picture (SaCLIP P^t), a hard positive text."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.chart.sight import describe_difference, same_sight
from counterfoil.tasks.flowchart.checks import read_anchor, read_text_code
from counterfoil.tasks.flowchart.settings import FlowchartSettings


def make_code(anchor: Anchor, context: Context[FlowchartSettings]) -> Iterator[Candidate | Reject]:
    """The code itself."""
    del context
    yield Draft(text=anchor.code, code=anchor.code)


@checked
def verify_code(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Code that defines the graph that the anchor's picture shows."""
    del context
    original = read_anchor(anchor).sight
    sight = read_text_code(checks, contrast)
    checks.require("same_graph", same_sight(original, sight), lambda: describe_difference(original, sight))
    checks.require("same_chart", contrast.text == anchor.code, "it is not the anchor's code")


FAMILIES = (
    Family(
        "flowchart.code",
        "positive",
        "text",
        paper="SaCLIP Sec. 3.2, P^t",
        how="the chart's code as a text",
        make=make_code,
        verify=verify_code,
        count=lambda _: 1,
        version=4,
    ),
)
