"""Whether a caption is true of a chart: shown true, shown false, or neither.

A sentence is judged by itself, and one that is false makes a caption false; what a caption leaves out does not. So two
of a chart's three sentences, or all of them in another order, are true. Names are compared as a reader does: quotation
marks, case and stops tell nothing, and a name that is nearly a label of the chart ("Dry" for "Dry?", "Wash, and then
Rinse") may mean that label: of it nothing is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from tasks.flowchart.captions import FORMS, Claim, name_node, state_claims
from tasks.flowchart.chart.labels import squeeze
from tasks.flowchart.chart.sight import Sight

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
    tails, heads = (_resolve(name, sight.labels) for name in (claim.tail, claim.head))
    if tails is None or heads is None:
        return None
    joined = [each for each in said if _joins(each, claim, tails, heads)]
    told = {_same_label(claim.label, each.label) for each in joined if each.kind == claim.kind}
    if told:
        return True if True in told else None if None in told else False
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
    return True if _quieten(claimed) == _quieten(label) else None if _is_near(claimed, label) else False


def _resolve(name: str, labels: tuple[str, ...]) -> frozenset[str] | None:
    """Which of a chart's names is meant: no one, for a node that it does not have; None where that is not known."""
    known = {name_node(label): label for label in labels}
    if name_node(name) in known:
        return frozenset({name_node(name)})
    alike = frozenset(key for key, label in known.items() if _quieten(label) == _quieten(name))
    if not alike and any(_is_near(name, label) for label in known.values()):
        return None
    return alike


@lru_cache(maxsize=65536)
def _quieten(name: str) -> str:
    """A name without case, quotation marks and other signs; one of signs alone as it is."""
    return _QUIET.sub(" ", name.casefold()).strip() or squeeze(name)


@lru_cache(maxsize=65536)
def _is_near(name: str, label: str) -> bool:
    """Whether one holds the other's words in a row, both have the same words, or most of their letters."""
    one, other = sorted((_WORD.findall(_quieten(name)), _WORD.findall(_quieten(label))), key=len)
    if sorted(one) == sorted(other) or f" {' '.join(one)} " in f" {' '.join(other)} ":
        return True
    return SequenceMatcher(None, " ".join(one), " ".join(other), autojunk=False).ratio() >= _LIKE
