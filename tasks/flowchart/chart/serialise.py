"""`Chart` to code. Parsing the code gives the same chart back, whatever the labels hold."""

from __future__ import annotations

import json
import re

from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node, Subgraph
from counterfoil.tasks.flowchart.chart.labels import spell_label

_BRACKETS = {
    "square": ("[", "]"),
    "round": ("(", ")"),
    "stadium": ("([", "])"),
    "subroutine": ("[[", "]]"),
    "cylinder": ("[(", ")]"),
    "circle": ("((", "))"),
    "doublecircle": ("(((", ")))"),
    "odd": (">", "]"),
    "diamond": ("{", "}"),
    "hexagon": ("{{", "}}"),
    "lean_right": ("[/", "/]"),
    "lean_left": ("[\\", "\\]"),
    "trapezoid": ("[/", "\\]"),
    "inv_trapezoid": ("[\\", "/]"),
    "ellipse": ("(-", "-)"),
}


def write_code(chart: Chart) -> str:
    """The chart as Mermaid code, ending with a newline."""
    parents: dict[str, str] = {}
    for subgraph in chart.subgraphs:
        for member in subgraph.members:
            parents.setdefault(member, subgraph.id)
    known = {s.id: s for s in chart.subgraphs}
    lines = [f"flowchart {'TD' if chart.direction == 'TB' else chart.direction}"]
    lines += [f"    {write_node(node)}" for node in chart.nodes if node.id not in parents and node.id not in known]
    for subgraph in chart.subgraphs:
        if subgraph.id not in parents:
            lines += _write_subgraph(subgraph, chart, parents, known, "    ")
    lines += [f"    {write_arrow(arrow)}" for arrow in chart.arrows]
    for name, styles in chart.class_definitions.items():
        if styles:
            lines.append(f"    classDef {name} {_join_styles(styles)};")
    items: tuple[Node | Subgraph, ...] = (*chart.nodes, *chart.subgraphs)
    for item in items:
        lines += [f"    class {item.id} {name}" for name in item.classes]
        if item.styles:
            lines.append(f"    style {item.id} {_join_styles(item.styles)}")
    for index, arrow in enumerate(chart.arrows):
        lines += _write_arrow_extras(index, arrow)
    return "\n".join(lines) + "\n"


def write_node(node: Node) -> str:
    """``A["label"]``, or ``A@{ shape: doc, label: "label" }`` for a shape without brackets.

    A label inside ``@{ }`` is read as Markdown, so a plain one stands in brackets before it.
    """
    if node.shape in _BRACKETS:
        left, right = _BRACKETS[node.shape]
        return f"{node.id}{left}{quote_label(node.label, node.markdown)}{right}"
    keys = [f"shape: {node.shape}"] if node.shape else []
    if node.markdown:
        keys.append(f"label: {_quote_yaml(node.label)}")
        return f"{node.id}@{{ {', '.join(keys)} }}"
    plain = node.id if node.label == node.id else f"{node.id}[{quote_label(node.label)}]"
    return f"{plain}\n    {node.id}@{{ {keys[0]} }}" if keys else plain


def quote_label(label: str, markdown: bool = False) -> str:
    """``label`` as a quoted string of the code.

    >>> quote_label('say "hi"')
    '"say #quot;hi#quot;"'
    """
    label = spell_label(label, markdown)
    if markdown:
        return '"`' + label.replace('"', "#quot;").replace("`", "#96;") + '`"'
    text = label.replace('"', "#quot;")
    if text.startswith("`"):
        text = "#96;" + text[1:]
    return f'"{text or " "}"'


def _quote_yaml(label: str) -> str:
    # An entity, not a backslash: the parsers end the string at any quotation mark.
    return json.dumps(spell_label(label, True).replace('"', "#quot;"), ensure_ascii=False)


def write_arrow(arrow: Arrow) -> str:
    """``A -->|"label"| B``."""
    name = f"{arrow.id}@" if arrow.id else ""
    label = f"|{quote_label(arrow.label, arrow.markdown)}|" if arrow.label else ""
    if arrow.start and not arrow.end:
        # The code has no arrow with a head at its start alone: the same arrow told from its other end.
        return f"{arrow.head} {name}{_line(arrow.stroke, arrow.length, '', arrow.start)}{label} {arrow.tail}"
    return f"{arrow.tail} {name}{_line(arrow.stroke, arrow.length, arrow.start, arrow.end)}{label} {arrow.head}"


def _line(stroke: str, length: int, start: str, end: str) -> str:
    if stroke == "invisible":
        return "~~~" + "~" * (length - 1)
    right = {"point": ">", "circle": "o", "cross": "x", "": ""}[end]
    left = {"point": "<", "circle": "o", "cross": "x", "": ""}[start]
    if stroke == "dotted":
        return f"{left}-{'.' * length}-{right}"
    character = "=" if stroke == "thick" else "-"
    return left + character * (length + 1) + (right or character)


def _write_subgraph(
    subgraph: Subgraph, chart: Chart, parents: dict[str, str], known: dict[str, Subgraph], indent: str
) -> list[str]:
    title = ""
    if subgraph.title != subgraph.id or subgraph.markdown:
        title = f" [{quote_label(subgraph.title, subgraph.markdown)}]"
    lines = [f"{indent}subgraph {subgraph.id}{title}"]
    if subgraph.direction:
        lines.append(f"{indent}    direction {subgraph.direction}")
    nodes = {node.id: node for node in chart.nodes}
    for member in subgraph.members:
        if parents.get(member) != subgraph.id:
            continue
        if member in known:
            lines += _write_subgraph(known[member], chart, parents, known, indent + "    ")
        elif member in nodes:
            lines.append(f"{indent}    {write_node(nodes[member])}")
        else:
            lines.append(f"{indent}    {member}")
    return [*lines, f"{indent}end"]


def _join_styles(styles: tuple[str, ...]) -> str:
    return ",".join(re.sub(r"(?<!\\),", r"\\,", style) for style in styles)


def _write_arrow_extras(index: int, arrow: Arrow) -> list[str]:
    lines = []
    if arrow.styles or (arrow.curve and not arrow.id):
        curve = f"interpolate {arrow.curve} " if arrow.curve and not arrow.id else ""
        lines.append(f"    linkStyle {index} {curve}{_join_styles(arrow.styles)}".rstrip())
    if arrow.id and (arrow.motion or arrow.curve):
        pairs = [*arrow.motion, *([("curve", arrow.curve)] if arrow.curve else [])]
        lines.append(f"    {arrow.id}@{{ {', '.join(f'{key}: {value}' for key, value in pairs)} }}")
    lines += [f"    class {arrow.id} {name}" for name in arrow.classes if arrow.id]
    return lines
