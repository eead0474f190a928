"""Granulation (SaCLIP Sec. 3.1): every connected triplet of adjacent nodes as a small chart of its own, top-down; and
ours beside them, larger neighbourhoods and those of subgraphs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from counterfoil.storage.rows import content_id
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node, Subgraph
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.order import begin_first, point_forward
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.settings import FlowchartSettings

_NAMES = "ABCDEFGH"
_WIDE = (4, 5, 6)
"""Nodes of wider granules, by turns."""
_MOST_MEMBERS = 6


@dataclass(frozen=True)
class Granule:
    """``chart`` has nodes A, B, C... in the order of the source; ``nodes`` are their ids there."""

    chart: Chart
    nodes: tuple[str, ...]
    key: str
    """The same for granules that are the same graph with the same labels and shapes, whatever their order."""


def find_triplets(chart: Chart) -> Iterator[Granule]:
    """All sets of three nodes that hang together by visible arrows, in the order of their nodes.

    Arrows at subgraphs, invisible links, styles and classes are left out, as are subgraph frames: a triplet speaks of
    its nodes and their arrows alone.
    """
    order = {node.id: i for i, node in enumerate(chart.nodes)}
    arrows = _list_arrows(chart)
    found = {
        tuple(sorted((middle, *pair), key=order.__getitem__))
        for middle, around in _find_neighbours(arrows).items()
        for pair in combinations(sorted(around), 2)
    }
    at: defaultdict[str, list[int]] = defaultdict(list)
    for index, arrow in enumerate(arrows):
        at[arrow.tail].append(index)
    for nodes in sorted(found, key=lambda triple: [order[n] for n in triple]):
        inside = sorted(i for n in nodes for i in at[n] if arrows[i].head in nodes)
        yield cut_granule(chart, nodes, [arrows[i] for i in inside])


def _list_arrows(chart: Chart) -> list[Arrow]:
    """The visible arrows between nodes."""
    nodes = {node.id for node in chart.nodes}
    return [a for a in chart.arrows if a.stroke != "invisible" and a.tail in nodes and a.head in nodes]


def _find_neighbours(arrows: Sequence[Arrow]) -> dict[str, set[str]]:
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for arrow in arrows:
        if arrow.tail != arrow.head:
            neighbours[arrow.tail].add(arrow.head)
            neighbours[arrow.head].add(arrow.tail)
    return neighbours


def find_wide(chart: Chart) -> Iterator[Granule]:
    """Around each node the four, five or six that are nearest by visible arrows, it among them; no set twice."""
    order = {node.id: i for i, node in enumerate(chart.nodes)}
    arrows = _list_arrows(chart)
    neighbours = _find_neighbours(arrows)
    seen: set[frozenset[str]] = set()
    for place, centre in enumerate(order):
        reached = [centre]
        for node in reached:
            reached += sorted(neighbours.get(node, set()).difference(reached), key=order.__getitem__)
        chosen = frozenset(reached[: _WIDE[place % len(_WIDE)]])
        if len(chosen) >= _WIDE[0] and chosen not in seen:
            seen.add(chosen)
            yield _cut_set(chart, chosen, arrows)


def find_subgraphs(chart: Chart) -> Iterator[Granule]:
    """Each subgraph of a few nodes in its frame, with the nodes next to it."""
    arrows = _list_arrows(chart)
    neighbours = _find_neighbours(arrows)
    for subgraph in chart.subgraphs:
        members = [node.id for node in chart.nodes if node.id in subgraph.members]
        around = [n.id for n in chart.nodes if n.id not in members and neighbours.get(n.id, set()) & set(members)]
        nodes = frozenset([*members, *around][: len(_NAMES)])
        if not 2 <= len(members) <= _MOST_MEMBERS or len(nodes) < 3:
            continue
        plain = _cut_set(chart, nodes, arrows)
        names = dict(zip(plain.nodes, _NAMES, strict=False))
        frame = Subgraph("S", subgraph.title, tuple(names[m] for m in members), subgraph.markdown)
        framed = replace(plain.chart, subgraphs=(frame,))
        yield Granule(framed, plain.nodes, key_any_chart(framed))


def _cut_set(chart: Chart, chosen: frozenset[str], arrows: Sequence[Arrow]) -> Granule:
    nodes = tuple(node.id for node in chart.nodes if node.id in chosen)
    return cut_granule(chart, nodes, [a for a in arrows if a.tail in chosen and a.head in chosen])


def cut_granule(chart: Chart, nodes: tuple[str, ...], arrows: Sequence[Arrow]) -> Granule:
    """The granule of ``nodes`` with ``arrows``, renamed and without style."""
    names = dict(zip(nodes, _NAMES, strict=False))
    small = Chart(
        "TB",
        tuple(_plain_node(chart.node(identifier), name) for identifier, name in names.items()),
        tuple(Arrow(names[a.tail], names[a.head], a.label, a.markdown, a.start, a.end, a.stroke) for a in arrows),
    )
    return Granule(small, nodes, key_any_chart(small))


def _plain_node(node: Node, name: str) -> Node:
    shape = node.shape if node.shape is not None or node.markdown else "square"
    return replace(node, id=name, shape=shape, styles=(), classes=())


def key_chart(chart: Chart) -> str:
    """A content hash of a small chart that does not depend on the order of its nodes and arrows, nor on the end from
    which an arrow is told."""
    nodes = [(read_label(n.label, n.markdown), n.shape or "") for n in chart.nodes]
    index = {n.id: i for i, n in enumerate(chart.nodes)}
    arrows = [point_forward(arrow) for arrow in chart.arrows]
    forms = []
    # Where no two nodes look alike, one order stands for all.
    alike = len(set(nodes)) < len(nodes)
    ranked = sorted(range(len(nodes)), key=nodes.__getitem__)
    for order in permutations(ranked) if alike else [tuple(ranked)]:
        place = {old: new for new, old in enumerate(order)}
        at = {identifier: place[i] for identifier, i in index.items()}
        told = [begin_first(arrow, at) for arrow in arrows]
        edges = sorted(
            [at[a.tail], at[a.head], a.start, a.end, read_label(a.label, a.markdown), a.stroke] for a in told
        )
        forms.append(([list(nodes[i]) for i in order], edges))
    return content_id("flowchart granule", min(forms, key=repr))


_SMALL = 6
"""Charts of at most so many nodes are told apart from their reorderings by `key_chart`."""


def is_small(chart: Chart) -> bool:
    """Whether `key_chart` names it."""
    return len(chart.nodes) <= _SMALL and not chart.subgraphs


def key_any_chart(chart: Chart) -> str:
    """The identity of a chart as an anchor: of its graph for small ones, of its code for the others."""
    if is_small(chart):
        return key_chart(chart)
    return content_id("flowchart chart", write_code(chart))


_FINDERS = {"triplets": find_triplets, "wide": find_wide, "subgraphs": find_subgraphs}


def list_pieces(chart: Chart, settings: FlowchartSettings) -> Iterator[tuple[Chart, str]]:
    """The charts that become anchors, with their keys: the granules asked for, or the chart itself."""
    if not settings.granulate:
        yield chart, key_any_chart(chart)
        return
    for kind in settings.granules:
        for granule in _FINDERS[kind](chart):
            yield granule.chart, granule.key


def list_keys(chart: Chart, key: str, settings: FlowchartSettings) -> list[str]:
    """What must not be in two splits: a piece's own key and those of the triplets in it."""
    return [key, *(triplet.key for triplet in find_triplets(chart))] if settings.granulate else [key]
