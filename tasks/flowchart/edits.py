"""The edits of SaCLIP Sec. 3.2 on a chart, and how they are drawn.

The makers use them once for the tables, their `sample` functions per batch in training. An edit is a plan on the
graph (which labels move, which arrows turn or go), so that its cost is microseconds until a picture is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from renderers.mermaid import Look
from storage.rows import Edit
from tasks.flowchart.captions import Claim, list_claims, unite_claims
from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.labels import read_label
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.chart.sight import Seen, Sight, same_sight, see_chart
from tasks.flowchart.drawing.arrows import drop_arrow, turn_arrow
from tasks.flowchart.drawing.rendering import draw
from tasks.flowchart.drawing.vector import read_vector

Permutation = tuple[int, ...]
"""``p[i]`` is the node whose label node i gets."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Edits of one image negative: ``swap`` moves labels, ``turned`` and ``dropped`` are indices of arrows."""

    swap: Permutation | None = None
    turned: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    flipped: bool = False


def list_permutations(count: int, rng: np.random.Generator, limit: int = 40) -> list[Permutation]:
    """Ways to move ``count`` labels, none of them the identity: exchanges first, then longer cycles, each group
    shuffled. Charts of over three nodes get ``limit`` exchanges of two at most.
    """
    identity = tuple(range(count))
    if count <= 3:
        every = [p for p in permutations(identity) if p != identity]
        swaps = [p for p in every if sum(a != b for a, b in zip(p, identity, strict=True)) == 2]
        cycles = [p for p in every if p not in swaps]
        return _shuffle(swaps, rng) + _shuffle(cycles, rng)
    pairs = list(combinations(range(count), 2))
    chosen = [pairs[int(i)] for i in rng.permutation(len(pairs))[:limit]]
    return [_exchange(identity, pair) for pair in chosen]


def _exchange(identity: Permutation, pair: tuple[int, int]) -> Permutation:
    moved = list(identity)
    moved[pair[0]], moved[pair[1]] = moved[pair[1]], moved[pair[0]]
    return tuple(moved)


def _shuffle(items: list[Permutation], rng: np.random.Generator) -> list[Permutation]:
    return [items[int(i)] for i in rng.permutation(len(items))]


def swap_labels(chart: Chart, moved: Permutation) -> Chart:
    """The chart with its nodes' labels moved; shapes and arrows stay."""
    return chart.relabel({node.id: chart.nodes[moved[i]].id for i, node in enumerate(chart.nodes)})


def apply_plan(chart: Chart, plan: Plan) -> Chart:
    """The graph after a plan."""
    edited = swap_labels(chart, plan.swap) if plan.swap else chart
    for index in plan.turned:
        edited = edited.turn(index)
    for index in sorted(plan.dropped, reverse=True):
        edited = edited.drop(index)
    return edited.flip() if plan.flipped else edited


def draw_plan(chart: Chart, plan: Plan, look: Look) -> str:
    """The SVG after a plan: labels and direction are changed in the code and laid out, arrows are edited in the SVG.

    Raises:
        renderers.mermaid.MermaidError: the chart cannot be drawn.
        VectorError: the drawn chart cannot be read back.
    """
    base = swap_labels(chart, plan.swap) if plan.swap else chart
    base = base.flip() if plan.flipped else base
    svg = draw(write_code(base), look)
    places = match_arrows(base, svg)
    for index in plan.turned:
        svg = turn_arrow(svg, places[index])
    for index in sorted(plan.dropped, key=lambda i: places[i], reverse=True):
        svg = drop_arrow(svg, places[index])
    return svg


def match_arrows(chart: Chart, svg: str) -> dict[int, int]:
    """Which arrow of the SVG is the chart's i-th, by what they join; they may be drawn in another order."""
    drawn = read_vector(svg).sight
    free = list(range(len(drawn.arrows)))
    ids = {node.id: read_label(node.label, node.markdown) for node in chart.nodes}
    ids.update({s.id: read_label(s.title, s.markdown) for s in chart.subgraphs})
    places = {}
    for index, arrow in enumerate(chart.arrows):
        if arrow.stroke == "invisible":
            continue
        wanted = (ids[arrow.tail], ids[arrow.head], arrow.start, arrow.end, read_label(arrow.label, arrow.markdown))
        found = next((i for i in free if _describe(drawn.arrows[i], drawn) == tuple(map(_key, wanted))), None)
        if found is not None:
            free.remove(found)
            places[index] = found
    return places


def _describe(arrow: Seen, sight: Sight) -> tuple[str, ...]:
    parts = (sight.labels[arrow.tail], sight.labels[arrow.head], arrow.start, arrow.end, arrow.label)
    return tuple(map(_key, parts))


def _key(text: str) -> str:
    return "".join(text.split())


def visible_arrows(chart: Chart) -> list[int]:
    """Indices of the arrows that are drawn."""
    return [i for i, arrow in enumerate(chart.arrows) if arrow.stroke != "invisible"]


def list_plans(chart: Chart, rng: np.random.Generator) -> Iterator[Plan]:
    """Plans for negative images: each kind of edit, alone and combined, on the chart and on the flipped chart.

    The first eight are one exchange of labels, one turned and one removed arrow and one combination, upright and
    flipped in turn (the paper's evaluation has eight negative images); further plans follow for what fails.
    """
    seen: set[Plan] = set()
    swaps = list_permutations(len(chart.nodes), rng)
    arrows = visible_arrows(chart)
    for round_ in range(12):
        combined = ("swap turn", "turn drop", "swap drop", "swap turn drop")[(round_ + int(rng.integers(4))) % 4]
        for kinds in ("swap", "turn", "drop", combined):
            for flipped in (False, True):
                plan = _draw_plan(kinds, swaps, arrows, chart, flipped, rng)
                if plan is not None and plan not in seen:
                    seen.add(plan)
                    yield plan


def _draw_plan(
    kinds: str, swaps: list[Permutation], arrows: list[int], chart: Chart, flipped: bool, rng: np.random.Generator
) -> Plan | None:
    swap = swaps[int(rng.integers(len(swaps)))] if "swap" in kinds and swaps else None
    directed = [i for i in arrows if chart.arrows[i].start != chart.arrows[i].end]
    turned: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    if "drop" in kinds:
        # At least one arrow stays: a picture without arrows is no chart to caption.
        dropped = _choose(arrows, len(arrows) - 1, rng)
    if "turn" in kinds:
        turned = _choose([i for i in directed if i not in dropped], len(directed), rng)
    if ("swap" in kinds and swap is None) or ("turn" in kinds and not turned) or ("drop" in kinds and not dropped):
        return None
    return Plan(swap, turned, dropped, flipped)


def _choose(items: list[int], most: int, rng: np.random.Generator) -> tuple[int, ...]:
    """One or more of ``items``, fewer oftener: near misses first."""
    most = min(most, len(items), 3)
    if most < 1:
        return ()
    count = 1 + int(min(rng.geometric(0.65) - 1, most - 1))
    return tuple(sorted(int(i) for i in rng.choice(items, size=count, replace=False)))


def is_edit(chart: Chart, edited: Chart) -> bool:
    """Whether a reader can tell: exchanging symmetric nodes or turning a two-cycle is no edit."""
    return not same_sight(see_chart(chart), see_chart(edited))


def describe_plan(chart: Chart, plan: Plan) -> tuple[Edit, ...]:
    """The plan as the rows' edits."""
    edits = [Edit("flip", chart.direction, chart.flip().direction)] if plan.flipped else []
    if plan.swap:
        edits += describe_swap(chart, plan.swap)
    labels = [read_label(n.label, n.markdown) for n in (swap_labels(chart, plan.swap) if plan.swap else chart).nodes]
    names = {node.id: label for node, label in zip(chart.nodes, labels, strict=True)}
    names.update({s.id: read_label(s.title, s.markdown) for s in chart.subgraphs})
    for index in plan.turned:
        arrow = chart.arrows[index]
        tail, head = names[arrow.tail], names[arrow.head]
        edits.append(Edit("reverse_arrow", f"{tail} -> {head}", f"{head} -> {tail}"))
    for index in plan.dropped:
        arrow = chart.arrows[index]
        edits.append(Edit("remove_arrow", f"{names[arrow.tail]} -> {names[arrow.head]}", ""))
    return tuple(edits)


def describe_swap(chart: Chart, moved: Permutation) -> list[Edit]:
    """One edit for each node whose label changes."""
    labels = [read_label(n.label, n.markdown) for n in chart.nodes]
    return [Edit("swap_labels", labels[i], labels[j]) for i, j in enumerate(moved) if i != j and labels[i] != labels[j]]


@dataclass(frozen=True, slots=True)
class CaptionEdit:
    """A caption with labels moved in the sentences ``where`` (all of them: the paper's edit)."""

    moved: Permutation
    where: tuple[int, ...]


def list_caption_edits(sight: Sight, nodes: int, rng: np.random.Generator) -> Iterator[CaptionEdit]:
    """Label exchanges throughout the caption first, then in one sentence alone."""
    moves = list_permutations(nodes, rng)
    every = tuple(range(len(sight.arrows)))
    for moved in moves:
        yield CaptionEdit(moved, every)
    if len(every) > 1:
        for moved in moves:
            for sentence in every:
                yield CaptionEdit(moved, (sentence,))


def edit_claims(sight: Sight, edit: CaptionEdit, arrow_labels: bool) -> tuple[Claim, ...]:
    """The claims of the caption after an edit."""
    count = len(edit.moved)
    labels = tuple(sight.labels[edit.moved[i]] if i < count else label for i, label in enumerate(sight.labels))
    before = list_claims(sight, arrow_labels)
    after = list_claims(replace(sight, labels=labels), arrow_labels)
    return unite_claims(after[i] if i in edit.where else before[i] for i in range(len(before)))
