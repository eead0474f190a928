"""The graph model: a flowchart as frozen values, as its code says it.

`Chart` keeps what the code says (labels with their markup, shapes, styles). What a reader sees of it - labels as
painted, arrows with their direction - is a `Sight` (`tasks.flowchart.chart.sight`), read as well from the SVG.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

FLIPPED = {"TB": "BT", "TD": "BT", "BT": "TB", "LR": "RL", "RL": "LR"}


@dataclass(frozen=True, slots=True)
class Node:
    """``label`` is the source text with its entities and markup; ``markdown`` says whether ** and * are markup."""

    id: str
    label: str
    shape: str | None = None
    markdown: bool = False
    styles: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    pictured: bool = field(default=False, compare=False)
    """Whether it shows an image or an icon, which is not drawn: no code of ours says so."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line from ``tail`` to ``head`` (ids of nodes or subgraphs).

    ``start`` and ``end`` are the heads drawn there: '', point, circle or cross. ``stroke`` is normal, thick, dotted
    or invisible, ``length`` the least number of ranks that it spans.
    """

    tail: str
    head: str
    label: str = ""
    markdown: bool = False
    start: str = ""
    end: str = "point"
    stroke: str = "normal"
    length: int = 1
    styles: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    id: str | None = None
    curve: str | None = None
    motion: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A titled group; ``members`` are ids of nodes and of inner subgraphs."""

    id: str
    title: str
    members: tuple[str, ...] = ()
    markdown: bool = False
    direction: str | None = None
    classes: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chart:
    """A flowchart. ``direction`` is TB, BT, LR or RL."""

    direction: str = "TB"
    nodes: tuple[Node, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    subgraphs: tuple[Subgraph, ...] = ()
    class_definitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def node(self, identifier: str) -> Node:
        """The node with this id.

        Raises:
            KeyError: there is none.
        """
        for node in self.nodes:
            if node.id == identifier:
                return node
        raise KeyError(identifier)

    def flip(self) -> Chart:
        """The chart with its flow the other way round (top-down becomes bottom-up), subgraphs included."""
        subgraphs = tuple(
            replace(s, direction=FLIPPED.get(s.direction, s.direction) if s.direction else None) for s in self.subgraphs
        )
        return replace(self, direction=FLIPPED[self.direction], subgraphs=subgraphs)

    def relabel(self, source: Mapping[str, str]) -> Chart:
        """Each node gets the label of the node ``source[its id]``; shapes and arrows stay."""
        labels = {node.id: node for node in self.nodes}
        nodes = tuple(
            replace(n, label=labels[source.get(n.id, n.id)].label, markdown=labels[source.get(n.id, n.id)].markdown)
            for n in self.nodes
        )
        return replace(self, nodes=nodes)

    def same_as(self, other: Chart) -> bool:
        """Whether both codes mean the same graph: order of nodes and of class members aside, everything counts."""
        return self._normal() == other._normal()

    def _normal(self) -> tuple[object, ...]:
        return (
            self.direction,
            sorted(self.nodes, key=lambda n: n.id),
            self.arrows,
            sorted((replace(s, members=tuple(sorted(s.members))) for s in self.subgraphs), key=lambda s: s.id),
            {k: v for k, v in self.class_definitions.items() if v},
        )
