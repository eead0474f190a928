"""Worlds of charts: sets of which the anchor is one member as good as any.

Two slots are crossed: how the nodes are joined (as in the anchor, or after an edit of its arrows or nodes), and which
steps they are (the anchor's, or one of them replaced by another step of the same source). Each way of joining goes with
each naming, so that none of the members lies nearer to all others because they were made of it. What is left of the
anchor's place in its set - whether it is the longest, the middle, the only fork - is counted, and evened over the
corpus by the choice among several worlds of each anchor (`counterfoil.tasks.flowchart.edits.choice`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from counterfoil.tasks.flowchart.chart.difference import list_changes, show_chart
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.edits.answers import find_ends, turn_answer
from counterfoil.tasks.flowchart.edits.habits import is_question
from counterfoil.tasks.flowchart.edits.plans import ChartEdit
from counterfoil.tasks.flowchart.edits.pool import EditedChart, list_steps, make_edit
from counterfoil.tasks.flowchart.edits.profile import name_form, split_words

WORLDS = 16
"""Worlds that are drawn of an anchor."""
READING = 0.3
"""The share of a set's negatives that differ in words alone."""
_NAMINGS = 4
_PLACE, _READING = 12, 0.5
"""How much it counts where an anchor stands in its set, and how many negatives differ in words alone."""
_MIDDLE = 3
"""How much more it counts whether it is in the middle."""
_NEAREST = 3
_SIZED = 0.8
"""The share of worlds in which no arrow comes or goes, where there is enough else."""

Naming = tuple[str, str]
"""A node and the step that takes its place."""


@dataclass(frozen=True)
class World:
    """The members of a set but the anchor, and what gives the anchor away among them."""

    members: tuple[EditedChart, ...]
    place: Counter[str]


def draw_worlds(
    chart: Chart, edits: Sequence[EditedChart], steps: Sequence[str], count: int, rng: np.random.Generator
) -> list[World]:
    """Worlds of at most ``count`` negatives each, as large as the chart has room for, no two of the same members.

    Args:
        edits: what the chart's nodes may be joined as, none of which replaces a step.
        steps: those that may come, as often as they stand in other charts of the source.
    """
    drawn: dict[frozenset[ChartEdit], list[EditedChart]] = {}
    alone = {edit.plan: reads_alone(chart, edit) for edit in edits}
    crossed = _Crossed(chart, edits[0].order if edits else 0)
    for _ in range(WORLDS):
        members = _draw_world(chart, edits, alone, steps, count, rng, crossed)
        drawn.setdefault(frozenset(member.plan for member in members), members)
    most = max(map(len, drawn), default=0)
    measured = _Measured(chart)
    return [World(tuple(each), measured.place(each)) for key, each in drawn.items() if len(key) == most > 0]


class _Crossed:
    """Edits with another step in a node's place, each made once."""

    def __init__(self, chart: Chart, order: int) -> None:
        self._chart, self._order = chart, order
        self._made: dict[ChartEdit, EditedChart] = {}

    def make(self, plan: ChartEdit, naming: Naming | None) -> EditedChart:
        whole = plan if naming is None else replace(plan, renamed=(naming,))
        if whole not in self._made:
            self._made[whole] = make_edit(self._chart, whole, self._order)
        return self._made[whole]


def _draw_world(
    chart: Chart,
    edits: Sequence[EditedChart],
    alone: dict[ChartEdit, bool],
    steps: Sequence[str],
    count: int,
    rng: np.random.Generator,
    crossed: _Crossed,
) -> list[EditedChart]:
    least = 1 if rng.random() < 0.5 else 2
    namings = _draw_namings(chart, steps, min(max(ceil((count + 1) / (len(edits) + 1)), least), _NAMINGS) - 1, rng)
    joined = ceil((count + 1) / (len(namings) + 1)) - 1
    # Some worlds have more that differ in words alone, some fewer: the corpus is evened by the choice among them.
    weights = rng.random() * np.array([alone[edit.plan] for edit in edits], float) + rng.random(len(edits))
    if rng.random() < _SIZED:
        weights += [2.0 * (len(edit.sight.arrows) != len(chart.arrows)) for edit in edits]
    plans = [ChartEdit(), *(edits[int(place)].plan for place in np.argsort(weights, kind="stable")[:joined])]
    members = [(plan, naming) for plan in plans for naming in (None, *namings) if plan != ChartEdit() or naming]
    kept = sorted(int(place) for place in rng.permutation(len(members))[:count])
    return [crossed.make(*members[place]) for place in kept]


def _draw_namings(chart: Chart, steps: Sequence[str], count: int, rng: np.random.Generator) -> list[Naming]:
    """So many namings, none twice."""
    places = _list_places(chart)
    found: dict[Naming, None] = {}
    for _ in range(4 * count if places and steps else 0):
        if len(found) < count:
            found[places[int(rng.integers(len(places)))], steps[int(rng.integers(len(steps)))]] = None
    return list(found)


def _list_places(chart: Chart) -> list[str]:
    """The steps that another may take the place of: nothing that arrows say belongs to them alone."""
    left = Counter(find_ends(arrow)[0] for arrow in chart.arrows)
    said = {find_ends(a)[0] for a in chart.arrows if a.label and not turn_answer(read_label(a.label, a.markdown))}
    return [node.id for node in list_steps(chart) if left[node.id] <= 1 and node.id not in said]


def reads_alone(chart: Chart, edit: EditedChart) -> bool:
    """Whether an edit changes words and nothing else."""
    return [*list_changes(show_chart(chart), show_chart(edit.edited))] == ["label"]


class _Measured:
    """Where an anchor stands in its sets; each member is measured once."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._known: dict[int, tuple[np.ndarray, list[str], str, bool]] = {}
        self._own = self._measure(chart)

    def _measure(self, chart: Chart) -> tuple[np.ndarray, list[str], str, bool]:
        labels = {node.id: read_label(node.label, node.markdown) for node in chart.nodes}
        asking = {node.id for node in chart.nodes if is_question(node)}
        ends = [each for each in map(find_ends, chart.arrows) if each[0] in labels and each[1] in labels]
        entered, left = Counter(head for _, head in ends), Counter(tail for tail, _ in ends)
        roots = [node for node in labels if not entered[node]]
        sizes = {node: len(label) for node, label in labels.items()}
        numbers = [
            sum(sizes[tail] + sizes[head] for tail, head in ends),
            max((sizes[tail] + sizes[head] for tail, head in ends), default=0),
            min((sizes[tail] + sizes[head] for tail, head in ends), default=0),
            max((sizes[node] for node in roots), default=0),
            max((sizes[node] for node in labels if not left[node]), default=0),
            sizes[chart.nodes[0].id],
            sum(sizes.values()),
            len({word for label in labels.values() for word in split_words(label)}),
            len(ends),
            sum(bool(arrow.label) for arrow in chart.arrows),
            sum(node in asking for node in roots),
            sum(left[node] for node in asking),
        ]
        said = [labels[node] for each in ends for node in each]
        return np.array(numbers, np.int64), said, name_form(chart), False

    def place(self, members: Sequence[EditedChart]) -> Counter[str]:
        """What there is more of in the anchor than in its set, on average; and how far the set is from having the share
        of negatives that differ in words alone."""
        known = [self._own, *(self._recall(member) for member in members)]
        numbers = np.stack([each[0] for each in known])
        found: Counter[str] = Counter()
        for column, values in enumerate(numbers.T):
            _even(found, f"place {column}", _name_places(values))
        for name, apart in (("letters", _compare_letters), ("words", _compare_words)):
            for which, values in zip(("far", "near"), _summarise(apart([each[1] for each in known])), strict=True):
                _even(found, f"{which} by {name}", _name_places(values), times=_MIDDLE)
        _even(found, "form", [each[2] for each in known])
        read = sum(each[3] for each in known[1:])
        found["words alone"] = round(_READING * 10 * (read - READING * len(members)))
        return found

    def _recall(self, member: EditedChart) -> tuple[np.ndarray, list[str], str, bool]:
        if id(member) not in self._known:
            numbers, words, form, _ = self._measure(member.edited)
            self._known[id(member)] = numbers, words, form, reads_alone(self._chart, member)
        return self._known[id(member)]


def _even(found: Counter[str], name: str, sorts: Sequence[str], times: int = 1) -> None:
    """Count the anchor's sort, the first, less the share that each sort has of the set."""
    for sort, count in Counter(sorts).items():
        found[f"{name} {sort}"] += round(_PLACE * times * ((sort == sorts[0]) - count / len(sorts)))


def _name_places(values: np.ndarray) -> list[str]:
    """Of each value whether it is among the least, the most or those between; ties are shared."""
    less = (values[None, :] < values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1) - 1
    stands = (2 * less + equal) / (2 * max(len(values) - 1, 1))
    return [f"{min(int(4 * each), 3)}" for each in stands]


def _compare_letters(said: Sequence[Sequence[str]]) -> np.ndarray:
    """How many letters of one there are more than of the other, by the labels they are in; (members, members)."""
    names = {name: place for place, name in enumerate(dict.fromkeys(name for each in said for name in each))}
    table = np.zeros((len(said), len(names)), np.int64)
    for row, each in enumerate(said):
        for name in each:
            table[row, names[name]] += len(name)
    found: np.ndarray = np.abs(table[:, None, :] - table[None, :, :]).sum(axis=2)
    return found


def _compare_words(said: Sequence[Sequence[str]]) -> np.ndarray:
    """How many words stand otherwise, sentence by sentence; (members, members)."""
    names = {name: place for place, name in enumerate(dict.fromkeys(name for each in said for name in each))}
    longest = max(map(len, said), default=0)
    table = np.full((len(said), longest), -1)
    sizes = np.zeros((len(said), longest), np.int64)
    for row, each in enumerate(said):
        table[row, : len(each)] = [names[name] for name in each]
        sizes[row, : len(each)] = [len(name.split()) for name in each]
    differ = table[:, None, :] != table[None, :, :]
    found: np.ndarray = (differ * np.maximum(sizes[:, None, :], sizes[None, :, :])).sum(axis=2)
    return found


def _summarise(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each member's distance from all others, and from the three nearest, in all."""
    ordered = np.sort(apart, axis=1)[:, 1:]
    return ordered.sum(axis=1), ordered[:, :_NEAREST].sum(axis=1)
