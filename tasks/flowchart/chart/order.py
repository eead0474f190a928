"""The order in which a chart is written, drawn from its graph and a seed alone.

Authors write Yes before No, the first branch first, and name nodes as they go along: an edit that exchanges what they
wrote breaks such an order, and would be known by it alone in the code, in the sentences of a caption and in the layout,
which follows the code. So neither side keeps its author's order. Nodes come as one walks from where nothing enters;
branches, and whatever else nothing puts first, come in an order drawn by chance; arrows by the nodes that they join.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from string import ascii_uppercase

import numpy as np

from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart


def arrange(chart: Chart, rng: np.random.Generator) -> Chart:
    """The chart in such an order, its nodes named by it: A, B, C... (N1, N2... of more than 26).

    The same graph gives every order that it may have as often, whatever order it comes in.
    """
    arrows = tuple(point_forward(arrow) for arrow in chart.arrows)
    order = _walk(chart, arrows, rng)
    names = _name(order, chart)
    subgraphs = tuple(replace(s, members=_sort(s.members, names, order)) for s in chart.subgraphs)
    place = {identifier: i for i, identifier in enumerate([*order, *(s.id for s in chart.subgraphs)])}
    ahead = [begin_first(arrow, place) for arrow in arrows]
    drawn = [ahead[int(i)] for i in rng.permutation(len(ahead))]
    drawn.sort(key=lambda arrow: (place[arrow.tail], place[arrow.head]))
    return replace(
        chart,
        nodes=tuple(replace(chart.node(identifier), id=names[identifier]) for identifier in order),
        arrows=tuple(replace(a, tail=names.get(a.tail, a.tail), head=names.get(a.head, a.head)) for a in drawn),
        subgraphs=subgraphs,
    )


def point_forward(arrow: Arrow) -> Arrow:
    """The arrow told from its tail, where it has one."""
    if arrow.start and not arrow.end:
        return replace(arrow, tail=arrow.head, head=arrow.tail, start=arrow.end, end=arrow.start)
    return arrow


def begin_first(arrow: Arrow, place: Mapping[str, int]) -> Arrow:
    """A line that has no tail, told from the end that comes first."""
    if bool(arrow.start) == bool(arrow.end) and place[arrow.head] < place[arrow.tail]:
        return replace(arrow, tail=arrow.head, head=arrow.tail, start=arrow.end, end=arrow.start)
    return arrow


def _walk(chart: Chart, arrows: tuple[Arrow, ...], rng: np.random.Generator) -> list[str]:
    """The nodes' ids, level by level."""
    nodes = [node.id for node in chart.nodes]
    following: dict[str, list[str]] = {node: [] for node in nodes}
    entered = set()
    for arrow in arrows:
        for tail, head in ((arrow.tail, arrow.head), (arrow.head, arrow.tail)):
            if tail in following and head in following and head not in following[tail]:
                following[tail].append(head)
            if bool(arrow.start) != bool(arrow.end):
                entered |= {head} - {tail}
                break
    left = [nodes[int(i)] for i in rng.permutation(len(nodes))]
    order = [node for node in left if node not in entered]
    known = set(order)
    at = 0
    while len(order) < len(nodes):
        if at == len(order):
            order.append(next(node for node in left if node not in known))
            known.add(order[-1])
        around = [node for node in following[order[at]] if node not in known]
        order += [around[int(i)] for i in rng.permutation(len(around))]
        known.update(around)
        at += 1
    return order


def _name(order: list[str], chart: Chart) -> dict[str, str]:
    taken = {subgraph.id for subgraph in chart.subgraphs} | {arrow.id for arrow in chart.arrows}
    names = list(ascii_uppercase) if len(order) <= len(ascii_uppercase) else []
    if not names or taken & set(names[: len(order)]):
        names = [name for i in range(1, len(order) + len(taken) + 1) if (name := f"N{i}") not in taken]
    return dict(zip(order, names, strict=False))


def _sort(members: tuple[str, ...], names: dict[str, str], order: list[str]) -> tuple[str, ...]:
    """A subgraph's nodes in order, then what it holds besides."""
    inside = set(members)
    return (*(names[each] for each in order if each in inside), *(each for each in members if each not in names))
