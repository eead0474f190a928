"""The charts that a row's edits make of its anchor's, to the letter: code, ids, the order of lines, what arrows say.

The named edits are read back into the plans that they may stand for, and each is made once more, as it was made first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations, product

from counterfoil.storage.rows import Edit
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.edits.answers import Heard, hear_answers, settle_answers
from counterfoil.tasks.flowchart.edits.plans import (
    ChartEdit,
    Permutation,
    Structure,
    apply_edit,
    describe_edit,
    describe_move,
    place_nodes,
)
from counterfoil.tasks.flowchart.edits.pool import arrange_edit

MOVES = ("swap_labels", "swap_nodes")
_ARROWS = ("reverse_arrow", "rewire_arrow", "remove_arrow")
_STRUCTURE = ("remove_node", "merge_nodes", "insert_node", "add_arrow")
_SAYINGS = ("change_answer", "exchange_answers")
_FEW = 4
"""So many nodes are moved in any way, more in pairs alone (`pool.list_moves`)."""
_MOST_PLANS = 500
"""Of edits that name one of many equal labels so many readings are tried."""


def replay(chart: Chart, edits: Sequence[Edit], order: int, *, settled: bool) -> Iterator[Chart]:
    """The charts that the edits may give, each in the order that falls to it.

    Args:
        chart: the anchor's.
        order: what `pool.draw_order` draws for the anchor and the family.
        settled: whether answers are settled where arrows come to leave other nodes (`answers.settle_answers`).
    """
    heard = hear_answers(chart) if settled else None
    for plan in _complete(chart, edits, heard, labels_alone=False):
        yield arrange_edit(chart, plan, order)
        if replace(plan, renamed=(), flipped=False) == ChartEdit():
            yield arrange_edit(chart, plan, 0)  # of a chart that can be edited in no other way


def replay_published(chart: Chart, edits: Sequence[Edit]) -> Iterator[Chart]:
    """The charts that the paper's edits may give: labels leave their shapes, and the order stays."""
    for plan in _complete(chart, edits, None, labels_alone=True):
        yield apply_edit(chart, plan)


def _complete(chart: Chart, edits: Sequence[Edit], heard: Heard | None, *, labels_alone: bool) -> Iterator[ChartEdit]:
    """The plans with what their arrows come to say, that are described by just these edits."""
    exchanged: list[tuple[int, int] | None] = [
        (i, j)
        for edit in edits
        if edit.kind == "exchange_answers"
        for i, j in permutations(range(len(chart.arrows)), 2)
        if (_read_saying(chart, i), _read_saying(chart, j)) == (edit.target, edit.replacement)
    ]
    labels = ["", *(edit.replacement for edit in edits if edit.kind == "change_answer" and not edit.target)]
    plans = list_plans(chart, edits, labels_alone=labels_alone)
    for plan, answers, label in product(plans, exchanged or [None], dict.fromkeys(labels)):
        added = tuple((tail, head, label) for tail, head, _ in plan.structure.added)
        whole = replace(plan, answers=answers, structure=replace(plan.structure, added=added))
        alone = replace(whole, renamed=())
        if heard is not None and replace(alone, flipped=False) != ChartEdit():
            # As it is made: another step comes to where it goes when all else is settled.
            whole = replace(settle_answers(chart, alone, heard), renamed=plan.renamed)
        if describe_edit(chart, whole) == tuple(edits):
            yield whole


def _read_saying(chart: Chart, index: int) -> str:
    return read_label(chart.arrows[index].label, chart.arrows[index].markdown)


def list_plans(chart: Chart, edits: Sequence[Edit], *, labels_alone: bool) -> Iterator[ChartEdit]:
    """The plans that the edits may stand for, of two equal labels either; what arrows come to say is left out."""
    named = tuple(edit for edit in edits if edit.kind not in _SAYINGS)
    told = [edit for edit in edits if edit.kind in _ARROWS]
    flipped = any(edit.kind == "flip" for edit in edits)
    readings = (
        replace(full, renamed=renamed, structure=structure)
        for renamed in _list_renamed(chart, [edit for edit in edits if edit.kind == "replace_node"])
        for base in (place_nodes(chart, ChartEdit(renamed=renamed)),)
        for moved in _list_moves(base, [edit for edit in edits if edit.kind in MOVES], labels_alone)
        for full in _list_arrows(base, ChartEdit(moved, labels_alone, flipped=flipped), told)
        for structure in _list_structures(base, full, edits)
    )
    return (plan for plan in islice(readings, _MOST_PLANS) if describe_edit(chart, plan) == named)


def _list_moves(chart: Chart, edits: Sequence[Edit], labels_alone: bool) -> Iterator[Permutation | None]:
    """Ways to move nodes that are described so: of a few any, of more those that exchange two."""
    if not edits:
        yield None
        return
    labels = [read_label(node.label, node.markdown) for node in chart.nodes]
    identity = tuple(range(len(labels)))
    named = {label for edit in edits for label in (edit.target, edit.replacement)}
    pairs = combinations([i for i in identity if labels[i] in named], 2)
    exchanges = (tuple({one: other, other: one}.get(i, i) for i in identity) for one, other in pairs)
    for moved in permutations(identity) if len(identity) <= _FEW else exchanges:
        if describe_move(chart, moved, labels_alone) == list(edits):
            yield moved


def _list_arrows(chart: Chart, plan: ChartEdit, told: Sequence[Edit]) -> Iterator[ChartEdit]:
    """The plan with its edits of arrows, each of any arrow that is called so."""
    placed = place_nodes(chart, plan)
    names = _name_ends(placed)
    called = [f"{names[arrow.tail]} -> {names[arrow.head]}" for arrow in placed.arrows]
    for chosen in product(*([i for i, name in enumerate(called) if name == edit.target] for edit in told)):
        places = {kind: [i for e, i in zip(told, chosen, strict=True) if e.kind == kind] for kind in _ARROWS}
        if any(len(set(each)) < len(each) for each in places.values()):
            continue
        joins = [edit.replacement for edit in told if edit.kind == "rewire_arrow"]
        for ends in product(*(_list_ends(placed, join) for join in joins)):
            rewired = tuple((i, *end) for i, end in zip(places["rewire_arrow"], ends, strict=True))
            yield replace(
                plan, turned=tuple(places["reverse_arrow"]), rewired=rewired, dropped=tuple(places["remove_arrow"])
            )


def _list_renamed(chart: Chart, edits: Sequence[Edit]) -> Iterator[tuple[tuple[str, str], ...]]:
    """The nodes whose places other steps take, each of any node that is called so."""
    if not all(_is_step(edit.replacement) for edit in edits):
        return
    for nodes in product(*(_find_nodes(chart, edit.target) for edit in edits)):
        if len(set(nodes)) < len(nodes):
            continue
        yield tuple((node, edit.replacement) for node, edit in zip(nodes, edits, strict=True))


def _is_step(label: str) -> bool:
    """Whether a label is as steps are that come from other charts: it reads as it is written."""
    return read_label(label) == label


def _find_nodes(chart: Chart, name: str) -> list[str]:
    return [node.id for node in chart.nodes if read_label(node.label, node.markdown) == name]


def _list_structures(chart: Chart, plan: ChartEdit, edits: Sequence[Edit]) -> Iterator[Structure]:
    """What nodes or arrows may come or go, each of any that is called so; no edit of ours does two of it."""
    placed = place_nodes(chart, plan)
    names = _name_ends(placed)
    called = [f"{names[arrow.tail]} -> {names[arrow.head]}" for arrow in placed.arrows]
    merged = [_find_nodes(placed, edit.target) for edit in edits if edit.kind in ("remove_node", "merge_nodes")]
    inserted = [
        [(i, edit.replacement) for i, name in enumerate(called) if name == edit.target and i not in plan.dropped]
        for edit in edits
        if edit.kind == "insert_node" and _is_step(edit.replacement)
    ]
    added = [
        [(*ends, "") for ends in _list_ends(placed, edit.replacement)] for edit in edits if edit.kind == "add_arrow"
    ]
    if sum(map(bool, (merged, inserted, added))) > 1:
        return
    for gone, come, joined in product(product(*merged), product(*inserted), product(*added)):
        yield Structure(gone, come, joined)


def _list_ends(chart: Chart, join: str) -> list[tuple[str, str]]:
    """The pairs of nodes that ``join`` ("Start -> Dry it") names."""
    names = {node.id: read_label(node.label, node.markdown) for node in chart.nodes}
    tails = [(each, f"{name} -> ") for each, name in names.items() if join.startswith(f"{name} -> ")]
    return [(tail, head) for tail, start in tails for head, name in names.items() if join == start + name]


def _name_ends(chart: Chart) -> dict[str, str]:
    names = {node.id: read_label(node.label, node.markdown) for node in chart.nodes}
    return names | {s.id: read_label(s.title, s.markdown) for s in chart.subgraphs}
