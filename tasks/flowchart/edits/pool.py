"""Which edits a chart is offered: a pool of plans of every kind, each of which gives another chart of which the
caption is false. Which of them a table takes is chosen over the corpus (`counterfoil.tasks.flowchart.edits.choice`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product

import numpy as np

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.flowchart.captions import state_claims
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.chart.order import arrange
from counterfoil.tasks.flowchart.chart.sight import Sight, same_sight, see_chart
from counterfoil.tasks.flowchart.edits.answers import (
    find_ends,
    hear_answers,
    settle_answers,
    strands_answer,
    turn_answer,
)
from counterfoil.tasks.flowchart.edits.habits import (
    begins_by_its_words,
    ends_by_its_words,
    is_question,
    is_terminal,
    list_broken,
    read_habits,
)
from counterfoil.tasks.flowchart.edits.likeness import count_parts
from counterfoil.tasks.flowchart.edits.plans import ChartEdit, Permutation, Structure, apply_edit, pack_plan
from counterfoil.tasks.flowchart.truth import is_false

KINDS = ("move", "turn", "rewire", "remove", "add", "insert", "merge", "combine")
"""The paper's table - labels exchanged, arrows turned, arrows removed, combinations -, arrows that move an end or come,
and nodes whose place another takes, that come and that go."""
PUBLISHED_KINDS = ("move", "turn", "remove", "combine")
_DRAWS = 30
"""Plans of each kind that are tried; a small chart has no more."""
_STRUCTURE = ("add", "insert", "merge")
"""One of these at most is in a combination."""
_MOST_MOVES = 40
_FEW = 3
"""So many nodes, joined by fewer arrows, can be joined in few ways: every one is tried, and none is drawn."""


@dataclass(frozen=True, slots=True)
class EditedChart:
    """One plan with what it gives."""

    kind: str
    plan: ChartEdit
    edited: Chart
    sight: Sight
    order: int = 0
    """What its order was drawn from."""

    def flip(self) -> EditedChart:
        """The same on the chart whose flow runs the other way."""
        return replace(self, plan=replace(self.plan, flipped=not self.plan.flipped), edited=self.edited.flip())


@dataclass(frozen=True, slots=True)
class Rules:
    """Under which edits are drawn. The paper's own: labels leave their shapes and charts may fall apart."""

    kinds: tuple[str, ...] = KINDS
    arrow_labels: bool = False
    """Whether the captions speak of the arrows' labels, so that exchanging two answers makes them false."""
    as_published: bool = False
    answers_shown: bool = True
    """Whether the arrows' labels show, so that an answer left at a step looks odd."""
    whole: bool = False
    """Whether the charts are whole, none cut out of another (`counterfoil.tasks.flowchart.edits.habits`)."""
    steps: tuple[str, ...] = ()
    """Steps of the same source that the chart does not have: what comes where another goes, or between two."""
    resized: bool = False
    """Whether charts of more and of fewer nodes are among the anchors, so that a node may come or go alone."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The kinds that a combination is made of."""
        out = {"combine", "answers"}
        out |= set() if self.resized or self.as_published else {"insert", "merge", "add"}
        out |= set() if self.steps else {"insert"}
        return tuple(kind for kind in self.kinds if kind not in out)


def list_edits(chart: Chart, rng: np.random.Generator, rules: Rules) -> list[EditedChart]:
    """Plans of ``rules.kinds``, upright, no two of which give the same chart; in no order of preference."""
    original = see_chart(chart)
    claims, parts = state_claims(original, rules.arrow_labels), count_parts(original)
    moves, order = _begin(len(chart.nodes), rng)
    edits: list[EditedChart] = []
    settled = rules.answers_shown and not rules.as_published
    heard, kept = hear_answers(chart), read_habits(chart)
    tried: set[ChartEdit] = set()
    for kind in (each for each in rules.kinds if each in (*rules.parts, "combine", "answers")):
        for drawn in _draw_plans(kind, chart, moves, rng, rules):
            if drawn in tried:
                continue
            tried.add(drawn)
            plan = settle_answers(chart, drawn, heard) if settled else drawn
            edited = apply_edit(chart, plan)
            sight = see_chart(edited)
            if same_sight(original, sight) or not is_false(claims, sight):
                # Where only the arrows' labels changed, the caption, which does not speak of them, is still true.
                continue
            if not rules.as_published and count_parts(sight) > parts:
                continue
            if settled and strands_answer(heard, edited):
                continue
            if not rules.as_published and list_broken(kept, edited, whole=rules.whole, said=rules.answers_shown):
                continue
            if any(same_sight(sight, edit.sight) for edit in edits):
                continue
            edits.append(
                EditedChart(kind, plan, edited, sight) if rules.as_published else make_edit(chart, plan, order, kind)
            )
    return edits


def _begin(count: int, rng: np.random.Generator) -> tuple[list[Permutation], int]:
    """What is drawn first: ways to move ``count`` nodes, and what the order of what is edited is drawn from."""
    return list_moves(count, rng), int(rng.integers(2**32))


def draw_order(count: int, rng: np.random.Generator) -> int:
    """What the order of the edits of a chart of ``count`` nodes is drawn from, of the generator that they are drawn
    of."""
    return _begin(count, rng)[1]


def make_edit(chart: Chart, plan: ChartEdit, order: int, kind: str = "") -> EditedChart:
    """The chart after a plan, in an order of its own, drawn from ``order``."""
    upright = replace(plan, flipped=False) if plan.flipped else plan
    edited = arrange_edit(chart, upright, order)
    made = EditedChart(kind, upright, edited, see_chart(edited), order)
    return made.flip() if plan.flipped else made


def arrange_edit(chart: Chart, plan: ChartEdit, order: int) -> Chart:
    """The chart of `make_edit` alone."""
    upright = replace(plan, flipped=False) if plan.flipped else plan
    edited = arrange(apply_edit(chart, upright), generator(order, pack_plan(upright)))
    return edited.flip() if plan.flipped else edited


def take_turns(edits: Sequence[EditedChart], rng: np.random.Generator, both_ways: bool = False) -> list[EditedChart]:
    """The edits in a random order in which the paper's kinds take turns; ``both_ways``: each upright and flipped."""
    queues: dict[str, list[EditedChart]] = {}
    for index in rng.permutation(len(edits)):
        queues.setdefault(edits[int(index)].kind, []).append(edits[int(index)])
    if both_ways:
        queues = {kind: _turn_both_ways(queues[kind], place) for place, kind in enumerate(sorted(queues))}
    rounds = max(map(len, queues.values()), default=0)
    return [
        queues[kind][turn] for turn in range(rounds) for kind in PUBLISHED_KINDS if turn < len(queues.get(kind, ()))
    ]


def _turn_both_ways(queue: Sequence[EditedChart], start: int) -> list[EditedChart]:
    """Each edit in one direction, by turns, then each in the other."""
    return [
        edit.flip() if (start + place + again) % 2 else edit for again in (0, 1) for place, edit in enumerate(queue)
    ]


def even_ways(edits: Sequence[EditedChart], rng: np.random.Generator) -> list[EditedChart]:
    """The edits, some turned round: in the set that they are with their chart, half of the charts run either way.

    Else the chart is found as the one that runs otherwise. Of an odd set the chart is among the more by the share that
    they have of it, so that this too tells nothing.
    """
    charts = len(edits) + 1
    alike = charts // 2 + (charts % 2 and rng.random() * charts < (charts + 1) // 2) - 1
    upright = [place for place, edit in enumerate(edits) if not edit.plan.flipped]
    turned = [place for place, edit in enumerate(edits) if edit.plan.flipped]
    over = len(upright) - alike
    out = {int(place) for place in rng.permutation(upright if over > 0 else turned)[: abs(over)]}
    return [edit.flip() if place in out else edit for place, edit in enumerate(edits)]


def draw_edits(edits: Sequence[EditedChart], rng: np.random.Generator, count: int) -> list[EditedChart]:
    """At most ``count`` edits: each time a kind that the chart has, all alike likely, then one of that kind."""
    left: dict[str, list[EditedChart]] = {}
    for edit in edits:
        left.setdefault(edit.kind, []).append(edit)
    drawn: list[EditedChart] = []
    while left and len(drawn) < count:
        kind = sorted(left)[int(rng.integers(len(left)))]
        drawn.append(left[kind].pop(int(rng.integers(len(left[kind])))))
        if not left[kind]:
            del left[kind]
    return drawn


def list_moves(count: int, rng: np.random.Generator) -> list[Permutation]:
    """Ways to move ``count`` nodes, none of them the identity, shuffled; of over four nodes exchanges of two alone."""
    identity = tuple(range(count))
    if count <= 4:
        every = [p for p in permutations(identity) if p != identity]
    else:
        every = [_exchange(identity, pair) for pair in combinations(range(count), 2)]
    return [every[int(i)] for i in rng.permutation(len(every))[:_MOST_MOVES]]


def _exchange(identity: Permutation, pair: tuple[int, int]) -> Permutation:
    moved = list(identity)
    moved[pair[0]], moved[pair[1]] = moved[pair[1]], moved[pair[0]]
    return tuple(moved)


def _draw_plans(
    kind: str, chart: Chart, moves: Sequence[Permutation], rng: np.random.Generator, rules: Rules
) -> Iterator[ChartEdit]:
    arrows = [i for i, arrow in enumerate(chart.arrows) if arrow.stroke != "invisible"]
    if kind == "move":
        yield from (ChartEdit(moved=moved, labels_alone=rules.as_published) for moved in moves)
        return
    if kind == "answers":
        yield from (ChartEdit(answers=pair) for pair in list_answers(chart))
        return
    if not rules.as_published and "rewire" in rules.kinds and len(arrows) < len(chart.nodes) <= _FEW:
        if kind == "combine":
            yield from _join_anew(chart, arrows)
        return
    for _ in range(_DRAWS):
        parts = [kind] if kind != "combine" else _pick_parts(rng, rules)
        plan = ChartEdit()
        if "remove" in parts:
            plan = replace(plan, dropped=_choose(arrows, len(arrows) - 1, rng))
        left = [i for i in arrows if i not in plan.dropped]
        if "rewire" in parts:
            plan = replace(plan, rewired=_draw_rewire(chart, left, rng))
        if "turn" in parts:
            directed = [i for i in left if chart.arrows[i].start != chart.arrows[i].end]
            plan = replace(plan, turned=_choose(directed, len(directed), rng))
        if "move" in parts and moves:
            moved = moves[int(rng.integers(len(moves)))]
            plan = replace(plan, moved=moved, labels_alone=rules.as_published)
        structure = Structure(
            merged=_draw_merged(chart, rng) if "merge" in parts else (),
            inserted=_draw_inserted(chart, left, rules, rng) if "insert" in parts else (),
            added=_draw_added(chart, rng) if "add" in parts else (),
        )
        plan = replace(plan, structure=structure)
        done: dict[str, object] = {"remove": plan.dropped, "rewire": plan.rewired, "turn": plan.turned}
        done |= {"move": plan.moved}
        done |= {"merge": structure.merged, "insert": structure.inserted}
        if all(done.get(part, structure.added) for part in parts):
            yield plan


def list_steps(chart: Chart) -> list[Node]:
    """The nodes that do something, and neither ask, begin nor end."""
    return [
        node
        for node in chart.nodes
        if not is_question(node)
        and not is_terminal(node)
        and not ends_by_its_words(node)
        and not begins_by_its_words(node)
    ]


def _draw_merged(chart: Chart, rng: np.random.Generator) -> tuple[str, ...]:
    """A step that goes; one that more than one arrow leaves and another enters stays."""
    left = Counter(find_ends(arrow)[0] for arrow in chart.arrows)
    steps = [node.id for node in list_steps(chart) if left[node.id] <= 1]
    return (steps[int(rng.integers(len(steps)))],) if steps and len(chart.nodes) > _FEW else ()


def _draw_inserted(
    chart: Chart, arrows: Sequence[int], rules: Rules, rng: np.random.Generator
) -> tuple[tuple[int, str], ...]:
    """An arrow with a head at one end, and the step that comes to stand on it."""
    directed = [i for i in arrows if bool(chart.arrows[i].start) != bool(chart.arrows[i].end)]
    if not directed or not rules.steps:
        return ()
    return ((directed[int(rng.integers(len(directed)))], rules.steps[int(rng.integers(len(rules.steps)))]),)


def _draw_added(chart: Chart, rng: np.random.Generator) -> tuple[tuple[str, str, str], ...]:
    """An arrow between two nodes that none joins that way, with the answer that is missing where it leaves."""
    joined = {find_ends(arrow) for arrow in chart.arrows}
    ends = [(one.id, other.id) for one, other in permutations(chart.nodes, 2) if (one.id, other.id) not in joined]
    if not ends:
        return ()
    tail, head = ends[int(rng.integers(len(ends)))]
    said = [read_label(a.label, a.markdown) for a in chart.arrows if find_ends(a)[0] == tail]
    return ((tail, head, (turn_answer(said[0]) or "") if len(said) == 1 else ""),)


def _join_anew(chart: Chart, arrows: Sequence[int]) -> Iterator[ChartEdit]:
    """Every way in which a few nodes can be joined by their arrows: draws miss some of a triplet's few graphs."""
    joins = list(permutations([node.id for node in chart.nodes], 2))
    for ends in product(joins, repeat=len(arrows)):
        own = [(chart.arrows[index].tail, chart.arrows[index].head) for index in arrows]
        turned = tuple(i for i, old, new in zip(arrows, own, ends, strict=True) if new == old[::-1])
        moved = tuple((i, *new) for i, old, new in zip(arrows, own, ends, strict=True) if new not in (old, old[::-1]))
        if turned or moved:
            yield ChartEdit(turned=turned, rewired=moved)


def _pick_parts(rng: np.random.Generator, rules: Rules) -> list[str]:
    """Two kinds or three that are made together."""
    count = 2 if rng.random() < 0.75 else 3
    drawn = [str(kind) for kind in rng.permutation(rules.parts)]
    structure = [kind for kind in drawn if kind in _STRUCTURE]
    return [kind for kind in drawn if kind not in structure[1:]][:count]


def _choose(items: Sequence[int], most: int, rng: np.random.Generator) -> tuple[int, ...]:
    """One or more of ``items``, fewer oftener: near misses first."""
    most = min(most, len(items), 3)
    if most < 1:
        return ()
    count = 1 + int(min(rng.geometric(0.65) - 1, most - 1))
    return tuple(sorted(int(i) for i in rng.choice(items, size=count, replace=False)))


def _draw_rewire(chart: Chart, arrows: Sequence[int], rng: np.random.Generator) -> tuple[tuple[int, str, str], ...]:
    """One arrow whose tail or head goes to a node that it does not join yet."""
    if not arrows or len(chart.nodes) < 3:
        return ()
    index = int(rng.choice(arrows))
    arrow = chart.arrows[index]
    joined = {frozenset((a.tail, a.head)) for a in chart.arrows}
    ends = [
        (tail, head)
        for node in chart.nodes
        for tail, head in ((node.id, arrow.head), (arrow.tail, node.id))
        if tail != head and frozenset((tail, head)) not in joined
    ]
    return ((index, *ends[int(rng.integers(len(ends)))]),) if ends else ()


def list_answers(chart: Chart) -> list[tuple[int, int]]:
    """Pairs of arrows that leave one node for different ones under different labels."""

    def differ(one: Arrow, other: Arrow) -> bool:
        return bool(one.label and other.label) and one.label != other.label and one.head != other.head

    pairs = combinations(range(len(chart.arrows)), 2)
    arrows = chart.arrows
    return [(i, j) for i, j in pairs if arrows[i].tail == arrows[j].tail and differ(arrows[i], arrows[j])]
