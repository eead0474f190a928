"""What a reader sees of a chart: labelled boxes and the arrows between them, and when two charts look the same.

A `Sight` is read from the code (`see_chart`) and, on its own, from the SVG (`tasks.flowchart.drawing.vector`). Two
sights are the same chart if their boxes can be matched so that labels and arrows agree: an isomorphism with labels
kept. So exchanging the labels of two nodes with the same neighbours, or turning both arrows of a two-cycle, changes
nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart
from counterfoil.tasks.flowchart.chart.labels import read_label, squeeze

MUTE_SHAPES = frozenset(
    {"fork", "join", "hourglass", "collate", "anchor", "sm-circ", "small-circle", "start", "fr-circ", "framed-circle"}
    | {"stop", "f-circ", "filled-circle", "junction", "cross-circ", "crossed-circle", "summary", "bolt", "com-link"}
    | {"lightning-bolt"}
)
"""Shapes that Mermaid draws without their label."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A drawn line: indices of its boxes, the heads at either end, its label and its stroke."""

    tail: int
    head: int
    start: str
    end: str
    label: str
    stroke: str


@dataclass(frozen=True, slots=True)
class Sight:
    """``labels`` of the boxes (nodes, then subgraphs) as painted, and the lines between them."""

    labels: tuple[str, ...]
    arrows: tuple[Seen, ...]


def see_chart(chart: Chart) -> Sight:
    """The sight of a chart by its code. Invisible links are not seen."""
    order = [n.id for n in chart.nodes] + [s.id for s in chart.subgraphs]
    index = {identifier: i for i, identifier in enumerate(order)}
    labels = ["" if n.shape in MUTE_SHAPES else read_label(n.label, n.markdown) for n in chart.nodes]
    labels += [read_label(s.title, s.markdown) for s in chart.subgraphs]
    arrows = tuple(_see_arrow(a, index) for a in chart.arrows if a.stroke != "invisible")
    return Sight(tuple(labels), arrows)


def _see_arrow(arrow: Arrow, index: dict[str, int]) -> Seen:
    label = read_label(arrow.label, arrow.markdown)
    return Seen(index[arrow.tail], index[arrow.head], arrow.start, arrow.end, label, arrow.stroke)


def _canonical(arrow: Seen, names: list[str] | tuple[str, ...] | tuple[int, ...]) -> tuple[object, ...]:
    """An arrow independent of the end it was written from: the headless end first."""
    there = (arrow.start, str(names[arrow.tail]), names[arrow.tail], arrow.end, names[arrow.head])
    back = (arrow.end, str(names[arrow.head]), names[arrow.head], arrow.start, names[arrow.tail])
    first = there if there[:2] <= back[:2] else back
    return (first[2], first[4], first[0], first[3], squeeze(arrow.label), arrow.stroke)


@lru_cache(maxsize=1024)
def outline(sight: Sight) -> tuple[Counter[str], Counter[tuple[object, ...]]]:
    """Labels and arrows by label alone: equal for equal charts, and enough where no label is used twice.

    Not to be written to: an edit is compared with all that its anchor has been offered.
    """
    names = [squeeze(label) for label in sight.labels]
    return Counter(names), Counter(_canonical(a, names) for a in sight.arrows)


def same_sight(one: Sight, other: Sight) -> bool:
    """Whether the two are one chart to a reader: isomorphic with labels, heads, arrow labels and strokes kept."""
    boxes, arrows = outline(one)
    if (boxes, arrows) != outline(other):
        return False
    if all(count == 1 for count in boxes.values()):
        return True
    return _match_duplicates(one, other)


def _match_duplicates(one: Sight, other: Sight) -> bool:
    """Isomorphism where labels repeat: try the assignments of equal labels for small charts, VF2 for large ones."""
    groups: dict[str, tuple[list[int], list[int]]] = {}
    for side, sight in enumerate((one, other)):
        for i, label in enumerate(sight.labels):
            groups.setdefault(squeeze(label), ([], []))[side].append(i)
    repeated = [pair for pair in groups.values() if len(pair[0]) > 1]
    if sum(len(pair[0]) for pair in repeated) > 6:
        return _match_by_vf2(one, other)
    fixed = {pair[0][0]: pair[1][0] for pair in groups.values() if len(pair[0]) == 1}
    identity = list(range(len(other.labels)))
    wanted = Counter(_canonical(a, tuple(identity)) for a in other.arrows)
    return _search(one, repeated, fixed, wanted)


def _search(
    one: Sight, repeated: list[tuple[list[int], list[int]]], fixed: dict[int, int], wanted: Counter[tuple[object, ...]]
) -> bool:
    if not repeated:
        names = tuple(fixed[i] for i in range(len(one.labels)))
        return Counter(_canonical(a, names) for a in one.arrows) == wanted
    left, right = repeated[0]
    return any(
        _search(one, repeated[1:], {**fixed, **dict(zip(left, image, strict=True))}, wanted)
        for image in permutations(right)
    )


def _match_by_vf2(one: Sight, other: Sight) -> bool:
    import networkx
    from networkx.algorithms.isomorphism import GraphMatcher, categorical_node_match

    def build(sight: Sight) -> networkx.Graph:
        # Each arrow is a node of its own, so that ends, labels and parallel arrows all count.
        graph = networkx.Graph()
        for i, label in enumerate(sight.labels):
            graph.add_node(("box", i), kind=("box", squeeze(label)))
        for j, arrow in enumerate(sight.arrows):
            kind = ("arrow", squeeze(arrow.label), arrow.stroke)
            graph.add_node(("arrow", j), kind=kind)
            for side, box, head in (("t", arrow.tail, arrow.start), ("h", arrow.head, arrow.end)):
                graph.add_node((side, j), kind=("end", head))
                graph.add_edge(("arrow", j), (side, j))
                graph.add_edge((side, j), ("box", box))
        return graph

    return bool(GraphMatcher(build(one), build(other), categorical_node_match("kind", None)).is_isomorphic())


def describe_difference(one: Sight, other: Sight) -> str:
    """One line on what differs, for rejects."""
    boxes, arrows = outline(one)
    other_boxes, other_arrows = outline(other)
    if boxes != other_boxes:
        missing, extra = boxes - other_boxes, other_boxes - boxes
        return f"labels differ: {sorted(missing)[:3]} against {sorted(extra)[:3]}"
    missing_arrows, extra_arrows = arrows - other_arrows, other_arrows - arrows
    return f"arrows differ: {sorted(map(str, missing_arrows))[:2]} against {sorted(map(str, extra_arrows))[:2]}"
