"""A plan: what of a chart is changed, and the chart after it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from counterfoil.storage.rows import Edit
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.order import point_forward

Permutation = tuple[int, ...]
"""``p[i]`` is the node that comes to where node i was."""


@dataclass(frozen=True, slots=True)
class Structure:
    """Nodes and arrows that come and go, in the chart after its other edits, in this order."""

    merged: tuple[str, ...] = ()
    """Ids of nodes that go: what led to one leads to where it led; where it led nowhere, or nothing led there, its
    arrows go with it."""
    inserted: tuple[tuple[int, str], ...] = ()
    """Arrows in whose middle a step comes to stand, with its label."""
    added: tuple[tuple[str, str, str], ...] = ()
    """Tail, head and label of arrows that come."""


@dataclass(frozen=True, slots=True)
class ChartEdit:
    """Edits of one chart; ``turned``, ``rewired`` and ``dropped`` name its arrows by their indices."""

    moved: Permutation | None = None
    labels_alone: bool = False
    """Whether labels move out of their shapes (the paper's edit); else nodes move whole, with their answers."""
    turned: tuple[int, ...] = ()
    rewired: tuple[tuple[int, str, str], ...] = ()
    """Arrows with the ids of the tail and the head that they get."""
    dropped: tuple[int, ...] = ()
    answers: tuple[int, int] | None = None
    """Two arrows that exchange their labels."""
    said: tuple[tuple[int, str], ...] = ()
    """Arrows with the labels that they get, as they leave another node; '' for none."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Nodes whose place another step takes, by their ids, with its label."""
    structure: Structure = Structure()
    flipped: bool = False


def pack_plan(plan: ChartEdit) -> str:
    """A plan as a line of text.

    >>> unpack_plan(pack_plan(ChartEdit(turned=(1,)))) == ChartEdit(turned=(1,))
    True
    """
    return json.dumps(_pack(plan), separators=(",", ":"), ensure_ascii=False)


def _pack(plan: ChartEdit | Structure) -> dict[str, Any]:
    """What differs from a plan that changes nothing."""
    values = {each.name: getattr(plan, each.name) for each in fields(plan) if getattr(plan, each.name) != each.default}
    return {name: _pack(value) if isinstance(value, Structure) else value for name, value in values.items()}


def unpack_plan(text: str) -> ChartEdit:
    """The plan that `pack_plan` wrote."""
    values = {name: _freeze(value) for name, value in json.loads(text).items() if name != "structure"}
    structure = {name: _freeze(value) for name, value in json.loads(text).get("structure", {}).items()}
    return ChartEdit(**values, structure=Structure(**structure))


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def apply_edit(chart: Chart, plan: ChartEdit) -> Chart:
    """The chart after a plan."""
    edited = place_nodes(chart, plan)
    arrows = list(edited.arrows)
    for index, tail, head in plan.rewired:
        arrows[index] = replace(arrows[index], tail=tail, head=head)
    if plan.answers:
        one, other = plan.answers
        arrows[one], arrows[other] = take_label(arrows[one], arrows[other]), take_label(arrows[other], arrows[one])
    for index, label in plan.said:
        arrows[index] = replace(arrows[index], label=label, markdown=False)
    for index in plan.turned:
        arrows[index] = replace(arrows[index], start=arrows[index].end, end=arrows[index].start)
    kept = {i: arrow for i, arrow in enumerate(arrows) if i not in plan.dropped}
    edited = rebuild(replace(edited, arrows=()), kept, plan.structure)
    return edited.flip() if plan.flipped else edited


def rebuild(chart: Chart, arrows: Mapping[int, Arrow], structure: Structure) -> Chart:
    """The chart with ``arrows``, known by their numbers, after its nodes and arrows have come and gone."""
    nodes, left = list(chart.nodes), {i: [point_forward(arrow)] for i, arrow in arrows.items()}
    if structure == Structure():
        return replace(chart, arrows=tuple(arrows.values()))
    for gone in structure.merged:
        left = _merge(left, gone)
        nodes = [node for node in nodes if node.id != gone]
    for index, label in structure.inserted:
        first, *rest = left[index]
        step = Node(_find_name(nodes), label, _shape_step(nodes, first))
        nodes.append(step)
        left[index] = [
            replace(first, head=step.id),
            Arrow(step.id, first.head, end=first.end, stroke=first.stroke),
            *rest,
        ]
    added = [Arrow(*each) for each in structure.added]
    return replace(chart, nodes=tuple(nodes), arrows=(*(arrow for each in left.values() for arrow in each), *added))


def find_onward(arrows: Iterable[Arrow], node: str) -> str | None:
    """Where the only arrow leads that leaves a node which another one enters."""
    each = list(map(point_forward, arrows))
    onward = [arrow.head for arrow in each if arrow.tail == node]
    return onward[0] if len(onward) == 1 and any(arrow.head == node for arrow in each) else None


def _merge(arrows: Mapping[int, list[Arrow]], gone: str) -> dict[int, list[Arrow]]:
    every = [arrow for each in arrows.values() for arrow in each]
    onward = find_onward(every, gone)
    closed = {arrow.tail for arrow in every if arrow.head == onward} | {onward, gone}
    return {
        index: [
            replace(arrow, head=onward) if arrow.head == gone and onward else arrow
            for arrow in each
            if arrow.tail != gone and (arrow.head != gone or (onward is not None and arrow.tail not in closed))
        ]
        for index, each in arrows.items()
    }


def _find_name(nodes: Sequence[Node]) -> str:
    taken = {node.id for node in nodes}
    return next(name for i in range(len(nodes) + 1) if (name := f"N{i}") not in taken)


_STEPS = frozenset({"square", "round", "subroutine", "lean_right", "lean_left", "cylinder"})


def _shape_step(nodes: Sequence[Node], arrow: Arrow) -> str:
    """The shape of a step that comes to stand on an arrow: that of the step it leads to, or comes from."""
    shapes = {node.id: node.shape for node in nodes}
    near = (shapes.get(arrow.head), shapes.get(arrow.tail))
    return next((shape for shape in near if shape in _STEPS), "square")


def place_nodes(chart: Chart, plan: ChartEdit) -> Chart:
    """The chart with its nodes where the plan puts them; arrows stay where they are."""
    if plan.renamed:
        names = dict(plan.renamed)
        nodes = tuple(replace(n, label=names[n.id], markdown=False) if n.id in names else n for n in chart.nodes)
        return place_nodes(replace(chart, nodes=nodes), replace(plan, renamed=()))
    if plan.moved is None:
        return chart
    if plan.labels_alone:
        return chart.relabel({node.id: chart.nodes[plan.moved[i]].id for i, node in enumerate(chart.nodes)})
    nodes = tuple(
        chart.nodes[j] if i == j else replace(chart.nodes[j], id=node.id)
        for i, (node, j) in enumerate(zip(chart.nodes, plan.moved, strict=True))
    )
    return replace(chart, nodes=nodes, arrows=_carry_answers(chart, plan.moved))


def _carry_answers(chart: Chart, moved: Permutation) -> tuple[Arrow, ...]:
    """The arrows with their labels moved along with the nodes that they leave, where all of them find an arrow."""
    if not any(arrow.label for arrow in chart.arrows):
        return chart.arrows
    leaving: dict[str, list[int]] = {node.id: [] for node in chart.nodes}
    for index, arrow in enumerate(chart.arrows):
        leaving.setdefault(arrow.tail, []).append(index)
    arrows = list(chart.arrows)
    for node, j in zip(chart.nodes, moved, strict=True):
        said = [chart.arrows[i] for i in leaving[chart.nodes[j].id] if chart.arrows[i].label]
        places = leaving[node.id]
        if len(said) > len(places):
            return chart.arrows
        for k, index in enumerate(places):
            arrows[index] = take_label(arrows[index], said[k] if k < len(said) else None)
    return tuple(arrows)


def take_label(arrow: Arrow, other: Arrow | None) -> Arrow:
    """``arrow`` with the label of ``other``, or with none."""
    if arrow.label == (other.label if other else "") and arrow.markdown == (other is not None and other.markdown):
        return arrow
    return replace(arrow, label=other.label if other else "", markdown=other.markdown if other else False)


def describe_edit(chart: Chart, plan: ChartEdit) -> tuple[Edit, ...]:
    """The plan as the rows' edits."""
    edits = [Edit("flip", chart.direction, chart.flip().direction)] if plan.flipped else []
    if plan.renamed:
        labels_of = {node.id: read_label(node.label, node.markdown) for node in chart.nodes}
        edits += [Edit("replace_node", labels_of[node], label) for node, label in plan.renamed]
        chart, plan = place_nodes(chart, ChartEdit(renamed=plan.renamed)), replace(plan, renamed=())
    if plan.moved:
        edits += describe_move(chart, plan.moved, plan.labels_alone)
    names = {node.id: read_label(node.label, node.markdown) for node in place_nodes(chart, plan).nodes}
    names.update({s.id: read_label(s.title, s.markdown) for s in chart.subgraphs})

    def name(index: int, turned: bool = False) -> str:
        tail, head = names[chart.arrows[index].tail], names[chart.arrows[index].head]
        return f"{head} -> {tail}" if turned else f"{tail} -> {head}"

    edits += [Edit("reverse_arrow", name(i), name(i, True)) for i in plan.turned]
    edits += [Edit("rewire_arrow", name(i), f"{names[tail]} -> {names[head]}") for i, tail, head in plan.rewired]
    edits += [Edit("remove_arrow", name(i), "") for i in plan.dropped]
    if plan.answers:
        one, other = (read_label(chart.arrows[i].label, chart.arrows[i].markdown) for i in plan.answers)
        edits += [Edit("exchange_answers", one, other)]
    labels = {i: read_label(arrow.label, arrow.markdown) for i, arrow in enumerate(place_nodes(chart, plan).arrows)}
    edits += [Edit("change_answer", labels[index], label) for index, label in plan.said]
    return (*edits, *_describe_structure(chart, plan, names))


def _describe_structure(chart: Chart, plan: ChartEdit, names: Mapping[str, str]) -> Iterator[Edit]:
    """Nodes and arrows that come and go; a node is merged with the one that it led to."""
    arrows = apply_edit(chart, replace(plan, structure=Structure(), flipped=False)).arrows
    for gone in plan.structure.merged:
        onward = find_onward(arrows, gone)
        yield (
            Edit("remove_node", names[gone], "") if onward is None else Edit("merge_nodes", names[gone], names[onward])
        )
    for index, label in plan.structure.inserted:
        yield Edit("insert_node", f"{names[chart.arrows[index].tail]} -> {names[chart.arrows[index].head]}", label)
    for tail, head, label in plan.structure.added:
        yield Edit("add_arrow", "", f"{names[tail]} -> {names[head]}")
        if label:
            yield Edit("change_answer", "", label)


def describe_move(chart: Chart, moved: Permutation, labels_alone: bool = False) -> list[Edit]:
    """One edit for each node that is replaced: ``swap_labels`` where no shape changes, else ``swap_nodes``."""
    pairs = [(chart.nodes[i], chart.nodes[j]) for i, j in enumerate(moved) if i != j]
    kind = "swap_labels" if labels_alone or all(a.shape == b.shape for a, b in pairs) else "swap_nodes"
    labels = [(read_label(a.label, a.markdown), read_label(b.label, b.markdown)) for a, b in pairs]
    return [Edit(kind, one, other) for one, other in labels if one != other]
