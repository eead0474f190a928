"""A chart that an author would draw: habits that people keep, and which of them an edit breaks.

A reader knows a negative by one arrow out of End, whatever the picture beside it shows. What counts as a habit is
judged from the chart and from the anchor that it came of: whoever draws loops without a question may go on doing so.
Of charts cut into granules, where a node's other arrows lie outside, nothing is asked that a cut may hide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label, squeeze

Habit = Literal[
    "nothing enters a start",
    "nothing leaves an end",
    "a step leads to one place",
    "a question has two answers",
    "an answer on each way out of a question",
    "no arrow ends where it began",
    "one arrow from a node to another",
    "no way round without a question",
    "all ends are ends",
    "all beginnings are beginnings",
    "everything can be reached",
    "every question has its two ways out",
]
HABITS: tuple[Habit, ...] = get_args(Habit)
_TERMINALS = frozenset({"stadium", "circle", "doublecircle"})
_TERMINAL_WORDS = re.compile(r"(?:start|begin|end|stop|finish|finished|exit|done)(?::.*)?", re.IGNORECASE)
_ENDING_WORDS = re.compile(
    r"(?:\w+:\s*)?(?:return|exit|quit|abort|terminate|conclude)(?:\W.*)?"
    r"|(?:end|stop|finish|done)\W+(?:(?:of|the|this)\W+)*(?:process|program|procedure|task|session|game|work|here|now)\W*"
    r"|(?:complete|completed|finished|stopped|cancelled|canceled|halt)(?:\W*|\W+here\W*)",
    re.IGNORECASE,
)
"""What is done last, whatever box it stands in: "Return the total"."""
_OPENING_WORDS = re.compile(r"(?:begin|start)(?:\W.*)?", re.IGNORECASE)
"""What is done first: "Begin the game"."""
_QUESTIONS = frozenset({"diamond", "hexagon"})
_WAYS = 2


@dataclass(frozen=True, slots=True)
class Roles:
    """What the anchor's nodes are, by label and shape: nodes that move keep both."""

    starts: frozenset[str]
    ends: frozenset[str]
    questions: frozenset[str]
    """Those that look like questions, and those that more than one arrow leaves in the anchor."""
    ways: int
    """How many arrows leave a question at most."""


@dataclass(frozen=True)
class _Net:
    """Who joins whom: the nodes' names by their ids, and arrows as (tail, head, whether it says anything)."""

    names: dict[str, str]
    arrows: tuple[tuple[str, str, bool], ...]

    @property
    def entered(self) -> Counter[str]:
        return Counter(head for _, head, _ in self.arrows)

    @property
    def left(self) -> Counter[str]:
        return Counter(tail for tail, _, _ in self.arrows)


@lru_cache(maxsize=4096)
def is_question(node: Node) -> bool:
    """Whether a node looks like a decision: by its shape, or as its label asks.

    >>> is_question(Node("A", "Is it gone?", "square")), is_question(Node("A", "Dry it", "square"))
    (True, False)
    """
    return node.shape in _QUESTIONS or read_label(node.label, node.markdown).rstrip().endswith("?")


def is_terminal(node: Node) -> bool:
    """Whether a node looks like a start or an end: by its shape, or as it is called."""
    words = squeeze(read_label(node.label, node.markdown))
    return node.shape in _TERMINALS or _TERMINAL_WORDS.fullmatch(words) is not None


def ends_by_its_words(node: Node) -> bool:
    """Whether a step says that nothing follows it: an arrow that comes to leave it is seen to be wrong.

    >>> ends_by_its_words(Node("A", "Return the total")), ends_by_its_words(Node("A", "Finish the edges"))
    (True, False)
    """
    return _says(node, _ENDING_WORDS)


def begins_by_its_words(node: Node) -> bool:
    """Whether a step says that nothing comes before it.

    >>> begins_by_its_words(Node("A", "Begin the game")), begins_by_its_words(Node("A", "Beginners stop"))
    (True, False)
    """
    return _says(node, _OPENING_WORDS)


def _says(node: Node, words: re.Pattern[str]) -> bool:
    return not is_question(node) and words.fullmatch(read_label(node.label, node.markdown).strip()) is not None


@lru_cache(maxsize=4096)
def _name(node: Node) -> str:
    return f"{node.shape} {squeeze(read_label(node.label, node.markdown))}"


def _draw_net(chart: Chart) -> _Net:
    """Lines without a head and those with two lead nowhere in particular and are left out."""
    names = {node.id: _name(node) for node in chart.nodes}
    shown = [a for a in chart.arrows if a.stroke != "invisible" and bool(a.start) != bool(a.end)]
    ends = [(*_find_ends(arrow), bool(arrow.label)) for arrow in shown]
    return _Net(names, tuple(each for each in ends if each[0] in names and each[1] in names))


def _find_ends(arrow: Arrow) -> tuple[str, str]:
    return (arrow.tail, arrow.head) if arrow.end else (arrow.head, arrow.tail)


def read_roles(chart: Chart) -> Roles:
    """What the nodes of an anchor are."""
    net = _draw_net(chart)
    entered, left = net.entered, net.left
    firsts = [node for node in chart.nodes if is_terminal(node) or begins_by_its_words(node)]
    lasts = [node for node in chart.nodes if is_terminal(node) or ends_by_its_words(node)]
    questions = [node for node in chart.nodes if is_question(node) or left[node.id] > 1]
    return Roles(
        frozenset(_name(node) for node in firsts if left[node.id] and not entered[node.id]),
        frozenset(_name(node) for node in lasts if entered[node.id] and not left[node.id]),
        frozenset(map(_name, questions)),
        max([_WAYS, *(left[node.id] for node in questions)]),
    )


@dataclass(frozen=True)
class Kept:
    """What an anchor keeps to: read once, asked of each of its edits."""

    roles: Roles
    breaks: Counter[Habit]
    """How often the anchor itself breaks a habit."""

    @property
    def complete(self) -> bool:
        """Whether it goes from a start to an end, and from nowhere else to nowhere else."""
        loose = self.breaks["all ends are ends"] + self.breaks["all beginnings are beginnings"]
        return bool(self.roles.starts and self.roles.ends) and not loose


def read_habits(anchor: Chart) -> Kept:
    """What an anchor keeps to."""
    roles = read_roles(anchor)
    return Kept(roles, _count_breaks(_draw_net(anchor), roles))


def list_broken(kept: Kept, edited: Chart, *, whole: bool, said: bool = True) -> list[Habit]:
    """The habits that an edit breaks: those kept less well than in its anchor.

    ``whole``: they are charts as their authors drew them, none cut out of another; a granule from a start to an end
    is judged as one too. ``said``: whether the arrows' labels show.
    """
    after = _count_breaks(_draw_net(edited), kept.roles)
    asked: set[Habit] = set(HABITS)
    if not said:
        asked.discard("an answer on each way out of a question")
    if not whole and not kept.complete:
        asked -= {"all ends are ends", "all beginnings are beginnings", "everything can be reached"}
    if not whole:
        asked.discard("every question has its two ways out")
    return [habit for habit in HABITS if habit in asked and after[habit] > kept.breaks[habit]]


def _count_breaks(net: _Net, roles: Roles) -> Counter[Habit]:
    entered, left = net.entered, net.left
    joined = Counter((tail, head) for tail, head, _ in net.arrows)
    asking = {node for node, name in net.names.items() if name in roles.questions}
    sources = {node for node in net.names if not entered[node]}
    counts: Counter[Habit] = Counter()
    counts["nothing enters a start"] = sum(entered[node] for node, name in net.names.items() if name in roles.starts)
    counts["nothing leaves an end"] = sum(left[node] for node, name in net.names.items() if name in roles.ends)
    counts["a step leads to one place"] = sum(max(left[node] - 1, 0) for node in net.names if node not in asking)
    counts["a question has two answers"] = sum(left[node] > roles.ways for node in asking)
    counts["an answer on each way out of a question"] = sum(
        tail in asking and not answer for tail, _, answer in net.arrows
    )
    counts["no arrow ends where it began"] = sum(tail == head for tail, head in joined)
    counts["one arrow from a node to another"] = joined.total() - len(joined)
    counts["no way round without a question"] = _goes_round(joined, asking)
    counts["all ends are ends"] = sum(not left[node] and name not in roles.ends for node, name in net.names.items())
    counts["all beginnings are beginnings"] = sum(net.names[node] not in roles.starts for node in sources)
    counts["everything can be reached"] = len(net.names) - len(_reach(sources, joined))
    counts["every question has its two ways out"] = sum(left[node] < _WAYS for node in asking)
    return counts


def _goes_round(arrows: Iterable[tuple[str, str]], asking: set[str]) -> bool:
    """Whether one can go round for ever without being asked anything."""
    waiting: dict[str, set[str]] = {}
    for tail, head in arrows:
        if tail != head and tail not in asking and head not in asking:
            waiting.setdefault(head, set()).add(tail)
    free = True
    while free:
        # What waits for no node on a way round goes, and then what waited for it alone.
        done = {tail for tails in waiting.values() for tail in tails} - waiting.keys()
        free = bool(done)
        waiting = {head: tails - done for head, tails in waiting.items() if tails - done}
    return bool(waiting)


def _reach(sources: set[str], arrows: Iterable[tuple[str, str]]) -> set[str]:
    following: dict[str, list[str]] = {}
    for tail, head in arrows:
        following.setdefault(tail, []).append(head)
    reached = list(sources)
    found = set(sources)
    for node in reached:
        fresh = [head for head in following.get(node, ()) if head not in found]
        found.update(fresh)
        reached += dict.fromkeys(fresh)
    return found
