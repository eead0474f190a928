"""Single statements about charts: one sentence of the template each, and its denial ("No arrow points from ...")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError
from counterfoil.tasks.contract.wording import Wording
from counterfoil.tasks.flowchart.captions import (
    FORMS,
    CaptionError,
    Claim,
    name_node,
    read_caption,
    state_claims,
    write_caption,
)
from counterfoil.tasks.flowchart.checks import read_anchor, refutes
from counterfoil.tasks.flowchart.settings import FlowchartSettings

_BREAK = re.compile(r"(?<=[.?!…。！？])\s+(?=(?:An?|No) (?:arrow|line|circle-tipped line|cross-tipped line)\b)")
_STARTS, _ENDS = frozenset({"start", "begin"}), frozenset({"end", "stop", "finish", "done", "exit"})
_OPENING = re.compile(r"(An?|No) (?=(arrow|line|circle-tipped line|cross-tipped line)\b)")


def tell(anchor: Anchor, context: Context[Any]) -> list[str]:
    """What each line of the chart says."""
    try:
        claims = state_claims(read_anchor(anchor).sight, context.settings.arrow_labels)
    except (CaptionError, CheckError):
        return []
    return [write_caption((claim,)) for claim in claims]


def list_edits(text: str, anchor: Anchor, context: Context[Any]) -> list[Edit]:
    """Another node's label, or another arrow's, in the place of one; other ends of an arrow."""
    del context
    try:
        claims, sight = read_caption(text), read_anchor(anchor).sight
    except (CaptionError, CheckError):
        return []
    answers = [arrow.label for arrow in sight.arrows if arrow.label]
    edits = [
        Edit("node", said, other)
        for claim in claims
        for said in (claim.tail, claim.head)
        for other in sight.labels
        if name_node(other) not in map(name_node, (claim.tail, claim.head))
    ]
    edits += [each for claim in claims for each in _list_ends(text, claim, sight.labels)]
    edits += [Edit("label", each.label, other) for each in claims if each.label for other in answers]
    return [edit for edit in dict.fromkeys(edits) if edit.target != edit.replacement]


def _list_ends(text: str, claim: Claim, labels: Sequence[str]) -> Iterator[Edit]:
    """Both ends of an arrow exchanged at once, also for each other. One end alone often makes what no chart looks like,
    as two arrows between the same two nodes."""
    found = re.search(f"node {re.escape(claim.tail)}(?P<between> .*?)node {re.escape(claim.head)}", text)
    if found is None:
        return
    for tail in labels:
        for head in labels:
            if not _is_one(claim.tail, tail) and not _is_one(tail, head) and not _is_one(head, claim.head):
                yield Edit("ends", found[0], f"node {tail}{found['between']}node {head}")


def _is_one(label: str, other: str) -> bool:
    """Whether a caption's names count as one: what a label ends with may be the sentence's own full stop."""
    return name_node(label) == name_node(other)


def judge(text: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    """Whether the chart is as the sentences say."""
    false = refutes(text, anchor, context)
    return None if false is None else not false


def is_possible(text: str, anchor: Anchor, context: Context[Any]) -> bool:
    """No line leads from a node to itself, none to a start and none from an end: those of our charts do not."""
    del anchor, context
    try:
        claims = read_caption(text)
    except CaptionError:
        return False
    return all(
        not _is_one(claim.tail, claim.head) and (FORMS[claim.kind].symmetric or _leads_on(claim)) for claim in claims
    )


def _leads_on(claim: Claim) -> bool:
    return name_node(claim.tail).casefold() not in _ENDS and name_node(claim.head).casefold() not in _STARTS


def deny(text: str) -> str | None:
    """
    >>> deny("An arrow points from node A to node B.")
    'No arrow points from node A to node B.'
    >>> deny("No arrow points from node A to node B."), deny("A dog sits on a mat.")
    (None, None)
    """
    found = _OPENING.match(text)
    return None if found is None or found[1] == "No" else f"No {text[found.end() :]}"


def affirm(text: str) -> str | None:
    """
    >>> affirm("No line joins node A and node B.")
    'A line joins node A and node B.'
    """
    found = _OPENING.match(text)
    if found is None or found[1] != "No":
        return None
    return f"{'An' if found[2] == 'arrow' else 'A'} {text[found.end() :]}"


_read_again = lru_cache(256)(read_caption)
"""Each of a chart's few statements is compared with most of the others."""


def may_follow(stated: str, denied: str) -> bool:
    """Whether both are of a line between the same nodes that leads the same way, or which way is not said.

    >>> may_follow("An arrow labelled Yes points from node A to node B.", "An arrow points from node A to node B.")
    True
    >>> may_follow("An arrow points from node A to node B.", "An arrow points from node B to node A.")
    False
    """
    return any(_is_of_one_line(one, other) for one in _read_again(stated) for other in _read_again(denied))


def _is_of_one_line(one: Claim, other: Claim) -> bool:
    if _is_one(one.tail, other.tail) and _is_one(one.head, other.head):
        return True
    directed = not (FORMS[one.kind].symmetric or FORMS[other.kind].symmetric)
    return not directed and _is_one(one.tail, other.head) and _is_one(one.head, other.tail)


WORDING = Wording[FlowchartSettings](
    tell,
    list_edits,
    judge,
    deny=deny,
    affirm=affirm,
    possible=is_possible,
    follows=may_follow,
    split=lambda text: tuple(_BREAK.split(text.strip())),
)
