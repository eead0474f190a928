"""Anchors: a chart, or each of its triplets, as code, SVG, picture and caption; and how one is checked again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from renderers.mermaid import MermaidError
from storage.rows import Anchor, Fact, Image, Provenance, Reject, content_id
from tasks.contract.context import Context
from tasks.contract.domain import SourceRow
from tasks.contract.verdict import Verdict
from tasks.flowchart.captions import CaptionError, Claim, find_false_claims, read_caption, state_claims, write_caption
from tasks.flowchart.chart.granulation import find_triplets, key_chart
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.parsing import parse_code
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Sight, describe_difference, same_sight, see_chart
from tasks.flowchart.drawing.pictures import check_picture
from tasks.flowchart.drawing.rendering import draw, get_look, get_mermaid, paint, parse
from tasks.flowchart.settings import FlowchartSettings
from tasks.flowchart.sources.synthesis import write_chart

LANGUAGE = "mermaid"
_SMALL = 6
"""Charts of at most so many nodes are told apart from their reorderings by `key_chart`."""


def key_any_chart(chart: Chart) -> str:
    """The identity of a chart as an anchor: of its graph for small ones, of its code for the others."""
    if len(chart.nodes) <= _SMALL and not chart.subgraphs:
        return key_chart(chart)
    return content_id("flowchart chart", write_code(chart))


def list_pieces(chart: Chart, granulate: bool) -> Iterator[tuple[Chart, str]]:
    """The charts that become anchors, with their keys: the triplets, or the chart itself."""
    if granulate:
        for triplet in find_triplets(chart):
            yield triplet.chart, triplet.key
    else:
        yield chart, key_any_chart(chart)


def make_anchors(row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:
    """The anchors of one chart, verified by the runner; what cannot be made is a reject with its reason."""
    settings = _settings(context)
    provenance = Provenance()
    if "description" in row.payload:
        written = write_chart(row, context)
        if isinstance(written, Reject):
            yield written
            return
        code, provenance = written
    else:
        code = row.payload["code"]
    try:
        chart = parse_code(code, get_mermaid(), cross_check=True)
    except MermaidError as error:
        yield _reject(row, describe_error(error), code)
        return
    pieces = list(list_pieces(chart, settings.granulate))
    if not pieces:
        yield _reject(row, "no_triplets: no three nodes hang together by visible arrows", code)
    held_out: dict[str, str] = row.payload.get("held_out", {})
    for piece, key in pieces:
        if key in held_out:
            reason = f"leak: the same chart is in the held-out chart {held_out[key]!r}; it stays there alone"
            yield _reject(row, reason, write_code(piece))
            continue
        yield _make_anchor(piece, key, row, settings, provenance)


def _make_anchor(
    chart: Chart, key: str, row: SourceRow, settings: FlowchartSettings, provenance: Provenance
) -> Anchor | Reject:
    code = write_code(chart)
    sight = see_chart(chart)
    if reason := _find_unusable(sight):
        return _reject(row, reason, code)
    try:
        vector = draw(code, get_look(settings))
        png = paint(vector, settings.size)
    except MermaidError as error:
        return _reject(row, describe_error(error), code)
    anchor_id = content_id("flowchart", key, settings.engine, settings.style, settings.size)
    caption = write_caption(state_claims(sight, settings.arrow_labels))
    other = write_caption(state_claims(sight, not settings.arrow_labels))
    return Anchor(
        anchor_id=anchor_id,
        domain="flowchart",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(png, f"{anchor_id}.png"),
        vector=vector,
        caption=caption,
        captions=(caption,) if other == caption else (caption, other),
        code=code,
        code_language=LANGUAGE,
        facts=state_facts(chart, sight),
        provenance=provenance,
    )


def _find_unusable(sight: Sight) -> str | None:
    if not sight.arrows:
        return "no_arrows: the chart has no visible arrow to caption"
    if any(not label for label in sight.labels):
        return "label_empty: a node without a label cannot be named in a caption"
    return None


def state_facts(chart: Chart, sight: Sight) -> tuple[Fact, ...]:
    """``node`` (id) = label, and for each line ``arrow``, ``both`` or ``line`` (label, label) = the line's label."""
    nodes = tuple(Fact("node", (n.id,), sight.labels[i]) for i, n in enumerate(chart.nodes))
    claims = state_claims(sight, True)
    return nodes + tuple(Fact(c.kind, (c.tail, c.head), c.label) for c in claims)


def describe_error(error: MermaidError) -> str:
    """A renderer's error as a reject's reason, with the place where it has one."""
    place = f" (line {error.line}, column {error.column})" if error.line else ""
    return f"{error.code}: {error.message}{place}"


def _reject(row: SourceRow, reason: str, raw: str) -> Reject:
    return Reject("flowchart.anchor", (reason,), source=row.source, source_id=row.source_id, raw=raw)


def _settings(context: Context) -> FlowchartSettings:
    assert isinstance(context.settings, FlowchartSettings)
    return context.settings


def verify_anchor(anchor: Anchor, context: Context) -> Verdict:
    """Code, SVG, picture, caption and facts say the same chart, each read on its own."""
    settings = _settings(context)
    if not (anchor.code and anchor.vector and anchor.image and anchor.caption):
        return Verdict(reasons=("incomplete: an anchor needs code, vector, image and caption",))
    try:
        chart = parse(anchor.code)
    except MermaidError as error:
        return Verdict(reasons=(f"code_invalid: {describe_error(error)}",))
    sight = see_chart(chart)
    checks = ["code parses"]
    done, reasons, picture = check_picture(anchor.vector, anchor.image.bytes, settings.smallest_text)
    checks += done
    if picture is not None:
        if same_sight(sight, picture.sight):
            checks.append("SVG shows the code's graph")
        else:
            reasons.append(f"svg_differs: {describe_difference(sight, picture.sight)}")
    for caption in dict.fromkeys((anchor.caption, *anchor.captions)):
        if why := find_caption_fault(caption, sight):
            reasons.append(why)
    if anchor.facts != state_facts(chart, sight):
        reasons.append("facts_differ: the facts are not the chart's")
    checks += ["caption states exactly the chart's arrows", "facts are the chart's"]
    return Verdict(tuple(checks), tuple(reasons))


def find_caption_fault(caption: str, sight: Sight) -> str | None:
    """Why a caption does not state exactly the chart's arrows, or None."""
    try:
        claims = read_caption(caption)
    except CaptionError as error:
        return str(error)
    if false := find_false_claims(claims, sight):
        return f"caption_false: {false[0]}"
    speaks = any(c.label is not None for c in claims)
    if _keys(claims) != _keys(state_claims(sight, speaks)):
        return "caption_incomplete: the caption leaves out an arrow"
    return None


def _keys(claims: tuple[Claim, ...]) -> list[Any]:
    return sorted((claim.key() for claim in claims), key=repr)
