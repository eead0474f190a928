"""What gives an edited chart away to a reader who has never seen the original: Start with an arrow into it, an answer
that leaves no question, a part that hangs on nothing.
"""

from __future__ import annotations

from collections import Counter

from tasks.flowchart.chart.graph import Chart
from tasks.flowchart.chart.sight import Sight

_ENDS = frozenset({"stadium", "circle", "doublecircle"})
"""Shapes of starts and ends."""
_QUESTION = "diamond"


def count_oddities(chart: Chart, edited: Chart) -> int:
    """How many kinds of thing look odd in the edited chart that did not in the original: 0 to 3."""
    ends, questions = _list_ways(chart)
    ends_now, questions_now = _list_ways(edited)
    return (ends != ends_now) + (questions != questions_now) + (_list_answers(chart) != _list_answers(edited))


def _list_ways(chart: Chart) -> tuple[Counter[tuple[str, bool, bool]], Counter[tuple[str, bool]]]:
    """Starts and ends, each with whether arrows enter and leave it, and questions with whether arrows leave them."""
    entered, left = _find_ways(chart)
    ends = Counter((n.label, n.id in entered, n.id in left) for n in chart.nodes if n.shape in _ENDS)
    return ends, Counter((n.label, n.id in left) for n in chart.nodes if n.shape == _QUESTION)


def _find_ways(chart: Chart) -> tuple[set[str], set[str]]:
    """The nodes that arrows enter, and those that arrows leave."""
    entered: set[str] = set()
    left: set[str] = set()
    for arrow in chart.arrows:
        heads = [arrow.head] * bool(arrow.end) + [arrow.tail] * bool(arrow.start)
        entered.update(heads)
        left.update({arrow.tail, arrow.head}.difference(heads) if len(heads) == 1 else {arrow.tail, arrow.head})
    return entered, left


def _list_answers(chart: Chart) -> Counter[tuple[str, str | None]]:
    """The arrows' labels, each with the shape of the node that it leaves."""
    shapes = {node.id: node.shape for node in chart.nodes}
    tails = ((a, a.head if a.start and not a.end else a.tail) for a in chart.arrows if a.label)
    return Counter((a.label, shapes.get(tail)) for a, tail in tails)


def count_parts(sight: Sight) -> int:
    """In how many parts a chart falls that no line joins."""
    part = list(range(len(sight.labels)))

    def find(box: int) -> int:
        while part[box] != box:
            part[box] = part[part[box]]
            box = part[box]
        return box

    for arrow in sight.arrows:
        part[find(arrow.tail)] = find(arrow.head)
    return sum(find(box) == box for box in range(len(part)))


def is_path(sight: Sight) -> bool:
    """Whether the chart is one line of arrows from node to node: what three nodes of a chart mostly are."""
    tails = Counter(a.head if a.start and not a.end else a.tail for a in sight.arrows)
    heads = Counter(a.tail if a.start and not a.end else a.head for a in sight.arrows)
    single = max((*tails.values(), *heads.values()), default=0) <= 1
    return single and len(sight.arrows) == len(sight.labels) - 1 and count_parts(sight) == 1
