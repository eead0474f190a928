"""A plan: what of a chart is changed, and the chart after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from storage.rows import Edit
from tasks.flowchart.chart.graph import Arrow, Chart
from tasks.flowchart.chart.labels import read_label

Permutation = tuple[int, ...]
"""``p[i]`` is the node that comes to where node i was."""


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
    flipped: bool = False


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
    edited = replace(edited, arrows=tuple(a for i, a in enumerate(arrows) if i not in plan.dropped))
    return edited.flip() if plan.flipped else edited


def place_nodes(chart: Chart, plan: ChartEdit) -> Chart:
    """The chart with its nodes where the plan puts them; arrows stay where they are."""
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
    return tuple(edits)


def describe_move(chart: Chart, moved: Permutation, labels_alone: bool = False) -> list[Edit]:
    """One edit for each node that is replaced: ``swap_labels`` where no shape changes, else ``swap_nodes``."""
    pairs = [(chart.nodes[i], chart.nodes[j]) for i, j in enumerate(moved) if i != j]
    kind = "swap_labels" if labels_alone or all(a.shape == b.shape for a, b in pairs) else "swap_nodes"
    labels = [(read_label(a.label, a.markdown), read_label(b.label, b.markdown)) for a, b in pairs]
    return [Edit(kind, one, other) for one, other in labels if one != other]
