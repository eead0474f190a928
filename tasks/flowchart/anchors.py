"""Anchors: a chart, or each of its triplets, as code, SVG, picture and caption; and how one is checked again."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.renderers.mermaid import Look, MermaidError
from counterfoil.storage.rows import Anchor, Fact, Image, Provenance, Reject, content_id
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.flowchart.captions import CaptionError, list_claims, name_node, state_claims, write_caption
from counterfoil.tasks.flowchart.chart.granulation import is_small, key_chart, list_keys, list_pieces
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import read_label, squeeze
from counterfoil.tasks.flowchart.chart.order import arrange
from counterfoil.tasks.flowchart.chart.parsing import parse_code
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import Sight, see_chart
from counterfoil.tasks.flowchart.checks import check_anchor_picture, check_caption, describe_error
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart, get_mermaid, open_chart, paint, parse
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.sources.synthesis import write_chart
from counterfoil.tasks.flowchart.styles import choose_look, turn_granule

LANGUAGE = "mermaid"
NOBODY = Provenance()


def make_anchors(row: SourceRow, context: Context[FlowchartSettings]) -> Iterator[Anchor | Reject]:
    """The anchors of a row with code; what cannot be made is a reject with its reason."""
    yield from _cut(row, row.payload["code"], NOBODY, context)


def write_anchors(row: SourceRow, context: Context[FlowchartSettings]) -> Iterator[Anchor | Reject]:
    """The anchors of a row with a description, whose code a language model writes.

    Raises:
        AuthorError: the author cannot go on.
    """
    written = write_chart(row, context)
    if isinstance(written, Reject):
        yield written
    else:
        yield from _cut(row, *written, context)


def _cut(
    row: SourceRow, code: str, provenance: Provenance, context: Context[FlowchartSettings]
) -> Iterator[Anchor | Reject]:
    try:
        chart = parse_code(code, get_mermaid(), cross_check=True)
    except MermaidError as error:
        yield reject_source("flowchart", row, describe_error(error), raw=code)
        return
    pieces = list(list_pieces(chart, context.settings))
    if not pieces:
        reason = "no_triplets: no three nodes hang together by visible arrows"
        yield reject_source("flowchart", row, reason, raw=code)
    held_out: dict[str, str] = row.payload.get("held_out", {})
    for piece, key in pieces:
        if leaked := next((each for each in list_keys(piece, key, context.settings) if each in held_out), None):
            reason = f"leak: the same chart is in the held-out chart {held_out[leaked]!r}; it stays there alone"
            yield reject_source("flowchart", row, reason, raw=write_code(piece))
            continue
        yield _make_anchor(piece, key, row, context, provenance)


def _make_anchor(
    chart: Chart, key: str, row: SourceRow, context: Context[FlowchartSettings], provenance: Provenance
) -> Anchor | Reject:
    settings = context.settings
    if reason := _find_undrawn(chart):
        return reject_source("flowchart", row, reason, raw=write_code(chart))
    if settings.edits == "natural":
        chart = arrange(chart, context.rng("flowchart.order", key))
    code = write_code(turn_granule(chart, key, context) if settings.granulate else chart)
    look = choose_look(code, context)
    try:
        # The chart is what its own code says: nodes come in that order, whatever the source's was.
        chart = parse(code)
        sight = see_chart(chart)
        if reason := _find_unusable(sight):
            return reject_source("flowchart", row, reason, raw=code)
        vector = draw_chart(code, look)
        png = paint(vector, settings.size)
    except MermaidError as error:
        return reject_source("flowchart", row, describe_error(error), raw=code)
    anchor_id = _name(key, chart, look, settings)
    caption = write_caption(state_claims(sight, settings.arrow_labels))
    return Anchor(
        anchor_id=anchor_id,
        domain="flowchart",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(png, f"{anchor_id}.png"),
        vector=vector,
        caption=caption,
        captions=(caption,),
        code=code,
        code_language=LANGUAGE,
        facts=state_facts(chart, sight),
        provenance=provenance,
    )


def name_anchor(anchor: Anchor, context: Context[FlowchartSettings]) -> str | None:
    """The id that an anchor has by its chart and looks; None of a large chart, whose id is of its author's code."""
    try:
        chart = open_chart(anchor)
    except MermaidError:
        return None  # its verifier says what is wrong with it
    if not is_small(chart):
        return None
    return _name(key_chart(chart), chart, choose_look(anchor.code, context), context.settings)


def _name(key: str, chart: Chart, look: Look, settings: FlowchartSettings) -> str:
    return content_id("flowchart", key, chart.direction, look.style, look.face, settings.size)


def _find_undrawn(chart: Chart) -> str | None:
    """Why a chart would be drawn as another than its author's."""
    for node in chart.nodes:
        if node.pictured:
            return f"picture_node: the node {read_label(node.label, node.markdown)!r} shows an image or an icon"
    for label in (*(node.label for node in chart.nodes), *(arrow.label for arrow in chart.arrows)):
        if "$$" in label:
            return f"math_label: the label {label!r} is a formula ($$...$$); write it in plain text"
    return None


def _find_unusable(sight: Sight) -> str | None:
    if not sight.arrows:
        return "no_arrows: the chart has no visible arrow to caption"
    if any(not label for label in sight.labels):
        return "label_empty: a node that shows no label (as of the shape fork) cannot be named in a caption"
    names: dict[str, str] = {}
    for label in sight.labels:
        other = names.setdefault(name_node(label), label)
        if squeeze(other) != squeeze(label):
            return f"caption_ambiguous: the labels {other!r} and {label!r} differ in a full stop alone"
    try:
        list_claims(sight, True)
    except CaptionError as error:
        return str(error)
    return None


def state_facts(chart: Chart, sight: Sight) -> tuple[Fact, ...]:
    """``node`` (id) = label; for each line its kind (one of `captions.FORMS`) (label, label) = the line's label."""
    nodes = tuple(Fact("node", (n.id,), sight.labels[i]) for i, n in enumerate(chart.nodes))
    return nodes + tuple(Fact(c.kind, (c.tail, c.head), c.label) for c in list_claims(sight, True))


@checked
def verify_anchor(checks: Checks, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """Code, SVG, picture, caption and facts say the same chart, each read on its own."""
    whole = anchor.code_language == LANGUAGE and anchor.captions == (anchor.caption,)
    checks.require("complete", whole, f"an anchor needs code that is {LANGUAGE}, and one caption")
    others = (anchor.question, anchor.answer, anchor.solution)
    checks.require("nothing_else", others == (None,) * 3, "a chart has no question, answer or solution")
    sight = check_anchor_picture(checks, anchor, context)
    check_caption(checks, "caption_true", anchor.caption, sight, context)
    facts = state_facts(open_chart(anchor), sight)
    checks.require("facts_agree", anchor.facts == facts, "the facts are not the chart's")
