"""Whether an edited chart is its anchor's with the edits made that the row names, and with no others.

The named edits are read back into the plans that they may stand for, and each is made once more. Of what comes of it
everything counts: labels, shapes, styles, frames, direction, strokes, heads, and what the arrows say; the order of
nodes and arrows and the nodes' ids do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations, product
from typing import Any

from counterfoil.storage.rows import Edit
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart
from counterfoil.tasks.flowchart.chart.labels import read_label, squeeze
from counterfoil.tasks.flowchart.edits.plans import (
    ChartEdit,
    Permutation,
    Structure,
    apply_edit,
    describe_edit,
    describe_move,
    place_nodes,
)

MOVES = ("swap_labels", "swap_nodes")
_ARROWS = ("reverse_arrow", "rewire_arrow", "remove_arrow")
_STRUCTURE = ("remove_node", "merge_nodes", "insert_node", "add_arrow")
_SAYINGS = ("change_answer", "exchange_answers")
_FEW = 4
"""So many nodes are moved in any way, more in pairs alone (`pool.list_moves`)."""
_MOST_PLANS = 500
"""Of edits that name one of many equal labels so many readings are tried."""


def is_replayed(chart: Chart, edits: Sequence[Edit], edited: Chart, *, labels_alone: bool) -> bool:
    """Whether ``edited`` is ``chart`` with just these edits made.

    ``labels_alone``: labels leave their shapes, as in the paper.
    """
    wanted, said = list_parts(edited), _list_said(edited)
    made = (apply_edit(chart, plan) for plan in list_plans(chart, edits, labels_alone=labels_alone))
    return any(list_parts(each) == wanted and says_so(_list_said(each), said, edits) for each in made)


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
    for nodes in product(*(_find_nodes(chart, edit.target) for edit in edits)):
        yield tuple((node, edit.replacement) for node, edit in zip(nodes, edits, strict=True))


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
        if edit.kind == "insert_node"
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


def list_parts(chart: Chart) -> Hashable:
    """All that a chart is but what its arrows say, whatever the order and the nodes' ids."""
    names = _name_ends(chart)
    nodes = Counter((names[n.id], n.markdown, n.shape or "square", n.styles, n.classes) for n in chart.nodes)
    arrows = Counter(_name_arrow(arrow, names) for arrow in chart.arrows)
    frames = Counter(
        (
            names[s.id],
            s.markdown,
            s.direction,
            s.classes,
            s.styles,
            frozenset(Counter(names[m] for m in s.members).items()),
        )
        for s in chart.subgraphs
    )
    looks = frozenset((name, styles) for name, styles in chart.class_definitions.items() if styles)
    return chart.direction, *(frozenset(each.items()) for each in (nodes, arrows, frames)), looks


def _name_arrow(arrow: Arrow, names: dict[str, str]) -> Hashable:
    """An arrow by what it joins and how it is drawn, told from the end without a head."""
    ends = sorted([(arrow.start, names[arrow.tail]), (arrow.end, names[arrow.head])])
    return *ends, arrow.stroke, arrow.length, arrow.styles, arrow.classes, arrow.id, arrow.curve, arrow.motion


def says_so(before: Counter[Any], after: Counter[Any], edits: Sequence[Edit]) -> bool:
    """Whether arrows, counted as pairs of what they are and what they say, say the same but for the labels that the
    edits name."""
    named = [(squeeze(e.target), squeeze(e.replacement)) for e in edits if e.kind in _SAYINGS]
    named += [(squeeze(e.replacement), squeeze(e.target)) for e in edits if e.kind == "exchange_answers"]
    gone, come = Counter(one for one, _ in named), Counter(other for _, other in named)
    lost, won = (Counter(label for _, label in each.elements()) for each in (before - after, after - before))
    return lost <= gone and won <= come and lost - won == gone - come and won - lost == come - gone


def _list_said(chart: Chart) -> Counter[tuple[Hashable, str]]:
    names = _name_ends(chart)
    return Counter((_name_arrow(a, names), squeeze(read_label(a.label, a.markdown))) for a in chart.arrows)
