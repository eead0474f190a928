"""What ties anchors to each other: groups, which are worked out anew over all of them, and the splits that follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.audit.survey import Failure
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.splits import TEST, TRAIN, VAL
from counterfoil.tasks.engine.groups import hash_picture, join_groups, name_group
from counterfoil.tasks.engine.splits import assign_split, settle_splits


@dataclass(frozen=True)
class Tie:
    """What an anchor says of its group and split, and what it has by its own content."""

    domain: str
    anchor_id: str
    group: str
    split: str
    own: str
    """The group that its facts, or its picture, name."""
    drawn: str | None
    """The split that falls to that group, or to its source row; None where the source names splits."""
    shown: str | None
    """The hash of its picture."""
    grown: bool = False
    """Whether the last three are those of what its source row makes, and not of what is stored."""


def tie_anchor(anchor: Anchor, domain: Domain[Any], context: Context[Any], grown: Anchor | None = None) -> Tie | None:
    """What ties an anchor to others, by what its source row has ``grown`` where that is known; None in tables of before
    there were groups."""
    if anchor.group is None:
        return None
    named = name_group(grown or anchor)
    source = domain.sources.get(anchor.source)
    drawn = None
    if source is not None and not source.splits:
        share, seed = context.settings.test_share, context.seed
        by_group = assign_split(replace(named, split=""), share, seed).split
        drawn = by_group if source.draw_split is None else source.draw_split(anchor.source_id, share, seed)
    shown = hash_picture(grown or anchor)
    own = str(named.group)
    return Tie(anchor.domain, anchor.anchor_id, anchor.group, anchor.split, own, drawn, shown, grown is not None)


def find_torn(ties: Iterable[Tie], refused: Collection[str] = (), *, whole: bool = True) -> Iterator[Failure]:
    """Anchors whose group or split is not what follows of all anchors of their domain.

    ``refused``: the ids of anchors that fail by themselves; who shares a group or picture with one of those may differ
    for its sake. ``whole``: all anchors could be read; else no group can be worked out, and splits are not looked at.
    """
    by_domain: dict[str, list[Tie]] = {}
    for tie in ties:
        by_domain.setdefault(tie.domain, []).append(tie)
    for own in by_domain.values():
        yield from _find_torn(own, frozenset(refused), whole)


def _find_torn(ties: list[Tie], refused: frozenset[str], whole: bool) -> Iterator[Failure]:
    joined = join_groups((tie.own, tie.shown) for tie in ties)
    lying = {tie for tie in ties if tie.anchor_id in refused and not tie.grown}
    doubtful = {name for tie in lying for name in (tie.group, tie.own)}
    members = [(joined.get(tie.own, tie.own), tie.drawn or tie.split) for tie in ties if tie not in lying]
    settled = settle_splits(members)
    for tie in ties:
        due = joined.get(tie.own, tie.own)
        # A picture that was changed may have joined it to others, or parted it from those whose lesser name it has.
        joined_by_lie = tie.group == tie.own and due in doubtful
        parted_by_lie = tie.shown is not None and tie.group in doubtful and tie.group < tie.own
        blamed = tie.anchor_id in refused or not (joined_by_lie or parted_by_lie)
        if tie.group != due and whole and blamed:
            yield Failure("anchors", tie.anchor_id, (f"group: its facts and picture put it in {due}",))
        if tie.split not in (TRAIN, VAL, TEST):
            yield Failure("anchors", tie.anchor_id, (f"split: {tie.split!r} is none of {TRAIN}, {VAL} and {TEST}",))
        elif whole and blamed and settled.get(due, tie.split) != tie.split:
            yield Failure("anchors", tie.anchor_id, (f"split: its group is in {settled[due]}, it in {tie.split}",))
