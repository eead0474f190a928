"""Code to `Chart`: Pele's graph is taken, merman's is the cross-check; where they disagree the chart is put aside."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import Any

from renderers.mermaid import Mermaid, MermaidError
from tasks.flowchart.chart.graph import Arrow, Chart, Node, Subgraph
from tasks.flowchart.chart.labels import read_label, spell_label, squeeze


def parse_code(code: str, mermaid: Mermaid, cross_check: bool = False) -> Chart:
    """The chart that ``code`` defines.

    Raises:
        MermaidError: a syntax error with line, column and caret, ``not_a_flowchart``, ``too_large``, ``refused``, or,
            with ``cross_check``, ``parsers_disagree``.
    """
    graphs = mermaid.parse(code, both=cross_check)
    chart = build_chart(graphs["pele"])
    if cross_check and (why := find_disagreement(chart, graphs["merman"])):
        raise MermaidError("parsers_disagree", why)
    return chart


_ENCODED = re.compile("\ufb02°(°?)(\\w+)¶ß")


def _decode(text: str) -> str:
    """Mermaid's parsers carry ``#quot;`` and ``#35;`` as placeholders of odd characters; back to the source's text."""
    return _ENCODED.sub(r"#\2;", text)


def build_chart(graph: dict[str, Any]) -> Chart:
    """The chart in Pele's answer. Links, tooltips and callbacks are left out."""
    subgraph_ids = {s["id"] for s in graph["subgraphs"]}
    nodes = tuple(_build_node(n) for n in graph["nodes"] if n["id"] not in subgraph_ids)
    styles = {n["id"]: n for n in graph["nodes"] if n["id"] in subgraph_ids}
    subgraphs = tuple(_build_subgraph(s, styles.get(s["id"], {})) for s in graph["subgraphs"])
    return Chart(
        direction={"TD": "TB"}.get(graph["direction"], graph["direction"]),
        nodes=nodes,
        arrows=tuple(_build_arrow(e) for e in graph["edges"]),
        subgraphs=subgraphs,
        class_definitions={name: tuple(c["styles"]) for name, c in graph["classes"].items() if c["styles"]},
    )


def _build_node(node: dict[str, Any]) -> Node:
    markdown = node.get("labelType") == "markdown"
    label = spell_label(_decode(node["text"]), markdown) if node.get("text") is not None else node["id"]
    # A label of its own on a node without a shape makes a plain box.
    box = "square" if label != node["id"] and not markdown else None
    return Node(
        id=node["id"],
        label=label,
        shape=node.get("type") or box,
        markdown=markdown,
        styles=tuple(node.get("styles") or ()),
        classes=tuple(c for c in node.get("classes") or () if c != "clickable"),
        pictured=bool(node.get("img") or node.get("icon")),
    )


_HEADS = {"arrow_point": "point", "arrow_circle": "circle", "arrow_cross": "cross", "arrow_open": ""}


def _read_heads(kind: str) -> tuple[str, str]:
    """The heads at start and end of a parser's type of arrow, such as ``double_arrow_circle``."""
    end = _HEADS[kind.removeprefix("double_")]
    return (end if kind.startswith("double_") else ""), end


def _build_arrow(edge: dict[str, Any]) -> Arrow:
    start, end = _read_heads(edge.get("type") or "arrow_point")
    motion = tuple(
        (key, str(edge[key]).lower() if isinstance(edge[key], bool) else str(edge[key]))
        for key in ("animate", "animation")
        if edge.get(key) is not None
    )
    markdown = edge.get("labelType") == "markdown"
    return Arrow(
        tail=edge["start"],
        head=edge["end"],
        label=spell_label(_decode(edge.get("text") or ""), markdown),
        markdown=markdown,
        start=start,
        end=end,
        stroke=edge.get("stroke") or "normal",
        length=max(1, int(edge.get("length") or 1)),
        styles=tuple(s for s in edge.get("style") or () if s != "fill:none"),
        classes=tuple(edge.get("classes") or ()),
        id=edge["id"] if edge.get("isUserDefinedId") else None,
        curve=edge.get("interpolate"),
        motion=motion,
    )


def _build_subgraph(subgraph: dict[str, Any], styled: dict[str, Any]) -> Subgraph:
    title = subgraph.get("title")
    markdown = subgraph.get("labelType") == "markdown"
    return Subgraph(
        id=subgraph["id"],
        title=spell_label(_decode(title), markdown) if title is not None else subgraph["id"],
        members=tuple(subgraph["nodes"]),
        markdown=markdown,
        direction={"TD": "TB"}.get(subgraph.get("dir") or "", subgraph.get("dir")),
        classes=tuple(c for c in subgraph.get("classes") or () if c != "clickable"),
        styles=tuple(subgraph.get("styles") or styled.get("styles") or ()),
    )


def find_disagreement(chart: Chart, other: dict[str, Any]) -> str | None:
    """How merman's graph differs from ``chart`` in nodes, labels, arrows, heads or strokes, or None."""
    if "error" in other:
        return f"Pele reads the chart, merman does not: {other['error']}"
    subgraphs = {s["id"] for s in other["subgraphs"]}
    nodes = {n["id"]: _squeeze(n["label"] if n["label"] is not None else n["id"]) for n in other["nodes"]}
    ours = {n.id: _squeeze(n.label) for n in chart.nodes}
    theirs = {k: v for k, v in nodes.items() if k not in subgraphs}
    if ours != theirs:
        odd = sorted(k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k))
        return f"Pele and merman read the nodes {', '.join(odd[:5])} differently"
    arrows = Counter(
        (e["from"], e["to"], _squeeze(e["label"] or ""), *_read_heads(e["type"]), e["stroke"]) for e in other["edges"]
    )
    read = Counter((a.tail, a.head, _squeeze(a.label), a.start, a.end, a.stroke) for a in chart.arrows)
    if arrows != read:
        differing = sorted({f"{tail} -> {head}" for tail, head, *_ in ((arrows - read) | (read - arrows))})
        return f"Pele and merman read the arrows {', '.join(differing[:5])} differently"
    return None


_ANGLED = re.compile(r"<[^<>]*>")


def _squeeze(label: str) -> str:
    # merman escapes some < and > in its answer and drops what is between the others.
    return _ANGLED.sub("", squeeze(read_label(html.unescape(_decode(label)))))
