"""What of a chart shows in a text or a picture of it, counted: what an edit must not make more or less frequent.

Nodes are known by the part they have (how many arrows enter and leave them): Start is entered by none, a question has
two answers, and a chart in which that is otherwise is told without its picture.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from counterfoil.tasks.flowchart.captions import Claim, write_caption
from counterfoil.tasks.flowchart.chart.graph import Chart, Node
from counterfoil.tasks.flowchart.chart.labels import read_label
from counterfoil.tasks.flowchart.edits.answers import find_ends

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_WORD, _SHAPE, _FORM, _COUNT = 2, 4, 6, 4
"""How much one of each counts."""
_LETTERS = 8
"""So many letters of length count as one word."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A node with its part in the chart."""

    node: Node
    label: str
    words: tuple[str, ...]
    entered: int
    left: int

    @property
    def name(self) -> str:
        return f"{min(self.entered, 2)}>{min(self.left, 2)}"


def _list_parts(chart: Chart) -> list[_Part]:
    entered: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for arrow in chart.arrows:
        tail, head = find_ends(arrow)
        left[tail] += 1
        entered[head] += 1
    labels = [read_label(node.label, node.markdown) for node in chart.nodes]
    return [
        _Part(node, label, split_words(label), entered[node.id], left[node.id])
        for node, label in zip(chart.nodes, labels, strict=True)
    ]


def name_form(chart: Chart) -> str:
    """How many arrows enter and leave its nodes: the same for all forks, for all paths...

    >>> from counterfoil.tasks.flowchart.chart.graph import Arrow
    >>> name_form(Chart(nodes=(Node("A", "a"), Node("B", "b")), arrows=(Arrow("A", "B"),)))
    '0>1 1>0'
    """
    return _name_form(_list_parts(chart))


def split_words(text: str) -> tuple[str, ...]:
    """Words, numbers and signs in lower case.

    >>> split_words("Is it gone?")
    ('is', 'it', 'gone', '?')
    """
    return tuple(_TOKEN.findall(text.lower()))


def _name_form(parts: list[_Part]) -> str:
    return " ".join(sorted(f"{part.entered}>{part.left}" for part in parts))


def _count_words(counts: Counter[str], place: str, words: tuple[str, ...]) -> None:
    for word in words:
        counts[f"{place}: {word}"] += _WORD
    if words:
        counts[f"{place} begins {words[0]}"] += _WORD
        counts[f"{place} ends {words[-1]}"] += _WORD
        counts[f"{place} is {' '.join(words)}"] += _WORD


def _profile_parts(parts: list[_Part]) -> Counter[str]:
    """Words and shapes by their part in the chart, and the chart's form."""
    counts: Counter[str] = Counter({_name_form(parts): _FORM})
    for part in parts:
        _count_words(counts, part.name, part.words)
        counts[f"{part.name} {part.node.shape}"] += _SHAPE
        counts[f"{part.name} letters"] += _count_letters(part.label)
    return counts


def _count_letters(text: str) -> int:
    return round(_WORD * len(text) / _LETTERS)


def profile_caption(chart: Chart, claims: tuple[Claim, ...]) -> Counter[str]:
    """Of a caption: which words stand on which side of an arrow, first and last, and how long sentences are."""
    counts = _profile_parts(_list_parts(chart))
    sizes = []
    for place, claim in enumerate(claims):
        tail, head = split_words(claim.tail), split_words(claim.head)
        _count_words(counts, "from", tail)
        _count_words(counts, "to", head)
        if claim.label is not None:
            _count_words(counts, "labelled", split_words(claim.label))
        if place == 0:
            _count_words(counts, "first", tail)
        _count_words(counts, "last" if place == len(claims) - 1 else "before", head[-1:])
        sizes.append(len(tail) + len(head))
    text = write_caption(claims)
    for word in split_words(text):
        counts[word] += _WORD
    counts["letters"] += _count_letters(text)
    counts["sentences"] += _COUNT * len(claims)
    counts["longest"] += max(sizes, default=0)
    counts["shortest"] += min(sizes, default=0)
    # What none of them tells alone, the lengths tell together.
    counts[f"sizes {sorted(sizes)}"] += _COUNT
    return counts


def profile_code(chart: Chart) -> Counter[str]:
    """Of a code: which words and shapes the first, second... node has, which follows which, and what arrows say."""
    parts = _list_parts(chart)
    counts = _profile_parts(parts)
    for place, part in enumerate(parts):
        _count_words(counts, f"node {place}", part.words)
        counts[f"node {place} {part.node.shape}"] += _SHAPE
        counts[f"node {place} letters"] += _count_letters(part.label)
    for one, other in pairwise(parts):
        counts[f"{one.node.shape} then {other.node.shape}"] += _SHAPE
    for place, arrow in enumerate(chart.arrows):
        said = " ".join(split_words(arrow.label))
        counts[f"arrow {place}: {arrow.tail} {arrow.head} {bool(said)}"] += _WORD
        counts[f"{arrow.tail} {arrow.head} says {said}"] += _WORD
    return counts


def profile_picture(chart: Chart) -> Counter[str]:
    """Of a picture: forms, shapes and widths, each with where in the flow they are and which way it runs."""
    parts = _list_parts(chart)
    way = chart.direction
    counts: Counter[str] = Counter({way: _FORM, f"{way} {_name_form(parts)}": _FORM, _name_form(parts): _FORM})
    counts["arrows"] += _COUNT * len(chart.arrows)
    met: Counter[str] = Counter()
    for part in parts:
        # Of those with one part the earlier stands further left.
        for place in (part.name, f"{way} {part.name}", f"{way} {part.name} {met[part.name]}"):
            counts[f"{place} {part.node.shape}"] += _SHAPE
            counts[f"{place} letters"] += _count_letters(part.label)
            counts[f"{place} {part.node.shape} of {len(part.label) // _LETTERS}"] += _WORD
        met[part.name] += 1
    by_id = {part.node.id: part for part in parts}
    for arrow in chart.arrows:
        # An arrow may also end at a subgraph, which has no part.
        ends = [by_id[each] for each in find_ends(arrow) if each in by_id]
        joined, shapes = " to ".join(end.name for end in ends), " to ".join(f"{end.node.shape}" for end in ends)
        said = "said" if arrow.label else "unsaid"
        for place in (joined, f"{way} {joined}", f"{said} {joined}", f"{way} {said} {joined}", f"{way} {shapes}"):
            counts[f"arrow {place}"] += _WORD
        # People answer each question and nothing else: a chart in which that is otherwise looks odd.
        counts[said] += _COUNT
        if ends:
            counts[f"{ends[0].node.shape} {said}"] += _FORM
    return counts
