"""Granulation (SaCLIP Sec. 3.1): every connected triplet of adjacent nodes as a small chart of its own, top-down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from storage.rows import content_id
from tasks.flowchart.chart.graph import Arrow, Chart, Node
from tasks.flowchart.chart.labels import read_label
from tasks.flowchart.chart.serialise import write_code

_NAMES = "ABC"


@dataclass(frozen=True)
class Triplet:
    """``chart`` has nodes A, B, C in the order of the source; ``nodes`` are their ids there."""

    chart: Chart
    nodes: tuple[str, str, str]
    key: str
    """The same for triplets that are the same graph with the same labels and shapes, whatever their order."""


def find_triplets(chart: Chart) -> Iterator[Triplet]:
    """All sets of three nodes that hang together by visible arrows, in the order of their nodes.

    Arrows at subgraphs, invisible links, styles and classes are left out, as are subgraph frames: a triplet speaks of
    its nodes and their arrows alone.
    """
    order = {node.id: i for i, node in enumerate(chart.nodes)}
    arrows = [a for a in chart.arrows if a.stroke != "invisible" and a.tail in order and a.head in order]
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for arrow in arrows:
        if arrow.tail != arrow.head:
            neighbours[arrow.tail].add(arrow.head)
            neighbours[arrow.head].add(arrow.tail)
    found = {
        tuple(sorted((middle, *pair), key=order.__getitem__))
        for middle, around in neighbours.items()
        for pair in combinations(sorted(around), 2)
    }
    at: defaultdict[str, list[int]] = defaultdict(list)
    for index, arrow in enumerate(arrows):
        at[arrow.tail].append(index)
    for nodes in sorted(found, key=lambda triple: [order[n] for n in triple]):
        inside = sorted(i for n in nodes for i in at[n] if arrows[i].head in nodes)
        yield cut_triplet(chart, (nodes[0], nodes[1], nodes[2]), [arrows[i] for i in inside])


def cut_triplet(chart: Chart, nodes: tuple[str, str, str], arrows: list[Arrow]) -> Triplet:
    """The triplet on ``nodes`` with ``arrows``, renamed and without style."""
    names = dict(zip(nodes, _NAMES, strict=True))
    small = Chart(
        "TB",
        tuple(_plain_node(chart.node(identifier), name) for identifier, name in names.items()),
        tuple(Arrow(names[a.tail], names[a.head], a.label, a.markdown, a.start, a.end, a.stroke) for a in arrows),
    )
    return Triplet(small, nodes, key_chart(small))


def _plain_node(node: Node, name: str) -> Node:
    shape = node.shape if node.shape is not None or node.markdown else "square"
    return replace(node, id=name, shape=shape, styles=(), classes=())


def key_chart(chart: Chart) -> str:
    """A content hash of a small chart that does not depend on the order of its nodes and arrows."""
    nodes = [(read_label(n.label, n.markdown), n.shape or "") for n in chart.nodes]
    index = {n.id: i for i, n in enumerate(chart.nodes)}
    edges = [
        (index[a.tail], index[a.head], a.start, a.end, read_label(a.label, a.markdown), a.stroke) for a in chart.arrows
    ]
    forms = []
    for order in permutations(range(len(nodes))):
        place = {old: new for new, old in enumerate(order)}
        forms.append(([list(nodes[i]) for i in order], sorted([place[t], place[h], *rest] for t, h, *rest in edges)))
    return content_id("flowchart triplet", min(forms, key=repr))


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
