"""What the arrows of a chart say: answers that stand at the questions they answer, before and after an edit.

In charts as people draw them a question's arrows bear its answers and a step's arrow bears none. An edited chart with
a Yes at a step would be told from others at a glance, so an arrow that comes to leave another node leaves its answer
behind, or gets the answer that is missing there.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from zlib import crc32

from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.edits.habits import is_question
from counterfoil.tasks.flowchart.edits.plans import ChartEdit, Structure, apply_edit, place_nodes

ANSWERS = ("Yes", "No")
"""What a question is answered in a granule that cut all its answers off."""
_ALTERNATIVES = re.compile(r"\b(?:or|which|what|who|whose|where|when|how|why)\b", re.IGNORECASE)
_LOOPS = re.compile(r"^(?:for|while|repeat|each)\b|\b(?:loop|iterate)\b", re.IGNORECASE)
"""The head of a loop, which asks nothing where it has no question mark."""
_OPPOSITES = (("yes", "no"), ("true", "false"), ("success", "failure"), ("valid", "invalid"))


def turn_answer(label: str) -> str | None:
    """The other answer, written alike; None for what is no such answer.

    >>> turn_answer("Yes"), turn_answer("NO"), turn_answer("maybe")
    ('No', 'YES', None)
    """
    for pair in _OPPOSITES:
        for one, other in (pair, pair[::-1]):
            if label.lower() == one:
                return other.upper() if label.isupper() else other.title() if label.istitle() else other
    return None


@dataclass(frozen=True)
class Heard:
    """What the arrows of an anchor say: read once, asked of each of its edits."""

    sayings: frozenset[tuple[str, str | None]]
    """The arrows' labels, each with where it belongs: an answer at a node of the shape that its arrow leaves, anything
    else ("Store", "Traditional") at that node alone."""
    fitting: frozenset[tuple[str, str | None]]
    """Those, the other answers to them, and Yes and No at each question."""
    repeated: int
    """How often one node has two arrows with one label."""
    silent: bool
    """Whether its author leaves answers out."""
    own: bool
    """Whether it asks for another thing than Yes or No: nobody knows what else a jewel may be that is not genuine."""


def hear_answers(chart: Chart) -> Heard:
    """What an anchor's arrows say."""
    sayings = _list_said(chart)
    fitting = sayings | {(other, shape) for label, shape in sayings if (other := turn_answer(label))}
    fitting |= {(answer, node.shape) for answer in ANSWERS for node in chart.nodes if is_question(node)}
    questions = {node.id for node in chart.nodes if is_question(node)}
    return Heard(
        sayings=frozenset(sayings),
        fitting=frozenset(fitting),
        repeated=_count_repeated(chart),
        silent=any(not arrow.label and find_ends(arrow)[0] in questions for arrow in chart.arrows),
        own=any(a.label and not turn_answer(read_label(a.label, a.markdown)) for a in chart.arrows),
    )


def settle_answers(chart: Chart, plan: ChartEdit, heard: Heard) -> ChartEdit:
    """The plan with the answers of arrows that come to leave another node: one that nobody asks for there goes, and
    the one that is missing comes."""
    before = place_nodes(chart, plan).arrows
    edited = apply_edit(chart, replace(plan, dropped=(), flipped=False, structure=Structure()))
    nodes = {node.id: node for node in edited.nodes}
    said: dict[int, str] = {}
    for index, (old, new) in enumerate(zip(before, edited.arrows, strict=True)):
        tail = find_ends(new)[0]
        if index in plan.dropped or find_ends(old)[0] == tail:
            continue
        others = [
            said.get(i, arrow.label)
            for i, arrow in enumerate(edited.arrows)
            if i != index and i not in plan.dropped and find_ends(arrow)[0] == tail
        ]
        label = new.label
        if label and ((label, place_answer(label, nodes.get(tail))) not in heard.sayings or label in others):
            label = ""
        if not label and len(others) == 1:
            label = _find_missing(others[0])
        if label != new.label:
            said[index] = label
    if not heard.silent and not heard.own:
        _answer_questions(edited, plan.dropped, said)
    return replace(plan, said=tuple(said.items()))


def asks_for_more(node: Node) -> bool:
    """Whether a question is answered by more than Yes or No, or may be: "Genuine gold or costume?", "For each row".

    >>> asks_for_more(Node("A", "Uphill or downhill?")), asks_for_more(Node("A", "Is it gone?"))
    (True, False)
    >>> asks_for_more(Node("A", "Iterate over the rows")), asks_for_more(Node("A", "Loop again?"))
    (True, False)
    """
    label = read_label(node.label, node.markdown).strip()
    return _ALTERNATIVES.search(label) is not None or (not label.endswith("?") and _LOOPS.search(label) is not None)


def _answer_questions(edited: Chart, dropped: tuple[int, ...], said: dict[int, str]) -> None:
    """An answer for each arrow that leaves a question in silence, as one does that was cut off from its answers:
    the one that is missing there, or one of both by the question's words."""
    questions = {node.id: node for node in edited.nodes if is_question(node) and node.label.isascii()}
    for index, arrow in enumerate(edited.arrows):
        tail = find_ends(arrow)[0]
        if index in dropped or tail not in questions or said.get(index, arrow.label):
            continue
        others = [
            said.get(i, other.label)
            for i, other in enumerate(edited.arrows)
            if i != index and i not in dropped and find_ends(other)[0] == tail
        ]
        heard = [label for label in others if label]
        if not heard and not asks_for_more(questions[tail]):
            said[index] = ANSWERS[crc32(questions[tail].label.encode()) % len(ANSWERS)]
        elif len(heard) == 1 and (missing := _find_missing(heard[0])):
            said[index] = missing


def _find_missing(answer: str) -> str:
    return turn_answer(answer) or ""


def strands_answer(heard: Heard, edited: Chart) -> bool:
    """Whether an arrow's label is at a node of a shape that no such answer stood at, as a Yes at a step, or twice at
    one node, as two arrows that leave one question under Yes."""
    return not _list_said(edited) <= heard.fitting or _count_repeated(edited) > heard.repeated


def _list_said(chart: Chart) -> set[tuple[str, str | None]]:
    nodes = {node.id: node for node in chart.nodes}
    said = [(read_label(arrow.label, arrow.markdown), arrow) for arrow in chart.arrows if arrow.label]
    return {(label, place_answer(label, nodes.get(find_ends(arrow)[0]))) for label, arrow in said}


def place_answer(label: str, node: Node | None) -> str | None:
    """Where an arrow's label belongs: an answer at nodes of one shape, anything else at one node.

    >>> place_answer("Yes", Node("A", "Is it gone?", "diamond")), place_answer("Store", Node("A", "Solder", "square"))
    ('diamond', 'square Solder')
    """
    if node is None or turn_answer(label):
        return node.shape if node else None
    return f"{node.shape} {read_label(node.label, node.markdown)}"


def _count_repeated(chart: Chart) -> int:
    answers = Counter((arrow.label, find_ends(arrow)[0]) for arrow in chart.arrows if arrow.label)
    return answers.total() - len(answers)


def find_ends(arrow: Arrow) -> tuple[str, str]:
    """The nodes that an arrow leaves and enters, by its heads: one with a head at its tail alone is turned round."""
    return (arrow.head, arrow.tail) if arrow.start and not arrow.end else (arrow.tail, arrow.head)
