"""What differs between two charts as they are shown, by the kinds of `counterfoil.storage.changes`.

Two charts that are one when nothing is read, shapes being seen, differ in words alone: they stand elsewhere or are
others. Else an arrow joins other boxes or points the other way, and there may be other boxes, or more of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import squeeze
from counterfoil.tasks.flowchart.chart.sight import Sight, same_sight, see_chart


@dataclass(frozen=True, slots=True)
class Shown:
    """A chart as a row shows it, or speaks of it."""

    sight: Sight
    shapes: tuple[str, ...] = ()
    """Of the boxes, in the order of the sight."""

    def list_boxes(self) -> Counter[tuple[str, str]]:
        """The boxes by their labels and shapes."""
        return Counter(zip(map(squeeze, self.sight.labels), self.shapes, strict=False))


def show_chart(chart: Chart) -> Shown:
    """What a drawing of a chart shows."""
    return Shown(
        see_chart(chart), tuple(node.shape or "square" for node in chart.nodes) + ("frame",) * len(chart.subgraphs)
    )


def list_changes(own: Shown, other: Shown) -> Iterator[str]:
    """The kinds of what differs between two charts, each once."""
    one, two = own.sight, other.sight
    if len(one.labels) != len(two.labels):
        yield "node"
    if (len(one.labels), len(one.arrows)) != (len(two.labels), len(two.arrows)):
        yield "count"
    boxes, other_boxes = own.list_boxes(), other.list_boxes()
    if any(label in {label for label, _ in other_boxes} for label, _ in boxes - other_boxes):
        yield "shape"
    same_form = _has_form_of(own, other)
    said, other_said = (Counter(squeeze(a.label) for a in each.arrows if a.label) for each in (one, two))
    words, other_words = (Counter(map(squeeze, each.labels)) for each in (one, two))
    if same_form or said != other_said or (words != other_words and len(one.labels) == len(two.labels)):
        yield "label"
    if not same_form:
        pairs, other_pairs = _list_pairs(one), _list_pairs(two)
        if pairs.keys() != other_pairs.keys() or len(one.arrows) != len(two.arrows):
            yield "edge"
        if any(pairs[pair] != other_pairs[pair] for pair in pairs.keys() & other_pairs.keys()):
            yield "direction"


def _has_form_of(one: Shown, other: Shown) -> bool:
    """Whether two charts are one when nothing is read and shapes alone are seen."""
    if Counter(one.shapes) != Counter(other.shapes) or _list_degrees(one.sight) != _list_degrees(other.sight):
        return False
    return same_sight(_mute(one), _mute(other))


def _mute(shown: Shown) -> Sight:
    """The chart with its boxes' shapes in place of their words, and nothing said of its arrows."""
    labels = shown.shapes or ("",) * len(shown.sight.labels)
    return Sight(labels, tuple(replace(arrow, label="") for arrow in shown.sight.arrows))


def _list_degrees(sight: Sight) -> list[tuple[int, int]]:
    heads, tails = Counter[int](), Counter[int]()
    for arrow in sight.arrows:
        heads[arrow.head] += bool(arrow.end)
        heads[arrow.tail] += bool(arrow.start)
        tails[arrow.head] += 1
        tails[arrow.tail] += 1
    return sorted((heads[place], tails[place]) for place in range(len(sight.labels)))


def _list_pairs(sight: Sight) -> dict[frozenset[str], Counter[tuple[str, str]]]:
    """The boxes that arrows join, by their labels, with the ends at which these have heads."""
    pairs: dict[frozenset[str], Counter[tuple[str, str]]] = {}
    for arrow in sight.arrows:
        tail, head = squeeze(sight.labels[arrow.tail]), squeeze(sight.labels[arrow.head])
        pointed = pairs.setdefault(frozenset((tail, head)), Counter())
        pointed += Counter([(head, arrow.end)] * bool(arrow.end) + [(tail, arrow.start)] * bool(arrow.start))
        pairs[frozenset((tail, head))] = pointed
    return pairs
