"""Charts written from descriptions by a language model ("diagram-code synthesis"), repaired with the parser's error."""

from __future__ import annotations

from counterfoil.renderers.mermaid import MermaidError
from counterfoil.storage.rows import Provenance, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.parsing import parse_code
from counterfoil.tasks.flowchart.chart.sight import see_chart
from counterfoil.tasks.flowchart.drawing.rendering import get_mermaid
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.llm.repair import NotWritten, Trial, write_code

PROMPTS = ("flowchart.from_text", "flowchart.repair")
PAYER = "flowchart.anchor"


def write_chart(row: SourceRow, context: Context[FlowchartSettings]) -> tuple[str, Provenance] | Reject:
    """Mermaid code for the row's description, and who wrote it; a reject where no attempt could be used.

    Raises:
        counterfoil.tasks.llm.errors.AuthorError: the author cannot be used, or its budget is spent.
    """
    if context.llm is None:
        reason = "author_needed: a chart from a description needs a language model: set [author] kind and model"
        return reject_source("flowchart", row, reason)
    variables = {"description": row.payload["description"], "direction": row.payload.get("direction") or "TD"}
    written = write_code(context.llm, PROMPTS[0], variables, PROMPTS[1], try_chart, family=PAYER)
    if isinstance(written, NotWritten):
        return reject_source("flowchart", row, *written.reasons, raw=written.raw, provenance=written.provenance)
    return written.code, written.provenance


def try_chart(code: str) -> Trial[Chart]:
    """Parse an answer; what is wrong is said with line, source line and caret, as the repair prompt wants it."""
    try:
        chart = parse_code(code, get_mermaid(), cross_check=True)
    except MermaidError as error:
        source_line = error.caret.split("\n")[0]
        return Trial(
            problem=error.message,
            code=error.code,
            line=error.line,
            source_line=source_line,
            log=f"At column {error.column}:\n{error.caret}" if error.caret and error.column else "",
        )
    sight = see_chart(chart)
    joined = {i for arrow in sight.arrows for i in (arrow.tail, arrow.head)}
    loose = [label for i, label in enumerate(sight.labels[: len(chart.nodes)]) if i not in joined]
    if not sight.arrows or loose:
        what = f"no arrow reaches {loose[0]!r}" if loose else "the chart has no arrow"
        return Trial(problem=what, code="loose_node")
    return Trial(result=chart)
