"""Code to `Chart`: Pele's graph is taken, merman's is the cross-check; where they disagree the chart is put aside."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from counterfoil.renderers.mermaid import Mermaid, MermaidError
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node, Subgraph
from counterfoil.tasks.flowchart.chart.labels import read_label, spell_label, squeeze


def parse_code(code: str, mermaid: Mermaid, cross_check: bool = False) -> Chart:
    """The chart that ``code`` defines.

    Raises:
        MermaidError: a syntax error with line, column and caret, ``not_a_flowchart``, ``too_large``, ``refused``, or,
            with ``cross_check``, ``parsers_disagree``.
    """
    graphs = mermaid.parse(code, both=cross_check)
    chart = build_chart(graphs["pele"])
    if cross_check:
        other = graphs["merman"]
        if "error" in other and (odd := [node.id for node in chart.nodes if _SIGNS.search(node.id)]):
            other = _read_renamed(code, odd, mermaid) or other
        if why := find_disagreement(chart, other):
            raise MermaidError("parsers_disagree", why)
    return chart


_SIGNS = re.compile(r"[^\w.-]")
"""What Mermaid reads in a node's name and merman does not, as in ``read/write``."""


def _read_renamed(code: str, names: list[str], mermaid: Mermaid) -> dict[str, Any] | None:
    """merman's graph of the code in which nodes with these names have plain ones, under their own names again; None
    where such a name is a sign of the code, too, as in ``& --> A & B``."""
    word = "name"
    while word in code:
        word += "x"
    plain = {name: f"{word}{place}x" for place, name in enumerate(names)}
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    renamed = re.sub(rf"(?<![^\s;])(?:{longest_first})(?=[\s;\[({{>@]|:::|$)", lambda m: plain[m.group()], code)
    try:
        graph = mermaid.parse(renamed)["merman"]
    except MermaidError:
        return None
    return _restore(graph, {new: name for name, new in plain.items()})


def _restore(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub("|".join(names), lambda m: names[m.group()], value)
    if isinstance(value, list):
        return [_restore(each, names) for each in value]
    return {key: _restore(each, names) for key, each in value.items()} if isinstance(value, dict) else value


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
        return f"Pele reads {len(chart.nodes)} nodes and {len(chart.arrows)} arrows, merman nothing: {other['error']}"
    subgraphs = {s["id"] for s in other["subgraphs"]}
    nodes = {n["id"]: _squeeze(n["label"] if n["label"] is not None else n["id"]) for n in other["nodes"]}
    ours = {n.id: _squeeze(n.label) for n in chart.nodes}
    theirs = {k: v for k, v in nodes.items() if k not in subgraphs}
    if ours != theirs:
        odd = sorted(k for k in ours.keys() | theirs.keys() if ours.get(k) != theirs.get(k))
        said = [f"node {k} is {_quote(ours.get(k))} to Pele, {_quote(theirs.get(k))} to merman" for k in odd]
        return _list_first(said)
    arrows = Counter(
        (e["from"], e["to"], _squeeze(e["label"] or ""), *_read_heads(e["type"]), e["stroke"]) for e in other["edges"]
    )
    read = Counter((a.tail, a.head, _squeeze(a.label), a.start, a.end, a.stroke) for a in chart.arrows)
    said = [
        f"{who} alone reads a {stroke} arrow {tail} -> {head} with {_quote(label)} on it and the heads "
        f"{start or 'none'} and {end or 'none'}"
        for who, alone in (("Pele", read - arrows), ("merman", arrows - read))
        for tail, head, label, start, end, stroke in sorted(alone)
    ]
    return _list_first(said) if said else None


def _quote(label: str | None) -> str:
    return "no node" if label is None else f'"{label[:60]}"' if label else "nothing"


def _list_first(said: list[str]) -> str:
    more = f"; and {len(said) - 3} more" if len(said) > 3 else ""
    return "; ".join(said[:3]) + more


_ANGLED = re.compile(r"<[^<>]*>")


def _squeeze(label: str) -> str:
    # merman escapes some < and > in its answer and drops what is between the others.
    return _ANGLED.sub("", squeeze(read_label(html.unescape(_decode(label)))))
