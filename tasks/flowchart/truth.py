"""Whether a caption is true of a chart: shown true, shown false, or neither.

A sentence is judged by itself, and one that is false makes a caption false; what a caption leaves out does not. So two
of a chart's three sentences, or all of them in another order, are true. Names are compared as a reader does: quotation
marks, case and stops tell nothing. A name that is nearly a label of the chart may mean it ("Moisten stain"): what would
be true of that label is not shown false. Of one that holds a label and more ("Wash, and then Rinse") nothing is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from counterfoil.tasks.flowchart.captions import FORMS, Claim, name_node, state_claims
from counterfoil.tasks.flowchart.chart.labels import squeeze
from counterfoil.tasks.flowchart.chart.sight import Sight

_LIKE = 0.8
"""Names of which so much is the same may be one: a typing error, a plural."""
_WORD = re.compile(r"\w+|[^\w\s]")
_QUIET = re.compile(r"[\W_]+")
_ONE_WAY = {"both": "arrow", "circles": "circle", "crosses": "cross"}
"""What a line with two heads is seen to be from each of its ends."""


def judge_caption(claims: Iterable[Claim], sight: Sight) -> bool | None:
    """False where some sentence is shown false of the chart, True where all are shown true, None else."""
    said = tuple(_widen(sight))
    found = {_judge_claim(claim, sight, said) for claim in claims}
    return False if False in found else None if None in found else True


def is_false(claims: Iterable[Claim], sight: Sight) -> bool:
    """Whether some sentence is shown false of the chart."""
    return judge_caption(claims, sight) is False


def _widen(sight: Sight) -> Iterable[Claim]:
    """What the chart's lines say, and what follows: a line with two heads points either way."""
    for claim in state_claims(sight, True):
        yield claim
        if one := _ONE_WAY.get(claim.kind):
            yield Claim(claim.tail, claim.head, one, claim.label)
            yield Claim(claim.head, claim.tail, one, claim.label)


def _judge_claim(claim: Claim, sight: Sight, said: tuple[Claim, ...]) -> bool | None:
    ends = _resolve(claim.tail, sight.labels), _resolve(claim.head, sight.labels)
    tails, heads = (end.names for end in ends)
    if tails is None or heads is None:
        return None
    joined = [each for each in said if _joins(each, claim, tails, heads)]
    told = {_same_label(claim.label, each.label) for each in joined if each.kind == claim.kind}
    if told:
        sure = ends[0].sure and ends[1].sure
        return True if sure and True in told else None if told & {True, None} else False
    # A plain line is the least that can be said of two nodes that any line joins.
    return None if joined and claim.kind == "line" else False


def _joins(said: Claim, claim: Claim, tails: frozenset[str], heads: frozenset[str]) -> bool:
    ends = name_node(said.tail), name_node(said.head)
    there = ends[0] in tails and ends[1] in heads
    return there or (FORMS[claim.kind].symmetric and ends[1] in tails and ends[0] in heads)


def _same_label(claimed: str | None, label: str | None) -> bool | None:
    if claimed is None or squeeze(claimed) == squeeze(label or ""):
        return True
    if label is None:
        return False
    return (
        True
        if _quieten(claimed) == _quieten(label)
        else None
        if _holds(claimed, label) or _is_near(claimed, label)
        else False
    )


@dataclass(frozen=True, slots=True)
class _End:
    """Which of a chart's names are meant: none for a node that it does not have; ``names`` is None where nothing is
    known, and ``sure`` whether none else can be."""

    names: frozenset[str] | None
    sure: bool = True


@lru_cache(maxsize=4096)
def _resolve(name: str, labels: tuple[str, ...]) -> _End:
    known = {name_node(label): label for label in labels}
    if name_node(name) in known:
        return _End(frozenset({name_node(name)}))
    if alike := frozenset(key for key, label in known.items() if _quieten(label) == _quieten(name)):
        return _End(alike)
    if any(_holds(name, label) for label in known.values()):
        return _End(None)
    return _End(frozenset(key for key, label in known.items() if _is_near(name, label)), sure=False)


@lru_cache(maxsize=65536)
def _quieten(name: str) -> str:
    """A name without case, quotation marks and other signs; one of signs alone as it is."""
    return _QUIET.sub(" ", name.casefold()).strip() or squeeze(name)


def _holds(name: str, label: str) -> bool:
    """Whether a name holds a label's words in a row, and more."""
    return f" {_list_words(label)} " in f" {_list_words(name)} "


@lru_cache(maxsize=65536)
def _is_near(name: str, label: str) -> bool:
    """Whether a name is a part of the label, has the same words, or most of the same letters."""
    one, other = _list_words(name), _list_words(label)
    if _holds(label, name) or sorted(one.split()) == sorted(other.split()):
        return True
    alike = SequenceMatcher(None, one, other, autojunk=False)
    # The quick ones are never less: most names are told apart by them.
    return alike.real_quick_ratio() >= _LIKE and alike.quick_ratio() >= _LIKE and alike.ratio() >= _LIKE


@lru_cache(maxsize=65536)
def _list_words(name: str) -> str:
    return " ".join(_WORD.findall(_quieten(name)))


def names_none(name: str, labels: tuple[str, ...]) -> bool:
    """Whether a name is none of the labels', nor near to one, nor holds one or is held.

    >>> names_none("Dry it", ("Wash it",)), names_none("Wash it twice", ("Wash it",))
    (True, False)
    """
    return _resolve(name, labels).names == frozenset() and not any(_is_near(label, name) for label in labels)
